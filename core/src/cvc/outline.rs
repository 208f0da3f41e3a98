//! Where the chunks of a file lie that is not at hand: only their lengths and checksums are read.

use core::ops::Range;

use super::chunk::{ChunkEntry, Cursor};
use super::column::Column;
use super::describe::SHOWN;
use super::header::{Facts, File};
use super::names::{position, word};
use super::object::Object;
use super::options::{OWN, Workspace};
use super::piece::Piece;
use super::smallest::Smallest;
use crate::json::Member;
use crate::num::{behind, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Follows the chunks of a file: the header and the length of each tell where the next one is.
///
/// It asks for byte ranges and emits what they say. The caller fetches them from a flash page, a file or a server: of a file of
/// gigabytes eight bytes for each chunk. After the header it needs no memory, however many chunks there are. A payload is emitted
/// by its place: whether its checksum is right remains unknown.
///
/// ```
/// use unspool::{cvc, Limits};
/// # let json = br#"{"chunks":[{"rows":1},{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":2}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0].repeat(2));
/// let head = cvc::Header::read(&file[..cvc::Header::LEN], &Limits::DEFAULT)?.head_len();
/// let mut workspace = cvc::Workspace::new();
/// let mut outline = cvc::Outline::open(&file[..head as usize], file.len() as u64, &Limits::DEFAULT, &mut ())?;
/// let mut lengths = Vec::new();
/// while let Some(range) = outline.needs() {
///     lengths.push(range.clone());
///     outline.feed(range.start, &file[range.start as usize..range.end as usize], &mut workspace, &mut ())?;
/// }
/// assert_eq!(lengths, [head..head + 4, head + 8..head + 12]);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline<H> {
    head: H,
    walk: Progress,
}

impl<H: AsRef<[u8]>> Outline<H> {
    /// Reads the head of a file of `len` bytes: at least its first [`head_len`](super::Header::head_len) bytes, borrowed or owned.
    pub fn open(head: H, len: u64, limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let walk = Progress::start(head.as_ref(), len, limits, trace)?;
        Ok(Self { head, walk })
    }

    /// What the head says.
    pub fn file(&self) -> File<'_> {
        self.walk.file(self.head.as_ref())
    }

    /// The bytes to [`feed`](Self::feed) next; nothing when all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.walk.next.map(|(_, at)| self.walk.prefix(at))
    }

    /// Takes the bytes from `at` on that were asked for. After an error nothing more is asked for.
    pub fn feed(&mut self, at: u64, bytes: &[u8], workspace: &mut Workspace<'_>, trace: &mut impl Trace) -> Result<()> {
        let Some((chunk, start)) = self.walk.next.take() else { return Ok(()) };
        let range = self.walk.prefix(start);
        if at != range.start {
            return Err(Error::new(ErrorKind::RangeOutside, at));
        }
        if u64_from(bytes.len()) != range.end.saturating_sub(range.start) {
            return Err(Error::truncated(behind(at, u64_from(bytes.len())), range.end));
        }
        let head = self.head.as_ref();
        let body = self.walk.enter(head, &chunk, start, bytes, trace)?;
        self.walk.emit_payload(head, &chunk, &body, workspace, trace)?;
        trace.leave();
        self.walk.look_ahead(head, trace)
    }
}

/// How far a walk from chunk to chunk came. Each call needs the same head again.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    facts: Facts,
    max_columns: u64,
    len: u64,
    pub(super) cursor: Cursor,
    /// The next chunk and where it starts, if there is one.
    pub(super) next: Option<(ChunkEntry, u64)>,
}

/// A chunk whose prefix is read.
pub(super) struct Body {
    /// The chunk, with the slot of its column in a file of one.
    pub(super) piece: Piece,
    /// The payload.
    pub(super) payload: Range<u64>,
    /// Its CRC-32 and where that lies.
    pub(super) crc: Option<(u32, u64)>,
}

