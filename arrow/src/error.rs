//! The failures of this crate: a file that is refused, or a value that does not fit its column.

use std::fmt;

use arrow_schema::{ArrowError, DataType};

/// The result of every call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why there is no array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The file or the request is refused.
    Refused(unspool::Error),
    /// A value does not fit the type of its column.
    Misfit(Misfit),
}

/// A value that does not fit the type of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The number of the column in the file.
    pub column: usize,
    /// The number of the row in the file.
    pub row: u64,
    /// The value, at most its first 64 bytes.
    pub value: Vec<u8>,
    /// The type of the column.
    pub data_type: DataType,
}

impl Misfit {
    /// The most bytes of a value that are kept.
    pub(crate) const QUOTE: usize = 64;
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Misfit(Misfit { column, row, value, data_type }) => {
                let value = String::from_utf8_lossy(value);
                write!(f, "column {column}, row {row}: expected {data_type}, found {value:?}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Misfit(_) => None,
        }
    }
}

impl From<unspool::Error> for Error {
    fn from(error: unspool::Error) -> Self {
        Self::Refused(error)
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        Self::ExternalError(Box::new(error))
    }
}
