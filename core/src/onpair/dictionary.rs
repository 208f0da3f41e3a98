//! The dictionary: tokens of 1 to 16 bytes, one after the other, and where each starts.

use core::cmp::Ordering;

use super::offsets::entries;
use super::tokens::{MAX_TOKEN_LEN, MAX_TOKENS, Tokens};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// The tokens of a column, borrowed and validated.
///
/// Padding after the last token is allowed but not needed: the slice bounds every read.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary<'a> {
    bytes: &'a [u8],
    offsets: &'a [[u8; 4]],
    conforming: bool,
}

impl<'a> Dictionary<'a> {
    /// Checks all that safe decoding needs: the first token starts at 0, every token has 1 to 16
    /// bytes, the last ends within `bytes`, and there are at most 65536.
    ///
    /// `offsets` holds one little-endian u32 more than there are tokens, at any alignment.
    pub fn open(bytes: &'a [u8], offsets: &'a [u8]) -> Result<Self> {
        Self::open_at(bytes, offsets, 0)
    }

    /// [`open`](Self::open) for offsets at `at` in a file.
    #[cfg_attr(feature = "small", inline(always))]
    pub(super) fn open_at(bytes: &'a [u8], offsets: &'a [u8], at: u64) -> Result<Self> {
        let dictionary = Self { bytes, offsets: entries(offsets, at)?, conforming: false };
        let error = |kind, entry: usize| Err(Error::new(kind, at.saturating_add(u64_from(entry) * 4)));
        if dictionary.len() > MAX_TOKENS {
            return error(ErrorKind::OnPairTokenCount, 0);
        }
        if dictionary.start(0) != Some(0) {
            return error(ErrorKind::OnPairFirstOffset, 0);
        }
        crate::steps::count(dictionary.offsets.len());
        for (token, pair) in dictionary.offsets.windows(2).enumerate() {
            let &[start, end] = pair else { continue };
            match u32::from_le_bytes(end).checked_sub(u32::from_le_bytes(start)) {
                Some(1..=16) => {}
                None | Some(0) => return error(ErrorKind::OnPairTokenEmpty, token + 1),
                Some(_) => return error(ErrorKind::OnPairTokenLength, token + 1),
            }
        }
        if dictionary.bytes_len() > u64_from(bytes.len()) {
            return error(ErrorKind::OnPairTokenOutside, dictionary.len());
        }
        Ok(dictionary)
    }

    /// Checks what every trainer of sorted dictionaries guarantees: tokens ascend, none occurs
    /// twice, and each single byte is one. This makes search faster. `at` of an error is the number
    /// of the token, not an offset.
    pub fn conforming(self) -> Result<Self> {
        let mut before: &[u8] = &[];
        let mut singles = 0u64;
        for (number, token) in self.tokens().enumerate() {
            if before.cmp(token) != Ordering::Less {
                return Err(Error::new(ErrorKind::OnPairNotSorted, u64_from(number)));
            }
            singles += u64::from(token.len() == 1);
            before = token;
        }
        // No token occurs twice, so 256 tokens of one byte are all of them.
        match singles {
            256 => Ok(Self { conforming: true, ..self }),
            _ => Err(Error::new(ErrorKind::OnPairNotComplete, u64_from(self.len()))),
        }
    }

    /// Returns `true` if [`conforming`](Self::conforming) has found the dictionary so.
    pub const fn is_conforming(&self) -> bool {
        self.conforming
    }

    /// Returns the number of tokens.
    #[inline]
    pub const fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns `true` if there are no tokens. Then a column has no codes either.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of all tokens together, without padding.
    pub fn bytes_len(&self) -> u64 {
        self.start(self.len()).unwrap_or(0)
    }

    /// The fewest bits that hold every code: 0 for no token, 1 for one or two, 16 for 65536.
    pub const fn code_bits(&self) -> u32 {
        match self.len() {
            0 => 0,
            1 => 1,
            tokens => usize::BITS - (tokens - 1).leading_zeros(),
        }
    }

    /// The bytes of a token.
    #[inline]
    pub fn token(&self, code: u16) -> Option<&'a [u8]> {
        let (start, len) = self.place(code)?;
        self.bytes.get(start..start.wrapping_add(usize::from(len)))
    }

    /// Every token, in the order of their codes.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        let dictionary = *self;
        let codes = self.offsets.len().saturating_sub(1);
        (0..codes).map(move |code| u16::try_from(code).ok().and_then(|code| dictionary.token(code)).unwrap_or(&[]))
    }

    #[inline]
    fn start(&self, token: usize) -> Option<u64> {
        self.offsets.get(token).map(|entry| u64::from(u32::from_le_bytes(*entry)))
    }

    /// Returns the start of a token, and its length.
    #[inline]
    fn place(&self, code: u16) -> Option<(usize, u8)> {
        let code = usize::from(code);
        // The end first: there is one end less than starts, so one comparison bounds both.
        let (_, ends) = self.offsets.split_first()?;
        let end = u32::from_le_bytes(*ends.get(code)?);
        let start = u32::from_le_bytes(*self.offsets.get(code)?);
        let [len, ..] = end.wrapping_sub(start).to_le_bytes();
        Some((index(u64::from(start)), len))
    }
}

