//! Determines when players are notified, and stops letters at their request: by the `List-Unsubscribe` header of a
//! letter, by a web page, or by a command.
//!
//! A player must not lose a game without notice because of one click. A click stops the letters about one board, but
//! its players are still reminded and notified of the end, and their clocks run. All letters stop only at an explicit
//! request.
//!
//! With the rhythm `once`, a letter about a player's turn on a board is the last one about that board until they act
//! there or have another turn, except reminders and the end. Other letters do not have this effect, and other boards
//! are not affected, so that every turn is announced.

use chrono::{DateTime, Utc};

use super::answer::BoardEntry;
use super::kind::{Due, NoticeKind};
use crate::command::{Rhythm, Settings, UnsolicitedLetters};
use crate::numbers::BoardNumber;
use crate::service::board::clocks;
use crate::service::context::Service;
use crate::service::response::{FollowedRow, Response, StoppedLetters};
use crate::store::{self, Act, ActKind, Followed, Following, Player, PlayerId, Transaction};
use crate::token::{Unsubscribe, UnwantedLetters};

/// The options on the page of an unsubscribe link.
#[derive(Clone, Debug)]
pub struct UnsubscribeLink {
    /// The letters that the link itself stops.
    pub stops: StoppedLetters,
    /// The board of the link's letter, if any.
    pub board: Option<BoardNumber>,
    /// Whether the reader plays on that board, and it has a clock.
    pub plays: bool,
    /// Whether the reader follows any board or game.
    pub follows: bool,
}

/// A choice on the page of an unsubscribe link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsubscribeChoice {
    /// The letters that the link itself stops.
    Link,
    /// Letters about everything that the reader follows.
    Followed,
    /// All unsolicited letters.
    All,
}

impl Service<'_> {
    /// Reads an unsubscribe link; `None` if it is not from this server, or its player has left or is blocked.
    ///
    /// # Errors
    /// If the store fails.
    pub fn unsubscribe_link(&self, tx: &Transaction<'_>, token: &str) -> store::Result<Option<UnsubscribeLink>> {
        let Some(link) = Unsubscribe::verify(token, &tx.reply_key()?) else { return Ok(None) };
        let Some(player) = reader(tx, link)? else { return Ok(None) };
        let (stops, board) = stopped(link.letters);
        let plays = board.map(|number| tx.board(number)).transpose()?.flatten();
        let plays = plays.is_some_and(|board| board.plays(player.id) && board.clock.is_some());
        let follows = !tx.following(player.id)?.is_empty();
        Ok(Some(UnsubscribeLink { stops, board, plays, follows }))
    }

    /// Stops the letters of an unsubscribe link, or others that its reader chose. Returns `None` if
    /// [`Service::unsubscribe_link`] returns `None` for the link.
    ///
    /// # Errors
    /// If the store fails.
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

    /// Stops the letters that the token of an unsubscribe link names. Returns the reader and the response; `None` if
    /// the player has left or is blocked.
    ///
    /// # Errors
    /// If the store fails.
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

    pub(crate) fn stop_letters(
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

/// Returns the player whose letters a token stops; `None` if they have left or are blocked.
fn reader(tx: &Transaction<'_>, unsubscribe: Unsubscribe) -> store::Result<Option<Player>> {
    let player = tx.player_by_id(PlayerId(unsubscribe.player.into()))?;
    Ok(player.filter(|player| player.left_at.is_none() && player.blocked_at.is_none()))
}

/// Returns which letters a token stops, and the board if the token names one.
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
    let plays = board.plays(player);
    // Otherwise, a follower of the whole game would still receive letters about the board.
    if plays || follows_game(tx, player, &board.game)? {
        tx.set_muted(player, number, true)?;
    }
    // A board has no clock after its end, and if one player plays against themselves.
    Ok(Some(FollowedRow { game: board.game, number: Some(number), plays: plays && board.clock.is_some() }))
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

/// Stops the puzzles of the day. Returns a row for each game whose puzzles were stopped.
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
    // If a player has stopped all letters, do not resume some of them.
    if player.settings.letters == UnsolicitedLetters::None {
        return Ok(());
    }
    tx.set_settings(player.id, &Settings { letters, ..player.settings.clone() })
}

