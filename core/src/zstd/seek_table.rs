//! The format of a seek table: a skippable frame that lists the frames before it.

use core::ops::Range;

use super::header::emit_field;
use crate::num::{split_last, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Bytes of the footer, at the end of a file, which leads to its seek table.
pub const SEEK_FOOTER: usize = 9;

/// Bytes before the list: the magic number and the size of a skippable frame.
const HEAD: usize = 8;

/// The start of the frame of a table: a skippable frame of the variant 14.
const FRAME_MAGIC: [u8; 4] = [0x5E, 0x2A, 0x4D, 0x18];

/// The end of the footer.
const MAGIC: [u8; 4] = [0xB1, 0xEA, 0x92, 0x8F];

/// One frame in a seek table. The frame itself has not been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeekFrame {
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// Its bytes of the content.
    pub content: Range<u64>,
    /// The low half of the XXH64 of its content, if the table has it.
    pub checksum: Option<u32>,
}

/// The borrowed entries of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeekTable<'a> {
    entries: &'a [u8],
    checksums: bool,
}

/// Returns the length of the whole frame of a table, from its footer, and whether it holds
/// checksums.
fn footer(bytes: [u8; SEEK_FOOTER]) -> Option<(u64, bool)> {
    let [a, b, c, d, descriptor, magic @ ..] = bytes;
    // Five bits are reserved, the lowest two mean nothing.
    if magic != MAGIC || descriptor & 0x7C != 0 {
        return None;
    }
    let (count, checksums) = (u32::from_le_bytes([a, b, c, d]), descriptor & 0x80 != 0);
    Some((u64::from(count) * u64_from(width(checksums)) + u64_from(HEAD + SEEK_FOOTER), checksums))
}

/// Returns the bytes of an entry: two sizes, and perhaps a checksum.
const fn width(checksums: bool) -> usize {
    if checksums { 12 } else { 8 }
}

/// Compares a table of this size at `start` with the limits.
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

/// Returns the range of the table in a file of `len` bytes, from its last bytes; `None` if they are
/// no footer.
pub(super) fn place(last: [u8; SEEK_FOOTER], len: u64, limits: &Limits) -> Result<Option<Range<u64>>> {
    let Some((size, checksums)) = footer(last) else { return Ok(None) };
    let start =
        len.checked_sub(size).ok_or(Error::new(ErrorKind::ZstdSeekTable, len.saturating_sub(u64_from(SEEK_FOOTER))))?;
    allow(size, checksums, start, limits)?;
    Ok(Some(start..len))
}

impl<'a> SeekTable<'a> {
    /// Reads the table at `place`.
    pub(super) fn read(bytes: &'a [u8], place: &Range<u64>, limits: &Limits) -> Result<Self> {
        let wrong = Error::new(ErrorKind::ZstdSeekTable, place.start);
        let (head, rest) = bytes.split_first_chunk::<HEAD>().ok_or(wrong)?;
        let (entries, last) = split_last::<SEEK_FOOTER>(rest).ok_or(wrong)?;
        let (size, checksums) = footer(*last).ok_or(wrong)?;
        let [magic @ .., a, b, c, d] = *head;
        let stored = u64::from(u32::from_le_bytes([a, b, c, d]));
        if magic != FRAME_MAGIC || stored + u64_from(HEAD) != size || size != u64_from(bytes.len()) {
            return Err(wrong);
        }
        allow(size, checksums, place.start, limits)?;
        Ok(Self { entries, checksums })
    }

    /// Returns the number of frames.
    pub(super) const fn len(&self) -> usize {
        self.entries.len() / width(self.checksums)
    }

    /// Returns all frames, in order.
    pub(super) fn frames(&self) -> impl Iterator<Item = SeekFrame> + use<'a> {
        // Sums of fewer than 2^32 numbers of 32 bits cannot overflow.
        self.entries.chunks_exact(width(self.checksums)).scan((0, 0), |(byte, at), entry| {
            let (sizes, checksum) = entry.split_first_chunk::<8>()?;
            let &[a, b, c, d, e, f, g, h] = sizes;
            let range = *byte..*byte + u64::from(u32::from_le_bytes([a, b, c, d]));
            let content = *at..*at + u64::from(u32::from_le_bytes([e, f, g, h]));
            (*byte, *at) = (range.end, content.end);
            Some(SeekFrame { range, content, checksum: checksum.first_chunk().map(|&sum| u32::from_le_bytes(sum)) })
        })
    }
}

/// Emits the content of a skippable frame: a seek table, or bytes that mean nothing here.
pub(super) fn trace_skippable<T: Trace>(src: &[u8], content: Range<usize>, trace: &mut T) {
    let bytes = src.get(content.clone()).unwrap_or_default();
    let is_table = || {
        // A seek table is at the end of a file only.
        let frame = src.get(content.start.checked_sub(HEAD)?..).filter(|_| content.end == src.len())?;
        let (size, checksums) = footer(*split_last(frame)?.1)?;
        (frame.starts_with(&FRAME_MAGIC) && size == u64_from(frame.len())).then_some(checksums)
    };
    let Some(checksums) = is_table() else {
        return emit_field(trace, Part::Data, Name::SkippableData, content, Value::Bytes(bytes));
    };
    let mut at = u64_from(content.start);
    let mut emit = |trace: &mut T, part, name, len: u64, value| {
        trace.bytes(part, name, at..at + len, value);
        at += len;
    };
    trace.enter(Name::SeekTable, Value::None);
    let entries = bytes.get(..bytes.len().saturating_sub(SEEK_FOOTER)).unwrap_or_default();
    let table = SeekTable { entries, checksums };
    for (number, frame) in (0..).zip(table.frames()) {
        trace.enter(Name::Entry, Value::U64(number));
        let sizes = [&frame.range, &frame.content].map(|range| Value::U64(range.end - range.start));
        let [compressed, decompressed] = sizes;
        emit(trace, Part::Framing, Name::CompressedSize, 4, compressed);
        emit(trace, Part::Framing, Name::DecompressedSize, 4, decompressed);
        if let Some(sum) = frame.checksum {
            emit(trace, Part::Checksum, Name::Checksum, 4, Value::Hex(sum.into()));
        }
        trace.leave();
    }
    emit(trace, Part::Framing, Name::NumberOfFrames, 4, Value::U64(u64_from(table.len())));
    let kind = Value::Word(if checksums { "checksums" } else { "no checksums" });
    emit(trace, Part::Framing, Name::SeekTableDescriptor, 1, kind);
    emit(trace, Part::Framing, Name::SeekTableMagic, 4, Value::Hex(u32::from_le_bytes(MAGIC).into()));
    trace.leave();
}
