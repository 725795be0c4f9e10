//! Finds the commands of a message.

use std::collections::BTreeSet;

use super::conversation::{may_hold_password, unclear};
use super::nothing_found::{answer_nothing_found, nothing_about_event, which_puzzle};
use super::requested::{Remark, RequestedCommand, RequestedCommands};
use super::screen::{Author, agreed};
use super::stage::{CurrentMail, Stage};
use crate::command::{self, AccountAction, BoardAction, Command, GameCommand, ParsedLine, Password};
use crate::mail::inbound::account_line;
use crate::mail::inbound::bare_lines::has_line_for_board;
use crate::mail::inbound::board_line::BoardLine;
use crate::mail::inbound::commands::{FoundCommands, FoundLine};
use crate::mail::inbound::meant_line::MeantLine;
use crate::mail::inbound::numbered::{NumberedLine, named_boards, not_by_this_sender};
use crate::mail::inbound::reply::{AnsweredLetter, FoundInReply};
use crate::mail::inbound::reply_line::{Audience, ReplyLine, is_about_player, may_be_private};
use crate::mail::inbound::reply_token::{BoardReply, Content, MessageReply, ReplyToken};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{Passwords, PuzzleNotice, Rejection, without_words};
use crate::store::{self, Transaction};

/// Facts about the lines of a message that can be determined without the database.
#[derive(Default)]
pub(crate) struct Glance {
    /// Whether a password may have to be hashed.
    pub(crate) may_give_password: bool,
    /// The boards that whole commands name, and the boards with whose numbers other lines begin, except those of the
    /// answered letter.
    pub(crate) boards: Vec<BoardNumber>,
}

impl Glance {
    fn add(&mut self, line: &FoundLine) {
        if let FoundLine::Command(line) = line {
            self.may_give_password |= !line.command.given_passwords().is_empty();
            self.boards.extend(line.command.boards());
        }
    }
}

/// Reads the lines of a message that answers a letter about these boards, or no letter.
pub(crate) fn glance(mail: &CurrentMail<'_>, answered: Option<&[BoardNumber]>) -> Glance {
    let mut glance = Glance::default();
    let Some(boards) = answered.filter(|boards| !boards.is_empty()) else {
        mail.whole_commands().lines.iter().for_each(|line| glance.add(line));
        if answered.is_some() {
            glance.boards.extend(named_boards(&mail.incoming.text));
        }
        return glance;
    };
    let others = named_boards(&mail.incoming.text).into_iter().filter(|named| !boards.contains(named));
    glance.boards.extend(others);
    let letter = AnsweredLetter { boards: boards.to_vec(), ..AnsweredLetter::default() };
    for (line, comment) in mail.commands_in_reply(&letter).lines {
        match &line {
            MeantLine::Whole(line) => glance.add(line),
            MeantLine::MayBePrivate(text) | MeantLine::ForNobody(text) => {
                glance.may_give_password |= may_hold_password(text);
            }
            _ => {}
        }
        glance.may_give_password |= comment.as_deref().is_some_and(may_hold_password);
    }
    glance
}

/// Returns the commands of a message. If there are none, ends the processing: a stranger's message is ignored, a reply
/// to a letter about boards or events is answered, and any other message of a player is answered at most once a day.
pub(crate) fn commands(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    passwords: &Passwords,
) -> Stage<RequestedCommands> {
    let agreed = match author.asked_owner() {
        Some(owner) => agreed(tx, mail, owner)?,
        None => None,
    };
    let requested = match agreed {
        Some(command) => Some(RequestedCommands::only(command)),
        None => find(&*tx, mail, author)?,
    };
    let Some(mut requested) = requested else {
        return mail.ignored_request(tx, message!("verdict.stranger-without-command"));
    };
    if requested.commands.is_empty() {
        answer_nothing_found(tx, mail, author)?;
        return mail.refused(tx, message!("verdict.no-command"));
    }
    if let Some(player) = author.token.player() {
        requested.remove_password_below(mail, player, passwords)?;
    }
    hide_passwords(&mut requested);
    Ok(requested)
}

