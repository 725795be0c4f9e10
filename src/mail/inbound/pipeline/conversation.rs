//! Writes the answers to a message: chooses their recipients, limits their rate, and decides which parts of the message
//! they quote. A reply without a command, or with an ambiguous one, is answered with the board and an example of a
//! valid line.
//!
//! An address receives at most [`ANSWERS_AN_HOUR`] answers an hour, and at most one a day that reports a message
//! without a command. A message without proof of its author may be forged or sent by a robot. After
//! [`ANSWERED_REFUSALS`] consecutive refusals of such messages, only one of them is answered each day, until a command
//! succeeds. The `[policy]` section of the configuration also limits the number of letters a day to a stranger. The
//! last answer before the server stops answering states when it will answer again.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use super::stage::CurrentMail;
use crate::clock::Span;
use crate::command;
use crate::mail::inbound::InboxContext;
use crate::mail::inbound::new_text::is_greeting;
use crate::mail::inbound::phrase::courtesy;
use crate::mail::inbound::reply_line::{is_cells, without_bullet};
use crate::mail::inbound::reply_token::BoardReply;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::catalogue;
use crate::service::{
    ANSWERED_REFUSALS, ANSWERS_AN_HOUR, Answer, AnswerEntry, BoardEntry, Notice, Rejection, Service, Silence,
    SilenceOf, ToStranger,
};
use crate::store::{self, CountedKind, NewNotice, NoResult, OutboxNotice, Player, Refusals, Transaction};
use crate::text::{self, Message};
use crate::token;

/// Replaces a line that may contain a password.
const MASK: &str = "***";
/// A line of at least this many words is a sentence, and not a mistyped command.
const SENTENCE: usize = 7;

/// The proof of a message's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// No proof: anyone can write any `From`.
    Nothing,
    /// A reply token or a password.
    Secret,
}

/// Whether an answer was written, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The answer was written, or there is no recipient.
    Yes,
    /// The address received too many answers within an hour.
    TooManyInAnHour,
    /// The address received too many consecutive refusals.
    TooManyRefusals,
    /// The address belongs to a stranger and received too many letters within a day.
    TooManyToStranger,
}

/// The maximum number of boards to which a reply to an answer can refer.
const MAX_BOARDS: usize = 20;

/// The recipient of the answers to a message, and the proof of the message's author.
pub(crate) struct Conversation<'a> {
    /// The address for answers; `None` if the token's player no longer has a confirmed address.
    pub(crate) address: Option<String>,
    /// The player who receives the answers, if the author is a player.
    pub(crate) player: Option<Player>,
    proof: Proof,
    message_id: Option<&'a str>,
    now: DateTime<Utc>,
    service: Service<'a>,
}

