//! The head of a file: magic, version, JSON header.

use super::chunk::Chunks;
use super::column::{Column, Columns};
use super::json::{self, Node};
use super::section::Sections;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Part, Result, Trace, Value};

const MAGIC: &[u8] = b"CVCF";

/// How many bytes of a file tell how long its head is: magic, version, length, and the first byte of the JSON.
pub const FRAMING_LEN: usize = 13;

/// Which generation of writers made the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// 0 for files without version words and checksums, 1 for one column, 2 for many.
    pub major: u16,
    /// Ignored by every reader.
    pub minor: u16,
}

/// What stands before the JSON.
#[derive(Clone, Copy, Debug)]
struct Framing {
    version: Version,
    /// Where the JSON starts and ends.
    json: usize,
    end: usize,
}

/// The length of the head, from the first [`FRAMING_LEN`] bytes of a file: what must be at hand to [`File::open`].
pub fn head_len(prefix: &[u8], limits: &Limits) -> Result<u64> {
    Ok(u64_from(framing(prefix, limits, &mut ())?.end))
}

fn framing(bytes: &[u8], limits: &Limits, trace: &mut impl Trace) -> Result<Framing> {
    if !bytes.starts_with(MAGIC) && !MAGIC.starts_with(bytes) {
        return Err(Error::new(ErrorKind::CvcMagic, 0));
    }
    let Some(&[_, _, _, _, a, b, c, d, e, f, g, h, i]) = bytes.first_chunk::<FRAMING_LEN>() else {
        return Err(truncated(bytes, u64_from(FRAMING_LEN)));
    };
    trace.bytes(Part::Framing, "magic", 0..4, Value::Text("CVCF"));
    let (word, next) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    let mut version = Version { major: u16::from_le_bytes([a, b]), minor: u16::from_le_bytes([c, d]) };
    // Version 0 has its header length where later versions have their version words, and its JSON where they have
    // their length. A length of 65537 reads like version 1.1, so the bytes behind decide: a length below 150 MB
    // holds at least one byte that no JSON text has.
    let json_at_8 = is_json_start(e) && [f, g, h].into_iter().all(is_json_byte);
    let json_at_12 = is_json_start(i);
    let (json, len, length_at) = if !json_at_8 && (1..=10).contains(&version.major) && version.minor <= 100 {
        if version.major > 2 {
            return Err(Error::new(ErrorKind::CvcVersion, 4));
        }
        trace.bytes(Part::Framing, "major version", 4..6, Value::U64(version.major.into()));
        trace.bytes(Part::Framing, "minor version", 6..8, Value::U64(version.minor.into()));
        (12, next, 8)
    } else {
        if json_at_12 && !json_at_8 {
            return Err(Error::new(ErrorKind::CvcVersion, 4));
        }
        version = Version { major: 0, minor: 1 };
        (8, word, 4)
    };
    trace.bytes(Part::Framing, "header length", length_at..length_at + 4, Value::U64(len.into()));
    if len == 0 {
        return Err(Error::new(ErrorKind::CvcHeaderEmpty, length_at));
    }
    if u64::from(len) > limits.max_header {
        return Err(Error::new(ErrorKind::HeaderLimit, length_at).needing(len.into()));
    }
    Ok(Framing { version, json, end: index(u64::from(len)).saturating_add(json) })
}

/// How a header can start: an object, perhaps behind white space or a byte order mark.
fn is_json_start(byte: u8) -> bool {
    matches!(byte, b'{' | b' ' | b'\t' | b'\n' | b'\r' | 0xEF)
}

fn is_json_byte(byte: u8) -> bool {
    byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r')
}

/// The input ends before `need`.
#[cold]
pub(super) fn truncated(bytes: &[u8], need: u64) -> Error {
    Error::new(ErrorKind::Truncated, u64_from(bytes.len())).needing(need)
}

/// What the header says of the whole file: plain numbers and places in the JSON, so that a streaming decoder can keep
/// it beside the buffer that holds the JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) version: Version,
    pub(super) end: usize,
    pub(super) num_vectors: u64,
    /// Where the array of chunks starts.
    pub(super) chunks: usize,
    pub(super) chunk_count: u64,
    pub(super) kind: Kind,
    sections: Option<usize>,
    pub(super) mmap_optimized: bool,
    pub(super) max_output: u64,
}

/// One nameless column of f32, or a schema.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Single { dimension: u64, compression: usize },
    Columnar { columns: usize, count: u64 },
}

/// A file whose header is parsed and checked. It borrows the head and holds nothing else.
///
/// Calls that decode take the bytes of the file again, because the head may be all that was at hand when it was opened.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub(super) head: &'a [u8],
    pub(super) facts: Facts,
}

