//! Works the inbox off.
//!
//! Each mail has two transactions. The first counts the attempt, so that a crash in the second counts too; the second
//! holds what the mail changes, the answers to it and its verdict, so that all of it happens or nothing. A mail that
//! failed [`ATTEMPTS`] times is set aside as poison, and the queue goes on.
//!
//! A mail that carries a reply token is its player's, whatever its `From` says: its first new line may say what to do
//! without saying where and who, and what is answered goes to an address of his.
//!
//! Who is answered: a command that was understood is answered whoever sent it. Everything else (nothing understood,
//! two subjects, too long) is answered only to the confirmed address of a player. At most [`ANSWERS_AN_HOUR`] answers
//! go to an address in an hour, and one a day says that no command was found.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, TimeDelta, Utc};

use super::authentication::dmarc_passed;
use super::find::{Found, FoundLine, find};
use super::read::{Incoming, read};
use super::reply::{Bare, Carried, Carrier, carried, in_addresses, take_bare, went_to, without_tokens};
use super::returned::{Returned, returned};
use crate::command::{self, Command, GameCommand, ParsedLine};
use crate::service::{
    Answer, AnswerEntry, BoardEntry, Bounced, Notice, Origin, Rejection, Request, Service, TokenGrant,
};
use crate::store::{self, InboxId, InboxMail, NewNotice, Player, Store, Transaction, Verdict, VerdictKind};
use crate::token::Unsubscribe;

/// How often a mail is tried before it is set aside.
pub const ATTEMPTS: u32 = 3;
/// How many mails are taken from the store at once; each may be a megabyte.
const BATCH: u32 = 16;
/// The most answers to an address in an hour.
const ANSWERS_AN_HOUR: u32 = 20;
const NO_COMMAND: &str = "No command was found in this mail.";
const NO_TOKEN: &str = "The address that this mail went to is not as it stood in one of our letters, so that it does not say which board it is for.";
const WHICH_BOARD: &str =
    "Which board? This answers a letter about several: answer the letter of one board, or name it with your password.";

/// A mail that was dealt with, for the log.
#[derive(Clone, Debug)]
pub struct Dealt {
    /// Its number.
    pub id: InboxId,
    /// What became of it.
    pub verdict: Verdict,
}

/// Deals with waiting mails, oldest first, and gives how many were closed; `log` hears of each. A mail whose reading
/// panicked changes nothing, waits for the next pass, and is not counted.
///
/// # Errors
/// The store's: the pass stops, and the mail waits.
pub fn work_inbox(
    store: &mut dyn Store,
    service: &Service<'_>,
    server_address: &str,
    now: DateTime<Utc>,
    log: &mut dyn FnMut(&Dealt),
) -> anyhow::Result<usize> {
    let waiting = store.read()?.waiting_mail(BATCH)?;
    let mut closed = 0;
    for mail in waiting {
        let mut tx = store.write()?;
        let attempts = tx.count_attempt(mail.id)?;
        tx.commit()?;
        let verdict = if attempts > ATTEMPTS {
            let verdict = plain(VerdictKind::Poison, format!("Reading it failed {ATTEMPTS} times."));
            let mut tx = store.write()?;
            tx.close_mail(mail.id, &verdict, now)?;
            tx.commit()?;
            verdict
        } else {
            match catch_unwind(AssertUnwindSafe(|| deal_with(store, service, server_address, &mail, now))) {
                Ok(verdict) => verdict?,
                Err(_) => {
                    // What the panic says may quote the mail, and with it a password.
                    tracing::error!(mail = mail.id.0, attempts, "reading a mail panicked; it changed nothing");
                    continue;
                }
            }
        };
        closed += 1;
        log(&Dealt { id: mail.id, verdict });
    }
    Ok(closed)
}

fn deal_with(
    store: &mut dyn Store,
    service: &Service<'_>,
    server_address: &str,
    mail: &InboxMail,
    now: DateTime<Utc>,
) -> store::Result<Verdict> {
    let mut tx = store.write()?;
    let verdict = match read(&mail.raw, server_address) {
        Ok(incoming) => judge(&mut *tx, service, server_address, mail, &incoming, now)?,
        Err(reason) => plain(VerdictKind::Ignored, reason),
    };
    tx.close_mail(mail.id, &verdict, now)?;
    tx.commit()?;
    Ok(verdict)
}

fn plain(kind: VerdictKind, reason: impl Into<String>) -> Verdict {
    Verdict { kind, sender: None, identity: None, commands: String::new(), reason: reason.into() }
}

