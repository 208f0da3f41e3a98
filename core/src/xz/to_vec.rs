//! Decodes to a new vector, whose length no file can inflate by a claim.

use alloc::vec::Vec;

use super::control::MAX_CHUNK;
use super::options::Options;
use super::probability::Literals;
use super::records::Block;
use super::whole::{Goal, Whole};
use super::workspace::{MOST_CONTEXTS, Tables};
use crate::heap::zeros;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

/// A byte of LZMA decodes to some 7000 at most, if every bit has the highest probability.
const MAX_EXPANSION: usize = 8192;

/// Decodes a file, or the one block that `src` is. The vector is as long as the chunks of the input
/// claim, but at most as long as its bytes can decode to.
pub(super) fn to_vec(src: &[u8], block: Option<&Block>, options: &Options) -> Result<Vec<u8>> {
    let mut tables = Tables::<[Literals; MOST_CONTEXTS]>::new();
    let mut walk = |dst: &mut [u8], goal| {
        let trace = &mut ();
        let mut whole = Whole::new(src, dst, &mut tables, options, trace);
        let done = match block {
            None => whole.file(goal),
            Some(block) => whole.lone_block(goal, block),
        };
        (done, whole.counted)
    };
    let (counted, content) = walk(&mut [], Goal::Count);
    let most = src.len().saturating_mul(MAX_EXPANSION).saturating_add(MAX_CHUNK);
    let mut out = zeros(content.min(u64_from(most)))?;
    let (done, _) = walk(&mut out, Goal::Decode);
    // If the possible length is too short, the claimed one is impossible. The structure may say
    // why.
    let done = done.map_err(|error| match error.kind {
        ErrorKind::OutputTooSmall => counted.err().unwrap_or(Error::new(ErrorKind::XzBlockSize, error.at)),
        _ => error,
    })?;
    out.truncate(done.wrote);
    Ok(out)
}
