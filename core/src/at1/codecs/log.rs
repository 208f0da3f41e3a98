//! Codec 3: a log whose lines share templates, with gaps for what differs.

use crate::ErrorKind;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::lines::Lines;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::texts::Texts;
use crate::fault::Verdict;

/// The streams of a log, in the order that [`Log::open`] wants them.
pub(crate) const NAMES: [&[u8]; 6] = [b"meta", b"flags", b"templates", b"tids", b"vars", b"verbatim"];

/// A log whose streams are decoded.
pub(crate) struct Log<'a> {
    lines: u64,
    trailing: bool,
    flags: Numbers<'a>,
    templates: Texts<'a>,
    numbers: Numbers<'a>,
    variables: Lines<'a>,
    verbatim: Lines<'a>,
}

impl<'a> Log<'a> {
    pub(crate) fn open(streams: &[Stream<'a>; 6], lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, flags, templates, numbers, variables, verbatim] = streams;
        let mut meta = meta.numbers();
        Ok(Self {
            lines: meta.unsigned()?,
            trailing: meta.byte()? != 0,
            flags: flags.numbers(),
            templates: Texts::lines(templates, &mut lent.scratch)?,
            numbers: numbers.numbers(),
            variables: Lines::new(variables),
            verbatim: Lines::new(verbatim),
        })
    }

    /// Appends all of the file.
    pub(crate) fn all<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        for line in 0..self.lines {
            if line > 0 {
                out.byte(b'\n')?;
            }
            if self.flags.byte()? == 0 {
                out.put(self.verbatim.item()?)?;
                continue;
            }
            let template = self.numbers.index()?;
            let template = self.templates.get(template).ok_or_else(|| self.numbers.fault(ErrorKind::At1TextNumber))?;
            gaps(template, out, |out| {
                let item = self.variables.item()?;
                Ok(out.put(item)?)
            })?;
        }
        if self.trailing {
            out.byte(b'\n')?;
        }
        Ok(())
    }
}

/// Appends a text in which each NUL stands for something that `fill` appends.
pub(crate) fn gaps<O: Output>(
    mut text: &[u8],
    out: &mut O,
    mut fill: impl FnMut(&mut O) -> Verdict<()>,
) -> Verdict<()> {
    while let Some((head, rest)) = memchr::memchr(0, text).and_then(|at| text.split_at_checked(at)) {
        out.put(head)?;
        fill(out)?;
        text = rest.get(1..).unwrap_or_default();
    }
    Ok(out.put(text)?)
}
