//! The start of a file: magic, version, length of the JSON header, and the members of that JSON
//! that concern the whole file.

use super::describe::describe;
use super::object::{Object, Position};
use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::json::{self, Node};
use crate::num::{Size, index, saturated, u64_from, wide};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

const MAGIC: Field<4> = Field::new(0, Part::Framing, Name::Magic);
const MAJOR: Field<2> = Field::new(4, Part::Framing, Name::MajorVersion);
const MINOR: Field<2> = Field::new(6, Part::Framing, Name::MinorVersion);
const LENGTH: Field<4> = Field::new(8, Part::Framing, Name::HeaderLength);
/// The first byte of the JSON.
const JSON: Field<1> = Field::new(12, Part::Header, Name::Json);

/// The same fields of version 0, which has no version words.
const LENGTH_0: Field<4> = Field::new(4, Part::Framing, Name::HeaderLength);
const JSON_0: Field<4> = Field::new(8, Part::Header, Name::Json);

/// The generation of writers that made a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// 0 for files without version words and checksums, 1 for one column, 2 for many.
    pub major: u16,
    /// Ignored by every reader.
    pub minor: u16,
}

/// The first [`LEN`](Self::LEN) bytes of a file: its version, and how long its head is.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    version: Version,
    /// The start and the end of the JSON.
    pub(super) json: usize,
    pub(super) end: usize,
}

impl Header {
    /// The number of bytes that [`read`](Self::read) needs: magic, version, length, and the first
    /// byte of the JSON.
    pub const LEN: usize = JSON.end();

    /// Reads the start of a file.
    pub fn read(src: &[u8], limits: &Limits) -> Result<Self> {
        Self::parse(src, limits, &mut ())
    }

    /// Returns the generation of writers that made the file.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Returns the length of the head: the bytes up to the end of the JSON, which
    /// [`File::open`](super::File::open) needs. A head of version 0 counts at least 13, because the
    /// first bytes of the JSON tell versions apart.
    pub fn head_len(&self) -> u64 {
        u64_from(self.end.max(Self::LEN))
    }

    pub(super) fn parse<T: Trace>(src: &[u8], limits: &Limits, trace: &mut T) -> Result<Self> {
        let mut fields = Fields::new(src, 0, trace);
        // Not `map_err`, whose result would be tested again.
        let (version, field, len) = match Self::fixed(&mut fields) {
            Ok(fixed) => fixed,
            Err(fault) => return Err(fields.error(fault)),
        };
        if len > limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, u64_from(field.at())).needing(len));
        }
        let json = fields.at();
        Ok(Self { version, json, end: index(len).saturating_add(json) })
    }

    /// Reads and emits everything before the JSON. Returns the version, the field of the length,
    /// and the length.
    fn fixed<T: Trace>(fields: &mut Fields<'_, '_, T>) -> Verdict<(Version, Field<4>, u64)> {
        // A wrong magic number is wrong even if it is truncated.
        if fields.rest().iter().zip(b"CVCF").any(|(found, magic)| found != magic) {
            return Err(Fault::new(ErrorKind::CvcMagic, MAGIC.at()));
        }
        let [json] = *fields.get(&JSON)?;
        let major = u16::from_le_bytes(*fields.get(&MAJOR)?);
        let minor = u16::from_le_bytes(*fields.get(&MINOR)?);
        fields.emit(&MAGIC, Value::Text("CVCF"));
        // Version 0 has its header length where later versions have their version words, and its
        // JSON where they have their length. A length of 65537 reads like version 1.1, so the bytes
        // after it decide: a length below 150 MB holds at least one byte that no JSON text has.
        let [first, more @ ..] = *fields.get(&JSON_0)?;
        let json_at_8 = is_json_start(first) && more.into_iter().all(is_json_byte);
        let (version, field) = if !json_at_8 && (1..=10).contains(&major) && minor <= 100 {
            if major > 2 {
                return Err(Fault::new(ErrorKind::CvcVersion, MAJOR.at()));
            }
            fields.emit(&MAJOR, Value::U64(major.into()));
            fields.emit(&MINOR, Value::U64(minor.into()));
            (Version { major, minor }, LENGTH)
        } else {
            if is_json_start(json) && !json_at_8 {
                return Err(Fault::new(ErrorKind::CvcVersion, MAJOR.at()));
            }
            (Version { major: 0, minor: 1 }, LENGTH_0)
        };
        let len = u64::from(u32::from_le_bytes(*fields.get(&field)?));
        fields.emit(&field, Value::U64(len));
        if len == 0 {
            return Err(Fault::new(ErrorKind::CvcHeaderEmpty, field.at()));
        }
        Ok((version, field, len))
    }
}

/// Returns whether JSON can start so: with an object, perhaps after white space or a byte order
/// mark.
fn is_json_start(byte: u8) -> bool {
    matches!(byte, b'{' | b' ' | b'\t' | b'\n' | b'\r' | 0xEF)
}

fn is_json_byte(byte: u8) -> bool {
    byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r')
}

/// The members of the header that concern the whole file. Numbers and positions only, so that a
/// streaming decoder keeps them beside the buffer that holds the JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) version: Version,
    /// The end of the head.
    pub(super) end: usize,
    pub(super) num_vectors: Size,
    /// The position of the array of chunks.
    pub(super) chunks: usize,
    pub(super) chunk_count: Size,
    pub(super) layout: ColumnLayout,
    pub(super) sections: Position,
    pub(super) mmap_optimized: bool,
    /// The limit on output, as far as sizes reach.
    pub(super) max_output: Size,
}

