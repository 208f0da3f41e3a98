//! Decodes compressed columns and byte streams into buffers that the caller owns.
//!
//! No allocator, no `unsafe`, no panic. Input is a slice, output is a slice (or a [`Sink`]), and what a decoder
//! needs to remember lives in memory that the caller hands in. Every format has the same doors:
//!
//! | module | what it decodes |
//! |---|---|
//! | [`onpair`] | columns of strings: all, some rows or one, and search without decoding |
//! | [`zstd`] | Zstandard: RFC 8878, v0.7 and the draft 0.2.0; bytes, with or without a dictionary |
//! | [`xz`] | xz: LZMA2 with every filter and check; whole, as a stream, or one block of many |
//! | [`cvc`] | embedding vectors: fp16, int8, lossless or plain, one column or many |
//! | [`at1`] | text files as typed columns: tables, logs, JSON, and more |
//! | [`pco`] | numeric columns: eleven number types, standalone and wrapped |
//! | [`gzip`] | what any of them may be wrapped in |
//!
//! [`probe`] tells which format a file is in by its first bytes. Every decoder compares what a header claims with
//! [`Limits`] before it does any work, refuses with an [`Error`] that holds a kind and a byte offset, and can be
//! listened to with a [`Trace`], which hears the name, the bits and the value of every field. [`stats`] sums up what was
//! decoded.
//!
//! # Features
//!
//! `default-features = false` leaves the bare core: no allocator, no error texts. Each format is a feature of its
//! own. `alloc` adds calls that return a `Vec`, `std` adds [`io`], `std::error::Error` and faster checksums, `messages` adds
//! the words of each error, `small` trades speed for flash.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "tests build their inputs and expectations with plain casts"
    )
)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod bits;
pub mod checksum;
#[cfg(any(feature = "xz", feature = "zstd"))]
#[cfg_attr(not(feature = "xz"), allow(dead_code, reason = "Zstandard repeats matches in loops of its own"))]
mod copy;
mod done;
#[cfg(feature = "zstd")]
mod entropy;
mod error;
mod fault;
#[cfg(any(feature = "gzip", feature = "xz"))]
mod fields;
#[cfg(all(
    feature = "alloc",
    any(
        feature = "at1-columnar",
        feature = "cvc",
        feature = "gzip",
        feature = "onpair",
        feature = "pco",
        feature = "xz",
        feature = "zstd"
    )
))]
mod heap;
#[cfg(feature = "std")]
pub mod io;
#[cfg(any(feature = "cvc", feature = "at1"))]
#[cfg_attr(
    not(feature = "cvc"),
    allow(dead_code, unused_imports, reason = "a manifest of AT-1 needs less than a header of CVC")
)]
mod json;
mod limits;
mod name;
mod num;
mod probe;
mod sink;
mod step;
#[cfg(not(feature = "count-steps"))]
mod steps;
#[cfg(feature = "count-steps")]
#[doc(hidden)]
pub mod steps;
mod trace;
#[cfg(feature = "alloc")]
pub mod tree;
mod tuning;

#[cfg(feature = "at1-columnar")]
#[cfg_attr(not(feature = "at1"), allow(dead_code, reason = "one codec of 14 needs less than all of them"))]
pub mod at1;
#[cfg(feature = "cvc")]
pub mod cvc;
#[cfg(feature = "gzip")]
pub mod gzip;
#[cfg(feature = "onpair")]
pub mod onpair;
#[cfg(feature = "pco")]
pub mod pco;
#[cfg(feature = "stats")]
pub mod stats;
#[cfg(feature = "xz")]
pub mod xz;
#[cfg(feature = "zstd")]
pub mod zstd;

pub use done::{Checksums, Done, Verify};
pub use error::{Class, Error, ErrorKind};
pub use limits::Limits;
pub use name::Name;
pub use probe::{Format, PROBE_LEN, Probe, probe};
pub use sink::{Count, Sink, SliceSink};
pub use step::{End, Status, Step};
pub use trace::{Part, Shifted, Symbols, Trace, Value};

/// The result of every call that can refuse a file.
pub type Result<T> = core::result::Result<T, Error>;

/// Its example is tested.
#[cfg(all(doctest, feature = "zstd"))]
#[doc = include_str!("../README.md")]
struct Readme;
