//! What a codec must say of itself, and what several of them share.

use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::{Lent, below};
use crate::at1::streams::{Entry, Set};
#[cfg(feature = "at1")]
use crate::fault::Verdict;
use crate::{Error, Limits, Result, tuning};

/// The streams that a codec reads.
pub(crate) enum Reads {
    /// Those of these names.
    Names(&'static [&'static [u8]]),
    /// Those whose name passes a test.
    #[cfg(feature = "at1")]
    Rule(fn(&[u8]) -> bool),
}

/// Scratch besides the bytes of streams.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extra {
    /// Whatever the output is.
    pub(crate) always: u64,
    /// Only if the output is a sink.
    pub(crate) for_sink: u64,
}

/// A codec: a way to put a file together again.
pub(crate) trait Decode {
    const READS: Reads;

    /// The scratch that decoding takes for a stream that it reads, besides the bytes of the stream, as far as its size tells.
    fn extra(_entry: &Entry<'_>, _limits: &Limits) -> Result<Extra> {
        Ok(Extra::default())
    }

    /// Appends the file whose streams are in the set.
    fn decode<'a, O: Output>(header: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()>;
}

/// Opens and decodes in a stack frame of its own, so that what one codec keeps there does not add to what the others do. What was opened
/// is used in place: taking it out of the result would copy it on the stack.
#[inline(never)]
pub(crate) fn apart<'a, T, E>(
    lent: &mut Lent<'_, 'a>,
    open: impl FnOnce(&mut Lent<'_, 'a>) -> Result<T>,
    all: impl FnOnce(&mut T, &mut Lent<'_, 'a>) -> core::result::Result<(), E>,
) -> Result<()>
where
    Error: From<E>,
{
    // What only opening needs leaves the stack before the file is appended.
    match &mut below(|| open(lent)) {
        Ok(opened) if tuning::SMALL => Ok(below(|| all(opened, lent))?),
        Ok(opened) => Ok(all(opened, lent)?),
        Err(error) => Err(*error),
    }
}

/// Appends `count` lines, each by `line`, with line feeds between them, and one after the last if it is `trailing`. Stops where the output is
/// full.
#[cfg(feature = "at1")]
#[inline]
pub(crate) fn each_line<O: Output, E>(
    count: u64,
    trailing: bool,
    out: &mut O,
    mut line: impl FnMut(&mut O) -> core::result::Result<(), E>,
) -> core::result::Result<(), E> {
    for number in 0..count {
        if number > 0 {
            out.byte(b'\n');
        }
        line(out)?;
        if out.is_full() {
            return Ok(());
        }
    }
    if trailing {
        out.byte(b'\n');
    }
    Ok(())
}

/// Appends a text in which each NUL stands for something that `fill` appends.
#[cfg(feature = "at1")]
pub(crate) fn fill_gaps<O: Output>(
    mut text: &[u8],
    out: &mut O,
    mut fill: impl FnMut(&mut O) -> Verdict<()>,
) -> Verdict<()> {
    while let Some((head, rest)) = memchr::memchr(0, text).and_then(|at| text.split_at_checked(at)) {
        out.put(head);
        fill(out)?;
        text = rest.get(1..).unwrap_or_default();
    }
    out.put(text);
    Ok(())
}
