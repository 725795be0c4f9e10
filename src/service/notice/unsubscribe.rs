//! Stopping letters: by what a letter carries, by the page of its link, and by the command.
//!
//! What one press does costs nobody a game without a word. It stops the letters about the board of the letter; who plays
//! there is reminded and told of the end all the same, and their clock runs. All letters are stopped only by who asks for
//! that in so many words.

use chrono::{DateTime, Utc};

use crate::command::UnsolicitedLetters;
use crate::numbers::BoardNumber;
use crate::service::context::Service;
use crate::service::response::{FollowedRow, Response, StoppedLetters};
use crate::store::{self, Act, ActKind, Board, Followed, Following, Player, PlayerId, Settings, Transaction};
use crate::token::{Unsubscribe, UnwantedLetters};

/// What the page of an unsubscribe link asks about.
#[derive(Clone, Debug)]
pub struct UnsubscribeLink {
    /// What the link itself stops.
    pub stops: StoppedLetters,
    /// The board that its letter was about, if about one.
    pub board: Option<BoardNumber>,
    /// Whether the reader plays there.
    pub plays: bool,
    /// Whether the reader follows anything.
    pub follows: bool,
}

/// A choice on that page, in place of what the link itself stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsubscribeChoice {
    /// What the link itself stops.
    Link,
    /// Letters about everything that the reader follows.
    Followed,
    /// All letters that they have not asked for.
    All,
}

impl Service<'_> {
    /// Reads an unsubscribe link; `None` when it is not one of this server's, or its player has left.
    ///
    /// # Errors
    /// The store's.
    pub fn unsubscribe_link(&self, tx: &Transaction<'_>, token: &str) -> store::Result<Option<UnsubscribeLink>> {
        let Some(link) = Unsubscribe::verify(token, &tx.reply_key()?) else { return Ok(None) };
        let Some(player) = reader(tx, link)? else { return Ok(None) };
        let (stops, board) = stopped(link.letters);
        let plays = board.map(|number| tx.board(number)).transpose()?.flatten();
        let plays = plays.is_some_and(|board| plays_on(&board, player.id));
        let follows = !tx.following(player.id)?.is_empty();
        Ok(Some(UnsubscribeLink { stops, board, plays, follows }))
    }

    /// Stops the letters that an unsubscribe link stops, or others that its reader has chosen; `None` as in
    /// [`Service::unsubscribe_link`].
    ///
    /// # Errors
    /// The store's.
    pub fn unsubscribe_by_link(
        &self,
        tx: &mut Transaction<'_>,
        token: &str,
        choice: UnsubscribeChoice,
        now: DateTime<Utc>,
    ) -> store::Result<Option<Response>> {
        let Some(link) = Unsubscribe::verify(token, &tx.reply_key()?) else { return Ok(None) };
        let letters = match choice {
            UnsubscribeChoice::Link => link.letters,
            UnsubscribeChoice::Followed => UnwantedLetters::Followed,
            UnsubscribeChoice::All => UnwantedLetters::All,
        };
        let Some((player, response)) = self.unsubscribe(tx, Unsubscribe { letters, ..link }, now)? else {
            return Ok(None);
        };
        tracing::info!(userid = player.userid, "letters stopped by a link");
        Ok(Some(response))
    }

    /// Stops letters by the token that each of them carries. Gives the reader and the answer to them; `None` when there
    /// is no such player (any more).
    ///
    /// # Errors
    /// The store's.
    pub fn unsubscribe(
        &self,
        tx: &mut Transaction<'_>,
        unsubscribe: Unsubscribe,
        now: DateTime<Utc>,
    ) -> store::Result<Option<(Player, Response)>> {
        let Some(player) = reader(tx, unsubscribe)? else { return Ok(None) };
        let response = self.stop_letters(tx, &player, unsubscribe.letters)?;
        tx.add_act(&Act::of_player(player.id, ActKind::StopLetters, unsubscribe.letters.to_string(), now))?;
        Ok(Some((player, response)))
    }

    /// Stops letters to a player.
    pub(in crate::service) fn stop_letters(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        letters: UnwantedLetters,
    ) -> store::Result<Response> {
        let mut boards = Vec::new();
        match letters {
            UnwantedLetters::Board(number) => boards.extend(stop_board(tx, player.id, number)?),
            UnwantedLetters::Followed => boards = stop_following(tx, player.id)?,
            UnwantedLetters::Boards => {
                for board in tx.boards(None, Some(player.id), true)? {
                    boards.extend(stop_board(tx, player.id, board.number)?);
                }
                boards.extend(stop_following(tx, player.id)?);
            }
            UnwantedLetters::Puzzles => boards = stop_puzzles(tx, player.id)?,
            UnwantedLetters::Messages => set_letters(tx, player, UnsolicitedLetters::Boards)?,
            UnwantedLetters::All => set_letters(tx, player, UnsolicitedLetters::None)?,
        }
        let follows = tx.following(player.id)?;
        let follows = follows.iter().map(|followed| row(tx, followed)).collect::<store::Result<Vec<_>>>()?;
        let (stopped, _) = stopped(letters);
        Ok(Response::Unsubscribed { userid: player.userid.clone(), stopped, boards, follows })
    }
}

