//! A player's actions on their own account: settings, vacations and the private calendar.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::{Calendar, Span, Zone, vacation_in};
use crate::command::{
    AccountAction, CalendarAction, Day, Dmarc, Password, Setting, Settings, UnsolicitedLetters, ZoneName,
};
use crate::service::board::clocks;
use crate::service::board::lists::MyBoardRow;
use crate::service::context::{Context, Service};
use crate::service::rejection::{Reason, RequestResult};
use crate::service::response::Response;
use crate::store::{self, ActKind, Address, CountedBy, CountedKind, Player, PlayerId, Transaction};
use crate::token;
use crate::{message, text};

/// How many times a week a player can change their weekend, night or time zone.
pub(crate) const CALENDARS_A_WEEK: u32 = 3;

impl Context<'_, '_> {
    /// Carries out a player's action on their own account.
    pub(crate) fn account(
        &mut self,
        userid: &str,
        password: &Password,
        action: &AccountAction,
    ) -> RequestResult<Response> {
        let player = match action {
            AccountAction::Addresses(_) | AccountAction::Signoff(_) => {
                self.authenticate_with_password(userid, password)?
            }
            _ => self.authenticate(userid, password)?,
        };
        self.service.acted(self.tx, &player, None, self.request.now)?;
        match action {
            AccountAction::Addresses(addresses) => self.change_addresses(player, addresses),
            AccountAction::VacationUntil(day) => self.begin_vacation(&player, *day),
            AccountAction::VacationOff => self.end_vacation(&player),
            AccountAction::Vacation => self.vacation(&player),
            AccountAction::Set(settings) => self.set(player, settings),
            AccountAction::Signoff(None) => self.ask_to_sign_off(&player),
            AccountAction::Signoff(Some(code)) => self.sign_off(&player, code),
            AccountAction::Message(to) => self.message(&player, to),
            AccountAction::Broadcast => self.broadcast(&player),
            AccountAction::NewEvent(plan) => self.new_event(&player, plan),
            AccountAction::Join(name) => self.join_event(&player, name),
            AccountAction::Leave(name) => self.leave_event(&player, name),
            AccountAction::ChallengeInEvent { event, opponent } => self.challenge_in_event(&player, event, opponent),
            AccountAction::Block(other) => self.block(&player, other.as_deref()),
            AccountAction::Unblock(other) => self.unblock(&player, other),
            AccountAction::Report(other) => self.report(&player, other),
            AccountAction::Calendar(action) => self.calendar(&player, *action),
        }
    }
}

/// A mail address of a player.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MyAddress")]
pub struct AddressRow {
    pub(crate) address: String,
    /// Whether the owner has confirmed the address. An unconfirmed address receives only requests to confirm it.
    pub confirmed: bool,
    /// Why letters to this address are paused; `null` if they are not.
    pub paused: Option<String>,
}

