//! Players who keep others away: blocks, and reports to the administrators.

use chrono::TimeDelta;

use crate::clock::Span;
use crate::message;
use crate::numbers::BoardNumber;
use crate::store::{self, Act, ActKind, CountedBy, CountedKind, Player, PlayerId, Transaction, WrittenText};

use crate::service::context::{Context, Service};
use crate::service::notice::facts::{Notice, PlayerReport, PlayerText, ReportedText};
use crate::service::rejection::{Reason, RequestResult};
use crate::service::response::Response;

/// The maximum number of messages from one player to another, and of comments on one board, in an hour.
pub(crate) const TEXTS_AN_HOUR: u32 = 20;
/// The maximum number of a player's reports in a day.
pub(crate) const REPORTS_A_DAY: u32 = 5;
/// The number of texts that accompany a report.
const MOST_TEXTS: u32 = 10;

impl Context<'_, '_> {
    /// Blocks a player, or lists the blocked players.
    pub(crate) fn block(&mut self, player: &Player, other: Option<&str>) -> RequestResult<Response> {
        if let Some(userid) = other {
            let other = self.another_player(player, userid)?;
            self.tx.block(player.id, other.id, self.now())?;
            self.log_change(player.id, ActKind::Settings, &format!("block {}", other.userid))?;
        }
        self.blocked(player)
    }

    /// Ends the block of a player.
    pub(crate) fn unblock(&mut self, player: &Player, userid: &str) -> RequestResult<Response> {
        let other = self.another_player(player, userid)?;
        if self.tx.unblock(player.id, other.id)? {
            self.log_change(player.id, ActKind::Settings, &format!("unblock {}", other.userid))?;
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
        let act = Act::of_player(player.id, ActKind::Report, text.clone(), now);
        self.tx.add_act(&Act { player: Some(other.id), ..act })?;
        let texts = texts_between(self.tx, player, &other)?;
        let (by, about) = (player.userid.clone(), other.userid.clone());
        let notice = Notice::Report(PlayerReport { by, about, text, texts });
        self.service.write_to_administrators(self.tx, &notice, now)?;
        Ok(Response::Reported { about: other.userid })
    }

    /// Returns the player with this userid, who must differ from the acting player.
    fn another_player(&self, player: &Player, userid: &str) -> RequestResult<Player> {
        let other = self.reading().player(userid)?;
        if other.id == player.id {
            return self.refuse(userid, message!("service.not-yourself"));
        }
        Ok(other)
    }

    /// Refuses a message to a player who received too many from the same one.
    pub(crate) fn check_messages(&self, player: &Player, to: &Player) -> RequestResult<()> {
        let hour = Span::last(TimeDelta::hours(1), self.now());
        let by = CountedBy::Both { of: &to.userid, source: &player.userid };
        self.check_texts(self.tx.counted(CountedKind::Message, by, &hour)?, &to.userid)
    }

    /// Refuses a comment of a player who wrote too many on the same board.
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
        texts.extend(written.map(|WrittenText { board, text, at }| ReportedText {
            by: writer.userid.clone(),
            board,
            text,
            at,
        }));
    }
    texts.sort_by_key(|text| text.at);
    Ok(texts.split_off(texts.len().saturating_sub(MOST_TEXTS as usize)))
}
