//! The facts in the headers of a whole file: its format, the length of its content, the window that
//! it needs.
//!
//! Draft and RFC 8878 share a magic number, draft and v0.7 another, and their frame headers are the
//! same. The first block header alone is often plausible in two of them. A chain of headers that
//! ends exactly at the end of the file is not.

use super::flavour::{BlockHeader, BlockKind, Flavour};
use super::header::{FrameHeader, Header, cut};
use super::options::Options;
use super::walk::{BLOCK_HEADER, CHECKSUM, Upcoming, Walk};
#[cfg(feature = "zstd")]
use crate::checksum::Xxh64;
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{ErrorKind, Limits, Result};

/// Returns the format of a file; `None` if it starts with none of the magic numbers, or is empty.
///
/// If the headers of a file fit two formats, returns the one that owns the magic number today: RFC
/// 8878 for `28`, v0.7 for `27`. The one such frame that encoders write has two bytes and a
/// checksum in the draft, and a byte in RFC 8878: the checksum decides.
pub fn detect(src: &[u8]) -> Option<Flavour> {
    let mut first = src;
    // Skippable frames are the same in all formats.
    while first.first()? & 0xF0 == 0x50
        && let Ok(Header::Skippable { size, .. }) = Header::read(first, &Limits::NONE, Flavour::Rfc8878)
    {
        first = first.get(8..)?.get(size as usize..)?;
    }
    let (&byte, rest) = first.split_first()?;
    let owner = Flavour::of(byte);
    if rest.iter().zip(&[0xB5, 0x2F, 0xFD]).any(|(byte, magic)| byte != magic) || !owner.starts_with(byte) {
        return None;
    }
    #[cfg(feature = "zstd")]
    {
        // Mostly, one walk is enough.
        let is_draft = match misfit(src, owner, owner) {
            0 => owner.is_rfc() && is_pair(first),
            ours => misfit(src, Flavour::Draft, owner) < ours,
        };
        Some(if is_draft { Flavour::Draft } else { owner })
    }
    #[cfg(not(feature = "zstd"))]
    Some(owner)
}

/// Returns the format of a file whose first bytes are all that is known, and whether no other one
/// is possible.
///
/// The format is the one whose headers lead out of these bytes. A megabyte holds several blocks,
/// and no two formats agree on that many headers. A long skippable frame may leave none of them.
#[cfg(feature = "zstd")]
pub fn detect_start(head: &[u8]) -> (Option<Flavour>, bool) {
    let leads_out = |flavour| match promise(head, flavour, false) {
        Ok(_) => true,
        Err(fault) => fault.kind == ErrorKind::Truncated,
    };
    let Some(found) = detect(head) else { return (None, false) };
    let (is_found, is_draft) = (leads_out(found), leads_out(Flavour::Draft));
    (Some(if is_draft && !is_found { Flavour::Draft } else { found }), is_found != is_draft)
}

/// Returns how badly the headers fit a format: a chain that ends at the end of the file fits best,
/// then one that the end cuts. If none fits, the magic number decides.
///
/// Nobody writes the draft today. So a chain of the `owner` of the magic number that breaks after a
/// frame, as before bytes that are none, fits as well as one that the end cuts.
///
/// The header of a block in RFC 8878 may look like the end of a frame without content. Then its
/// checksum is not that of no bytes.
#[cfg(feature = "zstd")]
#[inline(never)]
fn misfit(src: &[u8], flavour: Flavour, owner: Flavour) -> u8 {
    let (mut is_complete, mut is_empty, mut is_wrong) = (false, true, false);
    let followed = follow(src, flavour, false, |header, block, _| {
        is_complete |= block.last && flavour == owner;
        let checksum = flavour.checksum_of(OF_NOTHING);
        is_wrong |= is_empty && block.kind == BlockKind::End && header.checksum && block.size != checksum;
        is_empty = block.last;
    });
    match followed {
        Ok(_) if is_wrong => 2,
        Ok(_) => 0,
        Err(fault) if fault.kind == ErrorKind::Truncated || is_complete => 1,
        Err(_) => 2,
    }
}

/// The XXH64 of no bytes.
#[cfg(feature = "zstd")]
const OF_NOTHING: u64 = 0xEF46_DB37_51D8_E999;

/// Returns whether a frame of the draft with two bytes and a checksum starts here. Its block header
/// `09 00 00` is that of one last byte in RFC 8878, and the rest is as long as a checksum.
#[cfg(feature = "zstd")]
fn is_pair(frame: &[u8]) -> bool {
    let mut walk = Walk::new(Flavour::Draft, false);
    let Ok(at) = walk.frame(frame, 0, &mut ()) else { return false };
    let Some(&[9, 0, 0, a, b, x, y, z, ..]) = frame.get(at..) else { return false };
    let end = Flavour::Draft.block([x, y, z]);
    let checksum = Flavour::Draft.checksum_of(Xxh64::of(&[a, b]));
    walk.header.checksum && end.kind == BlockKind::End && end.size == checksum
}

