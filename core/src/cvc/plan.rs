//! The rows of one column in one chunk, and the bytes of a file that hold them.

use core::ops::Range;

use super::chunk::{ChunkCursor, ChunkEntry};
use super::column::{Column, StoredColumn};
use super::convert::Encoding;
use super::header::File;
use super::lossless::Planes;
use super::payload::{Payload, compare_crc};
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::num::{Size, index_of, offset_after, saturated, size, u64_from, wide, wide_range};
use crate::{Checksums, Done, Error, ErrorKind, Name, Part, Result, Verify};

/// The bytes before a payload. Version 0 has no checksum.
pub(super) const LENGTH: Field<4> = Field::new(0, Part::Framing, Name::PayloadLength);
pub(super) const CRC: Field<4> = Field::new(4, Part::Checksum, Name::Crc32);

/// The rows of a column that one chunk holds.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The number of the chunk.
    pub chunk: u64,
    /// The rows, counted over the whole file.
    pub rows: Range<u64>,
    pub(super) storage: StoredColumn,
    /// The offset of the chunk in the file.
    pub(super) at: Size,
    /// The payload in the file.
    pub(super) payload: Range<Size>,
    /// Values of the chunk before the rows.
    skip: Size,
    pub(super) values: Size,
    has_crc: bool,
    /// The last chunk of a file without checksums.
    is_unchecked_end: bool,
    /// The chunk overlaps the rows.
    wanted: bool,
    /// The bytes that the walk which found the chunk needs next.
    need: Need,
    /// The position of the chunk's entry in the JSON.
    node: usize,
}

impl Piece {
    /// No rows of no chunk.
    pub(super) const NONE: Self = Self {
        chunk: 0,
        rows: 0..0,
        storage: StoredColumn::NONE,
        at: 0,
        payload: 0..0,
        skip: 0,
        values: 0,
        has_crc: false,
        is_unchecked_end: false,
        wanted: false,
        need: Need::Nothing,
        node: 0,
    };

    /// Starts with a chunk at this offset of the file.
    pub(super) fn open(&mut self, file: &File<'_>, chunk: &ChunkEntry, at: Size) {
        (self.chunk, self.node, self.at, self.has_crc) = (wide(chunk.index), chunk.node, at, file.has_checksums());
        self.is_unchecked_end = !self.has_crc && chunk.index + 1 >= file.facts.chunk_count;
        self.payload.start = offset_after(at, size(self.prefix_len()));
    }

    /// Finds a column in a chunk at this offset, and selects rows.
    pub(super) fn find(
        &mut self,
        column: &Column<'_>,
        chunk: &ChunkEntry,
        at: Size,
        rows: &Range<Size>,
    ) -> Verdict<()> {
        self.open(&column.file, chunk, at);
        column.find_storage(chunk, &mut self.storage)?;
        self.select(column, chunk, rows);
        Ok(())
    }

    /// Selects those of the rows that the chunk holds, once the storage of the column is known.
    #[inline(never)]
    pub(super) fn select(&mut self, column: &Column<'_>, chunk: &ChunkEntry, rows: &Range<Size>) {
        // Not `clamp`, which would panic if a chunk ended before it starts.
        let start = rows.start.max(chunk.first).min(chunk.end);
        let end = rows.end.max(start).min(chunk.end);
        self.rows = wide(start)..wide(end);
        // Both products are at most the chunk's number of values, which is known to fit.
        self.skip = start.wrapping_sub(chunk.first).wrapping_mul(column.dimension);
        self.values = end.wrapping_sub(start).wrapping_mul(column.dimension);
        self.wanted = chunk.overlaps(rows);
    }

    /// Narrows to those of these rows that the piece has.
    #[must_use]
    pub fn within(&self, column: &Column<'_>, rows: &Range<u64>) -> Self {
        let start = rows.start.max(self.rows.start).min(self.rows.end);
        let end = rows.end.max(start).min(self.rows.end);
        // Within the values of the piece, whose number fits.
        let values = |from: u64, to: u64| saturated(to - from).wrapping_mul(column.dimension);
        let skip = self.skip.wrapping_add(values(self.rows.start, start));
        Self { rows: start..end, skip, values: values(start, end), ..self.clone() }
    }

    /// Sets the length of the payload, from the header or else from the file.
    pub(super) fn set_len(&mut self, payload_len: Size) -> Verdict<()> {
        self.payload.end = offset_after(self.payload.start, payload_len);
        // No file is that long.
        if self.payload.end == Size::MAX {
            return Err(Fault::new(ErrorKind::CvcChunkOutside, self.node));
        }
        Ok(())
    }

