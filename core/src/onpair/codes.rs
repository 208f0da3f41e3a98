//! The codes of a column: as numbers, as bytes, or packed.

use core::ops::Range;

use crate::bits::u32_at;
use crate::num::{index, u64_from};
use crate::tuning::{LEAN, SMALL};
use crate::{Error, ErrorKind, Result};

/// Packed codes that are unpacked at a time. One, if flash and stack count for more than time.
pub(super) const BLOCK: usize = if SMALL { 1 } else { 64 };
/// Codes of a group. A group begins and ends at a byte, whatever the width of its codes.
const GROUP: usize = 8;

/// The codes of a column, each of which names a token.
#[derive(Clone, Copy, Debug)]
pub struct Codes<'a> {
    form: Form<'a>,
    len: usize,
    /// Offset of the first code in the file.
    at: u64,
}

impl<'a> Codes<'a> {
    /// Makes codes of numbers.
    pub const fn plain(codes: &'a [u16]) -> Self {
        Self { form: Form::Numbers(codes), len: codes.len(), at: 0 }
    }

    /// Makes codes of two little-endian bytes each, at any alignment.
    pub fn bytes(bytes: &'a [u8]) -> Result<Self> {
        match bytes.as_chunks() {
            (codes, []) => Ok(Self { form: Form::Pairs(codes), len: codes.len(), at: 0 }),
            _ => Err(Error::new(ErrorKind::OnPairCodeHalf, u64_from(bytes.len()))),
        }
    }

    /// Makes `len` codes of 1 to 16 bits each, packed from the lowest bit on without gaps. Ignores
    /// what follows them.
    ///
    /// The bytes alone do not determine the number of codes. The last of the [row
    /// offsets](super::RowOffsets::last) does.
    #[cfg_attr(feature = "small", inline(always))]
    pub fn packed(bytes: &'a [u8], bits: u32, len: usize) -> Result<Self> {
        if !(1..=16).contains(&bits) {
            return Err(Error::new(ErrorKind::OnPairBits, 0));
        }
        let need = u64_from(len).checked_mul(u64::from(bits)).map(|bits| bits.div_ceil(8));
        if need.is_none_or(|need| need > u64_from(bytes.len())) {
            return Err(Error::new(ErrorKind::OnPairCodesShort, u64_from(bytes.len())).needing(need.unwrap_or(0)));
        }
        let form = match bits {
            16 => Form::Pairs(bytes.as_chunks().0),
            bits => Form::Packed { bytes, bits },
        };
        Ok(Self { form, len, at: 0 })
    }

    /// Returns the same codes at offset `at` of a file. Errors count from there.
    pub(super) fn lying_at(self, at: u64) -> Self {
        Self { at, ..self }
    }

    /// Returns the number of codes.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bits of a code.
    pub const fn bits(&self) -> u32 {
        match self.form {
            Form::Packed { bits, .. } => bits,
            _ => 16,
        }
    }

    /// One code.
    #[inline]
    pub fn get(&self, i: usize) -> Option<u16> {
        if i >= self.len {
            return None;
        }
        self.form.at(i)
    }

    /// Writes the codes of a range as numbers. Returns their number.
    pub fn unpack_into(&self, range: Range<usize>, to: &mut [u16]) -> Result<usize> {
        if range.start > range.end || range.end > self.len {
            return Err(Error::new(ErrorKind::RangeOutside, 0).needing(u64_from(range.end)));
        }
        let count = range.end.wrapping_sub(range.start);
        let Some(mut to) = to.get_mut(..count) else {
            return Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(u64_from(count)));
        };
        self.blocks(range, |block| {
            let head = to.split_off_mut(..block.len()).unwrap_or_default();
            head.iter_mut().zip(block).for_each(|(to, code)| *to = *code);
            block.len()
        });
        Ok(count)
    }

    /// Returns the form of the codes. A loop over them matches it once, not at every code.
    #[inline]
    pub(super) const fn form(&self) -> Form<'a> {
        self.form
    }

    /// Returns the first codes of a range: at least one, unless the range is empty. Plain codes are
    /// returned all at once, without a copy. Others are unpacked to `scratch` in blocks; every
    /// block but the first starts at a byte.
    #[inline]
    pub(super) fn block<'r>(&self, range: Range<usize>, scratch: &'r mut [u16; BLOCK]) -> &'r [u16]
    where
        'a: 'r,
    {
        if SMALL {
            let Some(code) = self.get(range.start) else { return &[] };
            *scratch = [code; BLOCK];
            return scratch.get(..range.len().min(BLOCK)).unwrap_or(&[]);
        }
        let range = range.start..range.end.min(self.len);
        match self.form {
            Form::Numbers(codes) => codes.get(range).unwrap_or(&[]),
            Form::Pairs(codes) => {
                let codes = codes.get(range).unwrap_or(&[]);
                scratch.iter_mut().zip(codes).for_each(|(to, code)| *to = u16::from_le_bytes(*code));
                scratch.get(..codes.len().min(BLOCK)).unwrap_or(&[])
            }
            Form::Packed { bytes, bits } => {
                let len = unpack(bytes, bits, range, scratch);
                scratch.get(..len).unwrap_or(&[])
            }
        }
    }

    /// Calls `each` with the codes of a range, block by block. `each` returns the number of codes
    /// it took. The walk ends if it took fewer than all. Returns the index of the first code that
    /// was not taken.
    #[inline(always)]
    pub(super) fn blocks(&self, range: Range<usize>, mut each: impl FnMut(&[u16]) -> usize) -> usize {
        let (mut scratch, mut at) = ([0; BLOCK], range.start);
        while at < range.end {
            let block = self.block(at..range.end, &mut scratch);
            let taken = each(block);
            at = at.wrapping_add(taken);
            if taken < block.len() || block.is_empty() {
                break;
            }
        }
        at
    }

    /// Returns the byte in which a code starts, counted from the first code.
    pub(super) fn place(&self, i: usize) -> usize {
        index(u64_from(i).saturating_mul(u64::from(self.bits())) / 8)
    }

    /// Returns the offset of the first code in the file. Faults count from it.
    pub(super) const fn at(&self) -> u64 {
        self.at
    }
}

