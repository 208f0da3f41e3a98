//! Strings of a checked text, still escaped.

use core::fmt;

/// A string of the header, still escaped. Comparing and printing decode it on the way.
///
/// ```
/// # #[cfg(feature = "cvc")]
/// # {
/// # use unspool::{cvc, Limits};
/// # let mut file = b"CVCF\x02\0\0\0".to_vec();
/// # let json = br#"{"num_vectors":0,"columns":[{"name":"\u00fcber","dimension":1,"dtype":"int32","compression":"none"}],"chunks":[]}"#;
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// let file = cvc::File::open(&file, &Limits::DEFAULT)?;
/// let name = file.columns().next().unwrap()?.name();
/// assert!(name.is("über"));
/// assert_eq!(name.to_string(), "über");
/// # }
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Text<'a> {
    pub(super) raw: &'a [u8],
}

impl<'a> Text<'a> {
    #[cfg(feature = "cvc")]
    pub(crate) const EMPTY: Self = Self { raw: &[] };

    /// Returns the text as it is stored, escapes included.
    pub fn raw(&self) -> &'a str {
        core::str::from_utf8(self.raw).unwrap_or("")
    }

    /// Returns the bytes of [`raw`](Self::raw), which are not validated again.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.raw
    }

    /// Returns whether it says the same as `text`.
    pub fn is(&self, text: &str) -> bool {
        self.equals(Units { rest: text.as_bytes(), escaped: false })
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn equals(&self, other: Units<'_>) -> bool {
        // Walks compare every key with every name, so the usual case must be fast: an escape is
        // longer than its character.
        self.raw == other.rest || (self.raw.len() > other.rest.len() || other.escaped) && self.units().same(other)
    }

    /// Returns whether it has no characters.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Returns its characters. U+FFFD replaces an escaped half of a surrogate pair.
    pub fn chars(&self) -> impl Iterator<Item = char> + use<'a> {
        self.units().map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Returns whether both have the same characters. A half of a surrogate pair equals the same
    /// half alone, in any spelling.
    pub(crate) fn same(&self, other: &Text<'_>) -> bool {
        self.equals(other.units())
    }

    /// Returns a hash (FNV-1a) of its characters: the same in any spelling. Comparing many texts
    /// with many by their characters would decode escapes for each pair.
    #[cfg(feature = "cvc")]
    pub(crate) fn hash(&self) -> u64 {
        let mix = |hash: u64, unit: u32| (hash ^ u64::from(unit)).wrapping_mul(0x100_0000_01B3);
        let seed = 0xCBF2_9CE4_8422_2325;
        // Most are plain ASCII, whose bytes are its characters.
        if self.raw.iter().all(|byte| byte.is_ascii() && *byte != b'\\') {
            return self.raw.iter().fold(seed, |hash, &byte| mix(hash, byte.into()));
        }
        self.units().fold(seed, mix)
    }

    fn units(&self) -> Units<'a> {
        Units::escaped(self.raw)
    }

    /// Fills `scratch` with its UTF-8 if it fits, else returns the escaped text. For showing only.
    pub(crate) fn shown<'b>(&self, scratch: &'b mut [u8]) -> &'b str
    where
        'a: 'b,
    {
        let mut len = 0usize;
        for c in self.chars() {
            let mut utf8 = [0; 4];
            let bytes = c.encode_utf8(&mut utf8).as_bytes();
            let Some(to) = scratch.get_mut(len..).and_then(|rest| rest.get_mut(..bytes.len())) else {
                return self.raw();
            };
            crate::num::copy(bytes, to);
            len = len.saturating_add(bytes.len());
        }
        scratch.get(..len).and_then(|utf8| core::str::from_utf8(utf8).ok()).unwrap_or("")
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|c| fmt::Write::write_char(f, c))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.raw(), f)
    }
}

/// Takes a character off the front; `None` if the bytes are not UTF-8.
fn utf8(rest: &mut &[u8]) -> Option<char> {
    let (&first, after) = rest.split_first()?;
    *rest = after;
    let more = match first {
        0..0x80 => return Some(char::from(first)),
        // Two bytes for less than 0x80 would start with 0xC0 or 0xC1.
        0xC2..0xE0 => 1,
        0xE0..0xF0 => 2,
        0xF0..0xF8 => 3,
        _ => return None,
    };
    let mut code = u32::from(first) & (0x3F >> more);
    for _ in 0..more {
        let (&byte, after) = rest.split_first().filter(|(byte, _)| **byte & 0xC0 == 0x80)?;
        (code, *rest) = (code << 6 | u32::from(byte & 0x3F), after);
    }
    // More bytes than the character takes.
    if more > 1 && code >> (5 * more + 1) == 0 { None } else { char::from_u32(code) }
}