    /// Sets the length of the payload, and moves past the chunk. Returns whether the chunk is
    /// wanted.
    // A `Verdict<bool>` would come back in memory.
    #[inline(always)]
    pub(super) fn enter(&mut self, cursor: &mut ChunkCursor, payload_len: Size) -> Verdict<bool> {
        self.pass(cursor, payload_len)?;
        Ok(self.wanted)
    }

    #[inline(never)]
    fn pass(&mut self, cursor: &mut ChunkCursor, payload_len: Size) -> Verdict<()> {
        self.set_len(payload_len)?;
        cursor.pass(self.node, self.payload.end, payload_len)
    }

    /// Returns the range of the length field.
    pub(super) fn length(&self) -> Range<Size> {
        self.at..offset_after(self.at, size(LENGTH.end()))
    }

    /// Returns the bytes before the payload: its length, and from version 1 on its CRC-32.
    pub(super) fn prefix_len(&self) -> usize {
        if self.has_crc { CRC.end() } else { LENGTH.end() }
    }

    /// Returns the length of the payload.
    pub(super) fn payload_len(&self) -> Size {
        self.payload.end.wrapping_sub(self.payload.start)
    }

    /// Returns the bytes of the whole chunk.
    pub(super) fn bytes(&self) -> Range<Size> {
        self.at..self.payload.end
    }

    /// Returns the range of the whole chunk, which [`read`](Self::read) needs and the checksum
    /// covers.
    pub fn range(&self) -> Range<u64> {
        wide_range(&self.bytes())
    }

    /// Returns the range of these rows alone, which [`read_data`](Self::read_data) needs.
    ///
    /// It is shorter than the chunk but cannot be verified, because the CRC-32 covers all rows of
    /// all columns of the chunk. If the column is lossless, the range is that of all its rows.
    pub fn data_range(&self) -> Result<Range<u64>> {
        Ok(wide_range(&self.data()?))
    }

    fn data(&self) -> Verdict<Range<Size>, Size> {
        let column = self.column_range()?;
        let Some(width) = self.storage.encoding.width() else { return Ok(column) };
        // Within the column, whose size is known to fit.
        let start = offset_after(column.start, self.skip.saturating_mul(width));
        Ok(start..offset_after(start, self.values.saturating_mul(width)))
    }

    /// Returns the range of the column in the file.
    pub(super) fn column_range(&self) -> Verdict<Range<Size>, Size> {
        let (column, start) = (self.storage.range(self.payload_len())?, self.payload.start);
        // Within the payload.
        Ok(start.wrapping_add(column.start)..start.wrapping_add(column.end))
    }

    /// Returns the number of values in the rows.
    pub fn values(&self) -> u64 {
        wide(self.values)
    }

    /// Compares the stored length with the one that the header requires. Returns the bytes of the
    /// column within the payload.
    pub(super) fn check_length(&self, prefix: &[u8]) -> Verdict<Range<Size>, Size> {
        if stored_len(prefix) != Some(self.payload_len()) {
            return Err(Fault::of_file(ErrorKind::CvcChunkLength, self.at));
        }
        let column = self.storage.range(self.payload_len())?;
        Ok(column)
    }

    /// Returns the stored CRC-32 and its offset, if the chunk has one.
    pub(super) fn stored_crc(&self, prefix: &[u8]) -> Option<(u32, Size)> {
        let stored = Fields::new(prefix, 0, &mut ()).get(&CRC).ok().filter(|_| self.has_crc)?;
        Some((u32::from_le_bytes(*stored), offset_after(self.at, size(CRC.at()))))
    }

