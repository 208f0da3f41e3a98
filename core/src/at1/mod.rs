//! AT-1: text files taken apart into typed columns, in streams that xz or Zstandard compressed.
//!
//! [`decode`] puts a file together again, byte for byte. What it needs besides input and output is a [`Workspace`] of fixed
//! size and one slice of scratch, into which streams are decoded: [`scratch_needed`] says how long it must be before
//! anything is decoded. Output goes to a slice, or to a [`Sink`](crate::Sink) with [`decode_to`]; [`decoded_len`] counts it
//! first.
//!
//! ```
//! use unspool::{Limits, at1};
//! // A file that nothing could be made of, stored as it is.
//! let file = b"AT1\x02\xFF\x02any bytes";
//! let mut out = [0; 9];
//! let done = at1::decode(file, &mut out, &mut [], &mut at1::Workspace::new(), &Limits::DEFAULT)?;
//! assert_eq!(&out[..done.wrote], b"any bytes");
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! Files of the codecs 7 and 8 hold an index and blocks that a query can skip; see [`qcolumnar`] and [`qjson`].

mod backend;
mod compare;
mod decode;
mod head;
mod header;
mod lines;
mod numbers;
mod output;
mod predicate;
pub mod qcolumnar;
pub mod qjson;
mod query;
mod row;
mod scratch;
mod streams;

pub use backend::Backend;
pub use compare::{Number, Sum};
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{Done, Need, decode, decode_to, decode_traced, decoded_len, scratch_needed};
pub use header::{Codec, Container, HEADER_LEN, Header, TRAILER_LEN};
pub use lines::Lines;
pub use numbers::{Numbers, Stream};
pub use predicate::{Column, Filter, Test};
pub use query::{Answer, Ask, Query, Request, Stats};
pub use row::Row;
pub use scratch::{Scratch, WORKSPACE_SIZE, Workspace};
pub use streams::{Entries, Entry, Set, Wrapping};
