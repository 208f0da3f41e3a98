//! Tells the three formats apart by walking through the block headers of a whole file.
//!
//! Draft and RFC 8878 share a magic number, draft and v0.7 another, and their frame headers are the same. The first block
//! header alone is often plausible in two of them; a chain of headers that ends exactly where the file does is not.

use super::dictionary::Options;
use super::flavour::Flavour;
use super::header::{Block, BlockKind, FrameHeader, Header, cut};
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{ErrorKind, Result};

/// Which format a whole file is in. `None` if it starts with no magic number of theirs.
///
/// If the headers of a file fit two formats, which no file does that an encoder has been seen to write, the one that
/// owns the magic number today is taken: RFC 8878 for `28`, v0.7 for `27`.
pub fn detect(src: &[u8]) -> Option<Flavour> {
    let mut first = src;
    // Skippable frames are the same in all formats.
    while first.first()? & 0xF0 == 0x50
        && let Ok(Header::Skippable { size, .. }) = Header::read(first, Flavour::Rfc8878)
    {
        first = first.get(8..)?.get(size as usize..)?;
    }
    let candidates = match u32::from_le_bytes(*first.first_chunk()?) {
        // The bytes `27 B5 2F FD`, and the same with `28`.
        0xFD2F_B527 => [Flavour::V07, Flavour::Draft],
        0xFD2F_B528 => [Flavour::Rfc8878, Flavour::Draft],
        _ => return None,
    };
    let walks = |&flavour: &Flavour| walk(src, &Options { flavour: Some(flavour), ..Options::DEFAULT }).is_ok();
    // A file that is broken under every hypothesis is most likely what its magic number says.
    candidates.into_iter().find(walks).or(candidates.first().copied())
}

/// What the headers of a file promise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walked {
    /// The sum of all content sizes, if every frame has one.
    pub(crate) declared: Option<u64>,
    /// More than this the blocks cannot hold.
    pub(crate) most: u64,
    /// Frames of data and skippable ones.
    pub(crate) frames: u64,
}

/// What the headers of one frame of RFC 8878 promise, which is all that there is.
#[cfg(feature = "at1-columnar")]
pub(crate) fn one_frame(src: &[u8]) -> Verdict<Walked> {
    let walked = walk(src, &Options { flavour: Some(Flavour::Rfc8878), ..Options::DEFAULT })?;
    match walked.frames {
        1 => Ok(walked),
        _ => Err(Fault::new(ErrorKind::At1Trailing, 0)),
    }
}

/// How large the window must be that a [`Decoder`](super::Decoder) is lent for a whole file: the largest
/// [`stream_buffer`](super::FrameHeader::stream_buffer) of its frames. Follows the block headers, decodes nothing.
///
/// ```
/// use unspool::zstd::{Options, stream_buffer};
/// let file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".repeat(2);
/// assert_eq!(stream_buffer(&file, &Options::DEFAULT), Ok(6));
/// ```
pub fn stream_buffer(src: &[u8], options: &Options<'_>) -> Result<u64> {
    let flavour = Some(super::decode::flavour(src, options));
    let mut most = 0;
    walk_with(src, &Options { flavour, ..*options }, |header, _, _| most = header.stream_buffer().max(most))?;
    Ok(most)
}

/// Follows the headers of all frames without decoding anything.
pub(super) fn walk(src: &[u8], options: &Options<'_>) -> Verdict<Walked> {
    walk_with(src, options, |_, _, _| ())
}

/// The same for who wants to hear of each block, with the header of its frame and where it ends.
pub(super) fn walk_with(
    src: &[u8],
    options: &Options<'_>,
    mut each: impl FnMut(&FrameHeader, Block, usize),
) -> Verdict<Walked> {
    let flavour = options.flavour.unwrap_or(Flavour::Rfc8878);
    let mut walked = Walked { declared: Some(0), ..Walked::default() };
    let mut at = 0;
    loop {
        walked.frames = walked.frames.saturating_add(1);
        match Header::read_at(src, at, flavour, options.magicless, &mut ())? {
            Header::Skippable { size, .. } => at = (at + 8).saturating_add(size as usize),
            Header::Frame(header) => {
                let (mut sure, mut most) = (0u64, 0u64);
                at += header.len;
                loop {
                    let block = Block::read(flavour, src, at)?;
                    block.check(flavour, &header, at)?;
                    at += 3 + block.stored();
                    each(&header, block, at);
                    match block.kind {
                        BlockKind::Raw | BlockKind::Rle => sure += u64::from(block.size),
                        BlockKind::Compressed => most += u64_from(header.max_block()),
                        BlockKind::End | BlockKind::Reserved => {}
                    }
                    if block.last {
                        break;
                    }
                }
                at += if header.checksum && flavour.checksum_behind() { 4 } else { 0 };
                most += sure;
                if header.content_size.is_some_and(|size| size < sure || size > most) {
                    return Err(Fault::new(ErrorKind::ZstdContentSize, at));
                }
                walked.declared = walked.declared.zip(header.content_size).and_then(|(all, n)| all.checked_add(n));
                walked.most = walked.most.saturating_add(most);
            }
        }
        if at > src.len() {
            return Err(cut(src));
        }
        if at == src.len() {
            return Ok(walked);
        }
    }
}
