//! The start of a file: magic, version and the length of the JSON header; and what that JSON says of the whole file.

use super::object::Object;
use crate::fault::Verdict;
use crate::json::Node;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

const MAGIC: &[u8] = b"CVCF";

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
    /// Where the JSON starts and ends.
    pub(super) json: usize,
    pub(super) end: usize,
}

impl Header {
    /// How many bytes [`read`](Self::read) needs: magic, version, length, and the first byte of the JSON.
    pub const LEN: usize = 13;

    /// Reads the start of a file.
    pub fn read(src: &[u8], limits: &Limits) -> Result<Self> {
        Self::parse(src, limits, &mut ())
    }

    /// The generation of writers that made the file.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// How many bytes at the start of the file hold its JSON header: what [`File::open`](super::File::open) needs.
    pub fn head_len(&self) -> u64 {
        u64_from(self.end)
    }

    pub(super) fn parse(src: &[u8], limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        if !src.starts_with(MAGIC) && !MAGIC.starts_with(src) {
            return Err(Error::new(ErrorKind::CvcMagic, 0));
        }
        let Some(&[_, _, _, _, a, b, c, d, e, f, g, h, i]) = src.first_chunk::<{ Self::LEN }>() else {
            return Err(Error::truncated(u64_from(src.len()), u64_from(Self::LEN)));
        };
        trace.bytes(Part::Framing, Name::Magic, 0..4, Value::Text("CVCF"));
        let (word, next) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        let mut version = Version { major: u16::from_le_bytes([a, b]), minor: u16::from_le_bytes([c, d]) };
        // Version 0 has its header length where later versions have their version words, and its JSON where they have
        // their length. A length of 65537 reads like version 1.1, so the bytes after it decide: a length below 150 MB
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
        Ok(Self { version, json, end: index(u64::from(len)).saturating_add(json) })
    }
}

/// Whether a header can start so: with an object, perhaps after white space or a byte order mark.
fn is_json_start(byte: u8) -> bool {
    matches!(byte, b'{' | b' ' | b'\t' | b'\n' | b'\r' | 0xEF)
}

fn is_json_byte(byte: u8) -> bool {
    byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r')
}

/// What the header says of the whole file: plain numbers and positions in the JSON, so that a streaming decoder can keep
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
    pub(super) sections: Option<usize>,
    pub(super) mmap_optimized: bool,
    pub(super) max_output: u64,
}

/// One nameless column of f32, or a schema.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Single { dimension: u64, compression: usize },
    Columnar { columns: usize, count: u64 },
}

impl Facts {
    /// The facts of no file.
    pub(super) const fn new() -> Self {
        Self {
            version: Version { major: 0, minor: 0 },
            end: 0,
            num_vectors: 0,
            chunks: 0,
            chunk_count: 0,
            kind: Kind::Columnar { columns: 0, count: 0 },
            sections: None,
            mmap_optimized: false,
            max_output: 0,
        }
    }

    /// Reads all but the number of chunks.
    #[inline(never)]
    pub(super) fn read(&mut self, root: Node<'_>, start: &Header) -> Verdict<()> {
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
        self.version = start.version;
        self.end = start.end;
        self.num_vectors = header.integer(num_vectors);
        self.chunks = header.array(chunks).start();
        self.sections = header.find(sections).map(|node| node.start());
        self.mmap_optimized = header.find(mmap).is_some_and(|node| node.is_true());
        // Only version 2 writers know columns, and they also write files without.
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

/// A file whose header is parsed and checked. It borrows the head and holds nothing else.
///
/// Calls that decode take the bytes of the file again, because the head may be all that was at hand when it was opened.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub(super) head: &'a [u8],
    pub(super) facts: Facts,
}

impl<'a> File<'a> {
    pub(super) const fn new() -> Self {
        Self { head: &[], facts: Facts::new() }
    }

    /// A value of the JSON.
    pub(super) fn node(&self, start: usize) -> Node<'a> {
        Node::at(self.head, start)
    }

    /// The generation of writers that made it.
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
}
