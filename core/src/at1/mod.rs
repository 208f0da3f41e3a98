//! AT-1: text files taken apart into typed columns, in streams that xz or Zstandard compressed.
//!
//! [`decode`] restores a file byte for byte. It takes input, output, a [`Workspace`] of fixed size,
//! and scratch for decoded streams. [`scratch_len`] returns the length of the scratch before
//! anything is decoded. Output is a slice, or a [`Sink`](crate::Sink) with [`decode_to`].
//! [`decoded_len`] counts it first.
//!
//! ```
//! use unspool::at1::{self, Options};
//! // A header and two rows of an integer and a decimal, in streams that are stored as they are.
//! let file = b"AT1\x02\x04\x08\x04meta\x02\x06\x02\x01\x01\x01,\x02\x09row_modes\x02\x02\x01\x01\
//!     \x0Bfieldcounts\x02\x02\x02\x02\x08coltypes\x02\x02\x01\x02\x09col_index\x02\x02\x02\x04\
//!     \x06values\x02\x06\x02\x02\x02\xEC\x0Ed\x0Aquotemodes\x02\x02\0\0\
//!     \x06header\x02\x08id,price";
//! let options = Options::DEFAULT;
//! let mut workspace = at1::Workspace::new();
//! let mut scratch = vec![0; at1::scratch_len(file, &options)? as usize];
//! let mut out = [0; 64];
//! let done = at1::decode(file, &mut out, &mut workspace, &mut scratch, &options, &mut ())?;
//! assert_eq!(&out[..done.wrote], b"id,price\n1,9.50\n2,10.00\n");
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! Files of the codecs 7 and 8 hold an index and blocks that a `Query` can skip: see `qcolumnar`
//! and `qjson`.
//!
//! The feature `at1-columnar` instead of `at1` builds the codecs 4 columnar and 255 raw and the
//! backends zstd and stored, without queries. It refuses everything else as
//! [`FormatNotBuilt`](crate::ErrorKind::FormatNotBuilt).
//!
//! The arrows between the files point down:
//!
//! 1. `decode`, `body` and `query`
//! 2. `codecs`
//! 3. `streams` and `output`
//! 4. `backend` and `scratch`

mod backend;
mod body;
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
#[cfg(feature = "threads")]
mod threaded;

pub use crate::options::Options;
pub use backend::Backend;
pub use decode::{decode, decode_to, decoded_len, inspect, salvage, scratch_len, scratch_len_to};
#[cfg(feature = "alloc")]
pub use decode::{decode_to_vec, grow};
pub use header::{Codec, Container, HEADER_LEN, Header, TRAILER_LEN, TRAILER_MAGIC};
pub use scratch::{WORKSPACE_SIZE, Workspace};
pub use streams::lines::Lines;
pub use streams::numbers::Stream;
pub use streams::{Entries, Entry, Set, Wrapping};
#[cfg(feature = "threads")]
pub use threaded::decode_threaded;
#[cfg(feature = "at1")]
pub use {
    codecs::bundle::{Bundle, BundleFile},
    codecs::{qcolumnar, qjson},
    query::compare::{Number, Sum},
    query::head::TableHead,
    query::predicate::{ColumnRef, Filter, Test},
    query::row::Row,
    query::{Answer, Ask, Group, Next, Query, Request, Stats},
};
