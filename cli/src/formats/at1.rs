//! `inspect`, `decode` and `check` of AT-1, and the facts about a table for queries.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use unspool::at1::qcolumnar::ColumnType;
use unspool::at1::{
    Backend, Bundle, Codec, Container, HEADER_LEN, Header, Options, TRAILER_LEN, TRAILER_MAGIC, TableHead, Workspace,
    decode_to, grow, scratch_len, scratch_len_to,
};
use unspool::checksum::Sha256;
use unspool::tree::Tree;
use unspool::{Checksums as Sums, Class, Count, Done, Error, ErrorKind, Format, Limits, Sink, Verify};

use super::parallel::{self, Content, Left, PartReader, Pool, TINY_PARTS, affordable};
use super::part::Part;
use super::pour::{Buffered, Room, read, write};
use super::{Checksums, Selection, Stop, xz, zeros, zstd};
use crate::folder::{Folder, refuse};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::report::Failure;
use crate::source::Source;

/// Returns options with these limits.
fn with(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

/// Runs `work`, growing the scratch until it is enough.
fn growing<T>(scratch: &mut Vec<u8>, mut work: impl FnMut(&mut [u8]) -> Result<T, Error>) -> Result<T, Error> {
    loop {
        match work(scratch) {
            Err(error) => grow(scratch, error)?,
            result => return result,
        }
    }
}

/// Decodes bytes to a sink, with scratch that grows when a stream asks for more.
///
/// That is before any output of its body. After frames, decoding starts again, and the sink gets
/// only what is new.
fn decode_growing(
    bytes: &[u8],
    to: &mut impl Sink,
    workspace: &mut Workspace,
    scratch: &mut Vec<u8>,
    options: &Options,
) -> Result<Done, Error> {
    let mut wrote = 0;
    growing(scratch, |scratch| {
        let mut rest = Part::new(wrote..u64::MAX, 0, to);
        let done = decode_to(bytes, &mut rest, workspace, scratch, options);
        wrote = wrote.max(rest.end());
        done
    })
}

/// Refuses selections: an AT-1 file decodes as a whole.
fn whole_only(wanted: &Selection<'_>) -> Result<(), Stop> {
    if wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some() || wanted.text {
        return Err(Stop::Usage("AT-1 files decode as a whole; use `unspool query` for rows and columns".to_owned()));
    }
    Ok(())
}

/// Facts from the head of a table: its rows, its other lines, and its columns with their names.
pub struct TableFacts {
    pub lines: u64,
    pub rows: u64,
    /// The number of other lines that hold the names.
    names: u64,
    pub columns: Vec<(String, &'static str)>,
}

impl TableFacts {
    /// Reads the first bytes of a file, as many as a query needs.
    pub fn read(head: &[u8], limits: &Limits) -> Result<Self, Error> {
        let (mut scratch, mut workspace) = (vec![], Workspace::new());
        let options = with(limits);
        let table = growing(&mut scratch, |scratch| TableHead::read(head, &mut workspace, scratch, &options))?;
        let meta = table.meta(&scratch, limits)?;
        let kind = |column| match meta.column_type(column) {
            Some(ColumnType::Integer) => "integers",
            Some(ColumnType::Decimal) => "decimals",
            _ => "text",
        };
        let mut columns: Vec<_> = (0..meta.columns()).map(|column| (column.to_string(), kind(column))).collect();
        let mut named = columns.iter_mut();
        let mut names = 0;
        table.each_name(&scratch, &meta, |name| {
            names = u64::from(table.codec() == Codec::QColumnar);
            if let Some((column, _)) = named.next() {
                *column = String::from_utf8_lossy(name).into_owned();
            }
        })?;
        Ok(Self { lines: meta.lines, rows: meta.rows, names, columns })
    }

    /// Returns the number of lines that are in no answer: they are stored verbatim, because they do
    /// not fit the table.
    pub fn left_out(&self) -> u64 {
        self.lines.saturating_sub(self.rows).saturating_sub(self.names)
    }
}

/// Returns true for a bundle of several files.
pub fn is_bundle(bytes: &[u8]) -> bool {
    Header::read(bytes, &Limits::DEFAULT)
        .is_ok_and(|header| header.codec == Codec::Bundle && header.container == Container::Whole)
}

/// Calls `visit` with each file of a bundle: its name, its AT-1 bytes, and the remaining limits.
///
/// `visit` returns the decoded length, which is subtracted from the limits.
fn files(
    bytes: &[u8],
    limits: &Limits,
    mut visit: impl FnMut(String, &[u8], &Limits) -> Result<u64, Stop>,
) -> Result<(), Stop> {
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let mut scratch = zeros(scratch_len(bytes, &options)?)?;
    let (mut left, mut inside) = (limits.max_output, *limits);
    for file in Bundle::open(bytes, &mut workspace, &mut scratch, &options)? {
        let file = file?;
        let size = file.entry.decoded_size(&Limits { max_output: left, ..*limits })?;
        left = left.saturating_sub(size);
        let mut inner = zeros(size)?;
        file.entry.decode(&mut inner, &mut workspace, limits)?;
        let decoded = visit(file.name.to_string(), &inner, &inside).map_err(|stop| match stop {
            // The advice to decode a bundle file by file does not apply inside a bundle.
            Stop::Refused(Error { kind: ErrorKind::At1BundleWhole, at, need }) => {
                Stop::Refused(file.locate(Error { kind: ErrorKind::At1BundleInside, at, need }))
            }
            Stop::Refused(error) => Stop::Refused(file.locate(error)),
            stop => stop,
        })?;
        inside.max_output = inside.max_output.saturating_sub(decoded);
    }
    Ok(())
}

pub fn inspect(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let threads = source.threads();
    let bytes = source.hold()?;
    let mut report = Report::new(Format::At1, Tree::new(MAX_NODES));
    let options = with(limits);
    report.error = unspool::at1::inspect(bytes, &mut Workspace::new(), &options, &mut report.tree).err();
    let Ok(header) = Header::read(bytes, limits) else { return Ok(report) };
    report.fact("codec", format!("{} {}", header.codec as u8, header.codec.name()));
    if header.container == Container::Frames {
        report.fact("layout", "frames of some lines each");
    }
    if let Ok(table) = TableFacts::read(bytes, limits) {
        report.fact("rows", table.rows);
        if table.left_out() > 0 {
            report.fact("other lines", table.left_out());
        }
        report.columns.extend(table.columns.into_iter().map(|(name, kind)| (name, kind.to_owned())));
    }
    if !is_bundle(bytes)
        && let Ok(need) = scratch_len(bytes, &options)
    {
        report.fact("scratch", format!("{need} bytes for its streams"));
    }
    // Only decoding finds the first error, and shows the decoded length and whether hashes match.
    let mut count = Count::default();
    let decoded = if is_bundle(bytes) {
        bundle(bytes, threads, limits, &mut count, |name, inner| {
            let codec = Header::read(inner, limits).map_or("not AT-1", |header| header.codec.name());
            report.columns.push((name, format!("{codec}, {} bytes", inner.len())));
        })
    } else {
        check(source, limits, &mut count)
    };
    super::add_check(&mut report, decoded.map(|checksums| (checksums, count.0)))?;
    Ok(report)
}

/// Decodes every file of a bundle, calling `visit` with each.
fn bundle(
    bytes: &[u8],
    threads: NonZeroUsize,
    limits: &Limits,
    to: &mut impl Sink,
    mut visit: impl FnMut(String, &[u8]),
) -> Result<Checksums, Stop> {
    let mut sums = Sums::default();
    files(bytes, limits, |name, inner, limits| {
        visit(name, inner);
        let done = whole(inner, threads, limits, to)?;
        sums.matched += done.checksums.matched;
        sums.unchecked += done.checksums.unchecked;
        Ok(done.content)
    })?;
    Ok(checksums(sums))
}

/// Decodes a file in memory that is not a bundle.
fn whole(bytes: &[u8], threads: NonZeroUsize, limits: &Limits, to: &mut impl Sink) -> Result<Done, Error> {
    let (mut workspace, options) = (Workspace::with_threads(threads), with(limits));
    let need = match scratch_len_to(bytes, &options) {
        Err(error) if error.class() == Class::Limit => return Err(error),
        // Decoding reports a better error.
        need => need.unwrap_or(0),
    };
    decode_growing(bytes, to, &mut workspace, &mut zeros(need)?, &options)
}

fn checksums(sums: Sums) -> Checksums {
    Checksums { name: "SHA-256", right: sums.matched, absent: sums.unchecked }
}

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    whole_only(wanted)?;
    if is_bundle(source.head()) {
        return Err(Stop::Usage("this is a bundle of several files; name a folder for them with --output".to_owned()));
    }
    run(source, limits, to).map(drop)
}

/// Decodes a file that is not a bundle: frames as they are read, on several threads, or all of it
/// in memory.
fn run(source: &mut Source, limits: &Limits, to: &mut impl Room) -> Result<Sums, Stop> {
    let (options, threads) = (with(limits), source.threads());
    let frames = Frames::open(source, limits);
    let ends = frames.as_ref().map(|frames| (frames.end, frames.stored));
    let work = |(workspace, scratch): &mut (Workspace, Vec<u8>), bytes: Vec<u8>, pool: &Pool| {
        let mut buffer = pool.take();
        buffer.clear();
        let mut sink = |bytes: &[u8]| {
            if buffer.len() + bytes.len() > MOST_PART {
                return Err(Error::new(ErrorKind::SinkFull, 0));
            }
            buffer.extend_from_slice(bytes);
            Ok(())
        };
        decode_growing(&bytes, &mut sink, workspace, scratch, &options)?;
        pool.give_stored(bytes);
        Ok(Content { range: 0..buffer.len(), decoded: buffer.len() as u64, buffer, sums: Sums::default() })
    };
    let mut to = Hashed { hash: ends.and_then(|(_, stored)| stored).map(|_| Sha256::new()), to };
    let init = || (Workspace::new(), vec![]);
    let done = parallel::decode(
        source,
        limits,
        &mut to,
        |_| frames,
        init,
        work,
        |source, to| {
            if let Some(sums) = InOrder::decode(source, limits, to)? {
                return Ok(sums);
            }
            if source.len().is_none() {
                source.hold()?;
            }
            if let Some(raw) = Raw::open(source, limits) {
                if let Some(sums) = raw.decode(source, limits, to)? {
                    return Ok(sums);
                }
                source.rewind();
                to.again();
            }
            let bytes = source.hold()?;
            Ok(whole(bytes, threads, limits, &mut |bytes: &[u8]| write(bytes, to))?.checksums)
        },
    )?;
    Ok(ends.map_or(Ok(done), |(end, stored)| to.verify(stored, end))?)
}

/// The stored bytes of a part. Smaller frames are not worth a thread's attention.
const PART: u64 = if TINY_PARTS { 1 } else { 128 << 10 };

/// The most bytes that a part decodes to.
const MOST_PART: usize = 64 << 20;

/// The longest varint.
const MOST_VARINT: u64 = 10;

/// The frames of a file that are left. Each part is a file of some of them.
struct Frames {
    /// The header, and the number of lines of a frame.
    head: Vec<u8>,
    at: u64,
    /// The end of the frames.
    end: u64,
    /// The SHA-256 of the content, if the file ends with one.
    stored: Option<[u8; 32]>,
    threads: NonZeroUsize,
}

impl Frames {
    fn open(source: &Source, limits: &Limits) -> Option<Self> {
        let len = source.len()?;
        let mut ends = source.head().get(..usize::try_from(HEADER_LEN).ok()?)?.to_vec();
        let trailer = len.checked_sub(TRAILER_LEN).filter(|&at| at >= HEADER_LEN + MOST_VARINT)?;
        source.append_at(trailer..len, &mut ends).ok()?;
        let header = Header::read(&ends, limits).ok().filter(|header| header.container == Container::Frames)?;
        let end = if header.hash.is_some() { trailer } else { len };
        let (_, at) = varint(source, HEADER_LEN, end)?;
        let head = source.at(0..at).ok()?;
        Some(Self { head, at, end, stored: header.hash, threads: source.threads() })
    }

    fn part(&mut self, source: &Source, pool: &Pool) -> Option<Vec<u8>> {
        let mut end = self.at;
        while end < self.end && end - self.at < PART {
            let (len, start) = varint(source, end, self.end)?;
            end = start.checked_add(len).filter(|&end| end <= self.end)?;
        }
        affordable((end - self.at).saturating_add(MOST_PART as u64), self.threads).then_some(())?;
        let mut bytes = pool.take_stored();
        bytes.clear();
        bytes.extend_from_slice(&self.head);
        source.append_at(self.at..end, &mut bytes).ok()?;
        self.at = end;
        Some(bytes)
    }
}

impl PartReader for Frames {
    type Part = Vec<u8>;

    const ON_ONE_THREAD: bool = true;

    fn next(&mut self, source: &Source, pool: &Pool) -> Option<Result<Vec<u8>, Left>> {
        (self.at < self.end).then(|| self.part(source, pool).ok_or(Left::InOrder))
    }
}

/// The stored bytes that one thread reads at a time.
const READ: u64 = if TINY_PARTS { 50 } else { 256 << 10 };

/// Frames that one thread decodes as they are read: those of a stream, and those before an error.
///
/// Whether a stream ends with a hash shows only at its end. So a frame is decoded when as many
/// bytes after it are known, or none follows.
struct InOrder<'t, R> {
    /// The header, the number of lines of a frame, and frames that are not decoded yet: a file of
    /// its own.
    bytes: Vec<u8>,
    /// The length of what precedes the frames.
    head: usize,
    /// Bytes of frames that were decoded and dropped.
    dropped: u64,
    wrote: u64,
    options: Options,
    workspace: Workspace,
    scratch: Vec<u8>,
    to: Hashed<'t, R>,
}

