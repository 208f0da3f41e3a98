//! Build switches: everything that one build does differently from another, in one place.
//!
//! A switch is a constant, so that both sides of an `if` are type-checked in every build and the side that is off compiles to nothing.
//! `#[cfg]` stays for what a constant cannot express: which module is built, and how a struct is laid out.

#![allow(dead_code, reason = "a switch for what a build leaves out")]

/// Flash is scarce: the feature `small`. One copy of each loop, smaller tables.
pub(crate) const SMALL: bool = cfg!(feature = "small");

/// Code is loaded before it runs: the feature `small`, or WebAssembly. Fast paths must be short.
pub(crate) const LEAN: bool = cfg!(any(feature = "small", target_arch = "wasm32"));

/// Registers are 64 bits wide. 32-bit machines and WebAssembly gain little from wide loops, and spill.
pub(crate) const WIDE: bool = cfg!(target_pointer_width = "64");

/// Pco reads several batches at a time. The loops want more registers than 32-bit machines have; engines of WebAssembly do not
/// gain from them.
pub(crate) const PIPELINED: bool = WIDE && !SMALL;

/// Pco masks bits with a table of 2 KiB, which saves 15 % of all time where loads are cheap.
pub(crate) const MASK_TABLE: bool = PIPELINED || cfg!(target_family = "wasm");

/// Pco calculates with words that may be wider than its numbers, so that one copy of the decoder serves all types up to 32 bits.
/// Where there is a pipeline, each width gains from loops of its own.
pub(crate) const WIDENED: bool = !WIDE;

/// Zstandard has a loop of its own for matches that repeat fewer than eight bytes. It takes 5 KB.
pub(crate) const REPEAT_LOOP: bool = WIDE;

/// Predefined tables of Zstandard that are built at compile time instead of when a block needs them.
pub(crate) const PREBUILT_TABLES: usize = if LEAN { 0 } else { 1 };

/// Symbols of a Huffman code are counted and sorted in so many parts side by side: neighbours often have the same weight, and would
/// wait for each other.
pub(crate) const WEIGHT_PARTS: usize = if LEAN { 1 } else { 4 };
