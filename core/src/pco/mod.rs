//! Pco: columns of numbers, each taken apart into bins and offsets.
//!
//! A standalone [`File`] holds [`Chunk`]s, which say how they are made ([`Meta`]) before anything is decoded. Other formats wrap
//! the same parts in framing of their own: a [`Version`], chunk metadata, and pages, which are slices of their own then. A
//! [`Decoder`] reads pages, in one call or 256 numbers at a time, from all of the input or from pieces of it.
//!
//! ```
//! use unspool::Limits;
//! use unspool::pco::{File, Plan};
//!
//! # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
//! let file = File::open(bytes, &Limits::DEFAULT)?;
//! let mut at = file.first();
//! while let Some(chunk) = file.chunk(at)? {
//!     // Known before anything is decoded: type, count, and exactly how much memory it takes.
//!     let mut numbers = vec![0u32; chunk.len];
//!     let mut workspace = vec![0u64; chunk.workspace_len(Plan::Whole) as usize];
//!     at = chunk.decode(&mut numbers, &mut workspace)?;
//!     assert_eq!(numbers[..4], [0, 1, 2, 3]);
//! }
//! assert!(file.trailing(at).is_empty());
//! # Ok::<(), unspool::Error>(())
//! ```
//!
//! A device that has room for 256 numbers reads a column of any length, from a file that need not be there as a whole:
//!
//! ```
//! use unspool::{End, Limits, Status};
//! use unspool::pco::{Decoder, File, Plan};
//!
//! # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
//! let file = File::open(bytes, &Limits::DEFAULT)?;
//! let chunk = file.chunk(file.first())?.unwrap();
//! let mut workspace = vec![0u64; chunk.workspace_len(Plan::Batches) as usize]; // or a static, large enough
//! let mut decoder = Decoder::<u32>::new(&chunk.meta, chunk.len, Plan::Batches, &mut workspace)?;
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
//! Tables, and whatever else lasts longer than a call, lie in words that the caller owns; [`Meta::workspace_len`] tells how many
//! they are, exactly, for each [`Plan`]: tables made for speed, or compact ones. Nothing about a page changes them. Their values need not be cleared between uses.

#[cfg(not(feature = "small"))]
mod batch;
mod bins;
mod compact;
mod decoder;
#[cfg(not(feature = "small"))]
mod delta;
mod fields;
mod file;
mod header;
#[cfg(feature = "alloc")]
mod inspect;
#[cfg(not(feature = "small"))]
mod lane;
mod meta;
#[cfg(not(feature = "small"))]
mod mode;
mod number;
#[cfg(not(feature = "small"))]
mod page;
#[cfg(not(feature = "small"))]
mod pipeline;
mod soft;
mod spans;
mod spread;
#[cfg(not(feature = "small"))]
mod tans;
mod workspace;

pub use decoder::Decoder;
pub use file::{Chunk, File};
pub use header::{Header, MAX_HEADER_LEN, Version};
#[cfg(feature = "alloc")]
pub use inspect::inspect;
pub use meta::{Bin, Convolution, Delta, MAX_ORDER, Meta, Mode, Role, Variable};
pub use number::{Latent, Number, NumberType};
pub use workspace::Plan;
