//! SHA-256, which xz may use for its blocks and AT-1 for its files.

use crate::num::{copy, u64_from};

/// A running SHA-256.
///
/// With the feature `std` it uses the instructions of the machine. Without, it uses a loop of a few
/// hundred bytes.
///
/// ```
/// use unspool::checksum::Sha256;
/// let mut hash = Sha256::new();
/// hash.update(b"a");
/// hash.update(b"bc");
/// assert_eq!(hash.value()[..4], [0xBA, 0x78, 0x16, 0xBF]);
/// ```
#[derive(Clone, Debug)]
pub struct Sha256 {
    state: [u32; 8],
    /// Bytes that do not fill a block yet.
    rest: [u8; 64],
    len: u64,
}

impl Sha256 {
    /// Returns the hash of no bytes.
    pub const fn new() -> Self {
        Self { state: START, rest: [0; 64], len: 0 }
    }

    /// Returns the hash of one slice.
    pub fn of(bytes: &[u8]) -> [u8; 32] {
        let mut hash = Self::new();
        hash.update(bytes);
        hash.value()
    }

    /// Adds bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let filled = self.filled();
        self.len = self.len.wrapping_add(u64_from(bytes.len()));
        if filled > 0 {
            let free = self.rest.get_mut(filled..).unwrap_or_default();
            copy(bytes, free);
            let Some((_, more)) = bytes.split_at_checked(free.len()) else { return };
            bytes = more;
            compress(&mut self.state, &[self.rest]);
        }
        let (blocks, rest) = bytes.as_chunks::<64>();
        compress(&mut self.state, blocks);
        copy(rest, &mut self.rest);
    }

    const fn filled(&self) -> usize {
        (self.len & 63) as usize
    }

    /// Returns the hash of all bytes so far.
    pub fn value(&self) -> [u8; 32] {
        // A 1 bit, zeros, and the length in bits. They take one block, or two if they do not fit.
        let mut state = self.state;
        let mut last = [0; 64];
        let (filled, _) = self.rest.split_at_checked(self.filled()).unwrap_or((&self.rest, &[]));
        copy(filled, &mut last);
        if let Some(byte) = last.get_mut(filled.len()) {
            *byte = 0x80;
        }
        if filled.len() >= 56 {
            compress(&mut state, &[last]);
            last = [0; 64];
        }
        if let Some(length) = last.as_chunks_mut().0.last_mut() {
            *length = self.len.wrapping_mul(8).to_be_bytes();
        }
        compress(&mut state, &[last]);
        let mut value = [0; 32];
        let (words, _) = value.as_chunks_mut::<4>();
        words.iter_mut().zip(state).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
        value
    }
}

impl Default for Sha256 {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "std")]
fn compress(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    sha2::block_api::compress256(state, blocks);
}

#[cfg(not(feature = "std"))]
fn compress(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    blocks.iter().for_each(|block| portable::compress(state, block));
}

/// The first 32 bits of the fractions of the square roots of the first 8 primes.
const START: [u32; 8] =
    [0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19];

#[cfg(any(test, not(feature = "std")))]
mod portable {
    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    const ROUNDS: [u32; 64] = rounds();

    /// Computes them bit by bit.
    const fn rounds() -> [u32; 64] {
        let mut rounds = [0; 64];
        let (mut number, mut found) = (2u128, 0);
        while found < 64 {
            let mut divisor = 2;
            while divisor * divisor <= number && !number.is_multiple_of(divisor) {
                divisor += 1;
            }
            if divisor * divisor > number {
                // The cube root of number << 96 is that of number, with 32 bits of fraction.
                let (mut root, mut bit) = (0u128, 1u128 << 35);
                while bit > 0 {
                    let next = root | bit;
                    if next * next * next <= number << 96 {
                        root = next;
                    }
                    bit >>= 1;
                }
                #[expect(clippy::cast_possible_truncation, reason = "the fraction is what is wanted")]
                let fraction = root as u32;
                rounds[found] = fraction;
                found += 1;
            }
            number += 1;
        }
        rounds
    }

    pub(super) fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
        let mut words = [0u32; 16];
        let (bytes, _) = block.as_chunks::<4>();
        words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = u32::from_be_bytes(*bytes));
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        for (round, constant) in ROUNDS.iter().enumerate() {
            // The words are a ring: each is used, then replaced by that of 16 rounds later.
            let word = words[round & 15];
            let (near, far) = (words[(round + 1) & 15], words[(round + 14) & 15]);
            let near = near.rotate_right(7) ^ near.rotate_right(18) ^ near >> 3;
            let far = far.rotate_right(17) ^ far.rotate_right(19) ^ far >> 10;
            words[round & 15] = word.wrapping_add(near).wrapping_add(words[(round + 9) & 15]).wrapping_add(far);

            let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let chosen = e & f ^ !e & g;
            let first = h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(*constant).wrapping_add(word);
            let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let second = mixed.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(add);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn instructions_and_loop_agree() {
            let (mut ours, mut theirs) = (super::super::START, super::super::START);
            for seed in 0..100u32 {
                let block: [u8; 64] = core::array::from_fn(|i| (seed.wrapping_mul(0x9E37_79B9) >> (i % 25)) as u8);
                compress(&mut ours, &block);
                super::super::compress(&mut theirs, &[block]);
                assert_eq!(ours, theirs);
            }
            assert_eq!((ROUNDS[0], ROUNDS[63]), (0x428A_2F98, 0xC671_78F2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: [u8; 32]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn returns_known_values() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let two_blocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        assert_eq!(hex(Sha256::of(b"")), empty);
        assert_eq!(hex(Sha256::of(b"abc")), abc);
        assert_eq!(hex(Sha256::of(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")), two_blocks);
    }

    #[test]
    fn any_split_returns_the_same() {
        let bytes: Vec<u8> = (0..200u32).map(|n| (n * 37) as u8).collect();
        for len in 0..bytes.len() {
            let whole = Sha256::of(&bytes[..len]);
            for split in 0..=len {
                let mut hash = Sha256::new();
                hash.update(&bytes[..split]);
                hash.update(&bytes[split..len]);
                assert_eq!(hash.value(), whole);
            }
        }
    }
}
