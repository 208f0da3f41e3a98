//! One file for each format, with its `inspect`, `decode` and `check`.

pub mod at1;
mod cvc;
pub mod gzip;
mod lzma;
pub mod onpair;
pub mod parallel;
mod part;
mod pco;
pub mod pour;
mod xz;
pub mod zstd;

use std::ops::Range;
use std::path::Path;
use std::{fmt, io};

use unspool::{Error, ErrorKind, Format, Limits, Sink};

use crate::inspect::Report;
use crate::memory;
use crate::output::Output;
use crate::report::Failure;
use crate::source::Source;
use crate::stats::ColumnStats;

/// The formats that this build decodes.
pub const BUILT: [Format; 10] = [
    Format::Zstd,
    Format::ZstdV07,
    Format::ZstdDraft,
    Format::Xz,
    Format::Pco,
    Format::OnPair,
    Format::Cvc,
    Format::At1,
    Format::Gzip,
    Format::Lzma,
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

/// Returns `len` zeros, or fails if there is not enough memory. Reserves first, because only `vec!`
/// takes memory that is zero already, and would end the program without it.
fn zeros(len: u64) -> Result<Vec<u8>, Error> {
    memory::allow(len)?;
    let size = usize::try_from(len).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(size).map_err(|_| Error::new(ErrorKind::NoMemory, 0).needing(len))?;
    Ok(vec![0; size])
}

/// Reserves memory for `more` bytes, or fails if there is not enough.
pub fn reserve(room: &mut Vec<u8>, more: u64) -> Result<(), Error> {
    let len = (room.len() as u64).saturating_add(more);
    memory::allow(len.saturating_sub(room.capacity() as u64))?;
    room.try_reserve_exact(usize::try_from(more).unwrap_or(usize::MAX))
        .map_err(|_| Error::new(ErrorKind::NoMemory, 0).needing(len))
}

/// Resizes `room` to `len` bytes, or fails if there is not enough memory.
pub fn resize(room: &mut Vec<u8>, len: u64) -> Result<(), Error> {
    reserve(room, len.saturating_sub(room.len() as u64))?;
    room.resize(usize::try_from(len).unwrap_or(usize::MAX), 0);
    Ok(())
}

/// The reason why decoding ends early.
pub enum Stop {
    /// The decoder refuses.
    Refused(Error),
    /// The selection does not fit the file.
    Usage(String),
    /// The input cannot be read.
    Unread(io::Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Refused(error)
    }
}

impl From<io::Error> for Stop {
    /// The reader of a gzip file reports its damage in an error of the system.
    fn from(error: io::Error) -> Self {
        error.downcast().map_or_else(Stop::Unread, Stop::Refused)
    }
}

impl From<Stop> for io::Error {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refused(error) => error.into(),
            Stop::Usage(words) => io::Error::other(words),
            Stop::Unread(error) => error,
        }
    }
}

