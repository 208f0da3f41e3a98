//! `inspect`, `decode` and `check` of Pco.

use unspool::pco::{Delta, File, Meta, Mode, NumberType, Plan, decode_chunks};
use unspool::tree::Tree;
use unspool::{Error, ErrorKind, Format, Limits, Sink};

use super::{Checksums, Selection, Stop};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::stats::{ColumnStats, Gather};
use crate::text::{Lines, Number};

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Pco, Tree::new(MAX_NODES));
    let mut tree = Tree::new(MAX_NODES);
    let (mut numbers, mut decoded) = (0u64, 0u64);
    let mut columns = vec![];
    let walked = decode_chunks(bytes, limits, &mut tree, |chunk, bytes| {
        // A broken chunk has fewer numbers than it claims.
        numbers = numbers.saturating_add((bytes.len() / chunk.number_type().size()) as u64);
        decoded = decoded.saturating_add(bytes.len() as u64);
        columns.push((format!("chunk {}", columns.len()), describe(chunk.len, &chunk.meta)));
        Ok(())
    });
    (report.tree, report.columns) = (tree, columns);
    if let Ok(file) = File::open(bytes, limits) {
        let version = file.header.version;
        report.version = Some(format!("{}.{}", version.major, version.minor));
        report.fact("framing", format!("standalone {}", file.header.standalone_version));
        report.fact("numbers", numbers);
        if file.header.n_hint != numbers {
            report.fact("numbers, as hinted", file.header.n_hint);
        }
    }
    report.fact("chunks", report.columns.len());
    report.checksums = Some(Checksums::default());
    match walked {
        Ok(done) if done.read < bytes.len() => report.fact("bytes after the end", bytes.len() - done.read),
        Ok(_) => {}
        Err(error) => report.error = Some(error),
    }
    report.decoded = Some(decoded);
    report
}

/// Describes a chunk: `777 x u32, classic, delta of order 1, …`.
fn describe(len: usize, meta: &Meta<'_>) -> String {
    let size = meta.number_type.size();
    let mode = match meta.mode {
        Mode::IntMult { base } => format!("multiples of {base}"),
        Mode::FloatQuant { bits } => format!("{} and its {bits} lowest bits apart", meta.mode.name()),
        Mode::Dict { entries } => format!("dictionary of {}", entries.len() / size),
        Mode::Classic | Mode::FloatMult { .. } => meta.mode.name().to_owned(),
    };
    let delta = match meta.delta {
        Delta::None => "no delta".to_owned(),
        Delta::Consecutive { order, .. } => format!("delta of order {order}"),
        Delta::Lookback { window_log, .. } => format!("lookback of up to {}", 1u32 << window_log),
        Delta::Conv1(convolution) => format!("convolution of {}", convolution.weights().len()),
    };
    let bins: u32 = meta.variables.iter().flatten().map(|variable| variable.bins).sum();
    let words = meta.workspace_len(len, Plan::Whole);
    format!("{len} x {}, {mode}, {delta}, {bins} bins, {} bytes to decode with", meta.number_type.name(), words * 8)
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if wanted.dictionary.is_some() || wanted.column.is_some() || wanted.section.is_some() {
        return Err(Stop::Usage("a Pco file is one column; --dict, --column and --section do not apply".to_owned()));
    }
    let mut seen = 0u64;
    let rows = wanted.rows.clone().unwrap_or(None..None);
    let (from, until) = (rows.start.unwrap_or(0), rows.end);
    let mut enough = false;
    let walked = decode_chunks(bytes, limits, &mut (), |chunk, numbers| {
        let size = chunk.number_type().size() as u64;
        let count = numbers.len() as u64 / size;
        // The part of this chunk within the range.
        let start = from.saturating_sub(seen).min(count);
        let end = until.map_or(count, |until| until.saturating_sub(seen).min(count)).max(start);
        seen = seen.saturating_add(count);
        let part = cut(numbers, start * size, end * size);
        if wanted.text {
            Lines::new(number(chunk.number_type()), 1, to).write(part)?;
        } else {
            to.write(part)?;
        }
        // Later chunks are not wanted; an error is the way to stop.
        enough = until.is_some_and(|until| seen >= until);
        if enough { Err(Error::new(ErrorKind::RangeOutside, 0)) } else { Ok(()) }
    });
    if !enough {
        walked?;
    }
    let end = until.unwrap_or(seen);
    if from > end || end > seen {
        return Err(Stop::Usage(format!("rows {from}..{end} are not within 0..{seen}")));
    }
    Ok(())
}

fn cut(bytes: &[u8], start: u64, end: u64) -> &[u8] {
    let index = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    bytes.get(index(start)..index(end)).unwrap_or(&[])
}

fn number(ty: NumberType) -> Number {
    match ty {
        NumberType::U8 => Number::U8,
        NumberType::I8 => Number::I8,
        NumberType::U16 => Number::U16,
        NumberType::I16 => Number::I16,
        NumberType::F16 => Number::F16,
        NumberType::U32 => Number::U32,
        NumberType::I32 => Number::I32,
        NumberType::F32 => Number::F32,
        NumberType::U64 => Number::U64,
        NumberType::I64 => Number::I64,
        NumberType::F64 => Number::F64,
    }
}

/// Computes statistics for each run of chunks of one type.
pub fn stats(bytes: &[u8], limits: &Limits, columns: &mut Vec<ColumnStats>) -> Result<(), Error> {
    decode_chunks(bytes, limits, &mut (), |chunk, numbers| {
        let ty = chunk.number_type();
        if columns.last().is_none_or(|last| last.name != ty.name()) {
            columns.push(ColumnStats::named(ty.name()));
        }
        columns.last_mut().map_or(Ok(()), |column| Gather::new(column, number(ty), 1).write(numbers))
    })
    .map(|_| ())
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    decode_chunks(bytes, limits, &mut (), |_, numbers| to.write(numbers))?;
    Ok(Checksums::default())
}
