//! Signed texts in the addresses and links of letters. They authenticate replies, identify bounced letters, and
//! authorize unsubscribe, login and similar requests. Pure.
//!
//! A [`Token`] identifies a player, a board and the last entry of its record when a letter was written. It is signed
//! (HMAC-SHA256, truncated to 128 bits), spelled in lower-case letters and digits, and used in the letter's `Reply-To`.
//! Mail programs may change its case, so case is ignored. Characters that look alike are not used. The recipient of a
//! letter knows its token, but only the server can create one. A letter about several boards has a token for each
//! board, and a [`LetterToken`] for all of them. A letter that asks the owner of an address to confirm it has a
//! [`ConfirmationToken`].
//!
//! Message-IDs are copied into other mail and into logs. They therefore contain a [`LetterId`], which is not an
//! address, instead of a token. [`EnvelopeSender`], [`Unsubscribe`], [`Login`], [`NewPassword`] and [`Invitation`]
//! are signed in the same way. Each kind is signed with its own prefix, so none of them can be mistaken for another.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::numbers::{BoardNumber, EntryNumber};

mod numbered;
mod redact;
mod spelling;

pub use numbered::{Calendar, ConfirmationToken, Invitation, LetterId, Login, NewPassword};
pub use redact::redacted;
pub use spelling::LONGEST;
use spelling::{SIGNATURE, number, push_number, spell, unspell};

// These texts are prepended to the signed bytes of each kind, so that the kinds cannot be confused with each other or
// with other uses of the key.
const REPLY: &[u8] = b"turnpost reply token 1\0";
const LETTER: &[u8] = b"turnpost letter token 1\0";
const ENVELOPE: &[u8] = b"turnpost envelope sender 1\0";
const UNSUBSCRIBE: &[u8] = b"turnpost unsubscribe 1\0";
/// The prefix of envelope senders in the server's own address, after the `+`.
pub const ENVELOPE_TAG: &str = "b-";

/// The key that signs tokens. Its `Debug` output does not contain the bytes.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    /// Creates a key from these bytes, which must be random.
    pub fn new(bytes: [u8; 32]) -> Key {
        Key(bytes)
    }

    /// Returns the key's bytes. They are stored in the database, and encrypted in an export.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    fn mac(&self, purpose: &[u8], signed: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC accepts a key of any length");
        mac.update(purpose);
        mac.update(signed);
        mac
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The content of a reply token: the recipient of a letter, and the board and its state when the letter was written.
///
/// ```
/// use turnpost::numbers::{BoardNumber, EntryNumber};
/// use turnpost::token::{Key, Token};
///
/// let key = Key::new([7; 32]);
/// let token = Token { player: 1, board: BoardNumber(123), entry: EntryNumber(14), proposal: None };
/// let text = token.sign(&key);
/// assert_eq!(Token::verify(&text.to_uppercase(), &key), Some(token));
/// assert_eq!(Token::verify(&text, &Key::new([8; 32])), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The player's primary key in the database.
    pub player: u32,
    /// The board.
    pub board: BoardNumber,
    /// The number of the last entry of the board's record when the letter was written.
    pub entry: EntryNumber,
    /// The proposal that the letter showed.
    pub proposal: Option<Proposed>,
}

/// A proposal to the recipient of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// To end the game as a draw.
    Draw,
    /// To undo the proposer's last move.
    Undo,
    /// To end the game without a result.
    Abandon,
}

impl Token {
    /// Signs the token. The text has at most [`LONGEST`] characters of `a-z0-9`.
    pub fn sign(&self, key: &Key) -> String {
        let proposal = match self.proposal {
            None => 0,
            Some(Proposed::Draw) => 1,
            Some(Proposed::Undo) => 2,
            Some(Proposed::Abandon) => 3,
        };
        let mut bytes = vec![proposal << 1];
        for number in [self.player, self.board.0, self.entry.0] {
            push_number(&mut bytes, number);
        }
        signed(bytes, REPLY, key)
    }

