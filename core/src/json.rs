//! The JSON of headers: checked once, then walked without allocation.
//!
//! What the writers of CVC and AT-1 really write is Python's JSON, which is wider than RFC 8259: bare `NaN`, `Infinity` and `-Infinity`,
//! duplicate keys, lone surrogate escapes, a byte order mark. [`check`] reads all of the text once and refuses what Python
//! refuses; after that, [`Node`] walks over it and cannot fail, because what it walks over is known to be well-formed.

use core::fmt;
use core::ops::Range;

use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;

/// Deepest nesting that fits in the checker's bit stack.
const MAX_DEPTH: usize = 1024;

/// Python refuses longer integers.
const MAX_INTEGER_DIGITS: usize = 4300;

/// Checks that `text[range]` is one JSON value, and finds where it starts.
#[inline(never)]
pub(super) fn check(text: &[u8], range: Range<usize>, max_depth: u16) -> Verdict<usize> {
    let text = text.get(..range.end).unwrap_or(text);
    let body = text.get(range.start..).unwrap_or(&[]);
    if let [0, ..] | [_, 0, ..] | [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] = body {
        return Err(Fault::new(ErrorKind::JsonEncoding, range.start));
    }
    let bom = if body.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut checker = Checker { text, at: range.start.saturating_add(bom) };
    checker.spaces();
    let start = checker.at;
    checker.value(usize::from(max_depth).min(MAX_DEPTH)).map_err(|kind| Fault::new(kind, checker.at))?;
    checker.spaces();
    if checker.at < text.len() {
        return Err(Fault::new(ErrorKind::JsonTrailing, checker.at));
    }
    Ok(start)
}

type Checked<T> = Result<T, ErrorKind>;

/// An error is a kind alone, which fits in a register; `at` stands where it shows then.
struct Checker<'a> {
    text: &'a [u8],
    at: usize,
}

impl Checker<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn bump(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.bump();
        }
    }

    #[cold]
    fn wrong_at(&mut self, kind: ErrorKind, at: usize) -> Checked<()> {
        self.at = at;
        Err(kind)
    }

    fn expect(&mut self, byte: u8) -> Checked<()> {
        if self.peek() != Some(byte) {
            return Err(ErrorKind::JsonSyntax);
        }
        self.bump();
        Ok(())
    }

    fn literal(&mut self, word: &[u8]) -> Checked<()> {
        word.iter().try_for_each(|&byte| self.expect(byte))
    }

    /// A value with all that it contains. One bit per open container tells objects from arrays; there is no recursion.
    fn value(&mut self, max_depth: usize) -> Checked<()> {
        let mut objects = [0u32; MAX_DEPTH / 32];
        let mut depth = 0usize;
        loop {
            // A value starts here.
            let first = self.peek();
            let object = match first {
                Some(b'{') => true,
                Some(b'[') => false,
                _ => {
                    self.scalar()?;
                    if self.after_value(&objects, &mut depth)? {
                        return Ok(());
                    }
                    continue;
                }
            };
            if depth >= max_depth {
                return Err(ErrorKind::JsonDepth);
            }
            if let Some(word) = objects.get_mut(depth / 32) {
                *word = *word & !(1 << (depth % 32)) | u32::from(object) << (depth % 32);
            }
            depth += 1;
            self.bump();
            self.spaces();
            let close = if object { b'}' } else { b']' };
            if self.peek() == Some(close) {
                self.bump();
                depth -= 1;
                if depth == 0 || self.after_value(&objects, &mut depth)? {
                    return Ok(());
                }
            } else if object {
                self.key()?;
            }
        }
    }

    /// Behind a value: closes what ends here, or moves to the next value. `true` when the outermost value has ended.
    fn after_value(&mut self, objects: &[u32; MAX_DEPTH / 32], depth: &mut usize) -> Checked<bool> {
        while let Some(top) = depth.checked_sub(1) {
            let object = objects.get(top / 32).is_some_and(|word| word >> (top % 32) & 1 == 1);
            self.spaces();
            match self.peek() {
                Some(b',') => {
                    self.bump();
                    self.spaces();
                    if object {
                        self.key()?;
                    }
                    return Ok(false);
                }
                Some(b'}') if object => self.bump(),
                Some(b']') if !object => self.bump(),
                _ => return Err(ErrorKind::JsonSyntax),
            }
            *depth = top;
        }
        Ok(true)
    }

    fn key(&mut self) -> Checked<()> {
        self.string()?;
        self.spaces();
        self.expect(b':')?;
        self.spaces();
        Ok(())
    }

    fn scalar(&mut self) -> Checked<()> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            Some(b'N') => self.literal(b"NaN"),
            Some(b'I') => self.literal(b"Infinity"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(ErrorKind::JsonSyntax),
        }
    }

    fn string(&mut self) -> Checked<()> {
        self.expect(b'"')?;
        loop {
            let at = self.at;
            let byte = self.peek().ok_or(ErrorKind::JsonSyntax)?;
            self.bump();
            match byte {
                b'"' => return Ok(()),
                b'\\' => {
                    let escape = self.peek();
                    self.bump();
                    match escape {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                        Some(b'u') => {
                            for _ in 0..4 {
                                if !self.peek().is_some_and(|digit| digit.is_ascii_hexdigit()) {
                                    return self.wrong_at(ErrorKind::JsonString, at);
                                }
                                self.bump();
                            }
                        }
                        _ => return self.wrong_at(ErrorKind::JsonString, at),
                    }
                }
                0..0x20 => return self.wrong_at(ErrorKind::JsonString, at),
                0x20..0x80 => {}
                0x80.. => {
                    self.at = at;
                    let mut rest = self.text.get(at..).unwrap_or(&[]);
                    utf8(&mut rest).ok_or(ErrorKind::JsonUtf8)?;
                    self.at = self.text.len().saturating_sub(rest.len());
                }
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.bump();
        }
        self.at.saturating_sub(start)
    }

    fn number(&mut self) -> Checked<()> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.bump();
        }
        let mut integer = true;
        let digits = match self.peek() {
            Some(b'I') => return self.literal(b"Infinity"),
            Some(b'0') => {
                self.bump();
                1
            }
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(ErrorKind::JsonNumber),
        };
        if self.peek() == Some(b'.') {
            self.bump();
            integer = false;
            if self.digits() == 0 {
                return Err(ErrorKind::JsonNumber);
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.bump();
            integer = false;
            if let Some(b'+' | b'-') = self.peek() {
                self.bump();
            }
            if self.digits() == 0 {
                return Err(ErrorKind::JsonNumber);
            }
        }
        if integer && digits > MAX_INTEGER_DIGITS {
            return self.wrong_at(ErrorKind::JsonNumber, start);
        }
        Ok(())
    }
}

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
pub(super) struct Node<'a> {
    text: &'a [u8],
    start: usize,
}

