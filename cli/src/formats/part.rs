//! A part of what a file decodes to.

use std::ops::Range;

use unspool::{Count, Error, ErrorKind, Limits, Sink};

/// The bytes that are wanted of so many; those of which either end was left out reach to the start or the end.
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

/// The bytes of a frame or a block, as far as they are in the file.
pub fn piece<'b>(bytes: &'b [u8], range: &Range<u64>) -> &'b [u8] {
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    bytes.get(place(range.start)..place(range.end)).unwrap_or_default()
}

/// A sink that lets a range through of what comes, and drops the rest.
pub struct Part<'s, S> {
    range: Range<u64>,
    /// Where the next piece lies.
    at: Count,
    to: &'s mut S,
}

impl<'s, S: Sink> Part<'s, S> {
    /// What comes starts at `first`.
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
