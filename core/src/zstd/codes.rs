//! What the codes of lengths and offsets stand for, and how frequent a predefined table takes each of them to be.

pub(super) const MAX_LENGTH_LOG: u32 = 9;
pub(super) const MAX_OFFSET_LOG: u32 = 8;
pub(super) const MAX_LITERALS_CODE: u8 = 35;
pub(super) const MAX_MATCH_CODE: u8 = 52;

/// What the codes of one kind stand for: the first for one number each, the others are refined by bits.
pub(super) struct Meaning {
    /// What the first code stands for.
    pub(super) first: u8,
    /// How many stand for one number.
    pub(super) plain: u8,
    /// The bits of the others.
    pub(super) extra: &'static [u8],
}

/// Literal lengths.
pub(super) const LITERALS: Meaning =
    Meaning { first: 0, plain: 16, extra: &[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] };

/// Match lengths. The draft's text has the bases from code 44 on wrong; these are what its encoder used.
pub(super) const MATCHES: Meaning =
    Meaning { first: 3, plain: 32, extra: &[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] };

impl Meaning {
    /// What the first code that is refined starts from. Each of the others starts where the one before ends.
    pub(super) const fn start(&self) -> u32 {
        self.first as u32 + self.plain as u32
    }
}

/// How many cells each code has in a table that nobody describes, and how many bits such a table has.
pub(super) struct Predefined {
    pub(super) counts: &'static [i8],
    pub(super) log: u8,
}

pub(super) const PREDEFINED_LITERALS: Predefined = Predefined {
    counts: &[
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
    ],
    log: 6,
};

pub(super) const PREDEFINED_OFFSETS: Predefined = Predefined {
    counts: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    log: 5,
};

pub(super) const PREDEFINED_MATCHES: Predefined = Predefined {
    counts: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    log: 6,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_format() {
        let bases = |meaning: &Meaning| -> Vec<u32> {
            let mut end = meaning.start();
            let each = meaning.extra.iter().map(|&bits| {
                end += 1 << bits;
                end - (1 << bits)
            });
            each.collect()
        };
        assert_eq!(
            bases(&LITERALS),
            [16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
        );
        assert_eq!(
            bases(&MATCHES),
            [35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539]
        );
    }
}
