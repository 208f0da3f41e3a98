//! What a decoder remembers.

use super::check::Check;
#[cfg(feature = "xz-filters")]
use super::filter::Pipeline;
use super::header::MAX_BLOCK_HEADER;
use super::lzma::{Lzma, MOST_INPUT};
use super::records::Records;

/// The memory of a [`Workspace`], in bytes.
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

const _: () = assert!(WORKSPACE_SIZE <= 32 << 10);

/// The probabilities of a decoder, and small buffers for what lies across two pieces of a stream: all that it needs
/// besides input and output. Fits in a `static`.
///
/// A workspace can be used for any number of files, one after the other; nothing of one shows in the next.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(super) lzma: Lzma,
    /// The start of a header that is not complete.
    pub(super) head: [u8; MAX_BLOCK_HEADER],
    /// The end of a piece, too short to hold a symbol for certain.
    pub(super) tail: [u8; 2 * MOST_INPUT],
    /// What the blocks of the stream were so far, and what its index says of them.
    pub(super) seen: Records,
    pub(super) listed: Records,
    /// That of the block that is being read.
    pub(super) check: Check,
    #[cfg(feature = "xz-filters")]
    pub(super) pipeline: Pipeline,
}

impl Workspace {
    /// An empty workspace. All zeros, so that a `static` one takes no room in flash.
    pub const fn new() -> Self {
        Self {
            lzma: Lzma::new(),
            head: [0; MAX_BLOCK_HEADER],
            tail: [0; 2 * MOST_INPUT],
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