impl Service<'_> {
    /// Returns the player with this id.
    ///
    /// # Errors
    /// If the store fails.
    pub fn player(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Option<Player>> {
        tx.player_by_id(player)
    }

    /// Returns the id of the player with this userid.
    ///
    /// # Errors
    /// If the store fails.
    pub fn player_id(&self, tx: &Transaction<'_>, userid: &str) -> store::Result<Option<PlayerId>> {
        Ok(tx.player(userid)?.map(|player| player.id))
    }

    /// Returns a player's addresses, in the order in which they were added.
    ///
    /// # Errors
    /// If the store fails.
    pub fn addresses(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<AddressRow>> {
        let addresses = tx.addresses(player)?.into_iter().map(|address| {
            let Address { address, confirmed_at, paused, .. } = address;
            AddressRow { address, confirmed: confirmed_at.is_some(), paused: paused.map(|pause| pause.why) }
        });
        Ok(addresses.collect())
    }
}

impl Context<'_, '_> {
    /// Changes a player's settings, or shows them if there are no changes.
    pub(crate) fn set(&mut self, player: Player, wanted: &[Setting]) -> RequestResult<Response> {
        let mut settings = player.settings.clone();
        for setting in wanted {
            settings.change(match setting {
                // Without `authserv_id`, no mail is verified, so the server would refuse all later mail from the
                // player.
                Setting::Dmarc(Dmarc::Required) if self.service.authserv_id.is_none() => {
                    return self.refuse("dmarc", message!("service.no-dmarc-here"));
                }
                Setting::Zone(name) => Setting::Zone(self.zone(name)?),
                setting => setting.clone(),
            });
        }
        let changed = settings != player.settings;
        if changed {
            let now = self.now();
            self.count_calendar(&player, &settings)?;
            let waiting = clocks::count_up(self.tx, &player, now)?;
            self.tx.set_settings(player.id, &settings)?;
            clocks::rewind(self.tx, waiting)?;
            let none = UnsolicitedLetters::None;
            if settings.letters != none && player.settings.letters == none {
                self.tx.release_held(player.id, now)?;
            }
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            self.log_change(player.id, ActKind::Settings, &wanted.join(" "))?;
        }
        Ok(Response::Settings {
            userid: player.userid,
            changed,
            settings: settings.pairs().map(|(key, value)| format!("{key}={value}")).into(),
        })
    }

    /// Counts a change of a player's weekend, night or time zone, and refuses too many changes. Without a limit, a
    /// player could stop their clocks every day.
    fn count_calendar(&mut self, player: &Player, settings: &Settings) -> RequestResult<()> {
        let Settings { weekend, night, zone, .. } = &player.settings;
        if (weekend, night, zone) == (&settings.weekend, &settings.night, &settings.zone) {
            return Ok(());
        }
        let (by, week) = (CountedBy::Of(&player.userid), Span::last(TimeDelta::days(7), self.now()));
        if self.tx.counted(CountedKind::Calendar, by, &week)? >= CALENDARS_A_WEEK {
            let rejection = self.rejection("set", message!("service.too-many-calendars", most = CALENDARS_A_WEEK));
            return Err(rejection.because(Reason::TooOften).into());
        }
        self.tx.count(CountedKind::Calendar, &player.userid, "", self.now()).map_err(Into::into)
    }

    /// Returns a time zone's name as the time zone database spells it.
    fn zone(&self, name: &str) -> RequestResult<ZoneName> {
        if let Some(zone) = Zone::names().find(|zone| zone.eq_ignore_ascii_case(name)) {
            return Ok(ZoneName(zone.to_owned()));
        }
        let near = text::nearest(name, Zone::names()).map(|near| format!("zone={near}"));
        Err(self.rejection(name, message!("service.no-such-zone", name)).near(near).into())
    }
}

impl Context<'_, '_> {
    pub(crate) fn begin_vacation(&mut self, player: &Player, day: Day) -> RequestResult<Response> {
        let span = self.vacation_until(player, day)?;
        let waiting = clocks::count_up(self.tx, player, self.request.now)?;
        self.tx.cut_vacation(player.id, self.request.now)?;
        self.tx.add_vacation(player.id, &span)?;
        clocks::rewind(self.tx, waiting)?;
        self.vacation(player)
    }

    pub(crate) fn end_vacation(&mut self, player: &Player) -> RequestResult<Response> {
        let waiting = clocks::count_up(self.tx, player, self.request.now)?;
        self.tx.cut_vacation(player.id, self.request.now)?;
        clocks::rewind(self.tx, waiting)?;
        self.vacation(player)
    }

    /// Shows a player's vacation.
    pub(crate) fn vacation(&self, player: &Player) -> RequestResult<Response> {
        let (calendar, now) = (clocks::calendar(self.tx, player)?, self.now());
        let year = calendar.zone.shown(now).year();
        let present = calendar.vacations.iter().find(|span| span.from <= now && now < span.until);
        Ok(Response::Vacation {
            userid: player.userid.clone(),
            until: present.map(|span| span.until),
            used_days: clocks::days(vacation_in(&calendar, year)),
            budget_days: self.service.policy.vacation_days,
            zone: player.settings.zone.to_string(),
        })
    }

    /// Returns the vacation from now until a day. Refuses impossible and past days, and vacations that are too long.
    fn vacation_until(&self, player: &Player, day: Day) -> RequestResult<Span> {
        let now = self.now();
        let date = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
        let Some(day) = NaiveDate::from_ymd_opt(day.year, day.month, day.day) else {
            return self.refuse(&date, message!("service.no-such-day", date = &date));
        };
        let mut calendar = clocks::calendar(self.tx, player)?;
        let until = calendar.day_begins(day);
        if until <= now {
            return self.refuse(&date, message!("service.vacation-in-the-past", date = &date));
        }
        if until - now > TimeDelta::days(366) {
            return self.refuse(&date, message!("service.vacation-too-long"));
        }
        // Check the budget with the new vacation, which replaces the rest of the current one.
        for span in &mut calendar.vacations {
            span.until = span.until.min(now);
        }
        let span = Span { from: now, until };
        calendar.vacations.push(span);
        self.check_budget(&calendar, &date, day.year())?;
        Ok(span)
    }

    /// Refuses vacations that exceed the budget in any year from the current one to `last`.
    fn check_budget(&self, calendar: &Calendar, date: &str, last: i32) -> RequestResult<()> {
        let budget = self.service.policy.vacation_days;
        for year in calendar.zone.shown(self.now()).year()..=last {
            let taken = vacation_in(calendar, year);
            if taken > TimeDelta::days(i64::from(budget)) {
                let days = clocks::days(taken).to_string();
                return self.refuse(date, message!("service.vacation-over-budget", days, year, budget));
            }
        }
        Ok(())
    }
}

impl Context<'_, '_> {
    /// Shows, replaces or revokes the address of a player's calendar.
    pub(crate) fn calendar(&mut self, player: &Player, action: CalendarAction) -> RequestResult<Response> {
        match action {
            CalendarAction::Show => {}
            CalendarAction::Off => drop(self.tx.set_calendar(player.id, None)?),
            CalendarAction::New => {
                let mut bytes = [0; 4];
                (self.service.world.random)(&mut bytes);
                // Another calendar is unlikely to have this number. If one has, the number is not stored, and the
                // answer shows no address.
                self.tx.set_calendar(player.id, Some(u32::from_be_bytes(bytes)))?;
            }
        }
        let number = self.tx.calendar(player.id)?;
        let key = self.tx.reply_key()?;
        let token = number.map(|calendar| token::Calendar { calendar }.sign(&key));
        Ok(Response::Calendar { userid: player.userid.clone(), number, token })
    }
}

impl Service<'_> {
    /// Returns the userid of a calendar's owner, and the boards on which the owner has to move before a deadline.
    /// Returns `None` if the token is invalid or revoked, or the owner is blocked.
    ///
    /// # Errors
    /// If the store fails.
    pub fn calendar(
        &self,
        tx: &Transaction<'_>,
        token: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Option<(String, Vec<MyBoardRow>)>> {
        let Some(token::Calendar { calendar }) = token::Calendar::verify(token, &tx.reply_key()?) else {
            return Ok(None);
        };
        let owner = tx.calendar_owner(calendar)?.map(|owner| tx.player_by_id(owner)).transpose()?.flatten();
        let Some(owner) = owner.filter(|owner| owner.blocked_at.is_none()) else { return Ok(None) };
        let mut rows = self.my_boards(tx, owner.id, now)?;
        rows.retain(|row| row.your_turn && row.clock.as_ref().is_some_and(|clock| clock.deadline.is_some()));
        Ok(Some((owner.userid, rows)))
    }
}
