//! Executes the commands of a message in the service, writes the answer, and returns the verdict. Also records, for the
//! administrator, who wrote a message and why its commands were refused.

use std::collections::BTreeSet;

use super::conversation::{Answered, given_back};
use super::requested::{MAX_PASSWORDS, Remark, RequestedCommand, RequestedCommands};
use super::screen::Author;
use super::stage::{CurrentMail, Stage};
use crate::command::{AccountAction, Command, GameCommand, ParsedLine, Password};
use crate::mail::inbound::reply_token::MessageReply;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{
    Answer, AnswerEntry, BoardGrant, EventGrant, MessageGrant, Origin, Passwords, Rejection, Request, Response,
    ServiceResult, TokenGrant,
};
use crate::store::{self, Player, Transaction, Verdict, VerdictKind};
use crate::text::Message;
use crate::token;

/// The maximum number of boards to show in answer to one message: a small message must not cause a huge letter.
const MAX_SHOWN: usize = 20;

/// The results of a message's commands.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The answers to the commands, except those that a notice already reports to the sender.
    pub(crate) entries: Vec<AnswerEntry>,
    /// The parsed commands as text, with `***` instead of passwords.
    pub(crate) commands: Vec<String>,
    /// The boards that the commands and their results concern.
    pub(crate) boards: Vec<BoardNumber>,
    /// The number of successful commands.
    pub(crate) done: usize,
    /// The player whose correct password a command contained.
    pub(crate) authenticated: Option<Player>,
}

/// Executes the commands in order.
pub(crate) fn run(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    requested: RequestedCommands,
    passwords: &Passwords,
) -> ServiceResult<Outcome> {
    let mut runner = Runner::new(mail, author);
    let mut outcome = Outcome::default();
    for RequestedCommand { line, comment, may_be_text } in requested.commands {
        let said = said(&line, comment.as_deref());
        let result = match line {
            Ok(line) => run_line(tx, &mut runner, &mut outcome, line, comment, passwords)?,
            Err(rejection) => {
                outcome.boards.extend(rejection.board.as_ref().map(|board| board.number));
                Err(rejection)
            }
        };
        match result {
            // A notice of the service already reports this response to the sender.
            Ok(response) if response.notifies(&runner.sender) => {}
            Ok(response) => outcome.entries.push(AnswerEntry::Done(Box::new(response.without_links()))),
            Err(mut rejection) => {
                if let Some(player) = rejection.proved {
                    outcome.authenticated = tx.player_by_id(player)?;
                } else if may_be_text {
                    rejection.message = message!("mail.may-be-comment", problem = rejection.message);
                }
                if author.conversation.is_proved() || rejection.proved.is_some() {
                    rejection.text = given_back(tx, mail, &said)?;
                }
                outcome.entries.push(AnswerEntry::Rejected(rejection));
            }
        }
    }
    let is_proved = author.conversation.is_proved() || outcome.authenticated.is_some();
    for Remark { message, text } in requested.remarks {
        let text = if is_proved { given_back(tx, mail, &text)? } else { String::new() };
        outcome.entries.push(AnswerEntry::Rejected(Rejection { message, text, ..Rejection::default() }));
    }
    hide_tokens(tx, &mut outcome)?;
    Ok(outcome)
}

/// Returns the text on a line or, if there is none, the comment below it.
fn said(line: &Result<ParsedLine, Rejection>, comment: Option<&str>) -> String {
    let on_line = line.as_ref().ok().and_then(|line| line.say.as_deref());
    on_line.or(comment).unwrap_or_default().to_owned()
}

/// Executes one command and records the command and its result.
fn run_line(
    tx: &mut Transaction<'_>,
    runner: &mut Runner<'_>,
    outcome: &mut Outcome,
    line: ParsedLine,
    comment: Option<String>,
    passwords: &Passwords,
) -> ServiceResult<Result<Response, Rejection>> {
    let service = runner.mail.inbox.service;
    outcome.boards.extend(line.command.boards());
    let result = match runner.limit(&line.command) {
        None => runner.run(tx, line.clone(), comment, passwords)?,
        Some(message) => Err(Rejection { line: service.shown(tx, &line)?, message, ..Rejection::default() }),
    };
    // Record the command after its execution, because `shown` recognises the userid of a signup only then.
    outcome.commands.push(service.shown(tx, &line)?);
    if let Ok(response) = &result {
        outcome.done += 1;
        outcome.boards.extend(response.offers().iter().map(|offer| offer.number));
        if let Some(userid) = line.command.authenticated_userid() {
            outcome.authenticated = tx.player(userid)?;
        }
    }
    Ok(result)
}

