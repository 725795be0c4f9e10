//! What programs need that is no command: tokens in place of passwords, and boards as a program looks at them.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::command::{Command, ParsedLine, Password, Setting};
use crate::store::{self, Board, PersonalToken, Player, PlayerId, Transaction};

use crate::service::account::settings as account;
use crate::service::board::players::game_rows;
use crate::service::board::replay::ReplayedBoard;
use crate::service::board::view;
use crate::service::board::views::{BoardRow, GameRow};
use crate::service::comment;
use crate::service::context::{Context, ReadContext, Service};
use crate::service::rejection::{Rejection, settled};
use crate::service::request::{Origin, Request};

/// What every token begins with, so that whoever finds one knows what it is.
const MARK: &str = "tp_";
/// Five bits each.
const LETTERS: usize = 40;
/// Tokens that a player may have.
const MOST_TOKENS: usize = 20;
/// The longest name of one, in characters.
const LONGEST_LABEL: usize = 60;
/// How exactly it is noted when a token was used: a write for every request would be one too many.
const USE_NOTED: TimeDelta = TimeDelta::hours(1);

/// A token as its player sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenRow {
    /// What it is revoked by.
    pub id: String,
    /// What its player calls it.
    pub label: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the hour; `null`: never.
    pub used_at: Option<DateTime<Utc>>,
}

/// What somebody said at a board, and when.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// The entry of the record that it came with or after; 0: with the challenge.
    pub entry: u32,
    /// Who.
    pub userid: String,
    /// What.
    pub text: String,
    /// When.
    pub said_at: DateTime<Utc>,
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

/// A request that was no line of the command language.
fn request(from: Origin, now: DateTime<Utc>) -> Request {
    let line = ParsedLine { command: Command::Help { topics: Vec::new() }, say: None, shown: String::new() };
    Request { line, from, comment: None, now }
}

