//! The doors that every format has: whole files in one call.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::file::File;
use super::inspect::open;
use crate::num::{index, u64_from};
use crate::{Checksums, Class, Done, Error, Limits, Result, Sink, Trace};

/// A workspace without content. OnPair needs none; this one keeps the calls of all formats alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Workspace;

impl Workspace {
    /// An empty workspace.
    pub const fn new() -> Self {
        Self
    }
}

/// Options of a decoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Bounds that a file must keep to.
    pub limits: Limits,
}

impl Options {
    /// The limits for files that a person opens.
    pub const DEFAULT: Self = Self { limits: Limits::DEFAULT };
}

/// Decodes all rows of a file, one after the other, to the start of `dst`.
///
/// A `dst` that is exactly as long as [`decoded_len`] says is enough. May overwrite up to 16 bytes
/// after the last row in a longer one.
///
/// ```
/// use unspool::onpair::{Options, Workspace, decode};
/// # let file = b"ONPAIR01\x09\x02\0\0\0ab\x03\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0\0\x02\x04\0\0\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\x03\0\0\0";
/// let mut dst = [0; 3];
/// let done = decode(file, &mut dst, &mut Workspace::new(), &Options::DEFAULT, &mut ())?;
/// assert_eq!((done.wrote, &dst), (3, b"abb"));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode(
    src: &[u8],
    dst: &mut [u8],
    _workspace: &mut Workspace,
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let file = open(src, &options.limits, trace)?;
    let wrote = file.column().decode_into(file.column().rows(), dst)?;
    Ok(done(&file, wrote, u64_from(wrote)))
}

/// Decodes all rows of a file to a sink, at most 512 bytes at a time.
pub fn decode_to(src: &[u8], sink: &mut impl Sink, _workspace: &mut Workspace, options: &Options) -> Result<Done> {
    let file = File::open(src, &options.limits)?;
    let content = file.column().decode_to(file.column().rows(), sink)?;
    Ok(done(&file, index(content), content))
}

/// Decodes all rows of a file.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options) -> Result<Vec<u8>> {
    let file = File::open(src, &options.limits)?;
    file.column().decode_to_vec(file.column().rows())
}

/// Returns the number of bytes that all rows of a file decode to, without decoding them.
pub fn decoded_len(src: &[u8], _workspace: &mut Workspace, options: &Options) -> Result<u64> {
    let file = File::open(src, &options.limits)?;
    file.column().decoded_len(file.column().rows())
}

/// Emits all parts of a file and checks every code. On an error, what was emitted until then is
/// true.
pub fn inspect(src: &[u8], _workspace: &mut Workspace, options: &Options, trace: &mut impl Trace) -> Result<Done> {
    let file = open(src, &options.limits, trace)?;
    let content = file.column().decoded_len(file.column().rows())?;
    Ok(done(&file, 0, content))
}

/// Decodes the rows before the first error, whole ones only, and returns that error.
pub fn salvage(src: &[u8], dst: &mut [u8], _workspace: &mut Workspace, options: &Options) -> (Done, Option<Error>) {
    let (file, broken) = match File::salvage(src, &options.limits) {
        Ok(salvaged) => salvaged,
        Err(error) => return (Done::default(), Some(error)),
    };
    let column = file.column();
    match column.decode_into(column.rows(), dst) {
        Ok(wrote) => (done(&file, wrote, u64_from(wrote)), broken),
        Err(error) => {
            let mut wrote = 0usize;
            for row in column.rows() {
                let Ok(len) = column.row_into(row, dst.get_mut(wrote..).unwrap_or_default()) else { break };
                // The limit holds for all rows together.
                if u64_from(wrote.saturating_add(len)) > options.limits.max_output {
                    break;
                }
                wrote = wrote.saturating_add(len);
            }
            // An error of the file comes before those of its rows, as when it is opened.
            let first = broken.filter(|_| error.class() == Class::Corrupt).unwrap_or(error);
            (done(&file, wrote, u64_from(wrote)), Some(first))
        }
    }
}

/// A file is one part without a checksum.
pub(super) fn done(file: &File<'_>, wrote: usize, content: u64) -> Done {
    let checksums = Checksums { unchecked: 1, ..Checksums::default() };
    Done { read: index(file.len()), wrote, content, parts: 1, checksums, ..Done::default() }
}
