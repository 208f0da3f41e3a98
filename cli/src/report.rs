//! Failures of a command, printed as one line on standard error.

use std::fmt::{Display, Formatter, Write as _};
use std::io::Write;
use std::path::{Path, PathBuf};

use unspool::{Class, Error, ErrorKind};

/// Text from a file, or a file name, that is safe for a terminal: control characters, and those
/// that break lines or turn the direction of text, are escaped.
pub struct Plain<T>(pub T);

/// Returns whether a character does more than to show itself.
pub fn is_control(c: char) -> bool {
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

/// A writer to a terminal: escapes what [`Plain`] escapes, and bytes that are no text. Line feeds
/// and tabs pass.
pub struct Visible<W> {
    to: W,
    /// The start of a character whose rest was not written yet.
    cut: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub const fn new(to: W) -> Self {
        Self { to, cut: vec![] }
    }

    /// Writes bytes; at the end, also a character that is cut.
    fn show(&mut self, bytes: &[u8], is_end: bool) -> std::io::Result<()> {
        let mut text = String::new();
        let mut rest = bytes;
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' | '\t' => text.push(c),
                    c if is_control(c) => text.extend(c.escape_default()),
                    c => text.push(c),
                }
            }
            rest = rest.get(chunk.valid().len()..).unwrap_or_default();
            let is_cut = rest.len() == chunk.invalid().len()
                && std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
            if is_cut && !is_end {
                break;
            }
            text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
            rest = rest.get(chunk.invalid().len()..).unwrap_or_default();
        }
        self.cut = rest.to_vec();
        self.to.write_all(text.as_bytes())
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let held = std::mem::take(&mut self.cut);
        if held.is_empty() {
            self.show(bytes, false)?;
        } else {
            self.show(&[&held, bytes].concat(), false)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let held = std::mem::take(&mut self.cut);
        self.show(&held, true)?;
        self.to.flush()
    }
}

/// The reason why a command fails.
pub enum Failure {
    /// The decoder refuses the file or the call.
    Refused { path: PathBuf, error: Error, found: Option<String>, is_guess: bool },
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
        Failure::Refused { path: path.to_owned(), error, found: found(quote), is_guess: false }
    }

    /// Notes that the generation of Zstandard was a guess.
    pub fn of_guess(mut self) -> Self {
        if let Failure::Refused { is_guess, .. } = &mut self {
            *is_guess = true;
        }
        self
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
            Failure::Refused { path, error, found: Some(found), .. } => {
                write!(to, "{error}; found {found} [{}]", Plain(path.display()))
            }
            Failure::Refused { path, error, found: None, is_guess } => {
                let remedy = match error.kind {
                    ErrorKind::ZstdDictionaryWanted => "; name it with --dict FILE",
                    ErrorKind::OutputLimit => "; --max-output BYTES allows more",
                    ErrorKind::WindowLimit => "; --max-window BYTES allows more",
                    ErrorKind::ColumnLimit => "; --max-columns COUNT allows more",
                    ErrorKind::NoMemory => "; --max-memory BYTES allows more",
                    ErrorKind::UnknownFormat
                        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("lzma")) =>
                    {
                        "; if this is an LZMA file, name it with --format lzma"
                    }
                    _ if *is_guess => "; if this is the draft 0.2.0 or v0.7, name it with --format",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_only_characters_that_show_themselves() {
        let bytes = "a\tb\n\u{1B}[31mü\u{202E}\u{2028}\r\u{9B}€".bytes().chain(*b"\xFF\xE2\x82").collect::<Vec<u8>>();
        let expected = "a\tb\n\\u{1b}[31mü\\u{202e}\\u{2028}\\r\\u{9b}€\\xff\\xe2\\x82";
        for piece in 1..=bytes.len() {
            let mut shown = vec![];
            let mut to = Visible::new(&mut shown);
            bytes.chunks(piece).for_each(|piece| to.write_all(piece).unwrap());
            to.flush().unwrap();
            assert_eq!(String::from_utf8(shown).unwrap(), expected, "pieces of {piece}");
        }
    }
}
