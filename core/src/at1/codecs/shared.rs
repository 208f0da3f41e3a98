//! The contract of a codec, and code that several codecs share.
//!
//! The re-exports are the types that every codec uses.

pub(crate) use crate::at1::header::{Codec, Header};
pub(crate) use crate::at1::output::Output;
pub(crate) use crate::at1::scratch::{Lent, Scratch, Word, below};
pub(crate) use crate::at1::streams::lines::Lines;
pub(crate) use crate::at1::streams::numbers::{Numbers, Stream};
pub(crate) use crate::at1::streams::texts::{Blobs, Texts};
pub(crate) use crate::at1::streams::{Entry, Set};
pub(crate) use crate::fault::{Fault, Verdict};
pub(crate) use crate::{Error, ErrorKind, Limits, Result};

use crate::tuning;

/// Scratch besides the bytes of streams.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extra {
    /// For any output.
    pub(crate) always: u64,
    /// For a sink only.
    pub(crate) for_sink: u64,
}

/// A codec: its `N` streams, and the state from which it restores a file.
pub(crate) trait Decode<'a, const N: usize>: Sized {
    /// The streams that the codec reads, in the order that [`open`](Self::open) takes them.
    const NAMES: [&'static [u8]; N];

    /// Returns whether the codec reads the stream of this name.
    fn reads(name: &[u8]) -> bool {
        Self::NAMES.contains(&name)
    }

    /// Returns the scratch for a stream besides its bytes, as far as its size says.
    fn extra(_entry: &Entry<'_>, _limits: &Limits) -> Result<Extra> {
        Ok(Extra::default())
    }

    /// Reads the streams up to the first line, before anything is appended.
    fn open(
        streams: &[Stream<'a>; N],
        header: &Header,
        set: &Set<'a>,
        lent: &mut Lent<'_, 'a>,
    ) -> core::result::Result<Self, impl Into<Error>>;

    /// Appends the whole file.
    fn append(&mut self, out: &mut Output<'_>, lent: &mut Lent<'_, 'a>) -> core::result::Result<(), impl Into<Error>>;
}

/// Opens and appends a file in its own stack frame, so that codecs do not add up there. Uses the
/// opened state in place, because moving it out of the `Result` would copy it on the stack.
#[inline(never)]
pub(crate) fn run<'a, const N: usize, C: Decode<'a, N>>(
    header: &Header,
    set: &Set<'a>,
    lent: &mut Lent<'_, 'a>,
    out: &mut Output<'_>,
) -> Result<()> {
    let open = |streams: &_, lent: &mut Lent<'_, 'a>| below(|| C::open(streams, header, set, lent)).map_err(Into::into);
    // Locals of `open` leave the stack before the file is appended.
    match &mut below(|| set.load(&C::NAMES, lent, open)) {
        Ok(opened) if tuning::SMALL => below(|| opened.append(out, lent).map_err(Into::into)),
        Ok(opened) => opened.append(out, lent).map_err(Into::into),
        Err(error) => Err(*error),
    }
}

/// Appends `count` lines with `line`, separated by line feeds. Appends a line feed after the last
/// line if it is `trailing`. Stops if the output is full.
#[inline]
pub(crate) fn each_line<E>(
    count: u64,
    trailing: bool,
    out: &mut Output<'_>,
    mut line: impl FnMut(&mut Output<'_>) -> core::result::Result<(), E>,
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

/// The lines of a file, with one flag each. Flag 0 is a verbatim line.
#[derive(Clone, Copy)]
pub(crate) struct FlaggedLines<'a> {
    count: u64,
    /// Not 0 if the last line ends with a line feed.
    pub(crate) trailing: u8,
    flags: Numbers<'a>,
    verbatim: Lines<'a>,
}

impl<'a> FlaggedLines<'a> {
    /// Reads the number of lines and `trailing` from the start of `meta`.
    pub(crate) fn open(meta: &mut Numbers<'_>, flags: Stream<'a>, verbatim: Stream<'a>) -> Verdict<Self> {
        let (count, trailing) = (meta.unsigned()?, meta.byte()?);
        Ok(Self { count, trailing, flags: flags.numbers(), verbatim: Lines::new(verbatim) })
    }

    /// Appends all lines. `line` appends those with another flag than 0.
    #[inline]
    pub(crate) fn append(
        mut self,
        out: &mut Output<'_>,
        mut line: impl FnMut(u8, &mut Output<'_>) -> Verdict<()>,
    ) -> Verdict<()> {
        each_line(self.count, self.trailing != 0, out, |out| match self.flags.byte()? {
            0 => self.verbatim.item().map(|item| out.put(item)),
            flag => line(flag, out),
        })
    }
}

/// Appends a text. `fill` appends a value for each NUL in it.
pub(crate) fn fill_gaps(
    mut text: &[u8],
    out: &mut Output<'_>,
    mut fill: impl FnMut(&mut Output<'_>) -> Verdict<()>,
) -> Verdict<()> {
    while let Some((head, rest)) = memchr::memchr(0, text).and_then(|at| text.split_at_checked(at)) {
        out.put(head);
        fill(out)?;
        text = rest.get(1..).unwrap_or_default();
    }
    out.put(text);
    Ok(())
}
