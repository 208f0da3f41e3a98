//! `inspect`, `decode` and `check` of CVC.

use std::num::NonZeroUsize;
use std::ops::Range;

use unspool::checksum::Crc32;
use unspool::cvc::{Column, Decoder, Dtype, File, Header, Options, Outline, Payload, Piece, Plan, Scalar, Workspace};
use unspool::tree::Tree;
use unspool::{Checksums as Sums, Class, Count, Done, Error, ErrorKind, Format, Limits, Sink, Trace, Verify};

use super::parallel::{self, Content, Left, PartReader, Pool, affordable, append};
use super::pour::{Buffered, PIECE, Room, pour, write};
use super::{Checksums, Selection, Stop, resize, zeros};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::source::Source;
use crate::stats::{ColumnStats, Gather};
use crate::text::{Lines, Number};

fn checksums(sums: Sums) -> Checksums {
    Checksums { name: "CRC-32", right: sums.matched, absent: sums.unchecked }
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
        Ok(done) => report.checksums = Some(checksums(done.checksums)),
        Err(error) => report.error = Some(error),
    }
    if let Ok(file) = File::open(bytes, limits)
        && let Err(error) = describe(&file, &mut table(bytes, limits), &mut report)
    {
        report.error.get_or_insert(error);
    }
    report
}

/// Returns whether the header is wrong, in the first bytes of a file.
pub fn is_refused(head: &[u8], limits: &Limits) -> bool {
    File::open(head, limits).is_err_and(|error| error.class() != Class::Truncated)
}

/// Describes a long file by its header and the lengths of its chunks.
pub fn outline(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let mut report = Report::new(Format::Cvc, Tree::new(MAX_NODES));
    let (head, len) = (head(source, limits)?, source.len().unwrap_or(0));
    let mut table = table(&head, limits);
    if let Ok(mut outline) = Outline::open(&head, len, limits, &mut report.tree) {
        while let Some(range) = outline.needs() {
            let bytes = source.at(range.clone())?;
            // The check reports the first error.
            let _ = outline.feed(range.start, &bytes, &mut Workspace::with_table(&mut table), &mut report.tree);
        }
    }
    if let Ok(file) = File::open(&head, limits) {
        report.error = describe(&file, &mut table, &mut report).err();
    }
    let mut count = Count::default();
    let checked = check(source, limits, &mut count).map(|checksums| (checksums, count.0));
    super::add_check(&mut report, checked)?;
    Ok(report)
}

fn describe(file: &File<'_>, table: &mut [u32], report: &mut Report) -> Result<(), Error> {
    let version = file.version();
    report.version = Some(format!("{}.{}", version.major, version.minor));
    report.fact("rows", file.num_vectors());
    report.fact("chunks", file.chunk_count());
    if file.is_mmap_optimized() {
        report.fact("layout", "chunks at aligned file offsets, for memory mapping");
    }
    let (mut types, mut decoded) = (vec![None; file.columns().count()], Some(0u64));
    let known = file.outputs(&mut Workspace::with_table(table), &mut types);
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

/// Decodes all columns of a file, chunk by chunk; passes the error of a broken piece to `take`.
fn decode_columns(
    file: &File<'_>,
    bytes: &[u8],
    options: &Options<'_>,
    types: &[Option<Dtype>],
    table: &mut [u32],
    mut take: impl FnMut(usize, Result<&[u8], Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    check_sizes(file, &options.limits, types)?;
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
        take(position, payload.and_then(|payload| values(&payload, types.get(position).copied().flatten(), &mut room)))
    })
}

/// Refuses columns that decode to more than the limit.
fn check_sizes(file: &File<'_>, limits: &Limits, types: &[Option<Dtype>]) -> Result<(), Error> {
    for (column, output) in file.columns().zip(types) {
        let size = size(&column?, output.unwrap_or(Dtype::F32)).ok_or(Error::new(ErrorKind::SizeOverflow, 0))?;
        if size > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
        }
    }
    Ok(())
}

