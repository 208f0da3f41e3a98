//! Whole files: the header, one body or many frames, the hash.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::backend::inside;
use super::codecs::column;
use super::codecs::columnar::{self, Table};
#[cfg(feature = "at1")]
use super::codecs::qcolumnar::{self, Rows};
#[cfg(feature = "at1")]
use super::codecs::{bundle, dicom, embed, json, jsondoc, log, osm, qjson2, ssh, vcf};
use super::header::{Codec, Container, Header};
use super::output::{Buffered, Output, Slice};
use super::scratch::{BUFFER, Lent, Scratch, Workspace, below};
use super::streams::{Entry, Set, varint};
#[cfg(feature = "alloc")]
use crate::heap::{lengthen, zeros};
use crate::num::{index, u64_from};
use crate::{Class, Error, ErrorKind, Limits, Name, Part, Result, Sink, Trace, Value};

/// How far a call came that decoded a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Bytes of the input: all of it.
    pub read: usize,
    /// Bytes of the output. What lies behind them in a slice may have been used as scratch.
    pub wrote: usize,
    /// Whether the file ends with a hash; after decoding, it was compared and found right.
    pub hashed: bool,
}

/// Decodes a file to a slice.
pub fn decode(src: &[u8], dst: &mut [u8], scratch: &mut [u8], ws: &mut Workspace, limits: &Limits) -> Result<Done> {
    let header = Header::read(src)?;
    let mut out = Slice::new(dst, header.hash.is_some(), limits);
    run(src, &header, &mut out, Lent { scratch: Scratch::new(scratch), ws, limits })
}

/// Tells `trace` where everything in a file lies, down to the blocks of a payload; says what stands at its ends. Tables are
/// built, but nothing is decoded: what only shows in the content is for [`decode`] to find.
pub fn inspect<T: Trace>(src: &[u8], ws: &mut Workspace, limits: &Limits, trace: &mut T) -> Result<Header> {
    let header = Header::read_traced(src, trace)?;
    let mut bodies = Bodies::new(src, &header)?;
    while let Some(body) = bodies.next(trace)? {
        let range = &body.range;
        let traced = match &body.content {
            Content::Raw(entry) => entry.trace(true, src, ws, limits, trace),
            Content::Set => Set::open(src, range.start, range.end, limits)
                .and_then(|set| set.trace(|name| wanted(header.codec, name), ws, &of_streams(limits), trace)),
        };
        traced.map_err(|error| body.locate(error))?;
        if header.container == Container::Frames {
            trace.leave();
        }
    }
    header.trace_trailer(trace);
    Ok(header)
}

/// Decodes a file to a sink, which gets what comes before an error, too. RAW payloads, which [`decode`] decodes in the output itself, take scratch here, and so does a buffer.
#[cfg_attr(feature = "small", inline(never))]
pub fn decode_to<S: Sink>(
    src: &[u8],
    sink: &mut S,
    scratch: &mut [u8],
    ws: &mut Workspace,
    limits: &Limits,
) -> Result<Done> {
    let header = Header::read(src)?;
    let mut scratch = Scratch::new(scratch);
    let buffer = scratch.take(BUFFER)?;
    let mut out = Buffered::new(sink, buffer, header.hash.is_some(), limits);
    let done = run(src, &header, &mut out, Lent { scratch, ws, limits });
    // What was decoded before an error, too.
    let flushed = out.flush().map_err(|full| out.why().unwrap_or(full.into()));
    done.and_then(|done| flushed.map(|()| done))
}

/// How many bytes a file decodes to. Everything is read as [`decode`] reads it, but nothing is written. A machine
/// that cannot address as many bytes refuses them, as if that was the limit.
pub fn decoded_len(src: &[u8], scratch: &mut [u8], ws: &mut Workspace, limits: &Limits) -> Result<u64> {
    let mut out = Slice::counting(limits);
    run(src, &Header::read(src)?, &mut out, Lent { scratch: Scratch::new(scratch), ws, limits })?;
    Ok(out.written())
}

