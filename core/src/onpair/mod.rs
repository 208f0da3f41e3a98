//! OnPair: columns of strings, each row a few codes that name tokens of a dictionary. A row decodes
//! alone, and is searched without being decoded.
//!
//! A column is a [`Dictionary`] of tokens with 1 to 16 bytes, [`Codes`] (plain, as bytes, or packed
//! at 1 to 16 bits), and [`RowOffsets`] that say which codes make up each row. All three are
//! borrowed from slices of the caller, at any alignment.
//!
//! ```
//! use unspool::{onpair::{Codes, Column, Dictionary, RowOffsets}, Limits};
//! # let le = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
//! let dictionary = b"https://unspool.example/docs"; // https:// | unspool | .example/ | docs
//! let (token_offsets, row_offsets) = (le(&[0, 8, 15, 24, 28]), le(&[0, 3, 3, 7]));
//! let dictionary = Dictionary::open(dictionary, &token_offsets)?;
//! let rows = RowOffsets::u32(&row_offsets)?;
//! let codes = Codes::packed(&[0b00_10_01_00, 0b00_11_10_01], 2, 7)?;
//! let column = Column::open(dictionary, codes, rows, &Limits::DEFAULT)?;
//!
//! let mut line = [0; 64];
//! let len = column.row_into(2, &mut line)?;
//! assert_eq!(&line[..len], b"https://unspool.example/docs");
//! assert_eq!(column.row_len(1)?, 0);
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! [`decode`] and its neighbours take a whole file, as in every format. [`File`] opens one to read
//! or search single rows.
//!
//! [`Column::each_row`] decodes many rows in any order, [`Column::plain_rows`] is for loops over
//! single ones, [`Column::widened`] trades 17 bytes a token for speed, [`Search`] finds rows,
//! [`inspect`] emits the place of everything in a file to a [`Trace`](crate::Trace), and
//! [`Outline`] finds the tables of a file that is read by ranges.
//!
//! The files of this room use only those above them in this list.

mod tokens;

mod codes;
mod offsets;

mod dictionary;
mod emit;
mod lookup;
mod wide;

mod column;

mod each;
mod plain;
mod row;
mod sifted;

mod start;
mod substring;

mod search;

mod header;

mod file;
mod outline;

mod inspect;

mod decode;

#[cfg(feature = "threads")]
mod threaded;

pub use codes::Codes;
pub use column::{ArrowOffset, Column};
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{Options, Workspace, decode, decode_to, decoded_len, inspect, salvage};
pub use dictionary::Dictionary;
pub use file::File;
pub use header::Header;
pub use offsets::RowOffsets;
pub use outline::Outline;
pub use plain::PlainRows;
pub use row::{Row, Rows};
pub use search::{Matches, Progress, Search, SearchWorkspace};
#[cfg(feature = "threads")]
pub use threaded::decode_threaded;
pub use tokens::{MAX_TOKEN_LEN, MAX_TOKENS};
pub use wide::WideWorkspace;
