//! Tokens that contain a single signed number.

use super::spelling::{number, push_number};
use super::{Key, signed, verified};
use crate::numbers::BoardNumber;

fn sign(number: u32, purpose: &[u8], key: &Key) -> String {
    let mut bytes = Vec::new();
    push_number(&mut bytes, number);
    signed(bytes, purpose, key)
}

fn verify(text: &str, purpose: &[u8], key: &Key) -> Option<u32> {
    let signed = verified(text, purpose, key)?;
    let mut rest = signed.as_slice();
    number(&mut rest).filter(|_| rest.is_empty())
}

macro_rules! signed_numbers {
    ($($(#[$doc:meta])* $name:ident { $(#[$field_doc:meta])* $field:ident } = $purpose:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name {
                $(#[$field_doc])*
                pub $field: u32,
            }

            impl $name {
                /// Signs the number. The result has at most [`LONGEST`](super::LONGEST) characters of `a-z0-9`.
                pub fn sign(&self, key: &Key) -> String {
                    sign(self.$field, $purpose, key)
                }

                /// Reads a text, ignoring case; `None` if this key did not sign it.
                pub fn verify(text: &str, key: &Key) -> Option<$name> {
                    verify(text, $purpose, key).map(|$field| $name { $field })
                }
            }
        )*
    };
}

signed_numbers! {
    /// The signed part of a letter's Message-ID, which makes ids unguessable.
    LetterId {
        /// The number of the letter.
        letter
    } = b"turnpost letter id 1\0";
    /// The token of a letter that asks the owner of an address to confirm it.
    ConfirmationToken {
        /// The number of the letter.
        letter
    } = b"turnpost confirmation 1\0";
    /// A login link sent by mail. The database knows whether it is still valid.
    Login {
        /// The number of the link.
        link
    } = b"turnpost login link 1\0";
    /// A link or code, sent by mail, that sets a new password. The database knows whether it is still valid.
    NewPassword {
        /// The number of the link.
        link
    } = b"turnpost new password 1\0";
    /// The address of a player's calendar. The database knows whether it is still valid.
    Calendar {
        /// The number of the calendar.
        calendar
    } = b"turnpost calendar 1\0";
}

const INVITATION: &[u8] = b"turnpost invitation 1\0";

/// An invitation to a private open challenge. Its holder may accept the challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The number of the challenge.
    pub challenge: BoardNumber,
}

impl Invitation {
    /// Signs the invitation. The result has at most [`LONGEST`](super::LONGEST) characters of `a-z0-9`.
    pub fn sign(&self, key: &Key) -> String {
        sign(self.challenge.0, INVITATION, key)
    }

    /// Reads a text, ignoring case; `None` if this key did not sign it.
    pub fn verify(text: &str, key: &Key) -> Option<Invitation> {
        verify(text, INVITATION, key).map(|number| Invitation { challenge: BoardNumber(number) })
    }
}
