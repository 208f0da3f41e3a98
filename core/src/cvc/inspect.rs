//! The walk over a file that emits everything to a [`Trace`]: of a file in memory, and of one whose
//! bytes are asked for.
//!
//! [`inspect`] also reads the payloads. An [`Outline`] only reads the length and the checksum of
//! each chunk.

use core::ops::Range;

use super::chunk::{ChunkCursor, ChunkEntry};
use super::column::Column;
use super::convert::Encoding;
use super::describe::SHOWN;
use super::header::{Facts, File};
use super::lossless::Planes;
use super::object::Object;
use super::options::Options;
use super::payload::compare_crc;
use super::plan::{CRC, LENGTH, Piece, in_file, part};
use super::workspace::{OWN, Smallest, Workspace, from_word, to_word};
use crate::checksum::Crc32;
use crate::fields::Fields;
use crate::json::Member;
use crate::num::{Size, index_of, offset_after, saturated, size, u64_from, wide, wide_range};
use crate::{Done, Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Walks over a whole file: opens it, finds every chunk and every column in it, and verifies every
/// CRC-32 and every code of a lossless column.
///
/// After an error, everything emitted before it is true. If chunks lie in ascending order, as all
/// writers write them, the bytes between them are emitted as padding.
pub fn inspect(
    src: &[u8],
    workspace: &mut Workspace<'_>,
    options: &Options<'_>,
    trace: &mut impl Trace,
) -> Result<Done> {
    inspect_each(src, workspace, options, trace, &mut |_, _| Ok(()))
}

/// Inspects a file, and passes on each chunk that is sound.
pub(super) fn inspect_each(
    src: &[u8],
    workspace: &mut Workspace<'_>,
    options: &Options<'_>,
    trace: &mut impl Trace,
    pass_on: &mut dyn FnMut(&ChunkEntry, &Piece) -> Result<()>,
) -> Result<Done> {
    let mut walk = InspectWalk::start(src, u64_from(src.len()), &options.limits, trace)?;
    let mut done = Done::default();
    while let Some((chunk, at)) = walk.next {
        let prefix = part(src, walk.prefix(at)).map_err(in_file(src))?;
        let piece = walk.enter(src, &chunk, at, prefix, trace)?;
        let payload = part(src, piece.payload.clone()).map_err(in_file(src))?;
        let (file, storage) = (walk.file(src), &piece.storage);
        let mut planes = Planes::default();
        let lossless = !file.is_columnar() && storage.encoding == Encoding::Lossless;
        let emitted = if lossless {
            trace.enter(Name::Lossless, Value::None);
            planes.read(payload, piece.payload.start, trace).map(|()| trace.leave()).map_err(Error::from)
        } else {
            walk.emit_payload(&file, &chunk, &piece, workspace, trace)
        };
        // A wrong checksum explains any other error of the payload.
        compare_crc(&mut done.checksums, piece.stored_crc(prefix), options.verify, || Crc32::of(payload))?;
        emitted?;
        let mut add = |values: Size, encoding: Encoding| {
            done.content = done.content.saturating_add(wide(values).saturating_mul(encoding.output().width()));
        };
        if file.is_columnar() {
            file.each_storage(&chunk, workspace, None, &mut |_, _, storage| {
                storage.range(piece.payload_len())?;
                add(storage.values, storage.encoding);
                Ok(())
            })?;
        } else {
            if lossless {
                planes.check_count(storage.values)?;
                planes.check_codes()?;
            }
            piece.refuse_hidden_crc(src).map_err(in_file(src))?;
            add(storage.values, storage.encoding);
        }
        pass_on(&chunk, &piece)?;
        done.parts += 1;
        trace.leave();
        walk.look_ahead(src, trace)?;
    }
    done.read = index_of(walk.cursor.end);
    Ok(done)
}

/// Follows the chunks of a file: the header and the length of each chunk determine where the next
/// one is.
///
/// It asks for byte ranges and emits what they hold. The caller fetches them from flash, a file or
/// a server: eight bytes for each chunk, also of a file of gigabytes. After the header it needs no
/// memory, however many chunks follow. A payload is emitted as one range, and its checksum is not
/// verified.
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
/// let (start, len) = (&file[..head as usize], file.len() as u64);
/// let mut outline = cvc::Outline::open(start, len, &Limits::DEFAULT, &mut ())?;
/// let mut lengths = Vec::new();
/// while let Some(range) = outline.needs() {
///     lengths.push(range.clone());
///     let bytes = &file[range.start as usize..range.end as usize];
///     outline.feed(range.start, bytes, &mut workspace, &mut ())?;
/// }
/// assert_eq!(lengths, [head..head + 4, head + 8..head + 12]);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline<H> {
    head: H,
    walk: InspectWalk,
    /// The last chunk, if it is sound so far.
    chunk: Option<Range<u64>>,
}

