//! Zstandard: RFC 8878, what zstd 0.7 wrote, and the draft 0.2.0 between them. One engine, one small file of differences.
//!
//! [`decode`] takes a whole file, any number of frames and skippable frames in a row, and finds out itself which of the
//! three formats it is in. Matches are copied inside of the output, so there is no window besides it, and Huffman
//! literals are decoded into the part of the output that the block has not filled yet, so there is no buffer for them.
//! The [`Workspace`] of tables is all the memory that it needs.
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
//! [`Header::read`] says what a frame holds before any of it is decoded. [`decoded_len`] counts the content of a file without
//! content sizes. [`inspect`] emits where everything lies to a [`Trace`](crate::Trace). A frame that was made with a
//! [`Dictionary`] names it by its ID; [`Options`] take it. A [`Decoder`] reads and writes pieces of any size through a window that
//! the caller lends. A [`File`] with a seek table says which frames hold a part of its content.

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
mod stream;
mod symbols;
#[cfg_attr(feature = "small", path = "small_tables.rs")]
mod tables;
mod walk;
mod workspace;

#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decoded_len, inspect, salvage};
pub use describe::{code_lengths, state_counts};
#[cfg(feature = "at1-columnar")]
pub(crate) use detect::promise;
pub use detect::{detect, stream_buffer};
pub use dictionary::Dictionary;
pub use file::{File, Search};
pub use flavour::Flavour;
pub use header::{FrameHeader, Header, MAX_BLOCK, MAX_FRAME_HEADER};
pub use in_place::{decode_in_place, in_place_margin};
pub use options::Options;
pub use outline::Outline;
pub use seek_table::{SEEK_FOOTER, SeekFrame};
pub use stream::{Decoder, decode_to};
pub use workspace::{WORKSPACE_SIZE, Workspace};
