//! Reads the symbols of `.lzma` files, for inspectors.

use super::super::symbols::{LzmaFed, LzmaItem, LzmaWish, Observed, options};
use super::super::workspace::Workspace;
use super::options::Options;
use super::walk::Walk;
use crate::{End, Limits, Result};

/// Reads the symbols of a `.lzma` file, as that of [`xz`](crate::xz::SymbolReader) does.
#[derive(Clone, Debug)]
pub struct SymbolReader(Observed<Walk<false>>);

impl SymbolReader {
    /// A reader at the start of a file. The limit on output does not apply.
    pub fn new(limits: &Limits) -> Self {
        let options = Options { limits: options(limits).limits, ..Options::DEFAULT };
        Self(Observed::new(Walk::new(&options), 0))
    }

    /// Reads the next piece of the file, and emits its parts.
    pub fn feed(
        &mut self,
        src: &[u8],
        end: End,
        workspace: &mut Workspace,
        window: &mut [u8],
        each: impl FnMut(LzmaItem) -> LzmaWish,
    ) -> Result<LzmaFed> {
        self.0.feed(src, end, workspace, window, each)
    }
}
