//! Decodes compressed columns and byte streams into buffers that the caller owns.
//!
//! No allocator, no `unsafe`, no panic. Input is a slice; output is a slice, a [`Sink`] or, with
//! `alloc`, a `Vec`. The caller lends all memory that a decoder keeps between calls.
//!
//! | module | decodes |
//! |---|---|
//! | [`zstd`] | Zstandard: RFC 8878, v0.7 and the draft 0.2.0, with or without a dictionary |
//! | [`xz`] | xz: LZMA2 with every filter and check |
//! | [`lzma`] | `.lzma` files, and raw streams of LZMA and LZMA2 |
//! | [`gzip`] | gzip: what any of the others may be wrapped in |
//! | [`at1`] | text files as typed columns: tables, logs, JSON, and more |
//! | [`pco`] | columns of numbers: eleven types, standalone and wrapped |
//! | [`onpair`] | columns of strings: all rows, some or one, and search without decoding |
//! | [`cvc`] | embedding vectors: fp16, int8, lossless or plain, one column or many |
//!
//! # Doors
//!
//! Every format has the same doors: the same names, the same types, and the same order of
//! arguments. The order is source, output, workspace, window or scratch if the format needs one,
//! options, trace.
//!
//! | door | zstd | xz | lzma | gzip | at1 | pco | onpair | cvc |
//! |---|---|---|---|---|---|---|---|---|
//! | `Header::read(src, &limits)` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `File::open(src, &limits)` | yes | yes | | | | yes | yes | yes |
//! | `decode(src, dst, workspace, &options, trace)` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `decode_threaded(src, dst, threads, &options)` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `decode_to(src, &mut sink, workspace, &options)` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `decode_to_store(src, &mut store, workspace, page, &options)` | yes | yes | | | | | | |
//! | `decode_to_vec(src, &options)` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `decoded_len(src, workspace, &options)` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `Decoder::new(workspace, window, &options)`, `step` | yes | yes | yes | yes | | | | yes |
//! | `needs()`, `feed(at, bytes, …)` on a reader of ranges | yes | yes | | | yes | yes | yes | yes |
//! | `inspect(src, workspace, &options, trace)` | yes | yes | yes | yes | yes | yes | yes | yes |
//! | `salvage(src, dst, workspace, &options)` | yes | yes | yes | yes | yes | yes | yes | yes |
//!
//! If a format needs more memory than its workspace, that argument follows the workspace.
//! `decode_to` of zstd, xz, lzma and gzip takes a window; AT-1 and `decode_to` of Pco take scratch.
//! A stream of CVC takes a slice of bytes as its workspace, and no window. A [`Store`] is its own
//! window; `decode_to_store` takes a page of it. `Header::read` of zstd also takes the flavour,
//! which [`zstd::detect`] finds. Pco streams page by page: [`pco::Decoder`]. `decode_threaded`
//! allocates the memory of its threads; lzma and gzip use one, because their files cannot be split.
//!
//! Words mean the same everywhere. A *workspace* holds tables, a *window* holds history, *scratch*
//! holds bytes on their way. `Options` holds [`Limits`], the handling of checksums ([`Verify`]) if
//! the format has them, and what the format adds. [`Done`] reports the progress of a call. Lengths
//! of outputs, as of `decoded_len`, count elements of `dst`: bytes, or numbers of Pco and CVC. A
//! [`Trace`] receives the [`Name`], the bits and the value of every field; `&mut ()` ignores them,
//! and costs nothing.
//!
//! Every claim of a header is compared with [`Limits`] before any work is done for it. A refusal is
//! an [`Error`]: a kind, a byte offset, and the amount that would have been enough. [`probe`]
//! detects formats by their first bytes, and [`stats`] sums up decoded values.
//!
//! # Features
//!
//! `default-features = false` leaves the bare core: no allocator, no error texts. Each format is a
//! feature of its own.
//!
//! * `alloc` adds the doors that return a `Vec`, and [`tree`].
//! * `std` adds [`io`], `std::error::Error`, and instructions chosen at run time, for checksums and
//!   for half floats and bytes of CVC.
//! * `messages` adds the text of each error.
//! * `threads` adds `decode_threaded` in every format, and `threads::in_order`, the loop below it.
//! * `zstd-rfc` is Zstandard as RFC 8878 alone, without checksums; `zstd-xxh64` adds those.
//! * `xz-filters` and `xz-sha256` are the parts of xz that few files need. `at1-columnar` is AT-1
//!   for tables of text alone.
//! * `formats` is every format, with all of its parts. `stats` adds [`stats`].
//! * `heapless` makes `heapless::Vec` a [`Sink`], `embedded-io` adds adapters for its traits, and
//!   `defmt` formats errors and results.
//! * `embedded-storage` adds `nor`, a slot of NOR flash as a [`Store`].
//! * `small` trades speed for flash.
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
#![cfg_attr(
    not(all(feature = "formats", feature = "alloc", not(feature = "small"))),
    allow(dead_code, unused_imports, reason = "fewer formats and small tables need less of the code that all share")
)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod bits;
pub mod checksum;
mod copy;
mod done;
#[cfg(feature = "embedded-io")]
pub mod embedded_io;
mod entropy;
mod error;
mod fault;
mod fields;
#[cfg(feature = "alloc")]
mod heap;
#[cfg(feature = "std")]
pub mod io;
mod json;
mod limits;
mod name;
#[cfg(feature = "embedded-storage")]
pub mod nor;
mod num;
#[cfg(any(feature = "at1-columnar", feature = "gzip"))]
mod options;
mod probe;
mod sink;
mod step;
#[doc(hidden)]
pub mod steps;
mod store;
#[cfg(feature = "threads")]
pub mod threads;
mod trace;
#[cfg(feature = "alloc")]
pub mod tree;
mod tuning;

#[cfg(feature = "at1-columnar")]
pub mod at1;
#[cfg(feature = "cvc")]
pub mod cvc;
#[cfg(feature = "gzip")]
pub mod gzip;
#[cfg(feature = "lzma")]
pub mod lzma;
#[cfg(feature = "onpair")]
pub mod onpair;
#[cfg(feature = "pco")]
pub mod pco;
#[cfg(feature = "stats")]
pub mod stats;
#[cfg(feature = "xz")]
pub mod xz;
#[cfg(feature = "zstd-rfc")]
pub mod zstd;

pub use done::{Checksums, Done, Verify};
pub use error::{Class, Error, ErrorKind};
pub use limits::Limits;
pub use name::Name;
pub use probe::{Format, PROBE_LEN, Probe, probe};
pub use sink::{Count, Sink, SliceSink};
pub use step::{End, Status, Step};
pub use store::{SinkStore, SliceStore, Store};
pub use trace::{Part, Shifted, Symbols, Trace, Value};

/// The result of every call that can refuse a file.
pub type Result<T> = core::result::Result<T, Error>;

/// The example of the README is tested.
#[cfg(all(doctest, feature = "zstd"))]
#[doc = include_str!("../README.md")]
struct Readme;
