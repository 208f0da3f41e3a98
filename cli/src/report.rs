//! Failures of a command, printed as one line on standard error.

use std::fmt::{Display, Formatter, Write as _};
use std::io::Write;
use std::path::{Path, PathBuf};

use unspool::{Class, Error, ErrorKind};

/// Text from a file, or a file name, that is safe for a terminal: control characters are escaped.
pub struct Plain<T>(pub T);

impl<T: Display> Display for Plain<T> {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        for c in self.0.to_string().chars() {
            match c {
                c if c.is_control() => write!(to, "{}", c.escape_default())?,
                c => to.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The reason why a command fails.
pub enum Failure {
    /// The decoder refuses the file or the call.
    Refused { path: PathBuf, error: Error, found: Option<String> },
    /// The operating system reports an error.
    Io { what: &'static str, path: PathBuf, error: std::io::Error },
    /// The arguments do not fit the file.
    Usage(String),
}

impl Failure {
    pub fn io(what: &'static str, path: &Path, error: std::io::Error) -> Self {
        Failure::Io { what, path: path.to_owned(), error }
    }

    pub fn refused(path: &Path, bytes: &[u8], error: Error) -> Self {
        Failure::Refused { path: path.to_owned(), error, found: found(bytes, error) }
    }

    pub fn print(&self) {
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(std::io::stderr(), "error: {self}");
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Refused { error, .. } if error.class() == Class::Misuse => 2,
            Failure::Usage(_) => 2,
            _ => 1,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused { path, error, found: Some(found) } => {
                write!(to, "{error}; found {found} [{}]", Plain(path.display()))
            }
            Failure::Refused { path, error, found: None } => {
                let remedy = match error.kind {
                    ErrorKind::ZstdDictionaryWanted => "; name it with --dict FILE",
                    ErrorKind::OutputLimit => "; --max-output BYTES allows more",
                    ErrorKind::WindowLimit => "; --max-window BYTES allows more",
                    _ => "",
                };
                write!(to, "{error}{remedy} [{}]", Plain(path.display()))
            }
            Failure::Io { what, path, error } => write!(to, "{what} {}: {error}", Plain(path.display())),
            Failure::Usage(words) => write!(to, "{}", Plain(words)),
        }
    }
}

/// Returns the text at the offset of an error in a text header: what was found instead.
fn found(bytes: &[u8], error: Error) -> Option<String> {
    const LONGEST: usize = 40;
    let in_text = matches!(
        error.kind,
        ErrorKind::CvcUnknownCompression
            | ErrorKind::CvcCompressionHere
            | ErrorKind::CvcWrongValue
            | ErrorKind::CvcFormatType
            | ErrorKind::JsonSyntax
            | ErrorKind::JsonNumber
            | ErrorKind::JsonString
    );
    let rest = bytes.get(usize::try_from(error.at).ok()?..).filter(|_| in_text)?;
    let end = rest.iter().position(|byte| b",]}\r\n".contains(byte)).unwrap_or(rest.len());
    let text = String::from_utf8_lossy(rest.get(..end.clamp(1, LONGEST).min(rest.len()))?).into_owned();
    (!text.is_empty() && !text.contains(|c: char| c.is_control())).then_some(text)
}
