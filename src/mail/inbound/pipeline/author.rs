//! The author of a message, and the address for answers.

use super::super::commands::earlier_question;
use super::super::numbered::named_boards;
use super::super::reply_token::{
    AskedOwner, Correspondent, ReplyToken, TokenHolder, owner_asked_earlier, reply_token, thread_boards, with_boards,
};
use super::conversation::{Conversation, answer_address};
use super::stage::{CurrentMail, Stage};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::block_of;
use crate::store::Transaction;

/// The author of a message.
pub(crate) struct Author<'a> {
    pub(crate) token: ReplyToken,
    pub(crate) conversation: Conversation<'a>,
    /// The boards whose threads the message belongs to.
    thread: Vec<BoardNumber>,
}

impl Author<'_> {
    /// Returns whether the author is a player with a valid token or a confirmed address.
    pub(crate) fn is_known(&self) -> bool {
        self.conversation.player.is_some()
    }

    /// Returns the player to whom the message's token was issued.
    pub(crate) fn token_holder(&self) -> Option<&TokenHolder> {
        match &self.token {
            ReplyToken::Valid(holder) => Some(holder),
            ReplyToken::Missing
            | ReplyToken::Invalid
            | ReplyToken::Unsaid(_)
            | ReplyToken::AnotherPlayers { .. }
            | ReplyToken::OfMessage(_)
            | ReplyToken::OfPuzzle(_)
            | ReplyToken::OfQuestion(_) => None,
        }
    }

    /// Returns the owner of an address who answers the question whether it belongs to a player.
    pub(crate) fn asked_owner(&self) -> Option<&AskedOwner> {
        match &self.token {
            ReplyToken::OfQuestion(asked) => Some(asked),
            _ => None,
        }
    }

    /// Returns the boards among which the author must choose.
    pub(crate) fn choice(&self) -> Vec<BoardNumber> {
        match &self.token {
            ReplyToken::Valid(holder) if holder.is_of_several() => holder.numbers().collect(),
            ReplyToken::Unsaid(holder) => holder.numbers().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the boards of the answered letter or thread.
    pub(crate) fn answered(&self) -> Vec<BoardNumber> {
        match &self.token {
            ReplyToken::Valid(holder) => holder.numbers().collect(),
            ReplyToken::AnotherPlayers { board } => vec![*board],
            _ => self.thread.clone(),
        }
    }

    /// Returns the player who answers a message, and the message's writer.
    pub(crate) fn correspondent(&self) -> Option<&Correspondent> {
        match &self.token {
            ReplyToken::OfMessage(correspondent) => Some(correspondent),
            _ => None,
        }
    }
}

/// Finds the author by the reply token, or otherwise by the sender.
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
    let token = with_boards(tx, token, sender, &mail.addressing, own_address, &names)?;
    let (address, player) = match &token {
        ReplyToken::Valid(holder) => (answer_address(tx, &holder.player, sender)?, Some(holder.player.clone())),
        ReplyToken::OfMessage(of) => (answer_address(tx, &of.player, sender)?, Some(of.player.clone())),
        ReplyToken::OfPuzzle(of) => (answer_address(tx, &of.player, sender)?, Some(of.player.clone())),
        ReplyToken::Missing
        | ReplyToken::Invalid
        | ReplyToken::Unsaid(_)
        | ReplyToken::AnotherPlayers { .. }
        | ReplyToken::OfQuestion(_) => (Some(sender.clone()), tx.player_by_address(sender)?),
    };
    if player.as_ref().is_some_and(|player| player.blocked_at.is_some()) {
        return mail.ignored_request(tx, message!("verdict.blocked-sender"));
    }
    let conversation = Conversation::new(mail, address, player);
    let conversation = match &token {
        ReplyToken::Valid(_) | ReplyToken::OfMessage(_) | ReplyToken::OfPuzzle(_) => conversation.proved(),
        ReplyToken::Missing
        | ReplyToken::Invalid
        | ReplyToken::Unsaid(_)
        | ReplyToken::AnotherPlayers { .. }
        | ReplyToken::OfQuestion(_) => conversation,
    };
    Ok(Author { token, conversation, thread })
}
