//! The door of threads. Every symbol of LZMA depends on those before it.

use core::num::NonZeroUsize;

use super::super::workspace::Workspace;
use super::decode::decode;
use super::options::Options;
use crate::{Done, Result};

/// Decodes an input as [`decode`] does, on one thread: LZMA cannot be split. The door exists so
/// that all formats have it.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::lzma;
/// # let file = b"]\0\x10\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9\x83e\xA5\xFF\xFF\xFB\x11\xA0\0";
/// let (mut out, threads) = ([0; 64], NonZeroUsize::new(2).unwrap());
/// let done = lzma::decode_threaded(file, &mut out, threads, &lzma::Options::DEFAULT)?;
/// assert_eq!(&out[..done.wrote], b"unspool unspool unspool");
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded(src: &[u8], dst: &mut [u8], _threads: NonZeroUsize, options: &Options) -> Result<Done> {
    decode(src, dst, &mut Workspace::new(), options, &mut ())
}