impl<'a> Conversation<'a> {
    /// Creates the conversation with the author of a message.
    pub(crate) fn new(mail: &'a CurrentMail<'_>, address: Option<String>, player: Option<Player>) -> Conversation<'a> {
        Conversation::of(&mail.inbox, mail.incoming.message_id.as_deref(), address, player)
    }

    /// Creates the conversation about the message with this Message-ID. Answers are sent to `address`.
    pub(crate) fn of(
        inbox: &InboxContext<'a>,
        message_id: Option<&'a str>,
        address: Option<String>,
        player: Option<Player>,
    ) -> Conversation<'a> {
        Conversation { address, player, proof: Proof::Nothing, message_id, now: inbox.now, service: *inbox.service }
    }

    /// Returns whether the message proves its author.
    pub(crate) fn is_proved(&self) -> bool {
        self.proof == Proof::Secret
    }

    /// Returns this conversation with a reply token or a password as proof.
    pub(crate) fn proved(self) -> Conversation<'a> {
        Conversation { proof: Proof::Secret, ..self }
    }

    /// Returns this conversation with a player's correct password as proof. If the author was unknown, the answer is
    /// sent to a confirmed address of the player, if one exists.
    pub(crate) fn with_password(&self, tx: &Transaction<'_>, player: Player) -> store::Result<Conversation<'a>> {
        let (address, player) = match &self.player {
            Some(known) => (self.address.clone(), Some(known.clone())),
            None => {
                let own = answer_address(tx, &player, self.address.as_deref().unwrap_or_default())?;
                let player = own.is_some().then_some(player);
                (own.or_else(|| self.address.clone()), player)
            }
        };
        Ok(Conversation { address, player, proof: Proof::Secret, ..*self })
    }

    /// Returns the last 24 hours.
    fn day(&self) -> Span {
        Span::last(TimeDelta::days(1), self.now)
    }

    /// Resets the count of refusals after a successful command.
    pub(crate) fn end_refusals(&self, tx: &mut Transaction<'_>) -> store::Result<()> {
        self.address.as_ref().map_or(Ok(()), |address| tx.end_refusals(address))
    }

    /// Writes a notice with this answer, which reports only refusals. If the message does not prove its author, and the
    /// address has received [`ANSWERED_REFUSALS`] consecutive refusals, at most one such notice is written each day.
    pub(crate) fn refuse(&self, tx: &mut Transaction<'_>, answer: Answer) -> store::Result<Answered> {
        let Some(address) = self.address.as_ref().filter(|_| self.proof == Proof::Nothing) else {
            return self.answer(tx, answer);
        };
        let Refusals { in_a_row, answered_at } = tx.refusals(address, &self.day())?;
        if in_a_row >= ANSWERED_REFUSALS && answered_at.is_some() {
            return Ok(Answered::TooManyRefusals);
        }
        let until = self.now + TimeDelta::days(1);
        let silence = (in_a_row + 1 >= ANSWERED_REFUSALS).then_some(Silence { of: SilenceOf::Refused, until });
        let answered = self.answer(tx, Answer { silence: silence.or(answer.silence), ..answer })?;
        if answered == Answered::Yes {
            tx.count(CountedKind::Refusal, address, "", self.now)?;
        }
        Ok(answered)
    }

    /// Writes a notice with this answer, unless the address has received too many answers.
    pub(crate) fn answer(&self, tx: &mut Transaction<'_>, mut answer: Answer) -> store::Result<Answered> {
        let Some(address) = &self.address else { return Ok(Answered::Yes) };
        let hour = TimeDelta::hours(1);
        let earlier = tx.answers(address, &Span::last(hour, self.now))?;
        if earlier.len() >= ANSWERS_AN_HOUR as usize {
            return Ok(Answered::TooManyInAnHour);
        }
        if let Some(first) = earlier.first().filter(|_| earlier.len() + 1 == ANSWERS_AN_HOUR as usize) {
            let until = first.created_at + hour;
            answer.silence = answer.silence.or(Some(Silence { of: SilenceOf::AnHour, until }));
        }
        // A sender who has just confirmed the address is no longer a stranger.
        if self.player.is_none() && tx.player_by_address(address)?.is_none() {
            match self.service.answer_to_stranger(tx, address, &answer, self.now)? {
                ToStranger::NotSent => return Ok(Answered::TooManyToStranger),
                ToStranger::Sent { octets, silence } => {
                    answer.octets = Some(octets);
                    answer.silence = silence.or(answer.silence);
                }
            }
            tx.count(CountedKind::Letter, address, address, self.now)?;
        }
        let notice = Notice::Answer(answer);
        tx.write_notice(&NewNotice {
            player: self.player.as_ref().map(|player| player.id),
            address: Some(address.clone()),
            kind: notice.kind().name().to_owned(),
            board: None,
            entry: None,
            due_at: Some(self.now),
            facts: notice.to_json()?,
            in_reply_to: self.message_id.map(str::to_owned),
            domain: self.service.domain.to_owned(),
            created_at: self.now,
        })?;
        Ok(Answered::Yes)
    }

    /// Answers, at most once a day, that no command was found. The answer belongs to the threads of these boards.
    pub(crate) fn answer_no_command(
        &self,
        tx: &mut Transaction<'_>,
        remark: Option<AnswerEntry>,
        boards: &[BoardNumber],
    ) -> store::Result<()> {
        let Some(address) = &self.address else { return Ok(()) };
        if tx.answers(address, &self.day())?.iter().any(says_no_command) {
            return Ok(());
        }
        let entry = AnswerEntry::Rejected(Rejection {
            message: no_command(),
            nearest: Some("help".to_owned()),
            not_understood: true,
            ..Rejection::default()
        });
        let entries = std::iter::once(entry).chain(remark).collect();
        let silence = Some(Silence { of: SilenceOf::WithoutCommand, until: self.now + TimeDelta::days(1) });
        let answer = self.about(&*tx, boards, Answer { entries, silence, ..Answer::default() })?;
        self.refuse(tx, answer).map(drop)
    }

    /// Adds to an answer those of these boards on which its reader plays or played, and open challenges. The letter
    /// with the answer then belongs to the threads of these boards, and a reply to it can refer to them.
    pub(crate) fn about(&self, tx: &Transaction<'_>, boards: &[BoardNumber], answer: Answer) -> store::Result<Answer> {
        let mut entries = self.entries(tx, boards)?.into_iter();
        Ok(Answer { about: entries.next(), also: entries.collect(), ..answer })
    }

    /// Returns those of these boards on which the recipient plays or played, and open challenges.
    fn entries(&self, tx: &Transaction<'_>, boards: &[BoardNumber]) -> store::Result<Vec<BoardEntry>> {
        let Some(player) = &self.player else { return Ok(Vec::new()) };
        let numbers: BTreeSet<BoardNumber> = boards.iter().copied().collect();
        let mut about = Vec::new();
        for number in numbers.into_iter().take(MAX_BOARDS) {
            match tx.board(number)? {
                Some(board) if board.plays(player.id) => about.push(BoardEntry {
                    board: number,
                    entry: board.entries,
                    proposal: board.proposal.map(|open| open.kind),
                }),
                Some(_) => {}
                None if tx.open_challenge(number)?.is_some_and(|challenge| challenge.closed_at.is_none()) => {
                    about.push(BoardEntry { board: number, entry: EntryNumber::START, proposal: None });
                }
                None => {}
            }
        }
        Ok(about)
    }
}