/// Decodes a file to a new vector.
///
/// What a stream claims is not believed beyond what its bytes could hold; how long the vector must be is counted first.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], ws: &mut Workspace, limits: &Limits) -> Result<Vec<u8>> {
    let mut scratch = zeros(scratch_needed(src, limits)?.slice)?;
    let len = loop {
        match decoded_len(src, &mut scratch, ws, limits) {
            Ok(len) => break len,
            Err(error) => grow(&mut scratch, error)?,
        }
    };
    let mut out = zeros(len)?;
    decode(src, &mut out, &mut scratch, ws, limits)?;
    Ok(out)
}

/// Makes scratch longer, where that is what an error asks for; any other error is given back.
///
/// Whoever starts a file over with more scratch calls this, because it becomes twice as long at least: frames may ask for a little more
/// each, and as many new starts as there are frames would be quadratic.
#[cfg(feature = "alloc")]
pub fn grow(scratch: &mut Vec<u8>, error: Error) -> Result<()> {
    match error {
        Error { kind: ErrorKind::WorkspaceTooSmall, need, .. } if need > u64_from(scratch.len()) => {
            let missing = index(need).saturating_sub(scratch.len());
            let twice = missing.max(scratch.len());
            lengthen(scratch, twice).or_else(|_| lengthen(scratch, missing))
        }
        error => Err(error),
    }
}

/// How much scratch a file needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// To decode it to a slice, or to count.
    pub slice: u64,
    /// To decode it to a sink.
    pub sink: u64,
}

/// How much scratch a file needs, as far as the headers of its streams tell; nothing is decoded.
///
/// That is all for most files. What lies in a stream, the size of the row groups or of a dictionary, can ask for more:
/// decoding then says how much with an error of the class `WorkspaceTooSmall`, before it writes anything of that body. Whoever
/// decodes the file again with as much gets all of it again, what frames in front gave included.
#[cfg_attr(feature = "small", inline(never))]
pub fn scratch_needed(src: &[u8], limits: &Limits) -> Result<Need> {
    let header = Header::read(src)?;
    let mut need = Need::default();
    let mut bodies = Bodies::new(src, &header)?;
    while let Some(body) = bodies.next(&mut ())? {
        match &body.content {
            Content::Raw(entry) => match entry.room(src, limits) {
                Ok(room) => need.sink = need.sink.max(room),
                Err(error) if error.class() == Class::Limit => return Err(error),
                // Decoding knows better what is wrong, and that takes a workspace.
                Err(_) => {}
            },
            Content::Set => {
                let Need { slice, sink } = Set::open(src, body.range.start, body.range.end, limits)
                    .and_then(|set| room(header.codec, src, &set, &of_streams(limits)))
                    .map_err(|error| body.locate(error))?;
                need = Need { slice: need.slice.max(slice), sink: need.sink.max(sink) };
            }
        }
    }
    need.sink = need.sink.saturating_add(BUFFER);
    Ok(need)
}

/// What streams may decode to. They are not the output: flags, numbers and literals of a short file can be longer than it is.
pub(crate) const fn of_streams(limits: &Limits) -> Limits {
    Limits { max_output: limits.max_output.saturating_add(limits.max_header), ..*limits }
}

