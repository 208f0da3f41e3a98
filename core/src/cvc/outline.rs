//! Where the chunks of a file lie that is not at hand: only their lengths and checksums are read.

use core::ops::Range;

use super::chunk::{Chunk, ChunkPlace, Chunks};
use super::convert::Encoding;
use super::header::{Facts, File};
use super::inspect::SHOWN;
use super::object::Object;
use super::plan::{Extent, Piece, place};
use crate::json::{Member, Text};
use crate::num::{behind, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Follows the chunks of a file: the header and the length of each tell where the next one is.
///
/// It asks for byte ranges and tells what they say. The caller fetches them from a flash page, a file or a server: of a file of
/// gigabytes eight bytes for each chunk. Behind the header it needs no memory, however many chunks there are. Payloads are told by
/// their place: nobody knows whether their checksums are right.
///
/// ```
/// use unspool::{cvc, Limits};
/// # let json = br#"{"chunks":[{"rows":1},{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":2}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0].repeat(2));
/// let head = cvc::head_len(&file[..cvc::FRAMING_LEN], &Limits::DEFAULT)?;
/// let mut outline = cvc::Outline::open(&file[..head as usize], file.len() as u64, &Limits::DEFAULT, &mut ())?;
/// let mut lengths = Vec::new();
/// while let Some(range) = outline.needs() {
///     lengths.push(range.clone());
///     outline.feed(&file[range.start as usize..range.end as usize], &mut ())?;
/// }
/// assert_eq!(lengths, [head..head + 4, head + 8..head + 12]);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline<H> {
    head: H,
    walk: Walk,
}

impl<H: AsRef<[u8]>> Outline<H> {
    /// Reads the head of a file of `len` bytes: at least its first [`head_len`](super::head_len) bytes, borrowed or owned.
    pub fn open(head: H, len: u64, limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let walk = Walk::start(head.as_ref(), len, limits, trace)?;
        Ok(Self { head, walk })
    }

    /// What the head says.
    pub fn file(&self) -> File<'_> {
        self.walk.file(self.head.as_ref())
    }

    /// The bytes to [`feed`](Self::feed) next; nothing when all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.walk.at.map(|at| self.walk.prefix(at))
    }

    /// Takes the bytes that were asked for. Behind an error nothing more is asked for.
    pub fn feed(&mut self, bytes: &[u8], trace: &mut impl Trace) -> Result<()> {
        let Some(at) = self.walk.at.take() else { return Ok(()) };
        let range = self.walk.prefix(at);
        if u64_from(bytes.len()) != range.end.saturating_sub(range.start) {
            return Err(Error::truncated(behind(range.start, u64_from(bytes.len())), range.end));
        }
        let head = self.head.as_ref();
        self.walk.body(head, at, bytes, trace)?.tell(trace)?;
        self.walk.next(head, trace)
    }
}

/// How far a walk from chunk to chunk came. Each call wants the same head again.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    facts: Facts,
    max_columns: u64,
    len: u64,
    chunks: ChunkPlace,
    /// Where the next chunk starts, if there is one.
    pub(super) at: Option<u64>,
    /// The chunks so far.
    extent: Extent,
}

impl Walk {
    /// Reads the head of a file of `len` bytes, and finds the first chunk.
    pub(super) fn start(head: &[u8], len: u64, limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let file = File::open_traced(head, limits, trace)?;
        let extent = Extent::of(&file);
        if extent.end > len {
            return Err(Error::truncated(len, extent.end));
        }
        let (facts, max_columns, chunks) = (file.facts, limits.max_columns, file.chunks().place());
        let mut walk = Self { facts, max_columns, len, chunks, at: None, extent };
        walk.look_ahead(head, trace)?;
        Ok(walk)
    }

