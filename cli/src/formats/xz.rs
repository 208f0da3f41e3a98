//! xz on the command line.

use std::ops::Range;

use unspool::tree::Tree;
use unspool::xz::{Decoder, Done, File, Options, Workspace, decode_block_to_vec, decode_to_vec};
use unspool::{Count, End, Error, Format, Limits, Sink};

use super::part::{self, Part};
use super::{Checksums, Selection, Stop, in_pieces, pour};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Xz, Tree::new(MAX_NODES));
    match unspool::xz::inspect(bytes, &mut Workspace::new(), limits, &Options::DEFAULT, &mut report.tree) {
        Ok(done) => {
            report.fact("streams", done.streams);
            report.fact("blocks", done.blocks);
            report.fact("window", done.window);
            report.decoded = u64::try_from(done.wrote).ok();
            // Only decoding tells whether checks are right.
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
    Checksums { name: "checks", right: done.checks, absent: done.blocks.saturating_sub(done.checks) }
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    let selected = wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some();
    if selected || wanted.text || wanted.dictionary.is_some() {
        return Err(Stop::Usage("xz files hold plain bytes: no columns, no rows, no text, no dictionary".to_owned()));
    }
    match &wanted.range {
        Some(range) => Ok(decode_range(bytes, range, limits, to)?),
        None => {
            let done = sizes(bytes, limits).inspect_err(|_| start(bytes, limits, to))?;
            to.expect(u64::try_from(done.wrote).unwrap_or(0));
            Ok(stream(bytes, &done, limits, to)?)
        }
    }
}

/// Writes a part of the content: from the blocks that hold it, if there are several.
fn decode_range(bytes: &[u8], wanted: &Range<Option<u64>>, limits: &Limits, to: &mut impl Sink) -> Result<(), Error> {
    let file = File::open(bytes, limits)?;
    let range = part::bounds(wanted, file.content)?;
    if file.blocks <= 1 {
        return stream(bytes, &sizes(bytes, limits)?, limits, &mut Part::new(range, 0, to));
    }
    let (mut ws, mut at) = (Workspace::new(), range.start);
    while at < range.end {
        let Some(block) = file.locate(at)? else { break };
        let content = decode_block_to_vec(part::piece(bytes, &block.range), &block, &mut ws, limits, true)?;
        Part::new(range.clone(), block.content.start, to).write(&content)?;
        at = block.content.end;
    }
    Ok(())
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    let done = sizes(bytes, limits)?;
    stream(bytes, &done, limits, to)?;
    Ok(checksums(&done))
}

/// What the file comes to, by its headers and the headers of its chunks.
fn sizes(bytes: &[u8], limits: &Limits) -> Result<Done, Error> {
    unspool::xz::inspect(bytes, &mut Workspace::new(), limits, &Options::DEFAULT, &mut ())
}

/// Writes what comes before the place where a file breaks. What is wrong is known.
fn start(bytes: &[u8], limits: &Limits, to: &mut impl Sink) {
    let window = usize::try_from(limits.max_window).unwrap_or(usize::MAX).min(USUAL);
    let _ = through(bytes, window, limits, to);
}

/// The largest window of the levels of `xz`.
const USUAL: usize = 64 << 20;

/// Decodes through a window, or in memory where that takes less.
fn stream(bytes: &[u8], done: &Done, limits: &Limits, to: &mut impl Sink) -> Result<(), Error> {
    let small = u64::try_from(done.wrote).is_ok_and(|content| content <= done.window);
    if small || done.window > limits.max_window {
        let out = decode_to_vec(bytes, &mut Workspace::new(), limits, &Options::DEFAULT)?;
        return in_pieces(&out, to);
    }
    through(bytes, usize::try_from(done.window).unwrap_or(usize::MAX), limits, to)
}

fn through(bytes: &[u8], window: usize, limits: &Limits, to: &mut impl Sink) -> Result<(), Error> {
    let (mut ws, mut window) = (Workspace::new(), vec![0; window]);
    let mut decoder = Decoder::new(&mut ws, &mut window, limits, &Options::DEFAULT);
    pour(bytes, |rest, piece| decoder.step(rest, End::Here, piece), to)
}