/// Room for the streams of a set that its codec reads, and for what it makes of them as far as their sizes tell.
#[cfg_attr(feature = "small", inline(never))]
fn room(codec: Codec, src: &[u8], set: &Set<'_>, limits: &Limits) -> Result<Need> {
    let (mut sum, mut aside) = (0u64, 0u64);
    for entry in set.entries() {
        let entry = entry?;
        if !wanted(codec, entry.name) {
            continue;
        }
        let (more, for_sink) = match (codec, entry.name) {
            (Codec::Columnar, b"coltypes") => (entry.decoded_size(src, limits)?.saturating_mul(column::RECORD), 0),
            #[cfg(feature = "at1")]
            (Codec::Osm, b"meta") => (osm::ROOM, 0),
            #[cfg(feature = "at1")]
            (Codec::Json, b"tape") => (json::stack_room(entry.decoded_size(src, limits)?, limits), 0),
            #[cfg(feature = "at1")]
            (Codec::Dicom, dicom::PIXELS) => (0, entry.decoded_size(src, limits)?),
            _ => (0, 0),
        };
        sum = sum.saturating_add(entry.room(src, limits)?).saturating_add(more);
        aside = aside.saturating_add(for_sink);
        if sum > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, entry.at).needing(sum));
        }
    }
    Ok(Need { slice: sum, sink: sum.saturating_add(aside) })
}

/// Whether a codec reads the stream of this name.
fn wanted(codec: Codec, name: &[u8]) -> bool {
    let names: &[&[u8]] = match codec {
        #[cfg(feature = "at1")]
        Codec::Ssh => &ssh::NAMES,
        #[cfg(feature = "at1")]
        Codec::Json => &json::NAMES,
        #[cfg(feature = "at1")]
        Codec::Osm => return osm::wanted(name),
        #[cfg(feature = "at1")]
        Codec::Log => &log::NAMES,
        Codec::Columnar => &columnar::NAMES,
        #[cfg(feature = "at1")]
        Codec::Vcf => &vcf::NAMES,
        #[cfg(feature = "at1")]
        Codec::JsonDoc => &jsondoc::NAMES,
        #[cfg(feature = "at1")]
        Codec::QColumnar | Codec::QJson => &qcolumnar::NAMES,
        #[cfg(feature = "at1")]
        Codec::Dicom => &dicom::NAMES,
        #[cfg(feature = "at1")]
        Codec::Embed => &embed::NAMES,
        #[cfg(feature = "at1")]
        Codec::QJson2 => return qjson2::wanted(name),
        #[cfg(feature = "at1")]
        Codec::Bundle => &[bundle::MANIFEST],
        Codec::Raw => &[],
        #[cfg(not(feature = "at1"))]
        _ => &[],
    };
    names.contains(&name)
}

/// What a body is.
enum Content<'a> {
    /// The bytes of the file, compressed as they are.
    Raw(Entry<'a>),
    /// A set of streams.
    Set,
}

/// A whole body, or a frame of one.
struct Body<'a> {
    content: Content<'a>,
    range: Range<u64>,
    /// Whether something says where it ends: its length, or the hash behind it.
    ends: bool,
}

impl Body<'_> {
    /// What is wrong with it. If it is all there, more of the file would not be more of it.
    #[cold]
    fn locate(&self, error: Error) -> Error {
        match self.content {
            _ if !self.ends || error.kind != ErrorKind::Truncated => error,
            Content::Raw(_) => inside(error, 0),
            Content::Set => Error::new(ErrorKind::At1StreamOutside, error.at),
        }
    }
}

/// Walks over the bodies of a file: one, or one a frame.
struct Bodies<'a> {
    src: &'a [u8],
    container: Container,
    codec: Codec,
    at: u64,
    end: u64,
    done: bool,
    frames: u64,
}

