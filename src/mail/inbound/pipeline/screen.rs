//! The stages before the commands: second copies, bounces, unsubscribe requests and machine mail; the author of a
//! message and the address for answers; unreadable messages; and replies to the letter that asks an address's owner for
//! confirmation.

use std::cell::OnceCell;
use std::panic::catch_unwind;

use super::conversation::{Conversation, answer_address, refusal};
use super::stage::{CurrentMail, Stage, Stop};
use crate::command::Command;
use crate::mail::inbound::addressing::{Addressing, tags};
use crate::mail::inbound::bare_lines::is_for_board;
use crate::mail::inbound::bounce::{self, Bounce};
use crate::mail::inbound::commands::{added_to_subject, earlier_question, find_commands};
use crate::mail::inbound::consent::{Consent, consent};
use crate::mail::inbound::headers::{header_end, message_id, sender, without_mbox_line};
use crate::mail::inbound::meant_line::MeantLine;
use crate::mail::inbound::new_text::{is_greeting, new_text};
use crate::mail::inbound::numbered::named_boards;
use crate::mail::inbound::read::{MAX_HEADERS, read};
use crate::mail::inbound::reply::AnsweredLetter;
use crate::mail::inbound::reply_token::{
    AskedOwner, BoardReply, MessageReply, ReplyToken, about_board, owner_asked_earlier, reply_token, with_boards,
};
use crate::mail::inbound::sealed::Unreadable;
use crate::mail::inbound::signed_token::thread_boards;
use crate::mail::inbound::{InboxContext, machine};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{Answer, AnswerEntry, Bounced, Notice, QuarantinedMail, block_of};
use crate::store::{self, InboxId, InboxMail, Transaction, Verdict, VerdictKind};
use crate::text::Message;
use crate::token::{Unsubscribe, UnwantedLetters};

/// Reads a message; returns its verdict if its headers cannot be read. Needs no transaction.
pub(crate) fn read_mail<'a>(inbox: &InboxContext<'a>, stored: &InboxMail) -> Result<CurrentMail<'a>, Verdict> {
    match read(&stored.raw, inbox.server_address) {
        Ok(incoming) => Ok(CurrentMail {
            inbox: *inbox,
            id: stored.id,
            truncated: stored.truncated,
            incoming,
            addressing: Addressing::of(&stored.raw),
            answered: OnceCell::new(),
            whole: OnceCell::new(),
            in_reply: OnceCell::new(),
        }),
        Err(error) => Err(Verdict {
            kind: VerdictKind::Ignored,
            sender: None,
            identity: None,
            commands: String::new(),
            reason: inbox.words(&error.message()),
        }),
    }
}

/// Ends the processing of a second copy, so that its commands are not executed again.
pub(crate) fn second_copy(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    let Some(first) = tx.mail_seen(&mail.incoming.identity)? else { return Ok(()) };
    let verdict = mail.verdict(VerdictKind::Repeated, String::new(), message!("verdict.second-copy", mail = first.0));
    // The identity is stored with the first copy.
    Err(Stop::Decided(Verdict { identity: None, ..verdict }))
}

/// Records a bounce of one of our letters, and ends the processing of the message.
pub(crate) fn bounce(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    let found = bounce::bounce(tx, &mail.incoming, &mail.addressing.recipients, mail.inbox.server_address)?;
    let Some(bounce) = found else { return Ok(()) };
    let reason = record_bounce(tx, mail.inbox, &bounce)?;
    mail.ignored(reason)
}

/// Records a bounce, and returns the reason of its verdict.
fn record_bounce(tx: &mut Transaction<'_>, inbox: InboxContext<'_>, bounce: &Bounce) -> store::Result<Message> {
    let (letter, address) = (bounce.letter.0, &bounce.delivery.address);
    let Some(failure) = &bounce.failure else {
        return Ok(message!("verdict.no-failure", letter, address));
    };
    let why = &failure.said;
    Ok(match inbox.service.bounced(tx, bounce.letter, &bounce.delivery, failure, inbox.now)? {
        Bounced::Paused => message!("verdict.bounce-paused", letter, address, why),
        Bounced::Counted(count) => message!("verdict.bounce-counted", letter, address, why, count),
        Bounced::Nothing => message!("verdict.bounce-ignored", letter, address, why),
    })
}

/// Executes a request sent to the unsubscribe address, and ends the processing of the message.
pub(crate) fn unsubscribe(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    let Some(unsubscribe) = unsubscribe_token(tx, mail)? else { return Ok(()) };
    stop_letters(tx, mail, unsubscribe, message!("verdict.unsubscribed"))
}

