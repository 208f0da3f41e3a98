//! xz: LZMA2 in blocks, with filters and checks, an index behind them, and any number of streams in a row.
//!
//! [`decode`] takes a whole file. Matches are copied inside of the output, so that there is no other dictionary, however
//! large the one is that the file declares. The [`Workspace`] of probabilities is all the memory that it needs.
//!
//! ```
//! use unspool::{Limits, xz};
//! # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
//! let mut out = [0; 64];
//! let done = xz::decode(file, &mut out, &mut xz::Workspace::new(), &Limits::DEFAULT)?;
//! assert_eq!(&out[..done.wrote], b"unspool unspool unspool");
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! [`decoded_size`] adds up what the index says without looking at the blocks, [`inspect`] tells a
//! [`Trace`](crate::Trace) where everything lies. A [`Decoder`] takes and gives any pieces, with a window that the caller
//! lends. A [`File`] finds the [`Block`] that holds a position, and [`decode_block`] decodes only that; where the file is
//! not at hand, a [`Search`] says which bytes of it to fetch.

#[cfg(feature = "xz-filters")]
mod branch;
mod check;
mod decode;
mod decoder;
#[cfg(feature = "xz-filters")]
mod filter;
mod header;
mod lzma;
mod number;
mod probability;
mod range;
mod records;
mod search;
mod stream;
mod window;
mod workspace;

pub use check::CheckKind;
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{Done, Options, Streams, decode, decode_with, inspect};
#[cfg(feature = "xz-filters")]
pub use filter::{FilterKind, Machine};
pub use header::{BlockHeader, MAX_BLOCK_HEADER};
#[cfg(feature = "alloc")]
pub use search::decode_block_to_vec;
pub use search::{Block, File, Search, decode_block, decoded_size};
pub use stream::Decoder;
pub use workspace::{WORKSPACE_SIZE, Workspace};