impl<'a> Bodies<'a> {
    fn new(src: &'a [u8], header: &Header) -> Result<Self> {
        let Range { start, end } = header.body();
        let Header { container, codec, .. } = *header;
        Ok(Self { src, container, codec, at: start, end, done: false, frames: 0 })
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn next<T: Trace>(&mut self, trace: &mut T) -> Result<Option<Body<'a>>> {
        match self.container {
            Container::Whole if self.done => Ok(None),
            Container::Whole => {
                self.done = true;
                let range = self.at..self.end;
                let content = match self.codec {
                    Codec::Raw => Content::Raw(Entry::unnamed(self.src, range.clone())?),
                    _ => Content::Set,
                };
                Ok(Some(Body { content, range, ends: self.end < u64_from(self.src.len()) }))
            }
            Container::Frames => {
                if !self.done {
                    self.done = true;
                    let (lines, at) = varint(self.src, self.at, self.end)?;
                    trace.bytes(Part::Header, Name::LinesAFrame, self.at..at, Value::U64(lines));
                    self.at = at;
                }
                if self.at == self.end { Ok(None) } else { self.frame(trace).map(Some) }
            }
        }
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn frame<T: Trace>(&mut self, trace: &mut T) -> Result<Body<'a>> {
        let (len, start) = varint(self.src, self.at, self.end)?;
        let end = start.saturating_add(len);
        if end > self.end {
            // Behind a hash there is nothing more to come.
            let cut = self.end == u64_from(self.src.len());
            let kind = if cut { ErrorKind::Truncated } else { ErrorKind::At1StreamOutside };
            return Err(Error::new(kind, self.end).needing(end));
        }
        let method = self.src.get(index(start)..index(end)).and_then(<[u8]>::first);
        let &method = method.ok_or(Error::new(ErrorKind::At1FrameEmpty, self.at))?;
        let range = start.saturating_add(1)..end;
        let (content, name) = match method {
            0 => (Content::Set, "structured"),
            1 => (Content::Raw(Entry::unnamed(self.src, range.clone()).map_err(|error| inside(error, 0))?), "raw"),
            _ => return Err(Error::new(ErrorKind::At1FrameMethod, start)),
        };
        trace.enter(Name::Frame, Value::U64(self.frames));
        trace.bytes(Part::Framing, Name::FrameLength, self.at..start, Value::U64(len));
        trace.bytes(Part::Header, Name::Method, start..range.start, Value::Word(name));
        self.frames = self.frames.saturating_add(1);
        self.at = end;
        Ok(Body { content, range, ends: true })
    }
}

fn run<O: Output>(src: &[u8], header: &Header, out: &mut O, mut lent: Lent<'_, '_>) -> Result<Done> {
    let done = walk(src, header, out, &mut lent);
    done.map_err(|error| out.why().unwrap_or(error))
}

#[cfg_attr(feature = "small", inline(never))]
fn walk<O: Output>(src: &[u8], header: &Header, out: &mut O, lent: &mut Lent<'_, '_>) -> Result<Done> {
    let mut bodies = Bodies::new(src, header)?;
    while let Some(body) = bodies.next(&mut ())? {
        let done = match &body.content {
            Content::Raw(entry) => raw(entry, src, &mut lent.behind(0), out),
            Content::Set => set(src, header, body.range.clone(), lent, out),
        };
        done.map_err(|error| body.locate(error))?;
    }
    let hash = out.hash().map_err(|_| Error::new(ErrorKind::SinkFull, 0))?;
    if let (Some(stored), Some(ours)) = (header.hash, hash)
        && stored != ours
    {
        return Err(Error::new(ErrorKind::At1Hash, header.body_end));
    }
    Ok(Done { read: src.len(), wrote: index(out.written()), hashed: header.hash.is_some() })
}

/// Decodes a body that is one stream.
#[cfg_attr(feature = "small", inline(never))]
fn raw<'a, O: Output>(entry: &Entry<'a>, src: &'a [u8], lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
    let size = entry.decoded_size(src, lent.limits);
    #[cfg(feature = "at1")]
    let size = size.map_err(|error| entry.broken(error, src, lent));
    if !out.fill(size?, |room| entry.decode(src, room, lent.ws, lent.limits))? {
        out.put(entry.load(src, lent)?.bytes)?;
    }
    Ok(())
}

/// Decodes a body that is a set of streams.
#[cfg_attr(feature = "small", inline(never))]
fn set<O: Output>(src: &[u8], header: &Header, range: Range<u64>, lent: &mut Lent<'_, '_>, out: &mut O) -> Result<()> {
    let set = Set::open(src, range.start, range.end, lent.limits)?;
    set.check()?;
    let limits = of_streams(lent.limits);
    structured(header, &set, &mut Lent { limits: &limits, ..lent.behind(0) }, out)
}