/// The characters of a string, which end at one that is malformed. They are numbers, because an
/// escaped half of a surrogate pair is no `char`.
pub(super) struct Units<'a> {
    pub(super) rest: &'a [u8],
    /// A backslash starts an escape.
    escaped: bool,
}

/// The characters after a backslash, and what they stand for.
const ESCAPES: [(u8, u8); 8] =
    [(b'"', b'"'), (b'\\', b'\\'), (b'/', b'/'), (b'b', 8), (b'f', 12), (b'n', b'\n'), (b'r', b'\r'), (b't', b'\t')];

impl<'a> Units<'a> {
    /// The characters of a string with escapes, without its quotes.
    pub(super) fn escaped(raw: &'a [u8]) -> Self {
        Self { rest: raw, escaped: true }
    }
}

impl Units<'_> {
    /// Returns whether both are the same characters.
    #[inline(never)]
    fn same(mut self, mut other: Units<'_>) -> bool {
        loop {
            match (self.next(), other.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if a == b => {}
                _ => return false,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    /// Reads four hexadecimal digits.
    fn code_unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | char::from(self.byte()?).to_digit(16)?;
        }
        Some(unit)
    }

    fn escape(&mut self) -> Option<u32> {
        Some(match self.byte()? {
            b'u' => {
                let high = self.code_unit()?;
                if let 0xD800..=0xDBFF = high
                    && let [b'\\', b'u', rest @ ..] = self.rest
                {
                    let mut ahead = Units::escaped(rest);
                    if let Some(low @ 0xDC00..=0xDFFF) = ahead.code_unit() {
                        self.rest = ahead.rest;
                        return Some(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF));
                    }
                }
                high
            }
            byte => u32::from(ESCAPES.iter().find(|(escape, _)| *escape == byte)?.1),
        })
    }
}

impl Iterator for Units<'_> {
    type Item = u32;

    #[inline(never)]
    fn next(&mut self) -> Option<u32> {
        match self.rest {
            [] => None,
            [b'\\', rest @ ..] if self.escaped => {
                self.rest = rest;
                self.escape()
            }
            _ => utf8(&mut self.rest).map(u32::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_those_of_core() {
        let more: &[u8] = &[0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF];
        let pairs = || more.iter().flat_map(|&a| more.iter().map(move |&b| (a, b)));
        for first in 0..=u8::MAX {
            for (second, (third, fourth)) in more.iter().flat_map(|&second| pairs().map(move |pair| (second, pair))) {
                let bytes = [first, second, third, fourth];
                let text = bytes.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
                let mut rest = bytes.as_slice();
                assert_eq!(utf8(&mut rest), text, "{bytes:x?}");
                assert_eq!(text.map_or(4 - rest.len(), char::len_utf8), 4 - rest.len(), "{bytes:x?}");
            }
        }
        for len in 0..4 {
            assert_eq!(utf8(&mut "🎉".as_bytes().get(..len).unwrap()), None);
        }
    }

    #[test]
    fn texts_compare_decoded() {
        let text = |raw: &'static str| Text { raw: raw.as_bytes() };
        assert!(text(r"a\u00e9\/\u20ac").is("aé/€") && text("aé/€").is("aé/€"));
        assert!(text(r"\u00e9").same(&text("é")) && !text(r"\ud800").is("\u{fffd}"));
        assert!(!text(r"\ud800").same(&text(r"\uD800 ")) && text(r"\ud800").same(&text(r"\ud800")));
        assert!(text(r"\ud800").same(&text(r"\uD800")) && !text(r"\ud800").same(&text(r"\ud801")));
        #[cfg(feature = "cvc")]
        {
            assert!(text(r"a\u00e9\/\u20ac").hash() == text("aé/€").hash() && text("a").hash() != text("b").hash());
            assert!(
                text(r"\ud83c\udf89").hash() == text("🎉").hash() && text(r"\ud800").hash() == text(r"\uD800").hash()
            );
        }
        assert_eq!(text(r"\ud800x").chars().collect::<String>(), "\u{fffd}x");
        assert_eq!(text(r"\ud83c\u0041").chars().collect::<String>(), "\u{fffd}A");
        let mut scratch = [0; 4];
        assert_eq!(text(r"\ud83c\udf89").shown(&mut scratch), "🎉");
        assert_eq!(text(r"a\ud83c\udf89").shown(&mut scratch), r"a\ud83c\udf89");
    }
}
