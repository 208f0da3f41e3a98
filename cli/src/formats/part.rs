//! Decoding a range of the content of a file.

use std::ops::Range;

use unspool::{Count, Error, ErrorKind, Limits, Sink};

use super::Stop;
use crate::source::Source;

/// Resolves a range within `content` bytes; an omitted end means the start or the end of the
/// content.
pub fn bounds(wanted: &Range<Option<u64>>, content: u64, limits: &Limits) -> Result<Range<u64>, Error> {
    let range = wanted.start.unwrap_or(0)..wanted.end.unwrap_or(content);
    if range.start > range.end || range.end > content {
        return Err(Error::new(ErrorKind::RangeOutside, 0));
    }
    let len = range.end - range.start;
    if len > limits.max_output {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(len));
    }
    Ok(range)
}

/// Decodes everything with `decode`, and writes a range of it.
///
/// The content of a file is counted first, so that nothing is written if the range is not within
/// it. That of a stream shows only at its end.
pub fn in_order(
    source: &mut Source,
    wanted: &Range<Option<u64>>,
    limits: &Limits,
    to: &mut impl Sink,
    mut decode: impl FnMut(&mut Source, &mut dyn Sink) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut content = Count(0);
    if source.len().is_some() {
        // If that fails, decoding again writes what precedes the error.
        if decode(source, &mut content).is_ok() {
            bounds(wanted, content.0, limits)?;
        }
        source.rewind();
    }
    let range = wanted.start.unwrap_or(0)..wanted.end.unwrap_or(u64::MAX);
    let mut part = Part::new(range, 0, to);
    decode(source, &mut part)?;
    bounds(wanted, part.end(), limits)?;
    Ok(())
}

/// A sink that forwards a range of its input and drops the rest.
pub struct Part<'s, S: ?Sized> {
    range: Range<u64>,
    /// The offset of the next piece in the content.
    at: Count,
    to: &'s mut S,
}

impl<'s, S: Sink + ?Sized> Part<'s, S> {
    /// The first byte written has the offset `first`.
    pub fn new(range: Range<u64>, first: u64, to: &'s mut S) -> Self {
        Self { range, at: Count(first), to }
    }

    /// Returns the offset of the next piece in the content.
    pub fn end(&self) -> u64 {
        self.at.0
    }
}

impl<S: Sink + ?Sized> Sink for Part<'_, S> {
    fn write(&mut self, piece: &[u8]) -> Result<(), Error> {
        let within =
            |place: u64| usize::try_from(place.saturating_sub(self.at.0)).unwrap_or(usize::MAX).min(piece.len());
        self.to.write(piece.get(within(self.range.start)..within(self.range.end)).unwrap_or_default())?;
        self.at.write(piece)
    }
}
