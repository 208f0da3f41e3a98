//! Failures of files: which file, which kind, which place.

use std::fmt;

use datafusion::error::DataFusionError;
use object_store::path::Path;

/// A file that a query could not read.
///
/// It is the source of the [`DataFusionError`] that ends the query: `error.find_root()` or
/// `source()` leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The path of the file in its store.
    pub path: String,
    /// The kind and the place, or the value that does not fit its column.
    pub error: unspool_arrow::Error,
}

impl FileError {
    pub(crate) fn new(path: &Path, error: impl Into<unspool_arrow::Error>) -> Self {
        Self { path: path.to_string(), error: error.into() }
    }

    /// Returns the failure that a query ended with, if it was that of a file.
    pub fn find(error: &DataFusionError) -> Option<&Self> {
        let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref::<Self>() {
                return Some(found);
            }
            next = match error.downcast_ref::<DataFusionError>() {
                Some(DataFusionError::External(inner)) => Some(inner.as_ref()),
                Some(DataFusionError::Shared(inner)) => Some(inner.as_ref()),
                _ => error.source(),
            };
        }
        None
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.error)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<FileError> for DataFusionError {
    fn from(error: FileError) -> Self {
        Self::External(Box::new(error))
    }
}
