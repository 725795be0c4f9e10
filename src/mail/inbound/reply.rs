//! Finds the commands of replies to letters. Their lines omit the parts that the letter already contains.
//!
//! Each line is read as a [`reply_line`] and as a whole command (`marque move 12 alice PASSWORD f3`), the first one
//! also as a [`phrase`]. Further lines that begin with a verb are also commands. The server asks what ambiguous lines
//! mean, and does not send other players any lines that may be private.

use super::account_line::{AccountLine, LetterEvents, account_line, event_line};
use super::bare_lines::{agreeing, bare_line, lines_above_quote, says, without_lines};
use super::board_line::board_line;
use super::commands::{
    FoundLine, Scan, ScannedLine, added_to_subject, command_below, command_in, comment, own_subject, scan,
    subject_command,
};
use super::meant_line::MeantLine;
use super::new_text::{is_greeting, new_text};
use super::numbered::{Boards, NumberedLine, Said, named_boards, not_run, numbered_line};
use super::phrase::{Core, Phrase, phrase};
use super::plan_lines::with_whole_plans;
use super::reply_line::{
    Audience, ReplyLine, begins_message, begins_with_move, is_cells, may_be_private, reply_line, without_bullet,
};
use crate::command::{self, Plan, ReplyForm};
use crate::numbers::BoardNumber;
use crate::rules::{Notation, catalogue};
use crate::service::EventInLetter;
use crate::store::ProposalKind;
use crate::text::Message;

/// The minimum number of characters of a password in a subject.
const SHORTEST_PASSWORD: usize = 4;
/// The maximum number of words of an unsent text that is not returned to its writer: "Thanks Bob".
pub(crate) const MOST_THANKS: usize = 2;

/// The content of the answered letter that determines how lines of the reply are read.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct AnsweredLetter {
    /// The proposal that awaits an answer from the letter's reader.
    pub(crate) proposal: Option<ProposalKind>,
    pub(crate) boards: Vec<BoardNumber>,
    /// Other boards of the reader that the reply names.
    pub(crate) others: Vec<BoardNumber>,
    /// The reader's boards that the reply names without permission.
    pub(crate) denied: Vec<BoardNumber>,
    pub(crate) events: Vec<EventInLetter>,
    /// Existing events that lines such as `join spring` of the reply name.
    pub(crate) named_events: Vec<String>,
    /// The userid of the other player, if the letter concerns only one.
    pub(crate) other: Option<String>,
}

impl AnsweredLetter {
    /// Returns the boards whose numbers may begin a line of the reply.
    fn named(&self) -> Boards<'_> {
        let several = self.boards.len() > 1;
        Boards { letter: &self.boards, others: &self.others, denied: &self.denied, several }
    }

    /// Returns whether lines of a reply begin with the numbers of several boards, at least one of which is a board of
    /// the letter or of its reader.
    fn is_answered_by_number(&self, text: &str) -> bool {
        let named = named_boards(&lines_above_quote(text).join("\n"));
        named.len() > 1 && named.iter().any(|board| self.boards.contains(board) || self.others.contains(board))
    }

    /// Reads a line about the reader's account, given the lines above it.
    fn account_line(&self, line: &str, above: &[MeantLine]) -> Option<AccountLine> {
        // "Leave tomorrow" is a sentence to another player.
        let is_to_players = !self.boards.is_empty() || self.other.is_some();
        let may_name_others = !self.events.is_empty() || (above.is_empty() && !is_to_players);
        let (events, named) = (&self.events, &self.named_events);
        let events = LetterEvents { events, named, may_agree: self.proposal.is_none(), may_name_others };
        event_line(line, events).or_else(|| account_line(line, self.other.as_deref()))
    }
}

#[derive(Clone)]
pub(crate) struct FoundInReply {
    /// The command lines in order, each with its comment.
    pub(crate) lines: Vec<(MeantLine, Option<String>)>,
    /// Why the remaining lines were not read.
    pub(crate) stopped: Option<Message>,
}

