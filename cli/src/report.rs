//! Failures of a command, printed as one line on standard error.

use std::fmt::{Display, Formatter, Write as _};
use std::io::Write;
use std::path::{Path, PathBuf};

use unspool::{Class, Error, ErrorKind};

/// Text from a file, or a file name, that is safe for a terminal: control characters, and those
/// that break lines or turn the direction of text, are escaped.
pub struct Plain<T>(pub T);

/// Returns whether a character does more than to show itself.
fn is_control(c: char) -> bool {
    // Marks, separators and the controls of bidirectional text.
    let turns = matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

impl<T: Display> Display for Plain<T> {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        for c in self.0.to_string().chars() {
            match c {
                c if is_control(c) => write!(to, "{}", c.escape_default())?,
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

    /// The failure of a file that is refused. `quote` starts at the offset of the error, if that is
    /// in a text header.
    pub fn refused(path: &Path, quote: &[u8], error: Error) -> Self {
        Failure::Refused { path: path.to_owned(), error, found: found(quote) }
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

/// The most bytes of a text header that a failure quotes.
pub const LONGEST_QUOTE: u64 = 40;

/// Returns whether the failure quotes what was found at the offset of this error, in a text header.
pub fn quotes(error: Error) -> bool {
    matches!(
        error.kind,
        ErrorKind::CvcUnknownCompression
            | ErrorKind::CvcCompressionHere
            | ErrorKind::CvcWrongValue
            | ErrorKind::CvcFormatType
            | ErrorKind::JsonSyntax
            | ErrorKind::JsonNumber
            | ErrorKind::JsonString
    )
}

/// Returns the text at the start of `rest`, up to its end in the header.
fn found(rest: &[u8]) -> Option<String> {
    let end = rest.iter().position(|byte| b",]}\r\n".contains(byte)).unwrap_or(rest.len());
    let text = String::from_utf8_lossy(rest.get(..end.max(1).min(rest.len()))?).into_owned();
    (!text.is_empty() && !text.contains(is_control)).then_some(text)
}
