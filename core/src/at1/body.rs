//! The bodies of a file: one in a whole file, one per frame otherwise.

use core::ops::Range;

use super::backend::inside;
use super::header::{Codec, Container, HEADER_LEN, Header, TRAILER_LEN};
use super::streams::{Entry, Set, varint};
use crate::num::{index, u64_from};
use crate::steps;
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// The content of a body.
pub(crate) enum Content<'a> {
    /// The decoded file itself, compressed.
    Raw(Entry<'a>),
    /// A set of streams that a codec reads.
    Set(Set<'a>),
}

/// Passes each body of a file to `run`, which returns whether to go on. Returns the number of
/// bodies.
///
/// A frame is a group of the trace.
// Each caller has an instance of its own. Out of line, it would be one more frame on the stack.
#[inline(always)]
pub(crate) fn each_body<'a, T: Trace>(
    src: &'a [u8],
    header: &Header,
    limits: &Limits,
    trace: &mut T,
    mut run: impl FnMut(&Content<'a>, &mut T) -> Result<bool>,
) -> Result<u64> {
    let (mut bodies, mut body) = (Bodies::new(src, header, limits), Body::NONE);
    loop {
        match bodies.next(&mut body, trace) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Err(bodies.cut(error)),
        }
        let goes_on = match run(&body.content, trace) {
            Ok(goes_on) => goes_on,
            Err(error) => return Err(bodies.cut(body.locate(error))),
        };
        if header.container == Container::Frames {
            trace.leave();
        }
        if !goes_on {
            break;
        }
    }
    Ok(bodies.count)
}

/// The body of a whole file or of a frame.
pub(crate) struct Body<'a> {
    pub(crate) content: Content<'a>,
    /// A length or a trailing hash says where the body ends.
    is_bounded: bool,
}

impl Body<'_> {
    /// No body.
    pub(crate) const NONE: Self = Self { content: Content::Raw(Entry::NONE), is_bounded: false };

    /// Replaces `Truncated` if the body is complete, because more of the file would not extend it.
    #[cold]
    fn locate(&self, error: Error) -> Error {
        match self.content {
            _ if !self.is_bounded || error.kind != ErrorKind::Truncated => error,
            Content::Raw(_) => inside(error, 0),
            Content::Set(_) => Error::new(ErrorKind::At1StreamOutside, error.at),
        }
    }
}

/// Walks over the bodies of a file.
pub(crate) struct Bodies<'a, 'h> {
    src: &'a [u8],
    header: &'h Header,
    limits: &'h Limits,
    at: u64,
    is_started: bool,
    /// Bodies read so far.
    pub(crate) count: u64,
}

impl<'a, 'h> Bodies<'a, 'h> {
    /// Starts before the first body.
    #[inline]
    pub(crate) const fn new(src: &'a [u8], header: &'h Header, limits: &'h Limits) -> Self {
        Self { src, header, limits, at: HEADER_LEN, is_started: false, count: 0 }
    }

    /// Reads the next body. Returns whether there was one.
    #[inline(never)]
    pub(crate) fn next<T: Trace>(&mut self, body: &mut Body<'a>, trace: &mut T) -> Result<bool> {
        let is_first = !core::mem::replace(&mut self.is_started, true);
        let end = self.header.body_end;
        if self.header.container == Container::Whole {
            let is_bounded = end < u64_from(self.src.len());
            let is_raw = self.header.codec == Codec::Raw;
            if is_first {
                self.body(body, is_raw, HEADER_LEN..end, is_bounded)?;
            }
            return Ok(is_first);
        }
        if is_first {
            let (lines, at) = varint(self.src, self.at, end)?;
            trace.bytes(Part::Header, Name::LinesAFrame, self.at..at, Value::U64(lines));
            self.at = at;
        }
        if self.at == end {
            return Ok(false);
        }
        self.frame(body, trace)?;
        Ok(true)
    }

    /// Replaces the error of bytes that belong to nothing if they may be the start of a trailer: a
    /// hash, of which any byte is possible. Then the file was cut.
    #[cold]
    #[inline(never)]
    fn cut(&self, error: Error) -> Error {
        let Header { container, codec, hash, .. } = *self.header;
        let mut start = error.at;
        let is_after_body = match error.kind {
            ErrorKind::At1Trailing | ErrorKind::At1FrameEmpty | ErrorKind::At1FrameMethod => true,
            // After the only frame or stream of a payload.
            ErrorKind::ZstdMagic | ErrorKind::XzMagic => codec == Codec::Raw && error.at > HEADER_LEN.saturating_add(1),
            // The hash was read as the length of a frame after the last one.
            ErrorKind::VarintTooLong if container == Container::Frames && error.at >= self.at => {
                start = self.at;
                start > HEADER_LEN
            }
            _ => false,
        };
        let (len, end) = (u64_from(self.src.len()), start.saturating_add(TRAILER_LEN));
        // A bundle has no trailer.
        let may_have = hash.is_none() && (codec != Codec::Bundle || container == Container::Frames);
        if is_after_body && may_have && len < end {
            return Error::new(ErrorKind::Truncated, len).needing(end);
        }
        error
    }

    #[inline(never)]
    fn frame<T: Trace>(&mut self, body: &mut Body<'a>, trace: &mut T) -> Result<()> {
        let body_end = self.header.body_end;
        let (len, start) = varint(self.src, self.at, body_end)?;
        let end = start.saturating_add(len);
        if end > body_end {
            // No frame can follow a hash, so that the file was not cut.
            let is_cut = body_end == u64_from(self.src.len());
            let kind = if is_cut { ErrorKind::Truncated } else { ErrorKind::At1StreamOutside };
            return Err(Error::new(kind, body_end).needing(end));
        }
        let method = self.src.get(index(start)..index(end)).and_then(<[u8]>::first);
        let (is_raw, name) = match method {
            None => return Err(Error::new(ErrorKind::At1FrameEmpty, self.at)),
            Some(0) => (false, "structured"),
            Some(1) => (true, "raw"),
            Some(_) => return Err(Error::new(ErrorKind::At1FrameMethod, start)),
        };
        let range = start.saturating_add(1)..end;
        trace.enter(Name::Frame, Value::U64(self.count));
        trace.bytes(Part::Framing, Name::FrameLength, self.at..start, Value::U64(len));
        trace.bytes(Part::Header, Name::Method, start..range.start, Value::Word(name));
        self.at = end;
        self.body(body, is_raw, range, true)
    }

    fn body(&mut self, body: &mut Body<'a>, is_raw: bool, range: Range<u64>, is_bounded: bool) -> Result<()> {
        self.count = self.count.saturating_add(1);
        steps::count(1);
        body.is_bounded = is_bounded;
        body.content = if is_raw {
            let entry = Entry::unnamed(self.src, range).map(Content::Raw);
            // A frame is complete, so that a missing payload or an unknown backend is no
            // truncation.
            let is_frame = self.header.container == Container::Frames;
            entry.map_err(|error| if is_frame { inside(error, 0) } else { error })?
        } else {
            Set::open(self.src, range.start, range.end, self.limits).map(Content::Set).map_err(|error| {
                let is_outside = is_bounded && error.kind == ErrorKind::Truncated;
                if is_outside { Error::new(ErrorKind::At1StreamOutside, error.at) } else { error }
            })?
        };
        Ok(())
    }
}