    /// Takes the bytes of [`range`](Self::range), verifies them, and returns the values of the
    /// rows.
    pub fn read<'b>(&self, chunk: &'b [u8], verify: Verify, checksums: &mut Checksums) -> Result<Payload<'b>> {
        let parts = chunk.split_at_checked(self.prefix_len());
        let (prefix, payload) = parts
            .filter(|(_, payload)| size(payload.len()) == self.payload_len())
            .ok_or_else(|| outside(wide(self.at), &self.bytes()))?;
        let column = self.check_length(prefix)?;
        let mut values = Payload::NONE;
        self.verify((prefix, payload), column, verify, checksums, &mut values)?;
        Ok(values)
    }

    /// Reads these rows of a file in memory. The length is checked before more is read: a wrong one
    /// is an error even if the file ends there.
    pub fn read_from<'b>(&self, src: &'b [u8], verify: Verify, checksums: &mut Checksums) -> Result<Payload<'b>> {
        let mut values = Payload::NONE;
        self.fill(src, verify, checksums, &mut values).map_err(in_file(src))?;
        Ok(values)
    }

    /// Does the same in place.
    #[inline(never)]
    fn fill<'b>(
        &self,
        src: &'b [u8],
        verify: Verify,
        checksums: &mut Checksums,
        values: &mut Payload<'b>,
    ) -> Verdict<(), Size> {
        let column = self.check_length(part(src, self.length())?)?;
        let chunk = part(src, self.bytes())?.split_at_checked(self.prefix_len());
        self.verify(chunk.unwrap_or_default(), column, verify, checksums, values)?;
        self.refuse_hidden_crc(src)
    }

    /// Compares the checksum of a chunk whose length was checked, and finds the values of the rows.
    fn verify<'b>(
        &self,
        (prefix, payload): (&[u8], &'b [u8]),
        column: Range<Size>,
        verify: Verify,
        checksums: &mut Checksums,
        values: &mut Payload<'b>,
    ) -> Verdict<(), Size> {
        compare_crc(checksums, self.stored_crc(prefix), verify, || Crc32::of(payload))?;
        let stored = payload.get(index_of(column.start)..index_of(column.end)).unwrap_or(&[]);
        self.find_values(stored, self.payload.start.wrapping_add(column.start), self.skip, values)
    }

    /// Takes the bytes of [`data_range`](Self::data_range), which start at `at`, and returns the
    /// values of the rows, unverified.
    pub fn read_data<'b>(&self, at: u64, data: &'b [u8]) -> Result<Payload<'b>> {
        let range = self.data()?;
        if at != wide(range.start) || size(data.len()) != range.end.saturating_sub(range.start) {
            return Err(outside(wide(range.start), &range));
        }
        let skip = if self.storage.encoding.width().is_some() { 0 } else { self.skip };
        let mut values = Payload::NONE;
        self.find_values(data, range.start, skip, &mut values)?;
        Ok(values)
    }

    fn find_values<'b>(&self, stored: &'b [u8], at: Size, skip: Size, values: &mut Payload<'b>) -> Verdict<(), Size> {
        if self.storage.encoding == Encoding::Lossless {
            Planes::of(stored, at)?.check_count(self.storage.values)?;
        }
        *values = Payload { at, skip: index_of(skip), ..self.stored_values(stored, index_of(self.values)) };
        Ok(())
    }

    /// Returns `len` values that start with `stored`, as this chunk encodes them.
    pub(super) fn stored_values<'b>(&self, stored: &'b [u8], len: usize) -> Payload<'b> {
        Payload { stored, at: self.payload.start, encoding: self.storage.encoding, skip: 0, len }
    }

    /// Refuses a version 0 header before chunks with checksums, which would decode to shifted
    /// values.
    ///
    /// If more chunks follow, their lengths are wrong. After the last one, four bytes are left
    /// over. They complete the payload whose CRC-32 the first four bytes are.
    pub(super) fn refuse_hidden_crc(&self, src: &[u8]) -> Verdict<(), Size> {
        let Range { start, end } = self.payload;
        if !self.is_unchecked_end || start == end {
            return Ok(());
        }
        let bytes = held(src, start..offset_after(end, 4)).unwrap_or_default();
        match bytes.split_first_chunk() {
            Some((&stored, shifted)) if stored == Crc32::of(shifted).to_le_bytes() => {
                Err(Fault::of_file(ErrorKind::CvcHiddenCrc, start))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the error for bytes that are not those of `range`.
#[cold]
fn outside(at: u64, range: &Range<Size>) -> Error {
    Error::new(ErrorKind::RangeOutside, at).needing(wide(range.end.saturating_sub(range.start)))
}

/// Returns the bytes of a range, all of them. The place of its fault is not where the file ends,
/// but where it would have to; [`in_file`] makes an error of it.
#[inline(always)]
pub(super) fn part(src: &[u8], range: Range<Size>) -> Verdict<&[u8], Size> {
    let end = range.end;
    held(src, range).ok_or(Fault::of_file(ErrorKind::Truncated, end))
}

/// Returns the bytes of a range if the file holds all of them.
#[inline(never)]
fn held(src: &[u8], range: Range<Size>) -> Option<&[u8]> {
    src.get(index_of(range.start)..index_of(range.end))
}

/// Returns what turns a fault of reading this file into an error.
pub(super) fn in_file(src: &[u8]) -> impl Fn(Fault<Size>) -> Error {
    |fault| match fault.kind {
        ErrorKind::Truncated => Error::truncated(u64_from(src.len()), wide(fault.at)),
        _ => fault.into(),
    }
}

/// Returns the length of the payload after these bytes.
pub(super) fn stored_len(prefix: &[u8]) -> Option<Size> {
    Fields::new(prefix, 0, &mut ()).get(&LENGTH).ok().map(|len| saturated(u32::from_le_bytes(*len).into()))
}

/// The bytes that a walk over the pieces of a column needs next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need {
    /// None: all rows have been named.
    Nothing,
    /// The length field of the chunk, to be passed to [`Piece::enter`].
    Length,
    /// The chunk, which is wanted.
    Chunk,
}

impl<'a> Column<'a> {
    /// Finds the next chunk that holds some of these rows, or whose length is needed to go on.
    // A `Verdict<Need>` would come back in memory.
    #[inline(always)]
    pub(super) fn next_piece(&self, cursor: &mut ChunkCursor, rows: &Range<Size>, piece: &mut Piece) -> Verdict<Need> {
        self.find_piece(cursor, rows, piece)?;
        Ok(piece.need)
    }

    #[inline(never)]
    fn find_piece(&self, cursor: &mut ChunkCursor, rows: &Range<Size>, piece: &mut Piece) -> Verdict<()> {
        let mut chunk = ChunkEntry::default();
        piece.need = Need::Nothing;
        while cursor.next(&self.file, &mut chunk)? {
            if chunk.is_after(rows) {
                break;
            }
            piece.find(self, &chunk, cursor.start(&self.file, &chunk)?, rows)?;
            match piece.storage.payload_len() {
                None => piece.need = Need::Length,
                Some(len) if piece.enter(cursor, len)? => piece.need = Need::Chunk,
                Some(_) => continue,
            }
            break;
        }
        Ok(())
    }

    /// Walks over the payloads of these rows, which [`fits`](Self::fits) has checked. `done` counts
    /// those that were decoded.
    #[inline(never)]
    pub(super) fn each<'b>(
        &self,
        src: &'b [u8],
        rows: &Range<Size>,
        verify: Verify,
        done: &mut Done,
        decode: &mut dyn FnMut(&Payload<'b>) -> Verdict<(), Size>,
    ) -> Verdict<(), Size> {
        let (mut cursor, mut piece, mut values) = (ChunkCursor::of(&self.file), Piece::NONE, Payload::NONE);
        done.read = index_of(cursor.end);
        while self.next_wanted(src, &mut cursor, rows, &mut piece)? {
            piece.fill(src, verify, &mut done.checksums, &mut values)?;
            decode(&values)?;
            done.read = index_of(cursor.end);
            done.parts += 1;
            done.wrote += index_of(piece.values);
        }
        Ok(())
    }

    /// Finds the next chunk of a file in memory that holds some of these rows. Returns `false`
    /// after the last one.
    #[inline(always)]
    pub(super) fn next_wanted(
        &self,
        src: &[u8],
        cursor: &mut ChunkCursor,
        rows: &Range<Size>,
        piece: &mut Piece,
    ) -> Verdict<bool, Size> {
        loop {
            let wanted = match self.next_piece(cursor, rows, piece)? {
                Need::Nothing => return Ok(false),
                Need::Chunk => true,
                Need::Length => piece.enter(cursor, stored_len(part(src, piece.length())?).unwrap_or(0))?,
            };
            if wanted {
                return Ok(true);
            }
        }
    }

    /// Plans to read these rows: names the bytes of the file that hold them, chunk by chunk.
    pub fn plan(&self, rows: Range<u64>) -> Result<Plan<'a>> {
        let mut plan = Plan::new();
        plan.open(self, rows)?;
        Ok(plan)
    }
}

/// Walks over the chunks of a column and names the bytes to fetch. The caller fetches them from
/// flash, a file or a server.
///
/// If the header determines how long a chunk is, only the chunks themselves are needed. If it does
/// not, as in files with many columns or lossless chunks, four bytes of each earlier chunk are
/// needed too, because the format has no index.
///
/// ```
/// use unspool::{cvc, Limits, Verify};
/// # let json = br#"{"chunks":[{"rows":1},{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":2}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0].repeat(2));
/// let head = cvc::Header::read(&file, &Limits::DEFAULT)?.head_len() as usize;
/// let opened = cvc::File::open(&file[..head], &Limits::DEFAULT)?;
/// let mut plan = opened.only_column()?.plan(1..2)?;
/// let mut row = [0.0; 2];
/// while let Some(range) = plan.needs() {
///     let fetched = &file[range.start as usize..range.end as usize];
///     if let Some(payload) = plan.feed(range.start, fetched, Verify::Refuse)? {
///         payload.decode(&mut row)?;
///     }
/// }
/// assert_eq!(row, [1.0, -2.0]);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    column: Column<'a>,
    cursor: ChunkCursor,
    rows: Range<Size>,
    piece: Piece,
    /// A fault is that of the next chunk. It is reported after the chunk before it, which is sound.
    need: Verdict<Need>,
    checksums: Checksums,
}

