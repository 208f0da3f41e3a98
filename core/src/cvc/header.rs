//! The head of a file: magic, version, JSON header.

use super::chunk::{Chunk, Chunks};
use super::column::{Column, Columns, Schema};
use super::object::Object;
use super::section::Sections;
use crate::fault::{Fault, Verdict};
use crate::json::{self, Node};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

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
        return Err(Error::truncated(u64_from(bytes.len()), u64_from(FRAMING_LEN)));
    };
    trace.bytes(Part::Framing, Name::Magic, 0..4, Value::Text("CVCF"));
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
        trace.bytes(Part::Framing, Name::MajorVersion, 4..6, Value::U64(version.major.into()));
        trace.bytes(Part::Framing, Name::MinorVersion, 6..8, Value::U64(version.minor.into()));
        (12, next, 8)
    } else {
        if json_at_12 && !json_at_8 {
            return Err(Error::new(ErrorKind::CvcVersion, 4));
        }
        version = Version { major: 0, minor: 1 };
        (8, word, 4)
    };
    trace.bytes(Part::Framing, Name::HeaderLength, length_at..length_at + 4, Value::U64(len.into()));
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
        let mut file = Self::NONE;
        file.read(bytes, limits, trace)?;
        Ok(file)
    }

    pub(super) const NONE: Self = Self { head: &[], facts: Facts::NONE };

    /// Filled in place: moving a file from call to call would take more code than filling it.
    #[inline(never)]
    pub(super) fn read<T: Trace>(&mut self, bytes: &'a [u8], limits: &Limits, trace: &mut T) -> Result<()> {
        let framing = framing(bytes, limits, trace)?;
        self.head =
            bytes.get(..framing.end).ok_or_else(|| Error::truncated(u64_from(bytes.len()), u64_from(framing.end)))?;
        let start = json::check(self.head, framing.json..framing.end, limits.max_depth)?;
        let root = Node::at(self.head, start);
        self.facts.read(root, &framing)?;
        self.facts.max_output = limits.max_output;
        if let Kind::Columnar { columns, count } = self.facts.kind
            && count > limits.max_columns
        {
            return Err(Error::new(ErrorKind::ElementLimit, u64_from(columns)).needing(count));
        }
        if T::LISTENS {
            super::inspect::header(self, root, framing.json, trace);
        }
        self.count_rows(limits.max_elements)?;
        if self.facts.chunk_count > limits.max_elements {
            let error = Error::new(ErrorKind::ElementLimit, u64_from(self.facts.chunks));
            return Err(error.needing(self.facts.chunk_count));
        }
        self.check_columns()?;
        Ok(())
    }

    /// Counts the chunks, up to one more than allowed, and adds up their rows in numbers that cannot wrap.
    #[inline(never)]
    fn count_rows(&mut self, max: u64) -> Verdict<()> {
        let (mut chunks, mut chunk) = (self.chunks(), Chunk::default());
        while chunks.read(&mut chunk)? {
            self.facts.chunk_count = chunk.index.saturating_add(1);
            if self.facts.chunk_count > max {
                return Ok(());
            }
        }
        if chunk.rows.end != self.facts.num_vectors {
            return Err(Fault::new(ErrorKind::CvcRowsDisagree, self.facts.chunks));
        }
        Ok(())
    }

    #[inline(never)]
    fn check_columns(&self) -> Verdict<()> {
        let (mut columns, mut column) = (Schema::new(self), Column::of(self));
        while columns.read(&mut column)? {}
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

    /// The chunks as the header describes them, in the order of their rows.
    pub fn chunks(&self) -> Chunks<'a> {
        Chunks::new(self)
    }

    /// The columns, in the order of the schema.
    pub fn columns(&self) -> Columns<'a> {
        Columns::new(*self)
    }

    /// The column of this name. Where two have the same name, the last counts, as in the reference.
    pub fn column(&self, name: &str) -> Result<Column<'a>> {
        let mut column = Column::of(self);
        self.nth(self.find(Some(name))?, &mut column)?;
        Ok(column)
    }

    /// The column of a file that has only one.
    pub fn only_column(&self) -> Result<Column<'a>> {
        let mut column = Column::of(self);
        self.nth(self.find(None)?, &mut column)?;
        Ok(column)
    }

    /// Where in the schema the column of this name is, or the only one.
    #[inline(never)]
    pub(super) fn find(&self, name: Option<&str>) -> Result<usize> {
        let (mut schema, mut column, mut found) = (Schema::new(self), Column::of(self), None);
        let mut position = 0usize;
        while schema.read(&mut column)? {
            if name.is_none_or(|name| column.name().is(name)) {
                found = Some(position);
            }
            position = position.saturating_add(1);
        }
        match found {
            Some(1..) if name.is_none() => Err(Error::new(ErrorKind::CvcPickColumn, 0)),
            found => found.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0)),
        }
    }

    /// The column at this place in the schema.
    pub(super) fn nth(&self, position: usize, column: &mut Column<'a>) -> Verdict<()> {
        let mut schema = Schema::new(self);
        for _ in 0..=position {
            schema.read(column)?;
        }
        Ok(())
    }

    /// The sections that the header lists: named stretches of rows.
    pub fn sections(&self) -> Sections<'a> {
        Sections::new(self.facts.sections.map(|at| Node::at(self.head, at)), self.facts.num_vectors)
    }
}

impl Facts {
    /// What is known of no file.
    pub(super) const NONE: Self = Self {
        version: Version { major: 0, minor: 0 },
        end: 0,
        num_vectors: 0,
        chunks: 0,
        chunk_count: 0,
        kind: Kind::Columnar { columns: 0, count: 0 },
        sections: None,
        mmap_optimized: false,
        max_output: 0,
    };

    /// All but the chunks, which nobody has counted yet.
    #[inline(never)]
    fn read(&mut self, root: Node<'_>, framing: &Framing) -> Verdict<()> {
        if !root.is_object() {
            return Err(root.fault(ErrorKind::CvcWrongValue));
        }
        let mut header = Object::new(root);
        let [num_vectors, dimension, compression, chunks, columns, format_type, sections, mmap] = header.pick([
            "num_vectors",
            "dimension",
            "compression",
            "chunks",
            "columns",
            "format_type",
            "sections",
            "mmap_optimized",
        ]);
        self.version = framing.version;
        self.end = framing.end;
        self.num_vectors = header.integer(num_vectors);
        self.chunks = header.array(chunks).start();
        self.sections = header.find(sections).map(|node| node.start());
        self.mmap_optimized = header.find(mmap).is_some_and(|node| node.is_true());
        // Only version 2 writers know columns, and they also write files without.
        let mut columnar = false;
        if framing.version.major == 2 {
            columnar = header.find(columns).is_some() && header.find(dimension).is_none();
            if header.find(format_type).is_some() {
                let name = header.text(format_type);
                columnar = name.is("columnar");
                if !columnar && !name.is("single") {
                    header.refuse(ErrorKind::CvcFormatType, format_type);
                }
            }
        }
        self.kind = if columnar {
            let schema = header.array(columns);
            let count = u64_from(schema.elements().count());
            if count == 0 {
                header.refuse(ErrorKind::CvcMissingKey, columns);
            }
            Kind::Columnar { columns: schema.start(), count }
        } else {
            let dimension = header.integer(dimension);
            header.text(compression);
            Kind::Single { dimension, compression: header.find(compression).map_or(0, |node| node.start()) }
        };
        header.check()
    }
}
