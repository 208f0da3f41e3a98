//! LZMA without xz around it: `.lzma` files, and raw streams. The doors are in
//! [`lzma`](crate::lzma).
//!
//! `walk` reads LZMA, from an input that is present or comes in pieces. The chunks of raw LZMA2 are
//! read by the parsers of xz.

mod decode;
mod header;
mod options;
mod stream;
mod symbols;
#[cfg(feature = "threads")]
mod threaded;
mod walk;

#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decode_to, decoded_len, inspect, salvage};
pub use header::{HEADER_LEN, Header};
pub(crate) use header::{Likeness, likeness};
pub use options::{Coder, Options, Raw};
pub use stream::Decoder;
pub use symbols::SymbolReader;
#[cfg(feature = "threads")]
pub use threaded::decode_threaded;
