//! Lets players leave the server, and erases the addresses of players who have left.
//!
//! The addresses are erased from finished letters and mail immediately. At that time, the message that requested this
//! is still being processed, and its answer is unsent. The addresses are therefore also recorded, and erased from the
//! remaining letters and mail later.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::clock::Span;
use crate::command::EventKind;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::board::open::{Ending, OpenBoard};
use crate::service::context::{Context, Service};
use crate::service::notice::facts::{BoardEvent, Notice};
use crate::service::rejection::RequestResult;
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{self, ActKind, Board, NoResult, Player, Transaction};
use crate::text::replace_word;

/// How long the code that confirms leaving is valid.
const CODE_COUNTS: TimeDelta = TimeDelta::days(7);

/// The boards that ended because their player left or was blocked.
#[derive(Clone, Debug, Default)]
pub struct ClosedBoards {
    /// The boards that the player resigned.
    pub resigned: Vec<BoardNumber>,
    /// The boards that were removed from play, because the player had not moved.
    pub declined: Vec<BoardNumber>,
    /// The boards of leagues that were annulled, because the player had finished less than half of their games.
    pub annulled: Vec<BoardNumber>,
}

impl Context<'_, '_> {
    pub(crate) fn ask_to_sign_off(&mut self, player: &Player) -> RequestResult<Response> {
        self.check_may_sign_off(player)?;
        let code = self.service.world.letters(8);
        self.tx.begin_signoff(player.id, &code, self.request.now)?;
        let boards = self.tx.boards(None, Some(player.id), true)?.iter().map(|board| board.number).collect();
        Ok(Response::SignoffAsked { userid: player.userid.clone(), code, boards })
    }

    pub(crate) fn sign_off(&mut self, player: &Player, code: &str) -> RequestResult<Response> {
        self.check_may_sign_off(player)?;
        let now = self.now();
        let lifetime = Span::last(CODE_COUNTS, now);
        let valid = player
            .signoff
            .as_ref()
            .is_some_and(|asked| asked.code.eq_ignore_ascii_case(code) && lifetime.contains(asked.given_at));
        if !valid {
            return self.refuse(code, message!("service.wrong-signoff-code"));
        }
        let mut addresses = own_addresses(&*self.tx, player)?;
        if let Origin::Mail { sender, .. } = &self.request.from
            && self.tx.player_by_address(sender)?.is_none()
        {
            addresses.push(sender.clone());
        }
        let ClosedBoards { resigned, declined, annulled } = self.close_account(player)?;
        erase_addresses(self.tx, &addresses, now)?;
        self.log_change(player.id, ActKind::Signoff, "")?;
        Ok(Response::SignedOff { userid: player.userid.clone(), resigned, removed: declined, annulled })
    }

    /// Refuses to let an administrator leave, because the configuration would still name their userid.
    fn check_may_sign_off(&self, player: &Player) -> RequestResult<()> {
        match self.service.policy.is_administrator(&player.userid) {
            false => Ok(()),
            true => self.refuse("", message!("service.signoff-of-administrator", userid = player.userid.clone())),
        }
    }

    /// Removes a player's data and ends their boards.
    pub(crate) fn close_account(&mut self, player: &Player) -> RequestResult<ClosedBoards> {
        // Remove the addresses first: the answer informs the player, so no letters about these boards are necessary.
        self.tx.leave(player.id, self.now())?;
        self.close_boards(player)
    }

    /// Removes a player who has left or is blocked from ladders, withdraws their open challenges, and ends their
    /// boards.
    pub(crate) fn close_boards(&mut self, player: &Player) -> RequestResult<ClosedBoards> {
        let now = self.now();
        let running = self.tx.boards(None, Some(player.id), true)?;
        // Free the player's place on every ladder, even if they have no board there.
        for ladder in self.tx.events()?.iter().filter(|event| event.what.kind == EventKind::Ladder) {
            self.service.advance_event(self.tx, ladder.id, self.request.now)?;
        }
        for challenge in self.tx.open_challenges(None)?.iter().filter(|challenge| challenge.challenger.id == player.id)
        {
            self.tx.close_open_challenge(challenge.number, now)?;
        }
        // Advancing an event withdraws the player and ends their boards there.
        for board in &running {
            let is_over = self.tx.board(board.number)?.is_none_or(|board| board.to_move.is_none());
            if let Some((event, _)) = self.tx.event_of_board(board.number)?.filter(|_| !is_over) {
                self.service.advance_event(self.tx, event, self.request.now)?;
            }
        }
        let mut closed = ClosedBoards::default();
        for board in &running {
            match self.tx.board(board.number)? {
                Some(Board { number, to_move: None, result: Some(_), .. }) => closed.resigned.push(number),
                Some(Board { number, to_move: None, result: None, .. }) => closed.annulled.push(number),
                _ => {}
            }
        }
        for board in self.tx.boards(None, Some(player.id), true)? {
            let number = board.number;
            match self.leave_board(player, board)? {
                true => closed.resigned.push(number),
                false => closed.declined.push(number),
            }
        }
        closed.resigned.sort_unstable();
        Ok(closed)
    }

