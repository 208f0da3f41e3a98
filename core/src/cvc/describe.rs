//! Emits the JSON header to a [`Trace`].

use core::ops::Range;

use super::object::{Object, Position};
use crate::json::{Member, Node};
use crate::num::{u64_from, wide};
use crate::{Name, Part, Trace, Value};

/// Bytes of scratch for a name that is shown.
pub(super) const SHOWN: usize = 120;

/// Emits the fields of the JSON header, and the text between them.
struct Scribe<'t, T> {
    trace: &'t mut T,
    at: u64,
    /// The lists of the header. Of equal keys only the last one counts, so they are known by their
    /// positions.
    lists: [(Position, Name); 3],
}

impl<T: Trace> Scribe<'_, T> {
    /// Emits commas, colons, brackets and white space.
    fn syntax(&mut self, until: u64) {
        if until > self.at {
            self.trace.bytes(Part::Header, Name::Json, self.at..until, Value::None);
            self.at = until;
        }
    }

    /// Emits a member that has no groups in it.
    fn field(&mut self, member: &Member<'_>) {
        let mut scratch = [0; SHOWN];
        let name = FIELDS.iter().find(|(key, _)| member.key.is(key));
        let value = match (name, member.value.integer(), member.value.string()) {
            (None, ..) => Value::Text(member.key.shown(&mut scratch)),
            (_, Some(number), _) => Value::U64(wide(number)),
            (_, _, Some(text)) => Value::Text(text.shown(&mut scratch)),
            _ => Value::Text(core::str::from_utf8(member.value.raw()).unwrap_or("")),
        };
        let range = member.range();
        self.syntax(range.start);
        self.at = range.end;
        self.trace.bytes(Part::Header, name.map_or(Name::Other, |(_, name)| *name), range, value);
    }

    /// Emits a group that starts at `start`: an object, or a list of the header. Only groups of
    /// five names have groups in them, so that the depth of the JSON does not matter.
    fn group(&mut self, name: Name, value: Value<'_>, start: u64, node: Node<'_>) {
        self.syntax(start);
        self.trace.enter(name, value);
        let element = match name {
            Name::Chunks => Name::Chunk,
            Name::Columns => Name::Column,
            _ => Name::Section,
        };
        if let Name::Chunks | Name::Columns | Name::Sections = name {
            for (node, index) in node.elements().zip(0..) {
                self.group(element, Value::U64(index), u64_from(node.start()), node);
            }
        }
        for member in node.members() {
            let (range, start) = (member.range(), u64_from(member.value.start()));
            let mut scratch = [0; SHOWN];
            match name {
                Name::Header => match self.lists.iter().find(|list| list.0 == Position::of(&member.value)) {
                    Some(&(_, name)) => self.group(name, Value::None, range.start, member.value),
                    None => self.field(&member),
                },
                Name::Chunk if member.key.is("columns") => {
                    self.syntax(range.start);
                    self.group(Name::Columns, Value::None, start, member.value);
                }
                Name::Columns => {
                    self.syntax(range.start);
                    self.group(element, Value::Text(member.key.shown(&mut scratch)), start, member.value);
                }
                _ => self.field(&member),
            }
        }
        self.syntax(node.range().end);
        self.trace.leave();
    }
}

/// Keys that are shown under their own names.
const FIELDS: [(&str, Name); 21] = [
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

/// Emits every byte of the JSON header, which is these bytes of the file.
pub(super) fn describe<T: Trace>(root: Node<'_>, json: Range<usize>, trace: &mut T) {
    let [chunks, columns, sections] = Object::new(root).pick(&["chunks", "columns", "sections"]);
    let lists = [(chunks, Name::Chunks), (columns, Name::Columns), (sections, Name::Sections)];
    let mut scribe = Scribe { trace, at: u64_from(json.start), lists };
    scribe.group(Name::Header, Value::None, u64_from(root.start()), root);
    scribe.syntax(u64_from(json.end));
}
