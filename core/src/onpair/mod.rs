//! OnPair: columns of strings, each row a few codes that name tokens of a dictionary. A row decodes alone, and is searched
//! without being decoded.
//!
//! A column is a [`Dictionary`] of tokens with 1 to 16 bytes, [`Codes`] (plain, as bytes, or packed at 1 to 16 bits), and
//! [`RowOffsets`] that say which codes make up each row. All three are borrowed from slices of the caller, at any alignment.
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
//! [`Column::each_row`] decodes many rows in any order, [`Column::plain_rows`] is for loops over single ones,
//! [`Column::widened`] trades 17 bytes a token for speed, [`Search`] finds rows, [`Container`] is a file with all of it,
//! [`inspect`] tells a [`Trace`](crate::Trace) where everything lies in one, and [`Outline`] where its tables lie in one that is
//! not at hand.

mod codes;
mod column;
mod container;
mod decode;
mod dictionary;
mod gather;
mod inspect;
mod lookup;
mod offsets;
mod outline;
mod plain;
mod row;
mod search;
mod sifted;
mod start;
mod substring;
mod wide;

pub use codes::Codes;
pub use column::{ArrowOffset, Column};
pub use container::Container;
pub use dictionary::{Dictionary, MAX_TOKEN_LEN, MAX_TOKENS};
pub use inspect::inspect;
pub use offsets::RowOffsets;
pub use outline::Outline;
pub use plain::PlainRows;
pub use row::{Row, Rows};
pub use search::{Matches, Progress, Search, SearchSpace};
pub use wide::WideSpace;
