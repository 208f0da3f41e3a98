//! How to decode.

use super::dictionary::Dictionary;
use super::flavour::Flavour;
use crate::{Limits, Verify};

/// How to decode, where the defaults do not fit.
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
    /// What to do with checksums.
    pub verify: Verify,
    /// The format. If it is not given, a whole file is looked through as [`detect`](super::detect) does; a stream takes `28` for
    /// RFC 8878 and `27` for v0.7.
    pub flavour: Option<Flavour>,
    /// The dictionary that the frames were compressed with.
    pub dictionary: Option<Dictionary<'a>>,
    /// Frames without their magic numbers, as embedded systems store them: of RFC 8878, if the flavour is not given.
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
