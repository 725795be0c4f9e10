//! What a mail asks for.

use super::super::commands::{FoundCommands, FoundLine};
use super::super::cut_text::{QuotedLine, line_in_cut_text, marked_line};
use super::super::numbered::{NumberedLine, named_boards};
use super::super::reply::{AnsweredLetter, FoundInReply, HISTORY, MeantLine, find_in_reply};
use super::super::reply_line::{ReplyLine, begins_with_move, reply_line};
use super::super::reply_token::{Correspondent, ReplyToken, Solver, TokenHolder};
use super::author::Author;
use super::confirmation;
use super::conversation::refusal;
use super::given_back::{given_back_without_command, word_below};
use super::stage::{CurrentMail, Stage};
use super::unclear;
use crate::command::{self, AccountAction, Command, ParsedLine, Password};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{Answer, AnswerEntry, Passwords, Rejection, ServiceResult, ToldPuzzle, without_words};
use crate::store::{self, Transaction};
use crate::text::Message;

/// The commands of a mail, in order.
pub(super) struct RequestedCommands {
    pub(super) commands: Vec<RequestedCommand>,
    /// The reasons that other parts of the mail were not read or not sent.
    pub(super) remarks: Vec<Remark>,
}

/// The reason that part of a message was not read or not sent.
pub(super) struct Remark {
    /// The reason.
    pub(super) message: Message,
    /// The text that was not sent.
    pub(super) text: String,
}

impl Remark {
    fn not_read(message: Message) -> Remark {
        Remark { message, text: String::new() }
    }

    fn may_be_private(text: String) -> Remark {
        Remark { message: message!("mail.may-be-private"), text }
    }
}

impl RequestedCommands {
    /// Creates a request for the one command that the mail implies.
    fn only(command: Command) -> RequestedCommands {
        let command = RequestedCommand::new(Ok(ParsedLine::of(command)), None);
        RequestedCommands { commands: vec![command], remarks: Vec::new() }
    }

    /// Whether it is one command, about one board. Of several, a later one may be refused or not be part of a turn, after
    /// letters of the others have got their numbers.
    pub(super) fn is_turn(&self) -> bool {
        matches!(&self.commands[..], [RequestedCommand { line: Ok(line), .. }] if line.command.is_at_board())
    }
}

/// One command of a mail.
pub(super) struct RequestedCommand {
    /// The line to run, or why it cannot be run.
    pub(super) line: Result<ParsedLine, Rejection>,
    /// The text that goes with it.
    pub(super) comment: Option<String>,
    /// Whether it is a move in a reply, and the text stands below it.
    is_short_move: bool,
}

impl RequestedCommand {
    fn new(line: Result<ParsedLine, Rejection>, comment: Option<String>) -> RequestedCommand {
        RequestedCommand { line, comment, is_short_move: false }
    }

    /// The word below a move that may be a password.
    pub(super) fn word_below(&self) -> Option<&str> {
        self.comment.as_deref().filter(|_| self.is_short_move).and_then(word_below)
    }

    /// Takes that word out of the comment if it is the player's password.
    fn remove_password_below(
        &mut self,
        mail: &CurrentMail<'_>,
        holder: &TokenHolder,
        passwords: &Passwords,
    ) -> ServiceResult<()> {
        if let (Some(text), Some(word)) = (&self.comment, self.word_below())
            && mail.inbox.service.is_password_of(&holder.player, word, passwords)?
        {
            self.comment = Some(without_words(text, &[word]));
        }
        Ok(())
    }
}

/// What the lines of a mail show without a look at the database.
#[derive(Default)]
pub(super) struct Glance {
    /// Whether a password may have to be hashed.
    pub(super) may_give_password: bool,
    /// The boards that whole commands name.
    pub(super) boards: Vec<BoardNumber>,
}

impl Glance {
    fn add(&mut self, line: &FoundLine) {
        if let FoundLine::Command(line) = line {
            self.may_give_password |= !line.command.given_passwords().is_empty();
            self.boards.extend(line.command.boards());
        }
    }
}

