//! Mutates without coverage guidance: simple, fast, and the same in every run.

/// A xorshift64* generator. Not for secrets.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() >> 16) as usize % n.max(1)
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
            1 if at < bytes.len() => bytes[at] = random.number() as u8,
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