    /// Reads a text, ignoring case; `None` if this key did not sign it. Takes the same time for every wrong
    /// signature.
    pub fn verify(text: &str, key: &Key) -> Option<Token> {
        let signed = verified(text, REPLY, key)?;
        let (mark, mut rest) = signed.split_first()?;
        // Odd marks (1, 3, …) are no longer valid. Earlier versions used them in letters about several boards.
        let proposal = match mark {
            0 => None,
            2 => Some(Proposed::Draw),
            4 => Some(Proposed::Undo),
            6 => Some(Proposed::Abandon),
            _ => return None,
        };
        let player = number(&mut rest)?;
        let (board, entry) = (BoardNumber(number(&mut rest)?), EntryNumber(number(&mut rest)?));
        let token = Token { player, board, entry, proposal };
        rest.is_empty().then_some(token)
    }
}

/// The token of a letter about several boards. A reply to such a letter must name its board. The outbox stores the
/// boards of the letter and the entries of their records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LetterToken {
    /// The player's primary key in the database.
    pub player: u32,
    /// The number of the letter.
    pub letter: u32,
}

impl LetterToken {
    /// Signs the token. The result has at most [`LONGEST`] characters of `a-z0-9`.
    pub fn sign(&self, key: &Key) -> String {
        let mut bytes = Vec::new();
        push_number(&mut bytes, self.player);
        push_number(&mut bytes, self.letter);
        signed(bytes, LETTER, key)
    }

    /// Reads a text, ignoring case; `None` if this key did not sign it.
    pub fn verify(text: &str, key: &Key) -> Option<LetterToken> {
        let signed = verified(text, LETTER, key)?;
        let mut rest = signed.as_slice();
        let token = LetterToken { player: number(&mut rest)?, letter: number(&mut rest)? };
        rest.is_empty().then_some(token)
    }
}

/// The envelope sender of a letter to one address. It identifies the letter and the address to which a bounce belongs.
///
/// ```
/// use turnpost::token::{EnvelopeSender, Key};
///
/// let key = Key::new([7; 32]);
/// let sender = EnvelopeSender::read(&EnvelopeSender::sign(12, "alice@example.org", &key)).unwrap();
/// assert_eq!(sender.letter, 12);
/// assert!(sender.is_of("Alice@example.org", &key) && !sender.is_of("bob@example.org", &key));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopeSender {
    /// The number of the letter. Do not trust it before [`EnvelopeSender::is_of`] confirms the signature.
    pub letter: u32,
    signature: Vec<u8>,
}

impl EnvelopeSender {
    /// Signs a letter's number and its recipient's address. The result has at most [`LONGEST`] characters of `a-z0-9`.
    pub fn sign(letter: u32, address: &str, key: &Key) -> String {
        let mut bytes = Vec::new();
        push_number(&mut bytes, letter);
        let signature = key.mac(ENVELOPE, &EnvelopeSender::signed(letter, address)).finalize().into_bytes();
        bytes.extend_from_slice(&signature[..SIGNATURE]);
        spell(&bytes)
    }

    /// Reads a text, ignoring case, without checking its signature.
    pub fn read(text: &str) -> Option<EnvelopeSender> {
        let bytes = unspell(text)?;
        let mut rest = bytes.as_slice();
        let letter = number(&mut rest)?;
        (rest.len() == SIGNATURE).then(|| EnvelopeSender { letter, signature: rest.to_vec() })
    }

    /// Returns whether this key signed the sender for this address, ignoring the address's case.
    pub fn is_of(&self, address: &str, key: &Key) -> bool {
        key.mac(ENVELOPE, &EnvelopeSender::signed(self.letter, address)).verify_truncated_left(&self.signature).is_ok()
    }

    fn signed(letter: u32, address: &str) -> Vec<u8> {
        let mut bytes = letter.to_be_bytes().to_vec();
        bytes.extend_from_slice(address.to_lowercase().as_bytes());
        bytes
    }
}

/// A request to stop a player's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsubscribe {
    /// The player's primary key in the database.
    pub player: u32,
    /// The letters to stop.
    pub letters: UnwantedLetters,
}

/// The letters that a player wants to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwantedLetters {
    /// All letters that the player did not request. Only tokens of older versions contain this value.
    All,
    /// Letters about everything that the player follows.
    Followed,
    /// Letters about one board.
    Board(BoardNumber),
    /// Letters about every board that the player plays on or follows.
    Boards,
    /// Messages of other players, and broadcasts.
    Messages,
    /// The puzzles of the day.
    Puzzles,
}

