//! Answers to letters: the token that a mail carries, and what its first new line says without saying where.
//!
//! The token stands where the mail went (`turnpost+TOKEN@domain`), or in the ids of what it answers; wherever it is
//! found, it says from which player the mail is and which board it is about. `From` is not asked: people answer from other
//! addresses. A token that is damaged, of another server or of nobody says nothing.

use mailparse::MailHeader;

use super::find::{Found, FoundLine, find};
use super::read::without_mbox_line;
use crate::command::{self, ReplyForm, VerbSpec};
use crate::rules::{Notation, catalogue};
use crate::service::TokenGrant;
use crate::store::{self, Player, Transaction};
use crate::token::{LONGEST, Token};

/// Where the address stands to which a mail went; the last four are written by mail servers on the way.
const RECIPIENTS: &[&str] = &["to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to"];
/// What of a header is looked at, in bytes.
const MAX_HEADER: usize = 16 * 1024;
/// How many of the ids in `References` are looked at, from the last.
const MAX_REFERENCES: usize = 5;
/// A longer word is not a move.
const LONGEST_MOVE: usize = 40;

/// What a mail carries.
pub(super) enum Carried {
    /// No token.
    Nothing,
    /// Something in the place of a token that is none of this server, or not anybody's at a board of his.
    Damaged,
    /// A token.
    Token(Box<Carrier>),
}

/// Who was given the token, and for what.
pub(super) struct Carrier {
    pub(super) player: Player,
    pub(super) granted: TokenGrant,
    /// The catalogue's name.
    pub(super) game: String,
    /// The letter was about other boards, too.
    pub(super) several: bool,
}

/// Looks for a token in the headers of a mail: first where it went, then in what it answers.
pub(super) fn carried(
    tx: &dyn Transaction,
    raw: &[u8],
    went_to: &[String],
    own_address: &str,
) -> store::Result<Carried> {
    let Some(headers) = headers(raw) else { return Ok(Carried::Nothing) };
    let server = tx.server_id()?;
    let mut answered = values(&headers, &["in-reply-to"]).map(|ids| in_ids(&ids, &server)).collect::<Vec<_>>().concat();
    for ids in values(&headers, &["references"]) {
        let found = in_ids(&ids, &server);
        answered.extend(found.into_iter().rev().take(MAX_REFERENCES));
    }
    let went: Vec<String> = went_to.iter().flat_map(|text| in_addresses(text, own_address, "")).collect();
    if went.is_empty() && answered.is_empty() {
        return Ok(Carried::Nothing);
    }
    let key = tx.reply_key()?;
    let valid = |text: &String| Token::verify(text, &key);
    let mut tokens = went.iter().filter_map(valid);
    let token = match tokens.next() {
        // Sent to two of our letters at once, it is an answer to neither.
        Some(token) if tokens.any(|other| other != token) => None,
        Some(token) => Some(token),
        None => answered.iter().find_map(valid),
    };
    let carrier = token.map(|token| carrier(tx, token)).transpose()?.flatten();
    Ok(carrier.map_or(Carried::Damaged, |carrier| Carried::Token(Box::new(carrier))))
}

/// The headers that say where a mail went, each in lower case.
pub(super) fn went_to(raw: &[u8]) -> Vec<String> {
    headers(raw).map(|headers| values(&headers, RECIPIENTS).collect()).unwrap_or_default()
}

fn headers(raw: &[u8]) -> Option<Vec<MailHeader<'_>>> {
    Some(mailparse::parse_headers(without_mbox_line(raw)).ok()?.0)
}

fn carrier(tx: &dyn Transaction, token: Token) -> store::Result<Option<Carrier>> {
    let Token { player, board: number, entry, several } = token;
    let player = tx.player_by_id(store::PlayerId(player.into()))?.filter(|player| player.left_at.is_none());
    let (Some(player), Some(board)) = (player, tx.board(number)?) else { return Ok(None) };
    if !board.players.iter().any(|seated| seated.id == player.id) {
        return Ok(None);
    }
    let granted = TokenGrant { userid: player.userid.clone(), board: number, entry };
    Ok(Some(Carrier { player, granted, game: board.game, several }))
}

fn values<'a>(headers: &'a [MailHeader<'_>], names: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    let named =
        headers.iter().filter(|header| names.iter().any(|name| header.get_key_ref().eq_ignore_ascii_case(name)));
    named.map(|header| {
        let raw = header.get_value_raw();
        // Of a long one the end: there stands what was answered last.
        String::from_utf8_lossy(&raw[raw.len().saturating_sub(MAX_HEADER)..]).to_ascii_lowercase()
    })
}