/// Reads the lines of a mail that answers a letter about these boards, or no letter.
pub(super) fn glance(mail: &CurrentMail<'_>, answered: Option<&[BoardNumber]>) -> Glance {
    let mut glance = Glance::default();
    let Some(boards) = answered.filter(|boards| !boards.is_empty()) else {
        mail.whole_commands().lines.iter().for_each(|line| glance.add(line));
        return glance;
    };
    let others = named_boards(&mail.incoming.text).into_iter().filter(|named| !boards.contains(named));
    glance.boards.extend(others);
    let letter = AnsweredLetter { boards: boards.to_vec(), ..AnsweredLetter::default() };
    for (line, comment) in mail.commands_in_reply(&letter).lines {
        match &line {
            MeantLine::Whole(line) => glance.add(line),
            line if line.reply().is_some_and(ReplyLine::is_move) => {
                glance.may_give_password |= comment.as_deref().and_then(word_below).is_some();
            }
            _ => {}
        }
    }
    glance
}

/// Returns the commands of a mail. One without any is decided: a stranger's is ignored, who answers a letter is told each
/// time, and any other player once a day.
pub(super) fn commands(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    passwords: &Passwords,
) -> Stage<RequestedCommands> {
    let agreed = match author.asked_owner() {
        Some(owner) => confirmation::agreed(tx, mail, owner)?,
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
    if let Some(holder) = author.token_holder() {
        for command in &mut requested.commands {
            command.remove_password_below(mail, holder, passwords)?;
        }
    }
    hide_passwords(&mut requested);
    Ok(requested)
}

/// Finds the commands of a mail without writing to the database. Returns `None` for a stranger's mail in which no line
/// begins like a command.
pub(super) fn find(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
) -> store::Result<Option<RequestedCommands>> {
    let whole = || mail.whole_commands().clone();
    if mail.asks_to_stop() {
        let help = ParsedLine::of(Command::Help { topics: vec!["stop".to_owned()] });
        let commands = vec![RequestedCommand::new(Ok(help), None)];
        return Ok(Some(RequestedCommands { commands, remarks: Vec::new() }));
    }
    if !author.is_known() && !mail.whole_commands().asks_for_something() {
        return Ok(None);
    }
    let requested = match &author.token {
        ReplyToken::OfMessage(of) => match whole() {
            found if found.lines.is_empty() => message_to_writer(of, found),
            found => whole_commands(tx, mail, found)?,
        },
        ReplyToken::OfPuzzle(of) => match whole() {
            found if found.lines.is_empty() => answer_to_puzzle(tx, mail, of, found)?,
            found => whole_commands(tx, mail, found)?,
        },
        ReplyToken::Missing | ReplyToken::OfQuestion(_) => whole_commands(tx, mail, whole())?,
        ReplyToken::Invalid | ReplyToken::Unsaid(_) | ReplyToken::AnotherPlayers { .. } | ReplyToken::Valid(_) => {
            let letter = match &author.token {
                ReplyToken::Valid(holder) => answered_letter(tx, holder)?,
                ReplyToken::Unsaid(holder) => {
                    AnsweredLetter { boards: holder.numbers().collect(), ..AnsweredLetter::default() }
                }
                _ => AnsweredLetter::default(),
            };
            let found = mail.commands_in_reply(&letter);
            commands_of_reply(tx, mail, &author.token, found)?
        }
    };
    let requested = without_letter(mail, requested);
    Ok(Some(requested).filter(|requested| author.is_known() || !requested.commands.is_empty()))
}

/// Holds back texts that repeat lines of the answered letter, which other players may not read.
fn without_letter(mail: &CurrentMail<'_>, mut requested: RequestedCommands) -> RequestedCommands {
    for command in &mut requested.commands {
        if let Some(text) = command.comment.take_if(|text| mail.repeats_letter(text)) {
            requested.remarks.push(Remark { message: message!("mail.repeats-letter"), text });
        }
    }
    requested
}

fn answer_nothing_found(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>, author: &Author<'_>) -> store::Result<()> {
    let in_quote = command_in_quote(tx, mail, author.token_holder().is_some())?;
    let Some(holder) = author.token_holder() else {
        let remark = in_quote.or_else(|| without_board(mail));
        return author.conversation.answer_no_command(tx, remark, &author.answered());
    };
    let text = given_back_without_command(tx, mail.whole_commands().comment.as_deref().unwrap_or_default())?;
    let entry = AnswerEntry::Rejected(Rejection { text, ..unclear::nothing_found(tx, mail, holder)? });
    let entries = std::iter::once(entry).chain(in_quote).collect();
    let answer = author.conversation.about(&*tx, &author.answered(), Answer { entries, ..Answer::default() })?;
    author.conversation.refuse(tx, answer).map(drop)
}

/// The remark on a line that would answer a letter about a board, in a mail that answers none.
fn without_board(mail: &CurrentMail<'_>) -> Option<AnswerEntry> {
    let letter = AnsweredLetter::default();
    let in_text = mail.commands_in_reply(&letter).lines.into_iter().next();
    let in_subject = || find_in_reply(None, mail.subject()?, &letter).lines.into_iter().next();
    let line = match in_text.or_else(in_subject)?.0 {
        MeantLine::Short(line) => line.example(),
        MeantLine::Look(verb) => verb.to_owned(),
        MeantLine::Account(words) => words.first()?.clone(),
        MeantLine::Whole(_) | MeantLine::Numbered(_) | MeantLine::Unclear { .. } | MeantLine::MayBePrivate(_) => {
            return None;
        }
    };
    Some(refusal(message!("mail.answers-no-letter", line)))
}

/// The remark on a command below the beginning of a quoted mail, or in a reply on a line of its kind.
fn command_in_quote(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    is_reply: bool,
) -> store::Result<Option<AnswerEntry>> {
    let text = &mail.incoming.text;
    let shown = |line: QuotedLine| {
        Ok::<_, store::StoreError>(match line {
            QuotedLine::Whole(line) => Some(mail.inbox.service.shown(tx, &line)?),
            QuotedLine::Reply(line) => is_reply.then(|| line.example()),
        })
    };
    let cut = line_in_cut_text(text).map(shown).transpose()?.flatten();
    if let Some(line) = cut {
        return Ok(Some(refusal(message!("mail.command-in-quoted-text", line))));
    }
    let marked = marked_line(text).map(shown).transpose()?.flatten();
    Ok(marked.map(|line| refusal(message!("mail.line-is-quote", line))))
}

/// What the letter that a token comes from says.
fn answered_letter(tx: &Transaction<'_>, holder: &TokenHolder) -> store::Result<AnsweredLetter> {
    let board = tx.board(holder.granted.board)?;
    let proposal = board.and_then(|board| {
        let open = board.proposal?;
        let to_reader = board.players[open.by.other().index()].id == holder.player.id;
        (to_reader && holder.granted.proposal == Some(open.kind)).then_some(open.kind)
    });
    let others = holder.others.iter().map(|board| board.granted.board).collect();
    Ok(AnsweredLetter { proposal, boards: holder.numbers().collect(), others })
}

/// The command that sends a text to the writer of the message that it answers.
fn message_to_writer(of: &Correspondent, found: FoundCommands) -> RequestedCommands {
    let action = AccountAction::Message(vec![of.writer.clone()]);
    let (userid, password) = (of.player.userid.clone(), Password::FromContext);
    let line = ParsedLine::of(Command::Account { userid, password, action });
    let command = |text| RequestedCommand::new(Ok(line), Some(text));
    RequestedCommands { commands: found.comment.map(command).into_iter().collect(), remarks: Vec::new() }
}

/// The command that a move, or the word that asks for the solution, stands for in answer to a puzzle.
fn answer_to_puzzle(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    of: &Solver,
    found: FoundCommands,
) -> store::Result<RequestedCommands> {
    let first = found.comment.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    let is_solution = |line: &&str| command::is_solution(line.trim().trim_end_matches('.'));
    let said = match first {
        Some(line) if is_solution(&line) => Some(vec![line.trim().trim_end_matches('.').to_owned()]),
        Some(line) => {
            let reply = reply_line(line).or_else(|| begins_with_move(line));
            reply.filter(ReplyLine::is_move).map(|reply| reply.rest)
        }
        None => None,
    };
    let mut commands = Vec::new();
    if let Some(said) = said {
        let ToldPuzzle { game, number } = &of.puzzle;
        let words: Vec<String> =
            ["puzzle".to_owned(), game.clone(), number.to_string()].into_iter().chain(said).collect();
        let line = match command::parse_words(&words) {
            Ok(line) => Ok(line),
            Err(error) => Err(mail.inbox.service.not_understood(tx, error)?),
        };
        commands.push(RequestedCommand::new(line, None));
    }
    Ok(RequestedCommands { commands, remarks: found.stopped.map(Remark::not_read).into_iter().collect() })
}

/// The commands of a mail that answers no letter.
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

/// The question which of a letter's boards a line is meant for, with the line for each.
fn which_board(holder: &TokenHolder, reply: &ReplyLine) -> Rejection {
    let line = reply.example();
    let examples: Vec<String> = holder.numbers().map(|number| format!("\"{number} {line}\"")).collect();
    let boards: Vec<String> = holder.numbers().map(|number| number.to_string()).collect();
    Rejection { message: message!("mail.which-board", boards, examples), ..Rejection::default() }
}

/// Takes the passwords of the mail's commands out of its comments: what stands below one command may be the end of
/// another.
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

/// The commands of a mail that answers a letter.
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
        let is_short_move = line.reply().is_some_and(ReplyLine::is_move);
        let line = match (line, token) {
            (MeantLine::Whole(line), _) => whole_command(tx, mail, line)?,
            // In answer to a letter about several boards, only a move may leave the number out, and only where one
            // board waits for it. What stands below it is meant for the same board.
            (MeantLine::Short(line), ReplyToken::Valid(holder))
                if holder.is_of_several() && !(move_first && holder.knows_where_to_move()) =>
            {
                Err(which_board(holder, &line))
            }
            (MeantLine::Short(line), ReplyToken::Valid(holder)) => completed(tx, mail, holder, &line.words(holder))?,
            (MeantLine::Look(verb), ReplyToken::Valid(holder)) => {
                let of = if verb == HISTORY { holder.granted.board.to_string() } else { holder.granted.userid.clone() };
                completed(tx, mail, holder, &[holder.game.clone(), verb.to_owned(), of])?
            }
            (MeantLine::Account(words), ReplyToken::Valid(holder)) => {
                let (verb, rest) = (words[..1].iter(), words[1..].iter());
                let own = [holder.granted.userid.clone(), "-".to_owned()];
                let words: Vec<String> = verb.chain(&own).chain(rest).cloned().collect();
                completed(tx, mail, holder, &words)?
            }
            (MeantLine::Numbered(NumberedLine::At { board, said }), ReplyToken::Valid(holder)) => {
                let Some(holder) = holder.at(board) else { continue };
                if said.with_password(&holder).is_some() {
                    comment = comment.and_then(|text| text.split_once('\n').map(|(_, below)| below.to_owned()));
                }
                completed(tx, mail, &holder, &said.words(&holder))?
            }
            (MeantLine::Numbered(NumberedLine::Wrong(message)), ReplyToken::Valid(_)) => rejected(message),
            (MeantLine::Unclear { nearest }, ReplyToken::Valid(holder)) => {
                Err(unclear::unclear(tx, mail, holder, nearest)?)
            }
            (MeantLine::Short(_), ReplyToken::AnotherPlayers { board }) => {
                rejected(message!("mail.another-players-letter", board = *board))
            }
            (line, ReplyToken::Unsaid(holder)) => match line.reply() {
                Some(reply) => Err(which_board(holder, reply)),
                None => continue,
            },
            (MeantLine::Short(_) | MeantLine::Numbered(_) | MeantLine::Look(_) | MeantLine::Account(_), _) => {
                rejected(message!("mail.no-token"))
            }
            (MeantLine::Unclear { .. }, _) => continue,
            (MeantLine::MayBePrivate(text), _) => {
                remarks.push(Remark::may_be_private(text));
                continue;
            }
        };
        commands.push(RequestedCommand { line, comment, is_short_move });
    }
    remarks.extend(found.stopped.map(Remark::not_read));
    Ok(RequestedCommands { commands, remarks })
}

/// The command of a line that is written out.
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

/// The command of these words, which a line of a reply stands for.
fn completed(
    tx: &Transaction<'_>,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
    words: &[String],
) -> store::Result<Result<ParsedLine, Rejection>> {
    match command::parse_words(words) {
        Ok(line) => Ok(Ok(line)),
        Err(error) => {
            let board = mail.inbox.service.board_now(tx, holder.granted.board, mail.inbox.now)?.map(Box::new);
            Ok(Err(Rejection { board, ..mail.inbox.service.not_understood(tx, error)? }))
        }
    }
}