impl<'a> Node<'a> {
    /// The value of a checked text that starts at `start`.
    pub(super) fn at(text: &'a [u8], start: usize) -> Self {
        Self { text, start }
    }

    fn end(&self) -> usize {
        value_end(self.text, self.start)
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Its bytes in the file.
    pub(super) fn range(&self) -> Range<u64> {
        u64_from(self.start)..u64_from(self.end())
    }

    /// Another value of the same text.
    pub(super) fn elsewhere(&self, start: usize) -> Self {
        Self { start, ..*self }
    }

    /// Its text.
    #[inline(never)]
    pub(super) fn raw(&self) -> &'a [u8] {
        self.text.get(self.start..self.end()).unwrap_or(&[])
    }

    pub(super) fn fault(&self, kind: ErrorKind) -> Fault {
        Fault::new(kind, self.start)
    }

    fn first(&self) -> u8 {
        self.text.get(self.start).copied().unwrap_or(0)
    }

    pub(super) fn is_object(&self) -> bool {
        self.first() == b'{'
    }

    pub(super) fn is_array(&self) -> bool {
        self.first() == b'['
    }

    pub(super) fn is_true(&self) -> bool {
        self.raw() == b"true"
    }

    /// An integer that fits, written as one: `1e2` and `100.0` are real numbers to the writers' own reader.
    pub(super) fn integer(&self) -> Verdict<u64> {
        match self.first() {
            b'0'..=b'9' | b'-' => self.digits().ok_or(self.fault(ErrorKind::JsonNumber)),
            _ => Err(self.fault(ErrorKind::CvcWrongValue)),
        }
    }

    fn digits(&self) -> Option<u64> {
        self.raw().iter().try_fold(0u64, |value, &byte| {
            let digit = byte.checked_sub(b'0').filter(|&digit| digit < 10)?;
            value.checked_mul(10)?.checked_add(u64::from(digit))
        })
    }

    /// A string.
    pub(super) fn string(&self) -> Verdict<Text<'a>> {
        match self.raw() {
            [b'"', raw @ .., b'"'] => Ok(Text { raw }),
            _ => Err(self.fault(ErrorKind::CvcWrongValue)),
        }
    }

    /// The elements of an array; of anything else, none.
    pub(super) fn elements(&self) -> Elements<'a> {
        let at = if self.is_array() { self.start.saturating_add(1) } else { self.text.len() };
        Elements::resume(self.text, at)
    }

    /// The members of an object; of anything else, none.
    pub(super) fn members(&self) -> Members<'a> {
        let at = if self.is_object() { self.start.saturating_add(1) } else { self.text.len() };
        Members { text: self.text, at }
    }

    /// The member of this name. Of equal keys the last one counts, as in Python.
    pub(super) fn member(&self, name: &str) -> Option<Node<'a>> {
        self.members().filter(|member| member.key.is(name)).last().map(|member| member.value)
    }
}

