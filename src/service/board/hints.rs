//! Hints: a computer player's expectations after its move, for opponents who want them.

use crate::command::Hints;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::player::Thought;
use crate::service::board::views::HintView;
use crate::store::{self, Hint, Player, Transaction};

/// The number of shown moves after its own.
const LINE: usize = 3;

/// Returns the hint for a move that becomes this entry.
pub(crate) fn hint_of(thought: &Thought, entry: EntryNumber) -> Hint {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 1000")]
    let thousandths = (thought.chance.clamp(0.0, 1.0) * 1_000.0).round() as u32;
    // Without a playout or a proof, there is no evaluation.
    let known = thought.proved || thought.playouts > 0;
    let line = thought.line.iter().skip(1).take(LINE).cloned().collect();
    Hint { entry, chance: known.then_some(thousandths), proved: thought.proved, line }
}

/// Returns the hint at the current position, for a player who wants hints and whose computer opponent made the last
/// move.
pub(crate) fn hint_for(tx: &Transaction<'_>, number: BoardNumber, reader: &Player) -> store::Result<Option<HintView>> {
    if reader.settings.hints == Hints::Off {
        return Ok(None);
    }
    let (Some(hint), Some(board)) = (tx.hint(number)?, tx.board(number)?) else { return Ok(None) };
    let plays = board.players.iter().any(|seated| seated.id == reader.id);
    let told = plays && board.to_move.is_some() && hint.entry == board.entries;
    Ok(told.then(|| view(hint)))
}

fn view(hint: Hint) -> HintView {
    let Hint { entry: _, chance, proved, line } = hint;
    HintView { chance: chance.map(|thousandths| f64::from(thousandths) / 1_000.0), proved, line }
}
