//! The complete model of the server, which checks every step.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};

use super::board_model::BoardModel;
use super::days::{Days, Standstills};
use super::events::Events;
use super::letter_book::Letters;
use super::mails::Mails;
use super::notices::Notices;
use super::passwords::Passwords;
use super::ratings;
use super::seen::{Claim, Seen};
use crate::mail::{Intent, Meant, SentMail};
use crate::players::Player;
use turnpost::compose::Composer;
use turnpost::numbers::BoardNumber;
use turnpost::service;

#[derive(Default)]
pub(crate) struct Oracle {
    pub(crate) boards: BTreeMap<BoardNumber, BoardModel>,
    /// The open challenges, with their games.
    pub(crate) open_challenges: BTreeMap<BoardNumber, String>,
    pub(crate) mails: Mails,
    passwords: Passwords,
    pub(crate) notices: Notices,
    pub(crate) letters: Letters,
    pub(crate) days: Vec<Days>,
    pub(crate) standstills: Standstills,
    /// The commands that were carried out, without the number of a move (`#7`). If another message repeats a command,
    /// the server answers that the command is already done.
    pub(crate) carried_out: BTreeSet<String>,
    pub(crate) last_change: i64,
    /// Until this time, running clocks are not compared, because the server's clock was wrong.
    pub(crate) inexact_until: Option<DateTime<Utc>>,
    /// Whether the server's clock was ever wrong.
    pub(crate) jumped: bool,
    /// The events of a season.
    pub(crate) events: Option<Events>,
    /// The number of checked steps.
    pub(crate) step: u64,
    /// Whether the calendars of all players may have changed because of a standstill.
    pub(crate) calendars_changed: bool,
    /// The players whose calendars may have changed because a letter to them was not delivered.
    pub(crate) not_reached: BTreeSet<usize>,
    /// The players whose messages were processed since the simulation last took this set. Only these players can have
    /// left the server.
    pub(crate) processed_authors: BTreeSet<usize>,
}

impl Oracle {
    /// Records that a message was passed to the server, and checks whether the server stored it.
    pub(crate) fn stored(&mut self, seen: Seen<'_>, mail: usize, acknowledged: bool) -> anyhow::Result<()> {
        self.mails.stored(seen.tx, mail, acknowledged)
    }

    /// Records that the server's clock is set to a wrong time, or corrected.
    pub(crate) fn clock_set(&mut self, now: DateTime<Utc>) {
        self.jumped = true;
        self.inexact_until = Some(now + TimeDelta::days(3));
        self.boards.values_mut().for_each(BoardModel::forget_clock);
    }

    /// Checks what a step changed. `done` is true if the step succeeded, so that no due work may remain. `tick` is true
    /// if the step processed due clocks and letters, too.
    pub(crate) fn after(&mut self, seen: Seen<'_>, mails: &[SentMail], done: bool, tick: bool) -> anyhow::Result<()> {
        self.step += 1;
        if self.inexact_until.is_some_and(|until| until < seen.now) {
            self.inexact_until = None;
        }
        if self.inexact_until.is_some() {
            self.boards.values_mut().for_each(BoardModel::forget_clock);
        }
        self.follow_standstill(seen, done)?;
        let (closed, authors) = self.mails.closed(seen.tx, mails)?;
        let new = self.notices.read_new(seen.tx)?;
        let mut claims: Vec<Claim> = Vec::new();
        self.mails.acted(new.iter().filter_map(|notice| notice.cause), mails)?;
        for mail in &closed {
            self.passwords.done(&mails[*mail], seen.players)?;
            let intents = mails[*mail].intents.iter().cloned();
            let notice =
                new.iter().position(|notice| notice.cause.and_then(|row| self.mails.of_row(row)) == Some(*mail));
            claims.extend(intents.map(|intent| Claim { mail: *mail, intent, used: false, notice }));
        }
        self.prepared(seen, &claims)?;
        self.changed_boards(seen, &mut claims, &new)?;
        self.reminders(seen, &new)?;
        for of_mail in claims.chunk_by(|one, next| one.mail == next.mail) {
            // A message counts as carried out if at least one of its commands was carried out.
            let unused = |claim: &Claim| {
                !claim.used && matches!(claim.intent.meant, Meant::Move(_) | Meant::Confirm | Meant::Accept)
            };
            let command =
                |Claim { intent: Intent { player, board, meant, .. }, .. }: &Claim| command_of(*player, *board, meant);
            ensure!(
                !of_mail.iter().all(|claim| unused(claim) && !self.carried_out.contains(&command(claim))),
                "a message took effect without an entry: {}",
                mails[of_mail[0].mail].summary
            );
            self.carried_out.extend(of_mail.iter().map(command));
        }
        // A player's calendar can change because of their own messages or undelivered letters. After a tick, the
        // calendars of all players are read.
        let all = std::mem::take(&mut self.calendars_changed) || tick || authors.contains(&None);
        self.processed_authors.extend(authors.iter().flatten());
        let mut changed = std::mem::take(&mut self.not_reached);
        changed.extend(authors.iter().flatten());
        self.calendars(seen, |player| all || changed.contains(&player))?;
        let Oracle { events, boards, standstills, step, .. } = self;
        if let Some(events) = events {
            events.after(boards, (seen, &standstills.spans), (&claims, &new), (*step, done))?;
        }
        if done {
            ensure!(!self.mails.some_wait(), "a message still waits after everything was processed");
            if tick {
                self.due_clocks(seen)?;
            }
        }
        Ok(())
    }