impl<H: AsRef<[u8]>> Outline<H> {
    /// Reads the head of a file of `len` bytes: at least its first
    /// [`head_len`](super::Header::head_len) bytes, borrowed or owned.
    pub fn open(head: H, len: u64, limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let walk = InspectWalk::start(head.as_ref(), len, limits, trace)?;
        Ok(Self { head, walk, chunk: None })
    }

    /// Returns the file that the head describes.
    pub fn file(&self) -> File<'_> {
        self.walk.file(self.head.as_ref())
    }

    /// Returns the bytes to [`feed`](Self::feed) next; `None` after the last chunk.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.walk.next.map(|(_, at)| wide_range(&self.walk.prefix(at)))
    }

    /// Returns the range of the chunk that was fed last: its length, its checksum if it has one,
    /// and its payload. `None` after an error of the length, or if the file ends before the chunk.
    /// Other errors leave the range in place: a wrong checksum explains those of the payload.
    pub fn chunk(&self) -> Option<Range<u64>> {
        self.chunk.clone()
    }

    /// Takes the needed bytes, which start at `at`. After an error, the outline needs nothing more.
    pub fn feed(&mut self, at: u64, bytes: &[u8], workspace: &mut Workspace<'_>, trace: &mut impl Trace) -> Result<()> {
        self.chunk = None;
        let Some((chunk, start)) = self.walk.next.take() else { return Ok(()) };
        let range = self.walk.prefix(start);
        if at != wide(range.start) {
            return Err(Error::new(ErrorKind::RangeOutside, at));
        }
        if size(bytes.len()) != range.end.saturating_sub(range.start) {
            return Err(Error::truncated(at.saturating_add(u64_from(bytes.len())), wide(range.end)));
        }
        let head = self.head.as_ref();
        let piece = self.walk.enter(head, &chunk, start, bytes, trace)?;
        self.chunk = Some(piece.range());
        self.walk.emit_payload(&self.walk.file(head), &chunk, &piece, workspace, trace)?;
        trace.leave();
        self.walk.look_ahead(head, trace)
    }
}

/// A walk from chunk to chunk. Each call needs the same head again.
#[derive(Clone, Debug)]
struct InspectWalk {
    facts: Facts,
    max_columns: u64,
    /// The length of the file. What no offset reaches does not count.
    len: Size,
    cursor: ChunkCursor,
    /// The next chunk and its offset; `None` after the last one, or after an error.
    next: Option<(ChunkEntry, Size)>,
}

impl InspectWalk {
    /// Reads the head of a file of `len` bytes, and finds the first chunk.
    fn start(head: &[u8], len: u64, limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let mut file = File::NONE;
        file.read(head, limits, trace)?;
        if file.head_len() > len {
            return Err(Error::truncated(len, file.head_len()));
        }
        let (facts, max_columns) = (file.facts, limits.max_columns);
        let mut walk = Self { facts, max_columns, len: saturated(len), cursor: ChunkCursor::of(&file), next: None };
        walk.look_ahead(head, trace)?;
        Ok(walk)
    }

