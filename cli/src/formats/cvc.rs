//! `inspect`, `decode` and `check` of CVC.

use std::ops::Range;

use unspool::cvc::{Column, Dtype, File, Options, Scalar, Workspace};
use unspool::tree::Tree;
use unspool::{Class, Done, Error, ErrorKind, Format, Limits, Sink, Trace, Verify};

use super::{Checksums, Selection, Stop, resize};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::stats::{ColumnStats, Gather};
use crate::text::{Lines, Number};

fn checksums(done: Done) -> Checksums {
    Checksums { name: "CRC-32", right: done.checksums.matched, absent: done.checksums.unchecked }
}

fn options(limits: &Limits, verify: Verify) -> Options<'static> {
    Options { limits: *limits, verify, column: None }
}

/// Returns a table for as many columns as the file has. Opening the file reports errors.
fn table(bytes: &[u8], limits: &Limits) -> Vec<u32> {
    let len = unspool::cvc::workspace_len(bytes, &options(limits, Verify::Refuse)).unwrap_or(0);
    vec![0; usize::try_from(len).unwrap_or(0)]
}

fn inspected(bytes: &[u8], limits: &Limits, trace: &mut impl Trace) -> Result<Done, Error> {
    let mut table = table(bytes, limits);
    let mut workspace = Workspace::with_table(&mut table);
    unspool::cvc::inspect(bytes, &mut workspace, &options(limits, Verify::Refuse), trace)
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Cvc, Tree::new(MAX_NODES));
    match inspected(bytes, limits, &mut report.tree) {
        Ok(done) => report.checksums = Some(checksums(done)),
        Err(error) => report.error = Some(error),
    }
    if let Ok(file) = File::open(bytes, limits)
        && let Err(error) = describe(&file, &mut table(bytes, limits), &mut report)
    {
        report.error.get_or_insert(error);
    }
    report
}

fn describe(file: &File<'_>, table: &mut [u32], report: &mut Report) -> Result<(), Error> {
    let version = file.version();
    report.version = Some(format!("{}.{}", version.major, version.minor));
    report.fact("rows", file.num_vectors());
    report.fact("chunks", file.chunk_count());
    if file.is_mmap_optimized() {
        report.fact("layout", "chunks at aligned file offsets, for memory mapping");
    }
    let (mut types, mut decoded) = (vec![], Some(0u64));
    let known = outputs(file, table, &mut types);
    for (column, output) in file.columns().zip(types) {
        let (column, Some(output)) = (column?, output) else { break };
        decoded = decoded.zip(size(&column, output)).and_then(|(all, size)| all.checked_add(size));
        let name = name(&column);
        let stored = column.compression();
        let dtype = column.dtype().map_or("unknown type", |dtype| dtype.name());
        report.columns.push((
            name,
            format!("{} x {dtype}, stored as {stored}, decodes to {}", column.dimension(), output.name()),
        ));
    }
    known?;
    report.decoded = decoded;
    for section in file.sections() {
        let section = section?;
        let metadata = String::from_utf8_lossy(section.metadata.raw()).into_owned();
        report.sections.push((section.rows, metadata));
    }
    Ok(())
}

/// Returns the decoded length of a column of this type.
fn size(column: &Column<'_>, output: Dtype) -> Option<u64> {
    column.rows().end.checked_mul(column.dimension()).and_then(|values| values.checked_mul(output.width()))
}

/// Collects the types that the columns decode to; after an error, those known so far.
///
/// Goes chunk by chunk: to search each chunk for each of many columns would be slow.
fn outputs(file: &File<'_>, table: &mut [u32], types: &mut Vec<Option<Dtype>>) -> Result<(), Error> {
    types.resize(file.columns().count(), None);
    let walked = file.each_output(&mut Workspace::with_table(table), |position, _, output| {
        if let Some(known) = types.get_mut(position) {
            *known = Some(if known.is_none_or(|known| known == output) { output } else { Dtype::F32 });
        }
        Ok(())
    });
    if file.chunk_count() == 0 {
        for (column, known) in file.columns().zip(types) {
            *known = Some(column?.output()?);
        }
    }
    walked
}

/// Decodes all columns of a file, chunk by chunk; passes the error of a broken piece to `take`.
fn decode_columns(
    file: &File<'_>,
    bytes: &[u8],
    options: &Options<'_>,
    types: &[Option<Dtype>],
    table: &mut [u32],
    mut take: impl FnMut(usize, Result<&[u8], Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    for (column, output) in file.columns().zip(types) {
        let size = size(&column?, output.unwrap_or(Dtype::F32)).ok_or(Error::new(ErrorKind::SizeOverflow, 0))?;
        if size > options.limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
        }
    }
    let mut room = vec![];
    // One checksum covers all columns of a chunk; it is compared with the first column.
    let mut compared: Option<(u64, Result<(), Error>)> = None;
    file.each_piece(bytes, &mut Workspace::with_table(table), |position, _, piece| {
        let [start, end] = [piece.range().start, piece.range().end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let cut = Error::new(ErrorKind::Truncated, bytes.len() as u64).needing(piece.range().end);
        let stored = bytes.get(start..end).ok_or(cut);
        let payload = stored.and_then(|stored| {
            let read = |verify| piece.read(stored, verify, &mut unspool::Checksums::default());
            if let Some((_, verdict)) = compared.filter(|(chunk, _)| *chunk == piece.chunk) {
                return verdict.and_then(|()| read(Verify::Skip));
            }
            let payload = read(options.verify);
            compared = match payload {
                Ok(_) => Some((piece.chunk, Ok(()))),
                Err(error) if error.class() == Class::Checksum => Some((piece.chunk, Err(error))),
                Err(_) => None,
            };
            payload
        });
        let values = payload.and_then(|payload| match payload.plain() {
            Some((dtype, raw)) if types.get(position) == Some(&Some(dtype)) => Ok(raw),
            _ => {
                resize(&mut room, payload.len().saturating_mul(4) as u64)?;
                payload.decode_f32_bytes(&mut room)?;
                Ok(&room[..])
            }
        });
        take(position, values)
    })
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if wanted.dictionary.is_some() {
        return Err(Stop::Usage("CVC files have no dictionaries; --dict is for zstd".to_owned()));
    }
    let file = File::open(bytes, limits)?;
    let column = pick(&file, wanted.column, || table(bytes, limits))?;
    let rows = rows(&file, wanted)?;
    let output = column.output()?;
    let width = column.dimension().saturating_mul(output.width());
    let count = rows.iter().fold(0u64, |count, rows| count.saturating_add(rows.end.saturating_sub(rows.start)));
    // Sections may name the same rows many times.
    let size = count.saturating_mul(width);
    if size > limits.max_output {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size).into());
    }
    if wanted.text {
        let mut lines = Lines::new(number(output), column.dimension(), to);
        return decode_rows(&column, bytes, rows, limits, &mut lines);
    }
    to.expect(size);
    decode_rows(&column, bytes, rows, limits, to)
}