/// The player who reads the letters of a token; `None` when they have left or are blocked.
fn reader(tx: &Transaction<'_>, unsubscribe: Unsubscribe) -> store::Result<Option<Player>> {
    let player = tx.player_by_id(PlayerId(unsubscribe.player.into()))?;
    Ok(player.filter(|player| player.left_at.is_none() && player.blocked_at.is_none()))
}

/// What a token stops, for a template, and the one board that it is about.
fn stopped(letters: UnwantedLetters) -> (StoppedLetters, Option<BoardNumber>) {
    match letters {
        UnwantedLetters::Board(number) => (StoppedLetters::Board, Some(number)),
        UnwantedLetters::Followed => (StoppedLetters::Followed, None),
        UnwantedLetters::Boards => (StoppedLetters::Boards, None),
        UnwantedLetters::Messages => (StoppedLetters::Messages, None),
        UnwantedLetters::Puzzles => (StoppedLetters::Puzzles, None),
        UnwantedLetters::All => (StoppedLetters::All, None),
    }
}

/// Stops the letters about one board, played or followed.
fn stop_board(tx: &mut Transaction<'_>, player: PlayerId, number: BoardNumber) -> store::Result<Option<FollowedRow>> {
    let Some(board) = tx.board(number)? else { return Ok(None) };
    tx.follow(player, &Followed::Board(number), None)?;
    let plays = plays_on(&board, player);
    // Who follows the whole game would go on to get them.
    if plays || follows_game(tx, player, &board.game)? {
        tx.set_muted(player, number, true)?;
    }
    Ok(Some(FollowedRow { game: board.game, number: Some(number), plays }))
}

/// Stops the letters about everything that a player follows.
fn stop_following(tx: &mut Transaction<'_>, player: PlayerId) -> store::Result<Vec<FollowedRow>> {
    let mut rows = Vec::new();
    for followed in tx.following(player)? {
        rows.push(row(tx, &followed)?);
        tx.follow(player, &followed.what, None)?;
    }
    Ok(rows)
}

/// Stops the puzzles of the day; gives a row for each of their games.
fn stop_puzzles(tx: &mut Transaction<'_>, player: PlayerId) -> store::Result<Vec<FollowedRow>> {
    let games = tx.gets_puzzles_of(player)?;
    for game in &games {
        tx.set_gets_puzzles(player, game, false)?;
    }
    Ok(games.into_iter().map(|game| FollowedRow { game, number: None, plays: false }).collect())
}

fn row(tx: &Transaction<'_>, followed: &Following) -> store::Result<FollowedRow> {
    Ok(match &followed.what {
        Followed::Game(game) => FollowedRow { game: game.clone(), number: None, plays: false },
        Followed::Board(number) => {
            let game = tx.board(*number)?.map(|board| board.game).unwrap_or_default();
            FollowedRow { game, number: Some(*number), plays: false }
        }
    })
}

fn set_letters(tx: &mut Transaction<'_>, player: &Player, letters: UnsolicitedLetters) -> store::Result<()> {
    // Who has stopped all letters does not get some of them again.
    if player.settings.letters == UnsolicitedLetters::None {
        return Ok(());
    }
    tx.set_settings(player.id, &Settings { letters, ..player.settings.clone() })
}

fn plays_on(board: &Board, player: PlayerId) -> bool {
    board.players.iter().any(|seated| seated.id == player)
}

/// Whether a player follows every board of a game.
pub(in crate::service) fn follows_game(tx: &Transaction<'_>, player: PlayerId, game: &str) -> store::Result<bool> {
    Ok(tx.following(player)?.iter().any(|followed| followed.what == Followed::Game(game.to_owned())))
}
