//! Codec 0: the log of an SSH server, as month, day, time, host, process and message.

use super::shared::{Decode, Reads, apart, each_line};
use crate::ErrorKind;
use crate::Result;
use crate::at1::budget::WorkBudget;
use crate::at1::digits;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::Set;
use crate::at1::streams::lines::{Lines, find};
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::texts::Texts;
use crate::fault::Verdict;

/// The streams of a log, in the order that [`Log::open`] wants them.
const NAMES: [&[u8]; 12] = [
    b"meta",
    b"flags",
    b"verbatim",
    b"months",
    b"days",
    b"times",
    b"hosts",
    b"pids",
    b"template_ids",
    b"templates",
    b"vars",
    b"rawmsgs",
];

/// What a template has where something differs.
const GAP: &[u8; 3] = b"<*>";

/// The codec.
pub(crate) struct Ssh;

impl Decode for Ssh {
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
    verbatim: Lines<'a>,
    /// Month, day, time, host.
    fields: [Lines<'a>; 4],
    processes: Numbers<'a>,
    template_numbers: Numbers<'a>,
    templates: Texts<'a>,
    variables: Lines<'a>,
    messages: Lines<'a>,
    gaps: WorkBudget,
}

impl<'a> Log<'a> {
    pub(crate) fn open(streams: &[Stream<'a>; 12], lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, flags, verbatim, months, days, times, hosts, processes, numbers, templates, variables, messages] =
            streams;
        let mut meta = meta.numbers();
        Ok(Self {
            lines: meta.unsigned()?,
            trailing: meta.byte()? != 0,
            flags: flags.numbers(),
            verbatim: Lines::new(verbatim),
            fields: [months, days, times, hosts].map(Lines::new),
            processes: processes.numbers(),
            template_numbers: numbers.numbers(),
            templates: Texts::lines(templates, &mut lent.scratch)?,
            variables: Lines::new(variables),
            messages: Lines::new(messages),
            gaps: WorkBudget::default(),
        })
    }

    /// Appends all of the file.
    pub(crate) fn all<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        each_line(self.lines, self.trailing, out, |out| {
            match self.flags.byte()? {
                0 => out.put(self.verbatim.item()?),
                flag => self.line(flag == 2, out)?,
            }
            Ok(())
        })
    }

    fn line<O: Output>(&mut self, templated: bool, out: &mut O) -> Verdict<()> {
        for field in &mut self.fields {
            out.put(field.item()?);
            out.byte(b' ');
        }
        out.put(b"sshd[");
        digits::unsigned(self.processes.unsigned()?, out);
        out.put(b"]: ");
        if !templated {
            out.put(self.messages.item()?);
            return Ok(());
        }
        let number = self.template_numbers.index()?;
        let error = || self.template_numbers.fault(ErrorKind::At1TextNumber);
        let mut rest = self.templates.get(number).ok_or_else(error)?;
        // Pieces that are not there are empty, and pieces that are left over are not used.
        let mut pieces = self.variables.item()?;
        while let Some((head, tail)) = find(rest, GAP).and_then(|at| rest.split_at_checked(at)) {
            out.put(head);
            rest = tail.get(GAP.len()..).unwrap_or_default();
            let len = memchr::memchr(0, pieces).unwrap_or(pieces.len());
            out.put(pieces.get(..len).unwrap_or_default());
            pieces = pieces.get(len.saturating_add(1)..).unwrap_or_default();
            if self.gaps.is_overspent(1, out.written()) {
                return Err(self.template_numbers.fault(ErrorKind::At1EmptyGaps));
            }
        }
        out.put(rest);
        Ok(())
    }
}
