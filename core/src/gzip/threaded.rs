//! The door of threads. Nothing in a gzip file tells where a member ends, or what is before it.

use core::num::NonZeroUsize;

use super::decode::decode;
use super::workspace::Workspace;
use crate::options::Options;
use crate::{Done, Result};

/// Decodes a file as [`decode`] does, on one thread: a gzip file cannot be split. The door exists
/// so that all formats have it.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::gzip;
/// # let file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x05\0\xFA\xFFhello\x86\xA6\x10\x36\x05\0\0\0";
/// let (mut out, threads) = ([0; 5], NonZeroUsize::new(2).unwrap());
/// gzip::decode_threaded(file, &mut out, threads, &gzip::Options::DEFAULT)?;
/// assert_eq!(&out, b"hello");
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded(src: &[u8], dst: &mut [u8], _threads: NonZeroUsize, options: &Options) -> Result<Done> {
    decode(src, dst, &mut Workspace::new(), options, &mut ())
}
