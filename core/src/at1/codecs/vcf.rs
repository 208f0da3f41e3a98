//! Codec 5: genetic variants. Nine columns of text, then the genotypes of many samples, most of
//! them equal.

use super::shared::{
    Decode, ErrorKind, FlaggedLines, Header, Lent, Lines, Numbers, Output, Set, Stream, Texts, Verdict,
};
use crate::at1::digits;

/// The column that may hold differences of numbers.
const POSITION: usize = 1;

/// A file whose streams are decoded.
pub(crate) struct Variants<'a> {
    lines: FlaggedLines<'a>,
    samples: u64,
    /// The most common genotype.
    common: &'a [u8],
    genotypes: Texts<'a>,
    rare: Numbers<'a>,
    columns: [Lines<'a>; 9],
    /// The positions, if they are stored as differences.
    positions: Option<Numbers<'a>>,
    position: i64,
}

impl<'a> Decode<'a, 13> for Variants<'a> {
    const NAMES: [&'static [u8]; 13] = [
        b"meta",
        b"flags",
        b"verbatim",
        b"gt",
        b"chrom",
        b"pos",
        b"id",
        b"ref",
        b"alt",
        b"qual",
        b"filter",
        b"info",
        b"format",
    ];

    fn open(streams: &[Stream<'a>; 13], _: &Header, _: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let [meta, flags, verbatim, rare, columns @ ..] = streams;
        let mut fields = meta.numbers();
        let lines = FlaggedLines::open(&mut fields, *flags, *verbatim)?;
        let (samples, differences, common) = (fields.unsigned()?, fields.byte()? != 0, fields.string()?);
        let count = fields.count()?;
        Ok(Self {
            lines,
            samples,
            common,
            genotypes: Texts::strings(count, &mut fields, meta.bytes, &mut lent.scratch)?,
            rare: rare.numbers(),
            columns: columns.map(Lines::new),
            positions: columns.get(POSITION).filter(|_| differences).map(|stream| stream.numbers()),
            position: 0,
        })
    }

    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Verdict<()> {
        self.lines.append(out, |_, out| self.line(out))
    }
}

impl Variants<'_> {
    fn line(&mut self, out: &mut Output<'_>) -> Verdict<()> {
        for (at, column) in self.columns.iter_mut().enumerate() {
            match &mut self.positions {
                Some(positions) if at == POSITION => digits::signed(positions.add_to(&mut self.position)?, out),
                _ => out.put(column.item()?),
            }
            out.byte(b'\t');
        }
        let rare = self.rare.unsigned()?;
        let mut next = 0u64;
        for _ in 0..rare {
            // The first sample counts from 0, the others from the one before.
            let step = self.rare.unsigned()?;
            let skipped = if next == 0 { Some(step) } else { step.checked_sub(1) };
            let at = skipped.and_then(|skipped| next.checked_add(skipped)).filter(|&at| at < self.samples);
            let at = at.ok_or_else(|| self.rare.fault(ErrorKind::At1Sample))?;
            let genotype = self.genotypes.pick(&mut self.rare)?;
            self.commons(next, at, out);
            if at > 0 {
                out.byte(b'\t');
            }
            out.put(genotype);
            next = at + 1;
        }
        self.commons(next, self.samples, out);
        Ok(())
    }

    /// Appends the common genotype for the samples from `start` up to `end`.
    fn commons(&self, start: u64, end: u64, out: &mut Output<'_>) {
        if start == 0 && end > 0 {
            out.put(self.common);
        }
        let count = end.saturating_sub(start.max(1));
        out.repeat(b'\t', self.common, count);
    }
}
