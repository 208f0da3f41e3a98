//! The bodies of a file: one, or one a frame.

use core::ops::Range;

use super::backend::inside;
use super::header::{Codec, Container, HEADER_LEN, Header};
use super::streams::{Entry, Set, varint};
use crate::num::{index, u64_from};
use crate::steps;
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// What a body is.
pub(crate) enum Content<'a> {
    /// The bytes of the file, compressed as they are.
    Raw(Entry<'a>),
    /// A set of streams.
    Set(Set<'a>),
}

/// A whole body, or a frame of one.
pub(crate) struct Body<'a> {
    pub(crate) content: Content<'a>,
    /// Whether something says where it ends: its length, or the hash after it.
    is_bounded: bool,
}

impl Body<'_> {
    /// An error in the body. If all of the body is there, more of the file would not be more of it.
    #[cold]
    pub(crate) fn locate(&self, error: Error) -> Error {
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
    /// Bodies so far.
    pub(crate) count: u64,
}

impl<'a, 'h> Bodies<'a, 'h> {
    pub(crate) const fn new(src: &'a [u8], header: &'h Header, limits: &'h Limits) -> Self {
        Self { src, header, limits, at: HEADER_LEN, is_started: false, count: 0 }
    }

    /// The next body. A frame is a group of the trace that the caller [leaves](Self::leave).
    #[inline(never)]
    pub(crate) fn next<T: Trace>(&mut self, trace: &mut T) -> Result<Option<Body<'a>>> {
        let is_first = !core::mem::replace(&mut self.is_started, true);
        let end = self.header.body_end;
        if self.header.container == Container::Whole {
            let is_bounded = end < u64_from(self.src.len());
            let is_raw = self.header.codec == Codec::Raw;
            return is_first.then(|| self.body(is_raw, HEADER_LEN..end, is_bounded)).transpose();
        }
        if is_first {
            let (lines, at) = varint(self.src, self.at, end)?;
            trace.bytes(Part::Header, Name::LinesAFrame, self.at..at, Value::U64(lines));
            self.at = at;
        }
        (self.at != end).then(|| self.frame(trace)).transpose()
    }

    /// Ends the group of a frame.
    pub(crate) fn leave<T: Trace>(&self, trace: &mut T) {
        if self.header.container == Container::Frames {
            trace.leave();
        }
    }

    #[inline(never)]
    fn frame<T: Trace>(&mut self, trace: &mut T) -> Result<Body<'a>> {
        let body_end = self.header.body_end;
        let (len, start) = varint(self.src, self.at, body_end)?;
        let end = start.saturating_add(len);
        if end > body_end {
            // After a hash nothing can come.
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
        self.body(is_raw, range, true)
    }

    fn body(&mut self, is_raw: bool, range: Range<u64>, is_bounded: bool) -> Result<Body<'a>> {
        self.count = self.count.saturating_add(1);
        steps::count(1);
        let content = if is_raw {
            let entry = Entry::unnamed(self.src, range).map(Content::Raw);
            // A frame without a payload, or with one of no backend, is all there.
            let is_frame = self.header.container == Container::Frames;
            entry.map_err(|error| if is_frame { inside(error, 0) } else { error })?
        } else {
            Set::open(self.src, range.start, range.end, self.limits).map(Content::Set).map_err(|error| {
                let is_outside = is_bounded && error.kind == ErrorKind::Truncated;
                if is_outside { Error::new(ErrorKind::At1StreamOutside, error.at) } else { error }
            })?
        };
        Ok(Body { content, is_bounded })
    }
}
