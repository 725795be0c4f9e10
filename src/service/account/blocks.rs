//! Messages between players, blocks of players, and reports about players to the administrators.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::command::{self, UnsolicitedLetters};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::context::{Context, Service};
use crate::service::notice::facts::{Notice, PlayerReport, PlayerText, ReportedText};
use crate::service::rejection::{Reason, Rejection, RequestResult};
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{self, Act, ActKind, Channel, CountedBy, CountedKind, Player, PlayerId, Transaction, WrittenText};
use crate::text::Message;

/// The maximum number of messages that a player can send to another player in an hour. It is also the limit for a
/// player's comments, and for their proposals, on one board.
pub(crate) const TEXTS_AN_HOUR: u32 = 20;
/// The maximum number of reports that a player can send in a day.
pub(crate) const REPORTS_A_DAY: u32 = 5;
/// The maximum number of earlier messages and comments that are sent with a report.
const MOST_TEXTS: u32 = 10;

impl Context<'_, '_> {
    /// Blocks a player, or lists the blocked players.
    pub(crate) fn block(&mut self, player: &Player, other: Option<&str>) -> RequestResult<Response> {
        if let Some(userid) = other {
            let other = self.another_player(player, userid)?;
            self.tx.block(player.id, other.id, self.now())?;
            self.log_act_about(player, &other, ActKind::Settings, "block".to_owned())?;
        }
        self.blocked(player)
    }

    pub(crate) fn unblock(&mut self, player: &Player, userid: &str) -> RequestResult<Response> {
        let other = self.another_player(player, userid)?;
        if self.tx.unblock(player.id, other.id)? {
            self.log_act_about(player, &other, ActKind::Settings, "unblock".to_owned())?;
        }
        self.blocked(player)
    }

    fn blocked(&self, player: &Player) -> RequestResult<Response> {
        let blocked = self.service.blocked_by(self.tx, player.id)?;
        Ok(Response::Blocked { userid: player.userid.clone(), blocked })
    }

    /// Reports a player to the administrators.
    pub(crate) fn report(&mut self, player: &Player, userid: &str) -> RequestResult<Response> {
        self.check_no_guest(player)?;
        let other = self.another_player(player, userid)?;
        let text = self.text_of("report")?;
        let (now, day) = (self.now(), Span::last(TimeDelta::days(1), self.now()));
        if self.tx.counted(CountedKind::Report, CountedBy::Source(&player.userid), &day)? >= REPORTS_A_DAY {
            let rejection = self.rejection("report", message!("service.too-many-reports", most = REPORTS_A_DAY));
            return Err(rejection.because(Reason::TooOften).into());
        }
        self.tx.count(CountedKind::Report, &other.userid, &player.userid, now)?;
        self.log_act_about(player, &other, ActKind::Report, text.clone())?;
        let texts = texts_between(self.tx, player, &other)?;
        let (by, about) = (player.userid.clone(), other.userid.clone());
        let notice = Notice::Report(PlayerReport { by, about, text, texts });
        let unsent = !self.service.write_to_administrators(self.tx, &notice, now)?;
        if unsent {
            tracing::info!(
                by = player.userid,
                about = other.userid,
                "report not sent: add a player with an address to administrators in [policy]"
            );
        }
        Ok(Response::Reported { userid: player.userid.clone(), about: other.userid, unsent })
    }

    /// Logs a player's act about another player, who may be renamed or removed later.
    fn log_act_about(&mut self, player: &Player, other: &Player, kind: ActKind, detail: String) -> store::Result<()> {
        let act = Act::of_player(player.id, kind, detail, self.now());
        self.tx.add_act(&Act { player: Some(other.id), ..act })
    }

    /// Returns the player with this userid, who must differ from the acting player.
    fn another_player(&self, player: &Player, userid: &str) -> RequestResult<Player> {
        let other = self.reading().player(userid)?;
        if other.id == player.id {
            return self.refuse(userid, message!("service.not-yourself"));
        }
        Ok(other)
    }

