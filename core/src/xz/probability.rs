//! The probabilities of an LZMA decoder: one for every context in which it reads a bit.

/// The initial probability that a bit is 0: one half, in 2048ths.
const EVEN: u16 = 1024;

/// The probabilities of literals in one context.
#[derive(Clone, Debug)]
pub struct Literals(pub(super) [u16; 0x300]);

impl Literals {
    pub(super) const fn new() -> Self {
        Self([0; 0x300])
    }
}

/// All other probabilities. Rows are padded to powers of two, so that a masked index needs no
/// check.
#[derive(Clone, Debug)]
pub(super) struct Probabilities {
    pub(super) is_match: [[u16; 16]; 16],
    pub(super) is_rep: [u16; 16],
    pub(super) is_rep0: [u16; 16],
    pub(super) is_rep1: [u16; 16],
    pub(super) is_rep2: [u16; 16],
    pub(super) is_rep0_long: [[u16; 16]; 16],
    pub(super) match_length: Length,
    pub(super) rep_length: Length,
    pub(super) slots: [[u16; 64]; 4],
    /// The low bits of distances below 128, all slots in one row.
    pub(super) special: [u16; 128],
    pub(super) align: [u16; 16],
}

/// The probabilities of the length of a match.
#[derive(Clone, Debug)]
pub(super) struct Length {
    pub(super) choice: u16,
    pub(super) choice2: u16,
    pub(super) low: [[u16; 8]; 16],
    pub(super) mid: [[u16; 8]; 16],
    pub(super) high: [u16; 256],
}

impl Length {
    const fn new(value: u16) -> Self {
        Self { choice: value, choice2: value, low: [[value; 8]; 16], mid: [[value; 8]; 16], high: [value; 256] }
    }

    fn reset(&mut self) {
        (self.choice, self.choice2) = (EVEN, EVEN);
        forget(self.low.as_flattened_mut());
        forget(self.mid.as_flattened_mut());
        forget(&mut self.high);
    }
}

impl Probabilities {
    /// All zeros, so that a `static` takes no flash.
    pub(super) const fn new() -> Self {
        Self {
            is_match: [[0; 16]; 16],
            is_rep: [0; 16],
            is_rep0: [0; 16],
            is_rep1: [0; 16],
            is_rep2: [0; 16],
            is_rep0_long: [[0; 16]; 16],
            match_length: Length::new(0),
            rep_length: Length::new(0),
            slots: [[0; 64]; 4],
            special: [0; 128],
            align: [0; 16],
        }
    }

    /// Resets all probabilities, and those of these contexts of literals.
    pub(super) fn reset<'l>(&mut self, literals: impl Iterator<Item = &'l mut Literals>) {
        literals.for_each(|context| forget(&mut context.0));
        forget(self.is_match.as_flattened_mut());
        forget(self.is_rep0_long.as_flattened_mut());
        for row in [&mut self.is_rep, &mut self.is_rep0, &mut self.is_rep1, &mut self.is_rep2, &mut self.align] {
            forget(row);
        }
        self.match_length.reset();
        self.rep_length.reset();
        forget(self.slots.as_flattened_mut());
        forget(&mut self.special);
    }
}

#[inline(never)]
fn forget(row: &mut [u16]) {
    row.fill(EVEN);
}
