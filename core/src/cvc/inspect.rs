//! Tells a [`Trace`] where everything in a file lies: the head, then each chunk with its columns.
//!
//! The values come from the same parsers that decoding uses; what is added here is the walk that names every byte once.

use core::ops::Range;

use super::chunk::Chunk;
use super::column::part;
use super::convert::Encoding;
use super::header::File;
use super::lossless::Planes;
use super::object::{Object, Place};
use super::payload::{Crc, CrcCount};
use super::plan::{Piece, place};
use crate::json::{Member, Node};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Limits, Part, Result, Trace, Value};

/// Room for a name that is shown.
const SHOWN: usize = 120;

/// Walks over a whole file: opens it, finds every chunk and every column in it, verifies every CRC-32.
///
/// On an error, what was heard until then is true. Bytes between chunks are told as padding where chunks lie in ascending order,
/// as all writers write them.
pub fn inspect(bytes: &[u8], limits: &Limits, trace: &mut impl Trace) -> Result<CrcCount> {
    let file = File::open_traced(bytes, limits, trace)?;
    let mut count = CrcCount::default();
    let mut end = file.head_len();
    for chunk in file.chunks() {
        let chunk = chunk?;
        let at = place(&file, &chunk, end)?;
        if at > end {
            let padding = end..at.min(u64_from(bytes.len()));
            trace.bytes(Part::Padding, "padding", padding, Value::None);
        }
        trace.enter("chunk", Value::U64(chunk.index));
        end = end.max(self::chunk(&file, &chunk, bytes, at, &mut count, trace)?);
        trace.leave();
    }
    let len = u64_from(bytes.len());
    if end < len {
        trace.bytes(Part::Padding, "trailing bytes", end..len, Value::None);
    }
    for column in file.columns() {
        let column = column?;
        column.each(bytes, column.rows(), Crc::Skip, &mut |_| Ok(()))?;
    }
    Ok(count)
}

/// One chunk: prefix, then the payload by columns. Gives its end.
fn chunk(
    file: &File<'_>,
    chunk: &Chunk<'_>,
    bytes: &[u8],
    at: u64,
    count: &mut CrcCount,
    trace: &mut impl Trace,
) -> Result<u64> {
    let length = part(bytes, at..at.saturating_add(4))?;
    let len = length.first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
    trace.bytes(Part::Framing, "payload length", at..at.saturating_add(4), Value::U64(len));
    let mut piece = Piece::NONE;
    (piece.at, piece.has_crc) = (at, file.has_checksums());
    let start = piece.payload_start();
    let prefix = part(bytes, at..start)?;
    let stored = prefix.get(4..).and_then(<[u8]>::first_chunk).map(|crc| u32::from_le_bytes(*crc));
    if let Some(crc) = stored {
        trace.bytes(Part::Checksum, "crc-32", at.saturating_add(4)..start, Value::Hex(crc.into()));
    }
    let range = start..start.saturating_add(len);
    match file.is_columnar() {
        true => columns(chunk, range.clone(), bytes, trace)?,
        false => {
            let column = file.only_column()?;
            column.slot(chunk, &mut piece.slot)?;
            piece.read(&column, chunk, len, &column.rows())?;
            if piece.slot.payload_len().is_some_and(|needed| needed != len) {
                return Err(Error::new(ErrorKind::CvcChunkLength, at));
            }
            values(&piece, bytes, range.clone(), trace)?;
        }
    }
    count.check(stored.map(|crc| (crc, at.saturating_add(4))), Crc::Verify, part(bytes, range.clone())?)?;
    Ok(range.end)
}

/// The payload of a chunk of a file with one column.
fn values(piece: &Piece, bytes: &[u8], range: Range<u64>, trace: &mut impl Trace) -> Result<()> {
    let payload = part(bytes, range.clone())?;
    if piece.slot.encoding == Encoding::Lossless {
        trace.enter("lossless", Value::None);
        Planes::default().read(payload, range.start, trace)?;
        trace.leave();
    } else {
        trace.bytes(Part::Data, "values", range, Value::Word(piece.slot.encoding.name()));
    }
    Ok(())
}

/// The payload of a chunk with many columns, in the order in which they lie there: the header names them in any order, with any
/// gaps, and even on top of each other.
fn columns(chunk: &Chunk<'_>, range: Range<u64>, bytes: &[u8], trace: &mut impl Trace) -> Result<()> {
    part(bytes, range.clone())?;
    let node = chunk.node.member("columns").ok_or(chunk.node.fault(ErrorKind::CvcColumnMissing))?;
    let place = |member: &Member<'_>| {
        let mut object = Object::new(member.value);
        let [offset, size] = object.pick(["offset", "size"]).map(|place| object.integer(place));
        object.check().ok()?;
        let start = range.start.checked_add(offset)?;
        Some((start, start.checked_add(size)?))
    };
    let mut at = range.start;
    while at < range.end {
        let next = node
            .members()
            .filter_map(|member| place(&member).map(|place| (place, member)))
            .filter(|&((start, end), _)| end > at && end > start && end <= range.end)
            .min_by_key(|&(place, _)| place);
        let Some(((start, end), member)) = next else {
            trace.bytes(Part::Padding, "unused", at..range.end, Value::None);
            break;
        };
        if start > at {
            trace.bytes(Part::Padding, "unused", at..start, Value::None);
        }
        let mut room = [0; SHOWN];
        trace.bytes(Part::Data, "column", start.max(at)..end, Value::Text(member.key.shown(&mut room)));
        at = end;
    }
    Ok(())
}