    /// Refuses a message if the addressee has received too many messages from this player within an hour.
    pub(crate) fn check_messages(&self, player: &Player, to: &Player) -> RequestResult<()> {
        let hour = Span::last(TimeDelta::hours(1), self.now());
        let by = CountedBy::Both { of: &to.userid, source: &player.userid };
        self.check_texts(self.tx.counted(CountedKind::Message, by, &hour)?, &to.userid)
    }

    /// Refuses a comment if the player has written too many comments on this board within an hour.
    pub(crate) fn check_comments(&self, player: PlayerId, board: BoardNumber, opponent: &str) -> RequestResult<()> {
        let hour = Span::last(TimeDelta::hours(1), self.now());
        self.check_texts(self.tx.comments_since(player, board, &hour)?, opponent)
    }

    fn check_texts(&self, written: u32, to: &str) -> RequestResult<()> {
        if written < TEXTS_AN_HOUR {
            return Ok(());
        }
        let rejection = self.rejection(to, message!("service.too-many-texts", userid = to, most = TEXTS_AN_HOUR));
        Err(rejection.because(Reason::TooOften).into())
    }
}

impl Service<'_> {
    /// Lists the userids of the players whom a player has blocked.
    ///
    /// # Errors
    /// If the store fails.
    pub fn blocked_by(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<String>> {
        Ok(tx.blocked_by(player)?.into_iter().map(|blocked| blocked.userid).collect())
    }
}

/// Returns the last messages and comments that two players wrote to each other, the oldest first.
fn texts_between(tx: &Transaction<'_>, one: &Player, other: &Player) -> store::Result<Vec<ReportedText>> {
    let mut texts = Vec::new();
    for (writer, reader) in [(one, other), (other, one)] {
        let messages = tx.messages_to(&writer.userid, reader.id, MOST_TEXTS)?.into_iter().filter_map(|message| {
            let PlayerText { text, .. } = serde_json::from_str(&message.text).ok()?;
            Some(WrittenText { text, ..message })
        });
        let written = messages.chain(tx.comments_to(writer.id, reader.id, MOST_TEXTS)?);
        texts.extend(written.map(|written| (writer, written)));
    }
    // In the same second, messages are sorted before comments, and both by their ids.
    texts.sort_by_key(|(_, text)| (text.at, text.board.is_some(), text.id));
    let last = texts.split_off(texts.len().saturating_sub(MOST_TEXTS as usize)).into_iter();
    let reported = |(writer, WrittenText { board, text, at, .. }): (&Player, _)| ReportedText {
        by: writer.userid.clone(),
        board,
        text,
        at,
    };
    Ok(last.map(reported).collect())
}

impl Context<'_, '_> {
    pub(crate) fn message(&mut self, player: &Player, to: &[String]) -> RequestResult<Response> {
        self.check_no_guest(player)?;
        let text = self.text_of("message")?;
        let to = self.addressees(to)?;
        for addressee in &to {
            if !self.has_address(addressee.id)? {
                let message = message!("service.player-without-address", userid = &addressee.userid);
                return self.refuse(&addressee.userid, message);
            }
            if addressee.settings.letters != UnsolicitedLetters::All {
                let message = message!("service.player-takes-no-messages", userid = &addressee.userid);
                return self.refuse(&addressee.userid, message);
            }
        }
        for addressee in &to {
            self.check_messages(player, addressee)?;
        }
        self.check_unconfirmed_writer(player, &to)?;
        let notice = Notice::Message(PlayerText { by: player.userid.clone(), text });
        for addressee in &to {
            self.tx.count(CountedKind::Message, &addressee.userid, &player.userid, self.request.now)?;
            // The answer is the same for a blocked player, so that they do not notice the block.
            if !self.tx.has_blocked(addressee.id, player.id)? {
                self.service.write_to(self.tx, &notice, addressee.id, self.request.now)?;
            }
        }
        Ok(Response::Messaged { to: to.into_iter().map(|addressee| addressee.userid).collect() })
    }

