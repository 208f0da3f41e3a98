//! The codes of literal lengths, match lengths and offsets: their values, and their predefined
//! tables.

pub(super) const MAX_LITERALS_CODE: u8 = 35;
pub(super) const MAX_MATCH_CODE: u8 = 52;

/// The log of how much larger than the predefined table a table of a block may be.
pub(super) const MORE_LOG: u32 = 3;

/// The codes of one kind of value. The first codes have one value each; bits refine the others.
pub(super) struct CodeRule {
    /// The value of the first code.
    pub(super) first: u8,
    /// The number of codes that stand for one value.
    pub(super) plain: u8,
    /// The bits that refine each of the other codes.
    pub(super) extra: &'static [u8],
    /// The number of cells of each code in the predefined table; -1 for a cell at the end.
    pub(super) counts: &'static [i8],
    /// The log of the size of the predefined table.
    pub(super) log: u8,
}

/// Literal lengths.
pub(super) const LITERALS: CodeRule = CodeRule {
    first: 0,
    plain: 16,
    extra: &[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    counts: &[
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
    ],
    log: 6,
};

/// Match lengths. The draft's text has the bases from code 44 on wrong; these are those of its
/// encoder.
pub(super) const MATCHES: CodeRule = CodeRule {
    first: 3,
    plain: 32,
    extra: &[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    counts: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    log: 6,
};

/// Offsets: the code is the number of bits that refine a power of two.
pub(super) const OFFSETS: CodeRule = CodeRule {
    first: 1,
    plain: 0,
    extra: &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
        30, 31,
    ],
    counts: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    log: 5,
};

impl CodeRule {
    /// Returns the base of the first code that bits refine. Each of the others starts where the one
    /// before ends.
    pub(super) const fn start(&self) -> u32 {
        self.first as u32 + self.plain as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_format() {
        let bases = |codes: &CodeRule| -> Vec<u32> {
            let mut end = codes.start();
            let each = codes.extra.iter().map(|&bits| {
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
