//! Finds the addresses in machine code, and makes them relative again.

use crate::num::u64_from;

/// The position `len` bytes after another. Positions of instructions have 32 bits, and wrap.
pub(super) const fn position(at: u32, len: usize) -> u32 {
    let [a, b, c, d, ..] = u64_from(len).to_le_bytes();
    at.wrapping_add(u32::from_le_bytes([a, b, c, d]))
}

/// Runs `instruction` over all whole instructions of `N` bytes, with the position of each. Returns
/// how many bytes they have.
pub(super) fn each<const N: usize>(bytes: &mut [u8], at: u32, instruction: impl Fn([u8; N], u32) -> [u8; N]) -> usize {
    let (whole, rest) = bytes.as_chunks_mut::<N>();
    let rest = rest.len();
    let mut at = at;
    for bytes in whole {
        *bytes = instruction(*bytes, at);
        at = position(at, N);
    }
    bytes.len() - rest
}

/// Converts `BL`, always executed: 24 bits of words, counted from eight bytes on.
pub(super) fn arm(bytes: [u8; 4], at: u32) -> [u8; 4] {
    let [a, b, c, opcode] = bytes;
    if opcode != 0xEB {
        return bytes;
    }
    let target = u32::from_le_bytes([a, b, c, 0]).wrapping_sub(at.wrapping_add(8) >> 2);
    let [a, b, c, _] = target.to_le_bytes();
    [a, b, c, opcode]
}

/// Converts `BL`: 26 bits of words; and `ADRP`: 21 bits of pages, only within 512 MiB.
pub(super) fn arm64(bytes: [u8; 4], at: u32) -> [u8; 4] {
    let word = u32::from_le_bytes(bytes);
    let word = if word >> 26 == 0x25 {
        0x9400_0000 | word.wrapping_sub(at >> 2) & 0x03FF_FFFF
    } else if word & 0x9F00_0000 == 0x9000_0000 {
        let page = word >> 29 & 3 | word >> 3 & 0x001F_FFFC;
        if page.wrapping_add(0x0002_0000) & 0x001C_0000 != 0 {
            return bytes;
        }
        let page = page.wrapping_sub(at >> 12);
        let sign = (page & 0x0002_0000).wrapping_neg() & 0x00E0_0000;
        word & 0x9000_001F | (page & 3) << 29 | (page & 0x0003_FFFC) << 3 | sign
    } else {
        return bytes;
    };
    word.to_le_bytes()
}

/// Converts `bl` with a relative address.
pub(super) fn power_pc(bytes: [u8; 4], at: u32) -> [u8; 4] {
    let word = u32::from_be_bytes(bytes);
    if word & 0xFC00_0003 != 0x4800_0001 {
        return bytes;
    }
    (0x4800_0001 | word.wrapping_sub(at) & 0x03FF_FFFC).to_be_bytes()
}

/// Converts `call` within 8 MiB: its upper bits are all the same.
pub(super) fn sparc(bytes: [u8; 4], at: u32) -> [u8; 4] {
    let word = u32::from_be_bytes(bytes);
    if word >> 22 != 0x100 && word >> 22 != 0x1FF {
        return bytes;
    }
    let target = (word << 2).wrapping_sub(at) >> 2;
    let sign = ((target >> 22 & 1).wrapping_neg() << 22) & 0x3FFF_FFFF;
    (0x4000_0000 | sign | target & 0x003F_FFFF).to_be_bytes()
}

/// The slots of a bundle that may hold a branch, by its template.
const BRANCH_SLOTS: [u8; 32] =
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 6, 6, 0, 0, 7, 7, 4, 4, 0, 0, 4, 4, 0, 0];

/// Converts `br.call`: three slots of 41 bits after a template of five.
pub(super) fn ia64(mut bytes: [u8; 16], at: u32) -> [u8; 16] {
    const SIGN: u64 = 1 << 36;
    let slots = BRANCH_SLOTS[usize::from(bytes[0] & 31)];
    // Each slot is in eight bytes from `start` on, from bit `place` on.
    for (slot, (start, place)) in (0..3).zip([(0, 5), (5, 6), (8, 23)]) {
        let Some(window) = bytes.get_mut(start..).and_then(<[u8]>::first_chunk_mut::<8>) else { continue };
        let all = u64::from_le_bytes(*window);
        let word = all >> place;
        if slots >> slot & 1 == 0 || word >> 37 & 15 != 5 || word >> 9 & 7 != 0 {
            continue;
        }
        // 20 bits here, the sign further up; they count bundles.
        let target = (word >> 13 & 0xF_FFFF | (word & SIGN) >> 16).wrapping_sub(u64::from(at >> 4));
        let field = (target & 0xF_FFFF) << 13 | target << 16 & SIGN;
        *window = (all & !((SIGN | 0xF_FFFF << 13) << place) | field << place).to_le_bytes();
    }
    bytes
}

/// Converts `BL` in two halves of 16 bits, which start at any even position.
pub(super) fn arm_thumb(bytes: &mut [u8], start: u32) -> usize {
    let mut done = 0;
    while let Some(place) = bytes.get_mut(done..).and_then(<[u8]>::first_chunk_mut::<4>) {
        let [a, b, c, d] = *place;
        if b & 0xF8 == 0xF0 && d & 0xF8 == 0xF8 {
            let high = u32::from(u16::from_le_bytes([a, b]) & 0x7FF);
            let low = u32::from(u16::from_le_bytes([c, d]) & 0x7FF);
            let target = (high << 11 | low).wrapping_sub(position(start, done + 4) >> 1);
            let [a, b, ..] = (0xF000 | target >> 11 & 0x7FF).to_le_bytes();
            let [c, d, ..] = (0xF800 | target & 0x7FF).to_le_bytes();
            *place = [a, b, c, d];
            done += 2;
        }
        done += 2;
    }
    done
}

