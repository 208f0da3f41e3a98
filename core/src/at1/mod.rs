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
//! Files of the codecs 7 and 8 hold an index and blocks that a query can skip; see [`qcolumnar`] and [`qjson`].

mod backend;
mod bundle;
mod column;
mod columnar;
mod compare;
mod decode;
mod dicom;
mod digits;
mod embed;
mod head;
mod header;
mod json;
mod jsondoc;
mod lines;
mod log;
mod map;
mod numbers;
mod osm;
mod output;
mod predicate;
pub mod qcolumnar;
pub mod qjson;
mod qjson2;
mod query;
mod row;
mod scratch;
mod ssh;
mod streams;
mod table;
mod vcf;

pub use backend::Backend;
pub use bundle::{Bundle, BundleFile};
pub use compare::{Number, Sum};
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{Done, Need, decode, decode_to, decoded_len, inspect, scratch_needed};
pub use header::{Codec, Container, HEADER_LEN, Header, TRAILER_LEN};
pub use lines::Lines;
pub use numbers::{Numbers, Stream};
pub use predicate::{Column, Filter, Test};
pub use query::{Answer, Ask, Query, Request, Stats};
pub use row::Row;
pub use scratch::{Scratch, WORKSPACE_SIZE, Workspace};
pub use streams::{Entries, Entry, Set, Wrapping};
