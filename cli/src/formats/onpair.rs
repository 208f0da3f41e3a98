//! `inspect`, `decode`, `check` and `grep` of OnPair, for containers and folders of bare buffers.

use std::ops::Range;
use std::path::Path;

use unspool::onpair::{
    Codes, Column, Dictionary, File, MAX_TOKENS, Options, Outline, RowOffsets, Search, SearchWorkspace, Workspace,
};
use unspool::tree::Tree;
use unspool::{Checksums as Sums, Count, Error, ErrorKind, Format, Limits, Sink};

use super::parallel::{self, Content, Left, PartReader, Pool, TINY_PARTS, append};
use super::pour::{Buffered, Room, write};
use super::{Checksums, Selection, Stop};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::report::Failure;
use crate::source::Source;
use crate::stats::{ColumnStats, Gather};
use crate::text::Number;

/// The number of rows decoded at a time.
const ROWS_AT_ONCE: u64 = 4096;

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::OnPair, Tree::new(MAX_NODES));
    if let Err(error) =
        unspool::onpair::inspect(bytes, &mut Workspace::new(), &Options { limits: *limits }, &mut report.tree)
    {
        report.error = Some(error);
    }
    if let Ok((file, _)) = File::salvage(bytes, limits) {
        let column = file.column();
        let codes = column.codes();
        describe(&mut report, column.rows().end, *column.dictionary(), codes.len() as u64, codes.bits());
        report.decoded = column.decoded_len(column.rows()).ok();
    }
    report
}

fn describe(report: &mut Report, rows: u64, dictionary: Dictionary<'_>, codes: u64, bits: u32) {
    report.version = Some("ONPAIR01".to_owned());
    report.fact("rows", rows);
    report.fact("tokens", dictionary.len());
    report.fact("codes", codes);
    report.fact("code bits", bits);
    report.fact(
        "dictionary",
        match dictionary.conforming() {
            Ok(_) => "sorted, with every single byte",
            Err(_) => "not sorted, or lacks single bytes",
        },
    );
}

/// Describes a long file by its tables.
pub fn outline(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let mut report = Report::new(Format::OnPair, Tree::new(MAX_NODES));
    let mut outline = Outline::new(source.len().unwrap_or(0));
    while let Some(range) = outline.needs() {
        // The check reports the first error.
        let _ = outline.feed(range.start, &source.at(range.clone())?, &mut report.tree);
    }
    if let Ok(tables) = Tables::read(source, limits) {
        let codes = (tables.codes.end - tables.codes.start) * 8 / u64::from(tables.bits.max(1));
        describe(&mut report, tables.rows, tables.dictionary()?, codes, tables.bits);
    }
    let mut count = Count::default();
    let checked = check(source, limits, &mut count).map(|_| (Checksums::default(), count.0));
    super::add_check(&mut report, checked)?;
    report.checksums = None;
    Ok(report)
}

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if source.len().is_none() {
        // The tables that lead to the codes come last.
        source.hold()?;
    }
    let tables = Tables::read(source, limits)?;
    let rows = selected(wanted, 0..tables.rows)?;
    tables.decode(source, rows, wanted.text, limits, to)
}

/// The tables of a file. The codes and the offsets of the rows stay in the file.
struct Tables {
    bits: u32,
    tokens: Vec<u8>,
    token_offsets: Vec<u8>,
    /// The places of both in the file.
    token_offsets_at: u64,
    codes: Range<u64>,
    row_offsets_at: u64,
    /// The rows that the file claims, as far as their offsets are in it.
    rows: u64,
    /// The error of a file that is broken. Its first rows may be sound.
    broken: Option<Error>,
}

/// The most rows of a batch, and the most bytes of its codes unless one row has more.
const BATCH_ROWS: u64 = if TINY_PARTS { 3 } else { 1 << 16 };
const BATCH_CODES: u64 = 4 << 20;