/// Finds the commands of a message without writing to the database. Returns `None` for a stranger's message in which no
/// line begins like a command.
pub(crate) fn find(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
) -> store::Result<Option<RequestedCommands>> {
    let whole = || mail.whole_commands().clone();
    // In reply to a letter about boards, `unsubscribe` stops the letters about one of them.
    let unsubscribes = || {
        let lines = mail.commands_in_reply(&AnsweredLetter::default()).lines;
        matches!(lines.first(), Some((MeantLine::Look(_), _)))
    };
    if mail.asks_to_stop() && !(matches!(author.token, ReplyToken::Valid(_)) && unsubscribes()) {
        let help = ParsedLine::of(Command::Help { topics: vec!["stop".to_owned()] });
        let commands = vec![RequestedCommand::new(Ok(help), None)];
        return Ok(Some(RequestedCommands { commands, remarks: Vec::new() }));
    }
    if !author.is_known() && !mail.whole_commands().asks_for_something() {
        return Ok(None);
    }
    let found = mail.whole_commands();
    if let Some(board) = author.denied.filter(|_| found.lines.is_empty()) {
        return Ok(Some(RequestedCommands::refused(not_by_this_sender(board), found.comment.clone())));
    }
    let requested = match &author.token {
        ReplyToken::OfMessage(of) => match whole() {
            found if found.lines.is_empty() => message_to_writer(tx, mail, &author.token, of)?,
            found => whole_commands(tx, mail, found)?,
        },
        ReplyToken::OfLetter(of) => commands_without_board(tx, mail, &author.token, &of.content)?,
        ReplyToken::Missing | ReplyToken::OfQuestion(_) => match whole() {
            found if found.lines.is_empty() && author.is_known() => {
                commands_of_reply(tx, mail, &author.token, mail.account_lines(&AnsweredLetter::default()))?
            }
            found => whole_commands(tx, mail, found)?,
        },
        ReplyToken::Invalid | ReplyToken::Unsaid(_) | ReplyToken::AnotherPlayers { .. } | ReplyToken::Valid(_) => {
            let letter = match &author.token {
                ReplyToken::Valid(answered) => answered_letter(tx, mail, answered)?,
                ReplyToken::Unsaid(answered) => {
                    AnsweredLetter { boards: answered.numbers().collect(), ..AnsweredLetter::default() }
                }
                _ => AnsweredLetter::default(),
            };
            let found = mail.commands_in_reply(&letter);
            let is_bare_move = matches!(found.lines.first(), Some((MeantLine::Short(line), _)) if line.is_move());
            let requested = commands_of_reply(tx, mail, &author.token, found)?;
            match author.board_reply() {
                // If no board of the letter awaited a move, a move is for the letter's puzzle.
                Some(answered) if requested.commands.is_empty() || (is_bare_move && !answered.awaited_move(tx)?) => {
                    requested.with_answer_to_puzzle(answer_to_puzzle(tx, mail, &answered.content.puzzles)?)
                }
                _ => requested,
            }
        }
    };
    let requested = without_text_for_writer(tx, &author.token, without_letter(mail, requested))?;
    Ok(Some(requested).filter(|requested| author.is_known() || !requested.commands.is_empty()))
}

/// Withholds texts that repeat lines of the answered letter, which other players must not read.
fn without_letter(mail: &CurrentMail<'_>, mut requested: RequestedCommands) -> RequestedCommands {
    for command in requested.commands.iter_mut().filter(|command| !command.is_note()) {
        if let Some(text) = command.comment.take_if(|text| mail.repeats_letter(text)) {
            requested.remarks.push(Remark { message: message!("mail.repeats-letter"), text });
        }
    }
    requested
}

/// Withholds text below a move on a board if the message answers one from a player who does not play there: the text
/// may be meant for that player.
fn without_text_for_writer(
    tx: &Transaction<'_>,
    token: &ReplyToken,
    mut requested: RequestedCommands,
) -> store::Result<RequestedCommands> {
    let ReplyToken::Valid(answered) = token else { return Ok(requested) };
    let Some(writer) = &answered.content.message_of else { return Ok(requested) };
    for RequestedCommand { line, comment, .. } in &mut requested.commands {
        let Ok(ParsedLine { command: Command::Game { command, .. }, .. }) = line else { continue };
        let GameCommand::AtBoard { board, action, .. } = command else { continue };
        let is_text = matches!(action, BoardAction::Chat | BoardAction::Note);
        let plays = tx.board(*board)?.is_some_and(|board| board.players.iter().any(|player| player.userid == *writer));
        if let Some(text) = comment.take_if(|_| !is_text && !plays) {
            let message = message!("mail.text-for-writer", writer, board = *board);
            requested.remarks.push(Remark { message, text });
        }
    }
    Ok(requested)
}

