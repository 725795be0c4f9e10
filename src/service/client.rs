//! Functions for programs that players write: personal tokens, legal moves, and the comments and lists of boards.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::context::{ReadContext, Service};
use super::rejection::{Rejection, split_rejection_without_password};
use super::request::{self, Origin, Request};
use crate::clock::Span;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::{MoveList, Sets};
use crate::service::board::find::shown_to;
use crate::service::board::players::game_rows;
use crate::service::board::replay::ReplayedBoard;
use crate::service::board::view;
use crate::service::board::views::{BoardRow, GameRow};
use crate::store::{self, Board, PersonalToken, Player, PlayerId, ProposalKind, Transaction};
use crate::text::Message;

/// A comment at a board, with its author and time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Remark")]
pub struct BoardComment {
    /// The entry with or after which the comment was written; 0 for the challenge.
    pub entry: EntryNumber,
    /// The userid of the author.
    pub userid: String,
    /// The text.
    pub text: String,
    /// When the comment was written.
    pub said_at: DateTime<Utc>,
}

/// The legal moves of a board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Legal")]
pub struct LegalMoves {
    /// The number of current plies. A move played now is the next one.
    pub plies: Ply,
    /// The userid of the player to move; `null` if the game has ended.
    pub to_move: Option<String>,
    /// Every legal move in canonical form, in board order; empty if the game has ended, or if `sets` describes them.
    pub moves: Vec<String>,
    /// The legal moves as sets, if a game has too many to list; otherwise `null`.
    pub sets: Option<Sets>,
}

/// Returns the board with this number, if the requester may see it.
pub(crate) fn visible_board(
    tx: &Transaction<'_>,
    from: Origin,
    number: BoardNumber,
    now: DateTime<Utc>,
) -> store::Result<Result<Board, Rejection>> {
    split_rejection_without_password(
        ReadContext { tx, request: &Request::without_line(from, None, now) }.board(None, number),
    )
}

impl Service<'_> {
    /// Returns the name of a board's game, if the requester may see the board.
    ///
    /// # Errors
    /// If the store fails.
    pub fn game_of_visible_board(
        &self,
        tx: &Transaction<'_>,
        from: Origin,
        number: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Result<String, Rejection>> {
        Ok(visible_board(tx, from, number, now)?.map(|board| board.game))
    }

    /// Returns the legal moves of a board, if the requester may see the board.
    ///
    /// # Errors
    /// If the store fails.
    pub fn legal_moves(
        &self,
        tx: &Transaction<'_>,
        from: Origin,
        number: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Result<LegalMoves, Rejection>> {
        let board = match visible_board(tx, from, number, now)? {
            Ok(board) => board,
            Err(rejection) => return Ok(Err(rejection)),
        };
        let list = match board.to_move {
            Some(_) => ReplayedBoard::after(&board, &tx.entries(board.number)?)?.position().move_list(),
            None => MoveList::Texts(Vec::new()),
        };
        let (moves, sets) = match list {
            MoveList::Texts(moves) => (moves, None),
            MoveList::Sets(sets) => (Vec::new(), Some(sets)),
        };
        let to_move = board.to_move.map(|seat| board.players[seat.index()].userid.clone());
        Ok(Ok(LegalMoves { plies: board.plies, to_move, moves, sets }))
    }

    /// Returns the kind of a board's open proposal, if any.
    ///
    /// # Errors
    /// If the store fails.
    pub fn open_proposal(&self, tx: &Transaction<'_>, number: BoardNumber) -> store::Result<Option<ProposalKind>> {
        Ok(tx.board(number)?.and_then(|board| board.proposal).map(|proposal| proposal.kind))
    }

    /// Returns the comments of a board up to an entry of its record, if the requester may read them.
    ///
    /// # Errors
    /// If the store fails.
    pub fn board_comments(
        &self,
        tx: &Transaction<'_>,
        from: &Origin,
        number: BoardNumber,
        entry: EntryNumber,
    ) -> store::Result<Vec<BoardComment>> {
        let mut comments = Vec::new();
        let reader = shown_to(tx, from)?;
        let Some(board) = tx.board(number)? else { return Ok(comments) };
        let hidden = view::hidden_writers(tx, &board, reader)?;
        for comment in tx.comments(number)?.into_iter().filter(|comment| comment.entry <= entry) {
            let author = tx.player_by_id(comment.player)?;
            let userid = author.map(|player| player.userid).unwrap_or_default();
            if hidden.contains(&userid) {
                continue;
            }
            comments.push(BoardComment { entry: comment.entry, userid, text: comment.text, said_at: comment.said_at });
        }
        Ok(comments)
    }

    /// Reads at most `most` boards of a game, by number, starting after the number `after`, and returns the public
    /// ones. Also returns the number after which to continue, if there may be more boards.
    ///
    /// # Errors
    /// If the store fails.
    pub fn boards_of_game(
        &self,
        tx: &Transaction<'_>,
        game: &str,
        after: BoardNumber,
        most: u32,
    ) -> store::Result<(Vec<BoardRow>, Option<BoardNumber>)> {
        let boards = tx.boards_after(Some(game), None, after, most)?;
        let next = boards.last().filter(|_| boards.len() == most as usize).map(|board| board.number);
        let rows = boards.iter().filter(|board| !board.terms.flags.private).map(|board| view::row(tx, board));
        Ok((rows.collect::<store::Result<_>>()?, next))
    }

    /// Returns the games of this server.
    ///
    /// # Errors
    /// If the store fails.
    pub fn games(&self, tx: &Transaction<'_>) -> store::Result<Vec<GameRow>> {
        game_rows(tx, &[], self.policy)
    }
}

/// The prefix of every token, which makes a leaked token recognizable.
const PREFIX: &str = "tp_";
/// The number of random letters in a token, five bits each.
const LETTERS: usize = 40;
/// The maximum number of tokens of a player.
const MAX_TOKENS: usize = 20;
/// The maximum length of a token's label, in characters.
const MAX_LABEL: usize = 60;
/// The minimum time between two updates of a token's recorded last use. An update on every request would be too
/// expensive.
const USE_RECORDED: TimeDelta = TimeDelta::hours(1);

/// A personal token as its player sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenRow {
    /// The id by which the token is revoked.
    pub id: String,
    /// The player's name for the token.
    pub label: String,
    /// When the token was created.
    pub created_at: DateTime<Utc>,
    /// When the token was last used, to the hour; `null` for never.
    pub used_at: Option<DateTime<Utc>>,
}

/// The owner of a personal token.
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
        let label = request::clean(label).replace('\n', " ");
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