impl Tables {
    /// Reads the tokens, and finds the other tables.
    fn read(source: &Source, limits: &Limits) -> Result<Self, Stop> {
        let len = source.len().unwrap_or(0);
        let (mut outline, mut broken) = (Outline::new(len), None);
        while let Some(range) = outline.needs() {
            if let Err(error) = outline.feed(range.start, &source.at(range.clone())?, &mut ()) {
                broken = Some(error);
            }
        }
        let [tokens_at, token_offsets_at, codes, row_offsets] = outline.places().clone();
        // Only the last table may be cut.
        let cut = codes.end > 0 && row_offsets.end == 0;
        if let Some(error) = broken.filter(|_| !cut) {
            return Err(error.into());
        }
        let row_offsets_at = if cut { codes.end.saturating_add(4) } else { row_offsets.start };
        let row_offsets_end = if cut { len } else { row_offsets.end };
        let offsets = row_offsets_end.saturating_sub(row_offsets_at) / 4;
        // In a file that is cut, the cut is the first error.
        let first = |error: Error| Stop::from(broken.unwrap_or(error));
        let header = (token_offsets_at.end - token_offsets_at.start).saturating_add(4 * offsets);
        if header > limits.max_header {
            return Err(first(Error::new(ErrorKind::HeaderLimit, 0).needing(header)));
        }
        let tables = Self {
            bits: outline.bits(),
            tokens: source.at(tokens_at)?,
            token_offsets: source.at(token_offsets_at.clone())?,
            token_offsets_at: token_offsets_at.start,
            codes,
            row_offsets_at,
            rows: offsets.saturating_sub(1),
            broken,
        };
        let tokens = tables.dictionary().map_err(first)?.len() as u64;
        if offsets == 0 {
            // As many offsets as in no file: the error of the whole.
            let empty = RowOffsets::u32(&[]).map(drop).map_err(|error| error.offset_by(row_offsets_at));
            return Err(first(empty.err().unwrap_or(Error::new(ErrorKind::Truncated, len))));
        }
        let rows = tables.rows;
        if tokens > limits.max_elements {
            return Err(first(Error::new(ErrorKind::ElementLimit, 0).needing(tokens)));
        }
        if rows > limits.max_elements {
            return Err(first(Error::new(ErrorKind::ElementLimit, row_offsets_at).needing(rows)));
        }
        let last = tables.offsets(source, rows..rows)?.first().copied().unwrap_or(0);
        let need = u64::from(last).saturating_mul(tables.bits.into()).div_ceil(8);
        if need > tables.codes.end - tables.codes.start {
            let short = Error::new(ErrorKind::OnPairCodesShort, tables.codes.end).needing(need);
            return Ok(Self { broken: tables.broken.or(Some(short)), ..tables });
        }
        let fall = tables.fall(source)?;
        Ok(Self { broken: tables.broken.or(fall), ..tables })
    }

    /// Returns the error of the first row offset that is below the one before it.
    fn fall(&self, source: &Source) -> Result<Option<Error>, Stop> {
        let mut row = 0;
        while row < self.rows {
            let offsets = self.offsets(source, row..self.rows.min(row + BATCH_ROWS))?;
            if let Some(before) = offsets.windows(2).position(|pair| pair.is_sorted_by(|before, after| before > after))
            {
                let at = self.row_offsets_at.saturating_add((row + before as u64 + 1).saturating_mul(4));
                return Ok(Some(Error::new(ErrorKind::OnPairRowOrder, at)));
            }
            row += BATCH_ROWS;
        }
        Ok(None)
    }

