//! The wide dictionary: every token in a cell of 16 bytes, so that finding one is one step and not
//! two.

use super::dictionary::Dictionary;
use super::tokens::{MAX_TOKEN_LEN, Tokens};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

/// Memory for the wide form of a dictionary of up to `TOKENS` tokens: 17 bytes each.
///
/// Use it to decode whole columns. If the number of tokens depends on the file, a `Vec` of cells
/// and one of lengths work as well: see [`Column::widened`](super::Column::widened).
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct WideWorkspace<const TOKENS: usize> {
    /// A cell for each token.
    pub cells: [[u8; MAX_TOKEN_LEN]; TOKENS],
    /// Its length.
    pub lens: [u8; TOKENS],
}

impl<const TOKENS: usize> WideWorkspace<TOKENS> {
    /// Makes a workspace of zeros, for a `static` too.
    pub const fn new() -> Self {
        Self { cells: [[0; MAX_TOKEN_LEN]; TOKENS], lens: [0; TOKENS] }
    }
}

impl<const TOKENS: usize> Default for WideWorkspace<TOKENS> {
    fn default() -> Self {
        Self::new()
    }
}

/// The wide form of a dictionary, in memory of the caller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide<'w> {
    cells: &'w [[u8; MAX_TOKEN_LEN]],
    lens: &'w [u8],
}

impl<'w> Wide<'w> {
    pub(super) fn new(
        dictionary: &Dictionary<'_>,
        cells: &'w mut [[u8; MAX_TOKEN_LEN]],
        lens: &'w mut [u8],
    ) -> Result<Self> {
        let count = dictionary.len();
        let (Some(cells), Some(lens)) = (cells.get_mut(..count), lens.get_mut(..count)) else {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(count)));
        };
        let lookup = dictionary.padded_lookup();
        for (code, (cell, len)) in (0..=u16::MAX).zip(cells.iter_mut().zip(lens.iter_mut())) {
            let token = dictionary.token(code).unwrap_or(&[]);
            match lookup.as_ref().and_then(|lookup| lookup(code)) {
                Some((padded, _)) => *cell = *padded,
                None => crate::num::copy(token, cell),
            }
            *len = u8::try_from(token.len()).unwrap_or(0);
        }
        Ok(Self { cells, lens })
    }
}

impl<'w> Tokens<'w> for Wide<'w> {
    #[inline]
    fn padded_lookup(self) -> Option<impl Fn(u16) -> Option<(&'w [u8; MAX_TOKEN_LEN], usize)>> {
        let cells = self.cells;
        // The compiler sees that there are as many as cells: one comparison bounds both.
        let lens = self.lens.get(..cells.len())?;
        Some(move |code| {
            let code = usize::from(code);
            Some((cells.get(code)?, usize::from(*lens.get(code)?)))
        })
    }

    #[inline]
    fn token(self, code: u16) -> Option<&'w [u8]> {
        let code = usize::from(code);
        self.cells.get(code)?.get(..usize::from(*self.lens.get(code)?))
    }

    #[inline]
    fn token_len(self, code: u16) -> Option<u8> {
        self.lens.get(usize::from(code)).copied()
    }
}
