//! Decodes to a new vector, whose length no file can inflate by a claim.

use alloc::vec::Vec;

use super::control::MAX_CHUNK;
#[cfg(feature = "lzma")]
use super::header::BlockHeader;
use super::options::Options;
use super::probability::Literals;
use super::records::Block;
use super::whole::{Goal, Slice, Whole};
use super::workspace::{MOST_CONTEXTS, Tables};
use crate::Result;
use crate::heap::zeros;
use crate::num::{u64_from, wide};

/// A byte of LZMA decodes to some 7000 at most, if every bit has the highest probability.
const MAX_EXPANSION: usize = 8192;

/// Returns the length that an input can decode to at most.
pub(super) const fn most(src: &[u8]) -> usize {
    src.len().saturating_mul(MAX_EXPANSION).saturating_add(MAX_CHUNK)
}

/// The part of a file that an input is.
#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    File,
    Block(&'a Block),
    /// The chunks of a block with this header.
    #[cfg(feature = "lzma")]
    Chunks(&'a BlockHeader),
}

/// Decodes an input. The vector is as long as its chunks claim, but at most as long as its bytes
/// can decode to.
pub(super) fn to_vec(src: &[u8], input: Input<'_>, options: &Options) -> Result<Vec<u8>> {
    let mut tables = Tables::<[Literals; MOST_CONTEXTS]>::new();
    let mut walk = |dst: &mut [u8], goal| {
        let trace = &mut ();
        let mut whole = Whole::new(src, Slice::of_real_length(dst), &mut tables, options, trace);
        let done = match input {
            Input::File => whole.file(goal),
            Input::Block(block) => whole.lone_block(goal, block),
            #[cfg(feature = "lzma")]
            Input::Chunks(header) => whole.lone_chunks(goal, header),
        };
        (done, wide(whole.counted))
    };
    // Symbols before an error of this walk may have one as well.
    let (_, content) = walk(&mut [], Goal::Count);
    let mut out = zeros(content.min(u64_from(most(src))))?;
    let (done, _) = walk(&mut out, Goal::Decode);
    out.truncate(done?.wrote);
    Ok(out)
}