    /// Looks up the addressees, and omits duplicates.
    fn addressees(&self, userids: &[String]) -> RequestResult<Vec<Player>> {
        let mut to: Vec<Player> = Vec::new();
        for userid in userids {
            let addressee = self.reading().active_player(userid)?;
            if to.iter().all(|known| known.id != addressee.id) {
                to.push(addressee);
            }
        }
        Ok(to)
    }

    pub(crate) fn broadcast(&mut self, player: &Player) -> RequestResult<Response> {
        if !self.service.policy.is_administrator(&player.userid) {
            return self.refuse(&player.userid, message!("service.no-administrator"));
        }
        let text = self.text_of("broadcast")?;
        let to = broadcast_readers(self.tx)?;
        self.service.broadcast(self.tx, &player.userid, &text, &to, self.request.now)?;
        Ok(Response::Messaged { to: to.into_iter().map(|reader| reader.userid).collect() })
    }

    /// Returns the text of a message, a broadcast or a report, which is the comment of its command.
    pub(crate) fn text_of(&self, verb: &str) -> RequestResult<String> {
        self.request.check_length()?;
        let text = self.request.comment_text();
        if !text.is_empty() {
            return Ok(text);
        }
        let rejection = self.rejection(verb, self.no_text(verb));
        let usage = command::verbs().find(|spec| spec.name == verb).map(|spec| spec.usage.to_owned());
        Err(Rejection { usage, ..rejection }.into())
    }

    /// Returns the message that the text of this verb is missing, with the place to write it.
    pub(crate) fn no_text(&self, verb: &str) -> Message {
        let place = match self.via() {
            Channel::Mail => "below",
            Channel::Web | Channel::Visitor => "form",
            Channel::Api => "field",
            Channel::Shell | Channel::Plan | Channel::Clock | Channel::Administrator | Channel::Robot => "option",
        };
        message!("service.no-text", verb, place)
    }

    /// Counts the letters of a player without a confirmed address, whose identity is unknown, and refuses too many.
    fn check_unconfirmed_writer(&mut self, player: &Player, to: &[Player]) -> RequestResult<()> {
        if matches!(self.request.from, Origin::Shell { .. }) || self.has_address(player.id)? {
            return Ok(());
        }
        let to: Vec<String> = to.iter().map(|addressee| addressee.userid.clone()).collect();
        self.check_letters(&to)?;
        for userid in &to {
            self.tx.count(CountedKind::Letter, userid, &self.request.source(), self.request.now)?;
        }
        Ok(())
    }

    fn has_address(&self, player: PlayerId) -> RequestResult<bool> {
        Ok(has_address(self.tx, player)?)
    }
}

impl Service<'_> {
    /// Sends a text to each of these players. `by` is the administrator's userid, or empty if they are not a player.
    ///
    /// # Errors
    /// If the store fails.
    pub fn broadcast(
        &self,
        tx: &mut Transaction<'_>,
        by: &str,
        text: &str,
        to: &[Player],
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let notice = Notice::Broadcast(PlayerText { by: by.to_owned(), text: text.to_owned() });
        to.iter().try_for_each(|reader| self.write_to(tx, &notice, reader.id, now))
    }
}

/// Returns the recipients of a broadcast.
///
/// # Errors
/// If the store fails.
pub fn broadcast_readers(tx: &Transaction<'_>) -> store::Result<Vec<Player>> {
    let mut readers = Vec::new();
    for player in tx.players()?.into_iter().filter(wants_broadcasts) {
        if has_address(tx, player.id)? {
            readers.push(player);
        }
    }
    Ok(readers)
}

fn has_address(tx: &Transaction<'_>, player: PlayerId) -> store::Result<bool> {
    Ok(tx.addresses(player)?.iter().any(|address| address.confirmed_at.is_some()))
}

/// Returns whether a player receives broadcasts.
fn wants_broadcasts(player: &Player) -> bool {
    player.left_at.is_none() && player.blocked_at.is_none() && player.settings.letters != UnsolicitedLetters::Boards
}
