//! CVC: collections of embedding vectors, one or many columns, in chunks that decode alone.
//!
//! A file is a JSON header and a row of chunks. Version 0 and 1 hold one column of f32 vectors, version 2 any number of
//! columns of several types; a chunk holds the same rows of all columns. Values are stored as half floats (`fp16`), as
//! bytes with a scale and an offset (`int8`), as byte planes with dictionaries (`lossless`), or as they are (`none`).
//!
//! ```
//! use unspool::{cvc, Limits};
//! # let json = br#"{"chunks":[{"compression":"fp16","rows":2}],"compression":"fp16","dimension":3,"num_vectors":2}"#;
//! # let payload: Vec<u8> = [0x3C00u16, 0x4000, 0xC000, 0, 0x8000, 0x7C00].iter().flat_map(|h| h.to_le_bytes()).collect();
//! # let mut bytes = b"CVCF\x01\0\0\0".to_vec();
//! # bytes.extend((json.len() as u32).to_le_bytes());
//! # bytes.extend(json);
//! # bytes.extend((payload.len() as u32).to_le_bytes());
//! # bytes.extend(unspool::checksum::Crc32::of(&payload).to_le_bytes());
//! # bytes.extend(payload);
//! let file = cvc::File::open(&bytes, &Limits::DEFAULT)?;
//! let column = file.only_column()?;
//! let mut vectors = [0.0f32; 6];
//! column.decode_f32(&bytes, column.rows(), &mut vectors, cvc::Crc::Verify)?;
//! assert_eq!(vectors, [1.0, 2.0, -2.0, 0.0, -0.0, f32::INFINITY]);
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! Whoever does not have the whole file asks a column for a [`Plan`]: it names the byte ranges to fetch. Whoever has it
//! piece by piece uses the [`Decoder`]. [`inspect`] tells a [`Trace`](crate::Trace) where everything lies, and an [`Outline`] where
//! the chunks lie of a file that is not at hand.

mod chunk;
mod column;
mod convert;
mod decimal;
mod every;
mod float;
mod header;
mod inspect;
mod lossless;
mod object;
mod outline;
mod payload;
mod plan;
mod section;
mod stream;

pub use crate::json::Text;
pub use chunk::{Chunk, Chunks};
pub use column::{Column, Columns};
pub use convert::{Dtype, Element, half_to_f32};
pub use header::{FRAMING_LEN, File, Version, head_len};
pub use inspect::inspect;
pub use outline::Outline;
pub use payload::{Crc, CrcCount, Done, Payload};
pub use plan::{Need, Piece, Plan};
pub use section::{Metadata, Scalar, Section, Sections};
pub use stream::Decoder;
