//! Random access to the content of zstd, xz, LZMA and gzip files.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use self_cell::{MutBorrow, self_cell};
use unspool::threads::in_order;
use unspool::zstd::{Dictionary, Flavour, Header, SeekFrame, SeekTableReader, detect, detect_start};
use unspool::{End, Error, ErrorKind, Limits as CoreLimits, Status, Step, gzip, lzma, xz, zstd};

use crate::fail::{Fail, Result, Signals};
use crate::limits::{self, Limits};
use crate::source::Source;

/// Bytes of a file that are read at once.
const PIECE: u64 = 256 << 10;

/// The largest block or frame that is decoded as a whole to reach a part of it.
const MOST_PART: u64 = 64 << 20;

/// Bytes that threads decode ahead at most.
const MOST_AHEAD: u64 = 256 << 20;

/// A read of this length at the start is likely to be followed by others.
const LONG: usize = 1 << 20;

/// Parts that are kept, besides those that threads decode ahead.
const KEPT: usize = 2;

/// A part of a file that decodes alone.
#[derive(Clone)]
enum Part {
    Block(xz::Block),
    Frame(SeekFrame),
}

impl Part {
    const fn content(&self) -> &Range<u64> {
        match self {
            Self::Block(block) => &block.content,
            Self::Frame(frame) => &frame.content,
        }
    }

