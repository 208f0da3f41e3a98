//! Codec 1: lines of JSON as a tape of tokens, with a vocabulary of keys and a column of values for each place.

use super::shared::{Decode, Extra, Reads, apart, each_line};
use crate::at1::budget::WorkBudget;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::{Lent, Scratch};
use crate::at1::streams::lines::Lines;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::texts::{Blobs, Texts};
use crate::at1::streams::{Entry, Set};
use crate::fault::Verdict;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Limits, Result};

/// The streams of a file, in the order that [`Tape::open`] wants them.
const NAMES: [&[u8]; 8] = [b"meta", b"flags", b"verbatim", b"keyvocab", b"value_index", b"values", b"rules", b"tape"];

/// An object or array that is open: how many values are still to come, and what it is.
type Level = [[u8; 8]; 2];

const ARRAY: u64 = 0;
const OBJECT: u64 = 1;
/// Added once a value has been written.
const STARTED: u64 = 2;

/// How much of the scratch the stack takes: one level for each container that can be open. Two bytes of the tape open one.
fn stack_room(tape: u64, limits: &Limits) -> u64 {
    tape.div_ceil(2).min(limits.max_depth.into()).saturating_mul(u64_from(size_of::<Level>()))
}

/// The codec.
pub(crate) struct Json;

impl Decode for Json {
    const READS: Reads = Reads::Names(&NAMES);

    fn extra(entry: &Entry<'_>, limits: &Limits) -> Result<Extra> {
        let always = if entry.name == b"tape" { stack_room(entry.decoded_size(limits)?, limits) } else { 0 };
        Ok(Extra { always, for_sink: 0 })
    }

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        apart(lent, |lent| set.load(&NAMES, lent, Tape::open), |tape, _| tape.all(out))
    }
}

/// A file whose streams are decoded.
struct Tape<'a> {
    lines: u64,
    trailing: bool,
    flags: Numbers<'a>,
    verbatim: Lines<'a>,
    keys: Texts<'a>,
    values: Blobs<'a>,
    /// What the values are made of that follow from others: literals and columns.
    rules: Texts<'a>,
    rules_stream: Stream<'a>,
    tape: Numbers<'a>,
    stack: &'a mut [Level],
    gaps: WorkBudget,
}

impl<'a> Tape<'a> {
    pub(crate) fn open(streams: &[Stream<'a>; 8], lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let Lent { scratch, limits, .. } = lent;
        let &[meta, flags, verbatim, keys, lengths, values, rules_stream, tape] = streams;
        let stack = scratch.take(stack_room(u64_from(tape.bytes.len()), limits))?;
        let mut meta = meta.numbers();
        let (lines, trailing) = (meta.unsigned()?, meta.byte()? == 1);
        let keys = Texts::lines(keys, scratch)?;
        let values = Blobs::open(lengths, values, 1, scratch)?;
        let rules = rules(rules_stream, values.len(), scratch)?;
        let (stack, _) = stack.as_chunks_mut::<8>().0.as_chunks_mut::<2>();
        Ok(Self {
            lines,
            trailing,
            flags: flags.numbers(),
            verbatim: Lines::new(verbatim),
            keys,
            values,
            rules,
            rules_stream,
            tape: tape.numbers(),
            stack,
            gaps: WorkBudget::default(),
        })
    }

    /// Appends all of the file.
    pub(crate) fn all<O: Output>(&mut self, out: &mut O) -> Result<()> {
        self.lines(out).map_err(|fault| match fault.kind {
            ErrorKind::At1Depth => Error::from(fault).needing(u64_from(self.stack.len()).saturating_add(1)),
            _ => fault.into(),
        })
    }

    fn lines<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        each_line(self.lines, self.trailing, out, |out| {
            match self.flags.byte()? {
                0 => out.put(self.verbatim.item()?),
                _ => self.value(out)?,
            }
            Ok(())
        })
    }

    /// Appends a value with all that it contains.
    fn value<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        let mut depth = 0usize;
        loop {
            match self.tape.unsigned()? {
                0 => {
                    let column = self.tape.index()?;
                    out.put(self.values.item(column)?);
                }
                3 => self.derived(out)?,
                kind @ (1 | 2) => {
                    let count = self.tape.unsigned()?;
                    let kind = if kind == 1 { OBJECT } else { ARRAY };
                    out.byte(if kind == OBJECT { b'{' } else { b'[' });
                    let too_deep = || self.tape.fault(ErrorKind::At1Depth);
                    *self.stack.get_mut(depth).ok_or_else(too_deep)? = [count, kind].map(u64::to_le_bytes);
                    depth = depth.saturating_add(1);
                }
                _ => return Err(self.tape.fault(ErrorKind::At1Token)),
            }
            if self.close(&mut depth, out)? {
                return Ok(());
            }
        }
    }

    /// Behind a value or an opening bracket: closes what ends here, or goes on to the next value. `true` when all is closed.
    fn close<O: Output>(&mut self, depth: &mut usize, out: &mut O) -> Verdict<bool> {
        while let Some(top) = depth.checked_sub(1) {
            let Some(level) = self.stack.get_mut(top) else { return Ok(true) };
            let [left, kind] = level.map(u64::from_le_bytes);
            let object = kind & OBJECT == OBJECT;
            if let Some(left) = left.checked_sub(1) {
                if kind & STARTED == STARTED {
                    out.byte(b',');
                }
                *level = [left, kind | STARTED].map(u64::to_le_bytes);
                if object {
                    let number = self.tape.index()?;
                    let key = self.keys.get(number).ok_or_else(|| self.tape.fault(ErrorKind::At1TextNumber))?;
                    out.put(key);
                    out.byte(b':');
                }
                return Ok(false);
            }
            out.byte(if object { b'}' } else { b']' });
            *depth = top;
        }
        Ok(true)
    }

    /// Appends a string that follows from the last values of other columns.
    fn derived<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        let number = self.tape.index()?;
        let rule = self.rules.get(number).ok_or_else(|| self.tape.fault(ErrorKind::At1TextNumber))?;
        let mut literals = Stream { bytes: rule, ..self.rules_stream }.numbers();
        let mut sources = literals;
        for _ in 0..sources.index()? {
            sources.string()?;
        }
        literals.index()?;
        out.byte(b'"');
        for _ in 0..sources.index()? {
            out.put(literals.string()?);
            let last = self.values.last(sources.index()?).unwrap_or_default();
            let inside = match last {
                [b'"', inside @ .., _] => inside,
                all => all,
            };
            out.put(inside);
            if self.gaps.is_overspent(1, out.written()) {
                return Err(self.tape.fault(ErrorKind::At1EmptyGaps));
            }
        }
        out.put(literals.string()?);
        out.byte(b'"');
        Ok(())
    }
}

/// Reads all rules once: each has one literal more than sources, and the sources are there.
fn rules<'a>(stream: Stream<'a>, columns: usize, scratch: &mut Scratch<'a>) -> Verdict<Texts<'a>> {
    let mut numbers = stream.numbers();
    let count = if stream.bytes.is_empty() { 0 } else { numbers.count()? };
    Texts::pieces(count, &mut numbers, stream.bytes, scratch, |numbers| {
        let literals = numbers.count()?;
        for _ in 0..literals {
            numbers.string()?;
        }
        let sources = numbers.index()?;
        if sources.checked_add(1) != Some(literals) {
            return Err(numbers.fault(ErrorKind::At1Rule));
        }
        for _ in 0..sources {
            if numbers.index()? >= columns {
                return Err(numbers.fault(ErrorKind::At1Rule));
            }
        }
        Ok(())
    })
}
