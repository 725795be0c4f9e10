//! Requests and stores analyses of finished boards.

use chrono::{DateTime, Utc};

use crate::message;
use crate::numbers::BoardNumber;
use crate::service::board::analysis::{AnalysisTask, BoardAnalysis, fresh};
use crate::service::board::find::shown_to;
use crate::service::context::{Context, ReadContext, Service};
use crate::service::notice::facts::Notice;
use crate::service::rejection::{Reason, Rejection, RequestResult, split_rejection_without_password};
use crate::service::request::{Origin, Request};
use crate::service::response::Response;
use crate::store::{self, Asker, Board, NoResult, ShownTo, StoreError, StoredAnalysis, Transaction};

/// The maximum number of analyses that a player can wait for at the same time.
const MOST_WAITING: usize = 5;

impl ReadContext<'_> {
    /// Returns the board, which must be finished, because players get no help during a game.
    fn finished_board(&self, number: BoardNumber) -> RequestResult<Board> {
        let board = self.board(None, number)?;
        let word = number.to_string();
        match (&board.result, board.no_result) {
            (Some(_), _) | (None, Some(NoResult::Abandoned)) => Ok(board),
            (None, Some(_)) => self.request.refuse(&word, message!("service.board-out-of-play", number)),
            (None, None) => self.request.refuse(&word, message!("service.no-analysis-in-progress", number)),
        }
    }
}

impl Context<'_, '_> {
    /// Answers with the analysis of a board, or queues it.
    pub(crate) fn analyse(&mut self, number: BoardNumber) -> RequestResult<Response> {
        let reading = self.reading();
        let board = reading.finished_board(number)?;
        let known = BoardAnalysis::of(self.tx, &board)?;
        if known.analysis.is_some() {
            return Ok(Response::Analysed(known));
        }
        let asker = match shown_to(self.tx, &self.request.from)? {
            ShownTo::Administrator => None,
            ShownTo::Player(player) => {
                let by_letter = matches!(self.request.from, Origin::Mail { .. });
                Some(Asker { player, by_letter })
            }
            ShownTo::Everybody => {
                let rejection = self.rejection(&number.to_string(), message!("service.analysis-for-players", number));
                return Err(rejection.because(Reason::Unknown).into());
            }
        };
        self.wait_for_analysis(&board, asker)?;
        let by_letter = asker.is_some_and(|asker| asker.by_letter);
        Ok(Response::Analysed(BoardAnalysis { waits: true, by_letter, ..known }))
    }

    /// Records that a player waits for the analysis of a board.
    fn wait_for_analysis(&mut self, board: &Board, asker: Option<Asker>) -> RequestResult<()> {
        let waiting = self.tx.waiting_analyses()?;
        let is_own = |waiting: &&StoredAnalysis| {
            waiting.askers.iter().any(|of| Some(of.player) == asker.map(|asker| asker.player))
        };
        let others = waiting.iter().filter(|waiting| waiting.board != board.number).filter(is_own).count();
        if others >= MOST_WAITING {
            let number = board.number.to_string();
            let rejection = self.rejection(&number, message!("service.too-many-analyses", most = MOST_WAITING));
            return Err(rejection.because(Reason::TooOften).into());
        }
        // An analysis of an earlier record, or an unreadable one, is computed again.
        let known = fresh(self.tx, board)?.filter(|known| known.analysis.is_none());
        let mut wanted = known.unwrap_or_else(|| StoredAnalysis {
            board: board.number,
            head: board.head.clone(),
            asked_at: self.now(),
            askers: Vec::new(),
            analysis: None,
        });
        if let Some(asker) = asker {
            match wanted.askers.iter_mut().find(|known| known.player == asker.player) {
                Some(known) => known.by_letter |= asker.by_letter,
                None => wanted.askers.push(asker),
            }
        }
        // Fail now, not in the worker, if the board's record cannot be replayed.
        AnalysisTask::new(board, &self.tx.entries(board.number)?)?;
        self.tx.put_analysis(&wanted)?;
        Ok(())
    }
}

impl Service<'_> {
    /// Returns the state of a finished board's analysis. Does not request it.
    ///
    /// # Errors
    /// If the store fails. A [`Rejection`] if the requester may not see the board, or it is in progress.
    pub fn board_analysis(
        &self,
        tx: &Transaction<'_>,
        request: &Request,
        number: BoardNumber,
    ) -> store::Result<Result<BoardAnalysis, Rejection>> {
        let board = split_rejection_without_password(ReadContext { tx, request }.finished_board(number))?;
        board.map_or_else(|rejection| Ok(Err(rejection)), |board| BoardAnalysis::of(tx, &board).map(Ok))
    }

    /// Returns the analysis that has waited longest; `None` if none is waiting. Skips the boards in `except`, and
    /// boards whose records cannot be replayed.
    ///
    /// # Errors
    /// If the store fails.
    pub fn next_analysis(&self, tx: &Transaction<'_>, except: &[BoardNumber]) -> store::Result<Option<AnalysisTask>> {
        for waiting in tx.waiting_analyses()? {
            if !except.contains(&waiting.board)
                && let Some(board) = tx.board(waiting.board)?.filter(|board| is_meant(board, &waiting))
            {
                match AnalysisTask::new(&board, &tx.entries(board.number)?) {
                    Err(StoreError::WrongRecord(_)) => {}
                    task => return task.map(Some),
                }
            }
        }
        Ok(None)
    }

    /// Stores a finished analysis, and notifies the players who requested it by mail. Returns the number of notified
    /// players. Ignores the analysis if the board has changed since.
    ///
    /// # Errors
    /// If the store fails.
    pub fn keep_analysis(
        &self,
        tx: &mut Transaction<'_>,
        task: &AnalysisTask,
        now: DateTime<Utc>,
    ) -> store::Result<usize> {
        let Some((board, waiting)) = task.due(tx)? else { return Ok(0) };
        let made = StoredAnalysis { analysis: Some(task.to_json()?), askers: Vec::new(), ..waiting.clone() };
        tx.put_analysis(&made)?;
        let notice = Notice::Analysis(BoardAnalysis::of(tx, &board)?);
        let mut notified = 0;
        for asker in waiting.askers.iter().filter(|asker| asker.by_letter) {
            // A player who was removed or has left has no address.
            if !tx.addresses(asker.player)?.is_empty() {
                self.write_to(tx, &notice, asker.player, now)?;
                notified += 1;
            }
        }
        Ok(notified)
    }
}

impl AnalysisTask {
    /// Returns whether the analysis is still needed.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_due(&self, tx: &Transaction<'_>) -> store::Result<bool> {
        Ok(self.due(tx)?.is_some())
    }

    /// Returns the board and the awaited analysis; `None` if the board has changed since or the analysis is finished.
    fn due(&self, tx: &Transaction<'_>) -> store::Result<Option<(Board, StoredAnalysis)>> {
        let (Some(board), Some(waiting)) = (tx.board(self.board)?, tx.analysis(self.board)?) else { return Ok(None) };
        let is_due = is_meant(&board, &waiting) && waiting.head == self.head && waiting.analysis.is_none();
        Ok(is_due.then_some((board, waiting)))
    }
}

/// Returns whether the queued analysis is for the current record of the board.
fn is_meant(board: &Board, waiting: &StoredAnalysis) -> bool {
    let has_ended = board.result.is_some() || board.no_result == Some(NoResult::Abandoned);
    has_ended && board.head == waiting.head
}
