//! Sections and metadata: what the writer noted of stretches of rows, and finding rows by it.

use core::ops::Range;

use super::object::Object;
use crate::fault::Verdict;
use crate::json::{self, Elements, Node, Text};
use crate::{Error, ErrorKind, Result};

/// A stretch of rows that the header names.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// Its rows, counted over the whole file.
    pub rows: Range<u64>,
    /// What the writer noted of it.
    pub metadata: Metadata<'a>,
}

/// Walks over sections. Those whose metadata [`matches`](Metadata::matches) are all the matches there are:
///
/// ```
/// # use unspool::{cvc, Limits};
/// # let mut bytes = b"CVCF\x01\0\0\0".to_vec();
/// # let json = br#"{"num_vectors":0,"dimension":1,"compression":"fp16","chunks":[],"sections":[
/// #   {"start_index":0,"end_index":0,"metadata":{"source":"wiki","n":1}}]}"#;
/// # bytes.extend((json.len() as u32).to_le_bytes());
/// # bytes.extend(json);
/// let file = cvc::File::open(&bytes, &Limits::DEFAULT)?;
/// for section in file.sections() {
///     let section = section?;
///     if section.metadata.matches("source", &cvc::Scalar::from("wiki")) {
///         println!("rows {:?}", section.rows);
///     }
/// }
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sections<'a> {
    nodes: Option<Elements<'a>>,
    keys: [&'static str; 2],
    bounds: Range<u64>,
}

impl<'a> Sections<'a> {
    pub(super) fn new(node: Option<Node<'a>>, num_vectors: u64) -> Self {
        Self { nodes: node.map(|node| node.elements()), keys: ["start_index", "end_index"], bounds: 0..num_vectors }
    }

    pub(super) fn of_chunk(node: Option<Node<'a>>, rows: Range<u64>) -> Self {
        Self { nodes: node.map(|node| node.elements()), keys: ["start_in_chunk", "end_in_chunk"], bounds: rows }
    }

    fn read(&self, node: Node<'a>) -> Verdict<Section<'a>> {
        let [first, last] = self.keys;
        let mut object = Object::new(node);
        let [first, last, metadata] = object.pick([first, last, "metadata"]);
        let [start, end] = [first, last].map(|place| {
            let row = object.integer(place).checked_add(self.bounds.start).filter(|&row| row <= self.bounds.end);
            row.unwrap_or_else(|| {
                object.refuse(ErrorKind::CvcSection, place);
                0
            })
        });
        object.check()?;
        if start > end {
            return Err(node.fault(ErrorKind::CvcSection));
        }
        Ok(Section { rows: start..end, metadata: Metadata::new(object.find(metadata)) })
    }
}

impl<'a> Iterator for Sections<'a> {
    type Item = Result<Section<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.nodes.as_mut()?.next()?;
        Some(self.read(node).map_err(Error::from))
    }
}

/// Free JSON that the writer attached to a section or a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'a> {
    node: Option<Node<'a>>,
}

impl<'a> Metadata<'a> {
    pub(super) fn new(node: Option<Node<'a>>) -> Self {
        Self { node }
    }

    /// The JSON as it stands in the file.
    pub fn raw(&self) -> &'a [u8] {
        self.node.map_or(&[], |node| node.raw())
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Scalar<'a>> {
        self.node?.member(key).map(Scalar::of)
    }

    /// Whether the key has this value, as Python compares: `1`, `1.0` and `true` are equal, and `None` is the value of a key that
    /// is not there. Numbers are compared as decimals, so that no two different ones are taken for the same. Lists and objects
    /// equal nothing.
    pub fn matches(&self, key: &str, value: &Scalar<'_>) -> bool {
        self.get(key).unwrap_or(Scalar::Null).equals(value)
    }
}

/// A value of metadata, or one to look for.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(&'a str),
    /// A string out of a file.
    Text(Text<'a>),
    /// A string to look for.
    Plain(&'a str),
    /// A list or an object.
    Other,
}

impl<'a> From<&'a str> for Scalar<'a> {
    fn from(text: &'a str) -> Self {
        Scalar::Plain(text)
    }
}

impl<'a> Scalar<'a> {
    fn of(node: Node<'a>) -> Self {
        Self::parse(core::str::from_utf8(node.raw()).unwrap_or("")).unwrap_or(match node.string() {
            Some(text) => Scalar::Text(text),
            None => Scalar::Other,
        })
    }