/// What stands in the place of the token in our own addresses of a header, which is in lower case: behind `+`, and
/// behind this word, which is empty for reply tokens.
pub(super) fn in_addresses(header: &str, own_address: &str, word: &str) -> Vec<String> {
    let own = own_address.to_ascii_lowercase();
    let Some((name, domain)) = own.rsplit_once('@') else { return Vec::new() };
    let (before, behind) = (format!("{name}+{word}"), format!("@{domain}"));
    let in_address = |c: char| c.is_ascii_alphanumeric() || "!#$%&*+-/=?^_`{|}~.".contains(c);
    let found = header.match_indices(&before).filter_map(|(at, _)| {
        let (tag, rest) = header[at + before.len()..].split_once(&behind)?;
        let starts = !header[..at].ends_with(in_address);
        // A full stop may end a sentence.
        let ends = !rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        // A tag that is no token's is somebody's own way of sorting his mail.
        (starts && ends && tag.len() <= LONGEST && tag.bytes().all(|b| b.is_ascii_alphanumeric()))
            .then(|| tag.to_owned())
    });
    found.collect()
}

/// A comment without the tokens that stand in it: a mail program may quote the `Reply-To` of what it answers.
pub(super) fn without_tokens(mut comment: String, own_address: &str) -> String {
    for word in ["", "b-", "u-"] {
        for tag in in_addresses(&comment.to_ascii_lowercase(), own_address, word) {
            let detail = format!("+{word}{tag}");
            while let Some(at) = comment.to_ascii_lowercase().find(&format!("{detail}@")) {
                comment.replace_range(at..at + detail.len(), "");
            }
        }
    }
    comment
}

/// What stands in the place of the token in ids of our letters, `<12.server.TOKEN@domain>`.
fn in_ids(header: &str, server: &str) -> Vec<String> {
    let ids = header.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0));
    let token = |id: &str| {
        let (local, _domain) = id.rsplit_once('@')?;
        let mut parts = local.trim().split('.');
        let (_notice, of, token, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
            return None;
        };
        (of == server).then(|| token.to_owned())
    };
    ids.filter_map(token).collect()
}

/// A line in answer to a letter that leaves out what the letter says: game, board, userid and password.
pub(super) struct Bare {
    verb: &'static VerbSpec,
    /// What stands behind the password.
    rest: Vec<String>,
    /// The text on the line itself, for the others or for a note.
    said: Option<String>,
}

impl Bare {
    /// Returns the words of the whole command.
    pub(super) fn words(&self, carrier: &Carrier) -> Vec<String> {
        let TokenGrant { userid, board, .. } = &carrier.granted;
        let head = [carrier.game.as_str(), self.verb.name, &board.to_string(), userid, "-"].map(str::to_owned);
        head.into_iter().chain(self.rest.iter().cloned()).collect()
    }
}

/// Takes the first new line out of what was found, if it is no command and can be meant for the board of the letter;
/// returns it and its comment. Well-formed lines after it that prepare replies are taken as well, because an opponent
/// must not see them. Command lines after those are found anew, and the comment then belongs to the last one.
pub(super) fn take_bare(
    found: &mut Found,
    text: &str,
    carrier: Option<&Carrier>,
) -> Option<(Vec<Bare>, Option<String>)> {
    // A subject that somebody made of ours ("Re: Marque") is no wrong command when the text says what is meant.
    if let [FoundLine::NotUnderstood(_)] = found.lines.as_slice() {
        let mut alone = find(None, text);
        let taken = if alone.lines.is_empty() { take_bare(&mut alone, text, carrier) } else { None };
        if taken.is_some() {
            *found = alone;
            return taken;
        }
    }
    // `confirm` is also a command of the server, which takes a userid and a code.
    if let Some(FoundLine::NotUnderstood(error)) = found.lines.first()
        && let Some(alone) = bare(&error.line).filter(|bare| bare.verb.reply == ReplyForm::Alone)
    {
        found.lines.remove(0);
        let comment = if found.lines.is_empty() { found.comment.take() } else { None };
        return Some((vec![alone], comment));
    }
    if !found.lines.is_empty() {
        return None;
    }
    let new = found.comment.take()?;
    let greeting = first_line(&new).filter(|(line, _)| is_greeting(line));
    let begun = greeting.map_or(new.as_str(), |(_, rest)| rest);
    let Some((first, mut rest)) = first_line(begun).and_then(|(line, rest)| Some((bare(line)?, rest))) else {
        found.comment = Some(new);
        return None;
    };
    let said = first.said.clone();
    let mut taken = vec![first];
    while let (Some(carrier), Some((line, below))) = (carrier, first_line(rest))
        && let Some(next) = bare(line).filter(|next| matches!(next.verb.reply, ReplyForm::QueuedMove | ReplyForm::Plan))
        && command::parse_words(&next.words(carrier)).is_ok()
    {
        taken.push(next);
        rest = below;
    }
    *found = find(None, rest);
    let below = if found.lines.is_empty() { found.comment.take() } else { None };
    let below = match (greeting, below) {
        (Some((greeting, _)), Some(below)) => Some(format!("{greeting}\n{below}")),
        (_, below) => below,
    };
    let comment = match (said, below) {
        (Some(said), Some(below)) => Some(format!("{said}\n{below}")),
        (said, below) => said.or(below),
    };
    Some((taken, comment))
}