    pub(super) fn file<'a>(&self, head: &'a [u8]) -> File<'a> {
        File { head: head.get(..self.facts.end).unwrap_or(&[]), facts: self.facts }
    }

    /// What is before the payload of a chunk that starts there, as far as the file reaches.
    pub(super) fn prefix(&self, at: u64) -> Range<u64> {
        let len = if self.file(&[]).has_checksums() { 8 } else { 4 };
        at.min(self.len)..behind(at, len).min(self.len)
    }

    /// Enters the chunk there, tells what is before its payload, and gives where that lies, all of it in the file.
    pub(super) fn body<'a>(
        &mut self,
        head: &'a [u8],
        at: u64,
        prefix: &[u8],
        trace: &mut impl Trace,
    ) -> Result<Body<'a>> {
        let file = self.file(head);
        let (mut chunks, mut chunk) = (Chunks::resume(&file, self.chunks), Chunk::default());
        chunks.read(&mut chunk)?;
        self.chunks = chunks.place();
        if at > self.extent.end {
            trace.bytes(Part::Padding, Name::Padding, self.extent.end..at.min(self.len), Value::None);
        }
        trace.enter(Name::Chunk, Value::U64(chunk.index));
        let mut piece = Piece::NONE;
        (piece.at, piece.has_crc) = (at, file.has_checksums());
        let length = prefix.first_chunk().ok_or(Error::truncated(self.len, piece.length().end))?;
        let len = u32::from_le_bytes(*length).into();
        trace.bytes(Part::Framing, Name::PayloadLength, piece.length(), Value::U64(len));
        let start = piece.payload_start();
        if u64_from(prefix.len()) < piece.prefix_len() {
            return Err(Error::truncated(self.len, start));
        }
        let crc = piece.stored_crc(prefix);
        if let Some((crc, at)) = crc {
            trace.bytes(Part::Checksum, Name::Crc32, at..start, Value::Hex(crc.into()));
        }
        let mut encoding = None;
        if !file.is_columnar() {
            let column = file.only_column()?;
            column.slot(&chunk, &mut piece.slot)?;
            piece.read(&column, &chunk, len, &column.rows())?;
            if piece.slot.payload_len().is_some_and(|needed| needed != len) {
                return Err(Error::new(ErrorKind::CvcChunkLength, at));
            }
            encoding = Some(piece.slot.encoding);
        }
        let range = start..behind(start, len);
        if range.end > self.len {
            return Err(Error::truncated(self.len, range.end));
        }
        self.extent.add(&chunk, range.end, len)?;
        Ok(Body { chunk, max_columns: self.max_columns, range, encoding, crc })
    }

    /// Leaves the chunk, and finds the next one.
    pub(super) fn next(&mut self, head: &[u8], trace: &mut impl Trace) -> Result<()> {
        trace.leave();
        self.look_ahead(head, trace)
    }

    /// Finds the next chunk, or else tells what is behind the last one.
    fn look_ahead(&mut self, head: &[u8], trace: &mut impl Trace) -> Result<()> {
        self.at = None;
        let (file, mut chunk) = (self.file(head), Chunk::default());
        if Chunks::resume(&file, self.chunks).read(&mut chunk)? {
            self.at = Some(place(&file, &chunk, self.extent.end)?);
        } else if self.extent.end < self.len {
            trace.bytes(Part::Padding, Name::TrailingBytes, self.extent.end..self.len, Value::None);
        }
        Ok(())
    }
}

/// What a chunk holds.
pub(super) struct Body<'a> {
    pub(super) chunk: Chunk<'a>,
    max_columns: u64,
    /// The payload.
    pub(super) range: Range<u64>,
    /// How a file with one column stores its values here.
    pub(super) encoding: Option<Encoding>,
    /// Its CRC-32 and where that lies.
    pub(super) crc: Option<(u32, u64)>,
}

impl Body<'_> {
    /// Tells the payload without looking into it.
    pub(super) fn tell(&self, trace: &mut impl Trace) -> Result<()> {
        match self.encoding {
            Some(encoding) => {
                trace.bytes(Part::Data, Name::Values, self.range.clone(), Value::Word(encoding.name()));
                Ok(())
            }
            None => columns(&self.chunk, &self.range, self.max_columns, trace),
        }
    }
}

/// How many columns one walk over the object of a chunk finds. Each is remembered on the stack of whoever listens.
const BATCH: usize = 64;

/// The payload of a chunk with many columns, in the order in which they lie there: the header names them in any order, with any
/// gaps, and even on top of each other.
fn columns(chunk: &Chunk<'_>, range: &Range<u64>, max_columns: u64, trace: &mut impl Trace) -> Result<()> {
    let node = chunk.node.member("columns").ok_or(chunk.node.fault(ErrorKind::CvcColumnMissing))?;
    let count = u64_from(node.members().count());
    if count > max_columns {
        return Err(Error::from(node.fault(ErrorKind::ElementLimit)).needing(count));
    }
    if !trace.listens() {
        return Ok(());
    }
    let place = |member: &Member<'_>| {
        let mut object = Object::new(member.value);
        let [offset, size] = object.pick(["offset", "size"]).map(|place| object.integer(place));
        object.check().ok()?;
        let start = range.start.checked_add(offset)?;
        let end = start.checked_add(size).filter(|&end| end > start && end <= range.end)?;
        Some((start, end, member.value.start()))
    };
    let mut at = range.start;
    while at < range.end {
        // The next ones in the order of their places. Of those at the same place the first one counts.
        let mut next = [((u64::MAX, 0, 0), Text::default()); BATCH];
        for member in node.members() {
            let Some(place) = place(&member).filter(|&(_, end, _)| end > at) else { continue };
            let mut other = (place, member.key);
            for known in &mut next {
                if other.0 < known.0 {
                    core::mem::swap(&mut other, known);
                }
            }
        }
        let before = at;
        for ((start, end, _), name) in next {
            if start > at && end > at {
                trace.bytes(Part::Padding, Name::Unused, at..start, Value::None);
            }
            if end > at {
                let mut room = [0; SHOWN];
                trace.bytes(Part::Data, Name::Column, start.max(at)..end, Value::Text(name.shown(&mut room)));
                at = end;
            }
        }
        if at == before {
            trace.bytes(Part::Padding, Name::Unused, at..range.end, Value::None);
            break;
        }
    }
    Ok(())
}
