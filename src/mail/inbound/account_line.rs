//! Reads lines about the reader's account: `set mail=text`, `block bob`, `join spring`. They contain neither a userid
//! nor a password, because the letter's token identifies the player.

use super::phrase::{Phrase, phrase};
use super::reply_line::without_bullet;
use crate::command::{self, VerbSpec, bare_move, is_function_word, is_userid};
use crate::service::EventInLetter;

/// Verbs that answer a letter about an event.
const MEMBERSHIP: [&str; 2] = ["join", "leave"];
/// The maximum number of event names to look up for one text.
const MOST_NAMED: usize = 20;
/// The words with which a player challenges another player of a ladder.
const CHALLENGE: [&str; 2] = ["event", "challenge"];
/// The option that contains the text of a message or report.
const SAY: &str = " --say=";

#[derive(Clone)]
pub(crate) struct AccountLine {
    verb: &'static VerbSpec,
    /// The words after the verb.
    args: Vec<String>,
}

impl AccountLine {
    fn of(verb: &[&str], args: &[&str]) -> Option<AccountLine> {
        let verb = command::verbs().find(|spec| spec.name.split(' ').eq(verb.iter().copied()))?;
        Some(AccountLine { verb, args: args.iter().map(|word| (*word).to_owned()).collect() })
    }

    /// Returns the words as typed.
    pub(crate) fn typed(&self) -> Vec<String> {
        self.words(&[])
    }

    /// Returns the words of the command, with this player's userid, and with `-` instead of the password. If the
    /// command requires a password even in a reply, returns the words as typed.
    pub(crate) fn of_player(&self, userid: &str) -> Vec<String> {
        match self.needs_password() {
            true => self.typed(),
            false => self.words(&[userid, "-"]),
        }
    }

    /// Returns the words of the command, with `player` inserted where the userid and the password belong.
    fn words(&self, player: &[&str]) -> Vec<String> {
        let at = self.verb.passwords.first().map_or(0, |password| password - 1).min(self.args.len());
        let (before, after) = self.args.split_at(at);
        let own = self.verb.name.split(' ').chain(before.iter().map(String::as_str));
        own.chain(player.iter().copied()).chain(after.iter().map(String::as_str)).map(str::to_owned).collect()
    }

    /// Returns whether the command requires a password even in a reply.
    fn needs_password(&self) -> bool {
        matches!(self.verb.name, "vacation" | "calendar" | "signoff" | "broadcast")
    }

    /// Returns whether another player receives the text below the line.
    pub(crate) fn is_message(&self) -> bool {
        self.verb.name == "message"
    }

    /// Returns whether text below the line belongs to it.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(self.verb.name, "message" | "broadcast" | "report") || self.verb.name.split(' ').eq(CHALLENGE)
    }

    /// Returns whether the line blocks or unblocks a player.
    pub(crate) fn blocks(&self) -> bool {
        matches!(self.verb.name, "block" | "unblock")
    }
}

/// Reads a line about the account of a letter's reader. `block`, `unblock` and `report` may omit the userid if the
/// letter concerns only one other player, `other`.
pub(crate) fn account_line(line: &str, other: Option<&str>) -> Option<AccountLine> {
    let line = without_bullet(line);
    let (line, say) = line.split_once(SAY).map_or((line, None), |(line, text)| (line, Some(text)));
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let (typed, rest) = words.split_first()?;
    let verb = command::server_word(typed).unwrap_or(typed);
    let name = |word: &'_ str| -> Option<String> {
        let bare = if word.ends_with('.') || !is_userid(word) { bare_move(word) } else { word };
        (is_userid(bare) && !is_function_word(bare)).then(|| bare.to_owned())
    };
    let args: Vec<String> = match (verb, rest) {
        ("set", [_, ..]) if rest.iter().all(|word| word.contains('=')) => {
            rest.iter().map(|word| (*word).to_owned()).collect()
        }
        ("message", [to]) => vec![name(to)?],
        ("block" | "unblock" | "report", []) => other.into_iter().map(str::to_owned).collect(),
        ("block" | "unblock" | "report", [to]) => vec![name(to)?],
        ("event", ["challenge", event, opponent]) => vec![name(event)?, name(opponent)?],
        ("vacation", ["off"] | ["until", _]) | ("calendar", ["new" | "off"]) => {
            rest.iter().map(|word| word.trim_end_matches('.').to_owned()).collect()
        }
        ("vacation" | "calendar" | "signoff" | "broadcast", []) => Vec::new(),
        _ => return None,
    };
    let verb = if CHALLENGE[0] == verb { &CHALLENGE[..] } else { std::slice::from_ref(&verb) };
    let mut line = AccountLine::of(verb, &args.iter().map(String::as_str).collect::<Vec<_>>())?;
    line.args.extend(say.map(|text| format!("--say={}", text.trim_matches('"'))));
    Some(line)
}

