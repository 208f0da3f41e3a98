//! Tells a [`Trace`] where everything in a file lies: the head, then each chunk with its columns.
//!
//! The values come from the same parsers that decoding uses, and the walk from chunk to chunk is that of the
//! [`Outline`](super::Outline); what is added here is what only shows in a payload.

use core::ops::Range;

use super::column::part;
use super::convert::Encoding;
use super::header::File;
use super::lossless::Planes;
use super::object::{Object, Place};
use super::outline::Walk;
use super::payload::{Crc, CrcCount};
use crate::json::{Member, Node};
use crate::num::u64_from;
use crate::{Limits, Name, Part, Result, Trace, Value};

/// Room for a name that is shown.
pub(super) const SHOWN: usize = 120;

/// Walks over a whole file: opens it, finds every chunk and every column in it, verifies every CRC-32 and every code of a lossless column.
///
/// On an error, what was heard until then is true. Bytes between chunks are told as padding where chunks lie in ascending order,
/// as all writers write them.
pub fn inspect(bytes: &[u8], limits: &Limits, trace: &mut impl Trace) -> Result<CrcCount> {
    let mut walk = Walk::start(bytes, u64_from(bytes.len()), limits, trace)?;
    let mut count = CrcCount::default();
    while let Some(at) = walk.at {
        let body = walk.body(bytes, at, part(bytes, walk.prefix(at))?, trace)?;
        let payload = part(bytes, body.range.clone())?;
        if body.encoding == Some(Encoding::Lossless) {
            trace.enter(Name::Lossless, Value::None);
            Planes::default().read(payload, body.range.start, trace)?;
            trace.leave();
        } else {
            body.tell(trace)?;
        }
        count.check(body.crc, Crc::Verify, payload)?;
        if body.encoding.is_none() {
            let len = u64_from(payload.len());
            walk.file(bytes).each_slot(&body.chunk, &mut |_, _, slot| Ok(slot.range(len).map(drop)?))?;
        }
        walk.next(bytes, trace)?;
    }
    let file = walk.file(bytes);
    if !file.is_columnar() {
        let column = file.only_column()?;
        column.each(bytes, column.rows(), Crc::Skip, &mut |payload| payload.check_codes())?;
    }
    Ok(count)
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
            self.trace.bytes(Part::Header, Name::Json, self.at..until, Value::None);
            self.at = until;
        }
    }

    fn field(&mut self, name: Name, range: Range<u64>, value: Value<'_>) {
        self.syntax(range.start);
        self.at = range.end;
        self.trace.bytes(Part::Header, name, range, value);
    }

    fn member(&mut self, member: &Member<'_>) {
        let mut room = [0; SHOWN];
        let name = NAMES.iter().find(|(key, _)| member.key.is(key));
        let value = match name {
            Some(_) => show(&member.value, &mut room),
            None => Value::Text(member.key.shown(&mut room)),
        };
        self.field(name.map_or(Name::Other, |(_, name)| *name), member.range(), value);
    }

    /// The members of an object as fields; `deeper` takes those that have a structure of their own.
    fn object(
        &mut self,
        name: Name,
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

    fn list(&mut self, name: Name, member: &Member<'_>, mut element: impl FnMut(&mut Self, Value<'_>, Node<'_>)) {
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
const NAMES: [(&str, Name); 21] = [
    ("num_vectors", Name::NumVectors),
    ("dimension", Name::Dimension),
    ("compression", Name::Compression),
    ("format_type", Name::FormatType),
    ("mmap_optimized", Name::MmapOptimized),
    ("rows", Name::Rows),
    ("min", Name::Min),
    ("scale", Name::Scale),
    ("file_offset", Name::FileOffset),
    ("offset", Name::Offset),
    ("size", Name::Size),
    ("name", Name::Name),
    ("dtype", Name::Dtype),
    ("start_index", Name::StartIndex),
    ("end_index", Name::EndIndex),
    ("start_in_chunk", Name::StartInChunk),
    ("end_in_chunk", Name::EndInChunk),
    ("section_start", Name::SectionStart),
    ("section_end", Name::SectionEnd),
    ("metadata", Name::Metadata),
    ("sections", Name::Sections),
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
    scribe.object(Name::Header, Value::None, root, |scribe, member| {
        // Of equal keys only the last one means anything.
        let here = Place::of(&member.value);
        match () {
            () if here == chunks => scribe.list(Name::Chunks, member, chunk_fields),
            () if here == columns => {
                scribe.list(Name::Columns, member, |scribe, index, node| {
                    scribe.object(Name::Column, index, node, |_, _| false)
                });
            }
            () if here == sections => {
                scribe.list(Name::Sections, member, |scribe, index, node| {
                    scribe.object(Name::Section, index, node, |_, _| false)
                });
            }
            () => return false,
        }
        true
    });
    scribe.syntax(file.head_len());
}

fn chunk_fields<T: Trace>(scribe: &mut Scribe<'_, T>, index: Value<'_>, node: Node<'_>) {
    scribe.object(Name::Chunk, index, node, |scribe, member| {
        if !member.key.is("columns") {
            return false;
        }
        scribe.syntax(member.range().start);
        scribe.object(Name::Columns, Value::None, member.value, |scribe, column| {
            let mut room = [0; SHOWN];
            scribe.syntax(column.range().start);
            scribe.object(Name::Column, Value::Text(column.key.shown(&mut room)), column.value, |_, _| false);
            true
        });
        true
    });
}