/// "Hi Bob," above a move, in the languages that the finder of new text knows best.
fn is_greeting(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "hi",
        "hello",
        "hey",
        "dear",
        "hallo",
        "moin",
        "servus",
        "liebe",
        "lieber",
        "salut",
        "bonjour",
        "cher",
        "chère",
        "hola",
        "querido",
        "querida",
        "olá",
        "ciao",
        "caro",
        "cara",
        "beste",
        "hoi",
        "hej",
        "hei",
        "moi",
        "cześć",
        "ahoj",
        "привет",
        "привіт",
        "merhaba",
        "こんにちは",
        "你好",
        "안녕하세요",
    ];
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first().map(|word| word.trim_end_matches([',', '!', '.', ':']).to_lowercase());
    let ends = line.ends_with([',', '!', '.', ':']) || words.len() == 1;
    words.len() <= 4 && ends && first.is_some_and(|first| WORDS.contains(&first.as_str()))
}

/// The first line that is not empty, and what follows it.
fn first_line(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    Some((line.trim(), rest)).filter(|(line, _)| !line.is_empty())
}

/// Reads a line without game, board, userid and password: a verb with what follows it, or a move alone. `None` for the
/// line of a letter.
fn bare(line: &str) -> Option<Bare> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (first, rest) = words.split_first()?;
    let (word, colon) = first.strip_suffix(':').map_or((*first, false), |word| (word, true));
    match command::board_verb(word) {
        Some(verb) => after_verb(verb, colon, rest),
        // A move needs no verb.
        None if moves(&words) || (rest.is_empty() && catalogue::is_move_word(first)) => {
            let verb = command::verbs().find(|spec| spec.reply == ReplyForm::Move)?;
            Some(Bare { verb, rest: owned(&words), said: None })
        }
        None => None,
    }
}

