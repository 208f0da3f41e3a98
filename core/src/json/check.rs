//! Checks a text in one pass. Refuses what Python refuses.

use core::ops::Range;

use super::text::Units;
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};

/// The deepest nesting that fits in the checker's bit stack.
const MAX_DEPTH: usize = 1024;

/// Python refuses longer integers.
const MAX_INTEGER_DIGITS: usize = 4300;

/// Checks that `text[range]` is one JSON value. Returns the position of its first byte.
#[inline(never)]
pub(crate) fn check(text: &[u8], range: Range<usize>, max_depth: u16) -> Verdict<usize> {
    let text = text.get(..range.end).unwrap_or(text);
    let body = text.get(range.start..).unwrap_or(&[]);
    if let [0, ..] | [_, 0, ..] | [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] = body {
        return Err(Fault::new(ErrorKind::JsonEncoding, range.start));
    }
    let mut checker = Checker { text, at: range.start };
    if checker.literal(b"\xEF\xBB\xBF").is_err() {
        checker.at = range.start;
    }
    checker.spaces();
    let start = checker.at;
    checker.value(usize::from(max_depth).min(MAX_DEPTH))?;
    checker.spaces();
    if checker.at < text.len() {
        return Err(Fault::new(ErrorKind::JsonTrailing, checker.at));
    }
    Ok(start)
}

/// Returns the bracket that closes an object or an array.
const fn closing(object: bool) -> u8 {
    if object { b'}' } else { b']' }
}

/// A walk over a text, forward only.
struct Checker<'a> {
    text: &'a [u8],
    at: usize,
}

impl Checker<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips a byte of the text.
    fn bump(&mut self) {
        self.at = self.at.wrapping_add(1);
    }

    /// Skips this byte. Returns whether it was next.
    #[inline(never)]
    fn eat(&mut self, byte: u8) -> bool {
        let eaten = self.peek() == Some(byte);
        self.at = self.at.wrapping_add(eaten.into());
        eaten
    }

    fn skip_while(&mut self, is: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is) {
            self.bump();
        }
    }

    fn spaces(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    /// Returns a fault at the current position.
    #[cold]
    fn wrong<T>(&self, kind: ErrorKind) -> Verdict<T> {
        Err(Fault::new(kind, self.at))
    }

    fn expect(&mut self, byte: u8) -> Verdict<()> {
        if self.eat(byte) { Ok(()) } else { self.wrong(ErrorKind::JsonSyntax) }
    }

    fn literal(&mut self, word: &[u8]) -> Verdict<()> {
        word.iter().try_for_each(|&byte| self.expect(byte))
    }

    /// Checks a value with all that it contains. Does not recurse: one bit for each open container
    /// says whether it is an object or an array.
    ///
    /// The hot loop of opening a file: each byte is looked at once. Do not store positions in it.
    fn value(&mut self, max_depth: usize) -> Verdict<()> {
        let mut objects = [0u32; MAX_DEPTH / 32];
        let mut depth = 0usize;
        // The innermost container is an object.
        let mut object = false;
        loop {
            self.spaces();
            if object {
                self.string()?;
                self.spaces();
                self.expect(b':')?;
                self.spaces();
            }
            let first = self.peek();
            if let Some(b'{' | b'[') = first {
                if depth >= max_depth {
                    return self.wrong(ErrorKind::JsonDepth);
                }
                object = first == Some(b'{');
                if let Some(word) = objects.get_mut(depth / 32) {
                    *word = *word & !(1 << (depth % 32)) | u32::from(object) << (depth % 32);
                }
                depth += 1;
                self.bump();
                self.spaces();
                if self.peek() != Some(closing(object)) {
                    continue;
                }
            } else {
                self.scalar()?;
            }
            // Close the containers that end here, up to a comma.
            loop {
                let Some(top) = depth.checked_sub(1) else { return Ok(()) };
                object = objects.get(top / 32).is_some_and(|word| word >> (top % 32) & 1 == 1);
                self.spaces();
                if self.eat(b',') {
                    break;
                }
                self.expect(closing(object))?;
                depth = top;
            }
        }
    }

    fn scalar(&mut self) -> Verdict<()> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            Some(b'N') => self.literal(b"NaN"),
            Some(b'I') => self.literal(b"Infinity"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.wrong(ErrorKind::JsonSyntax),
        }
    }

    fn string(&mut self) -> Verdict<()> {
        self.expect(b'"')?;
        loop {
            let at = self.at;
            let Some(byte) = self.peek() else { return self.wrong(ErrorKind::JsonSyntax) };
            self.bump();
            match byte {
                b'"' => return Ok(()),
                0..0x20 => return Err(Fault::new(ErrorKind::JsonString, at)),
                b'\\' | 0x80.. => {
                    let kind = if byte == b'\\' { ErrorKind::JsonString } else { ErrorKind::JsonUtf8 };
                    let mut units = Units::escaped(self.text.get(at..).unwrap_or(&[]));
                    units.next().ok_or(Fault::new(kind, at))?;
                    self.at = self.text.len().saturating_sub(units.rest.len());
                }
                _ => {}
            }
        }
    }

    /// Skips at least one digit.
    fn digits(&mut self) -> Verdict<()> {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_digit());
        if self.at == start { self.wrong(ErrorKind::JsonNumber) } else { Ok(()) }
    }

    fn number(&mut self) -> Verdict<()> {
        let start = self.at;
        self.eat(b'-');
        if self.peek() == Some(b'I') {
            return self.literal(b"Infinity");
        }
        // After a leading 0 the integer part has ended.
        let first = self.at;
        if !self.eat(b'0') {
            self.digits()?;
        }
        let end = self.at;
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        if self.at == end && end.saturating_sub(first) > MAX_INTEGER_DIGITS {
            return Err(Fault::new(ErrorKind::JsonNumber, start));
        }
        Ok(())
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
}