/// Finds the commands of a reply and their comments.
pub(crate) fn find_in_reply(subject: Option<&str>, text: &str, letter: &AnsweredLetter) -> FoundInReply {
    let below = text_below_headers(text);
    let whole = with_whole_plans(below.as_deref().unwrap_or(text));
    let text: &str = &whole;
    let several = letter.named().several || letter.is_answered_by_number(text);
    let read = |line: &str, above: &[MeantLine]| match read_line(line, above, letter, several) {
        // Below quoted headers, the opponent may have written a whole command.
        ScannedLine::Line(MeantLine::Whole(_)) if below.is_some() => ScannedLine::Comment,
        read => read,
    };
    match chosen(text, letter, read) {
        Chosen::Top => found(scanned(subject, text, read), letter),
        Chosen::Lines(lines) => {
            let rest = without_lines(text, &lines);
            let comment = comment(&new_text(&rest).text());
            found(Scan { comment, ..scanned(subject, &lines.join("\n"), read) }, letter)
        }
        Chosen::Unclear => {
            let commands: Vec<&str> =
                lines_above_quote(text).into_iter().filter(|line| bare_line(line, letter.named()).is_some()).collect();
            let rest = without_lines(text, &commands);
            let text = comment(&new_text(&rest).text());
            FoundInReply { lines: vec![(MeantLine::Unclear { nearest: None }, text)], stopped: None }
        }
    }
}

/// Finds lines about the author's account in the subject and at the top of a message.
pub(crate) fn find_account_lines(subject: Option<&str>, text: &str, letter: &AnsweredLetter) -> FoundInReply {
    let read = |line: &str, above: &[MeantLine]| letter.account_line(line, above).map(MeantLine::Account);
    let above = subject.and_then(own_subject).and_then(|line| read(line, &[]));
    let read_line = |line: &str, above: &[MeantLine]| read(line, above).map_or(ScannedLine::Comment, ScannedLine::Line);
    found(scan(text, above.into_iter().collect(), is_greeting, read_line, MeantLine::is_wrong), letter)
}

fn scanned(
    subject: Option<&str>,
    text: &str,
    read: impl Fn(&str, &[MeantLine]) -> ScannedLine<MeantLine>,
) -> Scan<MeantLine> {
    let added = subject.and_then(added_to_subject).and_then(reply_in_subject).map(MeantLine::Short);
    let above = added.or_else(|| subject.and_then(subject_command).map(MeantLine::Whole));
    scan(text, above.into_iter().collect(), is_greeting, read, MeantLine::is_wrong)
}

/// Reads a line, given those above it. In a reply about several boards, the number of another board is an error.
fn read_line(line: &str, above: &[MeantLine], letter: &AnsweredLetter, several: bool) -> ScannedLine<MeantLine> {
    if let Some(line) = letter.account_line(line, above) {
        return ScannedLine::Line(MeantLine::Account(line));
    }
    // A number is read as a board number on the first line and below other numbered lines. Elsewhere, it may begin a
    // line of the comment.
    let numbered = matches!(above.first(), None | Some(MeantLine::Numbered(_)));
    let boards = Boards { several, ..letter.named() };
    match (numbered.then(|| numbered_line(line, boards)).flatten(), above.last()) {
        (Some(line), _) => ScannedLine::Line(MeantLine::Numbered(line)),
        (None, None) => first_line(line, letter),
        (None, Some(above)) => at_board_of(above, later_line(line, above.audience())),
    }
}

/// The lines of a text to read as commands.
enum Chosen<'a> {
    /// The lines at the top of the text.
    Top,
    /// These lines below other text. Each consists of a move or a command.
    Lines(Vec<&'a str>),
    /// Two lines contradict each other.
    Unclear,
}

fn chosen<'a>(
    text: &'a str,
    letter: &AnsweredLetter,
    read: impl Fn(&str, &[MeantLine]) -> ScannedLine<MeantLine>,
) -> Chosen<'a> {
    let lines = lines_above_quote(text);
    let Some((top, below)) = lines.split_first() else { return Chosen::Top };
    let names_cells = match read(top, &[]) {
        ScannedLine::Comment => false,
        ScannedLine::Last(MeantLine::Unclear { .. }) => true,
        ScannedLine::Line(above @ MeantLine::Short(_))
            if bare_line(top, Boards::default()).is_some_and(|top| top.is_move) =>
        {
            // "resign!" below a move may be addressed to the opponent.
            let is_call = |line: &str| line.ends_with('!') && bare_line(line, Boards::default()).is_some();
            let is_command =
                |line: &&str| matches!(later_line(line, above.audience()), ScannedLine::Line(_)) && !is_call(line);
            let at = below.iter().position(|line| !is_command(line)).unwrap_or(below.len());
            let text: Vec<&str> = std::iter::once(top).chain(&below[at..]).copied().collect();
            return agreeing(&text, Boards::default()).map_or(Chosen::Unclear, |_| Chosen::Top);
        }
        ScannedLine::Line(_) | ScannedLine::Last(_) => return Chosen::Top,
    };
    match agreeing(below, letter.named()) {
        None => Chosen::Unclear,
        // A sentence such as "Not f4" may refer to the lines below it, unless they are moves.
        Some(found) if found.is_empty() || (names_cells && !found.iter().all(|(_, bare)| bare.is_move)) => Chosen::Top,
        Some(found) => Chosen::Lines(found.into_iter().map(|(line, _)| line).collect()),
    }
}