/// Returns the proposal, boards, events and player that the answered letter mentions.
fn answered_letter(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    answered: &BoardReply,
) -> store::Result<AnsweredLetter> {
    let board = tx.board(answered.granted.board)?;
    let proposal = board.and_then(|board| {
        let open = board.proposal?;
        let to_reader = board.players[open.by.other().index()].id == answered.player.id;
        // If the letter asks its reader to confirm another action, `yes` does not refer to the proposal.
        let is_shown = answered.granted.proposal == Some(open.kind) && !answered.granted.agreed;
        (to_reader && is_shown).then_some(open.kind)
    });
    let Content { events, writers, message_of, .. } = &answered.content;
    let mut players: BTreeSet<String> = writers.iter().chain(message_of).cloned().collect();
    for number in answered.numbers() {
        let seated = tx.board(number)?.into_iter().flat_map(|board| board.players);
        let challenger = tx.open_challenge(number)?.map(|challenge| challenge.challenger);
        players.extend(seated.chain(challenger).map(|player| player.userid));
    }
    players.remove(&answered.player.userid);
    Ok(AnsweredLetter {
        proposal,
        boards: answered.numbers().collect(),
        others: answered.others.iter().map(|board| board.granted.board).collect(),
        denied: answered.denied(tx, &named_boards(&mail.incoming.text))?,
        events: events.clone(),
        named_events: named_events(tx, mail)?,
        other: players.pop_first().filter(|_| players.is_empty()),
    })
}