    /// Checks everything at the end, when faults have stopped and all due work is finished.
    pub(crate) fn finish(&mut self, seen: Seen<'_>, mails: &[SentMail], composer: &Composer) -> anyhow::Result<()> {
        let report = service::check(seen.tx)?;
        if let Some(difference) = report.differences.first() {
            bail!("the check finds: {}", composer.message(difference)?);
        }
        self.mails.finish(seen.tx)?;
        self.notices.finish(seen, &self.letters, self.jumped)?;
        self.letters.finish()?;
        self.comments(seen, mails)?;
        ratings::check(seen.tx)?;
        if let Some(events) = &self.events {
            events.finish(&self.boards, seen, composer)?;
        }
        Ok(())
    }

    pub(crate) fn has_verdict(&self, mail: usize) -> bool {
        self.mails.has_verdict(mail)
    }

    pub(crate) fn password<'a>(&'a self, index: usize, player: &'a Player) -> &'a str {
        self.passwords.of(index, player)
    }

    /// Returns the number of boards in progress.
    pub(crate) fn running(&self) -> usize {
        self.boards.values().filter(|model| model.ended_at.is_none()).count()
    }

    /// Returns the total time that boards were open, up to now.
    pub(crate) fn open_time(&self, now: DateTime<Utc>) -> TimeDelta {
        self.boards.values().map(|board| board.ended_at.unwrap_or(now) - board.began_at).sum()
    }

    /// Checks every comment that contains a message's unique remark: only one comment contains it, its
    /// author is the author of the message, and the message was carried out. Also checks that every chat
    /// that was carried out is on a board.
    fn comments(&self, seen: Seen<'_>, mails: &[SentMail]) -> anyhow::Result<()> {
        let of_remark: BTreeMap<&str, usize> =
            mails.iter().enumerate().filter_map(|(i, mail)| Some((mail.remark.as_deref()?, i))).collect();
        let mut found: BTreeMap<&str, BoardNumber> = BTreeMap::new();
        for number in self.boards.keys() {
            for comment in seen.tx.comments(*number)? {
                let word = comment.text.split_whitespace().map(|word| word.trim_matches(['?', '.', ',']));
                let Some(word) = word.into_iter().find(|word| word.starts_with("remark-")) else { continue };
                let (word, mail) = of_remark.get_key_value(word).context("no message contains a stored comment")?;
                if let Some(before) = found.insert(*word, *number) {
                    bail!("{word} is on board {before} and again on board {number}");
                }
                let author = mails[*mail].author.map(|author| seen.players[author].id);
                ensure!(author == Some(comment.player), "{word} on board {number} has the wrong author");
                ensure!(self.mails.is_done(*mail), "{word} is on board {number}, but its message had no effect");
            }
        }
        for (mail, sent) in mails.iter().enumerate() {
            let chats = sent.intents.iter().any(|intent| intent.meant == Meant::Chat);
            let said = sent.remark.as_deref().is_none_or(|remark| found.contains_key(remark));
            ensure!(
                !chats || !self.mails.is_done(mail) || said,
                "a chat took effect but is not on any board: {}",
                sent.summary
            );
        }
        Ok(())
    }
}

/// Returns a command without the number of its move.
pub(crate) fn command_of(player: usize, board: BoardNumber, meant: &Meant) -> String {
    format!("{player} {board} {meant:?}")
}
