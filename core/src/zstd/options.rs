//! The options of all doors.

use super::dictionary::Dictionary;
use super::flavour::Flavour;
use crate::{Limits, Verify};

/// Options of a decoder.
///
/// ```
/// use unspool::zstd::{Dictionary, Options};
/// let options = Options { dictionary: Some(Dictionary::new(b"some text")), ..Options::DEFAULT };
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The caller's limits.
    pub limits: Limits,
    /// The action at checksums.
    pub verify: Verify,
    /// The format. If it is `None`, a whole file is examined by [`detect`](super::detect); a stream
    /// takes `28` for RFC 8878 and `27` for v0.7.
    pub flavour: Option<Flavour>,
    /// The dictionary that the frames were compressed with.
    pub dictionary: Option<Dictionary<'a>>,
    /// Frames have no magic numbers, as embedded systems store them. Without a flavour they are of
    /// RFC 8878.
    pub magicless: bool,
}

impl Options<'_> {
    /// The default limits, checksums verified, no dictionary, magic numbers expected.
    pub const DEFAULT: Self =
        Self { limits: Limits::DEFAULT, verify: Verify::Refuse, flavour: None, dictionary: None, magicless: false };
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self::DEFAULT
    }
}
