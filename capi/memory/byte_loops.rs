//! `memcpy` and its relatives, one byte at a time: 0.7 to 1.5 KB less flash than those of the
//! compiler's library, which copy words from and to every alignment.
//!
//! For programs without a C library. A program in Rust can copy this file, which needs no other.
//!
//! Every access is volatile. Otherwise the compiler recognises the loop in `memcpy`, and replaces
//! it with a call of `memcpy`.

#![allow(clippy::missing_safety_doc, reason = "the contracts are those of C")]
#![allow(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks, reason = "so are the proofs")]

/// Copies from the first byte to the last.
#[inline(always)]
unsafe fn forward(to: *mut u8, from: *const u8, len: usize) {
    let mut at = 0;
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

/// Fills with the low byte of a number.
#[inline(always)]
unsafe fn fill(to: *mut u8, len: usize, byte: i32) {
    let [byte, ..] = byte.to_le_bytes();
    let mut at = 0;
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