/// Returns the message which reports that no command was found. An address receives it at most once a day.
fn no_command() -> Message {
    message!("mail.no-command")
}

/// Returns whether an earlier answer reports that no command was found. An answer with unreadable facts is ignored,
/// because it must not prevent the processing of the current message.
fn says_no_command(answer: &OutboxNotice) -> bool {
    let Ok(Notice::Answer(answer)) = Notice::read(answer) else { return false };
    let message = no_command();
    answer.entries.iter().any(|entry| matches!(entry, AnswerEntry::Rejected(rejection) if rejection.message == message))
}

/// Returns the player's confirmed address from which a message was sent, or by default their first confirmed address.
pub(crate) fn answer_address(tx: &Transaction<'_>, player: &Player, sender: &str) -> store::Result<Option<String>> {
    let mut known = tx.addresses(player.id)?;
    known.retain(|known| known.confirmed_at.is_some());
    let own = known.iter().find(|known| known.address.eq_ignore_ascii_case(sender)).or(known.first());
    Ok(own.map(|own| own.address.clone()))
}

/// Returns the answer that refuses a message, or a part of it, for this reason.
pub(crate) fn refusal(message: Message) -> AnswerEntry {
    AnswerEntry::Rejected(Rejection { message, ..Rejection::default() })
}

/// Returns the rejection of a reply without a command. If the board is out of play, the rejection reports that instead.
pub(crate) fn nothing_found(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    answered: &BoardReply,
) -> store::Result<Rejection> {
    let mut rejection = rejection(tx, mail, answered, |example| match answered.follows {
        true => {
            message!("mail.only-follows", boards = answered.numbers().map(|n| n.to_string()).collect::<Vec<_>>())
        }
        false => message!("mail.nothing-in-reply", example, writers = answered.content.writers.clone()),
    })?;
    if let Some(board) = rejection.board.as_ref().filter(|board| board.no_result.is_some_and(NoResult::is_out_of_play))
    {
        rejection.message = message!("service.board-out-of-play", number = board.number, game = board.game.clone());
    }
    Ok(rejection)
}

/// Returns the rejection of an ambiguous line. If the line mentions a draw and the game has no draws, the rejection
/// reports that instead.
pub(crate) fn unclear(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    answered: &BoardReply,
    nearest: Option<String>,
) -> store::Result<Rejection> {
    if nearest.as_deref() == Some("propose")
        && !answered.is_of_several()
        && let Some(game) = catalogue::find(&answered.game).filter(|game| !game.has_draws())
    {
        let rejection = rejection(tx, mail, answered, |_| message!("service.no-draws", game = game.title()))?;
        return Ok(Rejection { not_understood: false, ..rejection });
    }
    let rejection = rejection(tx, mail, answered, |example| message!("mail.unclear-reply", example))?;
    Ok(Rejection { nearest, ..rejection })
}