    fn dictionary(&self) -> Result<Dictionary<'_>, Error> {
        let opened = Dictionary::open(&self.tokens, &self.token_offsets);
        opened.map_err(|error| error.offset_by(self.token_offsets_at))
    }

    /// Reads the offsets of rows, and the one after them.
    fn offsets(&self, source: &Source, rows: Range<u64>) -> Result<Vec<u32>, Stop> {
        let place = |row: u64| self.row_offsets_at.saturating_add(row.saturating_mul(4));
        let bytes = source.at(place(rows.start)..place(rows.end + 1))?;
        Ok(bytes.as_chunks().0.iter().map(|offset| u32::from_le_bytes(*offset)).collect())
    }

    /// Returns the dictionary for work on rows. An unsorted one only makes a search slower.
    fn sorted(&self) -> Result<Dictionary<'_>, Error> {
        let dictionary = self.dictionary()?;
        Ok(dictionary.conforming().unwrap_or(dictionary))
    }

    /// Calls `visit` with some rows at a time: a column that holds them, their numbers in it, and
    /// the number of its first row in the file.
    ///
    /// Reads the codes of these rows alone. If the file is broken, the error follows the rows
    /// before it.
    fn each_batch(
        &self,
        source: &Source,
        rows: Range<u64>,
        limits: &Limits,
        mut visit: impl FnMut(&Column<'_>, Range<u64>, u64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (dictionary, mut rest, mut bytes) = (self.sorted()?, rows, vec![]);
        while let Some(batch) = self.batch(source, &mut rest, bytes)? {
            let visited = visit(&batch.column(self.bits, dictionary, limits)?, 0..batch.rows(), batch.first);
            visited.map_err(|stop| match (batch.locate(stop), self.broken) {
                // The tables come before the codes.
                (Stop::Refused(_), Some(error)) => error.into(),
                (stop, _) => stop,
            })?;
            bytes = batch.codes;
        }
        self.broken.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Reads the next of these rows, and their codes into a buffer.
    fn batch(&self, source: &Source, rest: &mut Range<u64>, mut codes: Vec<u8>) -> Result<Option<Batch>, Stop> {
        if rest.is_empty() {
            return Ok(None);
        }
        let first_row = rest.start;
        let bits = u64::from(self.bits);
        let most = (self.codes.end - self.codes.start) * 8 / bits;
        let offsets = self.offsets(source, first_row..rest.end.min(first_row + BATCH_ROWS))?;
        let first = offsets.first().copied().unwrap_or(0);
        let mut before = 0;
        let sound = offsets
            .iter()
            .take_while(|&&offset| std::mem::replace(&mut before, offset) <= offset && u64::from(offset) <= most);
        // Codes of whole bytes: eight of them end with one.
        let (sound, base) = (sound.count(), first & !7);
        let fits = |offset: u32| u64::from(offset - base) * bits / 8 <= BATCH_CODES;
        let few = offsets.iter().take(sound).take_while(|&&offset| fits(offset)).count();
        let count = few.max(2).min(sound);
        let Some(&last) = offsets.get(..count).and_then(<[u32]>::last).filter(|_| count > 1) else {
            // An offset that is not sound has made the file broken.
            return Err(self.broken.unwrap_or(Error::new(ErrorKind::OnPairRowOrder, self.row_offsets_at)).into());
        };
        let at = self.codes.start + u64::from(base) * bits / 8;
        source.read_at(at..at + (u64::from(last - base) * bits).div_ceil(8), &mut codes)?;
        let ends: Vec<u8> = offsets.iter().take(count).flat_map(|offset| (offset - base).to_le_bytes()).collect();
        rest.start += count as u64 - 1;
        let count = usize::try_from(last - base).unwrap_or(usize::MAX);
        Ok(Some(Batch { codes, count, ends, first: first_row, at }))
    }

    /// Writes rows, as `text` or as bytes: batches on several threads, or in order.
    fn decode(
        &self,
        source: &mut Source,
        rows: Range<u64>,
        text: bool,
        limits: &Limits,
        to: &mut impl Room,
    ) -> Result<(), Stop> {
        let dictionary = self.sorted()?;
        let work = |wide: &mut Wide, batch: Batch, pool: &Pool| {
            let (mut buffer, mut left) = (pool.take(), MOST_BATCH.min(limits.max_output));
            buffer.clear();
            let column = batch.column(self.bits, dictionary, limits)?;
            rows_to(&column, 0..batch.rows(), text, &mut left, wide, limits, &mut append(&mut buffer))?;
            let decoded = MOST_BATCH.min(limits.max_output) - left;
            pool.give_stored(batch.codes);
            Ok(Content { range: 0..buffer.len(), buffer, decoded, sums: Sums::default() })
        };
        parallel::decode(
            source,
            limits,
            to,
            |_| self.batches(&rows),
            Wide::default,
            work,
            |source, to| {
                let (mut left, mut wide) = (limits.max_output, Wide::default());
                self.each_batch(source, rows.clone(), limits, |column, rows, _| {
                    rows_to(column, rows, text, &mut left, &mut wide, limits, &mut |bytes: &[u8]| write(bytes, to))
                })?;
                Ok(Sums::default())
            },
        )
        .map(drop)
    }

    /// Returns the batches of some rows; `None` if they are one, or if the file is broken.
    fn batches(&self, rows: &Range<u64>) -> Option<Batches<'_>> {
        let is_one = rows.end - rows.start <= BATCH_ROWS && self.codes.end - self.codes.start <= BATCH_CODES;
        (self.broken.is_none() && !is_one).then(|| Batches { tables: self, rest: rows.clone() })
    }
}

