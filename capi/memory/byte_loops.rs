//! `memcpy` and its relatives in short loops: 0.7 to 1.5 KB less flash than those of the compiler's
//! library, which copy words from and to every alignment. These copy words if both ends are
//! aligned, else bytes.
//!
//! For programs without a C library. A program in Rust can copy this file, which needs no other.
//!
//! Every access is volatile. Otherwise the compiler recognises the loop in `memcpy`, and replaces
//! it with a call of `memcpy`.

#![allow(clippy::missing_safety_doc, reason = "the contracts are those of C")]
#![allow(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks, reason = "so are the proofs")]

/// Returns the number of bytes to handle as words of four, before single bytes.
#[inline(always)]
const fn words(addresses: usize, len: usize) -> usize {
    if addresses & 3 == 0 { len & !3 } else { 0 }
}

/// Copies from the first byte to the last. Not inlined, because several names share it.
#[inline(never)]
unsafe fn forward(to: *mut u8, from: *const u8, len: usize) {
    let (words, mut at) = (words(to.addr() | from.addr(), len), 0);
    while at < words {
        to.add(at).cast::<u32>().write_volatile(from.add(at).cast::<u32>().read_volatile());
        at += 4;
    }
    while at < len {
        to.add(at).write_volatile(from.add(at).read_volatile());
        at += 1;
    }
}

/// Copies between places that may overlap.
#[inline(always)]
unsafe fn shift(to: *mut u8, from: *const u8, len: usize) {
    if to.addr() <= from.addr() {
        return forward(to, from, len);
    }
    let mut at = len;
    while at > 0 {
        at -= 1;
        to.add(at).write_volatile(from.add(at).read_volatile());
    }
}

/// Fills with the low byte of a number. Not inlined, because several names share it.
#[inline(never)]
unsafe fn fill(to: *mut u8, len: usize, byte: i32) {
    let [byte, ..] = byte.to_le_bytes();
    let (words, mut at) = (words(to.addr(), len), 0);
    while at < words {
        to.add(at).cast::<u32>().write_volatile(u32::from_le_bytes([byte; 4]));
        at += 4;
    }
    while at < len {
        to.add(at).write_volatile(byte);
        at += 1;
    }
}

/// Compares.
#[inline(always)]
unsafe fn compare(one: *const u8, other: *const u8, len: usize) -> i32 {
    let mut at = 0;
    while at < len {
        let (one, other) = (one.add(at).read_volatile(), other.add(at).read_volatile());
        if one != other {
            return i32::from(one) - i32::from(other);
        }
        at += 1;
    }
    0
}

/// The names of C, and those that compilers for ARM call instead. None may call another: a compiler
/// replaces each with one of the others.
#[cfg(not(test))]
#[rustfmt::skip]
mod names {
    use super::{compare, fill, forward, shift};

    macro_rules! define {
        ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? { $($body:tt)* })*) => { $(
            /// As in C.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? { $($body)* }
        )* };
    }

    define! {
        memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 { forward(to, from, len); to }
        memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 { shift(to, from, len); to }
        memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 { fill(to, len, byte); to }
        memcmp(one: *const u8, other: *const u8, len: usize) -> i32 { compare(one, other, len) }
        bcmp(one: *const u8, other: *const u8, len: usize) -> i32 { compare(one, other, len) }
    }

    #[cfg(target_arch = "arm")]
    define! {
        __aeabi_memcpy(to: *mut u8, from: *const u8, len: usize) { forward(to, from, len) }
        __aeabi_memcpy4(to: *mut u8, from: *const u8, len: usize) { forward(to, from, len) }
        __aeabi_memcpy8(to: *mut u8, from: *const u8, len: usize) { forward(to, from, len) }
        __aeabi_memmove(to: *mut u8, from: *const u8, len: usize) { shift(to, from, len) }
        __aeabi_memmove4(to: *mut u8, from: *const u8, len: usize) { shift(to, from, len) }
        __aeabi_memmove8(to: *mut u8, from: *const u8, len: usize) { shift(to, from, len) }
        __aeabi_memset(to: *mut u8, len: usize, byte: i32) { fill(to, len, byte) }
        __aeabi_memset4(to: *mut u8, len: usize, byte: i32) { fill(to, len, byte) }
        __aeabi_memset8(to: *mut u8, len: usize, byte: i32) { fill(to, len, byte) }
        __aeabi_memclr(to: *mut u8, len: usize) { fill(to, len, 0) }
        __aeabi_memclr4(to: *mut u8, len: usize) { fill(to, len, 0) }
        __aeabi_memclr8(to: *mut u8, len: usize) { fill(to, len, 0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges at every alignment of both ends, from no byte to several words.
    fn each_range(mut check: impl FnMut(usize, usize, usize)) {
        for to in 0..8 {
            for from in (0..8).step_by(if cfg!(miri) { 3 } else { 1 }) {
                for len in (0..20).step_by(if cfg!(miri) { 3 } else { 1 }) {
                    check(to, from, len);
                }
            }
        }
    }

    #[repr(align(8))]
    struct Aligned([u8; 32]);

    fn numbers() -> Aligned {
        Aligned(core::array::from_fn(|i| i.to_le_bytes()[0]))
    }

    #[test]
    fn copies_fills_and_compares_at_every_alignment() {
        each_range(|to, from, len| unsafe {
            let (source, mut copied, mut shifted, mut filled) = (numbers(), numbers(), numbers(), numbers());
            forward(copied.0.as_mut_ptr().add(to), source.0.as_ptr().add(from), len);
            let start = shifted.0.as_mut_ptr();
            shift(start.add(to), start.add(from), len);
            let mut expected = numbers();
            expected.0.copy_within(from..from + len, to);
            assert_eq!((copied.0, shifted.0), (expected.0, expected.0), "{to} {from} {len}");
            fill(filled.0.as_mut_ptr().add(to), len, 0x1AB);
            let mut expected = numbers();
            expected.0[to..to + len].fill(0xAB);
            assert_eq!(filled.0, expected.0, "{to} {len}");
            let order = source.0[to..to + len].cmp(&source.0[from..from + len]) as i32;
            assert_eq!(compare(source.0.as_ptr().add(to), source.0.as_ptr().add(from), len).signum(), order);
        });
    }
}