impl<'t, R: Room> InOrder<'t, R> {
    /// Decodes a file of frames. `None` for other files: then nothing was read.
    fn decode(source: &mut Source, limits: &Limits, to: &'t mut R) -> Result<Option<Sums>, Stop> {
        if !Header::read_start(source.head()).is_ok_and(|header| header.container == Container::Frames) {
            return Ok(None);
        }
        let mut bytes = vec![];
        let mut follows = source.read_on(&mut bytes, READ)?;
        let skip = usize::try_from(HEADER_LEN).unwrap_or(usize::MAX);
        let lines = unspool::bits::read_varint(bytes.get(skip..).unwrap_or_default());
        // Without that number there is no frame. Decoding tells why.
        follows &= lines.is_ok();
        let mut this = Self {
            head: skip + lines.map_or(0, |(_, len)| len),
            bytes,
            dropped: 0,
            wrote: 0,
            options: Options { verify: Verify::Skip, ..with(limits) },
            workspace: Workspace::with_threads(source.threads()),
            scratch: vec![],
            to: Hashed { hash: Some(Sha256::new()), to },
        };
        while follows {
            let (end, missing) = this.complete();
            if end > this.head {
                let rest = this.bytes.split_off(end);
                // A trailer, whose hash nobody reads, says that the file was not cut here.
                this.bytes.extend([0; 32]);
                this.bytes.extend(TRAILER_MAGIC);
                this.frames()?;
                this.bytes.truncate(this.head);
                this.bytes.extend(rest);
                this.dropped += (end - this.head) as u64;
            }
            let len = (this.bytes.len() as u64).saturating_add(missing.max(READ));
            follows = source.read_on(&mut this.bytes, len)?;
        }
        // Both ends: that of the stream, too.
        let header = Header::read(&this.bytes, limits);
        this.frames()?;
        let Header { hash, body_end, .. } = header?;
        Ok(Some(this.to.verify(hash, body_end + this.dropped)?))
    }

