//! Walks over a checked text.

use core::ops::Range;

use super::Text;
use crate::ErrorKind;
use crate::fault::Fault;
use crate::num::{Size, u64_from};
use crate::steps;

/// Returns the end of the checked value that starts at `start`.
///
/// The hot loop of every walk over a header: it looks at each byte of the value once. It must not
/// look at a byte again, because headers with thousands of columns are walked many times.
/// `docs/tried/cvc.md` has the measurements.
fn value_end(text: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                // At depth 0 this closes the container around the value.
                let Some(less) = depth.checked_sub(1) else { break };
                depth = less;
                at += 1;
            }
            // No other byte up to a space is outside of strings.
            b',' | b':' | 0..=b' ' if depth == 0 => break,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            break;
        }
    }
    steps::count(at.saturating_sub(start));
    at
}

/// Returns the position after the checked string whose opening quote is at `at`.
fn string_end(text: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        match text.get(at) {
            None => return at,
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// Skips white space, commas and colons between the values of a checked text.
#[inline(never)]
fn skip(text: &[u8], mut at: usize) -> usize {
    while let Some(0..=b' ' | b',' | b':') = text.get(at) {
        at += 1;
    }
    at
}

/// A value of a checked text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Node<'a> {
    text: &'a [u8],
    start: usize,
}

impl<'a> Node<'a> {
    /// A value that starts at `start` of a checked text.
    pub(crate) fn at(text: &'a [u8], start: usize) -> Self {
        Self { text, start }
    }

    fn end(&self) -> usize {
        value_end(self.text, self.start)
    }

    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Returns the range of its bytes in the file.
    pub(crate) fn range(&self) -> Range<u64> {
        u64_from(self.start)..u64_from(self.end())
    }

    /// Another value, at `start` of the same text.
    pub(crate) fn elsewhere(&self, start: usize) -> Self {
        Self { start, ..*self }
    }

    /// Returns its bytes.
    #[inline(never)]
    pub(crate) fn raw(&self) -> &'a [u8] {
        self.text.get(self.start..self.end()).unwrap_or(&[])
    }

    pub(crate) fn fault(&self, kind: ErrorKind) -> Fault {
        Fault::new(kind, self.start)
    }

    fn first(&self) -> u8 {
        self.text.get(self.start).copied().unwrap_or(0)
    }

    pub(crate) fn is_object(&self) -> bool {
        self.first() == b'{'
    }

    pub(crate) fn is_array(&self) -> bool {
        self.first() == b'['
    }

    /// Returns whether it is `true`.
    #[cfg(feature = "cvc")]
    pub(crate) fn is_true(&self) -> bool {
        self.first() == b't'
    }

    /// Returns whether it is a number other than the bare words.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.first(), b'0'..=b'9' | b'-')
    }

    /// Returns an integer that fits in a [`Size`]. `1e2` and `100.0` are not integers, as for the
    /// writers' own reader.
    pub(crate) fn integer(&self) -> Option<Size> {
        let (negative, digits) = match self.raw() {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let mut value: Size = 0;
        for &byte in digits {
            // Not a checked product, which takes 64 bits.
            if !byte.is_ascii_digit() || value > Size::MAX / 10 {
                return None;
            }
            value = (value * 10).checked_add(Size::from(byte & 15))?;
        }
        let is_integer = !digits.is_empty() && (!negative || value == 0);
        is_integer.then_some(value)
    }

    /// Returns a string, still escaped.
    pub(crate) fn string(&self) -> Option<Text<'a>> {
        match self.raw() {
            [b'"', raw @ .., b'"'] => Some(Text { raw }),
            _ => None,
        }
    }

    /// Walks over the elements of an array. Any other value has none.
    pub(crate) fn elements(&self) -> Elements<'a> {
        self.after(b'[')
    }

    /// Walks over the members of an object. Any other value has none.
    pub(crate) fn members(&self) -> Members<'a> {
        Members { both: self.after(b'{') }
    }

    /// Walks over the values after this opening bracket, or over none if the value starts with
    /// another byte.
    fn after(&self, bracket: u8) -> Elements<'a> {
        let at = if self.first() == bracket { self.start + 1 } else { self.text.len() };
        Elements::resume(self.text, at)
    }

    /// Returns the member of this name. Of equal keys the last one counts, as in Python.
    pub(crate) fn member(&self, name: &str) -> Option<Node<'a>> {
        self.members().filter(|member| member.key.is(name)).last().map(|member| member.value)
    }
}

/// Walks over the elements of an array.
#[derive(Clone, Debug)]
pub(crate) struct Elements<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Elements<'a> {
    /// Starts after an element, or after the opening bracket.
    pub(crate) fn resume(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }

    /// Returns the next element without moving past it. [`resume`](Self::resume) at its end goes
    /// on.
    pub(crate) fn peek(&self) -> Option<Node<'a>> {
        let start = skip(self.text, self.at);
        match self.text.get(start) {
            None | Some(b']' | b'}') => None,
            Some(_) => Some(Node::at(self.text, start)),
        }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Node<'a>> {
        let node = self.peek()?;
        self.at = node.end();
        Some(node)
    }
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) key: Text<'a>,
    pub(crate) value: Node<'a>,
    start: usize,
}

impl Member<'_> {
    /// Returns the position of its key.
    #[cfg(feature = "cvc")]
    pub(crate) fn key_at(&self) -> usize {
        self.start
    }

    /// Returns the range of its bytes in the file, from the quote before the key to the end of the
    /// value.
    pub(crate) fn range(&self) -> Range<u64> {
        u64_from(self.start)..self.value.range().end
    }
}

/// Walks over the members of an object.
#[derive(Clone, Debug)]
pub(crate) struct Members<'a> {
    /// Keys and values in turn.
    both: Elements<'a>,
}

impl Members<'_> {
    /// Returns the position after the object, once all members were walked over.
    pub(crate) fn end(&self) -> usize {
        skip(self.both.text, self.both.at) + 1
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Member<'a>> {
        let key = self.both.next()?;
        let raw = key.text.get(key.start + 1..self.both.at.wrapping_sub(1))?;
        Some(Member { key: Text { raw }, value: self.both.next()?, start: key.start })
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn walking() {
        let text = br#" {"rows" : 32 , "x":{"a":[1,{"b":"]}"}]},"rows":7,"\u0072ows2":"\ud83c\udf89\n" , "n":[ ] , "last":-1.5 } "#;
        let root = Node::at(text, check(text, 0..text.len(), 9).unwrap());
        assert_eq!(root.member("rows").unwrap().integer(), Some(7), "the last of equal keys counts");
        assert_eq!(root.members().count(), 6);
        assert_eq!(root.member("x").unwrap().member("a").unwrap().elements().count(), 2);
        assert!(root.member("rows2").unwrap().string().unwrap().is("🎉\n"));
        assert_eq!(root.member("n").unwrap().elements().count(), 0);
        assert_eq!(root.member("last").unwrap().raw(), b"-1.5");
        assert!(root.member("last").unwrap().integer().is_none());
        assert!(root.member("absent").is_none());
        assert_eq!(Node::at(b"-0", 0).integer(), Some(0), "as Python has it");
        assert!(Node::at(b"-1", 0).integer().is_none() && Node::at(b"-0.0", 0).integer().is_none());
    }
}
