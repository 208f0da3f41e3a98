//! The seekable format: frames in a row, and behind them a skippable frame that lists them.
//!
//! Whoever wants a part of such a file decodes only the frames that hold it. Any decoder reads the whole.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::decode::{Done, decode_with};
use super::dictionary::Options;
use super::workspace::Workspace;
use crate::checksum::Xxh64;
use crate::entropy::low32;
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Bytes at the end of a file that tell where its seek table is.
pub const SEEK_FOOTER: usize = 9;

/// Bytes before the list: the magic number and the size of a skippable frame.
const HEAD: usize = 8;

/// What the frame of the table starts with: a skippable frame of the variant 14.
const FRAME_MAGIC: [u8; 4] = [0x5E, 0x2A, 0x4D, 0x18];

/// What the footer ends with.
const MAGIC: [u8; 4] = [0xB1, 0xEA, 0x92, 0x8F];

/// One frame, as the table lists it: nothing of it has been looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeekFrame {
    /// The bytes of the file that it takes.
    pub range: Range<u64>,
    /// The bytes of the content that it holds.
    pub content: Range<u64>,
    /// The low half of the XXH64 of these, if the table has it.
    pub checksum: Option<u32>,
}

/// The list of frames at the end of a file, borrowed.
///
/// For a file that is not at hand, fetch the last [`SEEK_FOOTER`] bytes, ask [`place`](Self::place) where the table is, fetch it
/// and [`open`](Self::open) it; then fetch the [`range`](SeekFrame::range) of those [`frames_in`](Self::frames_in) that hold what
/// is wanted, and [`decode`](SeekFrame::decode) them. For one that is, there are [`of`](Self::of) and [`decode`](Self::decode).
///
/// ```
/// use unspool::zstd::{Options, SeekTable, Workspace};
/// use unspool::Limits;
/// // Two frames, `zst` and `and`, and the table.
/// let mut file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst\x28\xB5\x2F\xFD\x20\x03\x19\0\0and".to_vec();
/// file.extend(b"\x5E\x2A\x4D\x18\x19\0\0\0\x0C\0\0\0\x03\0\0\0\x0C\0\0\0\x03\0\0\0\x02\0\0\0\0\xB1\xEA\x92\x8F");
/// let table = SeekTable::of(&file, &Limits::DEFAULT)?.unwrap();
/// assert_eq!((table.len(), table.content()), (2, 6));
/// let (mut out, mut room) = ([0; 2], vec![0; table.room()]);
/// table.decode(&file, 2..4, &mut out, &mut room, &mut Workspace::new(), &Options::DEFAULT)?;
/// assert_eq!(&out, b"ta");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SeekTable<'a> {
    entries: &'a [u8],
    checksums: bool,
    limits: Limits,
    content: u64,
    room: usize,
}

/// How long the table of a footer is, all around it included, and whether there are checksums in it.
fn footer(bytes: [u8; SEEK_FOOTER]) -> Option<(u64, bool)> {
    let [a, b, c, d, descriptor, magic @ ..] = bytes;
    // Five bits are reserved, the lowest two mean nothing.
    if magic != MAGIC || descriptor & 0x7C != 0 {
        return None;
    }
    let (count, checksums) = (u32::from_le_bytes([a, b, c, d]), descriptor & 0x80 != 0);
    Some((u64::from(count) * u64_from(width(checksums)) + u64_from(HEAD + SEEK_FOOTER), checksums))
}

/// Bytes of an entry: two sizes, and perhaps a checksum.
const fn width(checksums: bool) -> usize {
    if checksums { 12 } else { 8 }
}

/// Whether the limits allow a table of this size, which starts at `start`.
fn allow(size: u64, checksums: bool, start: u64, limits: &Limits) -> Result<()> {
    if size > limits.max_header {
        return Err(Error::new(ErrorKind::HeaderLimit, start).needing(size));
    }
    let count = size.saturating_sub(u64_from(HEAD + SEEK_FOOTER)) / u64_from(width(checksums));
    if count > limits.max_elements {
        return Err(Error::new(ErrorKind::ElementLimit, start).needing(count));
    }
    Ok(())
}

impl<'a> SeekTable<'a> {
    /// Where the table of a file of `len` bytes is, by the last bytes of it; `None` if they end no table.
    pub fn place(last: [u8; SEEK_FOOTER], len: u64, limits: &Limits) -> Result<Option<Range<u64>>> {
        let Some((size, checksums)) = footer(last) else { return Ok(None) };
        let start = len
            .checked_sub(size)
            .ok_or(Error::new(ErrorKind::ZstdSeekTable, len.saturating_sub(u64_from(SEEK_FOOTER))))?;
        allow(size, checksums, start, limits)?;
        Ok(Some(start..len))
    }

