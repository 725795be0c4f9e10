//! A raw message before it is stored in the inbox.

use std::io::Read;

/// The longest message to read, in octets.
pub const MAX_MAIL: usize = 1_000_000;

/// How much of a longer message is stored: enough to identify its sender.
pub(crate) const MAX_HEAD: usize = 64 * 1024;

/// A raw message that is not stored yet; only the head of one longer than [`MAX_MAIL`].
#[derive(Clone, Debug)]
pub struct RawMail {
    pub(crate) octets: Vec<u8>,
    pub(crate) truncated: bool,
}

impl RawMail {
    /// Reads a message to its end, even if only its head is stored: after a broken pipe, a sender would retry for days.
    ///
    /// # Errors
    /// The input cannot be read, or is empty.
    pub fn read(mut input: impl Read) -> anyhow::Result<RawMail> {
        let mut octets = Vec::new();
        input.by_ref().take(MAX_MAIL as u64 + 1).read_to_end(&mut octets)?;
        anyhow::ensure!(!octets.is_empty(), "the input is empty: expected a message");
        let truncated = octets.len() > MAX_MAIL;
        if truncated {
            std::io::copy(&mut input, &mut std::io::sink())?;
            return Ok(RawMail::head(octets));
        }
        Ok(RawMail::whole(octets))
    }

    /// Wraps a message whose length has been checked.
    pub fn whole(octets: Vec<u8>) -> RawMail {
        RawMail { octets, truncated: false }
    }

    /// Wraps the first octets of a message longer than [`MAX_MAIL`].
    pub(crate) fn head(mut octets: Vec<u8>) -> RawMail {
        octets.truncate(MAX_HEAD);
        RawMail { octets, truncated: true }
    }

    /// Returns the number of octets held.
    #[allow(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> usize {
        self.octets.len()
    }
}
