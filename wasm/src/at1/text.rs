//! Rebuilds the text of a table, one row group at a time, so that neither the file nor its text
//! has to fit in memory.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use unspool::at1::qcolumnar::Meta;
use unspool::at1::{Codec, Entry, HEADER_LEN, Header, Row, Set, Stream, TRAILER_LEN, Workspace};
use unspool::checksum::Sha256;
use unspool::{Error, ErrorKind, Limits, Result};

use crate::number;

/// Returns the range of the trailer, which holds the hash if the file has one.
pub(super) fn trailer_of(size: u64) -> Range<u64> {
    size.saturating_sub(TRAILER_LEN).max(HEADER_LEN).min(size)..size
}

/// Merges rows with the verbatim lines between them.
pub(super) struct Text {
    /// Number of lines, and number of lines already written.
    lines: u64,
    line: u64,
    /// True if the last line ends with a line feed.
    trailing: bool,
    /// Non-zero for each line that is a row; empty if all lines are rows.
    modes: Vec<u8>,
    /// Lines that are not rows; `at` is the start of the next one.
    verbatim: Vec<u8>,
    at: usize,
    /// Output that the caller has not taken yet, and the hash of all taken output.
    out: Vec<u8>,
    hash: Sha256,
}

impl Text {
    pub(super) fn open(head: &[u8], workspace: &mut Workspace, limits: &Limits) -> Result<Self> {
        let set = Set::open(head, HEADER_LEN, u64::MAX, limits)?;
        let mut stream = |name: &[u8]| match set.find(name)? {
            Some(entry) => decoded(&entry, workspace, limits),
            None => Ok(vec![]),
        };
        let meta = stream(b"meta")?;
        let delimited = Header::read_start(head)?.codec == Codec::QColumnar;
        let Meta { lines, rows, trailing, .. } = Meta::read(Stream::new(&meta, 0, false), delimited, limits)?;
        // If every line is a row, no list of rows is needed.
        let (modes, verbatim) =
            if rows == lines { (vec![], vec![]) } else { (stream(b"row_modes")?, stream(b"verbatim")?) };
        let known = modes.get(..number::index(lines)).unwrap_or_default();
        let counted = u64::try_from(known.iter().filter(|&&mode| mode != 0).count()).unwrap_or(u64::MAX);
        if rows != lines && (known.is_empty() || counted != rows) {
            return Err(Error::new(ErrorKind::At1RowGroups, 0));
        }
        Ok(Self { lines, line: 0, trailing, modes, verbatim, at: 0, out: vec![], hash: Sha256::new() })
    }

    /// Returns `true` if the next line is a row.
    fn row_is_next(&self) -> bool {
        self.modes.is_empty() || self.modes.get(number::index(self.line)).is_none_or(|&mode| mode != 0)
    }

    /// Ends the previous line, if there is one.
    fn begin_line(&mut self) {
        if self.line > 0 {
            self.out.push(b'\n');
        }
        self.line = self.line.saturating_add(1);
    }

    /// Appends the verbatim lines before the next row.
    fn between(&mut self) -> Result<()> {
        while self.line < self.lines && !self.row_is_next() {
            let rest = self.verbatim.get(self.at..).ok_or(Error::new(ErrorKind::At1ListShort, 0))?;
            let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let end = self.at.saturating_add(line.len());
            self.begin_line();
            self.out.extend_from_slice(self.verbatim.get(self.at..end).unwrap_or_default());
            self.at = end.saturating_add(1);
        }
        Ok(())
    }

    /// Appends a row, after the verbatim lines before it.
    pub(super) fn row(&mut self, row: &Row<'_>, limits: &Limits) -> Result<()> {
        self.between()?;
        self.begin_line();
        row.write_line(&mut |part: &[u8]| {
            self.out.extend_from_slice(part);
            Ok(())
        })?;
        let need = u64::try_from(self.out.len()).unwrap_or(u64::MAX);
        if need > limits.max_output { Err(Error::new(ErrorKind::OutputLimit, 0).needing(need)) } else { Ok(()) }
    }

    /// Returns the lines after the last row if the stored hash matches all lines.
    pub(super) fn end(mut self, head: &[u8], trailer: &[u8], at: u64) -> Result<Vec<u8>> {
        self.between()?;
        if self.trailing {
            self.out.push(b'\n');
        }
        let out = self.hashed();
        // The header and the trailer are enough to find the hash.
        let mut ends = head.get(..number::index(HEADER_LEN)).unwrap_or_default().to_vec();
        ends.extend_from_slice(trailer);
        match Header::read(&ends, &Limits::DEFAULT)?.hash {
            Some(hash) if hash != self.hash.value() => Err(Error::new(ErrorKind::At1Hash, at)),
            _ => Ok(out),
        }
    }

    /// Takes the output so far and adds it to the hash.
    pub(super) fn hashed(&mut self) -> Vec<u8> {
        let out = core::mem::take(&mut self.out);
        self.hash.update(&out);
        out
    }
}

/// Decodes a complete stream. A truncated stream becomes `At1ContentSize`, because a longer head
/// would not help.
fn decoded(entry: &Entry<'_>, workspace: &mut Workspace, limits: &Limits) -> Result<Vec<u8>> {
    let inside = |error: Error| match error.kind {
        ErrorKind::Truncated => Error { kind: ErrorKind::At1ContentSize, ..error },
        _ => error,
    };
    let size = number::index(entry.decoded_size(limits).map_err(inside)?);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Error::new(ErrorKind::NoMemory, entry.at))?;
    bytes.resize(size, 0);
    entry.decode(&mut bytes, workspace, limits).map_err(inside)?;
    Ok(bytes)
}
