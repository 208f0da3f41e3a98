//! The contract of a codec, and what several of them share.
//!
//! Codecs take what they are written with from here, under one `use`.

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
    /// Whatever the output is.
    pub(crate) always: u64,
    /// Only if the output is a sink.
    pub(crate) for_sink: u64,
}

/// A file whose `N` streams are decoded, on its way to becoming text again.
pub(crate) trait Decode<'a, const N: usize>: Sized {
    /// The streams that the codec reads, in the order that [`open`](Self::open) takes them.
    const NAMES: [&'static [u8]; N];

    /// Returns whether the codec reads the stream of this name.
    fn reads(name: &[u8]) -> bool {
        Self::NAMES.contains(&name)
    }

    /// Returns the scratch that decoding takes for a stream besides its bytes, as far as its size tells.
    fn extra(_entry: &Entry<'_>, _limits: &Limits) -> Result<Extra> {
        Ok(Extra::default())
    }

    /// Reads what the streams say of the file, before anything is appended.
    fn open(
        streams: &[Stream<'a>; N],
        header: &Header,
        set: &Set<'a>,
        lent: &mut Lent<'_, 'a>,
    ) -> core::result::Result<Self, impl Into<Error>>;

    /// Appends the whole file.
    fn append(&mut self, out: &mut Output<'_>, lent: &mut Lent<'_, 'a>) -> core::result::Result<(), impl Into<Error>>;
}

/// Opens and appends a file in a stack frame of its own, so that the state of one codec does not add to that of another. What was
/// opened is used in place: taking it out of the result would copy it on the stack.
#[inline(never)]
pub(crate) fn run<'a, const N: usize, C: Decode<'a, N>>(
    header: &Header,
    set: &Set<'a>,
    lent: &mut Lent<'_, 'a>,
    out: &mut Output<'_>,
) -> Result<()> {
    let open = |streams: &_, lent: &mut Lent<'_, 'a>| below(|| C::open(streams, header, set, lent)).map_err(Into::into);
    // What only opening needs leaves the stack before the file is appended.
    match &mut below(|| set.load(&C::NAMES, lent, open)) {
        Ok(opened) if tuning::SMALL => below(|| opened.append(out, lent).map_err(Into::into)),
        Ok(opened) => opened.append(out, lent).map_err(Into::into),
        Err(error) => Err(*error),
    }
}

/// Appends `count` lines, each by `line`, with line feeds between them, and one after the last if it is `trailing`. Stops where the
/// output is full.
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

/// The lines of a file, each with a flag that says how it is coded. Flag 0 is a line as it is.
#[derive(Clone, Copy)]
pub(crate) struct FlaggedLines<'a> {
    count: u64,
    /// Not 0 if the last line ends with a line feed.
    pub(crate) trailing: u8,
    flags: Numbers<'a>,
    verbatim: Lines<'a>,
}

impl<'a> FlaggedLines<'a> {
    /// Reads the number of lines and the end of the last from the start of `meta`.
    pub(crate) fn open(meta: &mut Numbers<'_>, flags: Stream<'a>, verbatim: Stream<'a>) -> Verdict<Self> {
        let (count, trailing) = (meta.unsigned()?, meta.byte()?);
        Ok(Self { count, trailing, flags: flags.numbers(), verbatim: Lines::new(verbatim) })
    }

    /// Appends all lines; `line` appends one whose flag is not 0.
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

/// Appends a text in which each NUL stands for something that `fill` appends.
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