impl Service<'_> {
    /// The player of this userid and password; a wrong one is counted.
    ///
    /// # Errors
    /// The store's.
    pub fn player_by_password(
        &self,
        tx: &mut dyn Transaction,
        userid: &str,
        password: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Result<Player, Rejection>> {
        let password = Password::Given(password.to_owned());
        let request = request(Origin::Visitor, now);
        settled(Context { service: *self, tx, request: &request }.authenticate(userid, &password))
    }

    /// Makes a token for a player; gives its text, which is known from here on to nobody but him.
    ///
    /// # Errors
    /// The store's.
    pub fn make_token(
        &self,
        tx: &mut dyn Transaction,
        player: PlayerId,
        label: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Result<(String, TokenRow), Rejection>> {
        let refused = |message: String, not_understood| {
            Ok(Err(Rejection { message: message.into(), not_understood, ..Rejection::default() }))
        };
        let label = comment::clean(label).replace('\n', " ");
        if label.is_empty() || label.chars().count() > LONGEST_LABEL {
            let message = format!("A token has a label of 1 to {LONGEST_LABEL} characters, which says what it is for.");
            return refused(message, true);
        }
        if tx.tokens(player)?.len() >= MOST_TOKENS {
            return refused(format!("A player has at most {MOST_TOKENS} tokens; revoke one of them first."), false);
        }
        let text = format!("{MARK}{}", self.world.letters(LETTERS));
        let token = PersonalToken { hash: hash(&text), player, label, created_at: now, used_at: None };
        tx.add_token(&token)?;
        Ok(Ok((text, TokenRow::of(&token))))
    }

    /// The player whose token this is, and whether its use is to be noted ([`Service::note_use`]).
    ///
    /// # Errors
    /// The store's.
    pub fn player_by_token(
        &self,
        tx: &dyn Transaction,
        text: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Option<(Player, bool)>> {
        let Some(token) = tx.token(&hash(text))? else { return Ok(None) };
        let player = tx.player_by_id(token.player)?.filter(|player| player.left_at.is_none());
        Ok(player.map(|player| (player, token.used_at.is_none_or(|used| now - used >= USE_NOTED))))
    }

    /// Notes that a token was used.
    ///
    /// # Errors
    /// The store's.
    pub fn note_use(&self, tx: &mut dyn Transaction, text: &str, now: DateTime<Utc>) -> store::Result<()> {
        tx.token_used(&hash(text), now)
    }

    /// A player's tokens, the oldest first.
    ///
    /// # Errors
    /// The store's.
    pub fn tokens(&self, tx: &dyn Transaction, player: PlayerId) -> store::Result<Vec<TokenRow>> {
        Ok(tx.tokens(player)?.iter().map(TokenRow::of).collect())
    }

    /// Revokes a player's token of this id; false when he has none of it.
    ///
    /// # Errors
    /// The store's.
    pub fn revoke_token(&self, tx: &mut dyn Transaction, player: PlayerId, id: &str) -> store::Result<bool> {
        let tokens = tx.tokens(player)?;
        let token = tokens.iter().find(|token| TokenRow::of(token).id == id);
        token.map_or(Ok(false), |token| tx.remove_token(&token.hash).map(|()| true))
    }

    /// What a player has set, as keys and values: `rhythm` and `each`.
    pub fn settings(&self, player: &Player) -> Vec<(String, String)> {
        let texts = account::settings(&player.settings).map(|setting: Setting| setting.to_string());
        let pair = |text: &String| text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        texts.iter().filter_map(pair).collect()
    }

    /// The board of this number, if who asks may see it.
    ///
    /// # Errors
    /// The store's.
    pub fn seen_board(
        &self,
        tx: &dyn Transaction,
        from: Origin,
        number: u32,
        now: DateTime<Utc>,
    ) -> store::Result<Result<Board, Rejection>> {
        settled(ReadContext { tx, request: &request(from, now) }.board(None, number))
    }

    /// Every legal move of a board, as it would be recorded; none when the game is over.
    ///
    /// # Errors
    /// The store's.
    pub fn legal_moves(&self, tx: &dyn Transaction, board: &Board) -> store::Result<Vec<String>> {
        if board.to_move.is_none() {
            return Ok(Vec::new());
        }
        Ok(ReplayedBoard::after(board, &tx.entries(board.number)?)?.position().legal_moves())
    }

    /// What was said at a board up to an entry of its record.
    ///
    /// # Errors
    /// The store's.
    pub fn remarks(&self, tx: &dyn Transaction, board: &Board, entry: u32) -> store::Result<Vec<Remark>> {
        let mut remarks = Vec::new();
        for comment in tx.comments(board.number)?.into_iter().filter(|comment| comment.entry <= entry) {
            let by = tx.player_by_id(comment.player)?;
            let userid = by.map(|player| player.userid).unwrap_or_default();
            remarks.push(Remark { entry: comment.entry, userid, text: comment.text, said_at: comment.said_at });
        }
        Ok(remarks)
    }

    /// A game's boards behind this number that everybody may see, by number; and the number to go on behind, if there may
    /// be more than the `most` that were looked at.
    ///
    /// # Errors
    /// The store's.
    pub fn boards_of_game(
        &self,
        tx: &dyn Transaction,
        game: &str,
        (after, most): (u32, u32),
    ) -> store::Result<(Vec<BoardRow>, Option<u32>)> {
        let boards = tx.boards_after(Some(game), None, after, most)?;
        let next = boards.last().filter(|_| boards.len() == most as usize).map(|board| board.number);
        let rows = boards.iter().filter(|board| !board.private).map(|board| view::row(tx, board));
        Ok((rows.collect::<store::Result<_>>()?, next))
    }

    /// The games.
    ///
    /// # Errors
    /// The store's.
    pub fn games(&self, tx: &dyn Transaction) -> store::Result<Vec<GameRow>> {
        game_rows(tx, &[])
    }
}