fn decode_rows(
    column: &Column<'_>,
    bytes: &[u8],
    rows: Vec<Range<u64>>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<(), Stop> {
    for rows in rows {
        column.decode_to(bytes, rows, to, &options(limits, Verify::Refuse))?;
    }
    Ok(())
}

fn number(dtype: Dtype) -> Number {
    match dtype {
        Dtype::F32 => Number::F32,
        Dtype::F16 => Number::F16,
        Dtype::I64 => Number::I64,
        Dtype::I32 => Number::I32,
        Dtype::I8 => Number::I8,
        Dtype::U8 => Number::U8,
    }
}

fn pick<'a>(file: &File<'a>, name: Option<&str>, table: impl FnOnce() -> Vec<u32>) -> Result<Column<'a>, Stop> {
    let column = match name {
        Some(name) => file.column(name),
        None => file.only_column(),
    };
    match column {
        Err(error) if error.class() == Class::Misuse => {
            // The error of a broken column outranks the missing name.
            file.each_output(&mut Workspace::with_table(&mut table()), |_, _, _| Ok(()))?;
            let names: Result<Vec<String>, Error> =
                file.columns().map(|column| column.map(|column| column.name().to_string())).collect();
            let names = names?.join(", ");
            Err(Stop::Usage(match name {
                Some(name) if file.is_columnar() => format!("no column is named {name}; the columns are: {names}"),
                Some(_) => "this file has one column without a name; --column does not apply".to_owned(),
                None => format!("this file has several columns; pick one with --column: {names}"),
            }))
        }
        column => Ok(column?),
    }
}

/// Returns the selected rows: one range, or those of all matching sections.
fn rows(file: &File<'_>, wanted: &Selection<'_>) -> Result<Vec<Range<u64>>, Stop> {
    if let Some((key, value)) = wanted.section {
        let value = Scalar::parse(value).unwrap_or(Scalar::from(value));
        let mut rows = vec![];
        for section in file.sections() {
            let section = section?;
            if section.metadata.matches(key, &value) {
                rows.push(section.rows);
            }
        }
        return Ok(rows);
    }
    let all = 0..file.num_vectors();
    let rows =
        wanted.rows.as_ref().map_or(all.clone(), |rows| rows.start.unwrap_or(all.start)..rows.end.unwrap_or(all.end));
    if rows.start > rows.end || rows.end > all.end {
        return Err(Stop::Usage(format!("rows {}..{} are not within 0..{}", rows.start, rows.end, all.end)));
    }
    Ok(vec![rows])
}

fn name(column: &Column<'_>) -> String {
    match column.name() {
        name if name.is_empty() => "vectors".to_owned(),
        name => name.to_string(),
    }
}

pub fn stats(bytes: &[u8], limits: &Limits, columns: &mut Vec<ColumnStats>) -> Result<(), Error> {
    let file = File::open(bytes, limits)?;
    let (mut types, mut table) = (vec![], table(bytes, limits));
    outputs(&file, &mut table, &mut types)?;
    for column in file.columns() {
        columns.push(ColumnStats::named(name(&column?)));
    }
    let mut gathers = vec![];
    for ((column, output), stats) in file.columns().zip(&types).zip(columns) {
        gathers.push(Gather::new(stats, number(output.unwrap_or(Dtype::F32)), column?.dimension()));
    }
    // Sound chunks after a broken one count too.
    let mut broken = Ok(());
    decode_columns(&file, bytes, &options(limits, Verify::Refuse), &types, &mut table, |position, part| {
        match (part, gathers.get_mut(position)) {
            (Ok(part), Some(gather)) => gather.write(part),
            (part, _) => {
                broken = broken.and(part.map(|_| ()));
                Ok(())
            }
        }
    })?;
    broken
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    let done = inspected(bytes, limits, &mut ())?;
    let file = File::open(bytes, limits)?;
    // `inspected` has compared the checksums.
    let options = options(limits, Verify::Skip);
    if file.is_columnar() {
        let (mut types, mut table) = (vec![], table(bytes, limits));
        outputs(&file, &mut table, &mut types)?;
        decode_columns(&file, bytes, &options, &types, &mut table, |_, part| super::in_pieces(part?, to))?;
    } else {
        let column = file.only_column()?;
        column.decode_to(bytes, column.rows(), to, &options)?;
    }
    Ok(checksums(done))
}
