//! Tells formats apart by their first bytes.

#[cfg(feature = "lzma")]
use crate::xz::alone::{Likeness, likeness};

/// A format that a file can be in. Its numbers are shared with C and JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Format {
    /// Zstandard with the magic `28 B5 2F FD`: RFC 8878, or the draft 0.2.0 as its encoder wrote
    /// it.
    Zstd = 1,
    /// Zstandard with the magic `27 B5 2F FD`: v0.7, or the draft as its text says.
    ZstdV07 = 2,
    /// A skippable frame, which may precede any Zstandard frame.
    ZstdSkippable = 3,
    /// xz.
    Xz = 4,
    /// Pco, standalone.
    Pco = 5,
    /// An OnPair column in the container `ONPAIR01`.
    OnPair = 6,
    /// CVC embedding vectors.
    Cvc = 7,
    /// AT-1, container version 2 or 3.
    At1 = 8,
    /// gzip, which may wrap any other format.
    Gzip = 9,
    /// Zstandard as its draft 0.2.0 says. It shares its magic numbers with others, so that
    /// [`probe`] never returns it.
    ZstdDraft = 10,
    /// A `.lzma` file. It has no magic number: [`probe`] recognises a header as encoders write it,
    /// with the feature `lzma`.
    Lzma = 11,
}

impl Format {
    /// Returns the name that the command line and JavaScript use.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Zstd => "zstd",
            Format::ZstdV07 => "zstd-v07",
            Format::ZstdSkippable => "zstd-skippable",
            Format::Xz => "xz",
            Format::Pco => "pco",
            Format::OnPair => "onpair",
            Format::Cvc => "cvc",
            Format::At1 => "at1",
            Format::Gzip => "gzip",
            Format::ZstdDraft => "zstd-draft",
            Format::Lzma => "lzma",
        }
    }
}

/// The result of [`probe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The file starts like this format.
    Match(Format),
    /// The prefix is the start of at least one magic number; this many bytes decide.
    NeedInput {
        /// The length of a prefix that says more.
        min: usize,
    },
    /// No known format starts like this.
    Unknown,
}

/// The length of the longest prefix that [`probe`] reads.
pub const PROBE_LEN: usize = if cfg!(feature = "lzma") { 14 } else { 8 };

const MAGICS: &[(&[u8], Format)] = &[
    (b"\x28\xB5\x2F\xFD", Format::Zstd),
    (b"\x27\xB5\x2F\xFD", Format::ZstdV07),
    (b"\xFD7zXZ\0", Format::Xz),
    (b"pco!", Format::Pco),
    (b"ONPAIR01", Format::OnPair),
    (b"CVCF", Format::Cvc),
    (b"AT1\x02", Format::At1),
    (b"AT1\x03", Format::At1),
    (b"\x1F\x8B\x08", Format::Gzip),
    // The low half of the first byte is free.
    (b"\x50\x2A\x4D\x18", Format::ZstdSkippable),
];

/// Finds the format of a file by its first bytes. [`PROBE_LEN`] bytes are always enough.
///
/// ```
/// use unspool::{probe, Format, Probe};
/// assert_eq!(probe(b"CVCF\x01\0\0\0"), Probe::Match(Format::Cvc));
/// assert_eq!(probe(b"ONPA"), Probe::NeedInput { min: 8 });
/// assert_eq!(probe(b"GIF89a"), Probe::Unknown);
/// ```
pub fn probe(prefix: &[u8]) -> Probe {
    let mut min = usize::MAX;
    for &(magic, format) in MAGICS {
        let is_free = |at| at == 0 && format == Format::ZstdSkippable;
        let same = |(at, (&a, &b)): (usize, (&u8, &u8))| a == b || is_free(at) && a & 0xF0 == b;
        if !prefix.iter().zip(magic).enumerate().all(same) {
            continue;
        }
        if prefix.len() >= magic.len() {
            return Probe::Match(format);
        }
        min = min.min(magic.len());
    }
    #[cfg(feature = "lzma")]
    match likeness(prefix) {
        Likeness::No => {}
        Likeness::Needs(len) => min = min.min(len),
        Likeness::Yes => return Probe::Match(Format::Lzma),
    }
    if min == usize::MAX { Probe::Unknown } else { Probe::NeedInput { min } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_magic_matches_and_every_shorter_prefix_asks_for_more() {
        for &(magic, format) in MAGICS {
            let mut file = magic.to_vec();
            for len in 0..magic.len() {
                assert!(matches!(probe(&magic[..len]), Probe::NeedInput { min } if min > len), "{format:?} {len}");
            }
            assert_eq!(probe(&file), Probe::Match(format));
            file.extend([0xFF; 20]);
            assert_eq!(probe(&file), Probe::Match(format));
            assert!(magic.len() <= PROBE_LEN);
        }
    }

    #[test]
    fn every_bit_of_a_magic_counts() {
        for &(magic, format) in MAGICS {
            for bit in 0..8 * magic.len() {
                if format == Format::ZstdSkippable && bit < 4 {
                    continue;
                }
                let mut file = magic.to_vec();
                file[bit / 8] ^= 1 << (bit % 8);
                file.resize(PROBE_LEN, 0);
                let other = MAGICS.iter().find(|(magic, _)| file.starts_with(magic));
                assert_eq!(probe(&file), other.map_or(Probe::Unknown, |&(_, f)| Probe::Match(f)), "{format:?} {bit}");
            }
        }
    }

    #[test]
    fn all_sixteen_skippable_frames() {
        for first in 0..=255u8 {
            let expected = if first >> 4 == 5 { Probe::Match(Format::ZstdSkippable) } else { Probe::Unknown };
            assert_eq!(probe(&[first, 0x2A, 0x4D, 0x18]), expected);
        }
        assert_eq!(probe(&[0x5A, 0x2A]), Probe::NeedInput { min: 4 });
        assert_eq!(probe(&[0x50, 0x2A, 0x4D, 0x19]), Probe::Unknown);
    }
}