    const fn range(&self) -> &Range<u64> {
        match self {
            Self::Block(block) => &block.range,
            Self::Frame(frame) => &frame.range,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Zstd(Flavour),
    Xz,
    Lzma,
    Gzip,
}

enum Tables {
    Zstd(Box<zstd::Workspace>),
    Xz(Box<xz::Workspace>),
    Lzma(Box<lzma::Workspace>),
    Gzip(Box<gzip::Workspace>),
}

/// The memory that a decoder borrows.
struct Memory {
    tables: Tables,
    window: Vec<u8>,
    dictionary: Option<Vec<u8>>,
    format: Format,
    limits: CoreLimits,
}

enum Machine<'m> {
    Zstd(zstd::Decoder<'m>),
    Xz(xz::Decoder<'m>),
    Lzma(lzma::Decoder<'m>),
    Gzip(gzip::Decoder<'m>),
}

self_cell! {
    /// A decoder with its memory.
    struct Running {
        owner: MutBorrow<Box<Memory>>,
        #[not_covariant]
        dependent: Machine,
    }
}

impl Running {
    fn start(format: Format, limits: CoreLimits, dictionary: Option<&[u8]>, window: u64) -> Result<Self> {
        let window = if format == Format::Gzip { gzip::WINDOW_SIZE as u64 } else { window };
        let no_memory = Error::new(ErrorKind::NoMemory, 0).needing(window);
        let window = usize::try_from(window).map_err(|_| no_memory)?;
        Vec::<u8>::new().try_reserve_exact(window).map_err(|_| no_memory)?;
        let tables = match format {
            Format::Zstd(_) => Tables::Zstd(Box::new(zstd::Workspace::new())),
            Format::Xz => Tables::Xz(Box::new(xz::Workspace::new())),
            Format::Lzma => Tables::Lzma(Box::new(lzma::Workspace::new())),
            Format::Gzip => Tables::Gzip(Box::new(gzip::Workspace::new())),
        };
        let dictionary = dictionary.map(<[u8]>::to_vec);
        let memory = Box::new(Memory { tables, window: vec![0; window], dictionary, format, limits });
        Ok(Self::new(MutBorrow::new(memory), |memory| {
            let Memory { tables, window, dictionary, format, limits } = &mut **memory.borrow_mut();
            match tables {
                Tables::Zstd(tables) => {
                    let options = zstd_options(*format, dictionary.as_deref(), limits);
                    Machine::Zstd(zstd::Decoder::new(tables, window, &options))
                }
                Tables::Xz(tables) => Machine::Xz(xz::Decoder::new(
                    tables,
                    window,
                    &xz::Options { limits: *limits, ..xz::Options::DEFAULT },
                )),
                Tables::Lzma(tables) => Machine::Lzma(lzma::Decoder::new(
                    tables,
                    window,
                    &lzma::Options { limits: *limits, ..lzma::Options::DEFAULT },
                )),
                Tables::Gzip(tables) => Machine::Gzip(gzip::Decoder::new(
                    tables,
                    window,
                    &gzip::Options { limits: *limits, ..gzip::Options::DEFAULT },
                )),
            }
        }))
    }

    fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> unspool::Result<Step> {
        self.with_dependent_mut(|_, machine| match machine {
            Machine::Zstd(decoder) => decoder.step(src, end, dst),
            Machine::Xz(decoder) => decoder.step(src, end, dst),
            Machine::Lzma(decoder) => decoder.step(src, end, dst),
            Machine::Gzip(decoder) => decoder.step(src, end, dst),
        })
    }
}

/// Decodes an xz file through a window and keeps nothing: content may be larger than memory.
pub fn pass_over_xz(bytes: &[u8], limits: &CoreLimits) -> Result<()> {
    let (mut window, mut piece) = (0, vec![0; 64 << 10]);
    loop {
        let mut running = Running::start(Format::Xz, *limits, None, window)?;
        let mut at = 0;
        let error = loop {
            match running.step(bytes.get(at..).unwrap_or_default(), End::Here, &mut piece) {
                Ok(Step { status: Status::Done, .. }) => return Ok(()),
                Ok(step) => at += step.read,
                Err(error) => break error,
            }
        };
        // Starts again if the window was too short.
        window = longer_window(window, &error).ok_or(error)?;
    }
}

/// Returns the length of the next window if a decoder asks for a longer one. It is at least twice
/// as long: frames may each ask for a little more, and as many restarts would take quadratic time.
fn longer_window(window: u64, error: &Error) -> Option<u64> {
    let is_window = matches!(error.kind, ErrorKind::ZstdWindowBuffer | ErrorKind::XzWindowBuffer);
    (is_window && error.need > window).then(|| error.need.max(window.saturating_mul(2)))
}

fn zstd_options<'d>(format: Format, dictionary: Option<&'d [u8]>, limits: &CoreLimits) -> zstd::Options<'d> {
    let flavour = match format {
        Format::Zstd(flavour) => Some(flavour),
        Format::Xz | Format::Lzma | Format::Gzip => None,
    };
    let dictionary = dictionary.map(Dictionary::new);
    zstd::Options { limits: *limits, flavour, dictionary, ..zstd::Options::DEFAULT }
}

/// The content of a file, read at any position.
#[pyclass(frozen, module = "unspool._unspool")]
pub struct Decoder {
    source: Py<Source>,
    format: Format,
    limits: CoreLimits,
    dictionary: Option<Vec<u8>>,
    threads: NonZeroUsize,
    /// The parts of the file, if it has several and an index of them.
    parts: Vec<Part>,
    /// Whether `parts` serve reads.
    by_parts: bool,
    /// The length of the content, if an index says.
    content: Option<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Decoded parts by their number.
    kept: VecDeque<(usize, Vec<u8>)>,
    running: Option<Running>,
    /// The position in the content of the running decoder.
    at: u64,
    /// The position in the file after `input`.
    fetched: u64,
    input: Vec<u8>,
    used: usize,
    /// The decoder has reached the end.
    done: bool,
    window: u64,
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (source, format, limits=None, dictionary=None, threads=None))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, Source>,
        format: &str,
        limits: Option<&Bound<'_, Limits>>,
        dictionary: Option<Vec<u8>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (held, source, mut limits) = (source.clone().unbind(), source.get(), limits::of(limits));
        let threads = limits::threads(threads)?;
        let opened = py.detach(|| {
            let head = source.head(1 << 20)?;
            let format = match format {
                "xz" => Format::Xz,
                "lzma" => Format::Lzma,
                "gzip" => Format::Gzip,
                "zstd-draft" => Format::Zstd(Flavour::Draft),
                "zstd-v07" => Format::Zstd(Flavour::V07),
                "zstd" | "zstd-skippable" => Format::Zstd(flavour(&head, head.len() as u64 == source.size())),
                other => return Err(PyValueError::new_err(format!("{other} holds no bytes")).into()),
            };
            // A frame in a single segment is its own window, which the limit on output bounds.
            if let Format::Zstd(flavour) = format
                && let Ok(Header::Frame(frame)) = Header::read(&head, &CoreLimits::NONE, flavour)
                && frame.single_segment
                && frame.window <= limits.max_output
            {
                limits.max_window = limits.max_window.max(frame.window);
            }
            let (parts, content) = match format {
                Format::Xz => blocks(source, &limits)?,
                Format::Zstd(_) => frames(source, &limits)?,
                Format::Lzma | Format::Gzip => (vec![], None),
            };
            let size = |part: &Part| part.content().end - part.content().start;
            let by_parts = parts.len() > 1
                && parts.iter().all(|part| size(part) <= MOST_PART)
                && content.is_some_and(|content| content <= limits.max_output);
            Ok::<_, Fail>((format, parts, by_parts, content))
        });
        let (format, parts, by_parts, content) = opened?;
        let state = Mutex::default();
        Ok(Self { source: held, format, limits, dictionary, threads, parts, by_parts, content, state })
    }

    /// The length of the content, if an index says.
    #[getter]
    fn content(&self) -> Option<u64> {
        self.content
    }

    /// The positions in the content at which a block or frame starts that decodes alone.
    #[getter]
    fn starts(&self) -> Vec<u64> {
        self.parts.iter().map(|part| part.content().start).collect()
    }

    /// Reads at most `len` bytes of the content from `position` on; none at its end.
    fn read_at<'py>(&self, py: Python<'py>, position: u64, len: usize) -> PyResult<Bound<'py, PyBytes>> {
        let read = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            match self.by_parts {
                true => self.read_part(&mut state, position, len),
                false => self.read_stream(&mut state, position, len),
            }
        });
        Ok(PyBytes::new(py, &read?))
    }

    /// Returns the length of the content. Decodes all of it if no index says.
    fn measure(&self, py: Python<'_>) -> PyResult<u64> {
        if let Some(content) = self.content {
            return Ok(content);
        }
        let measured = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            self.read_stream(&mut state, u64::MAX, 1)?;
            Ok::<_, Fail>(state.at)
        });
        Ok(measured?)
    }
}

