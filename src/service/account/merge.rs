//! Merges two accounts of the same person.

use chrono::{DateTime, Utc};

use crate::numbers::BoardNumber;
use crate::store::{self, Board, Player, PlayerRef, Transaction};

use crate::service::account::administered::rename_in_mails;
use crate::service::account::erase::{Written, rename_in_facts};
use crate::service::board::robots::is_kept_for_robots;
use crate::service::board::{clocks, rate};
use crate::service::context::Service;
use crate::service::notice::reach;

/// Why two players cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMerged {
    /// They are the same player.
    Same,
    /// One of them is a computer player.
    Robots,
    /// They played each other on these boards. After a merge, these games would be against oneself.
    Together(Vec<BoardNumber>),
}

/// Lists the boards that one player would take over from another, both active and finished, or says why they cannot
/// merge.
///
/// # Errors
/// If the store fails.
pub fn boards_to_merge(
    tx: &Transaction<'_>,
    old: &Player,
    new: &Player,
) -> store::Result<Result<Vec<Board>, NotMerged>> {
    if old.id == new.id {
        return Ok(Err(NotMerged::Same));
    }
    if is_kept_for_robots(&old.userid) || is_kept_for_robots(&new.userid) {
        return Ok(Err(NotMerged::Robots));
    }
    let boards = tx.boards(None, Some(old.id), false)?;
    let together = boards.iter().filter(|board| board.players.iter().any(|seated| seated.id == new.id));
    let together: Vec<BoardNumber> = together.map(|board| board.number).collect();
    if !together.is_empty() {
        return Ok(Err(NotMerged::Together(together)));
    }
    Ok(Ok(boards))
}

impl Service<'_> {
    /// Transfers everything from one player to another, recomputes the ratings, and removes the first. Returns the
    /// number of transferred boards. Boards keep the first hash, which contains the original userids.
    ///
    /// # Errors
    /// If the store fails.
    pub fn merge_players(
        &self,
        tx: &mut Transaction<'_>,
        old: &Player,
        new: &Player,
        now: DateTime<Utc>,
    ) -> store::Result<Result<usize, NotMerged>> {
        let boards = match boards_to_merge(tx, old, new)? {
            Ok(boards) => boards,
            Err(why) => return Ok(Err(why)),
        };
        let first_rated = boards.iter().filter_map(|board| board.rated_as).min();
        let rated = first_rated.map(|position| rate::un_rate_from(tx, position)).transpose()?;
        let mut waiting = clocks::count_up(tx, old, now)?;
        let before = reach::before_change(tx, new, now)?;
        tx.merge_players(old.id, new.id)?;
        for seated in waiting.iter_mut().flat_map(|board| &mut board.players) {
            if seated.id == old.id {
                *seated = PlayerRef { id: new.id, userid: new.userid.clone() };
            }
        }
        clocks::rewind(tx, waiting)?;
        reach::after_change(tx, new, before, now)?;
        rate::rate_again(tx, &rated.unwrap_or_default())?;
        rename_in_facts(tx, &old.userid, &new.userid, Written::Kept)?;
        rename_in_mails(tx, &old.userid, &new.userid)?;
        Ok(Ok(boards.len()))
    }
}
