//! Sections and metadata: names that the writer gave to ranges of rows, and finding rows by them.

use core::ops::Range;

use super::decimal::Decimal;
use super::object::Object;
use crate::fault::Verdict;
use crate::json::{self, Elements, Node, Text};
use crate::num::wide;
use crate::{Error, ErrorKind, Result};

/// A range of rows that the header names.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// Its rows, counted over the whole file.
    pub rows: Range<u64>,
    /// The metadata that the writer attached to it.
    pub metadata: Metadata<'a>,
}

/// Walks over sections. To find rows, select the sections whose metadata
/// [`matches`](Metadata::matches):
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
    nodes: Elements<'a>,
    keys: [&'static str; 2],
    bounds: Range<u64>,
}

impl<'a> Sections<'a> {
    /// Walks over an array of sections whose first and last rows have these keys and lie within
    /// `bounds`.
    pub(super) fn new(node: Option<Node<'a>>, keys: [&'static str; 2], bounds: Range<u64>) -> Self {
        Self { nodes: node.unwrap_or_default().elements(), keys, bounds }
    }

    fn read(&self, node: Node<'a>) -> Verdict<Section<'a>> {
        let [first, last] = self.keys;
        let mut object = Object::new(node);
        let [first, last, metadata] = object.pick(&[first, last, "metadata"]);
        let [start, end] = [first, last].map(|position| {
            let row = wide(object.integer(position)).checked_add(self.bounds.start);
            if row.is_none_or(|row| row > self.bounds.end) {
                object.refuse(ErrorKind::CvcSection, position);
            }
            row.unwrap_or(0)
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
        let node = self.nodes.next()?;
        Some(self.read(node).map_err(Error::from))
    }
}

/// Any JSON that the writer attached to a section or a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'a> {
    node: Node<'a>,
}

impl<'a> Metadata<'a> {
    pub(super) fn new(node: Option<Node<'a>>) -> Self {
        Self { node: node.unwrap_or_default() }
    }

    /// Returns the bytes of the JSON in the file; none if the writer attached none.
    pub fn raw(&self) -> &'a [u8] {
        self.node.raw()
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<Scalar<'a>> {
        self.node.member(key).map(Scalar::of)
    }

    /// Compares the value of a key as Python does.
    ///
    /// * `1`, `1.0` and `true` are equal.
    /// * A missing key has the value `null`.
    /// * Numbers are compared as decimals, so that different numbers are never equal. Exponents
    ///   beyond 67 million count as the same.
    /// * Lists and objects equal nothing.
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

    /// Reads a JSON number, `true`, `false`, `null`, `NaN` or `Infinity`. For a string, use
    /// `Scalar::from`.
    pub fn parse(text: &'a str) -> Result<Self> {
        match text {
            "null" => Ok(Scalar::Null),
            "true" => Ok(Scalar::Bool(true)),
            "false" => Ok(Scalar::Bool(false)),
            _ if !matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9' | b'N' | b'I')) => {
                Err(Error::new(ErrorKind::JsonNumber, 0))
            }
            _ => Ok(json::check(text.as_bytes(), 0..text.len(), 0).map(|_| Scalar::Number(text.trim_ascii_end()))?),
        }
    }

    fn equals(&self, other: &Scalar<'_>) -> bool {
        match (self, other) {
            (Scalar::Null, Scalar::Null) => true,
            (Scalar::Text(a), Scalar::Text(b)) => a.same(b),
            (Scalar::Text(text), Scalar::Plain(plain)) | (Scalar::Plain(plain), Scalar::Text(text)) => text.is(plain),
            (Scalar::Plain(a), Scalar::Plain(b)) => a == b,
            _ => self.number().zip(other.number()).is_some_and(|(a, b)| match (Decimal::of(a), Decimal::of(b)) {
                (Some(a), Some(b)) => a.equals(&b),
                // `Infinity` equals itself, `NaN` nothing.
                (None, None) => a == b && a != b"NaN",
                _ => false,
            }),
        }
    }

    fn number(&self) -> Option<&[u8]> {
        match self {
            Scalar::Bool(value) => Some(if *value { b"1" } else { b"0" }),
            Scalar::Number(text) => Some(text.as_bytes()),
            _ => None,
        }
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
            ("1", "1 "),
            ("Infinity", "Infinity\n"),
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
