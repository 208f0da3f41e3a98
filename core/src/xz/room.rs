//! Vectors for content whose size a file only claims.

use alloc::vec::Vec;

use super::chunk::MAX_CHUNK;
use super::parser::Parser;
use super::window::{Kind, Window};
use super::workspace::Workspace;
use crate::heap::zeros;
use crate::num::u64_from;
use crate::{End, Error, ErrorKind, Result};

/// Adds up what the chunks of a file hold, as far as its structure can be followed.
pub(super) fn count(src: &[u8], mut parser: Parser, workspace: &mut Workspace) -> (u64, Option<Error>) {
    let (mut rest, mut wrote, mut window) = (src, 0, Window::new(Kind::Nowhere, &mut []));
    let end = parser.go(&mut rest, End::Here, (&mut [], &mut wrote), &mut window, workspace, &mut ());
    (parser.produced, end.err())
}

/// A byte of LZMA decodes to some 7000 at most, where all its bits are as likely as they can be.
const MOST_OF_A_BYTE: usize = 8192;

/// Makes room for content of this size, if `stored` bytes can hold it. Else for what they can hold, and for the chunk after it.
pub(super) fn room(size: u64, stored: usize) -> Result<Vec<u8>> {
    zeros(u64_from(stored.saturating_mul(MOST_OF_A_BYTE).saturating_add(MAX_CHUNK)).min(size))
}

/// Where there is no room for what can be, the file claims what cannot be: that is what is `known` of it, or that a size is wrong.
#[cold]
pub(super) fn impossible(error: Error, known: Option<Error>) -> Error {
    match error.kind {
        ErrorKind::OutputTooSmall => known.unwrap_or(Error::new(ErrorKind::XzBlockSize, error.at)),
        _ => error,
    }
}
