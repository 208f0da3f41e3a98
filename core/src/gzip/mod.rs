//! gzip, which may wrap any of the other formats: RFC 1952, any number of members in a row.
//!
//! [`decode`] takes a whole file. It verifies the CRC-32 and the size of each member, and the
//! CRC-16 of a header that has one. The output is the only window. A [`Decoder`] takes a file in
//! any pieces, through a window of 32 KiB.
//!
//! `miniz_oxide` inflates, through its entry points that do not allocate; this module reads the
//! framing. It is the one decoder that the firmware tests do not link: its own fuzzers and those of
//! this crate are the evidence that it does not panic.
//!
//! The inflater cannot show what it reads. A [`BlockReader`] lists blocks and symbols for
//! inspectors.
//!
//! ```
//! use unspool::gzip;
//! // One stored block.
//! let file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x05\0\xFA\xFFhello\x86\xA6\x10\x36\x05\0\0\0";
//! let mut out = [0; 5];
//! let mut workspace = gzip::Workspace::new();
//! let done = gzip::decode(file, &mut out, &mut workspace, &gzip::Options::DEFAULT, &mut ())?;
//! assert_eq!((done.wrote, done.parts, &out), (5, 1, b"hello"));
//! # Ok::<(), unspool::Error>(())
//! ```

mod blocks;
mod decode;
mod header;
mod stream;
#[cfg(feature = "threads")]
mod threaded;
mod walk;
mod workspace;

pub use crate::options::Options;
pub use blocks::{BlockKind, BlockReader, Symbol, SymbolKind};
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decode_to, decoded_len, inspect, salvage};
pub use header::Header;
pub use stream::Decoder;
#[cfg(feature = "threads")]
pub use threaded::decode_threaded;
pub use workspace::{WINDOW_SIZE, WORKSPACE_SIZE, Workspace};