/// The batches that are left of some rows.
struct Batches<'t> {
    tables: &'t Tables,
    rest: Range<u64>,
}

impl PartReader for Batches<'_> {
    type Part = Batch;

    fn next(&mut self, source: &Source, pool: &Pool) -> Option<Result<Batch, Left>> {
        self.tables.batch(source, &mut self.rest, pool.take_stored()).map_err(Left::from).transpose()
    }
}

/// Some rows, and the bytes of their codes.
struct Batch {
    codes: Vec<u8>,
    /// The number of codes.
    count: usize,
    /// The offsets of the rows in the codes, as bytes.
    ends: Vec<u8>,
    /// The number of the first row in the file.
    first: u64,
    /// The offset of the codes in the file.
    at: u64,
}

impl Batch {
    fn rows(&self) -> u64 {
        (self.ends.len() as u64 / 4).saturating_sub(1)
    }

    fn column<'b>(&'b self, bits: u32, dictionary: Dictionary<'b>, limits: &Limits) -> Result<Column<'b>, Error> {
        let codes = Codes::packed(&self.codes, bits, self.count)?;
        Column::open(dictionary, codes, RowOffsets::u32(&self.ends)?, limits)
    }

    /// Moves the error of a code to its place in the file.
    fn locate(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Refused(error) if error.kind == ErrorKind::OnPairCode => error.offset_by(self.at).into(),
            stop => stop,
        }
    }
}

/// The most bytes that a batch decodes to on one of several threads.
const MOST_BATCH: u64 = 64 << 20;

/// The buffers of a column, read from a folder.
pub struct Parts {
    dictionary: Vec<u8>,
    token_offsets: Vec<u8>,
    codes: Vec<u8>,
    row_offsets: Vec<u8>,
    /// Bits per packed code; `None` for plain codes of two bytes.
    bits: Option<u32>,
}

impl Parts {
    /// Reads `dict_bytes.bin`, `dict_offsets.bin`, `code_offsets.bin`, and `packed_codes.bin` if
    /// `bits` is `Some`, else `codes.bin`.
    pub fn read(folder: &Path, bits: Option<u32>, limits: &Limits) -> Result<Self, Failure> {
        let read = |name: &str| crate::read(&folder.join(name), limits.max_output);
        Ok(Self {
            dictionary: read("dict_bytes.bin")?,
            token_offsets: read("dict_offsets.bin")?,
            codes: read(if bits.is_some() { "packed_codes.bin" } else { "codes.bin" })?,
            row_offsets: read("code_offsets.bin")?,
            bits,
        })
    }

