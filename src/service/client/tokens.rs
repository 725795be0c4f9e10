//! Tokens with which players' programs authenticate instead of a password.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::Span;
use crate::message;
use crate::service::comment;
use crate::service::context::Service;
use crate::service::rejection::Rejection;
use crate::store::{self, PersonalToken, Player, PlayerId, Transaction};
use crate::text::Message;

/// The prefix of every token, which makes a leaked token recognizable.
const PREFIX: &str = "tp_";
/// The number of random letters in a token, five bits each.
const LETTERS: usize = 40;
/// The maximum number of tokens of a player.
const MAX_TOKENS: usize = 20;
/// The maximum length of a token's label, in characters.
const MAX_LABEL: usize = 60;
/// The precision of a token's recorded last use. Writing on every request would be too expensive.
const USE_RECORDED: TimeDelta = TimeDelta::hours(1);

/// A token as its player sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenRow {
    /// The id by which it is revoked.
    pub id: String,
    /// The player's name for it.
    pub label: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the hour; `null` for never.
    pub used_at: Option<DateTime<Utc>>,
}

/// The owner of a token.
#[derive(Clone, Debug)]
pub struct TokenOwner {
    /// The player.
    pub player: Player,
    /// Whether to record this use of the token ([`Service::record_token_use`]).
    pub record_use: bool,
}

impl TokenRow {
    fn of(token: &PersonalToken) -> TokenRow {
        let PersonalToken { hash, label, created_at, used_at, .. } = token;
        let id = crate::text::hex(&hash[..4]);
        TokenRow { id, label: label.clone(), created_at: *created_at, used_at: *used_at }
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

impl Service<'_> {
    /// Creates a token for a player. Returns its text, which is not stored, and its row.
    ///
    /// # Errors
    /// If the store fails.
    pub fn make_token(
        &self,
        tx: &mut Transaction<'_>,
        player: PlayerId,
        label: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Result<(String, TokenRow), Rejection>> {
        let rejected =
            |message: Message, not_understood| Ok(Err(Rejection { message, not_understood, ..Rejection::default() }));
        let label = comment::clean(label).replace('\n', " ");
        if label.is_empty() || label.chars().count() > MAX_LABEL {
            return rejected(message!("client.token-label", most = MAX_LABEL), true);
        }
        if tx.tokens(player)?.len() >= MAX_TOKENS {
            return rejected(message!("client.too-many-tokens", most = MAX_TOKENS), false);
        }
        let text = format!("{PREFIX}{}", self.world.letters(LETTERS));
        let token = PersonalToken { hash: hash(&text), player, label, created_at: now, used_at: None };
        tx.add_token(&token)?;
        Ok(Ok((text, TokenRow::of(&token))))
    }

    /// Returns the owner of this token.
    ///
    /// # Errors
    /// If the store fails.
    pub fn player_by_token(
        &self,
        tx: &Transaction<'_>,
        text: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Option<TokenOwner>> {
        let Some(token) = tx.token(&hash(text))? else { return Ok(None) };
        let player =
            tx.player_by_id(token.player)?.filter(|player| player.left_at.is_none() && player.blocked_at.is_none());
        let recorded = Span::last(USE_RECORDED, now);
        let record_use = token.used_at.is_none_or(|used| !recorded.contains(used));
        Ok(player.map(|player| TokenOwner { player, record_use }))
    }

    /// Records that a token was used.
    ///
    /// # Errors
    /// If the store fails.
    pub fn record_token_use(&self, tx: &mut Transaction<'_>, text: &str, now: DateTime<Utc>) -> store::Result<()> {
        tx.token_used(&hash(text), now)
    }

    /// Returns a player's tokens, the oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub fn tokens(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<TokenRow>> {
        Ok(tx.tokens(player)?.iter().map(TokenRow::of).collect())
    }

    /// Revokes a player's token by its id. Returns false if the player has no such token.
    ///
    /// # Errors
    /// If the store fails.
    pub fn revoke_token(&self, tx: &mut Transaction<'_>, player: PlayerId, id: &str) -> store::Result<bool> {
        let tokens = tx.tokens(player)?;
        let token = tokens.iter().find(|token| TokenRow::of(token).id == id);
        token.map_or(Ok(false), |token| tx.remove_token(&token.hash).map(|()| true))
    }
}