/// Stops the puzzles of the day if a reply to a letter with a puzzle asks for it, and ends the processing of the
/// message.
pub(crate) fn unsubscribe_by_reply(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>, author: &Author<'_>) -> Stage<()> {
    let player = match &author.token {
        ReplyToken::OfLetter(of) if !of.content.puzzles.is_empty() => &of.player,
        _ => return Ok(()),
    };
    let lines = mail.commands_in_reply(&AnsweredLetter::default()).lines;
    let stops = match &lines[..] {
        [(MeantLine::Look(line), _)] | [(MeantLine::Look(line), _), (MeantLine::ForNobody(_), _)] => {
            line.stops_puzzles()
        }
        // Further commands must not be ignored.
        _ => false,
    };
    let Some(player) = u32::try_from(player.id.0).ok().filter(|_| stops) else { return Ok(()) };
    let unsubscribe = Unsubscribe { player, letters: UnwantedLetters::Puzzles };
    stop_letters(tx, mail, unsubscribe, message!("verdict.unsubscribed-by-reply"))
}

/// Stops letters and ends the processing of the message. Does nothing if the player has left or is blocked.
fn stop_letters(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    unsubscribe: Unsubscribe,
    reason: Message,
) -> Stage<()> {
    let Some((player, response)) = mail.inbox.service.unsubscribe(tx, unsubscribe, mail.inbox.now)? else {
        return Ok(());
    };
    let commands = format!("unsubscribe {}", player.userid);
    let address = answer_address(tx, &player, mail.incoming.sender.as_deref().unwrap_or_default())?;
    let conversation = Conversation::new(mail, address, Some(player));
    let entries = vec![AnswerEntry::Done(Box::new(response))];
    conversation.answer(tx, Answer { entries, done: 1, ..Answer::default() })?;
    Err(Stop::Decided(mail.verdict(VerdictKind::Done, commands, reason)))
}

fn unsubscribe_token(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> store::Result<Option<Unsubscribe>> {
    let own_address = mail.inbox.server_address;
    let texts: Vec<String> =
        mail.addressing.recipients.iter().flat_map(|header| tags(header, own_address, "u-")).collect();
    if texts.is_empty() {
        return Ok(None);
    }
    let key = tx.reply_key()?;
    Ok(texts.iter().find_map(|text| Unsubscribe::verify(text, &key)))
}

/// Ends the processing of machine mail, which is never answered.
pub(crate) fn machine_mail(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    match &mail.incoming.machine {
        Some(reason) => mail.ignored_request(tx, reason.clone()),
        None => Ok(()),
    }
}

pub(crate) struct Author<'a> {
    pub(crate) token: ReplyToken,
    pub(crate) conversation: Conversation<'a>,
    /// The boards to whose threads the message belongs.
    thread: Vec<BoardNumber>,
    /// The player's board with whose number a reply to a letter without boards begins, if the sender's address is not
    /// confirmed or not verified.
    pub(crate) denied: Option<BoardNumber>,
}