impl Decoder {
    /// Reads from the part that holds a position.
    fn read_part(&self, state: &mut State, position: u64, len: usize) -> Result<Vec<u8>> {
        let number = self.parts.partition_point(|part| part.content().end <= position);
        let Some(part) = self.parts.get(number) else { return Ok(vec![]) };
        if !state.kept.iter().any(|(kept, _)| *kept == number) {
            // Threads decode the parts after it as well, if reads follow one another or are long.
            let is_long = number == 0 && len >= LONG;
            let follows = is_long || state.kept.iter().any(|(kept, _)| kept + 1 == number);
            let count = if follows { self.ahead(number) } else { 1 };
            match self.decode_parts(state, number, count) {
                // The error is in a later part. A read that gets there returns it.
                Err(Fail::Refused(_)) if state.kept.iter().any(|(kept, _)| *kept == number) => {}
                decoded => decoded?,
            }
        }
        let content = state.kept.iter().find(|(kept, _)| *kept == number).map_or(&[][..], |(_, content)| content);
        let start = usize::try_from(position - part.content().start).unwrap_or(usize::MAX);
        let rest = content.get(start..).unwrap_or_default();
        Ok(rest.get(..len).unwrap_or(rest).to_vec())
    }

    /// Returns how many parts are decoded at once from this one on.
    fn ahead(&self, first: usize) -> usize {
        let mut left = MOST_AHEAD;
        let fits = |part: &&Part| {
            let size = part.content().end - part.content().start;
            left = left.saturating_sub(size);
            left > 0
        };
        self.parts.iter().skip(first).take(self.threads.get()).take_while(fits).count().max(1)
    }

    fn decode_parts(&self, state: &mut State, first: usize, count: usize) -> Result<()> {
        let (source, mut number, mut signals) = (self.source.get(), first, Signals::new());
        let wanted = self.parts.iter().skip(first).take(count);
        let items = wanted.map(|part| Ok((part, source.get(part.range().clone())?)));
        let work = |(): &mut (), (part, bytes): (&Part, crate::source::Data)| {
            Ok(match part {
                Part::Block(block) => {
                    let options = xz::Options { limits: self.limits, ..xz::Options::DEFAULT };
                    xz::decode_block_to_vec(&bytes, block, &options)?
                }
                Part::Frame(frame) => {
                    let options = zstd_options(self.format, self.dictionary.as_deref(), &self.limits);
                    frame.decode_to_vec(&bytes, &options)?
                }
            })
        };
        in_order(
            self.threads,
            items,
            || (),
            work,
            |content: Vec<u8>| {
                state.kept.push_back((number, content));
                number += 1;
                while state.kept.len() > KEPT.max(count + 1) {
                    state.kept.pop_front();
                }
                signals.check()
            },
        )
    }