impl<'a> Plan<'a> {
    /// A plan for no rows, to be [opened](Self::open) in place: a plan is large for a small stack.
    pub const fn new() -> Self {
        Self {
            column: Column::NONE,
            cursor: ChunkCursor::NONE,
            rows: 0..0,
            piece: Piece::NONE,
            need: Ok(Need::Nothing),
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
        }
    }

    /// Starts with these rows of a column.
    #[inline(never)]
    pub fn open(&mut self, column: &Column<'a>, rows: Range<u64>) -> Result<()> {
        let rows = column.check_rows(&rows)?;
        (self.column, self.cursor, self.rows) = (*column, ChunkCursor::of(&column.file), rows);
        self.advance();
        Ok(())
    }

    /// Returns the bytes to [`feed`](Self::feed) next; `None` if all rows have been named.
    pub fn needs(&self) -> Option<Range<u64>> {
        match self.need {
            Ok(Need::Nothing) => None,
            Ok(Need::Length) => Some(wide_range(&self.piece.length())),
            Ok(Need::Chunk) => Some(self.piece.range()),
            Err(_) => Some(wide_range(&(self.cursor.end..self.cursor.end))),
        }
    }

    /// Returns the rows of the chunk that is needed next; `None` if only its length is.
    pub fn piece(&self) -> Option<&Piece> {
        matches!(self.need, Ok(Need::Chunk)).then_some(&self.piece)
    }