/// Converts `JAL` to a function, and `AUIPC` with the instruction after it, at any even position.
pub(super) fn risc_v(bytes: &mut [u8], start: u32) -> usize {
    let mut done = 0;
    while let Some(place) = bytes.get_mut(done..).and_then(<[u8]>::first_chunk_mut::<8>) {
        let [a, b, c, d, next @ ..] = *place;
        let (first, second) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes(next));
        let at = position(start, done);
        let (step, pair) = if a == 0xEF && b & 0x0D == 0 {
            // The encoder wrote the address highest byte first, without its lowest bit.
            let target = u32::from(b & 0xF0) << 13 | u32::from(c) << 9 | u32::from(d) << 1;
            let target = target.wrapping_sub(at);
            let word = first & 0xFFF
                | (target & 0x000F_F000)
                | (target >> 11 & 1) << 20
                | (target >> 1 & 0x3FF) << 21
                | (target >> 20 & 1) << 31;
            (4, Some((word, second)))
        } else if a & 0x7F != 0x17 {
            (2, None)
        } else if !matches!(first >> 7 & 31, 0 | 2) {
            // A real pair would have been written in the special form; this one was that form by
            // chance.
            let same = ((first << 8) ^ second.wrapping_sub(3)) & 0x000F_8003 == 0;
            let pair = (0x117 | second << 12, (first & 0xFFFF_F000).wrapping_add(second >> 20));
            (if same { 8 } else { 6 }, same.then_some(pair))
        } else {
            // `AUIPC` of x2 that holds the low bits of the second instruction, and the address
            // after it.
            let register = first >> 27;
            let special = first.wrapping_sub(0x3117) << 18 < register & 0x1D;
            let target = u32::from_be_bytes(next).wrapping_sub(at);
            let high = target.wrapping_add(0x800) & 0xFFFF_F000;
            let pair = (0x17 | register << 7 | high, first >> 12 | target << 20);
            (if special { 8 } else { 4 }, special.then_some(pair))
        };
        if let Some((first, second)) = pair {
            *place = (u64::from(first) | u64::from(second) << 32).to_le_bytes();
        }
        done += step;
    }
    done
}

/// Converts `CALL` and `JMP` of x86: one byte, and an address of four whose highest byte is all
/// ones or all zeros. Bytes inside an address may look like opcodes, too; they are remembered for
/// the next.
#[derive(Clone, Debug)]
pub(super) struct X86 {
    /// Bit `n` from 1 on: the byte `n` before the next one looked like an opcode. Bit `n + 4`: so
    /// did the highest byte of its address look like that of an address.
    mask: u32,
    /// The position of the last byte that looked like an opcode.
    last: u32,
}

impl X86 {
    pub(super) const fn new() -> Self {
        Self { mask: 0, last: 0 }
    }

    /// Starts a block: nothing looked like an opcode.
    pub(super) fn start(&mut self) {
        (self.mask, self.last) = (0, 0u32.wrapping_sub(5));
    }

    /// Converts addresses in place, up to the last byte that has four after it. Returns how far.
    ///
    /// Most bytes are no opcode, so the loop is hot for them: one load, one comparison. Work beyond
    /// that belongs after the `continue`. The state in `self` must not depend on how a block is
    /// split.
    pub(super) fn run(&mut self, bytes: &mut [u8], start: u32) -> usize {
        let is_sign = |byte: u8| byte == 0 || byte == 0xFF;
        if start.wrapping_sub(self.last) > 5 {
            self.last = start.wrapping_sub(5);
        }
        let mut done = 0;
        while let Some(place) = bytes.get_mut(done..).and_then(<[u8]>::first_chunk_mut::<5>) {
            let [opcode, a, b, c, top] = *place;
            done += 1;
            if opcode & 0xFE != 0xE8 {
                continue;
            }
            let at = position(start, done - 1);
            let since = at.wrapping_sub(self.last);
            self.last = at;
            self.mask = if since > 5 { 0 } else { (0..since).fold(self.mask, |mask, _| (mask & 0x77) << 1) };
            let before = self.mask >> 1;
            if before > 4 || before == 3 || !is_sign(top) {
                self.mask |= 1 | u32::from(is_sign(top)) << 4;
                continue;
            }
            let mut target = u32::from_le_bytes([a, b, c, top]);
            let next = at.wrapping_add(5);
            target = target.wrapping_sub(next);
            if self.mask != 0 {
                // The byte that looks like an opcode is in this address; if it became a sign, it
                // was flipped.
                let shift = 24 - before.min(3) * 8;
                if is_sign((target >> shift).to_le_bytes()[0]) {
                    target = (target ^ (0x100u32 << shift).wrapping_sub(1)).wrapping_sub(next);
                }
            }
            let [a, b, c, sign] = target.to_le_bytes();
            *place = [opcode, a, b, c, (sign & 1).wrapping_neg()];
            self.mask = 0;
            done += 4;
        }
        done
    }
}
