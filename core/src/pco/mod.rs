//! Pco: columns of numbers, each split into a bin and an offset.
//!
//! [`decode`] reads a whole file. A standalone [`File`] has [`Chunk`]s, whose [`Meta`]data is known
//! before anything is decoded. Other formats wrap the same parts: a [`Version`], chunk metadata,
//! and pages in slices of their own. A [`Decoder`] reads pages, in one call or 256 numbers at a
//! time, from all of the input or from pieces of it. [`Outline`] finds the chunks of a file that is
//! read in ranges.
//!
//! ```
//! use unspool::Limits;
//! use unspool::pco::{File, Plan};
//!
//! # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
//! let file = File::open(bytes, &Limits::DEFAULT)?;
//! let mut at = file.first();
//! while let Some(chunk) = file.chunk(at, &mut ())? {
//!     // Known before anything is decoded: type, count, and the exact need of memory.
//!     let mut numbers = vec![0u32; chunk.len];
//!     let mut workspace = vec![0u64; chunk.workspace_len(Plan::Whole) as usize];
//!     at = chunk.decode(&mut numbers, &mut workspace, &mut ())?;
//!     assert_eq!(numbers[..4], [0, 1, 2, 3]);
//! }
//! assert!(file.trailing(at).is_empty());
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! A device with memory for 256 numbers reads a column of any length, from a file that comes in
//! pieces:
//!
//! ```
//! use unspool::{End, Limits, Status};
//! use unspool::pco::{Decoder, File, Plan};
//!
//! # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
//! let file = File::open(bytes, &Limits::DEFAULT)?;
//! let chunk = file.chunk(file.first(), &mut ())?.unwrap();
//! // Or a static that is large enough.
//! let mut workspace = vec![0u64; chunk.workspace_len(Plan::Batches) as usize];
//! let mut decoder = Decoder::<u32>::new(&chunk.meta, chunk.len, Plan::Batches);
//! decoder.open(&mut workspace)?;
//! decoder.start(chunk.len, chunk.page_at)?;
//! let (mut input, mut numbers, mut sum) = (&bytes[chunk.page_at as usize..], [0u32; 256], 0u64);
//! loop {
//!     let step = decoder.step(input, End::Here, &mut numbers)?;
//!     sum += numbers[..step.wrote].iter().map(|&number| u64::from(number)).sum::<u64>();
//!     input = &input[step.read..];
//!     if step.status == Status::Done {
//!         break;
//!     }
//! }
//! assert_eq!(sum, 776 * 777 / 2);
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! # Memory
//!
//! Tables, and whatever else outlasts a call, are in words that the caller owns.
//! [`Meta::workspace_len`] returns their exact number for each [`Plan`]: tables made for speed, or
//! compact ones. Nothing about a page changes it. The words need not be cleared.

mod compact;
mod decode;
mod decoder;
#[cfg(not(feature = "small"))]
mod fast;
mod fields;
mod file;
mod header;
mod latents;
mod meta;
#[cfg(test)]
pub(crate) mod model;
mod number;
mod outline;
mod page;
mod plan;
mod reader;
mod soft;
mod spread;
#[cfg(feature = "threads")]
mod threaded;
mod workspace;

pub use decode::{SCRATCH_LEN, decode, decode_bytes, decode_to, decoded_len, inspect, salvage, workspace_len};
#[cfg(feature = "alloc")]
pub use decode::{decode_chunks, decode_to_vec};
pub use decoder::Decoder;
pub use file::{Chunk, File};
pub use header::{Header, MAX_HEADER_LEN, Version};
pub use latents::LatentBits;
pub use meta::{Bin, Convolution, Delta, MAX_ORDER, Meta, Mode, Role, Variable};
pub use number::{Latent, Number, NumberType};
pub use outline::Outline;
pub use plan::{Options, Plan};
#[cfg(feature = "threads")]
pub use threaded::{decode_threaded, decode_watched};