/// What becomes of a mail whose headers could be read.
fn judge(
    tx: &mut dyn Transaction,
    service: &Service<'_>,
    server_address: &str,
    mail: &InboxMail,
    incoming: &Incoming,
    now: DateTime<Utc>,
) -> store::Result<Verdict> {
    let sender = incoming.sender.clone();
    if let Some(first) = tx.mail_seen(&incoming.identity)? {
        // Without the identity, which the first copy holds.
        let reason = format!("A second copy of mail {}.", first.0);
        return Ok(Verdict { sender, ..plain(VerdictKind::Repeated, reason) });
    }
    let verdict = |kind, commands: String, reason: String| Verdict {
        kind,
        sender: sender.clone(),
        identity: Some(incoming.identity.clone()),
        commands,
        reason,
    };
    let ignored = |reason: &str| Ok(verdict(VerdictKind::Ignored, String::new(), reason.to_owned()));
    let went_to = went_to(&mail.raw);
    if let Some(returned) = returned(tx, incoming, &went_to, server_address)? {
        return ignored(&came_back(tx, service, &returned, now)?);
    }
    if let Some(unsubscribe) = unsubscribe(tx, &went_to, server_address)?
        && let Some((player, answer)) = service.unsubscribe(tx, unsubscribe)?
    {
        let address = own_address(tx, &player, incoming.sender.as_deref().unwrap_or_default())?;
        let commands = format!("unsubscribe {}", player.userid);
        let message_id = incoming.message_id.as_deref();
        let conversation = Conversation { address, player: Some(player), message_id, now, domain: service.domain };
        conversation.answer(tx, vec![AnswerEntry::Done(Box::new(answer))], None)?;
        return Ok(verdict(VerdictKind::Done, commands, "It came to the address that stops letters.".to_owned()));
    }
    if let Some(reason) = &incoming.machine {
        return ignored(reason);
    }
    let Some(address) = &incoming.sender else {
        return ignored("It does not have exactly one sender.");
    };
    let carried = carried(tx, &mail.raw, &went_to, server_address)?;
    let (address, player) = match &carried {
        Carried::Token(carrier) => (own_address(tx, &carrier.player, address)?, Some(carrier.player.clone())),
        _ => (Some(address.clone()), tx.player_by_address(address)?),
    };
    let conversation =
        Conversation { address, player, message_id: incoming.message_id.as_deref(), now, domain: service.domain };
    let known = conversation.player.is_some();

    let trouble = if mail.truncated {
        Some(format!("The mail is longer than {} MB; it was not read.", super::MAX_MAIL / 1_000_000))
    } else {
        incoming.trouble.clone()
    };
    if let Some(trouble) = trouble {
        if known {
            conversation.answer(tx, vec![refused(&trouble)], None)?;
            return Ok(verdict(VerdictKind::Refused, String::new(), trouble));
        }
        return ignored(&trouble);
    }
    if incoming.subjects.len() > 1 {
        let reason = "The mail has more than one subject; none of its commands was run.";
        if known || incoming.subjects.iter().any(|subject| find(Some(subject), &incoming.text).has_command()) {
            conversation.answer(tx, vec![refused(reason)], None)?;
            return Ok(verdict(VerdictKind::Refused, String::new(), reason.to_owned()));
        }
        return ignored(reason);
    }

    let mut found = find(incoming.subjects.first().map(String::as_str), &incoming.text);
    let carrier = match &carried {
        Carried::Token(carrier) => Some(&**carrier),
        _ => None,
    };
    let bare = match &carried {
        Carried::Nothing => None,
        Carried::Damaged | Carried::Token(_) => take_bare(&mut found, &incoming.text, carrier),
    };
    if !known && !found.has_command() {
        return ignored("Nobody we know, and nothing we understand.");
    }
    if found.lines.is_empty() && bare.is_none() {
        if !conversation.was_told_today(tx)? {
            conversation.answer(tx, vec![no_command()], None)?;
        }
        return Ok(verdict(VerdictKind::Refused, String::new(), NO_COMMAND.to_owned()));
    }

    let stopped = found.stopped.take();
    let items = items(tx, service, carrier, bare, found, now)?;
    let sender = incoming.sender.clone().unwrap_or_default();
    let dmarc_passed = dmarc_passed(&incoming.authentication_results, service.authserv_id, &sender);
    let mut token = carrier.map(|carrier| carrier.granted.clone());
    let mut entries = Vec::new();
    let mut commands = Vec::new();
    let mut boards = Vec::new();
    let mut kind = VerdictKind::Refused;
    for (line, comment) in items {
        let line = match line {
            Ok(line) => line,
            Err(refused) => {
                boards.extend(refused.board.as_ref().map(|board| board.number));
                entries.push(AnswerEntry::Rejected(refused));
                continue;
            }
        };
        commands.push(line.shown.clone());
        boards.extend(boards_of(&line.command));
        let from = Origin::Mail {
            sender: sender.clone(),
            message_id: incoming.message_id.clone(),
            token: token.clone(),
            dmarc_passed,
        };
        let comment = comment.map(|comment| without_tokens(comment, server_address));
        let before = length(tx, token.as_ref())?;
        match service.answer(tx, &Request { line, from, comment, now })? {
            Ok(answer) => {
                kind = VerdictKind::Done;
                // What this mail itself does, its writer meant: the rest of it is not stale by that.
                let after = length(tx, token.as_ref())?;
                if let Some(token) = token.as_mut().filter(|token| Some(token.entry) == before) {
                    token.entry = after.unwrap_or(token.entry);
                }
                // The service's own notice tells these to the sender.
                if !answer.is_told() {
                    entries.push(AnswerEntry::Done(Box::new(answer)));
                }
            }
            Err(refused) => entries.push(AnswerEntry::Rejected(refused)),
        }
    }
    if let Some(stopped) = &stopped {
        entries.push(refused(stopped));
    }
    let mut reason = match kind {
        VerdictKind::Done => "Its commands were run.".to_owned(),
        _ => "None of its commands was run.".to_owned(),
    };
    let about = conversation.about(tx, &boards)?;
    if !entries.is_empty() && !conversation.answer(tx, entries, about)? {
        reason.push_str(" It was not answered: the address has had too many answers in an hour.");
    }
    Ok(verdict(kind, commands.join("\n"), reason))
}

