//! Pco.

mod batch;
mod delta;
mod fields;
mod file;
mod header;
mod lane;
mod meta;
mod mode;
mod number;
mod page;
mod pipeline;
mod tans;
mod workspace;

pub use file::{Chunk, File};
pub use header::{Header, MAX_HEADER_LEN, Version};
pub use meta::{Bin, Convolution, Delta, MAX_ORDER, Meta, Mode, Role, Variable};
pub use number::{Latent, Number, NumberType};
pub use page::Decoder;
pub use workspace::Plan;