/// Masks the tokens in lines that are stored or shown.
fn hide_tokens(tx: &Transaction<'_>, outcome: &mut Outcome) -> store::Result<()> {
    let key = tx.reply_key()?;
    let rejected = outcome.entries.iter_mut().filter_map(|entry| match entry {
        AnswerEntry::Rejected(rejection) => Some(&mut rejection.line),
        AnswerEntry::Done(_) => None,
    });
    for line in rejected.chain(&mut outcome.commands) {
        if let Some(hidden) = token::redacted(line, &key) {
            *line = hidden;
        }
    }
    Ok(())
}

/// Executes the commands of one message, with its sender and its grants, and enforces its limits.
pub(crate) struct Runner<'a> {
    mail: &'a CurrentMail<'a>,
    sender: String,
    dmarc_passed: bool,
    /// The grants of the message's token at each board of its letter, and at the player's other boards that the message
    /// names. The first one is for a command that names no board.
    tokens: Vec<BoardGrant>,
    /// The grant of the token, if its letter passed on another player's message.
    message: Option<MessageGrant>,
    /// The grant of the token, if its letter was about events.
    events: Option<EventGrant>,
    /// The passwords checked so far.
    checked: BTreeSet<String>,
    /// The number of boards requested so far.
    shown: usize,
}

/// Returns the grants of a message's token at boards, in the order of `Runner::tokens`.
fn tokens(author: &Author<'_>) -> Vec<BoardGrant> {
    let Some(answered) = author.board_reply() else { return Vec::new() };
    let boards = answered.boards.iter().chain(&answered.others);
    let others = boards.map(|board| &board.granted).filter(|granted| **granted != answered.granted);
    std::iter::once(&answered.granted).chain(others).cloned().collect()
}