/// One nameless column of f32, or a schema.
#[derive(Clone, Copy, Debug)]
pub(super) enum ColumnLayout {
    Single { dimension: Size, compression: Position },
    Columnar { columns: usize, count: usize },
}

impl Facts {
    /// The facts of no file.
    const NONE: Self = Self {
        version: Version { major: 0, minor: 0 },
        end: 0,
        num_vectors: 0,
        chunks: 0,
        chunk_count: 0,
        layout: ColumnLayout::Columnar { columns: 0, count: 0 },
        sections: Position::NONE,
        mmap_optimized: false,
        max_output: 0,
    };

    /// Reads all facts but the number of chunks, which [`File::check`] counts.
    #[inline(never)]
    pub(super) fn read(&mut self, root: Node<'_>, start: &Header) -> Verdict<()> {
        if !root.is_object() {
            return Err(root.fault(ErrorKind::CvcWrongValue));
        }
        let mut header = Object::new(root);
        let [num_vectors, dimension, compression, chunks, columns, format_type, sections, mmap] = header.pick(&[
            "num_vectors",
            "dimension",
            "compression",
            "chunks",
            "columns",
            "format_type",
            "sections",
            "mmap_optimized",
        ]);
        (self.version, self.end, self.sections) = (start.version, start.end, sections);
        self.num_vectors = header.integer(num_vectors);
        self.chunks = header.array(chunks);
        self.mmap_optimized = header.find(mmap).is_some_and(|node| node.is_true());
        // Only writers of version 2 know columns, and they also write files without.
        let mut columnar = false;
        if start.version.major == 2 {
            columnar = header.find(columns).is_some() && header.find(dimension).is_none();
            if header.find(format_type).is_some() {
                let name = header.text(format_type);
                columnar = name.is("columnar");
                if !columnar && !name.is("single") {
                    header.refuse(ErrorKind::CvcFormatType, format_type);
                }
            }
        }
        self.layout = if columnar {
            let schema = header.array(columns);
            let count = root.elsewhere(schema).elements().count();
            if count == 0 {
                header.refuse(ErrorKind::CvcMissingKey, columns);
            }
            ColumnLayout::Columnar { columns: schema, count }
        } else {
            let dimension = header.integer(dimension);
            header.text(compression);
            ColumnLayout::Single { dimension, compression }
        };
        header.check()
    }
}

/// A file whose header is parsed and checked. It borrows the head and holds nothing else.
///
/// Calls that decode take the bytes of the file again, because it may have been opened with the
/// head alone.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub(super) head: &'a [u8],
    pub(super) facts: Facts,
}

impl Default for File<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> File<'a> {
    /// No file.
    pub(super) const NONE: Self = Self { head: &[], facts: Facts::NONE };

    /// An empty file, to be [read](Self::read) in place.
    pub const fn new() -> Self {
        Self::NONE
    }

    /// Reads the head: the fixed fields, and the members of the JSON that concern the whole file.
    /// Checks all of the JSON.
    #[inline(never)]
    pub(super) fn read_head<T: Trace>(&mut self, src: &'a [u8], limits: &Limits, trace: &mut T) -> Result<()> {
        let header = Header::parse(src, limits, trace)?;
        self.head = src.get(..header.end).ok_or_else(|| Error::truncated(u64_from(src.len()), header.head_len()))?;
        let root = self.node(json::check(self.head, header.json..header.end, limits.max_depth)?);
        self.facts.read(root, &header)?;
        self.facts.max_output = saturated(limits.max_output);
        match self.facts.layout {
            ColumnLayout::Columnar { columns, count } if u64_from(count) > limits.max_columns => {
                return Err(Error::new(ErrorKind::ColumnLimit, u64_from(columns)).needing(u64_from(count)));
            }
            _ => {}
        }
        if T::LISTENS {
            describe(root, header.json..header.end, trace);
        }
        Ok(())
    }

    /// Returns the value at this position of the JSON.
    pub(super) fn node(&self, start: usize) -> Node<'a> {
        Node::at(self.head, start)
    }

    /// Returns the generation of writers that made the file.
    pub fn version(&self) -> Version {
        self.facts.version
    }

    /// Returns the length of the head: the bytes up to the end of the JSON.
    pub fn head_len(&self) -> u64 {
        u64_from(self.facts.end)
    }

    /// Returns the number of rows of every column.
    pub fn num_vectors(&self) -> u64 {
        wide(self.facts.num_vectors)
    }

    /// Returns the number of chunks.
    pub fn chunk_count(&self) -> u64 {
        wide(self.facts.chunk_count)
    }

    /// Returns whether the file has a schema of named columns. Without one, it has one nameless
    /// column of f32.
    pub fn is_columnar(&self) -> bool {
        matches!(self.facts.layout, ColumnLayout::Columnar { .. })
    }

    /// Returns the number of columns.
    pub fn column_count(&self) -> u64 {
        match self.facts.layout {
            ColumnLayout::Single { .. } => 1,
            ColumnLayout::Columnar { count, .. } => u64_from(count),
        }
    }

    /// Returns whether the chunks are laid out for memory mapping, each at a `file_offset` of its
    /// own.
    pub fn is_mmap_optimized(&self) -> bool {
        self.facts.mmap_optimized
    }

    /// Returns whether each chunk has a CRC-32.
    pub fn has_checksums(&self) -> bool {
        self.facts.version.major > 0
    }
}
