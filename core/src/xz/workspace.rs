//! The memory of a decoder, besides input and output.

use super::check::Check;
#[cfg(feature = "xz-filters")]
use super::filter::Pipeline;
use super::header::MAX_BLOCK_HEADER;
use super::lzma::Lzma;
use super::records::Records;

/// The memory of a [`Workspace`], in bytes.
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

const _: () = assert!(WORKSPACE_SIZE <= 32 << 10);

/// The probabilities of a decoder, and small buffers for fields that are split across two pieces of
/// a stream. A decoder needs nothing else besides input and output. Fits in a `static`.
///
/// A workspace serves any number of files, one after the other; no state of one reaches the next.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(super) lzma: Lzma,
    /// The start of a field that is not complete, or the end of a piece that is too short to surely
    /// hold a symbol.
    pub(super) head: [u8; MAX_BLOCK_HEADER],
    /// The blocks of the stream so far, and those that its index lists so far.
    pub(super) seen: Records,
    pub(super) listed: Records,
    /// The check of the block that is being read.
    pub(super) check: Check,
    #[cfg(feature = "xz-filters")]
    pub(super) pipeline: Pipeline,
}

impl Workspace {
    /// An empty workspace. All zeros, so that a `static` one takes no flash.
    pub const fn new() -> Self {
        Self {
            lzma: Lzma::new(),
            head: [0; MAX_BLOCK_HEADER],
            seen: Records::new(),
            listed: Records::new(),
            check: Check::None,
            #[cfg(feature = "xz-filters")]
            pipeline: Pipeline::new(),
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}