    /// Returns the end of the frames that are complete, and how many bytes would complete another.
    fn complete(&self) -> (usize, u64) {
        let mut end = self.head;
        loop {
            let rest = self.bytes.get(end..).unwrap_or_default();
            let needed = match unspool::bits::read_varint(rest) {
                Ok((len, start)) => len.saturating_add((end + start) as u64),
                Err(_) => end as u64 + MOST_VARINT,
            };
            let needed = needed.saturating_add(TRAILER_LEN);
            if let Some(missing) = needed.checked_sub(self.bytes.len() as u64).filter(|&missing| missing > 0) {
                return (end, missing);
            }
            // A frame, or a length that is too long: an error, too.
            end = usize::try_from(needed - TRAILER_LEN).unwrap_or(usize::MAX);
        }
    }

    /// Decodes the frames that are in memory.
    fn frames(&mut self) -> Result<(), Error> {
        let Self { bytes, workspace, scratch, options, to, .. } = self;
        let left = options.limits.max_output.saturating_sub(self.wrote);
        let mut passed = 0;
        let mut sink = |piece: &[u8]| {
            let len = passed + piece.len() as u64;
            if len > left {
                return Err(Error::new(ErrorKind::OutputLimit, 0).needing(len));
            }
            passed = len;
            write(piece, to)
        };
        let done = decode_growing(bytes, &mut sink, workspace, scratch, options);
        done.map_err(|error| self.locate(error))?;
        self.wrote += passed;
        Ok(())
    }