/// A buffer of the codes that were unpacked last, for loops that continue from many places.
#[derive(Clone, Debug)]
pub(super) struct CodeBuffer {
    scratch: [u16; BLOCK],
    first: usize,
    len: usize,
}

impl CodeBuffer {
    pub(super) const fn new() -> Self {
        Self { scratch: [0; BLOCK], first: 0, len: 0 }
    }

    /// Makes the next call of [`block`](Self::block) unpack a whole buffer.
    pub(super) fn forget(&mut self) {
        self.len = 0;
    }

    /// Returns the first codes of a range: at least one, unless the range is empty. Plain codes are
    /// returned all at once.
    #[inline]
    pub(super) fn block<'r>(&'r mut self, codes: &Codes<'r>, range: Range<usize>) -> &'r [u16] {
        if let Form::Numbers(codes) = codes.form {
            return codes.get(range).unwrap_or(&[]);
        }
        let mut skip = range.start.wrapping_sub(self.first);
        if skip >= self.len {
            // Unpacks what follows the range, too, because it is wanted next. Starts at a code that
            // begins at a byte.
            skip = range.start % GROUP.min(BLOCK);
            self.first = range.start.wrapping_sub(skip);
            self.len = codes.block(self.first..codes.len, &mut self.scratch).len();
        }
        let block = self.scratch.get(skip..self.len).unwrap_or(&[]);
        block.get(..block.len().min(range.end.saturating_sub(range.start))).unwrap_or(&[])
    }
}

/// A form of codes. Each is a [`Source`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    Numbers(&'a [u16]),
    Pairs(&'a [[u8; 2]]),
    Packed { bytes: &'a [u8], bits: u32 },
}

/// Evaluates an expression with codes of a known form, so that a loop over them matches it once. A
/// lean build matches it at every code.
macro_rules! with_codes {
    ($form:expr, $codes:ident => $call:expr) => {
        match $form {
            $codes if $crate::tuning::LEAN => $call,
            $crate::onpair::codes::Form::Numbers($codes) => $call,
            $crate::onpair::codes::Form::Pairs($codes) => $call,
            $crate::onpair::codes::Form::Packed { bytes, bits } => {
                let $codes = $crate::onpair::codes::Packed { bytes, bits };
                $call
            }
        }
    };
}
pub(super) use with_codes;

/// Codes that are read one at a time, or a few in a row.
pub(super) trait Source: Copy {
    /// Returns one code. After the last one it returns `None` or any number.
    fn at(self, i: usize) -> Option<u16>;

    /// Returns the codes of a range, or `None` if the source ends before it. Yields `None` for a
    /// code that needs the slow path.
    #[inline]
    fn each(self, range: Range<usize>) -> Option<impl Iterator<Item = Option<u16>>> {
        Some(range.map(move |i| self.at(i)))
    }
}

impl Source for &[u16] {
    #[inline]
    fn at(self, i: usize) -> Option<u16> {
        self.get(i).copied()
    }

    #[inline]
    fn each(self, range: Range<usize>) -> Option<impl Iterator<Item = Option<u16>>> {
        Some(self.get(range)?.iter().map(|code| Some(*code)))
    }
}

impl Source for &[[u8; 2]] {
    #[inline]
    fn at(self, i: usize) -> Option<u16> {
        self.get(i).map(|code| u16::from_le_bytes(*code))
    }

    #[inline]
    fn each(self, range: Range<usize>) -> Option<impl Iterator<Item = Option<u16>>> {
        Some(self.get(range)?.iter().map(|code| Some(u16::from_le_bytes(*code))))
    }
}

/// [`Form::Packed`] by itself: as a variant of its own type it would make a form larger.
#[derive(Clone, Copy)]
pub(super) struct Packed<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) bits: u32,
}

