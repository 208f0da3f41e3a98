//! CVC: collections of embedding vectors in one or many columns, in chunks that decode alone.
//!
//! A file is a JSON header and a list of chunks. Versions 0 and 1 hold one column of f32 vectors,
//! version 2 any number of columns of several types. A chunk holds the same rows of all columns.
//!
//! | compression | values are stored as |
//! |---|---|
//! | `fp16` | half floats |
//! | `int8` | bytes with a scale and an offset |
//! | `lossless` | byte planes with dictionaries |
//! | `none` | plain values |
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
//! Without the whole file, a [`Plan`] names the byte ranges to fetch for rows of a [`Column`], and
//! an [`Outline`] those to fetch for the layout of the chunks. A [`Decoder`] decodes a file that
//! arrives in pieces. [`inspect`] emits every field to a [`Trace`](crate::Trace).

// A file imports only from those below it.
mod decode;
mod file;
mod inspect;
mod stream;
#[cfg(feature = "threads")]
mod threaded;

mod plan;

mod column;

mod chunk;
mod section;

mod header;
mod payload;

mod describe;
mod lossless;
mod workspace;

mod cell;
// Kernels for the machine that runs. Flash and WebAssembly keep the portable loops.
#[cfg_attr(
    not(all(
        feature = "std",
        not(feature = "small"),
        target_endian = "little",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )),
    path = "no_simd.rs"
)]
mod simd;

mod convert;
mod object;

mod decimal;
mod float;
mod options;

pub use crate::json::Text;
pub use chunk::{Chunk, Chunks};
pub use column::{Column, Columns};
pub use convert::{Dtype, Element, half_to_f32};
#[cfg(feature = "alloc")]
pub use decode::decode_to_vec;
pub use decode::{decode, decode_to, decoded_len, salvage};
pub use file::{Pieces, workspace_len};
pub use header::{File, Header, Version};
pub use inspect::{Outline, inspect};
pub use options::Options;
pub use payload::Payload;
pub use plan::{Piece, Plan};
pub use section::{Metadata, Scalar, Section, Sections};
pub use stream::Decoder;
#[cfg(feature = "threads")]
pub use threaded::decode_threaded;
pub use workspace::Workspace;
