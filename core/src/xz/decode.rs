//! Whole files, in one piece.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

#[cfg(feature = "alloc")]
use super::decoder::MAX_CHUNK;
use super::decoder::Machine;
use super::search::claimed_size;
use super::window::{Kind, Window};
use super::workspace::Workspace;
#[cfg(feature = "alloc")]
use crate::heap::zeros;
use crate::num::u64_from;
use crate::{End, Error, ErrorKind, Limits, Result, Trace};

/// How far a call came that decoded a whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Bytes of the input: all of it, unless [`Streams::First`] was enough.
    pub read: usize,
    /// Bytes of the output that are filled: all of the content. None by [`inspect`].
    pub wrote: usize,
    /// Bytes that the blocks hold, on small machines perhaps more than there could be memory for.
    pub content: u64,
    /// Streams in a row.
    pub streams: u64,
    /// Blocks in all streams.
    pub blocks: u64,
    /// Checks that the blocks have; after decoding, compared and found right.
    pub checks: u64,
    /// The largest window that a [`Decoder`](super::Decoder) would need for any of the blocks.
    pub window: u64,
}

/// How many streams a file may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// Any number, with padding between and behind them. What a `.xz` file may be.
    #[default]
    All,
    /// One, and nothing behind it.
    One,
    /// The first; what lies behind it is not looked at.
    First,
}

/// How to decode, where the defaults do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether to compute and compare the checks of blocks. If not, those of a reserved kind are skipped as well.
    pub verify: bool,
    /// How many streams the file may be.
    pub streams: Streams,
}

impl Options {
    /// Checks verified, streams and padding as they come.
    pub const DEFAULT: Self = Self { verify: true, streams: Streams::All };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Decodes a file. The output is the only dictionary there is.
pub fn decode(src: &[u8], dst: &mut [u8], ws: &mut Workspace, limits: &Limits) -> Result<Done> {
    decode_with(src, dst, ws, limits, &Options::DEFAULT, &mut ())
}

/// [`decode`] with options, or somebody who listens.
pub fn decode_with<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    let claimed = claim(src, dst.len(), limits, options)?;
    let done = run(src, Window::new(Kind::Output, dst), ws, limits, options, trace);
    done.map_err(|error| match error.kind {
        // It said that there is room enough, and was wrong.
        ErrorKind::OutputTooSmall if claimed => Error::new(ErrorKind::XzIndex, error.at),
        _ => error,
    })
}

/// The index knows how much room the content takes, and says so before anything is written; true if there is one to ask.
#[cfg_attr(feature = "small", inline(never))]
fn claim(src: &[u8], room: usize, limits: &Limits, options: &Options) -> Result<bool> {
    let content = match options.streams {
        Streams::First => None,
        streams => claimed_size(src, limits, streams),
    };
    let Some(content) = content else { return Ok(false) };
    if content > limits.max_output {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(content));
    }
    if content > u64_from(room) {
        return Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(content));
    }
    Ok(true)
}

/// Tells `trace` where everything in a file lies, and compares all sizes, the index and the footers with what is there.
/// Nothing is decoded; what only shows in the content is for [`decode`] to find. [`Done::content`] is what would be written.
pub fn inspect<T: Trace>(
    src: &[u8],
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    run(src, Window::new(Kind::Nowhere, &mut []), ws, limits, options, trace)
}

/// Decodes a file to a new vector.
///
/// What the index claims is not believed: the vector is as long as the chunks in the file say, and no longer than so many bytes can
/// be decoded to.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], ws: &mut Workspace, limits: &Limits, options: &Options) -> Result<Vec<u8>> {
    let size = inspect(src, ws, limits, options, &mut ())?.content;
    let mut out = room(size, src.len())?;
    let wrote = run(src, Window::new(Kind::Output, &mut out), ws, limits, options, &mut ()).map_err(impossible)?.wrote;
    out.truncate(wrote);
    Ok(out)
}

/// A byte of LZMA decodes to some 7000 at most, where all its bits are as likely as they can be.
#[cfg(feature = "alloc")]
const MOST_OF_A_BYTE: usize = 8192;

/// Room for content of this size, if `stored` bytes can hold it. Else for what they can hold, and for the chunk behind it.
#[cfg(feature = "alloc")]
pub(super) fn room(size: u64, stored: usize) -> Result<Vec<u8>> {
    zeros(u64_from(stored.saturating_mul(MOST_OF_A_BYTE).saturating_add(MAX_CHUNK)).min(size))
}

/// Where there is no room for what can be, the file claims what cannot be.
#[cfg(feature = "alloc")]
#[cold]
pub(super) fn impossible(error: Error) -> Error {
    match error.kind {
        ErrorKind::OutputTooSmall => Error::new(ErrorKind::XzBlockSize, error.at),
        _ => error,
    }
}

fn run<T: Trace>(
    src: &[u8],
    mut window: Window<'_>,
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    let mut machine = Machine::new(limits, options);
    let (mut rest, mut wrote) = (src, 0);
    machine.go(&mut rest, End::Here, (&mut [], &mut wrote), &mut window, ws, trace)?;
    Ok(machine.done(src.len() - rest.len(), &window))
}