impl Stop {
    /// Returns the failure of the file at `path`.
    pub fn into_failure(self, path: &Path) -> Failure {
        match self {
            Stop::Refused(error) => Failure::refused(path, &[], error),
            Stop::Usage(words) => Failure::Usage(words),
            Stop::Unread(error) => Failure::io("cannot read", path, error),
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

/// The longest input of which every field is shown: of longer ones, only frames, blocks and chunks.
const EVERY_FIELD: u64 = 64 << 20;

/// Describes a file, as far as it can be read. Lists single `symbols` of Zstandard. If `held`, all
/// of the file is in memory afterwards.
pub fn inspect(
    format: Format,
    source: &mut Source,
    dictionary: Option<&[u8]>,
    symbols: bool,
    held: bool,
    limits: &Limits,
) -> Result<Report, Stop> {
    if !source.hold_short(EVERY_FIELD)? {
        match format {
            Format::Zstd | Format::ZstdDraft | Format::ZstdV07 if !symbols => {
                return zstd::outline(format, source, dictionary, limits);
            }
            Format::Xz => return xz::outline(source, limits),
            Format::Gzip => return gzip::outline(source, limits),
            Format::Lzma => return lzma::outline(source, limits),
            // Its header may show that the rest is not worth reading.
            Format::Cvc if source.len().is_none() && cvc::is_refused(source.head(), limits) => {
                return Ok(cvc::inspect(source.head(), limits));
            }
            // What follows seeks.
            _ if held || source.len().is_none() => {}
            Format::Cvc => return cvc::outline(source, limits),
            Format::Pco => return pco::outline(source, limits),
            Format::OnPair => return onpair::outline(source, limits),
            _ => {}
        }
    }
    match format {
        Format::Xz => return xz::inspect(source, limits),
        Format::At1 => return at1::inspect(source, limits),
        _ => {}
    }
    let bytes = source.hold()?;
    Ok(match format {
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 if symbols => {
            zstd::inspect_symbols(format, bytes, dictionary, limits)
        }
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 => zstd::inspect(format, bytes, dictionary, limits),
        Format::OnPair => onpair::inspect(bytes, limits),
        Format::Cvc => cvc::inspect(bytes, limits),
        Format::Pco => pco::inspect(bytes, limits),
        Format::Gzip => gzip::inspect(bytes, limits),
        Format::Lzma => lzma::inspect(bytes, limits),
        other => Report::refused(other, not_built()),
    })
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
    if wanted.range.is_some() && !is_zstd(format) && format != Format::Xz {
        return Err(Failure::Usage("--range is for zstd and xz files".to_owned()));
    }
    Ok(())
}

/// Refuses `--dict` for formats that have no dictionaries of their own.
pub fn check_dictionary(format: Format, dictionary: Option<&[u8]>) -> Result<(), Failure> {
    if dictionary.is_some() && !is_zstd(format) {
        return Err(Failure::Usage(format!("--dict is for zstd files; this file is {}", format.name())));
    }
    Ok(())
}

/// Returns whether this is a generation of Zstandard.
pub fn is_zstd(format: Format) -> bool {
    matches!(format, Format::Zstd | Format::ZstdDraft | Format::ZstdV07)
}

/// Writes the decoded bytes of the selection.
pub fn decode(
    format: Format,
    source: &mut Source,
    wanted: &Selection<'_>,
    limits: &Limits,
    to: &mut Output,
) -> Result<(), Stop> {
    match format {
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 => zstd::decode(format, source, wanted, limits, to),
        Format::OnPair => onpair::decode(source, wanted, limits, to),
        Format::Cvc => cvc::decode(source, wanted, limits, to),
        Format::Pco => pco::decode(source, wanted, limits, to),
        Format::Xz => xz::decode(source, wanted, limits, to),
        Format::At1 => at1::decode(source, wanted, limits, to),
        Format::Gzip => gzip::decode(source, wanted, limits, to),
        Format::Lzma => lzma::decode(source, wanted, limits, to),
        _ => Err(not_built().into()),
    }
}

/// Adds the outcome of a check to a report: decoded bytes and checksums, or the error.
fn add_check(report: &mut Report, checked: Result<(Checksums, u64), Stop>) -> Result<(), Stop> {
    match checked {
        Ok((checksums, decoded)) => (report.checksums, report.decoded) = (Some(checksums), Some(decoded)),
        Err(Stop::Refused(error)) => report.error = Some(error),
        Err(stop) => return Err(stop),
    }
    Ok(())
}

/// Writes decoded memory in pieces, so that the sink can show its progress.
fn in_pieces(out: &[u8], to: &mut impl Sink) -> Result<(), Error> {
    out.chunks(pour::PIECE).try_for_each(|piece| to.write(piece))
}

/// Decodes everything to a sink and verifies every checksum.
pub fn check(
    format: Format,
    source: &mut Source,
    dictionary: Option<&[u8]>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<Checksums, Stop> {
    match format {
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 => zstd::check(format, source, dictionary, limits, to),
        Format::OnPair => onpair::check(source, limits, to),
        Format::Cvc => cvc::check(source, limits, to),
        Format::Pco => pco::check(source, limits, to),
        Format::Xz => xz::check(source, limits, to),
        Format::At1 => at1::check(source, limits, to),
        Format::Gzip => gzip::check(source, limits, to),
        Format::Lzma => lzma::check(source, limits, to),
        _ => Err(not_built().into()),
    }
}