/// Walks over the elements of an array.
#[derive(Clone, Debug)]
pub(super) struct Elements<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Elements<'a> {
    /// Goes on behind an element, or behind the opening bracket.
    pub(super) fn resume(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }

    /// Where [`resume`](Self::resume) would go on.
    pub(super) fn position(&self) -> usize {
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
pub(super) struct Member<'a> {
    pub(super) key: Text<'a>,
    pub(super) value: Node<'a>,
    start: usize,
}

impl Member<'_> {
    /// Its bytes in the file, from the quote before the key to the end of the value.
    pub(super) fn range(&self) -> Range<u64> {
        u64_from(self.start)..self.value.range().end
    }
}

/// Walks over the members of an object.
#[derive(Clone, Debug)]
pub(super) struct Members<'a> {
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

/// A string of the header, still escaped: comparing and printing decode it on the way.
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
    raw: &'a [u8],
}

impl<'a> Text<'a> {
    /// The text as it stands in the file, escapes and all.
    pub fn raw(&self) -> &'a str {
        core::str::from_utf8(self.raw).unwrap_or("")
    }

    /// Whether it says the same as `text`.
    pub fn is(&self, text: &str) -> bool {
        self.units().same(Units { rest: text.as_bytes(), escaped: false })
    }

    /// Whether it has no characters.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Its characters; U+FFFD stands for an escaped half of a surrogate pair.
    pub fn chars(&self) -> impl Iterator<Item = char> + use<'a> {
        self.units().map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Whether two say the same. Halves of surrogate pairs equal nothing but themselves.
    pub(super) fn same(&self, other: &Text<'_>) -> bool {
        self.raw == other.raw || self.units().same(other.units())
    }

    fn units(&self) -> Units<'a> {
        Units { rest: self.raw, escaped: true }
    }

    /// Fills `room` with its UTF-8 if it fits, else gives the escaped text: for showing only.
    pub(super) fn shown<'b>(&self, room: &'b mut [u8]) -> &'b str
    where
        'a: 'b,
    {
        let mut len = 0usize;
        for c in self.chars() {
            let mut utf8 = [0; 4];
            let bytes = c.encode_utf8(&mut utf8).as_bytes();
            let Some(to) = room.get_mut(len..).and_then(|rest| rest.get_mut(..bytes.len())) else { return self.raw() };
            crate::num::copy(bytes, to);
            len = len.saturating_add(bytes.len());
        }
        room.get(..len).and_then(|utf8| core::str::from_utf8(utf8).ok()).unwrap_or("")
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

/// Takes a character off the front; nothing if what it takes is not UTF-8.
fn utf8(rest: &mut &[u8]) -> Option<char> {
    let (&first, behind) = rest.split_first()?;
    *rest = behind;
    let (more, least) = match first {
        0..0x80 => return Some(char::from(first)),
        0xC0..0xE0 => (1, 0x80),
        0xE0..0xF0 => (2, 0x800),
        0xF0..0xF8 => (3, 0x10000),
        _ => return None,
    };
    let mut code = u32::from(first) & (0x3F >> more);
    for _ in 0..more {
        let (&byte, behind) = rest.split_first().filter(|(byte, _)| **byte & 0xC0 == 0x80)?;
        (code, *rest) = (code << 6 | u32::from(byte & 0x3F), behind);
    }
    char::from_u32(code).filter(|_| code >= least)
}

/// The characters of a checked string; `None` for an escaped half of a surrogate pair.
struct Units<'a> {
    rest: &'a [u8],
    /// Whether a backslash means something.
    escaped: bool,
}

impl Units<'_> {
    /// Whether both are the same characters, all of them whole.
    #[inline(never)]
    fn same(mut self, mut other: Units<'_>) -> bool {
        loop {
            match (self.next(), other.next()) {
                (None, None) => return true,
                (Some(Some(a)), Some(Some(b))) if a == b => {}
                _ => return false,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    /// Four hexadecimal digits.
    fn code_unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | char::from(self.byte()?).to_digit(16)?;
        }
        Some(unit)
    }

    fn escape(&mut self) -> Option<Option<char>> {
        Some(Some(match self.byte()? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.code_unit()?;
                if let 0xD800..=0xDBFF = high {
                    let mut ahead = Units { rest: self.rest.strip_prefix(b"\\u").unwrap_or(&[]), escaped: true };
                    if let Some(low @ 0xDC00..=0xDFFF) = ahead.code_unit() {
                        self.rest = ahead.rest;
                        return Some(char::from_u32(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF)));
                    }
                }
                return Some(char::from_u32(high));
            }
            other => char::from(other),
        }))
    }
}