    fn file<'a>(&self, head: &'a [u8]) -> File<'a> {
        File { head: head.get(..self.facts.end).unwrap_or(&[]), facts: self.facts }
    }

    fn truncated(&self, need: Size) -> Error {
        Error::truncated(wide(self.len), wide(need))
    }

    /// Returns the range of length and checksum of a chunk at this offset, cut to the file.
    fn prefix(&self, at: Size) -> Range<Size> {
        let len = size(if self.file(&[]).has_checksums() { CRC.end() } else { LENGTH.end() });
        at.min(self.len)..offset_after(at, len).min(self.len)
    }

    /// Enters a chunk at this offset and emits its length and checksum. Checks that its payload
    /// ends within the file.
    ///
    /// In a file without a schema, the piece holds the rows of the only column.
    fn enter(
        &mut self,
        head: &[u8],
        chunk: &ChunkEntry,
        at: Size,
        prefix: &[u8],
        trace: &mut impl Trace,
    ) -> Result<Piece> {
        let file = self.file(head);
        if at > self.cursor.end {
            trace.bytes(Part::Padding, Name::Padding, wide_range(&(self.cursor.end..at.min(self.len))), Value::None);
        }
        trace.enter(Name::Chunk, Value::U64(wide(chunk.index)));
        let mut piece = Piece::NONE;
        piece.open(&file, chunk, at);
        let mut fields = Fields::new(prefix, wide(at), trace);
        let len = fields.get(&LENGTH).map_err(|_| self.truncated(piece.length().end))?;
        let len = u32::from_le_bytes(*len);
        fields.emit(&LENGTH, Value::U64(len.into()));
        let len = saturated(len.into());
        if file.has_checksums() {
            let crc = fields.get(&CRC).map_err(|_| self.truncated(piece.payload.start))?;
            fields.emit(&CRC, Value::Hex(u32::from_le_bytes(*crc).into()));
        }
        if !file.is_columnar() {
            let mut column = Column::of(&file);
            column.read(0)?;
            piece.find(&column, chunk, at, &column.all_rows())?;
            if piece.storage.payload_len().is_some_and(|needed| needed != len) {
                return Err(Error::new(ErrorKind::CvcChunkLength, wide(at)));
            }
        }
        piece.set_len(len)?;
        let end = piece.payload.end;
        if end > self.len {
            return Err(self.truncated(end));
        }
        self.cursor.pass(chunk.node, end, len)?;
        Ok(piece)
    }

    /// Emits the payload without looking into it: all of it, or its columns in the order of their
    /// offsets.
    ///
    /// The header names columns in any order, and they may leave gaps and overlap. Each pass over
    /// the chunk's object emits as many as the workspace holds.
    fn emit_payload(
        &self,
        file: &File<'_>,
        chunk: &ChunkEntry,
        piece: &Piece,
        workspace: &mut Workspace<'_>,
        trace: &mut impl Trace,
    ) -> Result<()> {
        let payload = piece.payload.clone();
        if !file.is_columnar() {
            trace.bytes(Part::Data, Name::Values, wide_range(&payload), Value::Word(piece.storage.encoding.name()));
            return Ok(());
        }
        let object = chunk.columns.node(&file.node(0)).ok_or(chunk.fault(ErrorKind::CvcColumnMissing))?;
        let count = u64_from(object.members().count());
        if count > self.max_columns {
            return Err(Error::from(object.fault(ErrorKind::ColumnLimit)).needing(count));
        }
        if !trace.listens() {
            return Ok(());
        }
        let mut own = [0; OWN];
        let table = workspace.table(&mut own);
        let base = wide(payload.start);
        let in_file = |start: u32, end: u32| base.saturating_add(start.into())..base.saturating_add(end.into());
        // The length of a payload has 32 bits.
        let (mut at, len) = (0, u32::try_from(wide(piece.payload_len())).unwrap_or(u32::MAX));
        while at < len {
            let mut next = Smallest::new(table);
            for member in object.members() {
                if let Some((start, end)) = place(&member, len).filter(|&(_, end)| end > at) {
                    next.insert([start, end, to_word(member.key_at())]);
                }
            }
            let (before, more) = (at, next.more);
            for &[start, end, key] in next.sorted() {
                if end <= at {
                    continue;
                }
                if start > at {
                    trace.bytes(Part::Padding, Name::Unused, in_file(at, start), Value::None);
                }
                let mut scratch = [0; SHOWN];
                let name = file.node(from_word(key)).string().unwrap_or_default();
                let range = in_file(start.max(at), end);
                trace.bytes(Part::Data, Name::Column, range, Value::Text(name.shown(&mut scratch)));
                at = end;
            }
            if at < len && (at == before || !more) {
                trace.bytes(Part::Padding, Name::Unused, in_file(at, len), Value::None);
                break;
            }
        }
        Ok(())
    }

    /// Finds the next chunk. After the last one, emits the rest of the file.
    fn look_ahead(&mut self, head: &[u8], trace: &mut impl Trace) -> Result<()> {
        let (file, mut chunk) = (self.file(head), ChunkEntry::default());
        self.next = None;
        if self.cursor.next(&file, &mut chunk)? {
            self.next = Some((chunk, self.cursor.start(&file, &chunk)?));
        } else if self.cursor.end < self.len {
            trace.bytes(Part::Padding, Name::TrailingBytes, wide_range(&(self.cursor.end..self.len)), Value::None);
        }
        Ok(())
    }
}

/// Returns the start and end of a column in a payload of this length; `None` if it is empty or
/// outside.
fn place(member: &Member<'_>, len: u32) -> Option<(u32, u32)> {
    let mut object = Object::new(member.value);
    let [offset, size] = object.pick(&["offset", "size"]).map(|position| wide(object.integer(position)));
    object.check().ok()?;
    let end = offset.checked_add(size).filter(|&end| end > offset && end <= len.into())?;
    Some((u32::try_from(offset).ok()?, u32::try_from(end).ok()?))
}