/// Returns the values of a chunk as this type, or else as f32, for which it takes `room`.
fn values<'v>(payload: &Payload<'v>, output: Option<Dtype>, room: &'v mut Vec<u8>) -> Result<&'v [u8], Error> {
    match payload.plain() {
        Some((dtype, raw)) if output == Some(dtype) => Ok(raw),
        _ => {
            resize(room, payload.len().saturating_mul(4) as u64)?;
            payload.decode_f32_bytes(room)?;
            Ok(room)
        }
    }
}

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    let head = head(source, limits)?;
    let file = File::open(&head, limits)?;
    let column = pick(&file, wanted.column, || table(&head, limits))?;
    let rows = rows(&file, wanted)?;
    let output = column.output()?;
    let width = column.dimension().saturating_mul(output.width());
    let count = rows.iter().fold(0u64, |count, rows| count.saturating_add(rows.end.saturating_sub(rows.start)));
    // Sections may name the same rows many times.
    let size = count.saturating_mul(width);
    if size > limits.max_output {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size).into());
    }
    if !wanted.text {
        to.expect(size);
    }
    decode_rows(source, &file, &column, &rows, wanted.text, limits, to).map(drop)
}

/// Reads the head of a file. A stream is held if its head is longer than what is known of it.
fn head(source: &mut Source, limits: &Limits) -> Result<Vec<u8>, Stop> {
    let len = Header::read(source.head(), limits)?.head_len();
    if source.len().is_none() && len > source.head().len() as u64 {
        source.hold()?;
    }
    source.at(0..len.min(source.len().unwrap_or(len)))
}

/// Writes rows of a column, as `text` or as bytes: chunks on several threads, or in order.
fn decode_rows(
    source: &mut Source,
    file: &File<'_>,
    column: &Column<'_>,
    rows: &[Range<u64>],
    text: bool,
    limits: &Limits,
    to: &mut impl Room,
) -> Result<Sums, Stop> {
    let (output, threads, runs) = (column.output()?, source.threads(), runs(rows));
    let width = column.dimension().saturating_mul(output.width());
    let work = |numbers: &mut Vec<u8>, (bytes, wanted): (Vec<u8>, Wanted), pool: &Pool| {
        let mut sums = Sums::default();
        let piece = &wanted.piece;
        let payload = piece.read(&bytes, Verify::Refuse, &mut sums)?;
        let decoded = wanted.rows.iter().map(|rows| rows.end - rows.start).sum::<u64>().saturating_mul(width);
        let is_whole = !text && wanted.is_whole();
        if is_whole && payload.plain().is_some_and(|(dtype, _)| dtype == output) {
            let (rows, chunk) = (piece.data_range()?, piece.range().start);
            let within = |at: u64| usize::try_from(at - chunk).unwrap_or(usize::MAX);
            return Ok(Content { buffer: bytes, range: within(rows.start)..within(rows.end), decoded, sums });
        }
        let mut buffer = pool.take();
        if is_whole {
            values(&payload, Some(output), &mut buffer)?;
        } else {
            buffer.clear();
            let mut parts = wanted.parts(values(&payload, Some(output), numbers)?, width);
            let mut to = append(&mut buffer);
            if text {
                let mut lines = Lines::new(number(output), column.dimension(), &mut to);
                parts.try_for_each(|part| lines.write(part))?;
            } else {
                parts.try_for_each(&mut to)?;
            }
        }
        pool.give_stored(bytes);
        Ok(Content { range: 0..buffer.len(), buffer, decoded, sums })
    };
    let parts = |_: &Source| {
        let walks = runs.iter().map(|rows| Walk::new(column, rows)).collect::<Result<Vec<_>, _>>().ok()?;
        (file.chunk_count() > 1).then(|| Chunks { file, walks: walks.into_iter(), walk: None, threads })
    };
    parallel::decode(source, limits, to, parts, Vec::new, work, |source, to| {
        if !text {
            return one_thread(source, file, column, &runs, limits, to);
        }
        let mut to = |bytes: &[u8]| write(bytes, to);
        let mut lines = Lines::new(number(output), column.dimension(), &mut to);
        one_thread(source, file, column, &runs, limits, &mut Buffered::new(&mut lines))
    })
}

/// Splits ranges of rows into runs that ascend, each of which takes one walk over the chunks. Those
/// of sections ascend as a rule.
fn runs(rows: &[Range<u64>]) -> Vec<&[Range<u64>]> {
    rows.chunk_by(|before, after| before.end <= after.start).collect()
}