    /// Takes the bytes of [`place`](Self::place). The frames that are listed must lead from the start of the file to the table: one
    /// that was put behind something else would name the wrong bytes.
    pub fn open(bytes: &'a [u8], place: &Range<u64>, limits: &Limits) -> Result<Self> {
        let wrong = Error::new(ErrorKind::ZstdSeekTable, place.start);
        let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or(wrong)?;
        let (entries, last) = rest.split_last_chunk::<SEEK_FOOTER>().ok_or(wrong)?;
        let (size, checksums) = footer(*last).ok_or(wrong)?;
        let [magic @ .., a, b, c, d] = *head;
        let stored = u64::from(u32::from_le_bytes([a, b, c, d]));
        if magic != FRAME_MAGIC || stored + u64_from(HEAD) != size || size != u64_from(bytes.len()) {
            return Err(wrong);
        }
        allow(size, checksums, place.start, limits)?;
        let table = Self { entries, checksums, limits: *limits, content: 0, room: 0 };
        let (mut end, mut content, mut room) = (0, 0, 0);
        for frame in table.frames() {
            room = room.max(frame.content.end - frame.content.start);
            (end, content) = (frame.range.end, frame.content.end);
        }
        if end != place.start || place.end - place.start != size {
            return Err(wrong);
        }
        Ok(Self { content, room: index(room), ..table })
    }

    /// The table of a whole file; `None` if it has none.
    #[cfg_attr(feature = "small", inline(never))]
    pub fn of(file: &'a [u8], limits: &Limits) -> Result<Option<Self>> {
        let Some(&last) = file.last_chunk() else { return Ok(None) };
        let Some(place) = Self::place(last, u64_from(file.len()), limits)? else { return Ok(None) };
        Self::open(file.get(index(place.start)..).unwrap_or_default(), &place, limits).map(Some)
    }

    /// How many frames are listed.
    pub const fn len(&self) -> usize {
        self.entries.len() / width(self.checksums)
    }

    /// Whether no frame is listed.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What all frames decode to, if the table is to be believed.
    pub const fn content(&self) -> u64 {
        self.content
    }

    /// How many bytes the largest frame decodes to, if the table is to be believed.
    pub const fn room(&self) -> usize {
        self.room
    }

    /// All frames, in order.
    pub fn frames(&self) -> impl Iterator<Item = SeekFrame> + use<'a> {
        // Sums of less than 2^32 numbers of 32 bits.
        self.entries.chunks_exact(width(self.checksums)).scan((0, 0), |(byte, at), entry| {
            let (sizes, checksum) = entry.split_first_chunk::<8>()?;
            let &[a, b, c, d, e, f, g, h] = sizes;
            let range = *byte..*byte + u64::from(u32::from_le_bytes([a, b, c, d]));
            let content = *at..*at + u64::from(u32::from_le_bytes([e, f, g, h]));
            (*byte, *at) = (range.end, content.end);
            Some(SeekFrame { range, content, checksum: checksum.first_chunk().map(|&sum| u32::from_le_bytes(sum)) })
        })
    }

    /// The frames that hold a part of the content, in order; none for a part that is empty or lies behind the end.
    pub fn frames_in(&self, part: Range<u64>) -> impl Iterator<Item = SeekFrame> + use<'a> {
        let Range { start, end } = part;
        let frames = self.frames().skip_while(move |frame| frame.content.end <= start);
        frames
            .take_while(move |frame| start < end && frame.content.start < end)
            .filter(|frame| !frame.content.is_empty())
    }

    /// Decodes a part of the content of a file that is at hand. `dst` is as long as the part or longer; frames that only lie in it
    /// with a part of theirs are decoded in `room`, which needs as much as the largest of them, or [`room`](Self::room); too little is an
    /// error of the class `WorkspaceTooSmall`.
    #[cfg_attr(feature = "small", inline(never))]
    pub fn decode(
        &self,
        file: &[u8],
        part: Range<u64>,
        dst: &mut [u8],
        room: &mut [u8],
        ws: &mut Workspace,
        options: &Options<'_>,
    ) -> Result<usize> {
        if part.start > part.end || part.end > self.content {
            return Err(Error::new(ErrorKind::RangeOutside, 0));
        }
        let len = part.end - part.start;
        if len > self.limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(len));
        }
        let mut dst = dst.get_mut(..index(len)).ok_or(Error::new(ErrorKind::OutputTooSmall, 0).needing(len))?;
        for frame in self.frames_in(part.clone()) {
            let bytes = file.get(index(frame.range.start)..index(frame.range.end)).unwrap_or_default();
            let start = part.start.max(frame.content.start);
            let size = part.end.min(frame.content.end) - start;
            let (to, rest) = dst.split_at_mut_checked(index(size)).unwrap_or_default();
            let whole = frame.content.end - frame.content.start;
            if size == whole {
                frame.decode(bytes, to, ws, &self.limits, options)?;
            } else if whole > u64_from(room.len()) {
                return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(whole));
            } else {
                frame.decode(bytes, room, ws, &self.limits, options)?;
                let skip = index(start - frame.content.start);
                copy(room.get(skip..).unwrap_or_default(), to);
            }
            dst = rest;
        }
        Ok(index(len))
    }
}