    /// Returns the error with its place in the file.
    fn locate(&self, error: Error) -> Error {
        let Error { kind, mut at, mut need } = error;
        if at >= self.head as u64 {
            at += self.dropped;
            need = need.saturating_add(if kind == ErrorKind::Truncated { self.dropped } else { 0 });
        } else if kind == ErrorKind::OutputLimit {
            need = need.saturating_add(self.wrote);
        }
        Error { kind, at, need }
    }
}

/// A file of the codec raw: one payload, which decodes through a window.
struct Raw {
    backend: Backend,
    payload: Range<u64>,
    /// The SHA-256 of the content, if the file ends with one.
    stored: Option<[u8; 32]>,
}

impl Raw {
    fn open(source: &Source, limits: &Limits) -> Option<Self> {
        let len = source.len()?;
        let mut ends = source.head().get(..usize::try_from(HEADER_LEN).ok()?)?.to_vec();
        let trailer = len.checked_sub(TRAILER_LEN).filter(|&at| at >= HEADER_LEN).unwrap_or(HEADER_LEN);
        source.append_at(trailer..len, &mut ends).ok()?;
        let header = Header::read(&ends, limits).ok()?;
        if (header.container, header.codec) != (Container::Whole, Codec::Raw) {
            return None;
        }
        let end = if header.hash.is_some() { trailer } else { len };
        let backend = Backend::of(*source.at(HEADER_LEN..end.min(HEADER_LEN + 1)).ok()?.first()?)?;
        Some(Self { backend, payload: HEADER_LEN + 1..end, stored: header.hash })
    }

