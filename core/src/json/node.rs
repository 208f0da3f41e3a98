//! Walks over a text that was checked.

use core::ops::Range;

use super::Text;
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;

/// Where a checked value that starts at `at` ends.
fn value_end(text: &[u8], at: usize) -> usize {
    let mut depth = 0usize;
    let mut at = at;
    loop {
        match text.get(at) {
            None => return at,
            Some(b'"') => at = string_end(text, at),
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
            }
            Some(b'}' | b']') => {
                // At depth 0 this closes a container around the value.
                let Some(less) = depth.checked_sub(1) else { return at };
                depth = less;
                at += 1;
            }
            Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') if depth == 0 => return at,
            Some(_) => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

/// The first byte behind a checked string whose opening quote is at `at`.
fn string_end(text: &[u8], at: usize) -> usize {
    let mut at = at.saturating_add(1);
    loop {
        match text.get(at) {
            None => return at,
            Some(b'"') => return at + 1,
            Some(b'\\') => at = at.saturating_add(2),
            Some(_) => at += 1,
        }
    }
}

/// Skips what may stand between values of a checked text.
fn skip(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') = text.get(at) {
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
    /// The value of a checked text that starts at `start`.
    pub(crate) fn at(text: &'a [u8], start: usize) -> Self {
        Self { text, start }
    }

    fn end(&self) -> usize {
        value_end(self.text, self.start)
    }

    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Its bytes in the file.
    pub(crate) fn range(&self) -> Range<u64> {
        u64_from(self.start)..u64_from(self.end())
    }

    /// Another value of the same text.
    pub(crate) fn elsewhere(&self, start: usize) -> Self {
        Self { start, ..*self }
    }

    /// Its text.
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

    pub(crate) fn is_true(&self) -> bool {
        self.raw() == b"true"
    }

    /// An integer that fits, written as one: `1e2` and `100.0` are real numbers to the writers' own reader.
    pub(crate) fn integer(&self) -> Verdict<u64> {
        match self.first() {
            b'0'..=b'9' | b'-' => self.digits().ok_or(self.fault(ErrorKind::JsonNumber)),
            _ => Err(self.fault(ErrorKind::CvcWrongValue)),
        }
    }

    fn digits(&self) -> Option<u64> {
        let raw = self.raw();
        let raw = if raw == b"-0" { b"0" } else { raw };
        raw.iter().try_fold(0u64, |value, &byte| {
            let digit = byte.checked_sub(b'0').filter(|&digit| digit < 10)?;
            value.checked_mul(10)?.checked_add(u64::from(digit))
        })
    }

    /// A string.
    pub(crate) fn string(&self) -> Verdict<Text<'a>> {
        match self.raw() {
            [b'"', raw @ .., b'"'] => Ok(Text { raw }),
            _ => Err(self.fault(ErrorKind::CvcWrongValue)),
        }
    }

    /// The elements of an array; of anything else, none.
    pub(crate) fn elements(&self) -> Elements<'a> {
        let at = if self.is_array() { self.start.saturating_add(1) } else { self.text.len() };
        Elements::resume(self.text, at)
    }

    /// The members of an object; of anything else, none.
    pub(crate) fn members(&self) -> Members<'a> {
        let at = if self.is_object() { self.start.saturating_add(1) } else { self.text.len() };
        Members { text: self.text, at }
    }

    /// The member of this name. Of equal keys the last one counts, as in Python.
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
    /// Goes on behind an element, or behind the opening bracket.
    pub(crate) fn resume(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }

    /// Where [`resume`](Self::resume) would go on.
    pub(crate) fn position(&self) -> usize {
        self.at
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let start = skip(self.text, self.at);
        if matches!(self.text.get(start), None | Some(b']' | b'}')) {
            return None;
        }
        let node = Node::at(self.text, start);
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
    /// Its bytes in the file, from the quote before the key to the end of the value.
    pub(crate) fn range(&self) -> Range<u64> {
        u64_from(self.start)..self.value.range().end
    }
}

/// Walks over the members of an object.
#[derive(Clone, Debug)]
pub(crate) struct Members<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let mut both = Elements::resume(self.text, self.at);
        let (key, value) = (both.next()?, both.next()?);
        self.at = both.at;
        Some(Member { key: key.string().ok()?, value, start: key.start })
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
        assert_eq!(root.member("rows").unwrap().integer(), Ok(7), "the last of equal keys counts");
        assert_eq!(root.members().count(), 6);
        assert_eq!(root.member("x").unwrap().member("a").unwrap().elements().count(), 2);
        assert!(root.member("rows2").unwrap().string().unwrap().is("🎉\n"));
        assert_eq!(root.member("n").unwrap().elements().count(), 0);
        assert_eq!(root.member("last").unwrap().raw(), b"-1.5");
        assert!(root.member("last").unwrap().integer().is_err());
        assert!(root.member("absent").is_none());
        assert_eq!(Node::at(b"-0", 0).integer(), Ok(0), "as Python has it");
        assert!(Node::at(b"-1", 0).integer().is_err() && Node::at(b"-00", 0).integer().is_err());
    }
}
