//! The options of a decoder, and what the caller has to know of a raw stream.

#[cfg(feature = "xz-filters")]
use super::super::filter::FilterKind;
use super::super::header::BlockHeader;
use super::header::{HEADER_LEN, Header, block};
use crate::fault::{Fault, Verdict};
use crate::{ErrorKind, Limits};

/// The choices of a caller, if the defaults do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The bounds of what a file may cost.
    pub limits: Limits,
    /// How the input was encoded, if it is raw. `None` for a `.lzma` file.
    pub raw: Option<Raw>,
}

/// How a raw stream was encoded: it has no header to say so.
///
/// ```
/// use unspool::lzma::{self, Coder, Header, Raw};
/// // xz --format=raw --lzma1=preset=0
/// let header = Header { dictionary: 1 << 18, ..Header::DEFAULT };
/// let raw = Raw { coder: Coder::Lzma(header), ..Raw::DEFAULT };
/// let options = lzma::Options { raw: Some(raw), ..lzma::Options::DEFAULT };
/// # let stream = b"\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9\x83e\xA5\xFF\xFF\xFB\x11\xA0\0";
/// let (mut out, mut workspace) = ([0; 64], lzma::Workspace::new());
/// let done = lzma::decode(stream, &mut out, &mut workspace, &options, &mut ())?;
/// assert_eq!(&out[..done.wrote], b"unspool unspool unspool");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// The coder that wrote the stream.
    pub coder: Coder,
    /// Filters before it, in the order in which the encoder ran them.
    #[cfg(feature = "xz-filters")]
    pub filters: [Option<FilterKind>; 3],
}

/// The coder at the end of a chain of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coder {
    /// LZMA, also called LZMA1. A marker ends the stream, unless the size of the content is known.
    Lzma(Header),
    /// LZMA2, which knows everything else itself.
    Lzma2 {
        /// The largest distance of a match.
        dictionary: u32,
    },
}

impl Options {
    /// Default limits, and a `.lzma` file.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT, raw: None };

    /// Returns the header of a block of raw LZMA2; `None` if the input is something else.
    pub(super) fn chunks(&self) -> Verdict<Option<BlockHeader>> {
        let Some(raw @ Raw { coder: Coder::Lzma2 { dictionary }, .. }) = self.raw else { return Ok(None) };
        raw.chain(block(dictionary, None)).map(Some)
    }
}

impl Raw {
    /// LZMA with the [default properties](Header::DEFAULT), without filters.
    pub const DEFAULT: Self = Self {
        coder: Coder::Lzma(Header::DEFAULT),
        #[cfg(feature = "xz-filters")]
        filters: [None; 3],
    };

    /// Adds the filters to the header of a block.
    #[cfg_attr(
        not(feature = "xz-filters"),
        allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "no filters")
    )]
    pub(super) fn chain(&self, header: BlockHeader) -> Verdict<BlockHeader> {
        #[cfg(feature = "xz-filters")]
        let header = {
            if !self.filters.iter().flatten().all(|filter| filter.is_valid()) {
                return Err(Fault::new(ErrorKind::XzFilterProperties, 0));
            }
            BlockHeader { filters: self.filters, ..header }
        };
        Ok(header)
    }
}

/// Returns the byte of lc, lp and pb, and the header of a block of xz that decodes alike.
pub(super) fn lzma_block(header: &Header, raw: Option<&Raw>) -> Verdict<(u8, BlockHeader)> {
    let properties = header.properties()?;
    let like = block(header.dictionary, header.size);
    let like = match raw {
        None => BlockHeader { len: HEADER_LEN, ..like },
        Some(raw) => raw.chain(like)?,
    };
    Ok((properties, like))
}
