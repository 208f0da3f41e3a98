//! Codec 8: lines of JSON of one shape, in the row groups of [`qcolumnar`](super::qcolumnar).
//!
//! A line is a literal, the value of column 0, a literal, the value of column 1 and so on up to a last literal. The
//! literals are the `template`; `paths` names the columns for whoever asks for one by its key.

use core::iter;

use crate::at1::streams::numbers::{Numbers, Stream};
use crate::{ErrorKind, Result};

/// The literals around the values of a row.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// Behind their number.
    segments: Numbers<'a>,
}

impl<'a> Template<'a> {
    /// Reads a template once and checks that it has one literal more than there are columns.
    pub fn open(stream: Stream<'a>, columns: usize) -> Result<Self> {
        let mut segments = stream.numbers();
        if segments.count()? != columns.saturating_add(1) {
            return Err(segments.fault(ErrorKind::At1Template).into());
        }
        let template = Self { segments };
        for _ in 0..=columns {
            segments.string()?;
        }
        Ok(template)
    }

    /// A template that was checked before.
    pub(crate) fn new(stream: Stream<'a>) -> Self {
        let mut segments = stream.numbers();
        let _ = segments.index();
        Self { segments }
    }

    /// The literals, from the first.
    pub fn segments(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut segments = self.segments;
        iter::from_fn(move || segments.string().ok())
    }

    /// The same as a cursor: strings one after the other.
    pub(crate) const fn numbers(&self) -> Numbers<'a> {
        self.segments
    }
}

/// The names of the columns, which only a query reads.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    names: Numbers<'a>,
    count: usize,
}

impl<'a> Paths<'a> {
    /// Reads the stream `paths` once. A file without it has no names.
    pub fn open(stream: Stream<'a>) -> Result<Self> {
        let mut names = stream.numbers();
        let count = names.count_or_none()?;
        let paths = Self { names, count };
        for _ in 0..count {
            names.string()?;
        }
        Ok(paths)
    }

    /// The names in the order of the columns.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut names = self.names;
        (0..self.count).map_while(move |_| names.string().ok())
    }
}