    /// Returns the outcomes of the checksums of the chunks that were returned.
    pub fn checksums(&self) -> Checksums {
        self.checksums
    }

    /// Takes the needed bytes, which start at `at`, and returns the values of a chunk.
    ///
    /// Instead of a chunk, the bytes of [`Piece::data_range`] will do, but then no checksum is
    /// compared. After an error, the plan still needs the same bytes: feed the right ones, or
    /// [`skip`](Self::skip) the chunk. If the next chunk cannot be found, every call returns why.
    pub fn feed<'b>(&mut self, at: u64, bytes: &'b [u8], verify: Verify) -> Result<Option<Payload<'b>>> {
        match self.need? {
            Need::Nothing => Ok(None),
            Need::Length if at != wide(self.piece.at) => Err(Error::new(ErrorKind::RangeOutside, at)),
            Need::Length => {
                let range = wide_range(&self.piece.length());
                let short = Error::truncated(range.start.saturating_add(u64_from(bytes.len())), range.end);
                let entered = self.piece.enter(&mut self.cursor, stored_len(bytes).ok_or(short)?);
                self.need = entered.map(|_| Need::Chunk);
                if !entered? {
                    self.advance();
                }
                Ok(None)
            }
            Need::Chunk => {
                // Only a chunk that is returned counts.
                let mut checksums = self.checksums;
                let payload = if at == wide(self.piece.at) {
                    self.piece.read(bytes, verify, &mut checksums)?
                } else {
                    checksums.unchecked += 1;
                    self.piece.read_data(at, bytes)?
                };
                self.checksums = checksums;
                self.advance();
                Ok(Some(payload))
            }
        }
    }

    /// Goes on without the chunk that is needed next.
    pub fn skip(&mut self) {
        if self.piece().is_some() {
            self.advance();
        }
    }

    fn advance(&mut self) {
        self.need = self.column.next_piece(&mut self.cursor, &self.rows, &mut self.piece);
    }
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self::new()
    }
}
