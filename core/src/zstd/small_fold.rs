//! The loop over the sequences of a block where flash is short: one sequence after the other, field by field.

use super::flavour::Flavour;
use super::sequence::{Act, Sequence};
use super::sequences::Sequences;
use super::tables::{LITERALS, MATCHES, Meanings, OFFSETS};
use super::workspace::{Lent, Workspace};
use crate::ErrorKind;
use crate::bits::NarrowBackward;
use crate::fault::{Fault, Verdict};

/// The state behind one whose cell this is.
fn follow(cell: u16, log: u8, bits: &mut NarrowBackward<'_>) -> usize {
    let mut next = u32::from(cell & 0x3FF);
    let mut width = 0;
    // A cell that nobody laid could be 0.
    while next >> log == 0 && width < 10 {
        next <<= 1;
        width += 1;
    }
    next.wrapping_sub(1 << log).wrapping_add(bits.take(width)) as usize
}

impl Sequences {
    /// Hands every sequence to `hand`, in order.
    #[inline(never)]
    pub(super) fn fold<A: Act>(
        &self,
        flavour: Flavour,
        src: &[u8],
        workspace: &mut Workspace,
        _: Lent<'_>,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<A::SoFar> {
        if self.count == 0 {
            return Ok(so_far);
        }
        let fault = Fault::new(ErrorKind::ZstdSequenceBits, self.bits.start);
        let mut bits = src.get(self.bits.clone()).and_then(NarrowBackward::new).ok_or(fault)?;
        let logs = [workspace.literals.log, workspace.offsets.log, workspace.matches.log];
        let [mut literals, mut offsets, mut matches] = logs.map(|log| bits.take(log.into()) as usize);
        let mut left = self.count;
        loop {
            let run = workspace.literals.cells[literals & 511];
            let offset = workspace.offsets.cells[offsets & 255];
            let length = workspace.matches.cells[matches & 511];
            let mut refined = |meanings: &Meanings, cell: u16| {
                let (base, extra) = meanings.of(cell >> 10);
                base.wrapping_add(bits.take(extra))
            };
            let [value, copied, literal] =
                [refined(&OFFSETS, offset), refined(&MATCHES, length), refined(&LITERALS, run)];
            let offset_now = if offset >> 10 > 1 {
                let [a, b, _] = workspace.history;
                workspace.history = [value.wrapping_sub(3), a, b];
                value.wrapping_sub(3)
            } else {
                flavour.repeat(value, literal == 0, &mut workspace.history)
            };
            left -= 1;
            if left > 0 {
                literals = follow(run, logs[0], &mut bits);
                matches = follow(length, logs[2], &mut bits);
                offsets = follow(offset, logs[1], &mut bits);
            }
            // Behind the last sequence no states follow, and nothing else.
            if bits.left() < 0 || left == 0 && bits.left() > 0 {
                return Err(fault);
            }
            so_far = hand.act(so_far, Sequence { literals: literal, length: copied, offset: offset_now })?;
            if left == 0 {
                return Ok(so_far);
            }
        }
    }
}