fn rejection(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    answered: &BoardReply,
    message: impl FnOnce(String) -> Message,
) -> store::Result<Rejection> {
    let mut board = mail.inbox.service.board_now(tx, answered.granted.board, mail.inbox.now)?;
    let mut example = String::new();
    if let Some(board) = &mut board
        && board.to_move.as_deref() == Some(answered.granted.userid.as_str())
    {
        example = board.position()?.example().unwrap_or_default();
        if answered.is_of_several() && !example.is_empty() {
            example = format!("{} {example}", board.number);
        }
    }
    let message = message(example);
    Ok(Rejection { message, board: board.map(Box::new), not_understood: true, ..Rejection::default() })
}

/// Prepares a text to be quoted to its writer. Hides tokens, and masks lines that may contain a password by mistake:
/// lines of one word that is not too short for a password, except words of courtesy, and lines that begin like a
/// command. If the text has no other lines, returns an empty text.
pub(crate) fn given_back(tx: &Transaction<'_>, mail: &CurrentMail<'_>, text: &str) -> store::Result<String> {
    let how_much = command::Shown::in_answer(mail.inbox.service.policy.shortest_password);
    let is_word = |line: &str| !line.trim().contains(char::is_whitespace) && !how_much.is_short(line.trim());
    let is_bare = |line: &str| is_word(line) || command::begins_command(line);
    let text = text::lines(text);
    if text.lines().all(|line| line.trim().is_empty() || is_bare(line)) {
        return Ok(String::new());
    }
    let lines: Vec<&str> =
        text.lines().map(|line| if is_bare(line) && !is_courtesy(line) { MASK } else { line.trim_end() }).collect();
    let text = lines.join("\n").trim().to_owned();
    Ok(token::redacted(&text, &tx.reply_key()?).unwrap_or(text))
}

/// Returns whether a line is a greeting or a word of thanks or farewell.
fn is_courtesy(line: &str) -> bool {
    let word = line.trim().trim_end_matches(['.', ',', '!']).to_lowercase();
    is_greeting(&word) || courtesy().contains(&word.as_str())
}

/// Prepares the text of a reply without a command to be quoted to its writer. Omits a short first line, which may have
/// been meant as a command and may contain a password at any position.
pub(crate) fn given_back_without_command(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    text: &str,
) -> store::Result<String> {
    let (first, below) = text.split_once('\n').unwrap_or((text, ""));
    let is_short = first.split_whitespace().count() < SENTENCE;
    given_back(tx, mail, if is_short { below } else { text })
}

/// The words with which players introduce a password.
const LABELS: [&str; 4] = ["password", "passwd", "pass", "pw"];

/// Returns whether a text may contain a password by mistake: see [`passwords_below`].
pub(crate) fn may_hold_password(text: &str) -> bool {
    // The userid before a password is not yet known. Sentences are searched again when it is known.
    let may_name_player = |line: &str| (2..SENTENCE).contains(&line.split_whitespace().count());
    text.lines().any(may_name_player) || !passwords_below(text, "").is_empty()
}

/// Returns the words below a command that may be the password of the player with this userid, likeliest first. In an
/// old form of commands, the password is the last word, so players may write the password on a later line out of habit:
/// alone, after their userid, after a label or in a mistyped command. It may have quotes around it and punctuation
/// after it.
pub(crate) fn passwords_below(text: &str, userid: &str) -> Vec<String> {
    let mut found: Vec<(Likelihood, &str)> = Vec::new();
    let is_short = |word: &str| word.chars().count() < command::SHORTEST_PASSWORD as usize;
    for (at, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        for (likelihood, word) in possible_passwords(line, userid) {
            let bare = bare_password(word);
            // Skip short words: most texts end with a name, and checking a password is slow.
            if at > 0 && likelihood != Likelihood::Named && is_short(bare) {
                continue;
            }
            let is_marked = likelihood == Likelihood::Alone && bare != word;
            found.push((if is_marked { Likelihood::Marked } else { likelihood }, bare));
            if bare != word {
                found.push((Likelihood::AsTyped, word));
            }
        }
    }
    found.sort_by_key(|(likelihood, _)| *likelihood);
    let mut words: Vec<String> = Vec::new();
    for (_, word) in found {
        let is_new = || !words.iter().any(|known| known == word);
        if !command::Shown::Kept.is_short(word) && !word.eq_ignore_ascii_case(userid) && is_new() {
            words.push(word.to_owned());
        }
    }
    words
}