impl Iterator for Units<'_> {
    type Item = Option<char>;

    #[inline(never)]
    fn next(&mut self) -> Option<Option<char>> {
        match self.rest {
            [] => None,
            [b'\\', rest @ ..] if self.escaped => {
                self.rest = rest;
                self.escape()
            }
            _ => Some(utf8(&mut self.rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Option<ErrorKind> {
        check(text.as_bytes(), 0..text.len(), 100).err().map(|error| error.kind)
    }

    #[test]
    fn what_python_reads_is_read() {
        for text in [
            "{}",
            "[]",
            " [ ] ",
            "[[],{}]",
            r#"{"a":[1,2,{"b":null}],"c":true}"#,
            "NaN",
            "[-Infinity,Infinity]",
            "-0.5e+10",
            "0",
            "\u{feff}{}",
            r#""\ud83c alone""#,
            r#"{"a":1,"a":2}"#,
            "1E5",
            "\"\u{7f}é😀\"",
            "[0.0,-1]",
            "{\"\":0}",
        ] {
            assert_eq!(verdict(text), None, "{text}");
        }
    }

    #[test]
    fn what_python_refuses_is_refused() {
        use ErrorKind::{JsonDepth, JsonNumber, JsonString, JsonSyntax, JsonTrailing};
        for (text, kind) in [
            ("", JsonSyntax),
            ("{", JsonSyntax),
            ("[1,]", JsonSyntax),
            ("{\"a\":1,}", JsonSyntax),
            ("{a:1}", JsonSyntax),
            ("['a']", JsonSyntax),
            ("[1 2]", JsonSyntax),
            ("[1}", JsonSyntax),
            ("{\"a\" 1}", JsonSyntax),
            ("01", JsonTrailing),
            ("+1", JsonSyntax),
            ("0x10", JsonTrailing),
            ("1.", JsonNumber),
            ("1e", JsonNumber),
            ("-", JsonNumber),
            (".5", JsonSyntax),
            ("\"\\x\"", JsonString),
            ("\"\\u12g4\"", JsonString),
            ("\"\n\"", JsonString),
            ("{} {}", JsonTrailing),
            ("{}\0", JsonTrailing),
            ("/* */ {}", JsonSyntax),
            ("tru", JsonSyntax),
            ("\"open", JsonSyntax),
            ("\"open\\", JsonString),
            ("-Inf", JsonSyntax),
        ] {
            assert_eq!(verdict(text), Some(kind), "{text}");
        }
        assert_eq!(verdict(&"[".repeat(101)), Some(JsonDepth));
        assert_eq!(verdict(&("[".repeat(100) + &"]".repeat(100))), None);
        assert_eq!(verdict(&("{\"a\":[".repeat(50) + &"]}".repeat(50))), None);
        assert_eq!(verdict(&"9".repeat(4301)), Some(JsonNumber));
        assert_eq!(verdict(&"9".repeat(4300)), None);
    }

    #[test]
    fn every_cut_of_a_text_is_refused() {
        let text = r#"{"a":[1,-2.5e3,{"b\u00e9":null}],"c":"x\\","d":[[],{}],"e":NaN}"#;
        for cut in 0..text.len() {
            assert!(verdict(&text[..cut]).is_some(), "{}", &text[..cut]);
        }
        assert_eq!(verdict(text), None);
    }

    #[test]
    fn encodings_are_named() {
        assert_eq!(check(b"{\0}\0", 0..4, 9).map_err(|error| error.kind), Err(ErrorKind::JsonEncoding));
        assert_eq!(check(b"..\"\xFF\"", 2..5, 9), Err(Fault::new(ErrorKind::JsonUtf8, 3)));
    }

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
    }

    #[test]
    fn texts_compare_decoded() {
        let text = |raw: &'static str| Text { raw: raw.as_bytes() };
        assert!(text(r"a\u00e9\/\u20ac").is("aé/€") && text("aé/€").is("aé/€"));
        assert!(text(r"\u00e9").same(&text("é")) && !text(r"\ud800").is("\u{fffd}"));
        assert!(!text(r"\ud800").same(&text(r"\uD800 ")) && text(r"\ud800").same(&text(r"\ud800")));
        assert_eq!(text(r"\ud800x").chars().collect::<String>(), "\u{fffd}x");
        assert_eq!(text(r"\ud83c\u0041").chars().collect::<String>(), "\u{fffd}A");
        let mut room = [0; 4];
        assert_eq!(text(r"\ud83c\udf89").shown(&mut room), "🎉");
        assert_eq!(text(r"a\ud83c\udf89").shown(&mut room), r"a\ud83c\udf89");
    }
}