/// What came of a letter that came back, in a sentence.
fn came_back(
    tx: &mut dyn Transaction,
    service: &Service<'_>,
    returned: &Returned,
    now: DateTime<Utc>,
) -> store::Result<String> {
    let (letter, address) = (returned.letter.0, &returned.sent.address);
    let Some(failure) = &returned.failure else {
        return Ok(format!("It answers letter {letter} to {address}, and does not say that it failed."));
    };
    let why = if failure.said.is_empty() { "without a reason" } else { &failure.said };
    let what = match service.bounced(tx, returned.letter, &returned.sent, failure, now)? {
        Bounced::Paused => "nothing is sent there any more".to_owned(),
        Bounced::Counted(count) => format!("bounce {count} within 30 days"),
        Bounced::Nothing => "that changes nothing".to_owned(),
    };
    Ok(format!("Letter {letter} came back from {address} ({what}): {why}"))
}

/// Whose letters are to stop, when a mail went to the address that says so.
fn unsubscribe(tx: &dyn Transaction, went_to: &[String], own_address: &str) -> store::Result<Option<Unsubscribe>> {
    let texts: Vec<String> = went_to.iter().flat_map(|header| in_addresses(header, own_address, "u-")).collect();
    if texts.is_empty() {
        return Ok(None);
    }
    let key = tx.reply_key()?;
    Ok(texts.iter().find_map(|text| Unsubscribe::verify(text, &key)))
}

/// A line to run, or why it cannot be, and what is said beside it.
type Item = (Result<ParsedLine, Rejection>, Option<String>);

/// What a mail asks for, in order: the bare lines with their comment, then the commands, the last of them with theirs.
fn items(
    tx: &dyn Transaction,
    service: &Service<'_>,
    carrier: Option<&Carrier>,
    bare: Option<(Vec<Bare>, Option<String>)>,
    found: Found,
    now: DateTime<Utc>,
) -> store::Result<Vec<Item>> {
    let mut items = Vec::new();
    let (bare, mut comment) = bare.unwrap_or_default();
    for bare in bare {
        let line = match carrier {
            Some(carrier) => line_of(tx, service, carrier, &bare.words(carrier), now)?,
            None => Err(Rejection { message: NO_TOKEN.into(), ..Rejection::default() }),
        };
        items.push((line, comment.take()));
    }
    for line in found.lines {
        let line = match line {
            FoundLine::Command(line) => Ok(line),
            FoundLine::NotUnderstood(error) => Err(Rejection::from(error)),
        };
        items.push((line, None));
    }
    if let (Some((_, last)), Some(comment)) = (items.last_mut(), found.comment) {
        *last = Some(comment);
    }
    Ok(items)
}

/// The length of the record that a token speaks of.
fn length(tx: &dyn Transaction, token: Option<&TokenGrant>) -> store::Result<Option<u32>> {
    let Some(token) = token else { return Ok(None) };
    Ok(tx.board(token.board)?.map(|board| board.entries))
}