impl<'a> Runner<'a> {
    pub(crate) fn new(mail: &'a CurrentMail<'a>, author: &Author<'_>) -> Runner<'a> {
        let sender = mail.incoming.sender.clone().unwrap_or_default();
        Runner {
            mail,
            dmarc_passed: mail.dmarc_passed(&sender),
            sender,
            tokens: tokens(author),
            message: author.message_reply().map(MessageReply::granted),
            events: author.token.events_granted(),
            checked: BTreeSet::new(),
            shown: 0,
        }
    }

    /// Returns the reason to refuse a command that would exceed a limit of the message.
    pub(crate) fn limit(&mut self, command: &Command) -> Option<Message> {
        if !self.may_check(command) {
            return Some(message!("mail.password-not-checked", most = MAX_PASSWORDS));
        }
        self.shown += boards_shown(command);
        (self.shown > MAX_SHOWN).then(|| message!("mail.too-many-boards", most = MAX_SHOWN))
    }

    /// Returns whether the password of a command may be checked.
    fn may_check(&mut self, command: &Command) -> bool {
        match command.password().and_then(Password::given) {
            Some(given) if !matches!(command, Command::Signup { .. }) && !self.checked.contains(given) => {
                self.checked.len() < MAX_PASSWORDS && self.checked.insert(given.to_owned())
            }
            _ => true,
        }
    }

    /// Returns the index in `tokens` of the board that a command concerns.
    fn token_for(&self, command: &Command) -> usize {
        let named = command.boards();
        self.tokens.iter().position(|token| named.contains(&token.board)).unwrap_or_default()
    }

    pub(crate) fn request(&self, line: ParsedLine, comment: Option<String>) -> Request {
        let is_of_event =
            matches!(line.command, Command::Account { action: AccountAction::Join(_) | AccountAction::Leave(_), .. });
        let at_board = self.tokens.get(self.token_for(&line.command)).cloned().map(TokenGrant::Board);
        let events = || self.events.clone().map(TokenGrant::Event);
        let token = if is_of_event { events().or(at_board) } else { at_board.or_else(events) };
        let from = Origin::Mail {
            sender: self.sender.clone(),
            message_id: self.mail.incoming.message_id.clone(),
            token: token.or_else(|| self.message.clone().map(TokenGrant::Message)),
            dmarc_passed: self.dmarc_passed,
        };
        Request { line, from, comment, client: None, now: self.mail.inbox.now }
    }

    fn run(
        &mut self,
        tx: &mut Transaction<'_>,
        line: ParsedLine,
        comment: Option<String>,
        passwords: &Passwords,
    ) -> ServiceResult<Result<Response, Rejection>> {
        let at = self.token_for(&line.command);
        let at_board = self.tokens.get(at).cloned();
        let request = self.request(line, comment);
        let before = record_length(tx, at_board.as_ref())?;
        let response = self.mail.inbox.service.answer(tx, &request, passwords)?;
        if response.is_ok() {
            // The message's own changes do not make its remaining commands stale.
            let after = record_length(tx, at_board.as_ref())?;
            if let Some(token) = self.tokens.get_mut(at).filter(|token| Some(token.entry) == before) {
                token.entry = after.unwrap_or(token.entry);
            }
        }
        Ok(response)
    }
}

/// Returns the number of entries in the record of a token's board.
fn record_length(tx: &Transaction<'_>, token: Option<&BoardGrant>) -> store::Result<Option<EntryNumber>> {
    let Some(token) = token else { return Ok(None) };
    Ok(tx.board(token.board)?.map(|board| board.entries))
}

/// Returns how many boards the answer to a command shows.
fn boards_shown(command: &Command) -> usize {
    match command {
        Command::ShowBoards { boards, .. } | Command::Game { command: GameCommand::Show { boards, .. }, .. } => {
            boards.len()
        }
        Command::Game { command: GameCommand::History { .. } | GameCommand::Preview { .. }, .. } => 1,
        _ => 0,
    }
}

/// Answers with the results of the commands, unless notices already report all of them.
pub(crate) fn answer(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    outcome: Outcome,
) -> Stage<Verdict> {
    let (kind, code) = match outcome.done {
        1.. => (VerdictKind::Done, "verdict.run"),
        0 => (VerdictKind::Refused, "verdict.none-run"),
    };
    record_refusals(tx, mail, author, &outcome.entries)?;
    let mut boards = outcome.boards;
    if outcome.entries.iter().any(is_rejected) {
        // If the author corrects the line, it may be meant for any board of the letter.
        boards.extend(author.choice());
    }
    let of_password;
    let conversation = match outcome.authenticated {
        Some(player) => {
            of_password = author.conversation.with_password(tx, player)?;
            &of_password
        }
        None => &author.conversation,
    };
    let done = outcome.done;
    let answer = Answer { entries: outcome.entries, done, ..Answer::default() };
    let mut answer = conversation.about(tx, &boards, answer)?;
    if answer.about.is_none() {
        answer = conversation.about(tx, &author.answered(), answer)?;
    }
    if done > 0 {
        conversation.end_refusals(tx)?;
    }
    let answered = match (answer.entries.is_empty(), done) {
        (true, _) => Answered::Yes,
        (false, 1..) => conversation.answer(tx, answer)?,
        (false, 0) => conversation.refuse(tx, answer)?,
    };
    let unanswered = match answered {
        Answered::Yes => None,
        Answered::TooManyInAnHour => Some(message!("verdict.too-many-answers")),
        Answered::TooManyRefusals => Some(message!("verdict.too-many-refusals")),
        Answered::TooManyToStranger => Some(message!("verdict.too-many-to-stranger")),
    };
    let reason = match unanswered {
        Some(why) => Message::new(code).with("unanswered", why),
        None => Message::new(code).with("unanswered", false),
    };
    Ok(mail.verdict(kind, outcome.commands.join("\n"), reason))
}

fn is_rejected(entry: &AnswerEntry) -> bool {
    matches!(entry, AnswerEntry::Rejected(_))
}

/// Records the author of a message, and the reason of every refusal among the answers to it.
fn record_refusals(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    answers: &[AnswerEntry],
) -> store::Result<()> {
    if let Some(player) = &author.conversation.player {
        tx.set_mail_author(mail.id, player.id)?;
    }
    for answer in answers {
        if let AnswerEntry::Rejected(rejection) = answer {
            let kept = mail.inbox.service.kept(tx, rejection.clone())?;
            tx.add_refusal(mail.id, &kept.line, &mail.inbox.words(&kept.message))?;
        }
    }
    Ok(())
}
