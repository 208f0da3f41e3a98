//! Codec 8: lines of JSON of one shape, in the row groups of [`qcolumnar`](super::qcolumnar).
//!
//! A line alternates literals and values, from a first literal to a last one. The stream `template`
//! holds the literals. The stream `paths` names the columns by their keys.

use core::iter;

use crate::at1::streams::numbers::{Numbers, Stream};
use crate::{ErrorKind, Result};

/// The literals around the values of a row.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// The cursor after their number.
    segments: Numbers<'a>,
}

impl<'a> Template<'a> {
    /// Reads a template and checks that it has one literal more than columns.
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

    /// Returns a template that was checked before.
    pub(crate) fn new(stream: Stream<'a>) -> Self {
        let mut segments = stream.numbers();
        let _ = segments.index();
        Self { segments }
    }

    /// Returns the literals in order.
    pub fn segments(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut segments = self.segments;
        iter::from_fn(move || segments.string().ok())
    }

    /// Returns a cursor over the literals.
    pub(crate) const fn numbers(&self) -> Numbers<'a> {
        self.segments
    }
}

/// The names of the columns. Only queries read them.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    names: Numbers<'a>,
    count: usize,
}

impl<'a> Paths<'a> {
    /// Reads the stream `paths`. Without it there are no names.
    pub fn open(stream: Stream<'a>) -> Result<Self> {
        let mut names = stream.numbers();
        let count = names.count_or_none()?;
        let paths = Self { names, count };
        for _ in 0..count {
            names.string()?;
        }
        Ok(paths)
    }

    /// Returns the names in column order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut names = self.names;
        (0..self.count).map_while(move |_| names.string().ok())
    }
}
