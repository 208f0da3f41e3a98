//! The doors for a whole file in memory.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::block::{Count, Direct};
use super::detect::{flavour, promise};
use super::flavour::Flavour;
use super::machine::{Machine, Purpose};
use super::options::Options;
use super::walk::Upcoming;
use super::workspace::Workspace;
#[cfg(feature = "alloc")]
use crate::heap::{lengthen, zeros};
use crate::num::u64_from;
use crate::tuning::SHORT_FRAMES;
use crate::{Done, Error, ErrorKind, Result, Trace, Verify};

/// Decodes a file in any of the three formats. The output is the only window.
///
/// Bytes of `dst` after [`Done::wrote`] may have been used as scratch.
///
/// ```
/// use unspool::zstd::{self, Options, Workspace};
/// # #[cfg(feature = "zstd-xxh64")] {
/// let file = b"\x28\xB5\x2F\xFD\x04\x00\x29\0\0hello\xC0\x3E\xE3\x90";
/// # let hash = unspool::checksum::Xxh64::of(b"hello").to_le_bytes();
/// # let file = &[&file[..14], &hash[..4]].concat();
/// let mut out = [0; 5];
/// let done = zstd::decode(file, &mut out, &mut Workspace::new(), &Options::DEFAULT, &mut ())?;
/// assert_eq!((done.wrote, &out, done.checksums.matched), (5, b"hello", 1));
/// # }
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    options: &Options<'_>,
    trace: &mut T,
) -> Result<Done> {
    let room = u64_from(dst.len());
    // What decodes as RFC 8878 with its checksum is RFC 8878. The headers of other files are
    // examined after that failed, because they take 4 % of the time of a short frame.
    if SHORT_FRAMES && !T::LISTENS && options.flavour.is_none() && options.verify == Verify::Refuse {
        let mut machine = Machine::new(options, Flavour::Rfc8878, Purpose::Content, room);
        let run = run(&mut machine, src, Target::Slice(dst), workspace, trace);
        if run.is_ok() || flavour(src, options).is_rfc() {
            return run.map(|()| machine.done);
        }
    }
    let mut machine = Machine::new(options, flavour(src, options), Purpose::Content, room);
    run(&mut machine, src, Target::Slice(dst), workspace, trace)?;
    Ok(machine.done)
}

/// Decodes everything before the first error, and returns that error.
///
/// The first [`Done::wrote`] bytes of `dst` are those of complete blocks. The checksum of the last
/// frame covers bytes that are missing; it was not compared unless it is the error itself.
pub fn salvage(src: &[u8], dst: &mut [u8], workspace: &mut Workspace, options: &Options<'_>) -> (Done, Option<Error>) {
    // A frame whose content does not fit is decoded as far as it fits.
    let mut machine = Machine::new(options, flavour(src, options), Purpose::Content, u64::MAX);
    let run = run(&mut machine, src, Target::Slice(dst), workspace, &mut ());
    (machine.done, run.err())
}

/// Returns the decoded length of a file. Reads all sequences but writes nothing.
#[inline(never)]
pub fn decoded_len(src: &[u8], workspace: &mut Workspace, options: &Options<'_>) -> Result<u64> {
    let mut machine = Machine::new(options, flavour(src, options), Purpose::Length, u64::MAX);
    run(&mut machine, src, Target::Nowhere(COUNT), workspace, &mut ())?;
    Ok(machine.done.content)
}

/// Emits the structure of a file to `trace`. Builds tables and reads sequences but writes nothing.
///
/// Errors in the content, such as a wrong checksum or an offset that reaches too far, are for
/// [`decode`] to find. If a frame's dictionary is not given, its structure is still emitted, but
/// the length of its content stays unknown.
pub fn inspect<T: Trace>(src: &[u8], workspace: &mut Workspace, options: &Options<'_>, trace: &mut T) -> Result<Done> {
    let mut machine = Machine::new(options, flavour(src, options), Purpose::Structure, u64::MAX);
    run(&mut machine, src, Target::Nowhere(COUNT), workspace, trace)?;
    Ok(machine.done)
}

/// Decodes a file to a new vector.
///
/// A claim in a header reserves no memory by itself. At first the vector is at most as long as the
/// blocks of the file could fill. If a frame has no content size, it is at most eight times the
/// file plus a megabyte. It grows with the blocks from there.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options<'_>) -> Result<Vec<u8>> {
    let flavour = flavour(src, options);
    // The claims of a truncated or broken file count for nothing.
    let promise = promise(src, flavour, options.magicless).unwrap_or_default();
    let guess = u64_from(src.len()).saturating_mul(8).saturating_add(1 << 20);
    let size = promise.declared.unwrap_or(guess).min(promise.most).min(options.limits.max_output);
    let mut dst = zeros(size)?;
    let mut machine = Machine::new(options, flavour, Purpose::Content, u64_from(usize::MAX));
    run(&mut machine, src, Target::Vec(&mut dst), &mut Workspace::new(), &mut ()).map_err(|error| {
        match error.kind {
            // The vector grows as far as there is memory.
            ErrorKind::OutputTooSmall => Error { kind: ErrorKind::NoMemory, ..error },
            _ => error,
        }
    })?;
    dst.truncate(machine.done.wrote);
    Ok(dst)
}

/// Named only by the doors that count.
const COUNT: Count = |frame, block, src, workspace| frame.count(block, src, workspace);

/// The target of the content of a file.
enum Target<'a> {
    Slice(&'a mut [u8]),
    #[cfg(feature = "alloc")]
    Vec(&'a mut Vec<u8>),
    /// Adds up lengths with this function.
    Nowhere(Count),
}

impl Target<'_> {
    /// Returns the output of the next step, with the history of the frame before it.
    fn output(&mut self, machine: &Machine<'_>) -> Direct<'_> {
        match self {
            Self::Slice(dst) => machine.output(dst),
            #[cfg(feature = "alloc")]
            Self::Vec(dst) => {
                if let Upcoming::Content(block) = machine.frame.walk.next {
                    let end = machine.done.wrote.saturating_add(machine.frame.most(block));
                    // Without memory for that, the output ends before the block does.
                    let _ = lengthen(dst, end.saturating_sub(dst.len()));
                }
                machine.output(dst)
            }
            Self::Nowhere(count) => Direct::Nowhere(*count),
        }
    }
}

/// Drives a machine over a whole file.
#[cfg_attr(feature = "small", inline(never))]
fn run<T: Trace>(
    machine: &mut Machine<'_>,
    src: &[u8],
    mut target: Target<'_>,
    workspace: &mut Workspace,
    trace: &mut T,
) -> Result<()> {
    let mut at = 0;
    loop {
        crate::steps::count(1);
        let mut output = target.output(machine);
        at = match machine.step(src, at, &mut output, workspace, trace) {
            Ok(at) => at,
            Err(fault) => return Err(machine.error(fault, 0)),
        };
        machine.done.read = at;
        if machine.frame.walk.is_between_frames() && at >= src.len() {
            return Ok(());
        }
    }
}