/// Converts the result of a scan to the commands of a reply and their comments.
fn found(scan: Scan<MeantLine>, letter: &AnsweredLetter) -> FoundInReply {
    let Scan { mut lines, mut comment, stopped } = scan;
    drop_subject(&mut lines);
    if let [MeantLine::Short(first), MeantLine::Short(second), ..] = &lines[..]
        && first.is_move()
        && second.is_move()
    {
        // If a reply contains two moves, it is unclear which one to play.
        lines = vec![MeantLine::Unclear { nearest: None }];
    }
    let said_first = lines.first().and_then(MeantLine::reply).and_then(says);
    // Several lines contain more than the repeated command.
    let repeats = |text: &str| !text.contains('\n') && bare_line(text, Boards::default()) == said_first;
    if said_first.is_some() && comment.as_deref().is_some_and(|text| repeats(text.trim())) {
        comment = None;
    }
    // Prepared replies are private, so text below them becomes the comment of the line above them.
    let taking = lines.iter().rposition(MeantLine::takes_text);
    let taking = taking.or_else(|| lines.iter().rposition(MeantLine::prepares));
    if taking.is_none() && !lines.is_empty() {
        let text = comment.take_if(|text| text.split_whitespace().nth(MOST_THANKS).is_some());
        lines.extend(text.map(MeantLine::ForNobody));
    }
    let target = taking.unwrap_or(0);
    if let (Some(line), Some(text)) = (lines.get(target), &comment) {
        let moved_again = text.lines().next().is_some_and(|line| line.split_whitespace().all(is_cells));
        let audience = line.audience();
        let is_public = audience == Audience::Players;
        let may_be_about_blocked = lines[target..].iter().any(MeantLine::blocks);
        if may_be_private(text, audience) || (is_public && (moved_again || may_be_about_blocked)) {
            lines.extend(comment.take().map(MeantLine::MayBePrivate));
        }
    }
    let is_unclear = matches!(lines.last(), Some(MeantLine::Unclear { .. }));
    let mut wrong = Vec::new();
    if (letter.boards.len() > 1 || matches!(lines.first(), Some(MeantLine::Numbered(_))))
        && let Some(text) = comment.as_ref().filter(|_| !is_unclear)
    {
        let (lines_below, rest) = not_run(text, letter.named());
        wrong.extend(lines_below.into_iter().map(|(line, text)| (MeantLine::Numbered(line), text)));
        comment = Some(rest.trim_matches('\n').to_owned()).filter(|rest| !rest.trim().is_empty());
    }
    let mut lines: Vec<_> =
        lines.into_iter().map(|line| (line.said(), line)).map(|(said, line)| (line, said)).chain(wrong).collect();
    if let (Some((_, said)), Some(below)) = (lines.get_mut(target), comment) {
        *said = Some(match said.take() {
            Some(said) => format!("{said}\n{below}"),
            None => below,
        });
    }
    FoundInReply { lines, stopped }
}

/// Returns the new text of a message that begins with the headers of the answered letter, as Outlook writes them.
fn text_below_headers(text: &str) -> Option<String> {
    let new = new_text(text);
    let nothing_above = new.pieces.len() > 1 && new.first().iter().all(|line| line.trim().is_empty());
    nothing_above.then(|| new.pieces[1].text())
}

/// Returns whether the first new line of a text, below a greeting, can be an answer to a letter.
pub(crate) fn begins_reply(text: &str) -> bool {
    let (letter, below) = (AnsweredLetter::default(), text_below_headers(text));
    let text = below.as_deref().unwrap_or(text);
    let scan = scanned(None, text, |line: &str, above: &[MeantLine]| read_line(line, above, &letter, false));
    matches!(scan.lines.first(), Some(MeantLine::Short(_)))
}

/// Reads the text added to a letter's subject, unless it is a move after a word that may be a password.
fn reply_in_subject(added: &str) -> Option<ReplyLine> {
    let first = added.split_whitespace().next()?;
    let with_password = added.split_whitespace().count() > 1 && first.chars().count() >= SHORTEST_PASSWORD;
    reply_line(added).filter(|line| !(with_password && line.is_move()))
}

