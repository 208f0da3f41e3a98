//! A file: opening it, which checks all that the header says, and walking over all of its columns.
//!
//! Finding one column in a chunk takes a walk over the chunk's object. The walks here find all
//! columns of a chunk in one pass.

use core::ops::Range;

use super::chunk::{ChunkCursor, ChunkEntry};
use super::column::{Column, StoredColumn};
use super::convert::Dtype;
use super::header::File;
use super::options::Options;
use super::plan::{Piece, in_file, part, stored_len};
use super::section::Sections;
use super::workspace::{NameTable, OWN, Workspace};
use crate::fault::Verdict;
use crate::num::{Size, saturated, u64_from, wide, wide_range};
use crate::{Error, ErrorKind, Limits, Result, Trace};

/// Returns the words that a [`Workspace`] needs so that a walk over all columns of this file takes
/// linear time: 0 for few columns. Needs the head of the file alone.
pub fn workspace_len(src: &[u8], options: &Options<'_>) -> Result<u64> {
    Ok(File::open(src, &options.limits)?.workspace_len())
}

/// Columns for which the words on the stack are enough: a slot has two words, and a quarter of the
/// slots stays vacant.
const FEW: u64 = OWN as u64 * 3 / 8;

impl<'a> File<'a> {
    /// Parses the head of a file: the whole file, or at least its first
    /// [`Header::head_len`](super::Header::head_len) bytes.
    ///
    /// Checks all of the JSON, and that the rows of all chunks add up to the number of vectors.
    /// Reads no data.
    pub fn open(src: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut file = Self::NONE;
        file.read(src, limits, &mut ())?;
        Ok(file)
    }

    /// Does the same in place, and traced: moving a file from call to call would take more code
    /// than filling it.
    pub fn read<T: Trace>(&mut self, src: &'a [u8], limits: &Limits, trace: &mut T) -> Result<()> {
        self.read_head(src, limits, trace)?;
        self.check(limits)
    }

    /// Counts the chunks, up to one more than allowed; adds up their rows in numbers that cannot
    /// wrap; checks the schema.
    #[inline(never)]
    fn check(&mut self, limits: &Limits) -> Result<()> {
        let (mut cursor, mut entry) = (ChunkCursor::of(self), ChunkEntry::default());
        let chunks = u64_from(self.facts.chunks);
        self.facts.chunk_count = 0;
        while cursor.next(self, &mut entry)? {
            self.facts.chunk_count = entry.index + 1;
            if self.chunk_count() > limits.max_elements {
                return Err(Error::new(ErrorKind::ElementLimit, chunks).needing(self.chunk_count()));
            }
        }
        if entry.end != self.facts.num_vectors {
            return Err(Error::new(ErrorKind::CvcRowsDisagree, chunks));
        }
        let mut column = Column::of(self);
        Ok(self.schema().try_for_each(|node| column.read(node.start()))?)
    }