impl Author<'_> {
    /// Returns whether the author is a player with a valid token or a confirmed address.
    pub(crate) fn is_known(&self) -> bool {
        self.conversation.player.is_some()
    }

    /// Returns the reply to a letter about boards, if the message is one.
    pub(crate) fn board_reply(&self) -> Option<&BoardReply> {
        match &self.token {
            ReplyToken::Valid(answered) => Some(answered),
            ReplyToken::Missing
            | ReplyToken::Invalid
            | ReplyToken::Unsaid(_)
            | ReplyToken::AnotherPlayers { .. }
            | ReplyToken::OfMessage(_)
            | ReplyToken::OfLetter(_)
            | ReplyToken::OfQuestion(_) => None,
        }
    }

    /// Returns the owner of an address, if the message answers our letter that asks for confirmation of the address.
    pub(crate) fn asked_owner(&self) -> Option<&AskedOwner> {
        match &self.token {
            ReplyToken::OfQuestion(asked) => Some(asked),
            _ => None,
        }
    }

    /// Returns the boards to which the message may refer, if there are several and the author must choose one.
    pub(crate) fn choice(&self) -> Vec<BoardNumber> {
        match &self.token {
            ReplyToken::Valid(answered) if answered.is_of_several() => answered.numbers().collect(),
            ReplyToken::Unsaid(answered) => answered.numbers().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the boards of the answered letter or thread.
    pub(crate) fn answered(&self) -> Vec<BoardNumber> {
        match &self.token {
            ReplyToken::Valid(answered) => answered.numbers().collect(),
            ReplyToken::AnotherPlayers { board } => vec![*board],
            _ => self.thread.clone(),
        }
    }

    /// Returns the reply to a passed-on message of another player, if the message is one.
    pub(crate) fn message_reply(&self) -> Option<&MessageReply> {
        match &self.token {
            ReplyToken::OfMessage(message_reply) => Some(message_reply),
            _ => None,
        }
    }
}

/// Finds the author by the reply token, or, if there is none, by the sender.
pub(crate) fn author<'a>(tx: &Transaction<'_>, mail: &'a CurrentMail<'_>) -> Stage<Author<'a>> {
    let Some(sender) = &mail.incoming.sender else {
        return mail.ignored(message!("verdict.no-sender"));
    };
    if let Some(blocked) = block_of(tx, sender)? {
        return mail.ignored_request(tx, message!("verdict.blocked-address", by = blocked.sender));
    }
    let own_address = mail.inbox.server_address;
    let mut token = reply_token(tx, &mail.addressing, sender, own_address)?;
    let thread = thread_boards(tx, &mail.addressing)?;
    if let ReplyToken::Missing | ReplyToken::Invalid = token
        && let Some((userid, code)) = mail.subject().and_then(earlier_question)
        && let Some(asked) = owner_asked_earlier(tx, userid, code)?
    {
        token = ReplyToken::OfQuestion(Box::new(asked));
    }
    let names = named_boards(&mail.incoming.text);
    let is_trusted = mail.inbox.service.trusts_sender(mail.dmarc_passed(sender));
    let top = board_on_top(&mail.incoming.text, &token);
    let token = match (top, token) {
        // These boards are not in the letter, so its token is insufficient.
        (_, token) if token.player().is_some() && !is_trusted => token,
        (Some(number), token) => about_board(tx, token, sender, number, &names)?,
        (None, token) => with_boards(tx, token, sender, &mail.addressing, own_address, &names)?,
    };
    let denied = match (top, &token) {
        (Some(number), ReplyToken::OfMessage(_) | ReplyToken::OfLetter(_)) => {
            let board = tx.board(number)?;
            board.filter(|board| token.player().is_some_and(|player| board.plays(player.id))).map(|_| number)
        }
        _ => None,
    };
    let (address, player) = match token.player() {
        Some(player) => (answer_address(tx, player, sender)?, Some(player.clone())),
        None => (Some(sender.clone()), tx.player_by_address(sender)?),
    };
    if player.as_ref().is_some_and(|player| player.blocked_at.is_some()) {
        return mail.ignored_request(tx, message!("verdict.blocked-sender"));
    }
    let conversation = Conversation::new(mail, address, player);
    let conversation = if token.player().is_some() { conversation.proved() } else { conversation };
    Ok(Author { token, conversation, thread, denied })
}

/// Returns the board number with which the first line of a reply to a letter without boards begins. In a reply to a
/// player's message, the line must be a command and not a sentence, because other text is for that player.
fn board_on_top(text: &str, token: &ReplyToken) -> Option<BoardNumber> {
    let new = new_text(text);
    let top = new.first().iter().map(|line| line.trim()).find(|line| !line.is_empty() && !is_greeting(line))?;
    let number = *named_boards(top).first()?;
    let is_of_board = match token {
        ReplyToken::OfMessage(_) => is_for_board(top, &[number]),
        // The number may be that of a puzzle in the letter.
        ReplyToken::OfLetter(of) => of.content.puzzles.iter().all(|puzzle| puzzle.number.0 != number.0),
        _ => false,
    };
    is_of_board.then_some(number)
}

/// Ends the processing of a message that cannot be read. Answers it if its author is known, or if one of several
/// subjects is a command.
pub(crate) fn readable(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>, author: &Author<'_>) -> Stage<()> {
    let Some(unreadable) = unreadable(mail) else { return Ok(()) };
    if author.is_known() || (unreadable == Unreadable::SeveralSubjects && a_subject_is_a_command(mail)) {
        let entries = vec![refusal(unreadable.message())];
        let answer = Answer { entries, ..Answer::default() };
        let answer = author.conversation.about(&*tx, &author.answered(), answer)?;
        author.conversation.refuse(tx, answer)?;
        return mail.refused(tx, reason(&unreadable));
    }
    mail.ignored_request(tx, reason(&unreadable))
}

pub(crate) fn unreadable(mail: &CurrentMail<'_>) -> Option<Unreadable> {
    if mail.truncated {
        return Some(Unreadable::TooLong);
    }
    let several = (mail.incoming.subjects.len() > 1).then_some(Unreadable::SeveralSubjects);
    let why = mail.incoming.unreadable.clone();
    why.filter(|why| !why.is_of_text() || !is_command(mail.incoming.subjects.first())).or(several)
}

fn a_subject_is_a_command(mail: &CurrentMail<'_>) -> bool {
    let text = &mail.incoming.text;
    mail.incoming.subjects.iter().any(|subject| find_commands(Some(subject), text).has_command())
}

fn is_command(subject: Option<&String>) -> bool {
    let Some(subject) = subject else { return false };
    added_to_subject(subject).is_some() || find_commands(Some(subject), "").has_command()
}