/// Drops the first of several lines in two cases: if it is an invalid whole command, because it may be the changed
/// subject of our letter ("Re: Marque"); and if the next line repeats its move, which is then played once.
fn drop_subject(lines: &mut Vec<MeantLine>) {
    let [first, second, ..] = lines.as_slice() else { return };
    let repeated = match (first, second) {
        (MeantLine::Whole(line), _) => line.is_wrong(),
        (MeantLine::Short(first), MeantLine::Short(second)) => {
            first.is_move() && second.is_move() && first.rest == second.rest
        }
        _ => false,
    };
    if repeated {
        lines.remove(0);
    }
}

/// Assigns a verb without a number to the board of the line above. Moves are excluded, because they may be meant for
/// the next board.
fn at_board_of(above: &MeantLine, read: ScannedLine<MeantLine>) -> ScannedLine<MeantLine> {
    let MeantLine::Numbered(NumberedLine::At { board, .. }) = above else { return read };
    let said = match read {
        ScannedLine::Line(MeantLine::Short(line)) if !line.names_move() => Said::Reply(line),
        ScannedLine::Line(MeantLine::Look(line)) => Said::Look(line),
        read => return read,
    };
    ScannedLine::Line(MeantLine::Numbered(NumberedLine::At { board: *board, said }))
}

fn first_line(line: &str, letter: &AnsweredLetter) -> ScannedLine<MeantLine> {
    if let Some(look) = board_line(line) {
        return ScannedLine::Line(MeantLine::Look(look));
    }
    if let Some(reply) = reply_line(line) {
        return ScannedLine::Line(MeantLine::Short(reply));
    }
    if let Some(whole) = command_in(line) {
        return ScannedLine::Line(MeantLine::Whole(whole));
    }
    let unclear = |nearest: Option<&str>| ScannedLine::Last(MeantLine::Unclear { nearest: nearest.map(str::to_owned) });
    let verb = |name: &str| {
        let verb = command::board_verb(name).map(ReplyLine::of).map(MeantLine::Short);
        verb.map_or(ScannedLine::Comment, ScannedLine::Line)
    };
    match (phrase(line), letter.proposal) {
        (Phrase::Yes, Some(_)) | (Phrase::Draw, Some(ProposalKind::Draw)) => verb("accept"),
        (Phrase::No, Some(_)) => verb("reject"),
        (Phrase::Offer, None) => verb("propose"),
        (Phrase::Offer, Some(_)) => unclear(None),
        (Phrase::Draw, _) => unclear(Some("propose")),
        (Phrase::Resign, _) => unclear(Some("resign")),
        (Phrase::Core(core), proposal) => core_line(line, &core, proposal.is_some(), letter.boards.len() > 1)
            .map_or_else(|| as_typed(line, &core.words), |reply| ScannedLine::Line(MeantLine::Short(reply))),
        (Phrase::Cells(cells), _) => as_typed(line, &cells),
        (Phrase::Letter, _) => as_typed(line, &[]),
        (Phrase::Yes | Phrase::No, _) => ScannedLine::Comment,
    }
}

/// Reads the core of a phrase, if it is unambiguous.
fn core_line(line: &str, core: &Core, is_proposed: bool, several: bool) -> Option<ReplyLine> {
    if core.agrees && is_proposed {
        return None;
    }
    let mut reply = reply_line(&core.words.join(" "))?;
    let cells = core.words.iter().all(|word| is_cells(word));
    let is_clear = match reply.verb.reply {
        ReplyForm::Move => {
            cells || core.words.iter().any(|word| catalogue::is_move_word(word) || Notation::is_pass(word))
        }
        ReplyForm::Alone | ReplyForm::MoveAfterVerb | ReplyForm::QueuedMove => true,
        ReplyForm::No | ReplyForm::Plan | ReplyForm::Text => false,
    };
    match core.number {
        _ if !is_clear => return None,
        // In "2. f4", 2 may be a board.
        Some(_) if several || !cells => return None,
        Some(number) => reply.rest.push(format!("#{number}")),
        None => {}
    }
    if core.is_courteous {
        reply.said = Some(line.to_owned());
    }
    Some(reply)
}

/// Reads a line that seems to contain a move and other words. The parser then explains the error, or the server asks
/// what the line means.
fn as_typed(line: &str, named: &[String]) -> ScannedLine<MeantLine> {
    if let Some(reply) = begins_with_move(line) {
        return ScannedLine::Last(MeantLine::Short(reply));
    }
    let cells: Vec<&String> = named.iter().filter(|word| is_cells(word)).collect();
    match cells.as_slice() {
        [] => ScannedLine::Comment,
        [one] => ScannedLine::Last(MeantLine::Unclear { nearest: Some((*one).clone()) }),
        _ => ScannedLine::Last(MeantLine::Unclear { nearest: None }),
    }
}

