//! Asking for the analysis of a finished board, and making what was asked for.

use chrono::{DateTime, Utc};

use crate::message;
use crate::numbers::BoardNumber;
use crate::service::board::analysis::{AnalysisTask, BoardAnalysis, fresh};
use crate::service::board::find::shown_to;
use crate::service::context::{Context, ReadContext, Service};
use crate::service::notice::facts::Notice;
use crate::service::rejection::{Reason, Rejection, RequestResult, settled_without_password};
use crate::service::request::{Origin, Request};
use crate::service::response::Response;
use crate::store::{self, Asker, Board, NoResult, ShownTo, StoredAnalysis, Transaction};

/// How many analyses a player can wait for at a time.
const MOST_WAITING: usize = 5;

impl ReadContext<'_> {
    /// The board, which must be finished: nobody gets help with a game in progress.
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
    /// Answers with the analysis of a board, or has it made.
    pub(in crate::service) fn analyse(&mut self, number: BoardNumber) -> RequestResult<Response> {
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

    /// Notes that an asker waits for the analysis of a board.
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
        // What was made of another record, or cannot be read, is made again.
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
        // A board that cannot be analysed is told now.
        AnalysisTask::new(board, &self.tx.entries(board.number)?)?;
        self.tx.put_analysis(&wanted)?;
        Ok(())
    }
}

impl Service<'_> {
    /// What is known of the analysis of a finished board, for whoever may see the board; nothing is asked for by it.
    ///
    /// # Errors
    /// The store's. A [`Rejection`] when the requester may not see the board, or it is in progress.
    pub fn board_analysis(
        &self,
        tx: &Transaction<'_>,
        request: &Request,
        number: BoardNumber,
    ) -> store::Result<Result<BoardAnalysis, Rejection>> {
        let board = settled_without_password(ReadContext { tx, request }.finished_board(number))?;
        board.map_or_else(|rejection| Ok(Err(rejection)), |board| BoardAnalysis::of(tx, &board).map(Ok))
    }

    /// The analysis that has been waited for longest, but for those of these boards; `None`: nobody waits.
    ///
    /// # Errors
    /// The store's; also when the board does not replay.
    pub fn next_analysis(&self, tx: &Transaction<'_>, except: &[BoardNumber]) -> store::Result<Option<AnalysisTask>> {
        for waiting in tx.waiting_analyses()? {
            if !except.contains(&waiting.board)
                && let Some(board) = tx.board(waiting.board)?.filter(|board| is_meant(board, &waiting))
            {
                return AnalysisTask::new(&board, &tx.entries(board.number)?).map(Some);
            }
        }
        Ok(None)
    }

    /// Keeps an analysis that was made, and tells those who wait for a letter; gives how many they are. Of a board that has
    /// changed since, it counts for nothing.
    ///
    /// # Errors
    /// The store's.
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
        let mut told = 0;
        for asker in waiting.askers.iter().filter(|asker| asker.by_letter) {
            // A player who has been removed or has left has no address.
            if !tx.addresses(asker.player)?.is_empty() {
                self.write_to(tx, &notice, asker.player, now)?;
                told += 1;
            }
        }
        Ok(told)
    }
}

impl AnalysisTask {
    /// Whether it is still waited for.
    ///
    /// # Errors
    /// The store's.
    pub fn is_due(&self, tx: &Transaction<'_>) -> store::Result<bool> {
        Ok(self.due(tx)?.is_some())
    }

    /// The board, and the analysis that is waited for; `None` when the board has changed since or the analysis was made.
    fn due(&self, tx: &Transaction<'_>) -> store::Result<Option<(Board, StoredAnalysis)>> {
        let (Some(board), Some(waiting)) = (tx.board(self.board)?, tx.analysis(self.board)?) else { return Ok(None) };
        let is_due = is_meant(&board, &waiting) && waiting.head == self.head && waiting.analysis.is_none();
        Ok(is_due.then_some((board, waiting)))
    }
}

/// Whether what waits is the analysis of the board as it is.
fn is_meant(board: &Board, waiting: &StoredAnalysis) -> bool {
    let has_ended = board.result.is_some() || board.no_result == Some(NoResult::Abandoned);
    has_ended && board.head == waiting.head
}