    /// Decodes the payload. `None` if something is wrong: only a look at all of it tells the error.
    fn decode(&self, source: &mut Source, limits: &Limits, to: &mut impl Room) -> Result<Option<Sums>, Stop> {
        let Range { start, end } = self.payload;
        let len = end.saturating_sub(start);
        let fits = match self.backend {
            Backend::Zstd => zstd::is_one_frame(source, &self.payload),
            Backend::Stored => len <= limits.max_output,
            Backend::Xz => true,
        };
        if !fits {
            return Ok(None);
        }
        let mut to = Hashed { hash: self.stored.map(|_| Sha256::new()), to };
        source.seek(start);
        let mut input = source.take(len);
        let done = match self.backend {
            Backend::Zstd => zstd::payload(&mut input, limits, &mut to),
            Backend::Xz => xz::stream(&mut input, limits, &mut to).map(drop),
            Backend::Stored => copy(&mut input, &mut to),
        };
        match done {
            Err(Stop::Refused(error)) if error.kind != ErrorKind::SinkFull => Ok(None),
            Err(stop) => Err(stop),
            Ok(()) => Ok(Some(to.verify(self.stored, end)?)),
        }
    }
}

/// Copies everything.
fn copy(input: &mut impl Read, to: &mut impl Room) -> Result<(), Stop> {
    loop {
        let len = read(input, to.room()?)?;
        if len == 0 {
            return Ok(());
        }
        to.advance(len)?;
    }
}

/// Reads a varint. Returns its value and its end.
fn varint(source: &Source, at: u64, end: u64) -> Option<(u64, u64)> {
    let bytes = source.at(at..end.min(at + MOST_VARINT)).ok()?;
    let (value, len) = unspool::bits::read_varint(&bytes).ok()?;
    Some((value, at + len as u64))
}

/// Room whose content is hashed.
struct Hashed<'t, R> {
    hash: Option<Sha256>,
    to: &'t mut R,
}

