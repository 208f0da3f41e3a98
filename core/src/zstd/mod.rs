//! Zstandard: RFC 8878, the format of zstd 0.7, and the draft 0.2.0 between them. One engine, and
//! one small file of differences.
//!
//! [`decode`] takes a whole file, with any number of frames and skippable frames, and detects which
//! of the three formats it is in. Matches are copied within the output, so that no other window is
//! needed. Huffman literals are decoded into the part of the output that the block has not filled
//! yet, so that they need no buffer. The [`Workspace`] of tables is all the memory that it needs.
//!
//! ```
//! use unspool::zstd::{self, Options, Workspace};
//! // A raw block of three bytes, and one that repeats a byte six times.
//! let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
//! let mut out = [0; 9];
//! let done = zstd::decode(file, &mut out, &mut Workspace::new(), &Options::DEFAULT, &mut ())?;
//! assert_eq!(&out[..done.wrote], b"zstdddddd");
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! [`Header::read`] reads the claims of a frame before any of it is decoded. [`decoded_len`] counts
//! the content of a file without content sizes. [`inspect`] emits the structure of a file to a
//! [`Trace`](crate::Trace). A frame names its [`Dictionary`] by ID, and [`Options`] take one. A
//! [`Decoder`] reads and writes pieces of any size through a window that the caller lends.
//! [`decode_to_store`] writes pages to a [`Store`](crate::Store), such as flash, which is the
//! window. A [`File`] with a seek table lists the frames that hold a part of its content.
//!
//! The files, from top to bottom: `decode`, `stream`, `store`, `in_place`, `file` and `outline` are
//! doors. `machine` decodes frame by frame and `walk` reads the headers between blocks. `block`
//! decodes a block with `literals`, `sequences`, `fold` (the hot loop) and `copy`. `tables`,
//! `codes`, `workspace`, `dictionary` and `flavour` are what these use.

mod block;
mod codes;
mod copy;
mod decode;
mod describe;
mod detect;
mod dictionary;
mod file;
mod flavour;
mod fold;
mod header;
mod in_place;
mod literals;
mod machine;
mod options;
mod outline;
mod seek_table;
mod sequence;
mod sequences;
mod store;
mod stream;
mod symbols;
#[cfg_attr(feature = "small", path = "small_tables.rs")]
mod tables;
#[cfg(feature = "threads")]
mod threaded;
mod walk;
mod workspace;

#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decoded_len, inspect, salvage};
pub use describe::{code_lengths, state_counts};
#[cfg(feature = "zstd")]
pub use detect::detect_start;
#[cfg(feature = "at1-columnar")]
pub(crate) use detect::promise;
pub use detect::{detect, stream_buffer};
pub use dictionary::Dictionary;
pub use file::{File, SeekTableReader};
pub use flavour::Flavour;
pub use header::{FrameHeader, Header, MAX_BLOCK, MAX_FRAME_HEADER};
pub use in_place::{decode_in_place, in_place_margin};
pub use options::Options;
pub use outline::Outline;
pub use seek_table::{SEEK_FOOTER, SeekFrame};
pub use store::decode_to_store;
pub use stream::{Decoder, decode_to};
#[cfg(feature = "threads")]
pub use threaded::decode_threaded;
pub use workspace::{WORKSPACE_SIZE, Workspace};