    pub fn decode(&self, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
        let dictionary = Dictionary::open(&self.dictionary, &self.token_offsets)?;
        let rows = self.row_offsets()?;
        let codes = match self.bits {
            Some(bits) => Codes::packed(&self.codes, bits, usize::try_from(rows.last()).unwrap_or(usize::MAX))?,
            None => Codes::bytes(&self.codes)?,
        };
        let column = Column::open(dictionary, codes, rows, limits)?;
        let rows = selected(wanted, column.rows())?;
        rows_to(&column, rows, wanted.text, &mut { limits.max_output }, &mut Wide::default(), limits, to)
    }

    /// Detects the width of the row offsets, which the folder does not state.
    ///
    /// Eight-byte offsets have zeros in their upper halves. Four-byte offsets read that way would
    /// decrease, unless all are zero and there is nothing to decode.
    fn row_offsets(&self) -> Result<RowOffsets<'_>, Error> {
        let halves = self.row_offsets.as_chunks::<8>();
        let wide = halves.1.is_empty() && halves.0.iter().all(|half| half.ends_with(&[0; 4]));
        let all_zero = self.row_offsets.iter().all(|&byte| byte == 0);
        if wide && !all_zero { RowOffsets::u64(&self.row_offsets) } else { RowOffsets::u32(&self.row_offsets) }
    }
}

/// Returns the rows that are wanted among all.
fn selected(wanted: &Selection<'_>, all: Range<u64>) -> Result<Range<u64>, Stop> {
    if wanted.dictionary.is_some() || wanted.column.is_some() || wanted.section.is_some() {
        let what = "an OnPair file is one column with its own dictionary; --dict, --column and --section do not apply";
        return Err(Stop::Usage(what.to_owned()));
    }
    let rows =
        wanted.rows.as_ref().map_or(all.clone(), |rows| rows.start.unwrap_or(all.start)..rows.end.unwrap_or(all.end));
    if rows.start > rows.end || rows.end > all.end {
        return Err(Stop::Usage(format!("rows {}..{} are not within 0..{}", rows.start, rows.end, all.end)));
    }
    Ok(rows)
}

