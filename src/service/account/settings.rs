//! What a player does with his own account: vacation, settings, messages, leaving.

use chrono::{Datelike, NaiveDate, TimeDelta};

use crate::clock::{Span, vacation_in};
use crate::command::{AccountAction, Day, Dmarc, Setting, UnsolicitedLetters};
use crate::rules::Seat;
use crate::store::{Player, Settings, Transaction};

use crate::service::board::live::{End, Live};
use crate::service::board::{clocks, look, play};
use crate::service::notice::facts::{BoardEvent, Notice, PlayerText};
use crate::service::{Request, RequestResult, Response, Service, refuse};

/// How long the code that confirms leaving counts.
const SIGNOFF_COUNTS: TimeDelta = TimeDelta::days(7);

impl Service<'_> {
    /// Whatever a player does with his own account, once he has shown who he is.
    pub(in crate::service) fn account(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        player: Player,
        what: &AccountAction,
    ) -> RequestResult<Response> {
        self.acted(tx, &player, request.now)?;
        match what {
            AccountAction::Addresses(addresses) => self.change_address(tx, request, player, addresses),
            AccountAction::VacationUntil(day) => self.begin_vacation(tx, request, &player, *day),
            AccountAction::VacationOff => {
                let waiting = clocks::count_up(tx, &player, request.now)?;
                tx.cut_vacation(player.id, request.now)?;
                clocks::rewind(tx, waiting)?;
                self.vacation(tx, request, &player)
            }
            AccountAction::Vacation => self.vacation(tx, request, &player),
            AccountAction::Set(settings) => set(self, tx, request, player, settings),
            AccountAction::Signoff(None) => self.ask_to_sign_off(tx, request, &player),
            AccountAction::Signoff(Some(code)) => self.sign_off(tx, request, &player, code),
            AccountAction::Message(to) => self.message(tx, request, &player, to),
            AccountAction::Broadcast => self.broadcast(tx, request, &player),
        }
    }

    fn begin_vacation(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        player: &Player,
        day: Day,
    ) -> RequestResult<Response> {
        let word = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
        let Some(day) = NaiveDate::from_ymd_opt(day.year, day.month, day.day) else {
            return refuse(request, &word, format!("The calendar has no {word}."));
        };
        let mut calendar = clocks::calendar(tx, player)?;
        let until = calendar.day_begins(day);
        if until <= request.now {
            return refuse(request, &word, format!("{word} has begun already where you are; a vacation ends later."));
        }
        if until - request.now > TimeDelta::days(366) {
            return refuse(request, &word, "A vacation ends within a year.");
        }
        // As the vacations will be: the present one ends now, and this one begins.
        for span in &mut calendar.vacations {
            span.until = span.until.min(request.now);
        }
        let span = Span { from: request.now, until };
        calendar.vacations.push(span);
        let budget = TimeDelta::days(i64::from(self.policy.vacation_days));
        for year in request.now.with_timezone(&calendar.zone).year()..=day.year() {
            let taken = vacation_in(&calendar, year);
            if taken > budget {
                let message = format!(
                    "That would be {} days of vacation in {year}, and a year has {}.",
                    clocks::days(taken),
                    self.policy.vacation_days
                );
                return refuse(request, &word, message);
            }
        }
        let waiting = clocks::count_up(tx, player, request.now)?;
        tx.cut_vacation(player.id, request.now)?;
        tx.add_vacation(player.id, &span)?;
        clocks::rewind(tx, waiting)?;
        self.vacation(tx, request, player)
    }

    fn vacation(&self, tx: &dyn Transaction, request: &Request, player: &Player) -> RequestResult<Response> {
        let calendar = clocks::calendar(tx, player)?;
        let year = request.now.with_timezone(&calendar.zone).year();
        let present = calendar.vacations.iter().find(|span| span.from <= request.now && request.now < span.until);
        Ok(Response::Vacation {
            userid: player.userid.clone(),
            until: present.map(|span| span.until),
            used_days: clocks::days(vacation_in(&calendar, year)),
            budget_days: self.policy.vacation_days,
            zone: player.settings.zone.clone(),
        })
    }

    fn ask_to_sign_off(&self, tx: &mut dyn Transaction, request: &Request, player: &Player) -> RequestResult<Response> {
        let code = self.world.letters(8);
        tx.begin_signoff(player.id, &code, request.now)?;
        let boards = tx.boards(None, Some(player.id), true)?.iter().map(|board| board.number).collect();
        Ok(Response::SignoffAsked { userid: player.userid.clone(), code, boards })
    }

    fn sign_off(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        player: &Player,
        code: &str,
    ) -> RequestResult<Response> {
        let valid = player
            .signoff
            .as_ref()
            .is_some_and(|(wanted, given)| wanted.eq_ignore_ascii_case(code) && request.now - *given < SIGNOFF_COUNTS);
        if !valid {
            return refuse(
                request,
                code,
                "This is not the code that you were given; send signoff without one for a new one.",
            );
        }
        // His addresses go first: the answer tells him, and no letter of these boards is written to nobody.
        tx.leave(player.id, request.now)?;
        let (mut resigned, mut removed) = (Vec::new(), Vec::new());
        for offer in tx.open_challenges(None)?.iter().filter(|offer| offer.challenger.id == player.id) {
            tx.close_open_challenge(offer.number, request.now)?;
        }
        for board in tx.boards(None, Some(player.id), true)? {
            let number = board.number;
            let seats: Vec<Seat> =
                Seat::BOTH.into_iter().filter(|s| board.players[s.index()].id == player.id).collect();
            let mut live = Live::open(tx, board, request.now)?;
            if play::has_moved(tx, number, &seats)? {
                live.end(tx, End::Resign(seats[0]), request.from.via())?;
                self.notify(tx, request, &mut live, BoardEvent::End)?;
                resigned.push(number);
            } else {
                tx.decline_board(number, player.id, request.now)?;
                self.notify(tx, request, &mut live, BoardEvent::Decline { by: player.userid.clone() })?;
                removed.push(number);
            }
        }
        Ok(Response::SignedOff { userid: player.userid.clone(), resigned, removed })
    }

    fn message(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        player: &Player,
        to: &[String],
    ) -> RequestResult<Response> {
        let text = play::said(request);
        if text.is_empty() {
            return refuse(request, "message", "What is the message? Its text stands below the command.");
        }
        let to = to.iter().map(|userid| look::active_player(tx, request, userid)).collect::<RequestResult<Vec<_>>>()?;
        for addressee in &to {
            if tx.addresses(addressee.id)?.iter().all(|address| address.confirmed_at.is_none()) {
                let message = format!("{} has no address that letters go to.", addressee.userid);
                return refuse(request, &addressee.userid, message);
            }
        }
        let notice = Notice::Message(PlayerText { by: player.userid.clone(), text });
        for addressee in &to {
            self.write_to(tx, &notice, addressee.id, request.now)?;
        }
        Ok(Response::Messaged { to: to.into_iter().map(|addressee| addressee.userid).collect() })
    }

    fn broadcast(&self, tx: &mut dyn Transaction, request: &Request, player: &Player) -> RequestResult<Response> {
        if !self.policy.administrators.iter().any(|userid| userid.eq_ignore_ascii_case(&player.userid)) {
            return refuse(request, &player.userid, "Only an administrator of this server can write to everybody.");
        }
        let text = play::said(request);
        if text.is_empty() {
            return refuse(request, "broadcast", "What is the message? Its text stands below the command.");
        }
        let notice = Notice::Broadcast(PlayerText { by: player.userid.clone(), text });
        let mut to = Vec::new();
        for addressee in tx.players()?.into_iter().filter(|other| other.left_at.is_none()) {
            if tx.addresses(addressee.id)?.iter().any(|address| address.confirmed_at.is_some()) {
                self.write_to(tx, &notice, addressee.id, request.now)?;
                to.push(addressee.userid);
            }
        }
        Ok(Response::Messaged { to })
    }
}

