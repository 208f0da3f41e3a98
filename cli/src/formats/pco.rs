//! `inspect`, `decode` and `check` of Pco.

use std::io::{self, Read};
use std::num::NonZeroUsize;

use unspool::pco::{Chunk, Delta, File, Header, MAX_HEADER_LEN, Meta, Mode, NumberType, Plan, decode_chunks};
use unspool::tree::Tree;
use unspool::{Checksums as Sums, Error, ErrorKind, Format, Limits, Sink};

use super::parallel::{self, Content, Left, affordable};
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

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if wanted.dictionary.is_some() || wanted.column.is_some() || wanted.section.is_some() {
        return Err(Stop::Usage("a Pco file is one column; --dict, --column and --section do not apply".to_owned()));
    }
    let Some(rows) = wanted.rows.clone().or(wanted.text.then_some(None..None)) else {
        return whole(source, limits, to);
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

/// Decodes everything: chunks on several threads, or in order.
fn whole(source: &mut Source, limits: &Limits, to: &mut impl Room) -> Result<(), Stop> {
    let (header, threads) = (Header::read(source.head(), limits)?, source.threads());
    let work = |workspace: &mut Vec<u64>, slice: Slice, mut buffer: Vec<u8>| {
        let (mut at, mut len) = (0, 0);
        while at < slice.bytes.len() {
            let (rest, mut chunk) = (slice.bytes.get(at..).unwrap_or_default(), Chunk::new());
            if chunk.read(rest, &header, at as u64, limits, &mut ())?.is_none() {
                // The end of the file, and of the last slice.
                return if slice.is_last {
                    Ok(Content { buffer, len, sums: Sums::default() })
                } else {
                    Err(Left::InOrder)
                };
            }
            lengthen(workspace, &chunk);
            let end = len + chunk.size();
            if buffer.len() < end {
                resize(&mut buffer, end as u64)?;
            }
            let room = buffer.get_mut(len..end).unwrap_or_default();
            at = usize::try_from(chunk.decode_bytes(room, workspace, &mut ())?).unwrap_or(usize::MAX);
            len = end;
        }
        // Another chunk starts where this slice ends.
        if slice.is_last || at > slice.bytes.len() {
            return Err(Left::InOrder);
        }
        Ok(Content { buffer, len, sums: Sums::default() })
    };
    parallel::decode(
        source,
        limits,
        to,
        |source| Some(Box::new(Slices::open(source, &header, threads)?)),
        Vec::new,
        work,
        |source, to| {
            let mut chunks = Chunks::open(source, limits)?;
            while chunks.next(|_, numbers| write(numbers, to))? {}
            Ok(Sums::default())
        },
    )
    .map(drop)
}

/// One chunk of a file, or some.
struct Slice {
    bytes: Vec<u8>,
    /// It holds the end of the file.
    is_last: bool,
}

/// Slices of a file, each of which is likely to start with a chunk: with the type and the count of
/// numbers of the first one.
///
/// The format has no index, and only decoding shows where a chunk ends. So a slice may turn out to
/// end elsewhere, and then the file is decoded in order.
struct Slices<'s> {
    source: &'s mut Source,
    /// The type of the first chunk, and its count of numbers less one.
    ty: u8,
    count: u32,
    most: usize,
    /// Bytes from the start of the next slice on.
    bytes: Vec<u8>,
    /// The length of the slice before.
    last: usize,
    is_over: bool,
}

impl<'s> Slices<'s> {
    fn open(source: &'s mut Source, header: &Header, threads: NonZeroUsize) -> Option<Self> {
        let start: [u8; 4] = *source.head().get(header.len..)?.first_chunk()?;
        io::copy(&mut source.by_ref().take(header.len as u64), &mut io::sink()).ok()?;
        let [ty, a, b, c] = start;
        let count = u32::from_le_bytes([a, b, c, 0]);
        let size = (u64::from(count) + 1) * 8;
        // A chunk of more is hardly ever longer than its numbers.
        let most = usize::try_from(2 * size).ok()?.max(AHEAD);
        affordable(3 * size, threads).then_some(())?;
        Some(Self { source, ty, count, most, bytes: vec![], last: 0, is_over: false })
    }

    /// Reads on, up to `len` bytes. Returns whether there are that many.
    fn fill(&mut self, len: usize) -> Result<bool, Left> {
        while self.bytes.len() < len {
            let held = self.bytes.len();
            resize(&mut self.bytes, len.max(held + PIECE) as u64)?;
            let read = read(self.source, self.bytes.get_mut(held..).unwrap_or_default());
            self.bytes.truncate(held + *read.as_ref().unwrap_or(&0));
            if read? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a chunk like the first one may start so. Writers that divide numbers equally
    /// leave counts that differ by one.
    fn starts(&self, bytes: &[u8]) -> bool {
        matches!(bytes, &[ty, a, b, c] if ty == self.ty && u32::from_le_bytes([a, b, c, 0]).abs_diff(self.count) <= 1)
    }

    /// Returns the next slice.
    fn slice(&mut self) -> Result<Slice, Left> {
        // Chunks of a file are about as long as each other.
        let mut from = (self.last - self.last / 8).max(4);
        loop {
            let more = self.fill(from + if self.last == 0 { AHEAD } else { self.last / 2 + PIECE })?;
            let rest = self.bytes.get(from..).unwrap_or_default();
            let found = rest.windows(4).position(|bytes| self.starts(bytes));
            let end = match found {
                Some(after) => from + after,
                None if more => {
                    from = self.bytes.len() - 3;
                    if from > self.most {
                        return Err(Left::InOrder);
                    }
                    continue;
                }
                None => self.bytes.len(),
            };
            (self.last, self.is_over) = (end, found.is_none());
            let rest = self.bytes.split_off(end);
            return Ok(Slice { bytes: std::mem::replace(&mut self.bytes, rest), is_last: self.is_over });
        }
    }
}

impl Iterator for Slices<'_> {
    type Item = Result<Slice, Left>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.is_over).then(|| self.slice())
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
    whole(source, limits, &mut Buffered::new(to))?;
    Ok(Checksums::default())
}