impl<'a> File<'a> {
    /// Parses the head of a file: the whole file, or at least its first [`head_len`] bytes.
    ///
    /// All of the JSON is checked, and the rows of all chunks add up to the number of vectors. Nothing of the data is read.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::open_traced(bytes, limits, &mut ())
    }

    /// [`open`](Self::open), heard by `trace`.
    pub fn open_traced<T: Trace>(bytes: &'a [u8], limits: &Limits, trace: &mut T) -> Result<Self> {
        let framing = framing(bytes, limits, trace)?;
        let head = bytes.get(..framing.end).ok_or_else(|| truncated(bytes, u64_from(framing.end)))?;
        let start = json::check(head, framing.json..framing.end, limits.max_depth)?;
        let root = Node::at(head, start);
        if !root.is_object() {
            return Err(root.error(ErrorKind::CvcWrongValue));
        }
        let facts = facts(root, framing, limits)?;
        let mut file = Self { head, facts };
        if T::LISTENS {
            super::inspect::header(&file, root, framing.json, trace)?;
        }
        file.count_rows(limits)?;
        file.columns().try_for_each(|column| column.map(drop))?;
        Ok(file)
    }

    /// Adds up the rows of all chunks, in numbers that cannot wrap, and counts the chunks.
    fn count_rows(&mut self, limits: &Limits) -> Result<()> {
        let mut chunks = self.chunks();
        let mut rows = 0u64;
        for chunk in chunks.by_ref() {
            let chunk = chunk?;
            rows = chunk.rows.end;
            self.facts.chunk_count = chunk.index.saturating_add(1);
            if self.facts.chunk_count > limits.max_elements {
                return Err(
                    Error::new(ErrorKind::ElementLimit, u64_from(self.facts.chunks)).needing(self.facts.chunk_count)
                );
            }
        }
        if rows != self.facts.num_vectors {
            return Err(Error::new(ErrorKind::CvcRowsDisagree, u64_from(self.facts.chunks)));
        }
        Ok(())
    }

    /// Which generation of writers made it.
    pub fn version(&self) -> Version {
        self.facts.version
    }

    /// Where the header ends.
    pub fn head_len(&self) -> u64 {
        u64_from(self.facts.end)
    }

    /// How many rows every column has.
    pub fn num_vectors(&self) -> u64 {
        self.facts.num_vectors
    }

    /// How many chunks the rows are divided into.
    pub fn chunk_count(&self) -> u64 {
        self.facts.chunk_count
    }

    /// Whether the file has a schema of named columns; if not, it has one nameless column of f32.
    pub fn is_columnar(&self) -> bool {
        matches!(self.facts.kind, Kind::Columnar { .. })
    }

    /// How many columns there are.
    pub fn column_count(&self) -> u64 {
        match self.facts.kind {
            Kind::Single { .. } => 1,
            Kind::Columnar { count, .. } => count,
        }
    }

    /// Whether the writer laid the chunks out for memory mapping, each at a `file_offset` of its own.
    pub fn is_mmap_optimized(&self) -> bool {
        self.facts.mmap_optimized
    }

    /// Whether each chunk has a CRC-32.
    pub fn has_checksums(&self) -> bool {
        self.facts.version.major > 0
    }

    /// Bytes before the payload of a chunk: its length, and from version 1 on its CRC-32.
    pub(super) fn prefix_len(&self) -> u64 {
        if self.has_checksums() { 8 } else { 4 }
    }

    /// The chunks as the header describes them, in the order of their rows.
    pub fn chunks(&self) -> Chunks<'a> {
        Chunks::new(*self)
    }

    /// The columns, in the order of the schema.
    pub fn columns(&self) -> Columns<'a> {
        Columns::new(*self)
    }

    /// The column of this name. Where two have the same name, the last counts, as in the reference.
    pub fn column(&self, name: &str) -> Result<Column<'a>> {
        let mut found = None;
        for column in self.columns() {
            let column = column?;
            if column.name().is(name) {
                found = Some(column);
            }
        }
        found.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0))
    }

    /// The column of a file that has only one.
    pub fn only_column(&self) -> Result<Column<'a>> {
        let mut columns = self.columns();
        match (columns.next(), columns.next()) {
            (Some(column), None) => column,
            _ => Err(Error::new(ErrorKind::CvcPickColumn, 0)),
        }
    }

    /// The sections that the header lists: named stretches of rows.
    pub fn sections(&self) -> Sections<'a> {
        Sections::new(self.facts.sections.map(|at| Node::at(self.head, at)), self.facts.num_vectors)
    }
}

fn array(node: Node<'_>) -> Result<Node<'_>> {
    if node.is_array() { Ok(node) } else { Err(node.error(ErrorKind::CvcWrongValue)) }
}

fn facts(root: Node<'_>, framing: Framing, limits: &Limits) -> Result<Facts> {
    let [num_vectors, dimension, compression, chunks, columns, format_type, sections, mmap] = root.pick([
        "num_vectors",
        "dimension",
        "compression",
        "chunks",
        "columns",
        "format_type",
        "sections",
        "mmap_optimized",
    ]);
    let missing = root.error(ErrorKind::CvcMissingKey);
    let num_vectors = num_vectors.ok_or(missing)?.integer()?;
    let chunks = array(chunks.ok_or(missing)?)?.start();
    // Only version 2 writers know columns, and they also write files without.
    let mut columnar = false;
    if let (2, Some(node)) = (framing.version.major, format_type) {
        let name = node.string()?;
        columnar = name.is("columnar");
        if !columnar && !name.is("single") {
            return Err(node.error(ErrorKind::CvcFormatType));
        }
    } else if framing.version.major == 2 {
        columnar = columns.is_some() && dimension.is_none();
    }
    let kind = if columnar {
        let columns = array(columns.ok_or(missing)?)?;
        let count = u64_from(columns.elements().count());
        if count > limits.max_columns {
            return Err(columns.error(ErrorKind::ElementLimit).needing(count));
        }
        if count == 0 {
            return Err(columns.error(ErrorKind::CvcMissingKey));
        }
        Kind::Columnar { columns: columns.start(), count }
    } else {
        let (dimension, compression) = (dimension.ok_or(missing)?.integer()?, compression.ok_or(missing)?);
        compression.string()?;
        Kind::Single { dimension, compression: compression.start() }
    };
    Ok(Facts {
        version: framing.version,
        end: framing.end,
        num_vectors,
        chunks,
        chunk_count: 0,
        kind,
        sections: sections.map(|node| node.start()),
        mmap_optimized: mmap.is_some_and(|node| node.is_true()),
        max_output: limits.max_output,
    })
}
