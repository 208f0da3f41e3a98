//! Decoding a range of the content of a file.

use std::ops::Range;

use unspool::{Count, Error, ErrorKind, Limits, Sink};

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

/// Returns the bytes of a frame or a block; empty if the range is not in the file.
pub fn piece<'b>(bytes: &'b [u8], range: &Range<u64>) -> &'b [u8] {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    bytes.get(place(range.start)..place(range.end)).unwrap_or_default()
}

/// A sink that forwards a range of its input and drops the rest.
pub struct Part<'s, S> {
    range: Range<u64>,
    /// The offset of the next piece in the content.
    at: Count,
    to: &'s mut S,
}

impl<'s, S: Sink> Part<'s, S> {
    /// The first byte written has the offset `first`.
    pub fn new(range: Range<u64>, first: u64, to: &'s mut S) -> Self {
        Self { range, at: Count(first), to }
    }
}

impl<S: Sink> Sink for Part<'_, S> {
    fn write(&mut self, piece: &[u8]) -> Result<(), Error> {
        let within =
            |place: u64| usize::try_from(place.saturating_sub(self.at.0)).unwrap_or(usize::MAX).min(piece.len());
        self.to.write(piece.get(within(self.range.start)..within(self.range.end)).unwrap_or_default())?;
        self.at.write(piece)
    }
}
