//! Decodes the blocks of a file on several threads.

use core::num::NonZeroUsize;

use super::decode::decode;
use super::file::decode_block;
use super::options::Options;
use super::probability::Literals;
use super::records::Block;
use super::whole::{Slice, Whole};
use super::workspace::{Tables, Workspace};
use crate::num::index;
use crate::threads::in_order;
use crate::{Checksums, Done, Error, ErrorKind, Result};

/// Decodes a file as [`decode`] does, its blocks on up to `threads` threads: the same bytes, and
/// the same error.
///
/// Threads help with files of several blocks, as `xz -T` writes them. Each has a [`Workspace`] of
/// its own, and no other memory. After an error, one thread decodes again from the start, to find
/// the error that comes first.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::xz;
/// # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let (mut out, threads) = ([0; 64], NonZeroUsize::new(2).unwrap());
/// let done = xz::decode_threaded(file, &mut out, threads, &xz::Options::DEFAULT)?;
/// assert_eq!(&out[..done.wrote], b"unspool unspool unspool");
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded(src: &[u8], dst: &mut [u8], threads: NonZeroUsize, options: &Options) -> Result<Done> {
    if threads.get() > 1
        && let Ok(done) = decode_blocks(src, dst, threads, options)
    {
        return Ok(done);
    }
    decode(src, dst, &mut Workspace::new(), options, &mut ())
}

/// Decodes each block by itself. Any error may hide an earlier one.
fn decode_blocks(src: &[u8], dst: &mut [u8], threads: NonZeroUsize, options: &Options) -> Result<Done> {
    let (mut tables, trace) = (Tables::<[Literals; 0]>::new(), &mut ());
    let whole = Whole::new(src, Slice::new(&mut []), &mut tables, options, trace);
    let mut blocks = Blocks { src, dst, whole };
    let mut checksums = Checksums::default();
    let decode = |workspace: &mut Workspace, (block, src, dst): Piece<'_, '_>| {
        decode_block(src, &block, dst, workspace, options).map(|done| done.checksums)
    };
    in_order(threads, &mut blocks, Workspace::new, decode, |of_block| {
        checksums.add(&of_block);
        Ok(())
    })?;
    Ok(Done { checksums, ..blocks.whole.passed() })
}

/// A block, its bytes in the file, and its part of the output.
type Piece<'s, 'd> = (Block, &'s [u8], &'d mut [u8]);

/// Walks over the blocks of a file as [`inspect`](super::inspect) does: checks all that surrounds
/// them, and decodes nothing.
struct Blocks<'s, 'd, 'w> {
    src: &'s [u8],
    dst: &'d mut [u8],
    whole: Whole<'w, (), Slice<'static>>,
}

impl<'s, 'd> Blocks<'s, 'd, '_> {
    /// Splits off the parts of a block that was passed.
    fn piece(&mut self, block: Block) -> Option<Piece<'s, 'd>> {
        let src = self.src.get(index(block.range.start)..index(block.range.end))?;
        let len = block.content.end.checked_sub(block.content.start)?;
        let dst = self.dst.split_off_mut(..index(len))?;
        Some((block, src, dst))
    }
}

impl<'s, 'd> Iterator for Blocks<'s, 'd, '_> {
    type Item = Result<Piece<'s, 'd>>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = match self.whole.pass_block() {
            Ok(block) => block?,
            Err(error) => return Some(Err(error)),
        };
        let at = block.range.end;
        Some(self.piece(block).ok_or(Error::new(ErrorKind::OutputTooSmall, at)))
    }
}