/// How likely a word is a password.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likelihood {
    /// The word follows the player's userid or a label on a short line.
    Named,
    /// The word is alone on its line.
    Alone,
    /// The word belongs to a short line that begins with a verb.
    Argument,
    /// The word is alone on its line, without the quotes and the punctuation around it.
    Marked,
    /// The word follows the player's userid or a label in a sentence.
    InSentence,
    /// The word has quotes or punctuation around it, which may belong to a password.
    AsTyped,
}

/// Returns the words of a line that may be a password, likeliest first.
fn possible_passwords<'a>(line: &'a str, userid: &str) -> Vec<(Likelihood, &'a str)> {
    let words: Vec<&'a str> = line.split_whitespace().collect();
    let Some((&first, rest)) = words.split_first() else { return Vec::new() };
    let value = |word: &'a str| word.split_once('=').map_or(word, |(_, value)| value);
    let named = named_passwords(&words, userid);
    let likelihood = if words.len() < SENTENCE { Likelihood::Named } else { Likelihood::InSentence };
    let mut found: Vec<_> = named.into_iter().map(|word| (likelihood, word)).collect();
    match rest {
        [] if found.is_empty() => found.push((Likelihood::Alone, first)),
        // "f4 WORD" in a reply to a player's message.
        [last] if is_cells(first) => found.push((Likelihood::Argument, *last)),
        _ if words.len() < SENTENCE && command::begins_with_command_word(without_bullet(line)) => {
            found.extend(rest.iter().rev().map(|&word| (Likelihood::Argument, value(word))));
        }
        _ => {}
    }
    found
}

/// Returns the words that follow the player's userid or a label, directly (`bob/WORD`) or after other words ("my
/// password is WORD"). Also returns the last word of a line with a label.
fn named_passwords<'a>(words: &[&'a str], userid: &str) -> Vec<&'a str> {
    let is_name = |name: &str| is_label(name) || (!userid.is_empty() && userid.eq_ignore_ascii_case(name));
    let may_be_meant = |word: &str| {
        word.contains(char::is_alphanumeric) && !is_name(bare_password(word)) && !command::is_function_word(word)
    };
    let mut found = Vec::new();
    for (at, &word) in words.iter().enumerate() {
        let (name, value) = word.split_once(['/', ':', '=']).unwrap_or((word, ""));
        let name = bare_password(name);
        let after = &words[at + 1..];
        if !is_name(name) {
            continue;
        }
        if value.is_empty() {
            found.extend(after.iter().copied().find(|&word| may_be_meant(word)));
            found.extend(after.last().copied().filter(|_| is_label(name)));
        } else {
            found.push(value);
        }
    }
    found
}

/// Returns whether a word, which may be misspelt, introduces a password.
fn is_label(word: &str) -> bool {
    LABELS.iter().any(|label| label.eq_ignore_ascii_case(word)) || command::is_slip(word, LABELS[0])
}

/// Returns the new password in a mistyped command such as `chnge password bob CURRENT NEW`.
pub(crate) fn new_password<'a>(text: &'a str, current: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let words: Vec<&'a str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == current || bare_password(word) == current)?;
        let (before, after) = words.split_at(at);
        let is_command = before.iter().any(|word| is_label(bare_password(word)));
        after.get(1).copied().filter(|word| is_command && !command::is_function_word(word)).map(bare_password)
    })
}

/// Returns a word without quotes and without punctuation at its end.
fn bare_password(word: &str) -> &str {
    const QUOTES: [char; 15] = [
        '"', '\'', '`', '*', '(', ')', '<', '>', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{201e}', '\u{ab}',
        '\u{bb}',
    ];
    word.trim_start_matches(QUOTES)
        .trim_end_matches(|c: char| QUOTES.contains(&c) || matches!(c, '.' | ',' | ';' | ':' | '!' | '?'))
}
