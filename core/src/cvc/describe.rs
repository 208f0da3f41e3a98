//! Tells a [`Trace`] what the JSON header says.

use core::ops::Range;

use super::object::{Object, Place};
use crate::json::{Member, Node};
use crate::num::u64_from;
use crate::{Name, Part, Trace, Value};

/// Room for a name that is shown.
pub(super) const SHOWN: usize = 120;

/// Emits the fields of the JSON header, and the text between them.
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
        (Some(number), _) => Value::U64(number),
        (_, Some(text)) => Value::Text(text.shown(room)),
        _ => Value::Text(core::str::from_utf8(node.raw()).unwrap_or("")),
    }
}

/// Emits every byte of the JSON header, which is these bytes of the file.
pub(super) fn describe<T: Trace>(root: Node<'_>, json: Range<usize>, trace: &mut T) {
    let mut scribe = Scribe { trace, at: u64_from(json.start) };
    let mut object = Object::new(root);
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
    scribe.syntax(u64_from(json.end));
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
