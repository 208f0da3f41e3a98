//! The bodies of a file: one, or one a frame.

use core::ops::Range;

use super::backend::inside;
use super::header::{Codec, Container, Header};
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
pub(crate) struct Bodies<'a> {
    src: &'a [u8],
    container: Container,
    codec: Codec,
    limits: &'a Limits,
    at: u64,
    end: u64,
    is_started: bool,
    /// Bodies so far.
    pub(crate) count: u64,
}

impl<'a> Bodies<'a> {
    pub(crate) const fn new(src: &'a [u8], header: &Header, limits: &'a Limits) -> Self {
        let Range { start, end } = header.body();
        let Header { container, codec, .. } = *header;
        Self { src, container, codec, limits, at: start, end, is_started: false, count: 0 }
    }

    /// The next body. A frame is a group of the trace that the caller [leaves](Self::leave).
    #[inline(never)]
    pub(crate) fn next<T: Trace>(&mut self, trace: &mut T) -> Result<Option<Body<'a>>> {
        let is_first = !core::mem::replace(&mut self.is_started, true);
        if self.container == Container::Whole {
            let is_bounded = self.end < u64_from(self.src.len());
            let range = self.at..self.end;
            return match is_first {
                true => self.body(self.codec == Codec::Raw, range, is_bounded).map(Some),
                false => Ok(None),
            };
        }
        if is_first {
            let (lines, at) = varint(self.src, self.at, self.end)?;
            trace.bytes(Part::Header, Name::LinesAFrame, self.at..at, Value::U64(lines));
            self.at = at;
        }
        if self.at == self.end { Ok(None) } else { self.frame(trace).map(Some) }
    }

    /// Ends the group of a frame.
    pub(crate) fn leave<T: Trace>(&self, trace: &mut T) {
        if self.container == Container::Frames {
            trace.leave();
        }
    }

    #[inline(never)]
    fn frame<T: Trace>(&mut self, trace: &mut T) -> Result<Body<'a>> {
        let (len, start) = varint(self.src, self.at, self.end)?;
        let end = start.saturating_add(len);
        if end > self.end {
            // After a hash nothing can come.
            let is_cut = self.end == u64_from(self.src.len());
            let kind = if is_cut { ErrorKind::Truncated } else { ErrorKind::At1StreamOutside };
            return Err(Error::new(kind, self.end).needing(end));
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
            let entry = Entry::unnamed(self.src, range);
            // A frame without a payload, or with one of no backend, is all there.
            Content::Raw(if self.container == Container::Frames {
                entry.map_err(|error| inside(error, 0))?
            } else {
                entry?
            })
        } else {
            Content::Set(Set::open(self.src, range.start, range.end, self.limits).map_err(|error| {
                let is_outside = is_bounded && error.kind == ErrorKind::Truncated;
                if is_outside { Error::new(ErrorKind::At1StreamOutside, error.at) } else { error }
            })?)
        };
        Ok(Body { content, is_bounded })
    }
}
