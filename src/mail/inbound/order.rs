//! The order of mail: messages of one sender or about one board are processed in the order of arrival.
//!
//! Each pass computes the order from the waiting messages and stores nothing, so it is correct whichever process
//! handles a message and whatever fails.

use std::collections::{HashMap, HashSet};

use crate::numbers::BoardNumber;
use crate::store::InboxId;

/// How many waiting messages of strangers to a board delay later messages about it. A stranger may be a player who
/// writes from another address; more than these, as in a flood, delay no turn.
const STRANGERS: usize = 8;

/// The boards that a message is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct MailBoards {
    /// The boards at which its author plays, according to a reply token or a confirmed address.
    pub(crate) own: Vec<BoardNumber>,
    /// Other boards that its commands name.
    pub(crate) foreign: Vec<BoardNumber>,
}

/// The sender and the boards of a message, which determine its place in the order.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The address of its sender, in lower case; the message's own number if it has none.
    sender: String,
    boards: MailBoards,
}

impl Order {
    /// The boards at which the author of the mail plays.
    pub(crate) fn own_boards(&self) -> &[BoardNumber] {
        &self.boards.own
    }

    /// Creates the order of a message with this sender and these boards.
    pub(crate) fn new(mail: InboxId, sender: Option<&str>, boards: MailBoards) -> Order {
        let sender = sender.map_or_else(|| mail.0.to_string(), str::to_ascii_lowercase);
        Order { sender, boards }
    }
}

/// The waiting messages that delay later ones.
#[derive(Default)]
pub(crate) struct Held {
    senders: HashSet<String>,
    boards: HashSet<BoardNumber>,
    /// The number of waiting messages of strangers, by board.
    strangers: HashMap<BoardNumber, usize>,
}

impl Held {
    /// Adds a waiting message.
    pub(crate) fn add(&mut self, mail: &Order) {
        self.senders.insert(mail.sender.clone());
        self.boards.extend(&mail.boards.own);
        for board in &mail.boards.foreign {
            *self.strangers.entry(*board).or_default() += 1;
        }
    }

    /// Returns whether a later message must wait as well.
    pub(crate) fn holds(&self, mail: &Order) -> bool {
        let of_strangers = |board| self.strangers.get(board).is_some_and(|waiting| *waiting <= STRANGERS);
        let MailBoards { own, foreign } = &mail.boards;
        self.senders.contains(&mail.sender)
            || own.iter().chain(foreign).any(|board| self.boards.contains(board) || of_strangers(board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(number: i64, sender: Option<&str>, own: &[u32], foreign: &[u32]) -> Order {
        let [own, foreign] = [own, foreign].map(|boards| boards.iter().copied().map(BoardNumber).collect());
        Order::new(InboxId(number), sender, MailBoards { own, foreign })
    }

    #[test]
    fn mail_waits_behind_its_sender_and_its_boards() {
        let mut held = Held::default();
        held.add(&order(1, Some("Alice@example.org"), &[7], &[]));
        for (mail, waits) in [
            (order(2, Some("alice@example.org"), &[], &[]), true),
            (order(2, Some("bob@example.org"), &[6, 7], &[]), true),
            (order(2, Some("bob@example.net"), &[], &[7]), true),
            (order(2, Some("bob@example.org"), &[6], &[5]), false),
            (order(2, None, &[], &[]), false),
        ] {
            assert_eq!(held.holds(&mail), waits, "{mail:?}");
        }
    }

    #[test]
    fn messages_without_a_sender_do_not_wait() {
        let mut held = Held::default();
        held.add(&order(1, None, &[], &[]));
        assert!(!held.holds(&order(2, None, &[], &[])));
    }

    #[test]
    fn a_few_strangers_hold_up_a_board_and_a_flood_of_them_does_not() {
        let mut held = Held::default();
        let reply = order(100, Some("alice@example.org"), &[7], &[]);
        for number in 1..=STRANGERS {
            held.add(&order(1, Some(&format!("{number}@example.net")), &[], &[7]));
            assert!(held.holds(&reply));
        }
        held.add(&order(99, Some("99@example.net"), &[], &[7]));
        assert!(!held.holds(&reply));
    }
}
