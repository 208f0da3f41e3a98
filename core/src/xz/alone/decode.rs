//! Decodes inputs that are present.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::super::options::Options as XzOptions;
use super::super::stream::Machine;
use super::super::whole::{Goal, Slice, Whole};
use super::super::window::Window;
use super::super::workspace::Workspace;
use super::header::{HEADER_LEN, Header, SIZE_AT};
use super::options::{Coder, Options, Raw, lzma_block};
use super::stream::Decoder;
use super::walk::Walk;
use crate::num::{index, u64_from};
use crate::step::pour;
use crate::{Count, Done, End, Error, ErrorKind, Name, Part, Result, Sink, Status, Trace, Value, Verify};
#[cfg(feature = "alloc")]
use {super::super::to_vec, crate::heap};

/// Decodes an input. The output is the only dictionary.
pub fn decode<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    let (done, error) = run(src, dst, workspace, options, trace);
    error.map_or(Ok(done), Err)
}

/// Decodes an input to a sink, through a window as of a [`Decoder`]. Everything before an error is
/// written before the error returns.
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
) -> Result<Done> {
    let mut decoder = Decoder::new(workspace, window, options);
    pour(src, sink, |src, dst| decoder.step(src, End::Here, dst))?;
    Ok(decoder.done())
}

/// Decodes the sound part of an input: all bytes before the first error.
pub fn salvage(src: &[u8], dst: &mut [u8], workspace: &mut Workspace, options: &Options) -> (Done, Option<Error>) {
    run(src, dst, workspace, options, &mut ())
}

/// Returns how many bytes an input decodes to, according to its header or to its chunks. Only LZMA
/// of unknown size is decoded, through the window, and the output dropped.
pub fn decoded_len(src: &[u8], workspace: &mut Workspace, window: &mut [u8], options: &Options) -> Result<u64> {
    match declared(src, options) {
        Some(size) => Ok(size),
        None => Ok(inspect(src, workspace, window, options, &mut ())?.content),
    }
}

/// Emits every field of an input. Symbols of LZMA are decoded through the window, because only they
/// show where they end; chunks of LZMA2 are skipped, and need no window.
pub fn inspect<T: Trace>(
    src: &[u8],
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    if let Some(header) = options.chunks()? {
        return Whole::new(src, Slice::new(&mut []), &mut workspace.tables, &xz(options), trace)
            .lone_chunks(Goal::Count, &header);
    }
    let start = emit_header(src, options, trace);
    let done = decode_to(src, &mut Count::default(), workspace, window, options);
    emit_symbols(start, done.map_or(src.len(), |done| done.read), trace);
    done.map(|done| Done { wrote: 0, ..done })
}

/// Decodes an input to a new vector. It is as long as the header or the chunks claim, and at most
/// as long as the input can decode to; if they claim nothing, it grows.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options) -> Result<Vec<u8>> {
    if let Some(header) = options.chunks()? {
        return to_vec::to_vec(src, to_vec::Input::Chunks(&header), &xz(options));
    }
    let (mut workspace, mut walk, mut rest) = (Workspace::new(), Walk::new(options), src);
    let first = declared(src, options).unwrap_or(u64_from(src.len().saturating_mul(4)));
    let mut out = heap::zeros(first.min(options.limits.max_output).min(u64_from(to_vec::most(src))))?;
    while go(&mut walk, &mut rest, &mut out, &mut workspace)? == Status::NeedOutput {
        let more = out.len().max(GROWTH).min(index(walk.room_left()));
        heap::lengthen(&mut out, more)?;
    }
    out.truncate(walk.done().wrote);
    #[cfg(feature = "xz-filters")]
    workspace.tables.filters.whole(&mut out);
    Ok(out)
}

/// A vector grows by at least this much.
#[cfg(feature = "alloc")]
const GROWTH: usize = 64 << 10;

