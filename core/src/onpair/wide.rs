//! The wide dictionary: every token padded to 16 bytes, so that finding one is one step and not
//! two.

use super::dictionary::Dictionary;
use super::tokens::{MAX_TOKEN_LEN, Tokens};
use crate::fault::{Fault, Verdict};

/// Memory for the wide form of a dictionary of up to `TOKENS` tokens: 17 bytes each.
///
/// Use it to decode whole columns. If the number of tokens depends on the file, a `Vec` of tokens
/// and one of lengths work as well: see [`Column::widened`](super::Column::widened).
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct WideWorkspace<const TOKENS: usize> {
    /// The tokens, each padded to 16 bytes.
    pub tokens: [[u8; MAX_TOKEN_LEN]; TOKENS],
    /// Their lengths.
    pub lens: [u8; TOKENS],
}

impl<const TOKENS: usize> WideWorkspace<TOKENS> {
    /// Makes a workspace of zeros, for a `static` too.
    pub const fn new() -> Self {
        Self { tokens: [[0; MAX_TOKEN_LEN]; TOKENS], lens: [0; TOKENS] }
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
    tokens: &'w [[u8; MAX_TOKEN_LEN]],
    lens: &'w [u8],
}

impl<'w> Wide<'w> {
    pub(super) fn new(
        dictionary: &Dictionary<'_>,
        tokens: &'w mut [[u8; MAX_TOKEN_LEN]],
        lens: &'w mut [u8],
    ) -> Verdict<Self> {
        let count = dictionary.len();
        let (Some(tokens), Some(lens)) = (tokens.get_mut(..count), lens.get_mut(..count)) else {
            return Err(Fault::lacking(count));
        };
        let lookup = dictionary.padded_lookup();
        for (code, (to, len)) in (0..=u16::MAX).zip(tokens.iter_mut().zip(lens.iter_mut())) {
            let token = dictionary.token(code).unwrap_or(&[]);
            match lookup.as_ref().and_then(|lookup| lookup(code)) {
                Some((padded, _)) => *to = *padded,
                None => crate::num::copy(token, to),
            }
            *len = u8::try_from(token.len()).unwrap_or(0);
        }
        Ok(Self { tokens, lens })
    }
}

impl<'w> Tokens<'w> for Wide<'w> {
    #[inline]
    fn padded_lookup(self) -> Option<impl Fn(u16) -> Option<(&'w [u8; MAX_TOKEN_LEN], usize)>> {
        let tokens = self.tokens;
        // The compiler sees that there are as many as tokens: one comparison bounds both.
        let lens = self.lens.get(..tokens.len())?;
        Some(move |code| {
            let code = usize::from(code);
            Some((tokens.get(code)?, usize::from(*lens.get(code)?)))
        })
    }

    #[inline]
    fn token(self, code: u16) -> Option<&'w [u8]> {
        let code = usize::from(code);
        self.tokens.get(code)?.get(..usize::from(*self.lens.get(code)?))
    }

    #[inline]
    fn token_len(self, code: u16) -> Option<u8> {
        self.lens.get(usize::from(code)).copied()
    }
}
