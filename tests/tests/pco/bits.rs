//! Writes files bit by bit.

use unspool::pco::NumberType;

/// Writes bits from the lowest of each byte up.
#[derive(Default)]
pub struct Bits(pub Vec<u8>, pub usize);

impl Bits {
    pub fn put(&mut self, value: u64, n: usize) -> &mut Self {
        for i in 0..n {
            self.0.resize(self.1 / 8 + 1, 0);
            self.0[self.1 / 8] |= ((value >> i & 1) as u8) << (self.1 % 8);
            self.1 += 1;
        }
        self
    }

    pub fn pad(&mut self) -> &mut Self {
        self.put(0, self.1.wrapping_neg() % 8)
    }

    /// A variable of `width` bits with these bins: the lowest latent and the offset bits of each,
    /// and as much weight for all.
    pub fn variable(&mut self, width: usize, bins: &[(u64, u64)]) -> &mut Self {
        let bins: Vec<_> = bins.iter().map(|&(lower, offset_bits)| (1, lower, offset_bits)).collect();
        self.weighted(width, bins.len().ilog2() as usize, &bins)
    }

    /// A variable of `width` bits with 2^`log` states and these bins: the weight, the lowest latent
    /// and the offset bits of each.
    pub fn weighted(&mut self, width: usize, log: usize, bins: &[(u64, u64, u64)]) -> &mut Self {
        self.put(log as u64, 4).put(bins.len() as u64, 15);
        for &(weight, lower, offset_bits) in bins {
            self.put(weight - 1, log).put(lower, width).put(offset_bits, width.ilog2() as usize + 1);
        }
        self
    }

    /// The first bits of a file of `n` numbers of 32 bits.
    pub fn of(n: usize) -> Self {
        Self::of_type(NumberType::U32, n)
    }

    /// The first bits of a file of `n` numbers of this type.
    pub fn of_type(ty: NumberType, n: usize) -> Self {
        let mut bits = Self([&b"pco!\x03\0\0\x04\x01"[..], &[ty as u8]].concat(), 80);
        bits.put(n as u64 - 1, 24);
        bits
    }
}