/// Writes rows of a column, as lines if they are `text`. Takes their length from what is `left` of
/// the limit.
fn rows_to(
    column: &Column<'_>,
    rows: Range<u64>,
    text: bool,
    left: &mut u64,
    wide: &mut Wide,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<(), Stop> {
    let column = wide.widen(column)?;
    for_each_batch(&rows, |rows| {
        let decoded = column.decode_to_vec(rows.clone())?;
        *left = left.checked_sub(decoded.len() as u64).ok_or(over(limits))?;
        if !text {
            return Ok(to.write(&decoded)?);
        }
        let mut rest = decoded.as_slice();
        let mut lines = Vec::with_capacity(decoded.len() + decoded.len() / 8);
        for row in rows {
            let len = usize::try_from(column.row_len(row)?).unwrap_or(usize::MAX);
            let (line, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            lines.extend_from_slice(line);
            lines.push(b'\n');
            rest = after;
        }
        Ok(to.write(&lines)?)
    })
}

fn for_each_batch(rows: &Range<u64>, mut each: impl FnMut(Range<u64>) -> Result<(), Stop>) -> Result<(), Stop> {
    let mut start = rows.start;
    while start < rows.end {
        let end = rows.end.min(start.saturating_add(ROWS_AT_ONCE));
        each(start..end)?;
        start = end;
    }
    Ok(())
}

fn over(limits: &Limits) -> Error {
    Error::new(ErrorKind::OutputLimit, 0).needing(limits.max_output.saturating_add(1))
}

/// Memory for a widened dictionary.
#[derive(Default)]
struct Wide {
    tokens: Vec<[u8; 16]>,
    lens: Vec<u8>,
}

impl Wide {
    fn widen<'w>(&'w mut self, column: &Column<'w>) -> Result<Column<'w>, Error> {
        let tokens = column.dictionary().len();
        self.tokens.resize(tokens, [0; 16]);
        self.lens.resize(tokens, 0);
        column.widened(&mut self.tokens, &mut self.lens)
    }
}

/// The place of a pattern in a row.
#[derive(Clone, Copy)]
pub enum Where {
    Inside,
    Start,
    Whole,
}

/// Writes every matching row as a line, after its number if `numbers` is set: of batches on several
/// threads, or in order.
pub fn grep(
    source: &mut Source,
    pattern: &[u8],
    place: Where,
    numbers: bool,
    limits: &Limits,
    to: &mut impl Room,
) -> Result<(), Stop> {
    if source.len().is_none() {
        source.hold()?;
    }
    let tables = Tables::read(source, limits)?;
    let dictionary = tables.sorted()?;
    let init = || Needle { needle: vec![0; pattern.len()], tokens: vec![0; MAX_TOKENS] };
    let work = |workspace: &mut Needle, batch: Batch, pool: &Pool| {
        let (mut buffer, most) = (pool.take(), MOST_BATCH.min(limits.max_output));
        let mut left = most;
        buffer.clear();
        let column = batch.column(tables.bits, dictionary, limits)?;
        let search = workspace.search(&column, pattern, place)?;
        matches_to(&column, search, numbers.then_some(batch.first), &mut left, limits, &mut append(&mut buffer))?;
        pool.give_stored(batch.codes);
        Ok(Content { range: 0..buffer.len(), buffer, decoded: most - left, sums: Sums::default() })
    };
    let rows = 0..tables.rows;
    parallel::decode(
        source,
        limits,
        to,
        |_| tables.batches(&rows),
        init,
        work,
        |source, to| {
            let (mut left, mut workspace) = (limits.max_output, init());
            tables.each_batch(source, rows.clone(), limits, |column, _, first| {
                let search = workspace.search(column, pattern, place)?;
                let mut to = |bytes: &[u8]| write(bytes, to);
                matches_to(column, search, numbers.then_some(first), &mut left, limits, &mut to)
            })?;
            Ok(Sums::default())
        },
    )
    .map(drop)
}

/// Memory for searches.
struct Needle {
    needle: Vec<u32>,
    tokens: Vec<u8>,
}

impl Needle {
    fn search<'s>(&'s mut self, column: &'s Column<'s>, pattern: &'s [u8], place: Where) -> Result<Search<'s>, Error> {
        let workspace = SearchWorkspace { needle: &mut self.needle, tokens: &mut self.tokens };
        match place {
            Where::Inside => Search::contains(column, pattern, workspace),
            Where::Start => Ok(Search::starts_with(column, pattern)),
            Where::Whole => Ok(Search::equals(column, pattern)),
        }
    }
}

/// Writes the rows that a search finds, after their numbers if that of the first row is known.
/// Takes their length from what is `left` of the limit.
fn matches_to(
    column: &Column<'_>,
    search: Search<'_>,
    first: Option<u64>,
    left: &mut u64,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<(), Stop> {
    for row in search.rows() {
        let row = row?;
        *left = left.checked_sub(column.row_len(row)?).ok_or(over(limits))?;
        if let Some(first) = first {
            to.write(format!("{}:", first + row).as_bytes())?;
        }
        to.write(&column.decode_to_vec(row..row + 1)?)?;
        to.write(b"\n")?;
    }
    Ok(())
}

/// Computes statistics of the lengths of strings.
pub fn stats(bytes: &[u8], limits: &Limits, columns: &mut Vec<ColumnStats>) -> Result<(), Error> {
    let (file, broken) = File::salvage(bytes, limits)?;
    let stats = columns.push_mut(ColumnStats::named("bytes in a row"));
    let mut gather = Gather::new(stats, Number::U64, 1);
    for row in file.column().rows() {
        gather.write(&file.column().row_len(row)?.to_le_bytes())?;
    }
    broken.map_or(Ok(()), Err)
}

pub fn check(source: &mut Source, limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    if source.len().is_none() {
        source.hold()?;
    }
    let tables = Tables::read(source, limits)?;
    let rows = 0..tables.rows;
    tables.decode(source, rows, false, limits, &mut Buffered::new(to))?;
    Ok(Checksums::default())
}
