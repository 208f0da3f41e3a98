//! Codec 3: a log whose lines share templates, with gaps for what differs.

use super::shared::{Decode, Reads, apart, each_line, fill_gaps};
use crate::ErrorKind;
use crate::Result;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::Set;
use crate::at1::streams::lines::Lines;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::texts::Texts;
use crate::fault::Verdict;

/// The streams of a log, in the order that [`Log::open`] wants them.
const NAMES: [&[u8]; 6] = [b"meta", b"flags", b"templates", b"tids", b"vars", b"verbatim"];

/// The codec.
pub(crate) struct Logs;

impl Decode for Logs {
    const READS: Reads = Reads::Names(&NAMES);

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        apart(lent, |lent| set.load(&NAMES, lent, Log::open), |log, _| log.all(out))
    }
}

/// A log whose streams are decoded.
struct Log<'a> {
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
        each_line(self.lines, self.trailing, out, |out| {
            if self.flags.byte()? == 0 {
                out.put(self.verbatim.item()?);
                return Ok(());
            }
            let template = self.numbers.index()?;
            let template = self.templates.get(template).ok_or_else(|| self.numbers.fault(ErrorKind::At1TextNumber))?;
            fill_gaps(template, out, |out| {
                out.put(self.variables.item()?);
                Ok(())
            })
        })
    }
}
