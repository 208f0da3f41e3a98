//! Mutates without coverage guidance: simple, fast, and the same in every run.

/// A small generator for splits and mutations: the same numbers in every run, so that a failure
/// repeats. Not for secrets.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a generator that the bytes determine.
    pub fn of(bytes: &[u8]) -> Self {
        Self(unspool::checksum::Crc32::of(bytes).into())
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns `len` bytes that do not compress.
    pub fn noise(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.bits() as u8).collect()
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.bits() % bound.max(1) as u64).expect("below a usize")
    }
}

/// Numbers at the limits of integer types.
const EDGES: [u64; 12] =
    [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, i64::MAX as u64, u64::MAX];

/// Fragments that confuse parsers of text headers.
const WORDS: [&[u8]; 20] = [
    b"0",
    b"1",
    b"9",
    b"-1",
    b"4294967296",
    b"18446744073709551616",
    b"1e2",
    b"1.5",
    b"NaN",
    b"-Infinity",
    b"null",
    b"true",
    b"\"\"",
    b"[]",
    b"{}",
    b"[",
    b"}",
    b",",
    b"\\u0000",
    b"\xEF\xBB\xBF",
];

/// Returns `seed` with one to four changes, some of them pieces of `other`.
pub fn mutate(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        // Half of the changes are near the start, which has the headers.
        let reach = if random.below(2) == 0 { bytes.len().min(64) } else { bytes.len() };
        let at = random.below(reach);
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.bits().to_le_bytes()[0],
            2 => {
                let edge = EDGES[random.below(EDGES.len())].wrapping_add(random.below(3) as u64).to_le_bytes();
                let width = [1, 2, 4, 8][random.below(4)];
                bytes.iter_mut().skip(at).zip(&edge[..width]).for_each(|(to, &from)| *to = from);
            }
            3 => drop(bytes.drain(at.min(end)..end)),
            4 => bytes.truncate(random.below(bytes.len() + 1)),
            5 => {
                let from = random.below(other.len());
                let piece = &other[from..(from + 1 + random.below(64)).min(other.len())];
                drop(bytes.splice(at..at, piece.iter().copied()));
            }
            6 => {
                let piece = bytes[at.min(end)..end].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            7 => drop(bytes.splice(at.min(end)..end, WORDS[random.below(WORDS.len())].iter().copied())),
            _ => replace_number(&mut bytes, random),
        }
    }
    bytes
}

/// Replaces a number written in digits with another.
fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let starts: Vec<_> = (0..bytes.len().min(4096))
        .filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit()))
        .collect();
    let Some(&start) = starts.get(random.below(starts.len())) else { return };
    let len = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = match random.below(3) {
        0 => random.below(10) as u64,
        1 => EDGES[random.below(EDGES.len())],
        _ => std::str::from_utf8(&bytes[start..start + len])
            .ok()
            .and_then(|n| n.parse::<u64>().ok())
            .map_or(0, |n| if random.below(2) == 0 { n.wrapping_add(1) } else { n.wrapping_sub(1) }),
    };
    drop(bytes.splice(start..start + len, number.to_string().into_bytes()));
}