    /// Walks over the sections that the header lists: named ranges of rows.
    pub fn sections(&self) -> Sections<'a> {
        let node = self.facts.sections.node(&self.node(0));
        Sections::new(node, ["start_index", "end_index"], 0..self.num_vectors())
    }

    /// Returns the words that a [`Workspace`] needs so that a walk over all columns takes linear
    /// time.
    pub fn workspace_len(&self) -> u64 {
        let columns = self.column_count();
        if columns > FEW { columns.saturating_mul(4) } else { 0 }
    }

    /// Emits the type that each column of each chunk decodes to, as far as the header shows, with
    /// its position in the schema.
    ///
    /// A column whose chunks differ decodes to f32. For many columns this takes less time than
    /// [`Column::output`] for each.
    pub fn each_output(
        &self,
        workspace: &mut Workspace<'_>,
        mut emit: impl FnMut(usize, &Column<'a>, Dtype) -> Result<()>,
    ) -> Result<()> {
        let (mut cursor, mut chunk) = (ChunkCursor::of(self), ChunkEntry::default());
        while cursor.next(self, &mut chunk)? {
            let only = workspace.only;
            self.each_storage(&chunk, workspace, only, &mut |position, column, storage| {
                emit(position, column, storage.encoding.output())
            })?;
        }
        Ok(())
    }

    /// Finds the types that the columns decode to, by their position in the schema, as
    /// [`Column::output`] does for one. After an error, `types` has those of the chunks before it;
    /// `None` if there are none.
    pub fn outputs(&self, workspace: &mut Workspace<'_>, types: &mut [Option<Dtype>]) -> Result<()> {
        types.fill(None);
        self.each_output(workspace, |position, _, output| {
            if let Some(known) = types.get_mut(position) {
                *known = Some(output.joined(*known));
            }
            Ok(())
        })?;
        if self.facts.chunk_count == 0 {
            for (column, known) in self.columns().zip(types) {
                *known = Some(column?.output()?);
            }
        }
        Ok(())
    }

    /// Emits the rows of each column in each chunk of a file in memory, with the position of the
    /// column in the schema: all columns of a chunk, then those of the next one.
    pub fn each_piece(
        &self,
        src: &[u8],
        workspace: &mut Workspace<'_>,
        mut emit: impl FnMut(usize, &Column<'a>, &Piece) -> Result<()>,
    ) -> Result<()> {
        let mut pieces = self.pieces();
        while let Some(range) = pieces.needs() {
            let length = if pieces.next.is_ok() {
                part(src, saturated(range.start)..saturated(range.end)).map_err(in_file(src))?
            } else {
                &[]
            };
            pieces.feed(range.start, length, workspace, &mut emit)?;
        }
        Ok(())
    }

    /// Does the same for a file that is not in memory, and asks for the length of each chunk.
    pub fn pieces(&self) -> Pieces<'a> {
        Pieces { file: *self, cursor: ChunkCursor::of(self), next: Ok(None), rows: 0..0 }.within(0..self.num_vectors())
    }

    /// Finds every column in a chunk, or `only` those that are `true`, in the order of the schema.
    /// Each pass over the schema and the chunk's object takes as many columns as the workspace
    /// holds.
    pub(super) fn each_storage(
        &self,
        chunk: &ChunkEntry,
        workspace: &mut Workspace<'_>,
        only: Option<&[bool]>,
        emit: &mut dyn FnMut(usize, &Column<'a>, &StoredColumn) -> Result<()>,
    ) -> Result<()> {
        let (mut column, mut storage, mut own) = (Column::of(self), StoredColumn::NONE, [0; OWN]);
        let words = workspace.table(&mut own);
        let (mut schema, mut position) = (self.schema(), 0);
        let object = chunk.columns.node(&self.node(0)).unwrap_or_default();
        let is_wanted = |position: usize| only.is_none_or(|only| only.get(position) == Some(&true));
        while schema.peek().is_some() {
            // Never without a slot, so that each pass takes a column.
            let mut table = NameTable::new(words, self.head);
            let (columns, first) = (schema.clone(), position);
            while let Some(node) = schema.peek()
                && (!is_wanted(position) || table.insert(node.member("name").unwrap_or(node)))
            {
                schema.next();
                position += 1;
            }
            for member in object.members() {
                table.set(&member.key, &member.value);
            }
            for (position, node) in (first..position).zip(columns).filter(|&(position, _)| is_wanted(position)) {
                column.read(node.start())?;
                column.read_storage(chunk, table.get(&column.name()), &mut storage)?;
                emit(position, &column, &storage)?;
            }
        }
        Ok(())
    }
}

/// Walks over the rows of each column in each chunk, and names the bytes to fetch.
///
/// ```
/// use unspool::{cvc, Limits};
/// # let json = br#"{"chunks":[{"rows":1},{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":2}"#;
/// # let mut bytes = b"CVCF".to_vec();
/// # bytes.extend((json.len() as u32).to_le_bytes());
/// # bytes.extend(json);
/// # bytes.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0].repeat(2));
/// let file = cvc::File::open(&bytes, &Limits::DEFAULT)?;
/// let (mut pieces, mut rows) = (file.pieces(), Vec::new());
/// while let Some(range) = pieces.needs() {
///     let length = &bytes[range.start as usize..range.end as usize];
///     pieces.feed(range.start, length, &mut cvc::Workspace::new(), |_, _, piece| {
///         rows.push(piece.rows.clone());
///         Ok(())
///     })?;
/// }
/// assert_eq!(rows, [0..1, 1..2]);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    file: File<'a>,
    cursor: ChunkCursor,
    /// The next chunk and its offset. A fault is reported after the chunk before it, which is
    /// sound.
    next: Verdict<Option<(ChunkEntry, Size)>>,
    rows: Range<Size>,
}

impl<'a> Pieces<'a> {
    /// Starts again, with the chunks that hold some of these rows. A chunk does not tell where the
    /// next one starts, so the lengths of earlier chunks are needed too.
    #[must_use]
    pub fn within(mut self, rows: Range<u64>) -> Self {
        (self.cursor, self.rows) = (ChunkCursor::of(&self.file), saturated(rows.start)..saturated(rows.end));
        self.next = self.look_ahead();
        self
    }

    /// Returns the bytes to [`feed`](Self::feed) next; `None` after the last chunk.
    pub fn needs(&self) -> Option<Range<u64>> {
        match self.next {
            Ok(next) => next.map(|(chunk, at)| wide_range(&self.piece(&chunk, at).length())),
            Err(_) => Some(wide_range(&(self.cursor.end..self.cursor.end))),
        }
    }

    /// Takes the length of a chunk, which starts at `at`, and emits the rows of each column with
    /// the position of the column in the schema. After an error, nothing more is needed.
    pub fn feed(
        &mut self,
        at: u64,
        length: &[u8],
        workspace: &mut Workspace<'_>,
        mut emit: impl FnMut(usize, &Column<'a>, &Piece) -> Result<()>,
    ) -> Result<()> {
        let Some((chunk, start)) = core::mem::replace(&mut self.next, Ok(None))? else { return Ok(()) };
        let mut piece = self.piece(&chunk, start);
        if at != wide(start) {
            return Err(Error::new(ErrorKind::RangeOutside, at));
        }
        let short = Error::truncated(at.saturating_add(u64_from(length.len())), wide(piece.length().end));
        let stored = stored_len(length).ok_or(short)?;
        piece.enter(&mut self.cursor, stored)?;
        let (only, rows) = (workspace.only, self.rows.clone());
        if chunk.overlaps(&rows) {
            self.file.each_storage(&chunk, workspace, only, &mut |position, column, storage| {
                piece.storage = *storage;
                piece.select(column, &chunk, &rows);
                piece.set_len(storage.payload_len().unwrap_or(stored))?;
                emit(position, column, &piece)
            })?;
        }
        self.next = self.look_ahead();
        Ok(())
    }

    fn piece(&self, chunk: &ChunkEntry, at: Size) -> Piece {
        let mut piece = Piece::NONE;
        piece.open(&self.file, chunk, at);
        piece
    }

    fn look_ahead(&mut self) -> Verdict<Option<(ChunkEntry, Size)>> {
        let mut chunk = ChunkEntry::default();
        let found = self.cursor.next(&self.file, &mut chunk)? && !chunk.is_after(&self.rows);
        Ok(if found { Some((chunk, self.cursor.start(&self.file, &chunk)?)) } else { None })
    }
}
