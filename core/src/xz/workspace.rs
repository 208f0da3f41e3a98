//! The memory of a decoder, besides input and output.

use core::mem::offset_of;

use super::check::Check;
#[cfg(feature = "xz-filters")]
use super::filter::{Filters, Pipeline};
use super::header::MAX_BLOCK_HEADER;
use super::lzma::Lzma;
use super::probability::Literals;
use super::records::Records;

/// The memory of a [`Workspace`], in bytes.
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

const _: () = assert!(WORKSPACE_SIZE <= 32 << 10);

/// Contexts of literals in a file with the largest lc + lp.
pub const MOST_CONTEXTS: usize = 16;

/// The memory of every door, for any file. Fits in a `static`.
///
/// A workspace serves any number of files, one after the other; no state of one reaches the next.
/// If the whole input is present, smaller [`Tables`] may do.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Workspace {
    /// First, so that the bytes to clear are at the start: see [`CLEARED`](Self::CLEARED).
    pub(super) tables: Tables<[Literals; MOST_CONTEXTS]>,
    /// The start of a field that is not complete, or the end of a piece that is too short to surely
    /// hold a symbol.
    pub(super) head: [u8; MAX_BLOCK_HEADER],
    #[cfg(feature = "xz-filters")]
    pub(super) pipeline: Pipeline,
}

/// The probabilities of a decoder, and what it remembers of the blocks of a stream.
///
/// The doors that take a whole input need nothing else. Most of it is 1.5 KiB for each context of
/// literals. A file has 2^(lc + lp) contexts: 8 by default, 1 after `xz --lzma2=lc=0`, at most 16.
/// If a file has more than the tables, its error is
/// [`WorkspaceTooSmall`](crate::ErrorKind::WorkspaceTooSmall), and `need` is their number.
///
/// ```
/// use unspool::xz;
/// # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// static EMPTY: xz::Tables<[xz::Literals; 8]> = xz::Tables::new();
/// let (mut out, mut tables) = ([0; 64], EMPTY.clone());
/// let done = xz::decode(file, &mut out, &mut tables, &xz::Options::DEFAULT, &mut ())?;
/// assert_eq!(&out[..done.wrote], b"unspool unspool unspool");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Tables<L: ?Sized = [Literals]> {
    /// The blocks of the stream so far, and those that its index lists so far.
    pub(super) seen: Records,
    pub(super) listed: Records,
    /// The check of the block that is being read.
    pub(super) check: Check,
    #[cfg(feature = "xz-filters")]
    pub(super) filters: Filters,
    /// From here on there are only numbers.
    pub(super) lzma: Lzma,
    pub(super) literals: L,
}

impl Tables {
    /// Bytes at the start that must be zeros in memory of a C program. Others may hold anything.
    #[doc(hidden)]
    pub const CLEARED: usize = offset_of!(Tables<[Literals; 0]>, lzma);
}

impl<const CONTEXTS: usize> Tables<[Literals; CONTEXTS]> {
    /// Empty tables. All zeros, so that `static` ones take no flash.
    pub const fn new() -> Self {
        Self {
            seen: Records::new(),
            listed: Records::new(),
            check: Check::None,
            #[cfg(feature = "xz-filters")]
            filters: Filters::new(),
            lzma: Lzma::new(),
            literals: [const { Literals::new() }; CONTEXTS],
        }
    }
}

impl<const CONTEXTS: usize> Default for Tables<[Literals; CONTEXTS]> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const CONTEXTS: usize> AsMut<Tables> for Tables<[Literals; CONTEXTS]> {
    fn as_mut(&mut self) -> &mut Tables {
        self
    }
}

impl AsMut<Self> for Tables {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl Workspace {
    /// Bytes at the start that must be zeros in memory of a C program. Others may hold anything.
    #[doc(hidden)]
    pub const CLEARED: usize = Tables::CLEARED;

    /// An empty workspace. All zeros, so that a `static` one takes no flash.
    pub const fn new() -> Self {
        Self {
            tables: Tables::new(),
            head: [0; MAX_BLOCK_HEADER],
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

impl AsMut<Tables> for Workspace {
    fn as_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }
}
