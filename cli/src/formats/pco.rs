//! `inspect`, `decode` and `check` of Pco.

use std::num::NonZeroUsize;

use unspool::pco::{Chunk, Delta, File, Header, MAX_HEADER_LEN, Meta, Mode, NumberType, Outline, Plan, decode_chunks};
use unspool::tree::Tree;
use unspool::{Checksums as Sums, Error, ErrorKind, Format, Limits, Sink};

use super::parallel::{self, Content, Left, PartReader, Pool, TINY_PARTS, affordable, append};
use super::pour::{Buffered, PIECE, Room, read, write};
use super::{Checksums, Selection, Stop, resize};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::source::Source;
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
        report.version = Some(version(&file.header));
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

/// Describes a long file by its chunks.
pub fn outline(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let mut report = Report::new(Format::Pco, Tree::new(MAX_NODES));
    let (mut outline, mut workspace) = (Outline::new(source.len().unwrap_or(0), limits), vec![]);
    let mut bytes = vec![];
    while let Some(range) = outline.needs() {
        source.read_at(range.clone(), &mut bytes)?;
        match outline.feed(range.start, &bytes, &mut workspace, &mut report.tree) {
            Err(error) if error.kind == ErrorKind::WorkspaceTooSmall => {
                workspace.resize(usize::try_from(error.need).unwrap_or(usize::MAX), 0);
            }
            Err(_) => break,
            Ok(()) => {}
        }
    }
    let (mut numbers, mut decoded, mut columns) = (0u64, 0u64, vec![]);
    let walked = Chunks::open(source, limits).and_then(|mut chunks| {
        report.version = Some(version(&chunks.header));
        report.fact("framing", format!("standalone {}", chunks.header.standalone_version));
        while chunks.next(|chunk, bytes| {
            numbers += (bytes.len() / chunk.number_type().size()) as u64;
            decoded += bytes.len() as u64;
            columns.push((format!("chunk {}", columns.len()), describe(chunk.len, &chunk.meta)));
            Ok(())
        })? {}
        Ok(())
    });
    report.fact("numbers", numbers);
    report.fact("chunks", columns.len());
    report.columns = columns;
    super::add_check(&mut report, walked.map(|()| (Checksums::default(), decoded)))?;
    Ok(report)
}

fn version(header: &Header) -> String {
    format!("{}.{}", header.version.major, header.version.minor)
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

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if wanted.dictionary.is_some() || wanted.column.is_some() || wanted.section.is_some() {
        return Err(Stop::Usage("a Pco file is one column; --dict, --column and --section do not apply".to_owned()));
    }
    let Some(rows) = wanted.rows.clone() else {
        return whole(source, wanted.text, limits, to);
    };
    let (from, until) = (rows.start.unwrap_or(0), rows.end);
    let mut chunks = Chunks::open(source, limits)?;
    let mut seen = 0u64;
    while until.is_none_or(|until| seen < until || seen == 0) {
        let before = seen;
        let more = chunks.next(|chunk, numbers| {
            let size = chunk.number_type().size() as u64;
            let count = numbers.len() as u64 / size;
            // The part of this chunk within the range.
            let start = from.saturating_sub(before).min(count);
            let end = until.map_or(count, |until| until.saturating_sub(before).min(count)).max(start);
            seen = before.saturating_add(count);
            let part = cut(numbers, start * size, end * size);
            if wanted.text { Lines::new(number(chunk.number_type()), 1, to).write(part) } else { to.write(part) }
        });
        // An error in numbers that are not wanted is not one of the selection.
        match more {
            Ok(true) => {}
            Ok(false) => break,
            Err(_) if until.is_some_and(|until| seen >= until) => break,
            Err(stop) => return Err(stop),
        }
    }
    let end = until.unwrap_or(seen);
    if from > end || end > seen {
        return Err(Stop::Usage(format!("rows {from}..{end} are not within 0..{seen}")));
    }
    Ok(())
}

