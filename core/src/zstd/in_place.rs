//! The door that decodes a file at the end of its own output buffer.
//!
//! Reading and writing both move towards the end of the buffer, and writing gains on reading.
//! Writing may come as close as the first byte of the block that is being read, because a block is
//! read from its end.

use super::detect::{flavour, follow};
use super::flavour::BlockKind;
use super::machine::{Machine, Purpose};
use super::options::Options;
use super::workspace::Workspace;
use crate::num::u64_from;
use crate::{Done, Error, ErrorKind, Result};

/// Returns the number of bytes by which a buffer must exceed the content to [decode a file in
/// place](decode_in_place).
///
/// Follows the block headers, decodes nothing. Assumes that no compressed block is longer than its
/// content, as RFC 8878 demands and every known encoder ensures. Otherwise the decoder may report
/// that the buffer is too small.
///
/// The result is at most the longest block, 128 KiB or less, plus the bytes between blocks. For a
/// file of one block it is exactly that block and the bytes after it.
pub fn in_place_margin(src: &[u8], options: &Options<'_>) -> Result<u64> {
    // The least content up to a block, and the farthest that it may come before the bytes that were
    // read.
    let (mut least, mut ahead) = (0u64, 0u64);
    follow(src, flavour(src, options), options.magicless, |_, block, end| {
        // A compressed block is not longer than its content.
        let len = u64_from(block.stored());
        least = least.saturating_add(if block.kind == BlockKind::Rle { block.size.into() } else { len });
        ahead = ahead.max(least.saturating_add(len).saturating_sub(u64_from(end)));
    })?;
    Ok(ahead.saturating_add(u64_from(src.len())).saturating_sub(least))
}

/// Decodes the file in the last `len` bytes of `buffer` to the front of it, over the bytes that
/// were read.
///
/// ```
/// use unspool::zstd::{self, Options, Workspace};
/// let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
/// let margin = zstd::in_place_margin(file, &Options::DEFAULT)?;
/// let mut buffer = vec![0; 9 + margin as usize];
/// let start = buffer.len() - file.len();
/// buffer[start..].copy_from_slice(file);
/// let mut workspace = Workspace::new();
/// let done = zstd::decode_in_place(&mut buffer, file.len(), &mut workspace, &Options::DEFAULT)?;
/// assert_eq!(&buffer[..done.wrote], b"zstdddddd");
/// # Ok::<(), unspool::Error>(())
/// ```
///
/// If the gap is too small, the error is `OutputTooSmall` and the file is lost. Bytes that are
/// still to be read are never overwritten. [`in_place_margin`] computes the length of the buffer.
pub fn decode_in_place(
    buffer: &mut [u8],
    len: usize,
    workspace: &mut Workspace,
    options: &Options<'_>,
) -> Result<Done> {
    let start = buffer.len().checked_sub(len).ok_or(Error::new(ErrorKind::RangeOutside, 0))?;
    let flavour = flavour(buffer.get(start..).unwrap_or_default(), options);
    // The growth of the content shows block by block.
    let mut machine = Machine::new(options, flavour, Purpose::Content, u64::MAX);
    loop {
        let read = machine.done.read;
        let (out, src) = buffer.split_at_mut_checked(start + read).unwrap_or_default();
        let mut output = machine.output(out);
        let step = machine.step(src, 0, &mut output, workspace, &mut ());
        machine.done.read += step.map_err(|fault| machine.error(fault, u64_from(read)))?;
        if machine.frame.walk.is_between_frames() && machine.done.read >= len {
            return Ok(machine.done);
        }
    }
}
