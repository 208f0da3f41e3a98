//! Files with one wrong bit, and what decoders answer: on a device the same as on a computer.
//!
//! `tests/tests/damage.rs` includes this file, too, and compares the hashes.

use unspool::{Done, Result, Sink};

/// The hash of the answers for each file.
pub const ZSTD: u32 = 0xF03F_ECD5;
pub const XZ: u32 = 0x6707_E692;
pub const LZMA: u32 = 0x58ED_AFE3;
pub const LZMA2: u32 = 0x8914_6E3B;
pub const PCO: u32 = 0xC9A1_A3ED;
pub const ONPAIR: u32 = 0x0EC8_C02C;
pub const CVC: u32 = 0xE9C6_DD7B;
pub const AT1: u32 = 0xBD47_4AF7;

/// A hash (FNV-1a) of bytes.
pub struct Hash(u32);

impl Sink for Hash {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Ok(())
    }
}

impl Hash {
    const EMPTY: Self = Self(0x811C_9DC5);
}

/// Flips one bit of each byte, one after the other. Returns a hash of the answers: of the content,
/// or of the kind of the error and its offset.
pub fn answers(file: &[u8], copy: &mut [u8], mut decode: impl FnMut(&[u8], &mut Hash) -> Result<()>) -> u32 {
    let Some(copy) = copy.get_mut(..file.len()) else { return 0 };
    let mut all = Hash::EMPTY;
    for place in 0..file.len() {
        copy.iter_mut().zip(file).for_each(|(to, from)| *to = *from);
        copy.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 1 << (place % 8));
        let mut content = Hash::EMPTY;
        let answer = match decode(copy, &mut content) {
            Ok(()) => u64::from(content.0),
            Err(error) => error.at << 16 | error.kind as u64 | 1 << 63,
        };
        let _ = all.write(&answer.to_le_bytes());
    }
    all.0
}

/// The same for a decoder that writes to a slice.
pub fn answers_in(
    out: &mut [u8],
    file: &[u8],
    copy: &mut [u8],
    mut decode: impl FnMut(&[u8], &mut [u8]) -> Result<Done>,
) -> u32 {
    answers(file, copy, |bytes, sink| {
        let done = decode(bytes, out)?;
        sink.write(out.get(..done.wrote).unwrap_or_default())
    })
}