    /// Resigns a board of a leaving player, or removes it if they never moved. Returns whether they resigned.
    fn leave_board(&mut self, player: &Player, board: Board) -> RequestResult<bool> {
        let seats = board.seats_of(player.id);
        let mut open = OpenBoard::open(self.tx, board, self.now())?;
        let resigns = open.has_moved(&seats);
        if resigns {
            let via = self.via();
            open.end(self.tx, Ending::Resignation(seats[0]), via)?;
            self.service.notify(self.tx, self.request, &mut open, BoardEvent::End)?;
        } else {
            open.end_without_result(self.tx, NoResult::Declined, Some(player.id))?;
            let by = player.userid.clone();
            self.service.notify(self.tx, self.request, &mut open, BoardEvent::Decline { by })?;
        }
        Ok(resigns)
    }
}

/// The number of addresses erased in one transaction. To erase an address, the server reads all stored letters and
/// mail, while other writers wait.
const AT_A_TIME: u32 = 1;
/// The replacement for an erased address.
const NO_ADDRESS: &str = "(removed address)";

/// Whether to replace a name in texts that players wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// Leaves these texts unchanged.
    Kept,
    /// Replaces the name in these texts, too.
    Changed,
}

impl Service<'_> {
    /// Returns whether addresses of players who have left can be erased now.
    ///
    /// # Errors
    /// If the store fails.
    pub fn has_left_addresses(tx: &Transaction<'_>) -> store::Result<bool> {
        Ok(!tx.left_addresses(1)?.is_empty())
    }

    /// Erases an address of a player who has left, if no letters or mail with this address are in progress. If a
    /// player has it now, only deletes its record. Returns the number of processed addresses.
    ///
    /// # Errors
    /// If the store fails.
    pub fn erase_left_addresses(tx: &mut Transaction<'_>) -> store::Result<usize> {
        let addresses = tx.left_addresses(AT_A_TIME)?;
        for address in &addresses {
            // A player may have added the address since.
            if tx.player_by_address(address)?.is_none() {
                erase_address(tx, address)?;
            }
            tx.remove_left_address(address)?;
        }
        Ok(addresses.len())
    }
}

/// Returns every address that a player has, had or wrote from, except those that another player has now.
pub(crate) fn own_addresses(tx: &Transaction<'_>, player: &Player) -> store::Result<Vec<String>> {
    let mut own = Vec::new();
    for address in tx.addresses_of_letters(player.id)? {
        if tx.player_by_address(&address)?.is_none_or(|owner| owner.id == player.id) {
            own.push(address);
        }
    }
    Ok(own)
}

/// Erases a leaving player's addresses from all finished letters and mail. Records the addresses, so that they are
/// erased from unfinished letters and mail later.
pub(crate) fn erase_addresses(tx: &mut Transaction<'_>, addresses: &[String], now: DateTime<Utc>) -> store::Result<()> {
    for address in addresses {
        erase_address(tx, address)?;
        tx.add_left_address(address, now)?;
    }
    Ok(())
}

fn erase_address(tx: &mut Transaction<'_>, address: &str) -> store::Result<()> {
    tx.erase_address(address, NO_ADDRESS)?;
    tx.change_texts(address, &|text| replace_word(text, address, NO_ADDRESS))?;
    rename_in_facts(tx, address, NO_ADDRESS, Written::Changed)
}

/// Replaces a userid or an address in the facts of every notice. A userid can also be a keyword of the stored form,
/// such as `draw`. If replacing such a word makes a notice unreadable, the word is restored.
pub(crate) fn rename_in_facts(tx: &mut Transaction<'_>, old: &str, new: &str, written: Written) -> store::Result<()> {
    for mut notice in tx.facts_with(old)? {
        let Ok(mut value) = serde_json::from_str::<Value>(&notice.facts) else { continue };
        let was_readable = Notice::read(&notice).is_ok();
        let mut names = Vec::new();
        rename_in(&mut value, old, new, written, "", &mut names);
        for name in names {
            let Some(text) = value.pointer_mut(&name) else { continue };
            let before = std::mem::replace(text, json!(new));
            notice.facts = value.to_string();
            if was_readable && Notice::read(&notice).is_err() {
                value.pointer_mut(&name).into_iter().for_each(|text| *text = before.clone());
            }
        }
        tx.set_facts(notice.id, &value.to_string())?;
    }
    Ok(())
}

/// Replaces a name in the texts of a JSON value. Does not replace a text that consists only of the name, but adds its
/// pointer (RFC 6901) to `names`. Skips the names of games.
fn rename_in(value: &mut Value, old: &str, new: &str, written: Written, at: &str, names: &mut Vec<String>) {
    match value {
        Value::String(text) if text.eq_ignore_ascii_case(old) => names.push(at.to_owned()),
        Value::String(text) => *text = replace_word(text, old, new),
        Value::Array(values) => {
            for (index, value) in values.iter_mut().enumerate() {
                rename_in(value, old, new, written, &format!("{at}/{index}"), names);
            }
        }
        Value::Object(fields) => {
            let by_players = |key: &str| ["text", "note"].contains(&key);
            let is_renamed = |key: &str| key != "game" && (written == Written::Changed || !by_players(key));
            for (key, value) in fields.iter_mut().filter(|(key, _)| is_renamed(key)) {
                let key = key.replace('~', "~0").replace('/', "~1");
                rename_in(value, old, new, written, &format!("{at}/{key}"), names);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