impl Source for Packed<'_> {
    #[inline]
    fn at(self, i: usize) -> Option<u16> {
        Some(single(self.bytes, self.bits, i))
    }

    #[inline]
    fn each(self, range: Range<usize>) -> Option<impl Iterator<Item = Option<u16>>> {
        let (first, mut next) = place(range.start, self.bits);
        let (bytes, bits) = (self.bytes.get(first..)?, self.bits);
        Some(range.map(move |_| {
            let at = index((next / 8).into());
            let word = bytes.get(at..at.wrapping_add(4))?.first_chunk()?;
            let code = field(u32::from_le_bytes(*word), next % 8, bits);
            next = next.wrapping_add(bits);
            Some(code)
        }))
    }
}

/// Codes of any form, which is matched at every code.
impl Source for Form<'_> {
    #[inline]
    fn at(self, i: usize) -> Option<u16> {
        match self {
            Self::Numbers(codes) => codes.at(i),
            Self::Pairs(codes) => codes.at(i),
            Self::Packed { bytes, bits } => Some(single(bytes, bits, i)),
        }
    }
}

/// Returns one packed code.
#[inline]
fn single(bytes: &[u8], bits: u32, i: usize) -> u16 {
    let (at, bit) = place(i, bits);
    field(u32_at(bytes, at), bit, bits)
}

/// Returns the byte in which a code starts, and the bit within it.
#[inline]
fn place(i: usize, bits: u32) -> (usize, u32) {
    let [code, ..] = i.to_le_bytes();
    let bit = u32::from(code).wrapping_mul(bits);
    if SMALL {
        // Counts in groups, which end at a byte: on a small processor a product of 64 bits is a
        // function call.
        let (bits, ahead) = (index(bits.into()), u32::from(code % 8).wrapping_mul(bits));
        return ((i / GROUP).wrapping_mul(bits).wrapping_add(index((ahead / 8).into())), ahead % 8);
    }
    (index(u64_from(i).wrapping_mul(bits.into()) / 8), bit % 8)
}