/// Returns the format in which to decode a whole file.
pub(super) fn flavour(src: &[u8], options: &Options<'_>) -> Flavour {
    match options.flavour {
        Some(flavour) => flavour,
        None if options.magicless => Flavour::Rfc8878,
        None => detect(src).unwrap_or(Flavour::Rfc8878),
    }
}

/// Returns the length of the window that a [`Decoder`](super::Decoder) needs for a whole file: the
/// largest [`stream_buffer`](FrameHeader::stream_buffer) of its frames. Follows the block headers,
/// decodes nothing.
///
/// ```
/// use unspool::zstd::{Options, stream_buffer};
/// let file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".repeat(2);
/// assert_eq!(stream_buffer(&file, &Options::DEFAULT), Ok(6));
/// ```
pub fn stream_buffer(src: &[u8], options: &Options<'_>) -> Result<u64> {
    let mut most = 0;
    let each = |header: &FrameHeader, _, _| most = header.stream_buffer().max(most);
    follow(src, flavour(src, options), options.magicless, each)?;
    Ok(most)
}

/// The sizes that the headers of a file claim.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Promise {
    /// The sum of all content sizes, if every frame has one.
    pub(crate) declared: Option<u64>,
    /// The most bytes that the blocks can hold.
    pub(crate) most: u64,
    /// The number of frames, skippable ones included.
    pub(crate) frames: u64,
}

/// Reads the headers of all frames and decodes nothing.
pub(crate) fn promise(src: &[u8], flavour: Flavour, magicless: bool) -> Verdict<Promise> {
    follow(src, flavour, magicless, |_, _, _| ())
}

/// Does the same, and calls `each` for every block with the header of its frame and the end of the
/// block.
pub(super) fn follow(
    src: &[u8],
    flavour: Flavour,
    magicless: bool,
    mut each: impl FnMut(&FrameHeader, BlockHeader, usize),
) -> Verdict<Promise> {
    let mut walk = Walk::new(flavour, magicless);
    let mut promise = Promise { declared: Some(0), ..Promise::default() };
    let mut at = 0usize;
    loop {
        let claim = Claim::read(&mut walk, src, at, &mut each)?;
        at = claim.end;
        promise.frames = promise.frames.saturating_add(1);
        if claim.is_data {
            let declared = walk.header.content_size;
            promise.declared = promise.declared.zip(declared).and_then(|(all, size)| all.checked_add(size));
            promise.most = promise.most.saturating_add(claim.most);
        }
        if at >= src.len() {
            return if at == src.len() { Ok(promise) } else { Err(cut(src)) };
        }
    }
}

/// The facts in the headers of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// It holds data, and the walk has its header. A skippable frame has none.
    pub(super) is_data: bool,
    /// The offset of the byte after the frame. It may be beyond the file if the frame is skippable.
    pub(super) end: usize,
    /// The most bytes that its blocks can hold.
    pub(super) most: u64,
}

impl Claim {
    /// Reads the headers of the frame at `at`, and calls `each` as [`follow`] does.
    pub(super) fn read(
        walk: &mut Walk,
        src: &[u8],
        at: usize,
        mut each: impl FnMut(&FrameHeader, BlockHeader, usize),
    ) -> Verdict<Self> {
        let mut at = walk.frame(src, at, &mut ())?;
        if let Upcoming::Skippable(size) = walk.next {
            return Ok(Self { is_data: false, end: at.saturating_add(size as usize), most: 0 });
        }
        let declared = walk.header.content_size;
        // The bytes that the blocks of the frame hold for certain, and the most that they may hold
        // besides. Errors are those of decoding.
        let (mut sure, mut more) = (0u64, 0u64);
        let end = loop {
            crate::steps::count(1);
            let block = walk.block(src, at, &mut ())?;
            let (header, content) = (at, at + BLOCK_HEADER);
            at = content + block.stored();
            if at > src.len() {
                return Err(cut(src));
            }
            each(&walk.header, block, at);
            match block.kind {
                BlockKind::Raw | BlockKind::Rle => sure += u64::from(block.size),
                BlockKind::Compressed => more += u64_from(walk.header.max_block()),
                BlockKind::End | BlockKind::Reserved => {}
            }
            if declared.is_some_and(|size| size < sure) {
                return Err(Fault::new(ErrorKind::ZstdContentSize, content));
            }
            if block.last {
                break if block.kind == BlockKind::End { header } else { at };
            }
        };
        if walk.header.checksum && walk.flavour.is_rfc() {
            at += CHECKSUM;
            if at > src.len() {
                return Err(cut(src));
            }
        }
        let most = sure + more;
        if declared.is_some_and(|size| size > most) {
            return Err(Fault::new(ErrorKind::ZstdContentSize, end));
        }
        Ok(Self { is_data: true, end: at, most })
    }
}