/// The command that a bare line is, in answer to a letter.
fn line_of(
    tx: &dyn Transaction,
    service: &Service<'_>,
    carrier: &Carrier,
    words: &[String],
    now: DateTime<Utc>,
) -> store::Result<Result<ParsedLine, Rejection>> {
    let board = carrier.granted.board;
    let line = match command::parse_words(words) {
        Ok(line) => line,
        Err(error) => {
            let board = service.board_now(tx, board, now)?.map(Box::new);
            return Ok(Err(Rejection { board, ..Rejection::from(error) }));
        }
    };
    // Where a letter told of several boards, only the one that still waits for its reader can be meant.
    if carrier.several && tx.waiting_for(carrier.player.id)? != [board] {
        return Ok(Err(Rejection {
            message: WHICH_BOARD.into(),
            nearest: Some(line.shown.replacen(" - ", " PASSWORD ", 1)),
            line: line.shown,
            ..Rejection::default()
        }));
    }
    Ok(Ok(line))
}

/// The boards that a command names.
fn boards_of(command: &Command) -> Vec<u32> {
    match command {
        Command::ShowBoards { boards, .. } | Command::Game { command: GameCommand::Show { boards, .. }, .. } => {
            boards.iter().map(|(board, _)| *board).collect()
        }
        Command::Game { command: GameCommand::AtBoard { board, .. } | GameCommand::History { board, .. }, .. } => {
            vec![*board]
        }
        _ => Vec::new(),
    }
}

/// The address of a player that a mail came from, or else his first.
fn own_address(tx: &dyn Transaction, player: &Player, sender: &str) -> store::Result<Option<String>> {
    let mut known = tx.addresses(player.id)?;
    known.retain(|known| known.confirmed_at.is_some());
    let own = known.iter().find(|known| known.address.eq_ignore_ascii_case(sender)).or(known.first());
    Ok(own.map(|own| own.address.clone()))
}

/// Whom an answer goes to.
struct Conversation<'a> {
    /// `None` when the player of a token has no address any more.
    address: Option<String>,
    player: Option<Player>,
    message_id: Option<&'a str>,
    now: DateTime<Utc>,
    domain: &'a str,
}

impl Conversation<'_> {
    /// Writes one notice with these answers; false when the address has had too many.
    fn answer(
        &self,
        tx: &mut dyn Transaction,
        entries: Vec<AnswerEntry>,
        about: Option<BoardEntry>,
    ) -> store::Result<bool> {
        let Some(address) = &self.address else { return Ok(true) };
        if tx.answers_since(address, self.now - TimeDelta::hours(1), "")? >= ANSWERS_AN_HOUR {
            return Ok(false);
        }
        let notice = Notice::Answer(Answer { entries, about });
        tx.add_notice(&NewNotice {
            player: self.player.as_ref().map(|player| player.id),
            address: Some(address.clone()),
            kind: notice.kind().name().to_owned(),
            board: None,
            entry: None,
            due_at: Some(self.now),
            facts: notice.to_json()?,
            in_reply_to: self.message_id.map(str::to_owned),
            domain: self.domain.to_owned(),
            created_at: self.now,
        })?;
        Ok(true)
    }

    fn was_told_today(&self, tx: &dyn Transaction) -> store::Result<bool> {
        let Some(address) = &self.address else { return Ok(true) };
        Ok(tx.answers_since(address, self.now - TimeDelta::days(1), NO_COMMAND)? > 0)
    }

    /// The board that the answer is about: the only one named, if the player who is answered plays there still.
    fn about(&self, tx: &dyn Transaction, boards: &[u32]) -> store::Result<Option<BoardEntry>> {
        let (Some(player), Some(number)) = (&self.player, boards.first()) else { return Ok(None) };
        if boards.iter().any(|board| board != number) {
            return Ok(None);
        }
        let board = tx.board(*number)?.filter(|board| {
            let plays = board.players.iter().any(|seated| seated.id == player.id);
            plays && board.to_move.is_some() && !board.declined
        });
        Ok(board.map(|board| BoardEntry { board: *number, entry: board.entries }))
    }
}

fn refused(message: &str) -> AnswerEntry {
    AnswerEntry::Rejected(Rejection { message: message.into(), ..Rejection::default() })
}

fn no_command() -> AnswerEntry {
    AnswerEntry::Rejected(Rejection {
        message: NO_COMMAND.into(),
        nearest: Some("help".to_owned()),
        not_understood: true,
        ..Rejection::default()
    })
}
