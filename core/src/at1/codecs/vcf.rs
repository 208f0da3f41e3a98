//! Codec 5: genetic variants, nine columns of text and the genotypes of many samples, of which most are the same.

use super::shared::{Decode, Reads, apart, each_line};
use crate::ErrorKind;
use crate::Result;
use crate::at1::digits;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::Set;
use crate::at1::streams::lines::Lines;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::texts::Texts;
use crate::fault::Verdict;

/// The streams of a file, in the order that [`Variants::open`] wants them.
const NAMES: [&[u8]; 13] = [
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

/// Which of the nine columns may hold differences of numbers.
const POSITION: usize = 1;

/// The codec.
pub(crate) struct Vcf;

impl Decode for Vcf {
    const READS: Reads = Reads::Names(&NAMES);

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        apart(lent, |lent| set.load(&NAMES, lent, Variants::open), |file, _| file.all(out))
    }
}

/// A file whose streams are decoded.
struct Variants<'a> {
    lines: u64,
    trailing: bool,
    samples: u64,
    /// The genotype that most samples have.
    common: &'a [u8],
    genotypes: Texts<'a>,
    flags: Numbers<'a>,
    verbatim: Lines<'a>,
    rare: Numbers<'a>,
    columns: [Lines<'a>; 9],
    /// The positions, if they are stored as differences.
    positions: Option<Numbers<'a>>,
    position: i64,
}

impl<'a> Variants<'a> {
    pub(crate) fn open(streams: &[Stream<'a>; 13], lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let [meta, flags, verbatim, rare, columns @ ..] = streams;
        let mut fields = meta.numbers();
        let lines = fields.unsigned()?;
        let trailing = fields.byte()? != 0;
        let samples = fields.unsigned()?;
        let differences = fields.byte()? != 0;
        let common = fields.string()?;
        let count = fields.count()?;
        let genotypes = Texts::strings(count, &mut fields, meta.bytes, &mut lent.scratch)?;
        let positions = columns.get(POSITION).filter(|_| differences).map(|stream| stream.numbers());
        Ok(Self {
            lines,
            trailing,
            samples,
            common,
            genotypes,
            flags: flags.numbers(),
            verbatim: Lines::new(*verbatim),
            rare: rare.numbers(),
            columns: columns.each_ref().map(|stream| Lines::new(*stream)),
            positions,
            position: 0,
        })
    }

    /// Appends all of the file.
    pub(crate) fn all<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        each_line(self.lines, self.trailing, out, |out| {
            match self.flags.byte()? {
                0 => out.put(self.verbatim.item()?),
                _ => self.line(out)?,
            }
            Ok(())
        })
    }

    fn line<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        for (at, column) in self.columns.iter_mut().enumerate() {
            match &mut self.positions {
                Some(positions) if at == POSITION => digits::signed(positions.add_to(&mut self.position)?, out),
                _ => out.put(column.item()?),
            }
            out.byte(b'\t');
        }
        let rare = self.rare.unsigned()?;
        // Where the next sample is written, and where the last rare one was.
        let (mut next, mut sample) = (0u64, None);
        for _ in 0..rare {
            let step = self.rare.unsigned()?;
            let error = || self.rare.fault(ErrorKind::At1Sample);
            let at = match sample {
                None => step,
                Some(last) => step.checked_add(last).filter(|_| step > 0).ok_or_else(error)?,
            };
            if at >= self.samples {
                return Err(error());
            }
            let number = self.rare.index()?;
            let genotype = self.genotypes.get(number).ok_or_else(|| self.rare.fault(ErrorKind::At1TextNumber))?;
            self.commons(next, at, out);
            if at > 0 {
                out.byte(b'\t');
            }
            out.put(genotype);
            (next, sample) = (at.saturating_add(1), Some(at));
        }
        self.commons(next, self.samples, out);
        Ok(())
    }

    /// Appends the genotypes of the samples from `start` up to `end`, which are all the same.
    fn commons<O: Output>(&self, start: u64, end: u64, out: &mut O) {
        if start == 0 && end > 0 {
            out.put(self.common);
        }
        let count = end.saturating_sub(start.max(1));
        out.repeat(b'\t', self.common, count);
    }
}