impl<'a> Tokens<'a> for Dictionary<'a> {
    #[inline]
    fn padded_lookup(self) -> Option<impl Fn(u16) -> Option<(&'a [u8; MAX_TOKEN_LEN], usize)>> {
        let Self { bytes, offsets, .. } = self;
        let (_, ends) = offsets.split_first()?;
        let last = bytes.len().checked_sub(MAX_TOKEN_LEN)?;
        Some(move |code| {
            // The end first: there is one end less than starts, so one comparison bounds both.
            let end = u32::from_le_bytes(*ends.get(usize::from(code))?);
            let start = u32::from_le_bytes(*offsets.get(usize::from(code))?);
            let (start, len) = (index(start.into()), index(end.wrapping_sub(start).into()));
            // One comparison with a constant of the loop. It proves to the compiler that 16 bytes
            // follow.
            if start > last {
                return None;
            }
            Some((bytes.get(start..)?.first_chunk()?, len))
        })
    }

    #[inline]
    fn token(self, code: u16) -> Option<&'a [u8]> {
        Dictionary::token(&self, code)
    }

    #[inline]
    fn token_len(self, code: u16) -> Option<u8> {
        self.place(code).map(|(_, len)| len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(of: &[u32]) -> Vec<u8> {
        of.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    fn kind(bytes: &[u8], of: &[u32]) -> Option<(ErrorKind, u64)> {
        Dictionary::open(bytes, &offsets(of)).err().map(|error| (error.kind, error.at))
    }

    #[test]
    fn every_rule_of_safe_decoding() {
        assert_eq!(kind(b"abc", &[0, 1, 3]), None);
        assert_eq!(kind(b"abc", &[0]), None);
        assert_eq!(kind(b"abc", &[]), Some((ErrorKind::OnPairTable, 0)));
        assert_eq!(kind(b"abc", &[1, 2]), Some((ErrorKind::OnPairFirstOffset, 0)));
        assert_eq!(kind(b"abc", &[0, 2, 2]), Some((ErrorKind::OnPairTokenEmpty, 8)));
        assert_eq!(kind(b"abc", &[0, 2, 1]), Some((ErrorKind::OnPairTokenEmpty, 8)));
        assert_eq!(kind(&[7; 17], &[0, 17]), Some((ErrorKind::OnPairTokenLength, 4)));
        assert_eq!(kind(&[7; 16], &[0, 16]), None);
        assert_eq!(kind(b"abc", &[0, 4]), Some((ErrorKind::OnPairTokenOutside, 4)));
        assert_eq!(kind(b"abc", &[0, u32::MAX]), Some((ErrorKind::OnPairTokenLength, 4)));
        let many: Vec<u32> = (0..=65537).collect();
        assert_eq!(kind(&[0; 65537], &many[..65537]), None);
        assert_eq!(kind(&[0; 65537], &many), Some((ErrorKind::OnPairTokenCount, 0)));
    }

    #[test]
    fn padded_or_not_a_token_is_the_same() {
        let table = offsets(&[0, 1, 3, 6]);
        for bytes in [&b"abcdef"[..], b"abcdef0123456789", b"abcdef00000000000000000000000000"] {
            let dictionary = Dictionary::open(bytes, &table).unwrap();
            let padded = |code| dictionary.padded_lookup().and_then(|lookup| lookup(code));
            for (code, token) in [(0, &b"a"[..]), (1, b"bc"), (2, b"def")] {
                assert_eq!(dictionary.token(code), Some(token));
                if let Some((window, len)) = padded(code) {
                    assert_eq!(&window[..len], token);
                }
                assert_eq!(dictionary.token_len(code), Some(token.len() as u8));
            }
            assert_eq!((dictionary.token(3), padded(3)), (None, None));
            assert_eq!(padded(0).is_some(), bytes.len() >= 16);
            assert_eq!(dictionary.tokens().collect::<Vec<_>>(), [&b"a"[..], b"bc", b"def"]);
            assert_eq!((dictionary.len(), dictionary.bytes_len(), dictionary.code_bits()), (3, 6, 2));
        }
    }

    #[test]
    fn conforming_means_sorted_unique_and_complete() {
        let singles: Vec<u8> = (0..=255).collect();
        let table = offsets(&(0..=256).collect::<Vec<_>>());
        assert!(Dictionary::open(&singles, &table).unwrap().conforming().unwrap().is_conforming());
        let kind = |bytes: &[u8]| Dictionary::open(bytes, &table).unwrap().conforming().unwrap_err();
        let mut swapped = singles.clone();
        swapped.swap(7, 8);
        assert_eq!(kind(&swapped), Error::new(ErrorKind::OnPairNotSorted, 8));
        swapped[7] = 7;
        swapped[8] = 7;
        assert_eq!(kind(&swapped), Error::new(ErrorKind::OnPairNotSorted, 8));
        let short = Dictionary::open(&singles, &table[..table.len() - 4]).unwrap();
        assert_eq!(short.conforming().unwrap_err(), Error::new(ErrorKind::OnPairNotComplete, 255));
    }
}