/// Returns the code that starts at one of the first eight bits.
#[inline]
fn field(word: u32, bit: u32, bits: u32) -> u16 {
    let ones = (1u32 << (bits % 32)).wrapping_sub(1);
    let [low, high, ..] = (word >> (bit % 8) & ones).to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// Fills the start of `scratch`. Returns the number of codes.
fn unpack(bytes: &[u8], bits: u32, range: Range<usize>, scratch: &mut [u16; BLOCK]) -> usize {
    let left = range.end.saturating_sub(range.start);
    let mut count = left.min(BLOCK);
    // For a few codes, as in short rows, the loop below is fastest.
    if !SMALL && left >= 2 * GROUP {
        match range.start.wrapping_neg() % GROUP {
            0 => {
                let from = u64_from(range.start / GROUP).wrapping_mul(u64::from(bits));
                let from = bytes.get(index(from)..).unwrap_or(&[]);
                let (groups, _) = scratch.as_chunks_mut();
                let done = unpack_groups(bits, from, groups.get_mut(..count / GROUP).unwrap_or_default());
                if done > 0 {
                    return (done * GROUP).min(BLOCK);
                }
            }
            // Stops at the next code that starts at a byte.
            ahead => count = ahead,
        }
    }
    for (to, i) in scratch.iter_mut().zip(range.start..).take(count) {
        *to = single(bytes, bits, i);
    }
    count
}

/// Fills groups from a byte on, while there are 16 bytes to load. Returns the number of groups.
fn unpack_groups(bits: u32, bytes: &[u8], groups: &mut [[u16; GROUP]]) -> usize {
    // If the width is a constant, so is every shift: two instructions a code.
    macro_rules! of_width {
        ($($width:literal)*) => {
            match bits {
                bits if LEAN => groups_of(bits, bytes, groups),
                $($width => groups_of($width, bytes, groups),)*
                _ => 0,
            }
        };
    }
    of_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
}

/// [`unpack_groups`] for one width.
///
/// Hot loop: one load of 16 bytes for eight codes.
/// - Input: packed codes from a byte on. Stops when fewer than 16 bytes are left.
/// - Invariant: `width` is at most 15, so a group has at most 120 bits.
/// - Inlined where `width` is a constant, so that every shift and mask is one, too.
#[inline(always)]
fn groups_of(width: u32, mut bytes: &[u8], groups: &mut [[u16; GROUP]]) -> usize {
    let mut done = 0;
    for group in groups {
        let Some(window) = bytes.first_chunk() else { break };
        let window = u128::from_le_bytes(*window);
        let halves = [low64(window), low64(window >> (4 * width))].map(|half| spread(half, width).to_le_bytes());
        for (code, pair) in group.iter_mut().zip(halves.as_flattened().as_chunks().0) {
            *code = u16::from_le_bytes(*pair);
        }
        bytes = bytes.get(index(width.into())..).unwrap_or(&[]);
        done += 1;
    }
    done
}

/// Spreads four codes to 16 bits each: first by two, then by one.
#[inline(always)]
const fn spread(codes: u64, width: u32) -> u64 {
    let two = (1 << (2 * width)) - 1;
    let codes = codes & two | (codes >> (2 * width) & two) << 32;
    let one = ((1 << width) - 1) * 0x1_0000_0001;
    codes & one | (codes >> width & one) << 16
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
const fn low64(bits: u128) -> u64 {
    bits as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::mask;

    fn pack(codes: &[u16], bits: u32) -> Vec<u8> {
        let mut bytes = vec![0; (codes.len() * bits as usize).div_ceil(8)];
        for (i, &code) in codes.iter().enumerate() {
            for bit in 0..bits as usize {
                let at = i * bits as usize + bit;
                bytes[at / 8] |= ((code >> bit & 1) as u8) << (at % 8);
            }
        }
        bytes
    }

    #[test]
    fn every_width_every_start_every_length() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as u16
        };
        for bits in 1..=16 {
            let codes: Vec<u16> = (0..200).map(|_| random() & mask(bits) as u16).collect();
            let exact = pack(&codes, bits);
            let padded = [&exact[..], &[0xFF; 9]].concat();
            // Also with a width that is no constant, as in lean builds.
            if bits < 16 {
                let mut groups = [[0; GROUP]; 24];
                let done = groups_of(bits, &padded, &mut groups);
                assert!(done > 0 && groups.as_flattened()[..done * GROUP] == codes[..done * GROUP], "{bits} bits");
            }
            for bytes in [&exact, &padded] {
                let packed = Codes::packed(bytes, bits, codes.len()).unwrap();
                assert_eq!((packed.len(), packed.bits()), (200, bits));
                assert!((0..200).all(|i| packed.get(i) == Some(codes[i])) && packed.get(200).is_none());
                for start in 0..=200 {
                    for end in [start, start + 1, start + 7, start + 15, start + 16, start + 65, 199, 200] {
                        let range = start.min(end)..end.min(200);
                        let mut to = vec![0xAAAA; range.len() + 1];
                        assert_eq!(packed.unpack_into(range.clone(), &mut to), Ok(range.len()));
                        assert_eq!(to[..range.len()], codes[range.clone()], "{bits} bits, {range:?}");
                        assert_eq!(to[range.len()], 0xAAAA);
                    }
                }
            }
            let short = Codes::packed(&exact[..exact.len() - 1], bits, codes.len()).unwrap_err();
            assert_eq!((short.kind, short.need), (ErrorKind::OnPairCodesShort, exact.len() as u64));
            let room = &mut [0; 3];
            let packed = Codes::packed(&exact, bits, codes.len()).unwrap();
            assert_eq!(packed.unpack_into(3..7, room).unwrap_err().need, 4);
            assert_eq!(packed.unpack_into(199..201, room).unwrap_err().kind, ErrorKind::RangeOutside);
        }
    }

    #[test]
    fn plain_codes_and_their_bytes() {
        let bytes = [1, 2, 3, 4];
        let (plain, bytes) = (Codes::plain(&[0x0201, 0x0403]), Codes::bytes(&bytes).unwrap());
        assert!((0..3).all(|i| plain.get(i) == bytes.get(i)));
        assert_eq!(Codes::bytes(&[1, 2, 3]).unwrap_err(), Error::new(ErrorKind::OnPairCodeHalf, 3));
        assert_eq!(Codes::packed(&[], 0, 0).unwrap_err().kind, ErrorKind::OnPairBits);
        assert_eq!(Codes::packed(&[], 17, 0).unwrap_err().kind, ErrorKind::OnPairBits);
        assert_eq!(Codes::packed(&[], 16, usize::MAX).unwrap_err().kind, ErrorKind::OnPairCodesShort);
        assert!(Codes::packed(&[], 9, 0).unwrap().is_empty());
    }
}