impl Progress {
    /// Reads the head of a file of `len` bytes, and finds the first chunk.
    pub(super) fn start(head: &[u8], len: u64, limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let mut file = File::new();
        file.read(head, limits, trace)?;
        if file.head_len() > len {
            return Err(Error::truncated(len, file.head_len()));
        }
        let (facts, max_columns) = (file.facts, limits.max_columns);
        let mut walk = Self { facts, max_columns, len, cursor: Cursor::of(&file), next: None };
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

    /// Enters a chunk that starts there, emits what is before its payload, and returns where that lies, all of it in the file.
    pub(super) fn enter(
        &mut self,
        head: &[u8],
        chunk: &ChunkEntry,
        at: u64,
        prefix: &[u8],
        trace: &mut impl Trace,
    ) -> Result<Body> {
        let file = self.file(head);
        if at > self.cursor.end {
            trace.bytes(Part::Padding, Name::Padding, self.cursor.end..at.min(self.len), Value::None);
        }
        trace.enter(Name::Chunk, Value::U64(chunk.index));
        let mut piece = Piece::new();
        piece.open(&file, chunk, at);
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
        if !file.is_columnar() {
            let mut column = Column::of(&file);
            column.read(0)?;
            column.slot(chunk, &mut piece.slot)?;
            piece.select(&column, chunk, &column.rows());
            piece.set_len(len)?;
            if piece.slot.payload_len().is_some_and(|needed| needed != len) {
                return Err(Error::new(ErrorKind::CvcChunkLength, at));
            }
        }
        let payload = start..behind(start, len);
        if payload.end > self.len {
            return Err(Error::truncated(self.len, payload.end));
        }
        self.cursor.pass(chunk.node, payload.end, len)?;
        Ok(Body { piece, payload, crc })
    }

    /// Emits the payload without looking into it.
    pub(super) fn emit_payload(
        &self,
        head: &[u8],
        chunk: &ChunkEntry,
        body: &Body,
        workspace: &mut Workspace<'_>,
        trace: &mut impl Trace,
    ) -> Result<()> {
        let file = self.file(head);
        if file.is_columnar() {
            return self.emit_columns(&file, chunk, &body.payload, workspace, trace);
        }
        let encoding = body.piece.slot.encoding.name();
        trace.bytes(Part::Data, Name::Values, body.payload.clone(), Value::Word(encoding));
        Ok(())
    }

    /// Emits the payload of a chunk with many columns, in the order in which they lie there: the header names them in any order, with any
    /// gaps, and even on top of each other.
    fn emit_columns(
        &self,
        file: &File<'_>,
        chunk: &ChunkEntry,
        payload: &Range<u64>,
        workspace: &mut Workspace<'_>,
        trace: &mut impl Trace,
    ) -> Result<()> {
        let object = chunk.columns.node(&file.node(0)).ok_or(chunk.fault(ErrorKind::CvcColumnMissing))?;
        let count = u64_from(object.members().count());
        if count > self.max_columns {
            return Err(Error::from(object.fault(ErrorKind::ElementLimit)).needing(count));
        }
        if !trace.listens() {
            return Ok(());
        }
        let mut own = [0; OWN];
        let memory = workspace.table(&mut own);
        let len = payload.end.saturating_sub(payload.start);
        let mut at = 0;
        while at < len {
            // The next ones in the order of their places: start, end, and position of the value in the JSON.
            let mut next = Smallest::new(memory);
            for member in object.members() {
                if let Some((start, end)) = place(&member, len).filter(|&(_, end)| end > at)
                    && let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end))
                {
                    next.put([start, end, word(member.key_at())]);
                }
            }
            let (before, more) = (at, next.more);
            for &[start, end, key] in next.sorted() {
                let (start, end) = (u64::from(start), u64::from(end));
                if end <= at {
                    continue;
                }
                if start > at {
                    trace.bytes(Part::Padding, Name::Unused, within(payload, at..start), Value::None);
                }
                let mut room = [0; SHOWN];
                let name = file.node(position(key)).string().unwrap_or_default();
                let range = within(payload, start.max(at)..end);
                trace.bytes(Part::Data, Name::Column, range, Value::Text(name.shown(&mut room)));
                at = end;
            }
            if at < len && (at == before || !more) {
                trace.bytes(Part::Padding, Name::Unused, within(payload, at..len), Value::None);
                break;
            }
        }
        Ok(())
    }

    /// Finds the next chunk, or else emits what is after the last one.
    pub(super) fn look_ahead(&mut self, head: &[u8], trace: &mut impl Trace) -> Result<()> {
        let (file, mut chunk) = (self.file(head), ChunkEntry::new());
        self.next = None;
        if self.cursor.next(&file, &mut chunk)? {
            self.next = Some((chunk, self.cursor.start(&file, &chunk)?));
        } else if self.cursor.end < self.len {
            trace.bytes(Part::Padding, Name::TrailingBytes, self.cursor.end..self.len, Value::None);
        }
        Ok(())
    }
}

/// Where a column starts and ends in a payload of this length, if it lies in it and is not empty.
fn place(member: &Member<'_>, len: u64) -> Option<(u64, u64)> {
    let mut object = Object::new(member.value);
    let [offset, size] = object.pick(["offset", "size"]).map(|place| object.integer(place));
    object.check().ok()?;
    let end = offset.checked_add(size).filter(|&end| end > offset && end <= len)?;
    Some((offset, end))
}

/// These bytes of a payload, in the file.
fn within(payload: &Range<u64>, range: Range<u64>) -> Range<u64> {
    behind(payload.start, range.start)..behind(payload.start, range.end)
}
