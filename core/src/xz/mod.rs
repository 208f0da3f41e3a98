//! xz: streams in a row, each with blocks of LZMA2, filters, checks and an index.
//!
//! [`decode`] takes a whole file. It copies matches within the output, so it needs no dictionary,
//! however large the declared one. A [`Workspace`] is its only other memory; smaller [`Tables`] do.
//!
//! ```
//! use unspool::xz;
//! # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
//! let mut out = [0; 64];
//! let mut workspace = xz::Workspace::new();
//! let done = xz::decode(file, &mut out, &mut workspace, &xz::Options::DEFAULT, &mut ())?;
//! assert_eq!(&out[..done.wrote], b"unspool unspool unspool");
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! [`decoded_len`] adds up the sizes in the index, without reading the blocks. [`inspect`] emits
//! every field to a [`Trace`](crate::Trace). A [`Decoder`] takes and returns any pieces, through a
//! window that the caller lends. [`decode_to_store`] writes pages to flash or another
//! [`Store`](crate::Store), which is the window. A [`File`] finds the [`Block`] that holds a
//! position, and [`decode_block`] decodes only that. For a file that is not in memory, an
//! [`IndexReader`] names the bytes to fetch.
//!
//! Modules depend on those further down: `decode`, `store`, `stream` and `file` are the
//! doors. `whole` reads
//! an input that is present; for one that comes in pieces, `walk` and `chunk` read fields into a
//! `Parser`. Both share the others, of which each reads one part of the format. `alone` reads LZMA
//! without xz around it, for [`lzma`](crate::lzma). `symbols` drives a `Parser` symbol by symbol,
//! for inspectors.

#[cfg(feature = "lzma")]
pub(crate) mod alone;
#[cfg(feature = "xz-filters")]
mod branch;
mod check;
mod chunk;
mod control;
mod decode;
mod file;
#[cfg(feature = "xz-filters")]
mod filter;
mod header;
mod index;
mod lzma;
mod number;
mod options;
mod parser;
mod probability;
mod range;
mod records;
mod store;
mod stream;
mod symbols;
#[cfg(feature = "threads")]
mod threaded;
#[cfg(feature = "alloc")]
mod to_vec;
mod walk;
mod whole;
mod window;
mod workspace;

pub use check::CheckKind;
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decode_to, decoded_len, inspect, salvage};
#[cfg(feature = "alloc")]
pub use file::decode_block_to_vec;
pub use file::{File, IndexReader, decode_block};
#[cfg(feature = "xz-filters")]
pub use filter::{Architecture, FilterKind};
pub use header::{BlockHeader, Header, MAX_BLOCK_HEADER};
pub use lzma::LzmaKind;
pub use options::{Options, Streams};
pub use probability::Literals;
pub use records::Block;
pub use store::decode_to_store;
pub use stream::Decoder;
pub use symbols::{COST_SCALE, LzmaFed, LzmaItem, LzmaSymbol, LzmaWish, SymbolReader};
#[cfg(feature = "threads")]
pub use threaded::decode_threaded;
pub use workspace::{MOST_CONTEXTS, Tables, WORKSPACE_SIZE, Workspace};