impl fmt::Display for UnwantedLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnwantedLetters::All => f.write_str("all"),
            UnwantedLetters::Followed => f.write_str("followed"),
            UnwantedLetters::Board(number) => write!(f, "board {number}"),
            UnwantedLetters::Boards => f.write_str("boards"),
            UnwantedLetters::Messages => f.write_str("messages"),
            UnwantedLetters::Puzzles => f.write_str("puzzles"),
        }
    }
}

impl Unsubscribe {
    /// Signs the request. The result has at most [`LONGEST`] characters of `a-z0-9`.
    pub fn sign(&self, key: &Key) -> String {
        let (mark, board) = match self.letters {
            UnwantedLetters::All => (0, None),
            UnwantedLetters::Followed => (1, None),
            UnwantedLetters::Board(number) => (2, Some(number)),
            UnwantedLetters::Boards => (3, None),
            UnwantedLetters::Messages => (4, None),
            UnwantedLetters::Puzzles => (5, None),
        };
        let mut bytes = vec![mark];
        push_number(&mut bytes, self.player);
        if let Some(BoardNumber(number)) = board {
            push_number(&mut bytes, number);
        }
        signed(bytes, UNSUBSCRIBE, key)
    }

    /// Reads a text, ignoring case; `None` if this key did not sign it.
    pub fn verify(text: &str, key: &Key) -> Option<Unsubscribe> {
        let signed = verified(text, UNSUBSCRIBE, key)?;
        let (mark, mut rest) = signed.split_first()?;
        let player = number(&mut rest)?;
        let letters = match mark {
            0 => UnwantedLetters::All,
            1 => UnwantedLetters::Followed,
            2 => UnwantedLetters::Board(BoardNumber(number(&mut rest)?)),
            3 => UnwantedLetters::Boards,
            4 => UnwantedLetters::Messages,
            5 => UnwantedLetters::Puzzles,
            _ => return None,
        };
        rest.is_empty().then_some(Unsubscribe { player, letters })
    }
}

fn signed(mut bytes: Vec<u8>, purpose: &[u8], key: &Key) -> String {
    let signature = key.mac(purpose, &bytes).finalize().into_bytes();
    bytes.extend_from_slice(&signature[..SIGNATURE]);
    spell(&bytes)
}

