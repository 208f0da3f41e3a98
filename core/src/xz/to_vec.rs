//! Decodes to a new vector, whose length no file can inflate by a claim.

use alloc::vec::Vec;

use super::chunk::MAX_CHUNK;
use super::parser::Parser;
use super::window::{Storage, Window};
use super::workspace::Workspace;
use crate::heap::zeros;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

/// A byte of LZMA decodes to some 7000 at most, if every bit has the highest probability.
const MAX_EXPANSION: usize = 8192;

/// Decodes what the parser expects next. The vector is as long as the chunks of the input claim,
/// but at most as long as its bytes can decode to.
pub(super) fn to_vec(src: &[u8], mut parser: Parser, workspace: &mut Workspace) -> Result<Vec<u8>> {
    let mut counter = parser.clone();
    let counted = counter.run(src, &mut Window::new(Storage::None, &mut []), workspace, &mut ());
    let most = src.len().saturating_mul(MAX_EXPANSION).saturating_add(MAX_CHUNK);
    let mut out = zeros(counter.produced.min(u64_from(most)))?;
    let done = parser.run(src, &mut Window::new(Storage::Output, &mut out), workspace, &mut ());
    // If the possible length is too short, the claimed one is impossible. The structure may say
    // why.
    let done = done.map_err(|error| match error.kind {
        ErrorKind::OutputTooSmall => counted.err().unwrap_or(Error::new(ErrorKind::XzBlockSize, error.at)),
        _ => error,
    })?;
    out.truncate(done.wrote);
    Ok(out)
}