/// Tells the fields of the JSON header, and the text between them.
struct Scribe<'t, T> {
    trace: &'t mut T,
    at: u64,
}

impl<T: Trace> Scribe<'_, T> {
    /// Commas, colons, brackets and white space.
    fn syntax(&mut self, until: u64) {
        if until > self.at {
            self.trace.bytes(Part::Header, "json", self.at..until, Value::None);
            self.at = until;
        }
    }

    fn field(&mut self, name: &'static str, range: Range<u64>, value: Value<'_>) {
        self.syntax(range.start);
        self.at = range.end;
        self.trace.bytes(Part::Header, name, range, value);
    }

    fn member(&mut self, member: &Member<'_>) {
        let mut room = [0; SHOWN];
        let name = NAMES.iter().find(|name| member.key.is(name));
        let value = match name {
            Some(_) => show(&member.value, &mut room),
            None => Value::Text(member.key.shown(&mut room)),
        };
        self.field(name.unwrap_or(&"other"), member.range(), value);
    }

    /// The members of an object as fields; `deeper` takes those that have a structure of their own.
    fn object(
        &mut self,
        name: &'static str,
        value: Value<'_>,
        node: Node<'_>,
        mut deeper: impl FnMut(&mut Self, &Member<'_>) -> bool,
    ) {
        self.syntax(node.range().start);
        self.trace.enter(name, value);
        for member in node.members() {
            if !deeper(self, &member) {
                self.member(&member);
            }
        }
        self.syntax(node.range().end);
        self.trace.leave();
    }

    fn list(
        &mut self,
        name: &'static str,
        member: &Member<'_>,
        mut element: impl FnMut(&mut Self, Value<'_>, Node<'_>),
    ) {
        self.syntax(member.range().start);
        self.trace.enter(name, Value::None);
        for (node, index) in member.value.elements().zip(0..) {
            element(self, Value::U64(index), node);
        }
        self.syntax(member.range().end);
        self.trace.leave();
    }
}

/// Keys that are shown under their own names.
const NAMES: [&str; 21] = [
    "num_vectors",
    "dimension",
    "compression",
    "format_type",
    "mmap_optimized",
    "rows",
    "min",
    "scale",
    "file_offset",
    "offset",
    "size",
    "name",
    "dtype",
    "start_index",
    "end_index",
    "start_in_chunk",
    "end_in_chunk",
    "section_start",
    "section_end",
    "metadata",
    "sections",
];

fn show<'b>(node: &Node<'b>, room: &'b mut [u8]) -> Value<'b> {
    match (node.integer(), node.string()) {
        (Ok(number), _) => Value::U64(number),
        (_, Ok(text)) => Value::Text(text.shown(room)),
        _ => Value::Text(core::str::from_utf8(node.raw()).unwrap_or("")),
    }
}

/// The JSON header, every byte of it.
pub(super) fn header<T: Trace>(file: &File<'_>, root: Node<'_>, start: usize, trace: &mut T) {
    let mut scribe = Scribe { trace, at: u64_from(start) };
    let object = Object::new(root);
    let [chunks, columns, sections] = object.pick(["chunks", "columns", "sections"]);
    scribe.object("header", Value::None, root, |scribe, member| {
        // Of equal keys only the last one means anything.
        let here = Place::of(&member.value);
        match () {
            () if here == chunks => scribe.list("chunks", member, chunk_fields),
            () if here == columns => {
                scribe
                    .list("columns", member, |scribe, index, node| scribe.object("column", index, node, |_, _| false));
            }
            () if here == sections => {
                scribe.list("sections", member, |scribe, index, node| {
                    scribe.object("section", index, node, |_, _| false)
                });
            }
            () => return false,
        }
        true
    });
    scribe.syntax(file.head_len());
}

fn chunk_fields<T: Trace>(scribe: &mut Scribe<'_, T>, index: Value<'_>, node: Node<'_>) {
    scribe.object("chunk", index, node, |scribe, member| {
        if !member.key.is("columns") {
            return false;
        }
        scribe.syntax(member.range().start);
        scribe.object("columns", Value::None, member.value, |scribe, column| {
            let mut room = [0; SHOWN];
            scribe.syntax(column.range().start);
            scribe.object("column", Value::Text(column.key.shown(&mut room)), column.value, |_, _| false);
            true
        });
        true
    });
}
