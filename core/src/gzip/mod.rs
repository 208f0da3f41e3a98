//! gzip, which any of the other formats may be wrapped in: RFC 1952, any number of members in a row.
//!
//! [`decode`] takes a whole file and verifies the CRC-32 and the size of each member, and the CRC-16 of a header that has one. The
//! output is the only window there is, as everywhere in this crate; a [`Decoder`] takes a file in any pieces, through a window of
//! 32 KiB. Inflating itself is done by `miniz_oxide`, whose allocation-free entry points fit; this room is the frame around it. It is
//! the one decoder here that the firmware tests do not link: that nothing in it panics is what its own fuzzers say, and ours.
//!
//! ```
//! use unspool::gzip;
//! // One stored block.
//! let file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x05\0\xFA\xFFhello\x86\xA6\x10\x36\x05\0\0\0";
//! let mut out = [0; 5];
//! let done = gzip::decode(file, &mut out, &mut gzip::Workspace::new(), &gzip::Options::DEFAULT, &mut ())?;
//! assert_eq!((done.wrote, done.parts, &out), (5, 1, b"hello"));
//! # Ok::<(), unspool::Error>(())
//! ```

mod decode;
mod header;
mod options;
mod output;
mod stream;
mod walk;
mod workspace;

#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decode_to, decoded_len, inspect, salvage};
pub use header::Header;
pub use options::Options;
pub use output::WINDOW_SIZE;
pub use stream::Decoder;
pub use workspace::{WORKSPACE_SIZE, Workspace};