/// Decodes the streams of a set.
#[cfg_attr(feature = "small", inline(never))]
fn structured<'a, O: Output>(header: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
    match header.codec {
        #[cfg(feature = "at1")]
        Codec::Ssh => apart(lent, |lent| set.load(&ssh::NAMES, lent, ssh::Log::open), |log, _| log.all(out)),
        #[cfg(feature = "at1")]
        Codec::Json => apart(lent, |lent| set.load(&json::NAMES, lent, json::Tape::open), |tape, _| tape.all(out)),
        #[cfg(feature = "at1")]
        Codec::Osm => apart(lent, |lent| osm::Extract::open(set, lent), |extract, _| extract.all(out)),
        #[cfg(feature = "at1")]
        Codec::Log => apart(lent, |lent| set.load(&log::NAMES, lent, log::Log::open), |log, _| log.all(out)),
        Codec::Columnar => apart(lent, |lent| set.load(&columnar::NAMES, lent, Table::open), |table, _| table.all(out)),
        #[cfg(feature = "at1")]
        Codec::Vcf => apart(lent, |lent| set.load(&vcf::NAMES, lent, vcf::Variants::open), |file, _| file.all(out)),
        #[cfg(feature = "at1")]
        Codec::JsonDoc => {
            apart(lent, |lent| set.load(&jsondoc::NAMES, lent, jsondoc::Document::open), |file, _| file.all(out))
        }
        #[cfg(feature = "at1")]
        Codec::QColumnar | Codec::QJson => {
            let delimited = header.codec == Codec::QColumnar;
            let open = |streams: &_, lent: &mut Lent<'_, 'a>| Rows::open(streams, delimited, lent);
            apart(lent, |lent| set.load(&qcolumnar::NAMES, lent, open), |rows, lent| rows.all(out, lent))
        }
        #[cfg(feature = "at1")]
        Codec::Dicom => {
            apart(lent, |lent| set.load(&dicom::NAMES, lent, dicom::Image::open), |image, lent| image.all(lent, out))
        }
        #[cfg(feature = "at1")]
        Codec::Embed => set.load(&embed::NAMES, lent, |streams, _| embed::all(streams, out)),
        #[cfg(feature = "at1")]
        Codec::QJson2 => qjson2::all(set, lent, out),
        #[cfg(feature = "at1")]
        Codec::Bundle if header.container == Container::Whole => Err(Error::new(ErrorKind::At1BundleWhole, 4)),
        #[cfg(feature = "at1")]
        Codec::Bundle => Err(Error::new(ErrorKind::At1BundleInside, 3)),
        Codec::Raw => Err(Error::new(ErrorKind::At1RawFrame, 4)),
        #[cfg(not(feature = "at1"))]
        _ => Err(Error::new(ErrorKind::FormatNotBuilt, 4)),
    }
}

/// Runs one codec in a stack frame of its own, so that what it keeps there does not add to what the others would. What was opened is
/// used where it lies: to take it out of the result would be a second copy on the stack.
#[inline(never)]
fn apart<'a, T, E>(
    lent: &mut Lent<'_, 'a>,
    open: impl FnOnce(&mut Lent<'_, 'a>) -> Result<T>,
    all: impl FnOnce(&mut T, &mut Lent<'_, 'a>) -> core::result::Result<(), E>,
) -> Result<()>
where
    Error: From<E>,
{
    // What only opening needs is gone from the stack when all is appended.
    match &mut below(|| open(lent)) {
        Ok(opened) if cfg!(feature = "small") => Ok(below(|| all(opened, lent))?),
        Ok(opened) => Ok(all(opened, lent)?),
        Err(error) => Err(*error),
    }
}
