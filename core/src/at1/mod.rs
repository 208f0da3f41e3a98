//! AT-1: text files taken apart into typed columns, in streams that xz or Zstandard compressed.
//!
//! [`decode`] puts a file together again, byte for byte. What it needs besides input and output is a [`Workspace`] of fixed
//! size and one slice of scratch, into which streams are decoded: [`scratch_needed`] says how long it must be before
//! anything is decoded. Output goes to a slice, or to a [`Sink`](crate::Sink) with [`decode_to`]; [`decoded_len`] counts it
//! first.
//!
//! ```
//! use unspool::{Limits, at1};
//! // A header and two rows of an integer and a decimal, in streams that are stored as they are.
//! let file = b"AT1\x02\x04\x08\x04meta\x02\x06\x02\x01\x01\x01,\x02\x09row_modes\x02\x02\x01\x01\
//!     \x0Bfieldcounts\x02\x02\x02\x02\x08coltypes\x02\x02\x01\x02\x09col_index\x02\x02\x02\x04\
//!     \x06values\x02\x06\x02\x02\x02\xEC\x0Ed\x0Aquotemodes\x02\x02\0\0\x06header\x02\x08id,price";
//! let limits = Limits::DEFAULT;
//! let mut scratch = vec![0; at1::scratch_needed(file, &limits)?.slice as usize];
//! let mut out = [0; 64];
//! let done = at1::decode(file, &mut out, &mut scratch, &mut at1::Workspace::new(), &limits)?;
//! assert_eq!(&out[..done.wrote], b"id,price\n1,9.50\n2,10.00\n");
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! Files of the codecs 7 and 8 hold an index and blocks that a `Query` can skip; see `qcolumnar` and `qjson`.
//!
//! With the feature `at1-columnar` instead of `at1` there are the codecs 4 columnar and 255 raw, the backends zstd and stored, and no queries.
//! Everything else is refused as [`FormatNotBuilt`](crate::ErrorKind::FormatNotBuilt).

mod backend;
mod budget;
mod codecs;
mod decode;
mod digits;
mod header;
mod output;
#[cfg(feature = "at1")]
mod query;
mod scratch;
mod streams;

pub use backend::Backend;
#[cfg(feature = "at1")]
pub use codecs::bundle::{Bundle, BundleFile};
#[cfg(feature = "at1")]
pub use codecs::{qcolumnar, qjson};
pub use decode::{Done, Need, decode, decode_to, decoded_len, inspect, scratch_needed};
#[cfg(feature = "alloc")]
pub use decode::{decode_to_vec, grow};
pub use header::{Codec, Container, HEADER_LEN, Header, TRAILER_LEN};
#[cfg(feature = "at1")]
pub use query::compare::{Number, Sum};
#[cfg(feature = "at1")]
pub use query::head::TableHead;
#[cfg(feature = "at1")]
pub use query::predicate::{Column, Filter, Test};
#[cfg(feature = "at1")]
pub use query::row::Row;
#[cfg(feature = "at1")]
pub use query::{Answer, Ask, Next, Query, Request, Stats};
pub use scratch::{WORKSPACE_SIZE, Workspace};
pub use streams::lines::Lines;
pub use streams::numbers::Stream;
pub use streams::{Entries, Entry, Set, Wrapping};