/// Decodes everything, as `text` or as bytes: chunks on several threads, or in order.
fn whole(source: &mut Source, text: bool, limits: &Limits, to: &mut impl Room) -> Result<(), Stop> {
    let (header, threads) = (Header::read(source.head(), limits)?, source.threads());
    let work = |(workspace, numbers): &mut (Vec<u64>, Vec<u8>), slice: Slice, pool: &Pool| {
        let (mut at, mut len, mut buffer, mut lines) = (0, 0, pool.take(), vec![]);
        if text {
            lines = pool.take();
            lines.clear();
        }
        let stored = slice.bytes.get(..slice.len).unwrap_or_default();
        while at < stored.len() {
            let (rest, mut chunk) = (stored.get(at..).unwrap_or_default(), Chunk::new());
            if chunk.read(rest, &header, at as u64, limits, &mut ())?.is_none() {
                // The end of the file.
                at = usize::MAX;
                break;
            }
            if len + chunk.size() > MOST_SLICE {
                return Err(Left::InOrder);
            }
            lengthen(workspace, &chunk);
            let (numbers, start) = if text { (&mut *numbers, 0) } else { (&mut buffer, len) };
            let end = start + chunk.size();
            if numbers.len() < end {
                resize(numbers, end as u64)?;
            }
            let room = numbers.get_mut(start..end).unwrap_or_default();
            at = usize::try_from(chunk.decode_bytes(room, workspace, &mut ())?).unwrap_or(usize::MAX);
            if text {
                Lines::new(number(chunk.number_type()), 1, &mut append(&mut lines)).write(room)?;
            }
            len += chunk.size();
        }
        // A slice ends where the next one starts, or with the file.
        if at != if slice.is_last { usize::MAX } else { stored.len() } {
            return Err(Left::InOrder);
        }
        pool.give_stored(slice.bytes);
        let mut range = 0..len;
        if text {
            range.end = lines.len();
            pool.give(std::mem::replace(&mut buffer, lines));
        }
        Ok(Content { buffer, range, decoded: len as u64, sums: Sums::default() })
    };
    parallel::decode(
        source,
        limits,
        to,
        |source| Slices::open(source, header, limits, threads),
        Default::default,
        work,
        |source, to| {
            let mut chunks = Chunks::open(source, limits)?;
            while chunks.next(|chunk, numbers| {
                if !text {
                    return write(numbers, to);
                }
                let mut to = |bytes: &[u8]| write(bytes, to);
                Lines::new(number(chunk.number_type()), 1, &mut to).write(numbers)
            })? {}
            Ok(Sums::default())
        },
    )
    .map(drop)
}

/// The numbers that are worth handing them to a thread.
const SLICE: usize = if TINY_PARTS { 1 } else { 1 << 16 };

/// The most bytes that a slice decodes to.
const MOST_SLICE: usize = 64 << 20;

/// Some chunks in a row: the first `len` bytes of a buffer.
struct Slice {
    bytes: Vec<u8>,
    len: usize,
    /// It holds the end of the file.
    is_last: bool,
}

/// Slices of a file, each of which is likely to start with a chunk.
///
/// The format has no index, and only decoding shows where a chunk ends. So a slice may turn out to
/// end elsewhere, and then the file is decoded in order.
struct Slices {
    header: Header,
    limits: Limits,
    /// The length of the file.
    len: u64,
    /// Bytes of the file from the offset `at` on, where the next slice starts.
    bytes: Vec<u8>,
    at: u64,
    /// Bytes that probably hold a slice.
    want: u64,
    /// The most bytes that a slice may take.
    most: u64,
    is_over: bool,
}

impl Slices {
    fn open(source: &Source, header: Header, limits: &Limits, threads: NonZeroUsize) -> Option<Self> {
        let &[_, a, b, c] = source.head().get(header.len..)?.first_chunk()?;
        let count = u64::from(u32::from_le_bytes([a, b, c, 0])) + 1;
        // Numbers have at most eight bytes. A chunk of more is hardly ever longer than they are.
        let most = (2 * 8 * count).max(AHEAD as u64);
        let (len, at) = (source.len()?, header.len as u64);
        affordable(most + 8 * count, threads).then_some(())?;
        Some(Self { header, limits: *limits, len, bytes: vec![], at, want: AHEAD as u64, most, is_over: false })
    }

    fn slice(&mut self, source: &Source, pool: &Pool) -> Result<Slice, Left> {
        loop {
            let held = self.at + self.bytes.len() as u64;
            let end = self.at.saturating_add(self.want).min(self.len).max(held);
            source.append_at(held..end, &mut self.bytes)?;
            let is_rest = end == self.len;
            let (mut len, mut numbers) = (0, 0);
            while numbers < SLICE {
                let rest = self.bytes.get(len..).unwrap_or_default();
                let mut chunk = Chunk::new();
                let read = chunk.read(rest, &self.header, len as u64, &self.limits, &mut ());
                let next = match read {
                    Ok(Some(_)) => chunk.guess_end(&self.header, &self.limits),
                    _ => None,
                };
                let Some(next) = next else { break };
                (len, numbers) = (usize::try_from(next).unwrap_or(usize::MAX), numbers + chunk.len);
            }
            // Without a next chunk, the rest of the file is a slice.
            let is_last = len == 0 && is_rest;
            let len = if is_last { self.bytes.len() } else { len };
            if len > 0 {
                (self.at, self.want, self.is_over) = (self.at + len as u64, len as u64 * 9 / 8 + PIECE as u64, is_last);
                // What the next slice is likely to take; more would be copied for each slice.
                let kept = (len + usize::try_from(self.want).unwrap_or(usize::MAX)).min(self.bytes.len());
                let mut rest = pool.take_stored();
                rest.clear();
                rest.extend_from_slice(self.bytes.get(len..kept).unwrap_or_default());
                return Ok(Slice { bytes: std::mem::replace(&mut self.bytes, rest), len, is_last });
            }
            if self.want >= self.most {
                return Err(Left::InOrder);
            }
            self.want *= 2;
        }
    }
}