/// Returns the existing events that lines such as `join spring` of a message name.
fn named_events(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> store::Result<Vec<String>> {
    let mut events = Vec::new();
    for name in account_line::named_events(&mail.incoming.text) {
        events.extend(tx.event(name)?.map(|event| event.what.name));
    }
    Ok(events)
}

/// Returns the commands of an answer to a player's message: lines about the reader's account, or the command that sends
/// the text to the message's writer. A text that may be private or a command for a board is not sent.
fn message_to_writer(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    token: &ReplyToken,
    of: &MessageReply,
) -> store::Result<RequestedCommands> {
    let (other, named_events) = (Some(of.writer.clone()), named_events(tx, mail)?);
    let found = mail.account_lines(&AnsweredLetter { other, named_events, ..AnsweredLetter::default() });
    if !found.lines.is_empty() {
        return commands_of_reply(tx, mail, token, found);
    }
    let command = |text: &String| {
        if may_be_private(text, Audience::Players) || has_line_for_board(text) {
            let message = match is_about_player(text) {
                true => message!("mail.may-be-about-player"),
                false => message!("mail.may-be-for-board", writer = &of.writer),
            };
            return RequestedCommand::new(Err(Rejection { message, ..Rejection::default() }), Some(text.clone()));
        }
        let action = AccountAction::Message(vec![of.writer.clone()]);
        let (userid, password) = (of.player.userid.clone(), Password::FromContext);
        let line = ParsedLine::of(Command::Account { userid, password, action });
        RequestedCommand::new(Ok(line), Some(text.clone()))
    };
    let text = mail.whole_commands().comment.as_ref();
    Ok(RequestedCommands { commands: text.map(command).into_iter().collect(), remarks: Vec::new() })
}

/// Returns the commands of a reply to a letter without boards: whole commands, the answer to its puzzle, or lines about
/// its events and the reader's account.
fn commands_without_board(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    token: &ReplyToken,
    Content { puzzles, events, .. }: &Content,
) -> store::Result<RequestedCommands> {
    let answer = answer_to_puzzle(tx, mail, puzzles)?;
    if !answer.commands.is_empty() {
        return Ok(answer);
    }
    let whole = mail.whole_commands();
    if events.is_empty() && !whole.lines.is_empty() {
        return whole_commands(tx, mail, whole.clone());
    }
    let named_events = named_events(tx, mail)?;
    let letter = AnsweredLetter { events: events.clone(), named_events, ..AnsweredLetter::default() };
    let found = if events.is_empty() { mail.account_lines(&letter) } else { mail.commands_in_reply(&letter) };
    commands_of_reply(tx, mail, token, found)
}

/// Returns the command of a reply to a letter with these puzzles: a move, or a request for the solution. It may be
/// below other text. If there are several puzzles, the reply must name one of them. Returns no command if the reply
/// contains a whole one.
fn answer_to_puzzle(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    puzzles: &[PuzzleNotice],
) -> store::Result<RequestedCommands> {
    let FoundInReply { lines, stopped } = mail.commands_in_reply(&AnsweredLetter::default());
    let said = match lines.into_iter().next() {
        Some((MeantLine::Short(reply), _)) if reply.is_move() => Some((reply.example(), puzzle_move(reply))),
        Some((MeantLine::Short(_) | MeantLine::Unclear { .. }, _)) => None,
        _ => mail.whole_commands().comment.as_deref().and_then(asked_solution).map(|word| (word.clone(), vec![word])),
    };
    let mut commands = Vec::new();
    match (said, puzzles) {
        _ if !mail.whole_commands().lines.is_empty() => {}
        (None, _) | (_, []) => {}
        (Some((_, said)), [PuzzleNotice { game, number }]) => {
            let words: Vec<String> =
                ["puzzle".to_owned(), game.clone(), number.to_string()].into_iter().chain(said).collect();
            commands.push(RequestedCommand::new(parsed(tx, mail, &words)?, None));
        }
        (Some((example, _)), several) => {
            let message = which_puzzle(several, &example);
            commands.push(RequestedCommand::new(Err(Rejection { message, ..Rejection::default() }), None));
        }
    }
    Ok(RequestedCommands { commands, remarks: stopped.map(Remark::not_read).into_iter().collect() })
}

/// Returns the words of a move without its number: `1. f4`.
fn puzzle_move(reply: ReplyLine) -> Vec<String> {
    reply.rest.into_iter().filter(|word| !word.starts_with('#')).collect()
}

/// Returns the first line of a text that requests the solution of a puzzle.
fn asked_solution(text: &str) -> Option<String> {
    let mut lines = text.lines().map(|line| line.trim().trim_end_matches(['.', '!']));
    lines.find(|line| command::is_solution(line)).map(str::to_owned)
}

/// Returns the commands of a message that consists of whole commands.
fn whole_commands(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    found: FoundCommands,
) -> store::Result<RequestedCommands> {
    let FoundCommands { lines, comment, stopped, held } = found;
    let mut commands = Vec::new();
    for line in lines {
        commands.push(RequestedCommand::new(whole_command(tx, mail, line)?, None));
    }
    if let Some(last) = commands.last_mut() {
        last.comment = comment;
    }
    let remarks = stopped.map(Remark::not_read).into_iter().chain(held.map(Remark::may_be_private)).collect();
    Ok(RequestedCommands { commands, remarks })
}

/// Returns a rejection that asks for which board of the letter a line is meant, with an example for each board.
fn which_board(answered: &BoardReply, line: &str) -> Rejection {
    let examples: Vec<String> = answered.numbers().map(|number| format!("\"{number} {line}\"")).collect();
    let boards: Vec<String> = answered.numbers().map(|number| number.to_string()).collect();
    Rejection { message: message!("mail.which-board", boards, examples), ..Rejection::default() }
}

/// Returns whether a line shows a board that it does not name. `preview new` and `games` are not about a board.
fn omits_board(line: &BoardLine, answered: &BoardReply) -> bool {
    let board = answered.granted.board.to_string();
    line.verb == "analyse" || line.words(answered).get(2) == Some(&board)
}

/// Removes the passwords in the message's commands from its comments, because a comment may begin with the end of a
/// command that a mail program broke.
fn hide_passwords(requested: &mut RequestedCommands) {
    let given = |command: &RequestedCommand| match &command.line {
        Ok(line) => line.command.given_passwords().into_iter().map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    };
    let RequestedCommands { commands, remarks } = requested;
    let passwords: Vec<String> = commands.iter().flat_map(given).collect();
    let passwords: Vec<&str> = passwords.iter().map(String::as_str).collect();
    for remark in remarks {
        remark.text = without_words(&remark.text, &passwords);
    }
    for command in commands {
        let texts = command.comment.iter_mut().chain(command.line.iter_mut().filter_map(|line| line.say.as_mut()));
        texts.for_each(|text| *text = without_words(text, &passwords));
    }
}

/// Returns the commands of a message whose lines were read as an answer to a letter.
// Long, because it has one arm for each form of a line and kind of letter.
fn commands_of_reply(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    token: &ReplyToken,
    found: FoundInReply,
) -> store::Result<RequestedCommands> {
    let rejected = |message| Err(Rejection { message, ..Rejection::default() });
    let (mut commands, mut remarks) = (Vec::new(), Vec::new());
    let move_first = matches!(found.lines.first(), Some((MeantLine::Short(first), _)) if first.names_move());
    for (line, mut comment) in found.lines {
        let may_be_text = !commands.is_empty() && matches!((&line, token), (MeantLine::Whole(_), ReplyToken::Valid(_)));
        let line = match (line, token) {
            (MeantLine::Whole(line), _) => whole_command(tx, mail, line)?,
            // In answer to a letter about several boards, only a move may omit the number, and only if one board awaits
            // a move. The lines below this move are meant for the same board.
            (MeantLine::Short(line), ReplyToken::Valid(answered))
                if answered.is_of_several() && !answered.follows && !(move_first && answered.knows_where_to_move()) =>
            {
                Err(which_board(answered, &line.example()))
            }
            (MeantLine::Short(line), ReplyToken::Valid(answered)) => {
                completed(tx, mail, answered, &line.words(answered))?
            }
            (MeantLine::Look(line), ReplyToken::Valid(answered))
                if answered.is_of_several()
                    && (line.follows_board()
                        || (omits_board(&line, answered) && !(move_first && answered.knows_where_to_move()))) =>
            {
                Err(which_board(answered, line.verb))
            }
            (MeantLine::Look(line), ReplyToken::Valid(answered)) => {
                completed(tx, mail, answered, &line.words(answered))?
            }
            (MeantLine::Account(line), ReplyToken::Valid(answered)) => {
                completed(tx, mail, answered, &line.of_player(&answered.granted.userid))?
            }
            (MeantLine::Account(line), ReplyToken::OfLetter(of)) => {
                parsed(tx, mail, &line.of_player(&of.player.userid))?
            }
            (MeantLine::Account(line), ReplyToken::OfMessage(of)) => {
                parsed(tx, mail, &line.of_player(&of.player.userid))?
            }
            // The parser reports the missing words.
            (MeantLine::Account(line), _) => parsed(tx, mail, &line.typed())?,
            (MeantLine::Short(_) | MeantLine::Numbered(_) | MeantLine::Look(_), ReplyToken::OfLetter(of)) => {
                rejected(nothing_about_event(tx, &of.content.events, &of.player)?)
            }
            (MeantLine::Numbered(NumberedLine::At { board, said }), ReplyToken::Valid(answered)) => {
                let Some(answered) = answered.at(board) else { continue };
                if said.with_password(&answered).is_some() {
                    comment = comment.and_then(|text| text.split_once('\n').map(|(_, below)| below.to_owned()));
                }
                completed(tx, mail, &answered, &said.words(&answered))?
            }
            (MeantLine::Numbered(NumberedLine::Wrong(message)), ReplyToken::Valid(_)) => rejected(message),
            (MeantLine::Unclear { nearest }, ReplyToken::Valid(answered)) => Err(unclear(tx, mail, answered, nearest)?),
            (MeantLine::Short(_), ReplyToken::AnotherPlayers { board }) => {
                rejected(message!("mail.another-players-letter", board = *board))
            }
            (MeantLine::ForNobody(text), _) => {
                remarks.push(Remark { message: message!("mail.text-for-nobody"), text });
                continue;
            }
            (line, ReplyToken::Unsaid(answered)) => match line.reply() {
                Some(reply) => Err(which_board(answered, &reply.example())),
                None => continue,
            },
            (MeantLine::Short(_) | MeantLine::Numbered(_) | MeantLine::Look(_), _) => {
                rejected(message!("mail.no-token"))
            }
            (MeantLine::Unclear { .. }, _) => continue,
            (MeantLine::MayBePrivate(text), _) => {
                remarks.push(Remark::may_be_private(text));
                continue;
            }
        };
        commands.push(RequestedCommand { line, comment, may_be_text });
    }
    remarks.extend(found.stopped.map(Remark::not_read));
    Ok(RequestedCommands { commands, remarks })
}

/// Converts a whole command to a parsed line, or to a rejection if it is mistyped.
fn whole_command(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    line: FoundLine,
) -> store::Result<Result<ParsedLine, Rejection>> {
    Ok(match line {
        FoundLine::Command(line) => Ok(line),
        FoundLine::NotUnderstood(error) => Err(mail.inbox.service.not_understood(tx, error)?),
    })
}

/// Parses a command whose words were completed from a line of a reply.
fn completed(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    answered: &BoardReply,
    words: &[String],
) -> store::Result<Result<ParsedLine, Rejection>> {
    Ok(match parsed(tx, mail, words)? {
        Ok(line) => Ok(line),
        Err(rejection) => {
            let board = mail.inbox.service.board_now(tx, answered.granted.board, mail.inbox.now)?.map(Box::new);
            Err(Rejection { board, ..rejection })
        }
    })
}

fn parsed(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    words: &[String],
) -> store::Result<Result<ParsedLine, Rejection>> {
    Ok(match command::parse_words(words) {
        Ok(line) => Ok(line),
        Err(error) => Err(mail.inbox.service.not_understood(tx, error)?),
    })
}