impl SeekFrame {
    /// Decodes the frame whose bytes these are to the front of `dst`. Offsets of errors count from the start of the file.
    pub fn decode(
        &self,
        bytes: &[u8],
        dst: &mut [u8],
        ws: &mut Workspace,
        limits: &Limits,
        options: &Options<'_>,
    ) -> Result<Done> {
        let here = |error: Error| error.offset_by(self.range.start);
        let wrong = Error::new(ErrorKind::ZstdSeekTable, self.range.start);
        let size = self.content.end.saturating_sub(self.content.start);
        let too_small = Error::new(ErrorKind::OutputTooSmall, self.range.start).needing(size);
        let dst = dst.get_mut(..index(size)).filter(|dst| u64_from(dst.len()) == size).ok_or(too_small)?;
        let done = decode_with(bytes, dst, ws, limits, options, &mut ()).map_err(|error| match error.kind {
            // There is as much room as the table says.
            ErrorKind::OutputTooSmall => wrong,
            _ => here(error),
        })?;
        self.check(dst.get(..done.wrote).unwrap_or_default(), options)?;
        Ok(done)
    }

    /// The same to a new vector. What the table claims is not believed: the vector is never longer than the blocks of the frame could
    /// fill.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec(
        &self,
        bytes: &[u8],
        ws: &mut Workspace,
        limits: &Limits,
        options: &Options<'_>,
    ) -> Result<Vec<u8>> {
        let out = super::decode::decode_to_vec(bytes, ws, limits, options);
        let out = out.map_err(|error| error.offset_by(self.range.start))?;
        self.check(&out, options)?;
        Ok(out)
    }

    /// Compares content with what the table says of it.
    fn check(&self, content: &[u8], options: &Options<'_>) -> Result<()> {
        if u64_from(content.len()) != self.content.end.saturating_sub(self.content.start) {
            return Err(Error::new(ErrorKind::ZstdSeekTable, self.range.start));
        }
        match self.checksum {
            Some(sum) if options.verify && low32(Xxh64::of(content)) != sum => {
                Err(Error::new(ErrorKind::ZstdChecksum, self.range.end))
            }
            _ => Ok(()),
        }
    }
}

/// Tells what is in a skippable frame whose content lies here: a seek table, or bytes that mean something to somebody else.
pub(super) fn tell_skippable<T: Trace>(src: &[u8], content: Range<usize>, trace: &mut T) {
    let bytes = src.get(content.clone()).unwrap_or_default();
    let is_table = || {
        // Only at the end of a file it is one.
        let frame = src.get(content.start.checked_sub(HEAD)?..).filter(|_| content.end == src.len())?;
        let (size, checksums) = footer(*frame.last_chunk()?)?;
        (frame.starts_with(&FRAME_MAGIC) && size == u64_from(frame.len())).then_some(checksums)
    };
    let Some(checksums) = is_table() else {
        return super::literals::tell(trace, Part::Data, Name::SkippableData, content, Value::Bytes(bytes));
    };
    let mut at = u64_from(content.start);
    let mut tell = |trace: &mut T, name, len: u64, value| {
        let part = if name == Name::Checksum { Part::Checksum } else { Part::Framing };
        trace.bytes(part, name, at..at + len, value);
        at += len;
    };
    trace.enter(Name::SeekTable, Value::None);
    let entries = bytes.get(..bytes.len().saturating_sub(SEEK_FOOTER)).unwrap_or_default();
    let table = SeekTable { entries, checksums, limits: Limits::NONE, content: 0, room: 0 };
    for (number, frame) in (0..).zip(table.frames()) {
        trace.enter(Name::Entry, Value::U64(number));
        tell(trace, Name::CompressedSize, 4, Value::U64(frame.range.end - frame.range.start));
        tell(trace, Name::DecompressedSize, 4, Value::U64(frame.content.end - frame.content.start));
        if let Some(sum) = frame.checksum {
            tell(trace, Name::Checksum, 4, Value::Hex(sum.into()));
        }
        trace.leave();
    }
    tell(trace, Name::NumberOfFrames, 4, Value::U64(u64_from(table.len())));
    tell(trace, Name::SeekTableDescriptor, 1, Value::Word(if checksums { "checksums" } else { "no checksums" }));
    tell(trace, Name::SeekTableMagic, 4, Value::Hex(u32::from_le_bytes(MAGIC).into()));
    trace.leave();
}
