//! Which bytes of a file hold which rows of a column, without reading any.

use core::ops::Range;

use super::chunk::Cursor;
use super::column::Column;
use super::payload::Payload;
use super::piece::{Next, Piece};
use crate::fault::Fault;
use crate::num::{behind, u64_from};
use crate::{Checksums, Error, ErrorKind, Result, Verify};

/// Walks over the chunks of a column and names the bytes to fetch; the caller fetches them from a flash page, a file or a server.
///
/// Where the header tells how long a chunk is, nothing is asked for but the chunks themselves. In files with many columns or lossless
/// chunks, where it does not, four bytes of each earlier chunk are needed too, because the format has no index.
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
    cursor: Cursor,
    rows: Range<u64>,
    piece: Piece,
    state: State,
    checksums: Checksums,
}

/// What a plan waits for.
#[derive(Clone, Copy, Debug)]
enum State {
    /// The length of the chunk of the piece.
    Length,
    /// The chunk of the piece.
    Chunk,
    /// That the caller hears why the next chunk cannot be read. The chunk before it is sound, and comes first.
    Refusal(Fault),
    Nothing,
}

impl<'a> Plan<'a> {
    /// A plan for no rows, to be [opened](Self::open) in place: a plan is large for a small stack.
    pub const fn new() -> Self {
        Self {
            column: Column::new(),
            cursor: Cursor::new(),
            rows: 0..0,
            piece: Piece::new(),
            state: State::Nothing,
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
        }
    }

    /// Starts with these rows of a column.
    #[inline(never)]
    pub fn open(&mut self, column: &Column<'a>, rows: Range<u64>) -> Result<()> {
        column.check_rows(&rows)?;
        (self.column, self.cursor, self.rows) = (*column, Cursor::of(&column.file), rows);
        self.advance();
        Ok(())
    }

    /// The bytes to [`feed`](Self::feed) next; `None` when all rows have been named.
    pub fn needs(&self) -> Option<Range<u64>> {
        match self.state {
            State::Nothing => None,
            State::Length => Some(self.piece.length()),
            State::Chunk => Some(self.piece.range()),
            State::Refusal(_) => Some(self.cursor.end..self.cursor.end),
        }
    }

    /// The rows that the chunk holds that is needed next; `None` while only the length of a chunk is.
    pub fn piece(&self) -> Option<&Piece> {
        matches!(self.state, State::Chunk).then_some(&self.piece)
    }

    /// The checksums so far.
    pub fn checksums(&self) -> Checksums {
        self.checksums
    }

    /// Takes the bytes from `at` on that were asked for, and returns the values of a chunk. Of a chunk, the bytes of
    /// [`Piece::data_range`] will do as well, and no checksum is compared. After an error nothing more is asked for.
    pub fn feed<'b>(&mut self, at: u64, bytes: &'b [u8], verify: Verify) -> Result<Option<Payload<'b>>> {
        let state = core::mem::replace(&mut self.state, State::Nothing);
        match state {
            State::Nothing => Ok(None),
            State::Refusal(fault) => Err(fault.into()),
            State::Length if at != self.piece.at => Err(Error::new(ErrorKind::RangeOutside, at)),
            State::Length => self.answer(bytes).map(|()| None),
            State::Chunk => {
                let payload = if at == self.piece.at {
                    self.piece.read(bytes, verify, &mut self.checksums)?
                } else {
                    self.checksums.unchecked += 1;
                    self.piece.read_data(at, bytes)?
                };
                self.advance();
                Ok(Some(payload))
            }
        }
    }

    /// Goes on without the chunk that is needed next.
    pub fn skip(&mut self) {
        if matches!(self.state, State::Chunk) {
            self.advance();
        }
    }

    /// Takes the length of the chunk of the piece.
    #[inline(never)]
    fn answer(&mut self, bytes: &[u8]) -> Result<()> {
        let range = self.piece.length();
        let short = Error::truncated(behind(range.start, u64_from(bytes.len())), range.end);
        let length = bytes.first_chunk().ok_or(short)?;
        if self.piece.enter(&mut self.cursor, u32::from_le_bytes(*length).into())? {
            self.state = State::Chunk;
        } else {
            self.advance();
        }
        Ok(())
    }

    /// Finds out what is needed next.
    fn advance(&mut self) {
        self.state = match self.column.next_piece(&mut self.cursor, &self.rows, &mut self.piece) {
            Ok(Next::Length) => State::Length,
            Ok(Next::Chunk) => State::Chunk,
            Ok(Next::Nothing) => State::Nothing,
            Err(fault) => State::Refusal(fault),
        };
    }
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Column<'a> {
    /// Which bytes of the file hold these rows, chunk by chunk, for someone who fetches only those.
    pub fn plan(&self, rows: Range<u64>) -> Result<Plan<'a>> {
        let mut plan = Plan::new();
        plan.open(self, rows)?;
        Ok(plan)
    }
}