impl<R> Hashed<'_, R> {
    /// Compares the hash of the content with the one that is stored at `end`, if there is one.
    fn verify(&self, stored: Option<[u8; 32]>, end: u64) -> Result<Sums, Error> {
        match (stored, &self.hash) {
            (Some(stored), Some(hash)) if stored != hash.value() => Err(Error::new(ErrorKind::At1Hash, end)),
            _ => {
                let matched = u64::from(stored.is_some());
                Ok(Sums { matched, unchecked: 1 - matched, ..Sums::default() })
            }
        }
    }
}

impl<R: Room> Room for Hashed<'_, R> {
    fn room(&mut self) -> Result<&mut [u8], Error> {
        self.to.room()
    }

    fn advance(&mut self, len: usize) -> Result<(), Error> {
        if let Some(hash) = &mut self.hash {
            hash.update(self.to.room()?.get(..len).unwrap_or_default());
        }
        self.to.advance(len)
    }

    fn pass(&mut self, buffer: Vec<u8>, range: Range<usize>) -> Result<Vec<u8>, Error> {
        if let Some(hash) = &mut self.hash {
            hash.update(buffer.get(range.clone()).unwrap_or_default());
        }
        self.to.pass(buffer, range)
    }
}

/// Decodes the files of a bundle into a folder. Never overwrites a file or leaves the folder.
///
/// All names are checked before the first file is written.
pub fn unbundle(source: &mut Source, wanted: &Selection<'_>, folder: &Path, limits: &Limits) -> Result<(), Failure> {
    whole_only(wanted).map_err(|stop| stop.into_failure(source.path()))?;
    let (threads, mut failed) = (source.threads(), None);
    let done = source.hold().and_then(|bytes| {
        let names = names(bytes, limits)?;
        let root = match refuse(names.iter().map(String::as_str)) {
            Err((name, wrong)) => Err((folder.join(name), io::Error::new(io::ErrorKind::InvalidFilename, wrong))),
            Ok(()) => Folder::open(folder).map_err(|error| (folder.to_owned(), error)),
        };
        let root = root.map(Rc::new).map_err(|(path, error)| {
            failed = Some(Failure::io("cannot create", &path, error));
            Stop::Usage(String::new())
        })?;
        files(bytes, limits, |name, inner, limits| {
            let written =
                create(&root, &name).and_then(|mut output| match whole(inner, threads, limits, &mut output) {
                    Ok(done) => output.finish(Ok(())).map(|()| Ok(done.content)),
                    // Of a file that could not be written, the output knows the error.
                    Err(error) => match output.finish(Err(Failure::refused(folder, &[], error))) {
                        Err(failure @ Failure::Io { .. }) => Err(failure),
                        _ => Ok(Err(Stop::Refused(error))),
                    },
                });
            written.unwrap_or_else(|failure| {
                failed = Some(failure);
                Err(Stop::Usage(String::new()))
            })
        })?;
        root.keep();
        Ok(())
    });
    match failed {
        Some(failure) => Err(failure),
        None => source.conclude(done),
    }
}

/// Returns the names of the files in a bundle.
fn names(bytes: &[u8], limits: &Limits) -> Result<Vec<String>, Error> {
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let mut scratch = zeros(scratch_len(bytes, &options)?)?;
    let files = Bundle::open(bytes, &mut workspace, &mut scratch, &options)?;
    files.map(|file| file.map(|file| file.name.to_string())).collect()
}

/// Creates a file by its name in a bundle, and the folders that lead to it.
fn create(root: &Rc<Folder>, name: &str) -> Result<Output, Failure> {
    let mut folder = Rc::clone(root);
    let mut rest = name;
    while let Some((part, after)) = rest.split_once('/') {
        let entered = folder.enter(part);
        folder = Rc::new(entered.map_err(|error| Failure::io("cannot create", &folder.path_of(part), error))?);
        rest = after;
    }
    Output::create_in(folder, rest)
}

pub fn check(source: &mut Source, limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    if !is_bundle(source.head()) {
        return run(source, limits, &mut Buffered::new(to)).map(checksums);
    }
    let threads = source.threads();
    bundle(source.hold()?, threads, limits, to, |_, _| ())
}