#[derive(Clone, Copy)]
pub(crate) struct LetterEvents<'a> {
    pub(crate) events: &'a [EventInLetter],
    /// The existing events that lines of the reply name.
    pub(crate) named: &'a [String],
    /// Whether `yes` and `no` may answer an invitation to the next edition of an event.
    pub(crate) may_agree: bool,
    /// Whether a line may name an event that the letter does not mention.
    pub(crate) may_name_others: bool,
}

/// Reads a word as one of the verbs in [`MEMBERSHIP`].
fn membership(word: &str) -> Option<&'static str> {
    MEMBERSHIP.into_iter().find(|verb| verb.eq_ignore_ascii_case(bare_move(word)))
}

/// Returns the names in lines that consist of `join` or `leave` and a name.
pub(crate) fn named_events(text: &str) -> impl Iterator<Item = &str> {
    let name = |line| match without_bullet(line).split_whitespace().collect::<Vec<_>>()[..] {
        [verb, name] if membership(verb).is_some() => Some(bare_move(name)),
        _ => None,
    };
    text.lines().filter_map(name).take(MOST_NAMED)
}

/// Reads `join` or `leave` with the name of an event, or `event challenge` with an opponent. The name may be missing if
/// the letter is about one event. After `join`, it may also be missing if the letter invites its reader to one event.
/// An invitation may also be answered with yes or no.
pub(crate) fn event_line(line: &str, letter: LetterEvents<'_>) -> Option<AccountLine> {
    let LetterEvents { events, .. } = letter;
    let only = events.first().filter(|_| events.len() == 1);
    let mut asking = events.iter().filter(|event| event.asks);
    let asked = asking.next().filter(|_| asking.next().is_none());
    let words: Vec<&str> = without_bullet(line).split_whitespace().collect();
    let verb = words.first().and_then(|word| membership(word));
    match (verb, &words[..]) {
        (Some(verb), [_]) => {
            let asked = asked.filter(|_| verb == MEMBERSHIP[0]);
            AccountLine::of(&[verb], &[&only.or(asked)?.name])
        }
        (Some(verb), [_, name]) => {
            let is_named = |event: &&str| [*name, bare_move(name)].iter().any(|name| name.eq_ignore_ascii_case(event));
            let named = letter.named.iter().map(String::as_str);
            let mut known = events.iter().map(|event| event.name.as_str()).chain(named);
            let is_other = letter.may_name_others && is_userid(name) && !is_function_word(name);
            AccountLine::of(&[verb], &[known.find(is_named).or(is_other.then_some(*name))?])
        }
        (None, [event, challenge, opponent])
            if event.eq_ignore_ascii_case(CHALLENGE[0]) && challenge.eq_ignore_ascii_case(CHALLENGE[1]) =>
        {
            AccountLine::of(&CHALLENGE, &[&only?.name, opponent])
        }
        _ if letter.may_agree => match phrase(line) {
            Phrase::Yes => AccountLine::of(&MEMBERSHIP[..1], &[&asked?.name]),
            Phrase::No => AccountLine::of(&MEMBERSHIP[1..], &[&asked?.name]),
            _ => None,
        },
        _ => None,
    }
}
