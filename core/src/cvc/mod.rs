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
//! let mut vectors = [0.0f32; 6];
//! cvc::decode(&bytes, &mut vectors, &mut cvc::Workspace::new(), &cvc::Options::DEFAULT, &mut ())?;
//! assert_eq!(vectors, [1.0, 2.0, -2.0, 0.0, -0.0, f32::INFINITY]);
//!
//! // The second row alone.
//! let file = cvc::File::open(&bytes, &Limits::DEFAULT)?;
//! file.only_column()?.decode(&bytes, 1..2, &mut vectors[..3], &cvc::Options::DEFAULT)?;
//! assert_eq!(vectors[..3], [0.0, -0.0, f32::INFINITY]);
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! Without the whole file, a [`Plan`] names the byte ranges to fetch for rows of a [`Column`]; from a file that comes piece by piece a
//! [`Decoder`] decodes. [`inspect`] tells a [`Trace`](crate::Trace) where everything lies, and an [`Outline`] where the chunks of a file lie that is
//! not at hand.

// In the order of who knows whom: a file imports only from those below it.
mod stream;

mod decode;

mod inspect;

mod outline;

mod every;

mod plan;

mod piece;

mod column;

mod open;

mod chunk;

mod describe;
mod section;

mod header;

mod payload;

mod lossless;

mod convert;

mod decimal;
mod float;
mod names;
mod object;
mod options;
mod smallest;

#[cfg(all(test, feature = "alloc"))]
mod linear;

pub use crate::json::Text;
pub use chunk::{Chunk, Chunks};
pub use column::{Column, Columns};
pub use convert::{Dtype, Element, half_to_f32};
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decode_to, decoded_len, salvage};
pub use every::workspace_len;
pub use header::{File, Header, Version};
pub use inspect::inspect;
pub use options::{Options, Workspace};
pub use outline::Outline;
pub use payload::Payload;
pub use piece::Piece;
pub use plan::Plan;
pub use section::{Metadata, Scalar, Section, Sections};
pub use stream::Decoder;