/// A chunk, and its rows that are wanted.
struct Wanted {
    piece: Piece,
    rows: Vec<Range<u64>>,
}

impl Wanted {
    /// Returns whether these are all rows of the piece.
    fn is_whole(&self) -> bool {
        [self.piece.rows.clone()] == *self.rows
    }

    /// Returns the values of the rows, out of those of the piece. A row takes `width` bytes.
    fn parts<'v>(&self, values: &'v [u8], width: u64) -> impl Iterator<Item = &'v [u8]> {
        let place =
            move |row: u64| usize::try_from((row - self.piece.rows.start).saturating_mul(width)).unwrap_or(usize::MAX);
        self.rows.iter().map(move |rows| values.get(place(rows.start)..place(rows.end)).unwrap_or_default())
    }
}

/// A walk over the chunks that hold some of the rows of a run.
struct Walk<'a, 'r> {
    plan: Plan<'a>,
    /// The ranges that do not end before the next chunk.
    left: &'r [Range<u64>],
}

impl<'a, 'r> Walk<'a, 'r> {
    fn new(column: &Column<'a>, run: &'r [Range<u64>]) -> Result<Self, Error> {
        let start = run.first().map_or(0, |rows| rows.start);
        let end = run.last().map_or(0, |rows| rows.end);
        Ok(Self { plan: column.plan(start..end)?, left: run })
    }

    /// Returns the range of the file to read next: the length of a chunk, or a chunk. Passes over
    /// chunks between the ranges.
    fn needs(&mut self) -> Option<(Range<u64>, Option<Wanted>)> {
        loop {
            let range = self.plan.needs()?;
            let Some(piece) = self.plan.piece() else { return Some((range, None)) };
            let Range { start, end } = piece.rows;
            let past = self.left.iter().take_while(|rows| rows.end < start).count();
            self.left = self.left.get(past..).unwrap_or_default();
            // An empty chunk has no rows, but can be broken.
            let near = self.left.iter().take_while(|rows| rows.start < end || rows.start <= start);
            let rows = near.map(|rows| rows.start.max(start)..rows.end.min(end));
            let rows: Vec<_> = rows.filter(|rows| rows.start < rows.end || start == end).collect();
            if rows.is_empty() {
                self.plan.skip();
                continue;
            }
            return Some((range, Some(Wanted { piece: piece.clone(), rows })));
        }
    }
}

/// The chunks of a file that hold some of the rows.
struct Chunks<'f> {
    file: &'f File<'f>,
    walks: std::vec::IntoIter<Walk<'f, 'f>>,
    walk: Option<Walk<'f, 'f>>,
    threads: NonZeroUsize,
}

impl Chunks<'_> {
    /// Reads the chunk that a walk needs; `None` if it needs no more.
    fn chunk(&self, walk: &mut Walk<'_, '_>, source: &Source, pool: &Pool) -> Result<Option<(Vec<u8>, Wanted)>, Left> {
        while let Some((range, chunk)) = walk.needs() {
            let mut bytes = pool.take_stored();
            let Some(wanted) = chunk else {
                source.read_at(range.clone(), &mut bytes)?;
                walk.plan.feed(range.start, &bytes, Verify::Refuse)?;
                pool.give_stored(bytes);
                continue;
            };
            if !affordable((range.end - range.start) * 5, self.threads) {
                return Err(Left::InOrder);
            }
            source.read_at(range.clone(), &mut bytes)?;
            if wanted.piece.chunk + 1 == self.file.chunk_count() {
                refuse_hidden_crc(source, self.file, &range)?;
            }
            walk.plan.skip();
            return Ok(Some((bytes, wanted)));
        }
        Ok(None)
    }
}

impl PartReader for Chunks<'_> {
    type Part = (Vec<u8>, Wanted);

    fn next(&mut self, source: &Source, pool: &Pool) -> Option<Result<Self::Part, Left>> {
        loop {
            let mut walk = self.walk.take().or_else(|| self.walks.next())?;
            if let Some(chunk) = self.chunk(&mut walk, source, pool).transpose() {
                self.walk = Some(walk);
                return Some(chunk);
            }
        }
    }
}

