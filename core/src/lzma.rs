//! LZMA by itself: `.lzma` files, and raw streams of LZMA or LZMA2 without any header.
//!
//! A `.lzma` file is a header of 13 bytes and a stream of LZMA, as the commands `lzma` and
//! `xz --format=lzma` write it. It has no magic number and no checksum. Raw streams lie in other
//! files, such as arrays of Zarr, which say how they were encoded: see [`Raw`].
//!
//! [`decode`] takes a whole input. It copies matches within the output, so it needs no dictionary.
//! A [`Decoder`] takes and returns any pieces, through a window that the caller lends.
//!
//! ```
//! use unspool::lzma;
//! # let file = b"]\0\x10\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9\x83e\xA5\xFF\xFF\xFB\x11\xA0\0";
//! let mut out = [0; 64];
//! let mut workspace = lzma::Workspace::new();
//! let done = lzma::decode(file, &mut out, &mut workspace, &lzma::Options::DEFAULT, &mut ())?;
//! assert_eq!(&out[..done.wrote], b"unspool unspool unspool");
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! The code shares the room of [`xz`](crate::xz), and so do the kinds of errors.

#[cfg(feature = "threads")]
pub use crate::xz::alone::decode_threaded;
#[cfg(feature = "alloc")]
pub use crate::xz::alone::decode_to_vec;
pub use crate::xz::alone::{
    Coder, Decoder, HEADER_LEN, Header, Options, Raw, SymbolReader, decode, decode_to, decoded_len, inspect, salvage,
};
#[cfg(feature = "xz-filters")]
pub use crate::xz::{Architecture, FilterKind};
pub use crate::xz::{COST_SCALE, LzmaFed, LzmaItem, LzmaKind, LzmaSymbol, LzmaWish, Workspace};
