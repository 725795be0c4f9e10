//! A raw mail on its way into the inbox.

use std::io::Read;

/// The longest mail that is read, in octets.
pub const MAX_MAIL: usize = 1_000_000;

/// How much is kept of a longer mail: enough to tell who sent it.
pub(super) const MAX_HEAD: usize = 64 * 1024;

/// A raw mail that is not stored yet. Of one longer than [`MAX_MAIL`] it holds the head.
#[derive(Clone, Debug)]
pub struct RawMail {
    pub(super) octets: Vec<u8>,
    pub(super) truncated: bool,
}

impl RawMail {
    /// Reads a mail to its end, even where only its head is kept: a sender whose pipe breaks would try again for days.
    ///
    /// # Errors
    /// The input cannot be read, or is empty.
    pub fn read(mut input: impl Read) -> anyhow::Result<RawMail> {
        let mut octets = Vec::new();
        input.by_ref().take(MAX_MAIL as u64 + 1).read_to_end(&mut octets)?;
        anyhow::ensure!(!octets.is_empty(), "there is no mail: the input is empty");
        let truncated = octets.len() > MAX_MAIL;
        if truncated {
            std::io::copy(&mut input, &mut std::io::sink())?;
            return Ok(RawMail::head(octets));
        }
        Ok(RawMail::whole(octets))
    }

    /// Wraps a mail whose length has been checked already.
    pub fn whole(octets: Vec<u8>) -> RawMail {
        RawMail { octets, truncated: false }
    }

    /// Wraps the first octets of a mail longer than [`MAX_MAIL`].
    pub(super) fn head(mut octets: Vec<u8>) -> RawMail {
        octets.truncate(MAX_HEAD);
        RawMail { octets, truncated: true }
    }

    /// The number of octets held.
    #[allow(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> usize {
        self.octets.len()
    }
}
