//! `inspect`, `decode` and `check` of xz.

use std::ops::Range;

use unspool::tree::Tree;
use unspool::xz::{Block, Decoder, File, IndexReader, Options, Workspace, decode_block_to_vec, decode_to_vec};
use unspool::{Count, Done, End, Error, ErrorKind, Format, Limits, Sink};

use super::part::{self, Part};
use super::{Checksums, Selection, Stop, in_pieces, pour};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;

const fn options(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Xz, Tree::new(MAX_NODES));
    match unspool::xz::inspect(bytes, &mut Workspace::new(), &options(limits), &mut report.tree) {
        Ok(done) => {
            report.fact("streams", done.parts);
            report.fact("blocks", done.blocks);
            report.fact("window", done.window);
            report.decoded = Some(done.content);
            // Only decoding shows whether checks match.
            match stream(bytes, &done, limits, &mut Count::default()) {
                Ok(()) => report.checksums = Some(checksums(&done)),
                Err(error) => report.error = Some(error),
            }
        }
        Err(error) => report.error = Some(error),
    }
    report
}

fn checksums(done: &Done) -> Checksums {
    Checksums { name: "checks", right: done.checksums.matched, absent: done.checksums.unchecked }
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    let selected = wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some();
    if selected || wanted.text || wanted.dictionary.is_some() {
        return Err(Stop::Usage(
            "xz files hold plain bytes; --column, --rows, --section, --text and --dict do not apply".to_owned(),
        ));
    }
    match &wanted.range {
        Some(range) => Ok(decode_range(bytes, range, limits, to)?),
        None => {
            let done = sizes(bytes, limits).map_err(|error| start(bytes, error, limits, to))?;
            to.expect(done.content);
            Ok(stream(bytes, &done, limits, to)?)
        }
    }
}

/// Writes a range of the content; decodes only the blocks that hold it, if there are several.
fn decode_range(bytes: &[u8], wanted: &Range<Option<u64>>, limits: &Limits, to: &mut impl Sink) -> Result<(), Error> {
    let file = File::open(bytes, limits)?;
    let range = part::bounds(wanted, file.content, limits)?;
    if file.blocks <= 1 {
        return stream(bytes, &sizes(bytes, limits)?, limits, &mut Part::new(range, 0, to));
    }
    for block in blocks_in(bytes, &range, file.content, limits)? {
        let content = decode_block_to_vec(part::piece(bytes, &block.range), &block, &options(limits))?;
        Part::new(range.clone(), block.content.start, to).write(&content)?;
    }
    Ok(())
}

/// Returns the blocks that overlap a range, in the order of the content of `content` bytes.
fn blocks_in(bytes: &[u8], wanted: &Range<u64>, content: u64, limits: &Limits) -> Result<Vec<Block>, Error> {
    let mut reader = IndexReader::sizes(u64::try_from(bytes.len()).unwrap_or(u64::MAX), limits);
    // The reader returns the last stream first; blocks count from the start of their stream.
    let (mut end, mut streams) = (content, Vec::new());
    while let Some(range) = reader.needs() {
        let mut blocks = Vec::new();
        reader.feed_listing(range.start, part::piece(bytes, &range), &mut |block| blocks.push(block))?;
        let start = end.saturating_sub(blocks.last().map_or(0, |block| block.content.end));
        for block in &mut blocks {
            block.content = start.saturating_add(block.content.start)..start.saturating_add(block.content.end);
        }
        blocks.retain(|block| block.content.start < wanted.end && block.content.end > wanted.start);
        streams.push(blocks);
        end = start;
    }
    Ok(streams.into_iter().rev().flatten().collect())
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    let done = sizes(bytes, limits).map_err(|error| start(bytes, error, limits, to))?;
    stream(bytes, &done, limits, to)?;
    Ok(checksums(&done))
}

/// Reads the sizes of a file from its headers and the headers of its chunks.
fn sizes(bytes: &[u8], limits: &Limits) -> Result<Done, Error> {
    unspool::xz::inspect(bytes, &mut Workspace::new(), &options(limits), &mut ())
}

/// Writes the content before the first error, and returns that error.
///
/// `known` is the first error of the structure; an error of the content may come before it.
fn start(bytes: &[u8], known: Error, limits: &Limits, to: &mut impl Sink) -> Error {
    let window = usize::try_from(limits.max_window).unwrap_or(usize::MAX).min(USUAL);
    match through(bytes, window, limits, to) {
        // Decoding did not get as far as the error.
        Err(Error { kind: ErrorKind::XzWindowBuffer | ErrorKind::WindowLimit, .. }) => known,
        Err(first) if first.at < known.at => first,
        _ => known,
    }
}

/// The largest window of the presets of `xz`.
const USUAL: usize = 64 << 20;

/// Decodes through a window, or in memory if that takes less.
fn stream(bytes: &[u8], done: &Done, limits: &Limits, to: &mut impl Sink) -> Result<(), Error> {
    if done.content <= done.window || done.window > limits.max_window {
        let out = decode_to_vec(bytes, &options(limits))?;
        return in_pieces(&out, to);
    }
    through(bytes, usize::try_from(done.window).unwrap_or(usize::MAX), limits, to)
}

fn through(bytes: &[u8], window: usize, limits: &Limits, to: &mut impl Sink) -> Result<(), Error> {
    let (mut workspace, mut window) = (Workspace::new(), vec![0; window]);
    let mut decoder = Decoder::new(&mut workspace, &mut window, &options(limits));
    pour(bytes, |rest, piece| decoder.step(rest, End::Here, piece), to)
}