/// Reads what follows a verb, and perhaps a colon.
fn after_verb(verb: &'static VerbSpec, colon: bool, rest: &[&str]) -> Option<Bare> {
    let bare = |rest| Some(Bare { verb, rest, said: None });
    let is_off = matches!(rest, [word] if command::is_off(word));
    match verb.reply {
        ReplyForm::Text if colon || !is_sentence(rest) => {
            let said = Some(rest.join(" ")).filter(|said| !said.is_empty());
            Some(Bare { verb, rest: Vec::new(), said })
        }
        _ if colon => None,
        ReplyForm::Alone if rest.is_empty() => bare(Vec::new()),
        ReplyForm::Move | ReplyForm::MoveAfterVerb if moves(rest) => bare(owned(rest)),
        ReplyForm::QueuedMove if is_off || moves(rest) => bare(owned(rest)),
        ReplyForm::Plan if is_off || rest.first().is_some_and(|word| is_condition(word)) => {
            bare(owned(rest).into_iter().map(|word| word.replace('"', "")).collect())
        }
        ReplyForm::No
        | ReplyForm::Text
        | ReplyForm::Alone
        | ReplyForm::Move
        | ReplyForm::MoveAfterVerb
        | ReplyForm::QueuedMove
        | ReplyForm::Plan => None,
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Tells whether a plan begins with this word; "If you like" begins a letter.
fn is_condition(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) || catalogue::is_move_word(word)
}

/// Tells whether a sentence follows the verb: "Note that …", "Chat with you later".
fn is_sentence(rest: &[&str]) -> bool {
    const ON: &[&str] = &["that", "to", "with", "how", "later", "soon", "you"];
    rest.first().is_some_and(|next| ON.contains(&next.to_ascii_lowercase().as_str()))
}

/// Tells whether words are meant as a move, well written or not: one short word with a digit in it, or a cell first (`f3 f4`,
/// `f3 Good luck!`, which the parser then calls a word too many).
fn moves(words: &[&str]) -> bool {
    let Some(first) = words.first() else { return false };
    let digit = first.contains(|c: char| c.is_ascii_digit());
    let cells = first.split(['#', Notation::UNORDERED]).next().is_some_and(Notation::is_cell);
    let short = first.chars().count() <= LONGEST_MOVE && !first.starts_with('-');
    short && (cells || (digit && words.len() == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        bare(line).map_or_else(
            || "letter".to_owned(),
            |bare| format!("{} {}|{}", bare.verb.name, bare.rest.join(" "), bare.said.unwrap_or_default()),
        )
    }

    #[test]
    fn a_line_is_a_move_or_a_letter() {
        for (line, meant) in [
            ("f3", "move f3|"),
            ("F3,f4", "move F3,f4|"),
            ("f3, f4", "move f3, f4|"),
            ("f3#14", "move f3#14|"),
            ("f33x", "move f33x|"),
            ("RESIGN", "resign |"),
            ("swap", "move swap|"),
            ("move f3", "move f3|"),
            ("queue f3", "queue f3|"),
            ("queue off", "queue off|"),
            ("if k4 then h2; else stop", "if k4 then h2; else stop|"),
            ("if \"k4 then h2; else stop\"", "if k4 then h2; else stop|"),
            ("if off", "if off|"),
            ("submit f3", "submit f3|"),
            ("chat", "chat |"),
            ("chat: with pleasure", "chat |with pleasure"),
            ("note watch base F", "note |watch base F"),
            ("f3 Good luck!", "move f3 Good luck!|"),
            ("Thanks, thinking about it", "letter"),
            ("Resign? Never!", "letter"),
            ("If you like, we play another", "letter"),
            ("Note that I am away", "letter"),
            ("Chat with you later", "letter"),
            ("Move along", "letter"),
            ("I have 2 boards", "letter"),
            ("", "letter"),
        ] {
            assert_eq!(told(line), meant, "{line}");
        }
    }

    #[test]
    fn a_greeting_is_no_move_and_no_letter() {
        for line in ["Hi,", "hi", "Hello Bob,", "Dear Mr. White:", "Hallo!", "Привет, Боб!"] {
            assert!(is_greeting(line), "{line}");
        }
        for line in ["Hi there I think about it", "High noon,", "f3", "Dear me, what a move this is.", ""] {
            assert!(!is_greeting(line), "{line}");
        }
    }

    #[test]
    fn tokens_are_found_where_our_addresses_and_ids_stand() {
        let own = "turnpost@example.org";
        let addresses = |header: &str| in_addresses(header, own, "");
        assert_eq!(addresses("turnpost <turnpost+abc2@example.org>, bob@example.org"), ["abc2"]);
        assert_eq!(addresses("turnpost+abc2@example.org"), ["abc2"]);
        for other in [
            "turnpost@example.org",
            "turnpost+abc2@example.org.evil.net",
            "turnpost+abc2@evil.net",
            "x-turnpost+abc2@example.org",
            "turnpost+a.b@example.org",
        ] {
            assert!(addresses(other).is_empty(), "{other}");
        }
        assert_eq!(in_addresses("turnpost+b-abc2@example.org, turnpost+abc2@example.org", own, "b-"), ["abc2"]);
        assert!(addresses("turnpost+b-abc2@example.org").is_empty());
        let comment = "From: <Turnpost+ABC2@example.org>\nReply to turnpost+abc2@example.org, turnpost+u-Abc2@example.org. 1+abc2".to_owned();
        let clean = "From: <Turnpost@example.org>\nReply to turnpost@example.org, turnpost@example.org. 1+abc2";
        assert_eq!(without_tokens(comment, own), clean);
        assert_eq!(in_ids("<a@b> <12.server.abc2@example.org>\r\n <12.other.abc2@x> <1.server@x>", "server"), ["abc2"]);
    }
}