/// Writes rows of a column: all of them as they are read, or only the chunks that hold some.
fn one_thread(
    source: &mut Source,
    file: &File<'_>,
    column: &Column<'_>,
    runs: &[&[Range<u64>]],
    limits: &Limits,
    to: &mut impl Room,
) -> Result<Sums, Stop> {
    if source.len().is_none() && file.is_mmap_optimized() {
        // The chunks may be in any order.
        source.hold()?;
    }
    if runs == [[column.rows()]] && !column.is_lossless()? && ascends(source, file, limits) {
        return stream(source, file, column, limits, to);
    }
    if source.len().is_none() && runs.len() != 1 {
        // A later run may need an earlier chunk.
        source.hold()?;
    }
    let (output, mut sums) = (column.output()?, Sums::default());
    let (mut bytes, mut room) = (vec![], vec![]);
    let width = column.dimension().saturating_mul(output.width());
    for run in runs {
        let mut walk = Walk::new(column, run)?;
        while let Some((range, chunk)) = walk.needs() {
            if chunk.as_ref().is_some_and(|wanted| wanted.piece.chunk + 1 == file.chunk_count()) {
                refuse_hidden_crc(source, file, &range)?;
            }
            source.read_forward(range.clone(), &mut bytes)?;
            let fed = walk.plan.feed(range.start, &bytes, Verify::Refuse)?;
            if let (Some(payload), Some(wanted)) = (fed, chunk) {
                let values = values(&payload, Some(output), &mut room)?;
                wanted.parts(values, width).try_for_each(|part| write(part, to))?;
            }
        }
        sums = walk.plan.checksums();
    }
    Ok(sums)
}

/// Returns whether a stream meets the chunks in the order of their rows. All writers write them so.
fn ascends(source: &Source, file: &File<'_>, limits: &Limits) -> bool {
    let Some(len) = source.len().filter(|_| file.is_mmap_optimized()) else { return true };
    let Ok(head) = source.at(0..file.head_len()) else { return true };
    let Ok(mut outline) = Outline::open(head, len, limits, &mut ()) else { return true };
    let mut end = 0;
    while let Some(range) = outline.needs() {
        let Ok(bytes) = source.at(range.clone()) else { return true };
        if range.start < end {
            return false;
        }
        end = range.end;
        if outline.feed(range.start, &bytes, &mut Workspace::new(), &mut ()).is_err() {
            return true;
        }
    }
    true
}

/// Decodes a column that has no lossless chunk as the file is read.
fn stream(
    source: &mut Source,
    file: &File<'_>,
    column: &Column<'_>,
    limits: &Limits,
    to: &mut impl Room,
) -> Result<Sums, Stop> {
    if source.len().is_some() && file.chunk_count() == 1 {
        let mut plan = column.plan(column.rows())?;
        while let Some(range) = plan.needs() {
            if let Some(piece) = plan.piece() {
                refuse_hidden_crc(source, file, &piece.range())?;
                break;
            }
            plan.feed(range.start, &source.at(range.clone())?, Verify::Refuse)?;
        }
    }
    let name = column.name().to_string();
    let options = Options { column: file.is_columnar().then_some(&*name), ..options(limits, Verify::Refuse) };
    let mut workspace = zeros(file.head_len())?;
    let mut decoder = Decoder::new(&mut workspace, &options);
    pour(source, to, |src, end, dst| decoder.step(src, end, dst))?;
    Ok(decoder.done().checksums)
}

