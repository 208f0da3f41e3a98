//! The conditions of a query: a range of numbers, or equality.

use core::cmp::Ordering;

use super::compare::{Number, short_integer};
use crate::at1::codecs::qcolumnar::{ColumnType, Zone};
use crate::{Error, ErrorKind, Result};

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnRef<'q> {
    /// By its number, from 0.
    Number(usize),
    /// By its name: a path of JSON, or a field of the header line.
    Name(&'q [u8]),
}

/// A test of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test<'q> {
    /// A number that is neither below `low` nor above `high`, also in a column of texts.
    Range {
        /// The lowest number, if there is one.
        low: Option<&'q [u8]>,
        /// The highest number, if there is one.
        high: Option<&'q [u8]>,
    },
    /// In a column of texts: these bytes. In a column of numbers: an equal number. If the value to
    /// compare with is no number, bytes in any column.
    Equal(&'q [u8]),
}

impl Test<'_> {
    /// Refuses a range with an end that is no number.
    pub(crate) fn check(&self) -> Result<()> {
        Matcher::new(self, ColumnType::Text).map(|_| ())
    }
}

/// A condition that a row must meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter<'q> {
    /// The column of the value.
    pub column: ColumnRef<'q>,
    /// The test of the value.
    pub test: Test<'q>,
}

/// One end of a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<'q> {
    number: Number<'q>,
    /// The outermost integer inside of the range.
    integer: i128,
    /// A float slightly outside of the range.
    near: f64,
}

/// A test prepared for the values of one column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Matcher<'q> {
    Bytes(&'q [u8]),
    Between(Option<Bound<'q>>, Option<Bound<'q>>),
}

impl<'q> Matcher<'q> {
    /// Reads the numbers of a test.
    pub(crate) fn new(test: &Test<'q>, column: ColumnType) -> Result<Self> {
        let read = |text: &'q [u8]| Number::read(text).ok_or(Error::new(ErrorKind::At1QueryNumber, 0));
        match *test {
            Test::Range { low, high } => {
                let [low, high] = [low, high].map(|text| text.map(read).transpose());
                Ok(Self::between(low?, high?))
            }
            Test::Equal(value) => Ok(match Number::read(value) {
                Some(number) if column != ColumnType::Text => Self::between(Some(number), Some(number)),
                _ => Self::Bytes(value),
            }),
        }
    }

    fn between(low: Option<Number<'q>>, high: Option<Number<'q>>) -> Self {
        let low = low.map(|number| Bound { number, integer: number.integer(true), near: number.near().0 });
        let high = high.map(|number| Bound { number, integer: number.integer(false), near: number.near().1 });
        Self::Between(low, high)
    }

    /// Returns whether a block with this zone map may hold a match.
    #[inline(never)]
    pub(crate) fn may_find(test: &Test<'q>, column: ColumnType, zone: Zone) -> Result<bool> {
        Ok(Self::new(test, column)?.may_be_in(zone))
    }

    /// Returns whether a value matches.
    #[inline]
    pub(crate) fn accepts(&self, value: &[u8]) -> bool {
        match self {
            Self::Bytes(bytes) => value == *bytes,
            Self::Between(low, high) => match short_integer(value).map(i128::from) {
                Some(value) => {
                    low.is_none_or(|low| value >= low.integer) && high.is_none_or(|high| value <= high.integer)
                }
                None => Number::read(value).is_some_and(|value| {
                    low.is_none_or(|low| value.compare(&low.number) != Ordering::Less)
                        && high.is_none_or(|high| value.compare(&high.number) != Ordering::Greater)
                }),
            },
        }
    }