/// Returns the bytes of a text without its signature; `None` if this key did not sign it.
fn verified(text: &str, purpose: &[u8], key: &Key) -> Option<Vec<u8>> {
    let mut bytes = unspell(text)?;
    let signature = bytes.split_off(bytes.len().checked_sub(SIGNATURE)?);
    key.mac(purpose, &bytes).verify_truncated_left(&signature).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::spelling::LETTERS;
    use super::*;
    use proptest::prelude::*;

    fn tokens() -> impl Strategy<Value = (Token, [u8; 32])> {
        let number = || prop_oneof![0..300_u32, any::<u32>()];
        let proposal =
            prop::sample::select(vec![None, Some(Proposed::Draw), Some(Proposed::Undo), Some(Proposed::Abandon)]);
        (number(), number(), number(), proposal, any::<[u8; 32]>()).prop_map(|(player, board, entry, proposal, key)| {
            let (board, entry) = (BoardNumber(board), EntryNumber(entry));
            (Token { player, board, entry, proposal }, key)
        })
    }

    fn unwanted() -> impl Strategy<Value = UnwantedLetters> {
        prop_oneof![
            any::<u32>().prop_map(|number| UnwantedLetters::Board(BoardNumber(number))),
            prop::sample::select(vec![
                UnwantedLetters::All,
                UnwantedLetters::Followed,
                UnwantedLetters::Boards,
                UnwantedLetters::Messages,
                UnwantedLetters::Puzzles,
            ]),
        ]
    }

    proptest! {
        #[test]
        fn signed_tokens_verify_in_any_case((token, key) in tokens(), upper in any::<u64>()) {
            let key = Key::new(key);
            let text = token.sign(&key);
            prop_assert!(text.len() <= LONGEST && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
            let mixed: String = text
                .char_indices()
                .map(|(at, c)| if upper >> (at % 64) & 1 == 1 { c.to_ascii_uppercase() } else { c })
                .collect();
            prop_assert_eq!(Token::verify(&text, &key), Some(token));
            prop_assert_eq!(Token::verify(&mixed, &key), Some(token));
        }

        #[test]
        fn changed_tokens_are_refused((token, key) in tokens(), other in any::<[u8; 32]>()) {
            let signing = Key::new(key);
            let text = token.sign(&signing);
            for at in 0..text.len() {
                // Flip each bit of the letter, to try every letter that differs in one bit.
                let value = LETTERS.iter().position(|letter| *letter == text.as_bytes()[at]).unwrap();
                for bit in 0..5 {
                    let mut changed = text.clone().into_bytes();
                    changed[at] = LETTERS[value ^ (1 << bit)];
                    prop_assert_eq!(Token::verify(&String::from_utf8(changed).unwrap(), &signing), None);
                }
                prop_assert_eq!(Token::verify(&text[..at], &signing), None);
            }
            prop_assert_eq!(Token::verify(&format!("{text}a"), &signing), None);
            if other != key {
                prop_assert_eq!(Token::verify(&text, &Key::new(other)), None);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,70}|[a-z2-9]{0,50}", key in any::<[u8; 32]>()) {
            let key = Key::new(key);
            prop_assert_eq!(Token::verify(&text, &key), None);
            prop_assert_eq!(Unsubscribe::verify(&text, &key), None);
            prop_assert!(EnvelopeSender::read(&text).is_none_or(|sender| !sender.is_of("alice@example.org", &key)));
        }

        #[test]
        fn token_kinds_are_not_confused(player in any::<u32>(), letters in unwanted(), key in any::<[u8; 32]>()) {
            let key = Key::new(key);
            let unsubscribe = Unsubscribe { player, letters };
            let text = unsubscribe.sign(&key);
            prop_assert_eq!(Unsubscribe::verify(&text.to_uppercase(), &key), Some(unsubscribe));
            prop_assert_eq!(Token::verify(&text, &key), None);
            prop_assert_eq!(Login::verify(&text, &key), None);
            let login = Login { link: player };
            let text = login.sign(&key);
            prop_assert_eq!(Login::verify(&text.to_uppercase(), &key), Some(login));
            prop_assert_eq!(Unsubscribe::verify(&text, &key), None);
            let letter = LetterToken { player, letter: 7 };
            let text = letter.sign(&key);
            prop_assert_eq!(LetterToken::verify(&text.to_uppercase(), &key), Some(letter));
            prop_assert_eq!(Token::verify(&text, &key), None);
            let id = LetterId { letter: player };
            let text = id.sign(&key);
            prop_assert_eq!(LetterId::verify(&text.to_uppercase(), &key), Some(id));
            prop_assert_eq!(LetterToken::verify(&text, &key), None);
            prop_assert_eq!(ConfirmationToken::verify(&text, &key), None);
            let asked = ConfirmationToken { letter: player };
            let text = asked.sign(&key);
            prop_assert_eq!(ConfirmationToken::verify(&text.to_uppercase(), &key), Some(asked));
            prop_assert_eq!(LetterId::verify(&text, &key), None);
            let new = NewPassword { link: player };
            let text = new.sign(&key);
            prop_assert_eq!(NewPassword::verify(&text.to_uppercase(), &key), Some(new));
            prop_assert_eq!(Login::verify(&text, &key), None);
            prop_assert_eq!(Invitation::verify(&text, &key), None);
            let invitation = Invitation { challenge: BoardNumber(player) };
            let text = invitation.sign(&key);
            prop_assert_eq!(Invitation::verify(&text.to_uppercase(), &key), Some(invitation));
            prop_assert_eq!(NewPassword::verify(&text, &key), None);
            prop_assert_eq!(Login::verify(&text, &key), None);
            let text = EnvelopeSender::sign(player, "Bob@example.org", &key);
            prop_assert!(text.len() <= LONGEST);
            prop_assert!(EnvelopeSender::read(&text.to_uppercase()).unwrap().is_of("bob@example.org", &key));
            prop_assert_eq!(Unsubscribe::verify(&text, &key), None);
            prop_assert_eq!(Token::verify(&text, &key), None);
        }
    }

    #[test]
    fn the_longest_token_fits_a_local_part() {
        let (board, entry) = (BoardNumber(u32::MAX), EntryNumber(u32::MAX));
        let token = Token { player: u32::MAX, board, entry, proposal: Some(Proposed::Undo) };
        assert_eq!(token.sign(&Key::new([0; 32])).len(), LONGEST);
        assert!("turnpost+".len() + LONGEST <= 64);
    }

    #[test]
    fn the_key_is_not_shown() {
        assert_eq!(format!("{:?}", Key::new([65; 32])), "Key(…)");
    }
}