impl PartReader for Slices {
    type Part = Slice;

    fn next(&mut self, source: &Source, pool: &Pool) -> Option<Result<Slice, Left>> {
        (!self.is_over).then(|| self.slice(source, pool))
    }
}

/// The bytes that are read at first for a chunk: several chunks of the usual size.
const AHEAD: usize = 4 << 20;

/// The chunks of a file, of which one is in memory at a time.
struct Chunks<'s> {
    source: &'s mut Source,
    limits: Limits,
    header: Header,
    /// Bytes of the file from the offset `base` on.
    bytes: Vec<u8>,
    base: u64,
    /// The index of the next chunk.
    start: usize,
    /// The bytes reach to the end of the file.
    is_last: bool,
    /// Bytes of the chunks before.
    content: u64,
    numbers: Vec<u8>,
    workspace: Vec<u64>,
}

impl<'s> Chunks<'s> {
    /// Reads the header.
    fn open(source: &'s mut Source, limits: &Limits) -> Result<Self, Stop> {
        let head = source.head();
        let header = Header::read(head.get(..MAX_HEADER_LEN).unwrap_or(head), limits)?;
        let (limits, start) = (*limits, header.len);
        let (bytes, numbers, workspace) = (vec![], vec![], vec![]);
        Ok(Self { source, limits, header, bytes, base: 0, start, is_last: false, content: 0, numbers, workspace })
    }

    /// Decodes the next chunk and passes it to `each`; of a corrupt one, the sound numbers before
    /// the error. Returns `false` at the end.
    fn next(&mut self, each: impl FnOnce(&Chunk<'_>, &[u8]) -> Result<(), Error>) -> Result<bool, Stop> {
        let mut want = AHEAD;
        loop {
            self.fill(want)?;
            let at = self.base + self.start as u64;
            let rest = self.bytes.get(self.start..).unwrap_or_default();
            let is_cut = |error: &Error| error.kind == ErrorKind::Truncated && !self.is_last;
            let mut chunk = Chunk::new();
            match chunk.read(rest, &self.header, at, &self.limits, &mut ()) {
                Err(error) if is_cut(&error) => {
                    want *= 2;
                    continue;
                }
                Ok(None) => return Ok(false),
                read => read?,
            };
            let content = self.content.saturating_add(chunk.size() as u64);
            if content > self.limits.max_output {
                return Err(Error::new(ErrorKind::OutputLimit, at).needing(content).into());
            }
            lengthen(&mut self.workspace, &chunk);
            if self.numbers.len() < chunk.size() {
                resize(&mut self.numbers, chunk.size() as u64)?;
            }
            let room = self.numbers.get_mut(..chunk.size()).unwrap_or_default();
            let (count, ended) = chunk.salvage_bytes(room, &mut self.workspace, &mut ());
            if ended.as_ref().is_err_and(is_cut) {
                want *= 2;
                continue;
            }
            let sound = count.saturating_mul(chunk.number_type().size());
            each(&chunk, room.get(..sound).unwrap_or_default())?;
            self.content = content;
            self.start = usize::try_from(ended? - self.base).unwrap_or(usize::MAX);
            return Ok(true);
        }
    }

    /// Reads on, until `want` bytes are there for the next chunk or the file ends.
    fn fill(&mut self, want: usize) -> Result<(), Stop> {
        let held = self.bytes.len().saturating_sub(self.start);
        if held >= want || self.is_last {
            return Ok(());
        }
        if self.base > 0 || !self.bytes.is_empty() {
            self.bytes.drain(..self.start);
            (self.base, self.start) = (self.base + self.start as u64, 0);
        }
        let (mut end, want) = (self.bytes.len(), self.start.saturating_add(2 * want));
        resize(&mut self.bytes, want as u64)?;
        while end < want {
            let len = read(self.source, self.bytes.get_mut(end..).unwrap_or_default())?;
            self.is_last = len == 0;
            end += len;
            if self.is_last {
                break;
            }
        }
        self.bytes.truncate(end);
        Ok(())
    }
}

/// Makes a workspace long enough for a chunk.
fn lengthen(workspace: &mut Vec<u64>, chunk: &Chunk<'_>) {
    let words = usize::try_from(chunk.workspace_len(Plan::Batches)).unwrap_or(usize::MAX);
    if workspace.len() < words {
        workspace.resize(words, 0);
    }
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

pub fn check(source: &mut Source, limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    whole(source, false, limits, &mut Buffered::new(to))?;
    Ok(Checksums::default())
}
