//! Decoding a file that lies at the end of the buffer that it is decoded to.
//!
//! Reading and writing both move towards the end of the buffer, and writing gains on reading. It may come as close as the first
//! byte of the block that is being read, because a block is read from its end.

use super::block::Frame;
use super::decode::{Done, checksum, flavour, refused, spend};
use super::detect::walk_with;
use super::dictionary::Options;
use super::header::{Block, BlockKind, Header, cut};
use super::workspace::Workspace;
use crate::checksum::Xxh64;
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Limits, Result};

/// How many bytes longer than the content a buffer must be so that a file can be [decoded in place](decode_in_place).
///
/// Follows the block headers, decodes nothing. It takes for granted that no compressed block is longer than what it holds, as
/// RFC 8878 wants and every known encoder has it; of a file where one is, the decoder may say that the buffer is too small. It is
/// at most the longest block, which has 128 KiB or less, and what there is between blocks; for a file of one block it is exactly that
/// block and what follows it.
pub fn in_place_margin(src: &[u8], options: &Options<'_>) -> Result<u64> {
    let options = Options { flavour: Some(flavour(src, options)), ..*options };
    // The least that the content holds up to a block, and how far it may come before what was read.
    let (mut least, mut ahead) = (0u64, 0u64);
    walk_with(src, &options, |_, block, end| {
        // A compressed block is not longer than what it holds.
        let len = u64_from(block.stored());
        least = least.saturating_add(if block.kind == BlockKind::Rle { block.size.into() } else { len });
        ahead = ahead.max(least.saturating_add(len).saturating_sub(u64_from(end)));
    })?;
    Ok(ahead.saturating_add(u64_from(src.len())).saturating_sub(least))
}

/// Decodes the file that is the last `len` bytes of `buffer` to the front of it, over what was read.
///
/// ```
/// use unspool::{Limits, zstd};
/// let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
/// let margin = zstd::in_place_margin(file, &zstd::Options::DEFAULT)?;
/// let mut buffer = vec![0; 9 + margin as usize];
/// let start = buffer.len() - file.len();
/// buffer[start..].copy_from_slice(file);
/// let done = zstd::decode_in_place(
///     &mut buffer, file.len(), &mut zstd::Workspace::new(), &Limits::DEFAULT, &zstd::Options::DEFAULT,
/// )?;
/// assert_eq!(&buffer[..done.wrote], b"zstdddddd");
/// # Ok::<(), unspool::Error>(())
/// ```
///
/// Where the gap is too small the error is `OutputTooSmall`, and the file is gone: never is a byte overwritten that is still to be
/// read. [`in_place_margin`] says beforehand how long the buffer must be.
pub fn decode_in_place(
    buffer: &mut [u8],
    len: usize,
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options<'_>,
) -> Result<Done> {
    let start = buffer.len().checked_sub(len).ok_or(Error::new(ErrorKind::RangeOutside, 0))?;
    let flavour = flavour(buffer.get(start..).unwrap_or_default(), options);
    let (mut done, mut produced, mut at) = (Done::default(), 0, 0);
    while at < len || done.read == 0 {
        let src = buffer.get(start..).unwrap_or_default();
        match Header::read_at(src, at, flavour, options.magicless, &mut ())? {
            Header::Skippable { size, .. } => {
                let end = (at + 8).saturating_add(size as usize);
                at = Some(end).filter(|&end| end <= len).ok_or_else(|| cut(src))?;
            }
            Header::Frame(header) => {
                header.check(limits, produced, at)?;
                let mut frame = Frame::NONE;
                frame.start(flavour, &header, options.dictionary, ws, at)?;
                at += header.len;
                let verify = header.checksum && options.verify;
                let mut walk = Walk { buffer, start, begin: done.wrote, ws, limits, frame, produced, verify };
                let end = walk.blocks(at);
                produced = walk.produced;
                (at, done.wrote) = end.map_err(|fault| refused(fault, produced))?;
                done.frames += 1;
                done.checksums += u64::from(verify);
            }
        }
        done.read = at;
    }
    Ok(done)
}

/// The blocks of one frame.
struct Walk<'a, 'd> {
    buffer: &'a mut [u8],
    /// Where the file starts.
    start: usize,
    /// Where the content of the frame starts.
    begin: usize,
    ws: &'a mut Workspace,
    limits: &'a Limits,
    frame: Frame<'d>,
    produced: u64,
    verify: bool,
}

impl Walk<'_, '_> {
    /// Decodes the blocks from `at` on; says where the frame ends in the file, and in the buffer its content.
    fn blocks(&mut self, mut at: usize) -> Verdict<(usize, usize)> {
        let (flavour, header) = (self.frame.flavour, self.frame.header);
        let (mut hash, mut wrote) = (Xxh64::new(), 0);
        let stored = loop {
            let (before, src) = self.buffer.split_at_mut_checked(self.start).unwrap_or_default();
            let block = Block::read(flavour, src, at)?;
            block.check(flavour, &header, at)?;
            at += 3;
            if block.kind == BlockKind::End {
                break block.size;
            }
            let (block_start, len) = (before.len() + at, block.stored());
            let whole = src.get(at..at + len).map(drop);
            whole.ok_or_else(|| cut(src))?;
            let (out, bytes) = self.buffer.split_at_mut_checked(block_start).unwrap_or_default();
            let (out, bytes) = (out.get_mut(self.begin..).unwrap_or_default(), bytes.get(..len).unwrap_or_default());
            let end = self.frame.block(block, bytes, self.ws, None, out, wrote);
            let end = end.map_err(|fault| Fault::new(fault.kind, at + fault.at))?;
            let new = out.get(wrote..end).unwrap_or_default();
            if self.verify {
                hash.update(new);
            }
            spend(&mut self.produced, u64_from(new.len()), self.limits, at)?;
            self.frame.produced += u64_from(new.len());
            wrote = end;
            at += len;
            if block.last {
                self.frame.check_size(at)?;
                if !header.checksum {
                    return Ok((at, self.begin + wrote));
                }
                let src = self.buffer.get(self.start..).unwrap_or_default();
                let bytes = src.get(at..).and_then(<[u8]>::first_chunk).ok_or_else(|| cut(src))?;
                at += 4;
                break u32::from_le_bytes(*bytes);
            }
        };
        // Whether behind the last block or in it: the checksum starts here.
        let place = at - if flavour.checksum_behind() { 4 } else { 3 };
        self.frame.check_size(place)?;
        if self.verify {
            checksum(flavour, hash.value(), stored, place)?;
        }
        Ok((at, self.begin + wrote))
    }
}