    /// Returns whether a block with this zone map may hold a match.
    ///
    /// An invalid zone map excludes nothing: one with `NaN` or with swapped ends. The ends of 64
    /// bits are open, because a writer may have clamped larger values. A bound that is an `f64` may
    /// be off by one step.
    fn may_be_in(&self, zone: Zone) -> bool {
        let Self::Between(from, to) = self else { return true };
        let outside = match zone {
            Zone::None => false,
            Zone::Integer(low, high) => {
                low <= high
                    && (from.is_some_and(|from| high < i64::MAX && from.integer > i128::from(high))
                        || to.is_some_and(|to| low > i64::MIN && to.integer < i128::from(low)))
            }
            Zone::Decimal(low, high) => {
                low <= high
                    && (from.is_some_and(|from| from.near > high.next_up())
                        || to.is_some_and(|to| to.near < low.next_down()))
            }
        };
        !outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range<'q>(low: &'q str, high: &'q str) -> Test<'q> {
        let open = |text: &'q str| (!text.is_empty()).then_some(text.as_bytes());
        Test::Range { low: open(low), high: open(high) }
    }

    #[test]
    fn accepts_values_inside_of_ranges_only() {
        let accepted = |test: &Test<'_>, column, values: &[&str]| -> Vec<String> {
            let matcher = Matcher::new(test, column).unwrap();
            values.iter().filter(|value| matcher.accepts(value.as_bytes())).map(|&value| value.to_owned()).collect()
        };
        let values = ["-8", "007", "7.0", "7.5", " 8 ", "8.000001", "x", "", "1e1", "99999999999999999999"];
        assert_eq!(accepted(&range("7", "8"), ColumnType::Integer, &values), ["007", "7.0", "7.5", " 8 "]);
        assert_eq!(
            accepted(&range("7.2", ""), ColumnType::Text, &values),
            values[3..6].iter().chain(&values[8..]).copied().collect::<Vec<_>>()
        );
        assert_eq!(accepted(&Test::Equal(b"7"), ColumnType::Decimal, &values), ["007", "7.0"]);
        assert_eq!(accepted(&Test::Equal(b"7.0"), ColumnType::Text, &values), ["7.0"]);
        assert_eq!(accepted(&Test::Equal(b"x"), ColumnType::Integer, &values), ["x"]);
        assert_eq!(accepted(&range("", ""), ColumnType::Text, &values).len(), 8, "all that are numbers");
        let error = Matcher::new(&range("seven", ""), ColumnType::Text).unwrap_err();
        assert_eq!(error.kind, ErrorKind::At1QueryNumber);
    }

    #[test]
    fn zone_maps_exclude_only_what_cannot_match() {
        let may = |low, high, zone| Matcher::new(&range(low, high), ColumnType::Decimal).unwrap().may_be_in(zone);
        assert!(!may("7.5", "7.9", Zone::Integer(8, 20)) && !may("20.1", "", Zone::Integer(8, 20)));
        assert!(may("7.5", "8", Zone::Integer(8, 20)) && may("20", "", Zone::Integer(8, 20)));
        assert!(may("30", "40", Zone::Integer(20, 8)), "swapped");
        assert!(may("9223372036854775808", "", Zone::Integer(0, i64::MAX)), "perhaps cut off");
        assert!(may("", "-9223372036854775809", Zone::Integer(i64::MIN, 0)), "perhaps cut off");
        assert!(!may("1", "2", Zone::Decimal(2.001, 3.0)) && !may("3.001", "", Zone::Decimal(2.0, 3.0)));
        assert!(may("1", "2", Zone::Decimal(2.0, 3.0)) && may("3", "", Zone::Decimal(2.0, 3.0)));
        assert!(may("0.1", "0.1", Zone::Decimal(0.1, 0.1)));
        for (low, high) in [(f64::NAN, 3.0), (2.0, f64::NAN), (f64::NAN, f64::NAN), (3.0, 2.0)] {
            assert!(may("10", "11", Zone::Decimal(low, high)) && may("", "0", Zone::Decimal(low, high)));
        }
        assert!(may("1e400", "", Zone::Decimal(0.0, f64::INFINITY)) && !may("1e400", "", Zone::Decimal(0.0, 1.0)));
        let text = Matcher::new(&Test::Equal(b"x"), ColumnType::Integer).unwrap();
        assert!(text.may_be_in(Zone::Integer(1, 2)), "no number has no place in a zone map");
    }
}
