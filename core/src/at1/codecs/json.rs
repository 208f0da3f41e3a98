//! Codec 1: lines of JSON as a tape of tokens, with a vocabulary of keys and a column of values for
//! each place.

use super::shared::{
    Blobs, Decode, Entry, Error, ErrorKind, Extra, FlaggedLines, Header, Lent, Limits, Numbers, Output, Result,
    Scratch, Set, Stream, Texts, Verdict, Word,
};
use crate::at1::budget::WorkBudget;
use crate::num::u64_from;

const ARRAY: u64 = 0;
const OBJECT: u64 = 1;
/// Flag of a container that holds a value already.
const STARTED: u64 = 2;

/// Returns the number of containers that can be open at a time. Two bytes of the tape open one.
fn max_depth(tape: u64, limits: &Limits) -> u64 {
    tape.div_ceil(2).min(limits.max_depth.into())
}

/// A file whose streams are decoded.
pub(crate) struct Tape<'a> {
    lines: FlaggedLines<'a>,
    keys: Texts<'a>,
    values: Blobs<'a>,
    /// The literals and columns of derived values.
    rules: Texts<'a>,
    rules_stream: Stream<'a>,
    tape: Numbers<'a>,
    /// The open containers: values still to come, and the kind of container.
    stack: &'a mut [[Word; 2]],
    gaps: WorkBudget,
}

impl<'a> Decode<'a, 8> for Tape<'a> {
    const NAMES: [&'static [u8]; 8] =
        [b"meta", b"flags", b"verbatim", b"keyvocab", b"value_index", b"values", b"rules", b"tape"];

    fn extra(entry: &Entry<'_>, limits: &Limits) -> Result<Extra> {
        let depth = if entry.name == b"tape" { max_depth(entry.decoded_size(limits)?, limits) } else { 0 };
        Ok(Extra { always: depth.saturating_mul(16), for_sink: 0 })
    }

    fn open(streams: &[Stream<'a>; 8], _: &Header, _: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Verdict<Self> {
        let Lent { scratch, limits, .. } = lent;
        let &[meta, flags, verbatim, keys, lengths, values, rules_stream, tape] = streams;
        let stack = scratch.records(max_depth(u64_from(tape.bytes.len()), limits))?;
        let mut lines = FlaggedLines::open(&mut meta.numbers(), flags, verbatim)?;
        // In this codec only 1 is a trailing line feed.
        lines.trailing = u8::from(lines.trailing == 1);
        let keys = Texts::lines(keys, scratch)?;
        let values = Blobs::open(lengths, values, 1, scratch)?;
        let rules = rules(rules_stream, values.len(), scratch)?;
        Ok(Self { lines, keys, values, rules, rules_stream, tape: tape.numbers(), stack, gaps: WorkBudget::default() })
    }

    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Result<()> {
        self.lines.append(out, |_, out| self.value(out)).map_err(|fault| match fault.kind {
            ErrorKind::At1Depth => Error::from(fault).needing(u64_from(self.stack.len()).saturating_add(1)),
            _ => fault.into(),
        })
    }
}

impl Tape<'_> {
    /// Appends a value and everything in it.
    fn value(&mut self, out: &mut Output<'_>) -> Verdict<()> {
        let mut depth = 0usize;
        loop {
            match self.tape.byte()? {
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

    /// Closes the containers that end after a value or an opening bracket. Returns whether all are
    /// closed.
    fn close(&mut self, depth: &mut usize, out: &mut Output<'_>) -> Verdict<bool> {
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
                    out.put(self.keys.pick(&mut self.tape)?);
                    out.byte(b':');
                }
                return Ok(false);
            }
            out.byte(if object { b'}' } else { b']' });
            *depth = top;
        }
        Ok(true)
    }

    /// Appends a string made of literals and the last values of other columns.
    fn derived(&mut self, out: &mut Output<'_>) -> Verdict<()> {
        let rule = self.rules.pick(&mut self.tape)?;
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

/// Reads all rules. Each has one literal more than sources, and its sources exist.
fn rules<'a>(stream: Stream<'a>, columns: usize, scratch: &mut Scratch<'a>) -> Verdict<Texts<'a>> {
    let mut numbers = stream.numbers();
    let count = numbers.count_or_none()?;
    Texts::read(count, &mut numbers, stream.bytes, scratch, |numbers| {
        let start = numbers.rest().len();
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
        Ok((start.saturating_sub(numbers.rest().len()), 0))
    })
}
