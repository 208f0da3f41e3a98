//! Codec 3: a log whose lines share templates, with gaps for the parts that differ.

use super::shared::{
    Decode, FlaggedLines, Header, Lent, Lines, Numbers, Output, Set, Stream, Texts, Verdict, fill_gaps,
};

/// A log whose streams are decoded.
pub(crate) struct TemplateLog<'a> {
    lines: FlaggedLines<'a>,
    templates: Texts<'a>,
    numbers: Numbers<'a>,
    variables: Lines<'a>,
}

impl<'a> Decode<'a, 6> for TemplateLog<'a> {
    const NAMES: [&'static [u8]; 6] = [b"meta", b"flags", b"templates", b"tids", b"vars", b"verbatim"];

    fn open(streams: &[Stream<'a>; 6], _: &Header, _: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let &[meta, flags, templates, numbers, variables, verbatim] = streams;
        Ok(Self {
            lines: FlaggedLines::open(&mut meta.numbers(), flags, verbatim)?,
            templates: Texts::lines(templates, &mut lent.scratch)?,
            numbers: numbers.numbers(),
            variables: Lines::new(variables),
        })
    }

    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Verdict<()> {
        self.lines.append(out, |_, out| {
            let template = self.templates.pick(&mut self.numbers)?;
            fill_gaps(template, out, |out| self.variables.item().map(|item| out.put(item)))
        })
    }
}
