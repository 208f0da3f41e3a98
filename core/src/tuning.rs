//! Build switches: every difference between builds, in one place.
//!
//! A switch is a constant. Both sides of an `if` are type-checked in every build, and the side that
//! is off compiles to nothing. `#[cfg]` remains for what a constant cannot express: the choice of a
//! module, and the layout of a struct.

#![allow(dead_code, reason = "a switch for what a build leaves out")]

/// Flash is scarce: the feature `small`. One copy of each loop, smaller tables.
pub(crate) const SMALL: bool = cfg!(feature = "small");

/// Code is loaded before it runs: the feature `small`, or WebAssembly. Fast paths must be short.
pub(crate) const LEAN: bool = cfg!(any(feature = "small", target_arch = "wasm32"));

/// Registers have 64 bits. 32-bit machines and WebAssembly gain little from wide loops, and spill.
pub(crate) const WIDE: bool = cfg!(target_pointer_width = "64");

/// Pco reads several batches at a time. The loops need more registers than 32-bit machines have;
/// WebAssembly engines do not gain from them.
pub(crate) const PIPELINED: bool = WIDE && !SMALL;

/// Pco masks bits with a table of 2 KiB, which saves 15 % of all time where loads are cheap.
pub(crate) const MASK_TABLE: bool = PIPELINED || cfg!(target_family = "wasm");

/// Pco calculates with words that may be wider than its numbers, so that one copy of the decoder
/// serves all types up to 32 bits. With a pipeline, each width gains from its own loops.
pub(crate) const WIDENED: bool = !WIDE;

/// Zstandard has a loop of its own for matches that repeat fewer than eight bytes. It takes 5 KB.
pub(crate) const REPEAT_LOOP: bool = WIDE;

/// Zstandard has code of its own for frames of a few hundred bytes: the format is detected late,
/// and the last copies of a block are wide stores.
pub(crate) const SHORT_FRAMES: bool = WIDE && !LEAN;

/// Zstandard compares the checksums of frames: the feature `zstd-xxh64`.
pub(crate) const XXH64: bool = cfg!(feature = "zstd-xxh64");

/// The number of predefined tables of Zstandard that are built at compile time; 0 if blocks build
/// them.
pub(crate) const PREBUILT_TABLES: usize = if LEAN { 0 } else { 1 };

/// The number of parts in which the symbols of a Huffman code are counted and sorted side by side.
/// Neighbours often have the same weight, and would wait for each other. 0 if they are not counted.
pub(crate) const WEIGHT_PARTS: usize = if SMALL {
    0
} else if LEAN {
    1
} else {
    4
};

/// AT-1 prints rows of a table in batches, column by column. A batch takes 29 KB of stack, and its
/// loops 7 KB of code.
pub(crate) const BATCHED: bool = WIDE && !SMALL;