    /// Reads a JSON number, `true`, `false`, `null`, `NaN` or `Infinity`. Strings are not read: they need no quotes to be
    /// looked for.
    pub fn parse(text: &'a str) -> Result<Self> {
        match text {
            "null" => Ok(Scalar::Null),
            "true" => Ok(Scalar::Bool(true)),
            "false" => Ok(Scalar::Bool(false)),
            _ if !matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9' | b'N' | b'I')) => {
                Err(Error::new(ErrorKind::JsonNumber, 0))
            }
            _ => Ok(json::check(text.as_bytes(), 0..text.len(), 0).map(|_| Scalar::Number(text))?),
        }
    }

    fn equals(&self, other: &Scalar<'_>) -> bool {
        match (self, other) {
            (Scalar::Null, Scalar::Null) => true,
            (Scalar::Text(a), Scalar::Text(b)) => a.same(b),
            (Scalar::Text(text), Scalar::Plain(plain)) | (Scalar::Plain(plain), Scalar::Text(text)) => text.is(plain),
            (Scalar::Plain(a), Scalar::Plain(b)) => a == b,
            _ => match (self.number(), other.number()) {
                (Some(a), Some(b)) => a.is_number() && a == b,
                _ => false,
            },
        }
    }

    fn number(&self) -> Option<Canonical<'_>> {
        match self {
            Scalar::Bool(true) => Some(Canonical::of("1")),
            Scalar::Bool(false) => Some(Canonical::of("0")),
            Scalar::Number(text) => Some(Canonical::of(text)),
            _ => None,
        }
    }
}

/// A decimal number: its digits from the first to the last that is not zero, and where the point is.
#[derive(Clone, Copy)]
struct Canonical<'a> {
    negative: bool,
    /// Everything before the exponent, sign and leading zeros removed.
    digits: &'a str,
    /// How many of the digits in `digits` count.
    significant: usize,
    /// The power of ten of the first digit.
    magnitude: i64,
}

impl<'a> Canonical<'a> {
    fn of(text: &'a str) -> Self {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let least = exponent.starts_with('-');
        let exponent = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i64>();
        // One that is too large for any number keeps its sign.
        let exponent = exponent.unwrap_or(if least { i64::MIN / 4 } else { i64::MAX / 4 });
        let whole = mantissa.split_once('.').map_or(mantissa, |(whole, _)| whole).len();
        let digits = mantissa.trim_start_matches(['0', '.']);
        let skipped = mantissa.len().saturating_sub(digits.len());
        let significant = digits.bytes().filter(u8::is_ascii_digit).count();
        let zeros = digits.bytes().rev().filter(|&byte| byte != b'.').take_while(|&byte| byte == b'0').count();
        let significant = significant.saturating_sub(zeros);
        // Of `0012.5` the first digit is 10^1, of `0.0012` it is 10^-3: the point was skipped along with the zeros.
        let int = |n: usize| i64::try_from(n).unwrap_or(i64::MAX / 4);
        let first = if skipped > whole { int(whole) - int(skipped) } else { int(whole) - int(skipped) - 1 };
        let zero = significant == 0 && !digits.starts_with('I');
        Self {
            negative: unsigned.len() != text.len() && !zero,
            digits,
            significant,
            magnitude: if zero { 0 } else { first.saturating_add(exponent) },
        }
    }

    /// `NaN` equals nothing, and `Infinity` is compared by its letters, of which no other number has any.
    fn is_number(&self) -> bool {
        !self.digits.starts_with('N')
    }

    fn significant(&self) -> impl Iterator<Item = u8> + use<'a> {
        let letters = self.digits.starts_with('I');
        let len = if letters { self.digits.len() } else { self.significant };
        self.digits.bytes().filter(move |byte| letters || byte.is_ascii_digit()).take(len)
    }
}

impl PartialEq for Canonical<'_> {
    fn eq(&self, other: &Self) -> bool {
        let infinite = |n: &Self| n.digits.starts_with('I');
        infinite(self) == infinite(other)
            && self.negative == other.negative
            && (infinite(self) || self.magnitude == other.magnitude)
            && self.significant().eq(other.significant())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value() {
        let equal = |a, b| Scalar::parse(a).unwrap().equals(&Scalar::parse(b).unwrap());
        for (a, b) in [
            ("1", "1.0"),
            ("1", "true"),
            ("0", "false"),
            ("0", "-0.0"),
            ("0e9", "0.00"),
            ("100", "1e2"),
            ("0.001", "1E-3"),
            ("12.50", "1.25e+1"),
            ("-3", "-3.000"),
            ("Infinity", "Infinity"),
            ("10", "10.0"),
            ("1e-07", "0.0000001"),
            ("120", "1.2e2"),
            ("null", "null"),
        ] {
            assert!(equal(a, b) && equal(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("1", "2"),
            ("1", "-1"),
            ("1", "10"),
            ("0.1", "0.01"),
            ("NaN", "NaN"),
            ("Infinity", "-Infinity"),
            ("1", "null"),
            ("12", "1.2"),
            ("9007199254740993", "9007199254740992"),
            ("true", "false"),
            ("0", "null"),
            ("Infinity", "1e999"),
            ("101", "11"),
            ("1e99999999999999999999", "1e-99999999999999999999"),
        ] {
            assert!(!equal(a, b) && !equal(b, a), "{a} {b}");
        }
        assert!(Scalar::parse("wiki").is_err() && Scalar::parse("\"1\"").is_err() && Scalar::parse("1 2").is_err());
    }
}
