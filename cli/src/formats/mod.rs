//! One file for each format, with its `inspect`, `decode` and `check`.

pub mod at1;
mod cvc;
pub mod gzip;
pub mod onpair;
mod part;
mod pco;
mod xz;
pub mod zstd;

use std::fmt;
use std::ops::Range;
use std::path::Path;

use unspool::{Error, ErrorKind, Format, Limits, Sink, Status, Step};

use crate::inspect::Report;
use crate::output::Output;
use crate::report::Failure;
use crate::stats::ColumnStats;

/// The formats that this build decodes.
pub const BUILT: [Format; 9] = [
    Format::Zstd,
    Format::ZstdV07,
    Format::ZstdDraft,
    Format::Xz,
    Format::Pco,
    Format::OnPair,
    Format::Cvc,
    Format::At1,
    Format::Gzip,
];

/// The part of a file to decode.
pub struct Selection<'a> {
    pub column: Option<&'a str>,
    pub rows: Option<Range<Option<u64>>>,
    pub range: Option<Range<Option<u64>>>,
    pub section: Option<(&'a str, &'a str)>,
    pub text: bool,
    pub dictionary: Option<&'a [u8]>,
}

/// Returns `len` zeros, or fails if there is not enough memory.
fn room(len: u64) -> Result<Vec<u8>, Error> {
    let mut room = vec![];
    resize(&mut room, len)?;
    Ok(room)
}

/// Resizes `room` to `len` bytes, or fails if there is not enough memory.
fn resize(room: &mut Vec<u8>, len: u64) -> Result<(), Error> {
    let size = usize::try_from(len).unwrap_or(usize::MAX);
    room.try_reserve_exact(size.saturating_sub(room.len()))
        .map_err(|_| Error::new(ErrorKind::NoMemory, 0).needing(len))?;
    room.resize(size, 0);
    Ok(())
}

/// The reason why decoding ends early.
pub enum Stop {
    /// The decoder refuses.
    Refused(Error),
    /// The selection does not fit the file.
    Usage(String),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Refused(error)
    }
}

impl Stop {
    pub fn into_failure(self, path: &Path, bytes: &[u8]) -> Failure {
        match self {
            Stop::Refused(error) => Failure::refused(path, bytes, error),
            Stop::Usage(words) => Failure::Usage(words),
        }
    }
}

/// The result of comparing the checksums of a file.
#[derive(Clone, Copy, Default)]
pub struct Checksums {
    pub name: &'static str,
    pub right: u64,
    pub absent: u64,
}

impl fmt::Display for Checksums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.right, self.absent) {
            // Nested parts may still have some: the streams of AT-1 are xz and Zstandard files.
            (0, _) => write!(f, "no {}", if self.name.is_empty() { "checksums" } else { self.name }),
            (right, 0) => write!(f, "{right} {} right", self.name),
            (right, absent) => write!(f, "{right} {} right, {absent} parts without", self.name),
        }
    }
}

fn not_built() -> Error {
    Error::new(ErrorKind::FormatNotBuilt, 0)
}

/// Describes a file, as far as it can be read.
pub fn inspect(format: Format, bytes: &[u8], dictionary: Option<&[u8]>, limits: &Limits) -> Report {
    match format {
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 => zstd::inspect(format, bytes, dictionary, limits),
        Format::OnPair => onpair::inspect(bytes, limits),
        Format::Cvc => cvc::inspect(bytes, limits),
        Format::Pco => pco::inspect(bytes, limits),
        Format::Xz => xz::inspect(bytes, limits),
        Format::At1 => at1::inspect(bytes, limits),
        Format::Gzip => gzip::inspect(bytes, limits),
        other => Report::refused(other, not_built()),
    }
}

/// Computes statistics for formats that hold numbers; for a broken file, of the sound part.
pub fn stats(format: Format, bytes: &[u8], limits: &Limits, columns: &mut Vec<ColumnStats>) -> Result<(), Error> {
    match format {
        Format::OnPair => onpair::stats(bytes, limits, columns),
        Format::Cvc => cvc::stats(bytes, limits, columns),
        Format::Pco => pco::stats(bytes, limits, columns),
        _ => Ok(()),
    }
}

/// Refuses `--range` for formats that do not hold plain bytes.
pub fn check_range(format: Format, wanted: &Selection<'_>) -> Result<(), Failure> {
    if wanted.range.is_some() && !matches!(format, Format::Zstd | Format::ZstdDraft | Format::ZstdV07 | Format::Xz) {
        return Err(Failure::Usage("--range is for zstd and xz files".to_owned()));
    }
    Ok(())
}

/// Writes the decoded bytes of the selection.
pub fn decode(
    format: Format,
    bytes: &[u8],
    wanted: &Selection<'_>,
    limits: &Limits,
    to: &mut Output,
) -> Result<(), Stop> {
    match format {
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 => zstd::decode(format, bytes, wanted, limits, to),
        Format::OnPair => onpair::decode(bytes, wanted, limits, to),
        Format::Cvc => cvc::decode(bytes, wanted, limits, to),
        Format::Pco => pco::decode(bytes, wanted, limits, to),
        Format::Xz => xz::decode(bytes, wanted, limits, to),
        Format::At1 => at1::decode(bytes, wanted, limits, to),
        Format::Gzip => gzip::decode(bytes, wanted, limits, to),
        _ => Err(not_built().into()),
    }
}

/// The size of one write.
const PIECE: usize = 1 << 18;

/// Writes all output of a stream decoder, a piece at a time.
fn pour(
    bytes: &[u8],
    mut step: impl FnMut(&[u8], &mut [u8]) -> Result<Step, Error>,
    to: &mut impl Sink,
) -> Result<(), Error> {
    let (mut rest, mut piece) = (bytes, vec![0; PIECE]);
    loop {
        let done = step(rest, &mut piece)?;
        to.write(piece.get(..done.wrote).unwrap_or_default())?;
        rest = rest.get(done.read..).unwrap_or_default();
        if done.status == Status::Done {
            return Ok(());
        }
    }
}

/// Writes decoded memory in pieces, so that the sink can show its progress.
fn in_pieces(out: &[u8], to: &mut impl Sink) -> Result<(), Error> {
    out.chunks(PIECE).try_for_each(|piece| to.write(piece))
}

/// Decodes everything to a sink and verifies every checksum.
pub fn check(
    format: Format,
    bytes: &[u8],
    dictionary: Option<&[u8]>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<Checksums, Stop> {
    match format {
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 => Ok(zstd::check(format, bytes, dictionary, limits, to)?),
        Format::OnPair => Ok(onpair::check(bytes, limits, to)?),
        Format::Cvc => Ok(cvc::check(bytes, limits, to)?),
        Format::Pco => Ok(pco::check(bytes, limits, to)?),
        Format::Xz => Ok(xz::check(bytes, limits, to)?),
        Format::At1 => at1::check(bytes, limits, to),
        Format::Gzip => Ok(gzip::check(bytes, limits, to)?),
        _ => Err(not_built().into()),
    }
}