    /// Decodes in order, up to a position and from there on.
    fn read_stream(&self, state: &mut State, position: u64, len: usize) -> Result<Vec<u8>> {
        let (mut out, mut signals, mut skipped) = (vec![0; len.min(1 << 20)], Signals::new(), vec![]);
        let mut wrote = 0;
        if position < state.at {
            *state = State { window: state.window, ..State::default() };
        }
        while !state.done && wrote < out.len() {
            let skip = position.saturating_sub(state.at);
            let room = if skip > 0 {
                skipped.resize(usize::try_from(skip).unwrap_or(usize::MAX).min(1 << 16), 0);
                &mut skipped[..]
            } else {
                out.get_mut(wrote..).unwrap_or_default()
            };
            let stepped = self.step(state, room);
            match stepped {
                Ok(step) => {
                    if skip == 0 {
                        wrote += step;
                    }
                    state.at += step as u64;
                }
                // What was decoded comes first; the next call returns the error again.
                Err(Fail::Refused(_)) if wrote > 0 => break,
                Err(fail) => return Err(fail),
            }
            signals.check()?;
        }
        out.truncate(wrote);
        Ok(out)
    }

    /// Decodes some bytes. Returns their number.
    fn step(&self, state: &mut State, room: &mut [u8]) -> Result<usize> {
        let source = self.source.get();
        loop {
            if state.running.is_none() {
                let dictionary = self.dictionary.as_deref();
                state.running = Some(Running::start(self.format, self.limits, dictionary, state.window)?);
            }
            let Some(running) = &mut state.running else { return Ok(0) };
            if state.used == state.input.len() && state.fetched < source.size() {
                let end = state.fetched.saturating_add(PIECE).min(source.size());
                state.input = source.get(state.fetched..end)?.to_vec();
                (state.used, state.fetched) = (0, end);
            }
            let src = state.input.get(state.used..).unwrap_or_default();
            let end = if state.fetched == source.size() { End::Here } else { End::NotYet };
            match running.step(src, end, room) {
                Ok(step) => {
                    state.used += step.read;
                    state.done = step.status == Status::Done;
                    if step.wrote > 0 || state.done {
                        return Ok(step.wrote);
                    }
                }
                Err(error) => {
                    let Some(window) = longer_window(state.window, &error) else { return Err(error.into()) };
                    // Starts again, and skips what was read.
                    let at = state.at;
                    *state = State { window, ..State::default() };
                    if at > 0 {
                        self.skip(state, at)?;
                    }
                }
            }
        }
    }

    fn skip(&self, state: &mut State, position: u64) -> Result<()> {
        let (mut room, mut signals) = (vec![0; 1 << 16], Signals::new());
        while state.at < position && !state.done {
            let len = usize::try_from(position - state.at).unwrap_or(usize::MAX).min(room.len());
            let wrote = self.step(state, room.get_mut(..len).unwrap_or_default())?;
            state.at += wrote as u64;
            signals.check()?;
        }
        Ok(())
    }
}

/// Detects the format of a file by its first bytes; two formats share each magic number.
fn flavour(head: &[u8], is_whole: bool) -> Flavour {
    let flavour = if is_whole { detect(head) } else { detect_start(head).0 };
    flavour.unwrap_or(Flavour::Rfc8878)
}

/// Reads the index of an xz file. A broken one is left to the decoder, which knows the first error.
fn blocks(source: &Source, limits: &CoreLimits) -> Result<(Vec<Part>, Option<u64>)> {
    let mut reader = xz::IndexReader::sizes(source.size(), limits);
    // The last stream comes first; blocks count from the start of their stream.
    let mut streams = vec![];
    while let Some(range) = reader.needs() {
        let (mut blocks, bytes) = (vec![], source.get(range.clone())?);
        if reader.feed_listing(range.start, &bytes, &mut |block| blocks.push(block)).is_err() {
            return Ok((vec![], None));
        }
        streams.push(blocks);
    }
    let (mut start, mut parts) = (0u64, vec![]);
    for stream in streams.into_iter().rev() {
        let mut end = start;
        for mut block in stream {
            block.content = start.saturating_add(block.content.start)..start.saturating_add(block.content.end);
            end = block.content.end;
            parts.push(Part::Block(block));
        }
        start = end;
    }
    Ok((parts, Some(reader.content())))
}

/// Reads the seek table of a Zstandard file, if it has one.
fn frames(source: &Source, limits: &CoreLimits) -> Result<(Vec<Part>, Option<u64>)> {
    let mut search = SeekTableReader::new(source.size(), limits);
    while let Some(range) = search.needs() {
        let bytes = source.get(range.clone())?;
        match search.feed(range.start, &bytes) {
            Ok(Some(file)) => return Ok((file.frames().map(Part::Frame).collect(), Some(file.content()))),
            Ok(None) => {}
            Err(_) => break,
        }
    }
    Ok((vec![], None))
}