fn set(
    service: &Service<'_>,
    tx: &mut dyn Transaction,
    request: &Request,
    player: Player,
    wanted: &[Setting],
) -> RequestResult<Response> {
    let mut settings = player.settings.clone();
    for setting in wanted {
        match setting {
            Setting::Mail(form) => settings.mail = *form,
            Setting::Rhythm(rhythm) => settings.rhythm = *rhythm,
            Setting::Reminders(reminders) => settings.reminders = *reminders,
            Setting::Letters(letters) => settings.letters = *letters,
            Setting::Weekend(weekend) => settings.weekend = *weekend,
            // Otherwise no mail of his would ever be taken again.
            Setting::Dmarc(Dmarc::Required) if service.authserv_id.is_none() => {
                return refuse(
                    request,
                    "dmarc",
                    "This server is not told who really sent a mail, so it cannot ask for that.",
                );
            }
            Setting::Dmarc(dmarc) => settings.dmarc = *dmarc,
            Setting::Zone(name) => {
                let zone = chrono_tz::TZ_VARIANTS.iter().find(|zone| zone.name().eq_ignore_ascii_case(name));
                let Some(zone) = zone else {
                    let near = crate::text::nearest(name, chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()));
                    let message =
                        format!("\"{name}\" is no time zone; they are called Europe/Berlin or America/New_York.");
                    return Err(crate::service::refusal(
                        request,
                        name,
                        message,
                        near.map(|near| format!("zone={near}")),
                    ));
                };
                settings.zone = zone.name().to_owned();
            }
        }
    }
    let changed = settings != player.settings;
    if changed {
        let waiting = clocks::count_up(tx, &player, request.now)?;
        tx.set_settings(player.id, &settings)?;
        clocks::rewind(tx, waiting)?;
        if settings.letters == UnsolicitedLetters::All && player.settings.letters == UnsolicitedLetters::None {
            tx.release_held(player.id, request.now)?;
        }
    }
    Ok(Response::Settings {
        userid: player.userid,
        changed,
        settings: self::settings(&settings).iter().map(ToString::to_string).collect(),
    })
}

/// Everything that a player has set, each as he would.
pub(in crate::service) fn settings(settings: &Settings) -> [Setting; 7] {
    [
        Setting::Mail(settings.mail),
        Setting::Rhythm(settings.rhythm),
        Setting::Reminders(settings.reminders),
        Setting::Letters(settings.letters),
        Setting::Zone(settings.zone.clone()),
        Setting::Weekend(settings.weekend),
        Setting::Dmarc(settings.dmarc),
    ]
}