/// Reads a line below the first command. If it is not a command, it is text for `audience`, the readers of that
/// command's text.
fn later_line(line: &str, audience: Audience) -> ScannedLine<MeantLine> {
    let typed_verb = without_bullet(line).split([' ', ':', '.', ',', '!', '-']).next().and_then(command::board_verb);
    let is_meant = |reply: &ReplyLine| {
        let well_formed = || reply.rest.join(" ").replace('"', "").parse::<Plan>().is_ok();
        let begins = typed_verb.is_some_and(|verb| verb.name == reply.verb.name);
        begins && (reply.verb.reply != ReplyForm::Plan || reply.rest.len() == 1 || well_formed())
    };
    if let Some(look) = board_line(line) {
        return ScannedLine::Line(MeantLine::Look(look));
    }
    let whole = || command_below(line);
    let is_whole_message = || begins_message(line) && matches!(whole(), Some(FoundLine::Command(_)));
    match reply_line(line).filter(is_meant) {
        Some(reply) => ScannedLine::Line(MeantLine::Short(reply)),
        None if may_be_private(line, audience) && !is_whole_message() => ScannedLine::Comment,
        None => whole().map_or(ScannedLine::Comment, |line| ScannedLine::Line(MeantLine::Whole(line))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The collections contain mail that is unrelated to this server, and therefore no moves. The test is skipped
    /// unless the environment variable `CORPORA` names the folder with the collections.
    #[test]
    fn no_letter_of_the_collections_is_a_command() {
        let Some(folder) = std::env::var_os("CORPORA").map(std::path::PathBuf::from) else { return };
        let letter = AnsweredLetter { proposal: Some(ProposalKind::Draw), ..AnsweredLetter::default() };
        let mut read = 0;
        for name in ["replies/crisp", "replies/github"] {
            for entry in std::fs::read_dir(folder.join(name)).unwrap() {
                let path = entry.unwrap().path();
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).replace("\r\n", "\n");
                let found = find_in_reply(None, &text, &letter);
                let runs = |line: &MeantLine| {
                    matches!(line, MeantLine::Whole(_) | MeantLine::Short(_) | MeantLine::Account(_))
                };
                assert!(!found.lines.iter().any(|(line, _)| runs(line)), "{}: {text}", path.display());
                read += 1;
            }
        }
        assert!(read > 50, "{read}");
    }

    /// Returns a reply from the collections with the move `f3` above its text, and with `k4` in its quoted lines.
    fn planted(text: &str, new_lines: usize) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let (new, old) = lines.split_at(new_lines.min(lines.len()));
        let marked = old.iter().any(|line| line.trim_start().starts_with('>'));
        let head = old.iter().position(|line| !line.trim().is_empty()).map_or(0, |at| at + 1);
        let plant = |(at, line): (usize, &&str)| match line.trim_start().strip_prefix('>') {
            Some(_) => "> k4".to_owned(),
            None if !marked && at >= head && !line.trim().is_empty() && !line.contains(':') => "k4".to_owned(),
            None => (*line).to_owned(),
        };
        let old: Vec<String> = old.iter().enumerate().map(plant).collect();
        format!("f3\n\n{}\n{}\n", new.join("\n"), old.join("\n"))
    }

    #[test]
    fn a_move_above_a_quote_of_the_collections_is_played_and_quoted_moves_are_not() {
        let Some(folder) = std::env::var_os("CORPORA").map(std::path::PathBuf::from) else { return };
        let entries = std::fs::read_to_string(folder.join("replies/expected-crisp.jsonl")).unwrap();
        let (mut made, mut asked) = (0, Vec::new());
        for entry in entries.lines() {
            let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
            let Some(first) = entry["first_fragment"].as_str().filter(|_| entry["fragments"] != 1) else { continue };
            let name = entry["file"].as_str().unwrap();
            let text = std::fs::read(folder.join("replies").join(name)).unwrap();
            let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
            let found = find_in_reply(None, &planted(&text, first.lines().count()), &AnsweredLetter::default());
            match &found.lines[..] {
                [(MeantLine::Short(line), _), ..] if line.rest == ["f3"] => made += 1,
                _ => asked.push(name.to_owned()),
            }
        }
        eprintln!("{made} made, asked about: {asked:?}");
        assert!(made >= 30 && asked.len() <= 3, "{made} replies were created, and these led to a question: {asked:?}");
    }
}
