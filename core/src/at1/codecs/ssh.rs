//! Codec 0: the log of an SSH server, as month, day, time, host, process and message.

use super::shared::{
    Decode, ErrorKind, FlaggedLines, Header, Lent, Lines, Numbers, Output, Set, Stream, Texts, Verdict,
};
use crate::at1::budget::WorkBudget;
use crate::at1::digits;
use crate::at1::streams::lines::find;

/// The gap of a template.
const GAP: &[u8; 3] = b"<*>";

/// A log whose streams are decoded.
pub(crate) struct SshLog<'a> {
    lines: FlaggedLines<'a>,
    /// Month, day, time, host.
    fields: [Lines<'a>; 4],
    processes: Numbers<'a>,
    template_numbers: Numbers<'a>,
    templates: Texts<'a>,
    variables: Lines<'a>,
    messages: Lines<'a>,
    gaps: WorkBudget,
}

impl<'a> Decode<'a, 12> for SshLog<'a> {
    const NAMES: [&'static [u8]; 12] = [
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

    fn open(streams: &[Stream<'a>; 12], _: &Header, _: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, flags, verbatim, months, days, times, hosts, processes, numbers, templates, variables, messages] =
            streams;
        Ok(Self {
            lines: FlaggedLines::open(&mut meta.numbers(), flags, verbatim)?,
            fields: [months, days, times, hosts].map(Lines::new),
            processes: processes.numbers(),
            template_numbers: numbers.numbers(),
            templates: Texts::lines(templates, &mut lent.scratch)?,
            variables: Lines::new(variables),
            messages: Lines::new(messages),
            gaps: WorkBudget::default(),
        })
    }

    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Verdict<()> {
        self.lines.append(out, |flag, out| self.line(flag == 2, out))
    }
}

impl SshLog<'_> {
    fn line(&mut self, templated: bool, out: &mut Output<'_>) -> Verdict<()> {
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
        let mut rest = self.templates.pick(&mut self.template_numbers)?;
        // Missing pieces are empty, and surplus pieces are ignored.
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