/// Returns the reason of the verdict on an unreadable message.
fn reason(unreadable: &Unreadable) -> Message {
    message!("verdict.unreadable", why = unreadable.reason())
}

/// The author of a message according to its headers.
pub(crate) struct HeaderAuthor {
    /// The address in the single `From`.
    sender: String,
    /// The Message-ID, with angle brackets.
    message_id: Option<String>,
}

impl HeaderAuthor {
    /// Reads the headers of a message; `None` if they cannot be read or identify machine mail.
    pub(crate) fn of(raw: &[u8], own_address: &str) -> Option<HeaderAuthor> {
        catch_unwind(|| {
            let raw = without_mbox_line(raw);
            let head = &raw[..header_end(raw).unwrap_or(raw.len()).min(MAX_HEADERS)];
            let (headers, _) = mailparse::parse_headers(head).ok()?;
            let sender = sender(&headers)?;
            let machine = machine::reason(&headers, Some(&sender), own_address, "");
            machine.is_none().then(|| HeaderAuthor { sender, message_id: message_id(&headers) })
        })
        .ok()
        .flatten()
    }
}

/// Quarantines a message that cannot be processed, and informs the administrators, and its author if they are a player.
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn quarantine(
    tx: &mut Transaction<'_>,
    inbox: &InboxContext<'_>,
    mail: InboxId,
    author: Option<&HeaderAuthor>,
    reason: &Message,
) -> store::Result<Verdict> {
    let sender = author.map(|author| author.sender.clone());
    let reason = inbox.words(reason);
    let verdict = Verdict {
        kind: VerdictKind::Poison,
        sender: sender.clone(),
        // Omit the identity, so that a second copy is processed: a newer version of the program may be able to process
        // it.
        identity: None,
        commands: String::new(),
        reason: reason.clone(),
    };
    tx.quarantine_mail(mail, &verdict, inbox.now)?;
    let notice = Notice::Quarantined(QuarantinedMail { mail: mail.0, sender, reason });
    inbox.service.write_to_administrators(tx, &notice, inbox.now)?;
    if let Some(author) = author {
        notify_author(tx, inbox, author)?;
    }
    Ok(verdict)
}

fn notify_author(tx: &mut Transaction<'_>, inbox: &InboxContext<'_>, author: &HeaderAuthor) -> store::Result<()> {
    let Some(player) = tx.player_by_address(&author.sender)?.filter(|player| player.blocked_at.is_none()) else {
        return Ok(());
    };
    if block_of(tx, &author.sender)?.is_some() {
        return Ok(());
    }
    let conversation = Conversation::of(inbox, author.message_id.as_deref(), Some(author.sender.clone()), Some(player));
    let entries = vec![refusal(message!("mail.quarantined"))];
    conversation.refuse(tx, Answer { entries, ..Answer::default() }).map(drop)
}

/// Reads a reply to a confirmation letter. Returns the command that confirms the address, if the reply agrees. Returns
/// `None` if the address is already confirmed, or if the message must be read like other mail. Ends the processing of a
/// refusal or an unclear reply.
pub(crate) fn agreed(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>, owner: &AskedOwner) -> Stage<Option<Command>> {
    if is_confirmed(tx, owner)? {
        return Ok(None);
    }
    let AskedOwner { address, asked } = owner;
    let said = consent(mail.subject(), &mail.incoming.text);
    let is_other_mail = asked.owner.is_some() || mail.whole_commands().has_command();
    let service = mail.inbox.service;
    let (message_id, now) = (mail.incoming.message_id.as_deref(), mail.inbox.now);
    let (answered, kind, reason) = match said {
        Consent::Refused => {
            let stopped = service.stop_confirmations(tx, address, asked, message_id, now)?;
            (stopped, VerdictKind::Done, message!("verdict.confirmations-stopped", address))
        }
        _ if is_other_mail => return Ok(None),
        Consent::Given => {
            let (userid, code) = (asked.userid.clone(), asked.code.clone());
            return Ok(Some(Command::ConfirmAddress { userid, code }));
        }
        Consent::Unclear => {
            let again = service.ask_again(tx, address, asked, message_id, now)?;
            (again, VerdictKind::Refused, message!("verdict.unclear-consent"))
        }
    };
    if !answered {
        return mail.ignored(message!("verdict.consent-answered-before"));
    }
    Err(Stop::Decided(mail.verdict(kind, String::new(), reason)))
}

/// Returns whether the address has been confirmed for the player in the meantime.
fn is_confirmed(tx: &Transaction<'_>, owner: &AskedOwner) -> store::Result<bool> {
    let player = tx.player_by_address(&owner.address)?;
    Ok(player.is_some_and(|player| player.userid.eq_ignore_ascii_case(&owner.asked.userid)))
}
