//! `inspect`, `decode`, `check` and `grep` of OnPair, for containers and folders of bare buffers.

use std::ops::Range;
use std::path::Path;

use unspool::onpair::{Codes, Column, Dictionary, File, Options, RowOffsets, Search, SearchWorkspace, Workspace};
use unspool::tree::Tree;
use unspool::{Error, Format, Limits, Sink};

use super::{Checksums, Selection, Stop};
use crate::inspect::{MAX_NODES, Report};
use crate::report::Failure;
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
        report.version = Some("ONPAIR01".to_owned());
        report.fact("rows", column.rows().end);
        report.fact("tokens", column.dictionary().len());
        report.fact("codes", column.codes().len());
        report.fact("code bits", column.codes().bits());
        report.fact(
            "dictionary",
            match column.dictionary().conforming() {
                Ok(_) => "sorted, with every single byte",
                Err(_) => "not sorted, or lacks single bytes",
            },
        );
        report.decoded = column.decoded_len(column.rows()).ok();
    }
    report
}

pub fn decode(
    bytes: &[u8],
    wanted: &Selection<'_>,
    limits: &Limits,
    to: &mut crate::output::Output,
) -> Result<(), Stop> {
    let (file, error) = File::salvage(bytes, limits)?;
    decode_column(file.column(), wanted, limits, to)?;
    error.map_or(Ok(()), |error| Err(error.into()))
}

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
    pub fn read(folder: &Path, bits: Option<u32>) -> Result<Self, Failure> {
        let read = |name: &str| crate::read(&folder.join(name));
        Ok(Self {
            dictionary: read("dict_bytes.bin")?,
            token_offsets: read("dict_offsets.bin")?,
            codes: read(if bits.is_some() { "packed_codes.bin" } else { "codes.bin" })?,
            row_offsets: read("code_offsets.bin")?,
            bits,
        })
    }

    pub fn decode(&self, wanted: &Selection<'_>, limits: &Limits, to: &mut crate::output::Output) -> Result<(), Stop> {
        let dictionary = Dictionary::open(&self.dictionary, &self.token_offsets)?;
        let rows = self.row_offsets()?;
        let codes = match self.bits {
            Some(bits) => Codes::packed(&self.codes, bits, usize::try_from(rows.last()).unwrap_or(usize::MAX))?,
            None => Codes::bytes(&self.codes)?,
        };
        decode_column(&Column::open(dictionary, codes, rows, limits)?, wanted, limits, to)
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

fn decode_column(column: &Column<'_>, wanted: &Selection<'_>, limits: &Limits, to: &mut impl Sink) -> Result<(), Stop> {
    if wanted.dictionary.is_some() || wanted.column.is_some() || wanted.section.is_some() {
        let what = "an OnPair file is one column with its own dictionary; --dict, --column and --section do not apply";
        return Err(Stop::Usage(what.to_owned()));
    }
    let all = column.rows();
    let rows =
        wanted.rows.as_ref().map_or(all.clone(), |rows| rows.start.unwrap_or(all.start)..rows.end.unwrap_or(all.end));
    if rows.start > rows.end || rows.end > all.end {
        return Err(Stop::Usage(format!("rows {}..{} are not within 0..{}", rows.start, rows.end, all.end)));
    }
    let mut left = limits.max_output;
    let mut scratch = Wide::of(column);
    let column = scratch.widen(column)?;
    for_each_batch(&rows, |rows| {
        let decoded = column.decode_to_vec(rows.clone())?;
        left = left.checked_sub(decoded.len().try_into().unwrap_or(u64::MAX)).ok_or(over(limits))?;
        if !wanted.text {
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
    Error::new(unspool::ErrorKind::OutputLimit, 0).needing(limits.max_output.saturating_add(1))
}

/// Memory for a widened dictionary.
struct Wide {
    cells: Vec<[u8; 16]>,
    lens: Vec<u8>,
}

impl Wide {
    fn of(column: &Column<'_>) -> Self {
        let tokens = column.dictionary().len();
        Self { cells: vec![[0; 16]; tokens], lens: vec![0; tokens] }
    }

    fn widen<'w>(&'w mut self, column: &Column<'w>) -> Result<Column<'w>, Error> {
        column.widened(&mut self.cells, &mut self.lens)
    }
}

/// The place of a pattern in a row.
#[derive(Clone, Copy)]
pub enum Where {
    Inside,
    Start,
    Whole,
}

/// Writes every matching row as a line, after its number if `numbers` is set.
pub fn grep(
    bytes: &[u8],
    pattern: &[u8],
    place: Where,
    numbers: bool,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<(), Stop> {
    let (file, broken) = File::salvage(bytes, limits)?;
    // An unsorted dictionary only makes the search slower.
    let column = file.column().conforming().unwrap_or(*file.column());
    let (mut needle, mut tokens) = (vec![0; pattern.len()], vec![0; column.dictionary().len()]);
    let workspace = SearchWorkspace { needle: &mut needle, tokens: &mut tokens };
    let search = match place {
        Where::Inside => Search::contains(&column, pattern, workspace)?,
        Where::Start => Search::starts_with(&column, pattern),
        Where::Whole => Search::equals(&column, pattern),
    };
    let mut left = limits.max_output;
    for row in search.rows() {
        let row = row?;
        left = left.checked_sub(column.row_len(row)?).ok_or(over(limits))?;
        if numbers {
            to.write(format!("{row}:").as_bytes())?;
        }
        to.write(&column.decode_to_vec(row..row + 1)?)?;
        to.write(b"\n")?;
    }
    broken.map_or(Ok(()), |error| Err(error.into()))
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

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    unspool::onpair::decode_to(bytes, to, &mut Workspace::new(), &Options { limits: *limits })?;
    Ok(Checksums::default())
}
