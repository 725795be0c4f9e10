//! The meaning of one line of a reply to a letter.

use super::account_line::AccountLine;
use super::board_line::BoardLine;
use super::commands::FoundLine;
use super::numbered::{NumberedLine, Said};
use super::reply_line::{Audience, NOTE, ReplyLine};
use crate::command::ReplyForm;

#[derive(Clone)]
pub(crate) enum MeantLine {
    Whole(FoundLine),
    /// A line without the parts that the letter already contains.
    Short(ReplyLine),
    /// A line with a board number, before a reply or after its verb.
    Numbered(NumberedLine),
    /// A line that shows the letter's board or its game, or chooses the letters about them.
    Look(BoardLine),
    /// A command about the reader's account, without userid and password.
    Account(AccountLine),
    /// An ambiguous line. The answer quotes the comment of this line to its writer.
    Unclear {
        /// The verb or move that the writer most likely meant, to suggest in the answer.
        nearest: Option<String>,
    },
    /// Text that is not sent to other players, because it may be private.
    MayBePrivate(String),
    /// Text that is not sent to anybody, because no command above it sends text.
    ForNobody(String),
}

impl MeantLine {
    /// Returns the line of a reply, with or without a board number.
    pub(crate) fn reply(&self) -> Option<&ReplyLine> {
        match self {
            MeantLine::Short(line) => Some(line),
            MeantLine::Numbered(NumberedLine::At { said, .. }) => said.reply(),
            _ => None,
        }
    }

    /// Returns whether the line shows something or chooses letters. Such lines take no text.
    fn looks(&self) -> bool {
        matches!(self, MeantLine::Look(_) | MeantLine::Numbered(NumberedLine::At { said: Said::Look(_), .. }))
    }

    /// Returns whether text below the line belongs to it.
    pub(crate) fn takes_text(&self) -> bool {
        match self {
            MeantLine::Account(line) => line.takes_text(),
            MeantLine::Whole(line) => line.takes_text(),
            _ => !self.looks() && !self.prepares(),
        }
    }

    /// Returns whether the line prepares something that the opponent must not see.
    pub(crate) fn prepares(&self) -> bool {
        self.reply().is_some_and(ReplyLine::prepares)
    }

    /// Returns whether the line blocks or unblocks a player, who must not read the text below it.
    pub(crate) fn blocks(&self) -> bool {
        match self {
            MeantLine::Account(line) => line.blocks(),
            MeantLine::Whole(line) => line.blocks(),
            _ => false,
        }
    }

    /// Returns whether the line is not a valid command.
    pub(crate) fn is_wrong(&self) -> bool {
        match self {
            MeantLine::Whole(line) => line.is_wrong(),
            MeantLine::Numbered(NumberedLine::At { said, .. }) => matches!(said, Said::Other(_)),
            MeantLine::Numbered(NumberedLine::Wrong(_)) => true,
            MeantLine::Short(_)
            | MeantLine::Look(_)
            | MeantLine::Account(_)
            | MeantLine::Unclear { .. }
            | MeantLine::MayBePrivate(_)
            | MeantLine::ForNobody(_) => false,
        }
    }

    /// Returns the comment or note on the line itself, if this is a line of a reply.
    pub(crate) fn said(&self) -> Option<String> {
        self.reply()?.said.clone()
    }

    /// Returns who reads the text below the line.
    pub(crate) fn audience(&self) -> Audience {
        match (self, self.reply()) {
            (_, Some(line)) => match (line.verb.reply, line.verb.name) {
                (ReplyForm::Text, NOTE) => Audience::Writer,
                (ReplyForm::Text, _) => Audience::Addressed,
                _ => Audience::Players,
            },
            (MeantLine::Whole(line), None) => line.audience(),
            (MeantLine::Account(line), None) if line.is_message() => Audience::Addressed,
            (_, None) => Audience::Writer,
        }
    }
}