/// Refuses a version 0 header before chunks with checksums: see
/// [`ErrorKind::CvcHiddenCrc`]. `range` is that of the last chunk.
fn refuse_hidden_crc(source: &Source, file: &File<'_>, range: &Range<u64>) -> Result<(), Stop> {
    let (start, end) = (range.start.saturating_add(4), range.end);
    if file.has_checksums() || start >= end || source.len().is_none_or(|len| len < end.saturating_add(4)) {
        return Ok(());
    }
    let stored = source.at(start..start + 4)?;
    match crc_of(source, start + 4..end + 4)?.to_le_bytes() == *stored {
        true => Err(Error::new(ErrorKind::CvcHiddenCrc, start).into()),
        false => Ok(()),
    }
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

/// Returns the selected rows: one range, or those of all matching sections, in their order.
/// Adjacent sections make one range.
fn rows(file: &File<'_>, wanted: &Selection<'_>) -> Result<Vec<Range<u64>>, Stop> {
    if let Some((key, value)) = wanted.section {
        let value = Scalar::parse(value).unwrap_or(Scalar::from(value));
        let mut rows: Vec<Range<u64>> = vec![];
        for section in file.sections() {
            let section = section?;
            if section.rows.is_empty() || !section.metadata.matches(key, &value) {
                continue;
            }
            match rows.last_mut().filter(|last| last.end == section.rows.start) {
                Some(last) => last.end = section.rows.end,
                None => rows.push(section.rows),
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
    let (mut types, mut table) = (vec![None; file.columns().count()], table(bytes, limits));
    file.outputs(&mut Workspace::with_table(&mut table), &mut types)?;
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

pub fn check(source: &mut Source, limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    let head = head(source, limits)?;
    let file = File::open(&head, limits)?;
    if !file.is_columnar() {
        let column = file.only_column()?;
        let sums = decode_rows(source, &file, &column, &[column.rows()], false, limits, &mut Buffered::new(to))?;
        return Ok(checksums(sums));
    }
    if source.len().is_none() {
        // Decoding starts when the last chunk is known to be sound.
        source.hold()?;
    }
    let sums = verify(source, &file, limits)?;
    let (mut types, mut table, mut pieces) = (vec![None; file.columns().count()], table(&head, limits), file.pieces());
    file.outputs(&mut Workspace::with_table(&mut table), &mut types)?;
    check_sizes(&file, limits, &types)?;
    let (mut length, mut chunk, mut room) = (vec![], vec![], vec![]);
    while let Some(range) = pieces.needs() {
        source.read_at(range.clone(), &mut length)?;
        let (mut held, mut unread) = (0..0, None);
        let fed = pieces.feed(range.start, &length, &mut Workspace::with_table(&mut table), |position, _, piece| {
            if held != piece.range() {
                held = piece.range();
                source.read_at(held.clone(), &mut chunk).map_err(|stop| match stop {
                    Stop::Refused(error) => error,
                    stop => {
                        unread = Some(stop);
                        Error::new(ErrorKind::SinkFull, 0)
                    }
                })?;
            }
            let payload = piece.read(&chunk, Verify::Skip, &mut Sums::default())?;
            super::in_pieces(values(&payload, types.get(position).copied().flatten(), &mut room)?, to)
        });
        unread.map_or(Ok(()), Err)?;
        fed?;
    }
    Ok(checksums(sums))
}

/// Finds every chunk of a file and every column in it, and compares the checksums, as
/// [`inspect`](unspool::cvc::inspect) does.
fn verify(source: &Source, file: &File<'_>, limits: &Limits) -> Result<Sums, Stop> {
    let (mut sums, mut bytes, len) = (Sums::default(), vec![], source.len().unwrap_or(0));
    let head = source.at(0..file.head_len().min(len))?;
    let mut table = table(&head, limits);
    let (mut outline, mut pieces) = (Outline::open(&head, len, limits, &mut ())?, file.pieces());
    while let Some(range) = outline.needs() {
        source.read_at(range.clone(), &mut bytes)?;
        let fed = outline.feed(range.start, &bytes, &mut Workspace::with_table(&mut table), &mut ());
        if let Some(chunk) = outline.chunk() {
            let crc = bytes.get(4..).and_then(|stored| stored.first_chunk().copied()).map(u32::from_le_bytes);
            match crc {
                Some(stored) if crc_of(source, chunk.start + 8..chunk.end)? != stored => {
                    return Err(Error::new(ErrorKind::CvcCrc, chunk.start + 4).into());
                }
                Some(_) => sums.matched += 1,
                None => sums.unchecked += 1,
            }
            let (at, length) = (range.start, bytes.get(..4).unwrap_or_default());
            pieces
                .feed(at, length, &mut Workspace::with_table(&mut table), |_, _, piece| piece.data_range().map(drop))?;
        }
        fed?;
    }
    Ok(sums)
}

/// Returns the CRC-32 of a range.
fn crc_of(source: &Source, range: Range<u64>) -> Result<u32, Stop> {
    let (mut crc, mut piece, mut at) = (Crc32::new(), vec![], range.start);
    while at < range.end {
        let next = range.end.min(at + PIECE as u64);
        source.read_at(at..next, &mut piece)?;
        crc.update(&piece);
        at = next;
    }
    Ok(crc.value())
}