/// Returns whether a player follows every board of a game.
pub(crate) fn follows_game(tx: &Transaction<'_>, player: PlayerId, game: &str) -> store::Result<bool> {
    Ok(tx.following(player)?.iter().any(|followed| followed.what == Followed::Game(game.to_owned())))
}

/// The parts of a notice that determine its timing.
#[derive(Clone, Copy)]
pub(crate) struct TimedNotice<'a> {
    pub(crate) kind: NoticeKind,
    pub(crate) about: Option<BoardEntry>,
    /// Whether it is the reader's turn on that board.
    pub(crate) your_turn: bool,
    /// The userid of the acting player.
    pub(crate) actor: Option<&'a str>,
}

impl TimedNotice<'_> {
    /// Returns whether the rhythm `once` holds the notice: its reader was notified of this turn and has not acted
    /// since.
    fn is_silenced(&self, tx: &Transaction<'_>, reader: &Player) -> store::Result<bool> {
        let Some(about) = self.about.filter(|_| !self.kind.ends_board()) else { return Ok(false) };
        // A notice of the reader's own action is not held. It is sent together with the notices that the action
        // releases.
        if self.actor.is_some_and(|actor| actor.eq_ignore_ascii_case(&reader.userid)) {
            return Ok(false);
        }
        let last_letter = tx.turn_letter(reader.id, about.board)?;
        Ok(last_letter.is_some_and(|entry| !self.your_turn || entry == about.entry))
    }
}

impl Service<'_> {
    /// Returns when a notice to a player is due; `None` if it is held, because of the rhythm `once` or because the
    /// player has stopped letters.
    pub(crate) fn due_at(
        &self,
        tx: &Transaction<'_>,
        reader: &Player,
        notice: &TimedNotice<'_>,
        now: DateTime<Utc>,
    ) -> store::Result<Option<DateTime<Utc>>> {
        let due = notice.kind.due();
        if due == Due::Asked {
            return Ok(Some(now));
        }
        if reader.settings.letters == UnsolicitedLetters::None {
            return Ok(None);
        }
        Ok(match reader.settings.rhythm {
            _ if due == Due::AtOnce => Some(now),
            Rhythm::Each => Some(now),
            Rhythm::Daily(hour) => Some(clocks::calendar(tx, reader)?.next_hour(now, hour)),
            Rhythm::Once if notice.is_silenced(tx, reader)? => None,
            Rhythm::Once => Some(now),
        })
    }

    /// Records, for the rhythm `once`, that a notice announces a player's turn. Later notices about the board, except
    /// reminders, the end and another turn, are then held until the player acts.
    pub(crate) fn note_turn_letter(
        &self,
        tx: &mut Transaction<'_>,
        reader: &Player,
        notice: &TimedNotice<'_>,
    ) -> store::Result<()> {
        match notice.about.filter(|_| notice.your_turn && reader.settings.rhythm == Rhythm::Once) {
            Some(about) => tx.set_turn_letter(reader.id, about.board, about.entry),
            None => Ok(()),
        }
    }

    /// Releases the letters that the rhythm `once` holds, because the player has acted. `at` is the board on which the
    /// player acted, if any.
    pub(crate) fn acted(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        at: Option<BoardNumber>,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        if player.settings.rhythm != Rhythm::Once {
            return Ok(());
        }
        if let Some(board) = at {
            tx.forget_turn_letter(player.id, board)?;
        }
        if player.settings.letters != UnsolicitedLetters::None {
            tx.release_held(player.id, now)?;
        }
        Ok(())
    }
}