/// Decodes an input. Returns the part of the output that is sound, and the error after it.
fn run<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    options: &Options,
    trace: &mut T,
) -> (Done, Option<Error>) {
    match options.chunks() {
        Err(fault) => return (Done::default(), Some(fault.into())),
        Ok(None) => {}
        Ok(Some(header)) => {
            let xz = xz(options);
            let mut whole = Whole::new(src, Slice::new(dst), &mut workspace.tables, &xz, trace);
            return match whole.lone_chunks(Goal::Decode, &header) {
                Ok(done) => (done, None),
                Err(error) => {
                    let wrote = whole.salvaged(&error);
                    (whole.done(index(error.at).min(src.len()), wrote, u64_from(wrote)), Some(error))
                }
            };
        }
    }
    let start = emit_header(src, options, trace);
    if let Some(size) = declared(src, options)
        && size > u64_from(dst.len())
    {
        let at = if options.raw.is_none() { SIZE_AT } else { 0 };
        return (Done::default(), Some(Error::new(ErrorKind::OutputTooSmall, u64_from(at)).needing(size)));
    }
    let (mut walk, mut rest) = (Walk::new(options), src);
    let mut ended = go(&mut walk, &mut rest, dst, workspace);
    if ended == Ok(Status::NeedOutput) {
        walk.close();
        ended = go(&mut walk, &mut rest, dst, workspace);
    }
    let (done, error) = (walk.done(), ended.err());
    emit_symbols(start, if error.is_some() { src.len() } else { done.read }, trace);
    #[cfg(feature = "xz-filters")]
    let done = {
        let (filters, out) = (&mut workspace.tables.filters, dst.get_mut(..done.wrote).unwrap_or_default());
        // Filters may hold back some bytes of content that goes on.
        let wrote = match error.map(|error| error.kind) {
            None | Some(ErrorKind::XzTrailing) => {
                filters.whole(out);
                done.wrote
            }
            Some(_) => filters.start_of(out),
        };
        Done { wrote, content: u64_from(wrote), ..done }
    };
    (done, error)
}

/// Walks on, until the output is full or the input ends.
fn go(walk: &mut Walk<true>, rest: &mut &[u8], dst: &mut [u8], workspace: &mut Workspace) -> Result<Status> {
    let window = &mut Window::flat(dst, walk.done().wrote, walk.dictionary());
    loop {
        match walk.advance(rest, End::Here, window, workspace) {
            Ok(None) => {}
            Ok(Some(Status::NeedOutput)) => return Ok(Status::NeedOutput),
            Ok(Some(_)) => return Ok(Status::Done),
            Err(fault) => return Err(walk.parser().error(fault)),
        }
    }
}

/// The options of a parser of xz, for the chunks of LZMA2.
const fn xz(options: &Options) -> XzOptions {
    XzOptions { limits: options.limits, verify: Verify::Skip, ..XzOptions::DEFAULT }
}

/// Returns the length of the content of LZMA, if the header claims one that the limits allow.
fn declared(src: &[u8], options: &Options) -> Option<u64> {
    let header = match options.raw {
        None => Header::read_traced(src, &mut ()).ok()?,
        Some(Raw { coder: Coder::Lzma(ref header), .. }) => {
            lzma_block(header, options.raw.as_ref()).ok()?;
            *header
        }
        Some(_) => return None,
    };
    header.size.filter(|&size| size <= options.limits.max_output)
}

/// Emits the header, if there is one. Returns where the symbols start. Its errors are for the walk
/// to report.
fn emit_header<T: Trace>(src: &[u8], options: &Options, trace: &mut T) -> usize {
    if options.raw.is_some() {
        return 0;
    }
    Header::read_traced(src, trace).map_or(src.len(), |_| HEADER_LEN)
}

/// Emits the symbols as one field.
fn emit_symbols<T: Trace>(start: usize, end: usize, trace: &mut T) {
    if T::LISTENS && start < end {
        trace.bytes(Part::Symbols, Name::LzmaSymbols, u64_from(start)..u64_from(end), Value::None);
    }
}
