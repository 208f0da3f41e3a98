//! `inspect`, `decode` and `check` of xz.

use std::io::Read;
use std::ops::Range;

use unspool::tree::Tree;
use unspool::xz::{Block, Decoder, IndexReader, Options, Workspace, decode_block, decode_block_to_vec, decode_to_vec};
use unspool::{Checksums as Sums, Count, ErrorKind, Format, Limits, Name, Part, Sink, Trace as _, Value};

use super::parallel::{self, Content, Left, PartReader, Pool, affordable, lengthen};
use super::part::{self, Part as RangePart};
use super::pour::{Buffered, Room, Windows, pour_through, write};
use super::{Checksums, Selection, Stop};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::source::Source;

const fn options(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

pub fn inspect(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let mut report = Report::new(Format::Xz, Tree::new(MAX_NODES));
    let bytes = source.hold()?;
    let inspected = unspool::xz::inspect(bytes, &mut Workspace::new(), &options(limits), &mut report.tree);
    if let Ok(done) = &inspected {
        report.fact("streams", done.parts);
        report.fact("blocks", done.blocks);
        report.fact("window", done.window);
        report.decoded = Some(done.content);
    }
    // Only decoding finds the first error, and shows whether checks match.
    let decoded = whole(source, None, limits, &mut Buffered::new(&mut Count::default()));
    match (inspected, decoded) {
        (Ok(done), Ok(_)) => report.checksums = Some(checksums(done.checksums)),
        (_, Err(Stop::Refused(error))) | (Err(error), Ok(_)) => report.error = Some(error),
        (_, Err(stop)) => return Err(stop),
    }
    Ok(report)
}

/// Describes a long file by its index.
pub fn outline(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let mut report = Report::new(Format::Xz, Tree::new(MAX_NODES));
    let index = Index::read(source, limits).ok().flatten();
    if let Some(index) = &index {
        report.fact("blocks", index.blocks.len());
        for (number, block) in (0..).zip(&index.blocks) {
            let Range { start, end } = block.range;
            report.tree.bytes(Part::Data, Name::Block, start..end, Value::U64(number));
        }
    }
    let mut count = Count::default();
    let checked = whole(source, index, limits, &mut Buffered::new(&mut count));
    super::add_check(&mut report, checked.map(|sums| (checksums(sums), count.0)))?;
    Ok(report)
}

fn checksums(sums: Sums) -> Checksums {
    Checksums { name: "checks", right: sums.matched, absent: sums.unchecked }
}

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    let selected = wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some();
    if selected || wanted.text || wanted.dictionary.is_some() {
        return Err(Stop::Usage(
            "xz files hold plain bytes; --column, --rows, --section, --text and --dict do not apply".to_owned(),
        ));
    }
    if let Some(range) = &wanted.range {
        return decode_range(source, range, limits, to);
    }
    let index = Index::read(source, limits).ok().flatten();
    if let Some(index) = &index {
        to.expect(index.content);
    }
    whole(source, index, limits, to).map(drop)
}

/// Writes a range of the content; decodes only the blocks that hold it, if there are several.
fn decode_range(
    source: &mut Source,
    wanted: &Range<Option<u64>>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<(), Stop> {
    let Some(index) = Index::read(source, limits)?.filter(|index| index.blocks.len() > 1) else {
        return part::in_order(source, wanted, limits, to, |source, to| {
            whole(source, None, limits, &mut Buffered::new(to)).map(drop)
        });
    };
    let range = part::bounds(wanted, index.content, limits)?;
    for block in index.blocks {
        if block.content.start < range.end && block.content.end > range.start {
            let content = decode_block_to_vec(&source.at(block.range.clone())?, &block, &options(limits))?;
            RangePart::new(range.clone(), block.content.start, to).write(&content)?;
        }
    }
    Ok(())
}

/// The index of a file.
struct Index {
    content: u64,
    /// The blocks of all streams, in the order of the content.
    blocks: Vec<Block>,
}

impl Index {
    /// Reads the index of a file; `None` of a stream, whose end is not there.
    fn read(source: &Source, limits: &Limits) -> Result<Option<Self>, Stop> {
        let Some(len) = source.len() else { return Ok(None) };
        let mut reader = IndexReader::sizes(len, limits);
        // The reader returns the last stream first; blocks count from the start of their stream.
        let mut streams = Vec::new();
        while let Some(range) = reader.needs() {
            let mut blocks = Vec::new();
            reader.feed_listing(range.start, &source.at(range)?, &mut |block| blocks.push(block))?;
            streams.push(blocks);
        }
        let mut start = 0u64;
        let mut blocks: Vec<Block> = vec![];
        for mut stream in streams.into_iter().rev() {
            for block in &mut stream {
                block.content = start.saturating_add(block.content.start)..start.saturating_add(block.content.end);
            }
            start = stream.last().map_or(start, |block| block.content.end);
            blocks.append(&mut stream);
        }
        Ok(Some(Self { content: reader.content(), blocks }))
    }
}

pub fn check(source: &mut Source, limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    whole(source, None, limits, &mut Buffered::new(to)).map(checksums)
}

/// The offset of the first block.
const FIRST_BLOCK: u64 = 12;

/// Decodes everything: blocks on several threads, or in order. Takes the index if it was read.
fn whole(source: &mut Source, index: Option<Index>, limits: &Limits, to: &mut impl Room) -> Result<Sums, Stop> {
    let threads = source.threads();
    let work = |workspace: &mut Workspace, (bytes, block): (Vec<u8>, Block), pool: &Pool| {
        let (size, mut buffer) = (block.content.end - block.content.start, pool.take());
        lengthen(&mut buffer, size)?;
        let len = usize::try_from(size).unwrap_or(usize::MAX);
        let content = buffer.get_mut(..len).unwrap_or_default();
        let done = decode_block(&bytes, &block, content, workspace, &options(limits))?;
        // One thread refuses larger windows.
        if done.window > limits.max_window {
            return Err(Left::InOrder);
        }
        pool.give_stored(bytes);
        Ok(Content { buffer, range: 0..len, decoded: size, sums: done.checksums })
    };
    parallel::decode(
        source,
        limits,
        to,
        |source| {
            let Index { content, blocks } = index.or_else(|| Index::read(source, limits).ok()?)?;
            let size =
                |block: &Block| (block.range.end - block.range.start) + (block.content.end - block.content.start);
            let largest = blocks.iter().map(size).max()?;
            let shared = blocks.len() > 1 && content <= limits.max_output && affordable(largest, threads);
            shared.then(|| Blocks(blocks.into_iter()))
        },
        Workspace::new,
        work,
        |source, to| in_order(source, limits, to),
    )
}

/// The blocks of a file that are left.
struct Blocks(std::vec::IntoIter<Block>);

impl PartReader for Blocks {
    type Part = (Vec<u8>, Block);

    fn next(&mut self, source: &Source, pool: &Pool) -> Option<Result<Self::Part, Left>> {
        let (block, mut bytes) = (self.0.next()?, pool.take_stored());
        let read = source.read_at(block.range.clone(), &mut bytes);
        Some(read.map(|()| (bytes, block)).map_err(Left::from))
    }
}

/// Decodes everything through a window. A short file may declare a window beyond the limit: it is
/// decoded in memory.
fn in_order(source: &mut Source, limits: &Limits, to: &mut impl Room) -> Result<Sums, Stop> {
    let error = match stream(source, limits, to) {
        Err(Stop::Refused(error)) if error.kind == ErrorKind::WindowLimit && error.at == FIRST_BLOCK => error,
        done => return done,
    };
    match Index::read(source, limits) {
        Ok(Some(index)) if index.content <= limits.max_window => {
            let options = options(limits);
            let bytes = source.hold()?;
            write(&decode_to_vec(bytes, &options)?, to)?;
            Ok(unspool::xz::inspect(bytes, &mut Workspace::new(), &options, &mut ())?.checksums)
        }
        _ => Err(error.into()),
    }
}

/// Decodes through a window, so that memory holds only the bytes that matches can reach.
pub fn stream(input: &mut impl Read, limits: &Limits, to: &mut impl Room) -> Result<Sums, Stop> {
    let (mut workspace, mut windows) = (Workspace::new(), Windows::new());
    let mut decoder = Decoder::new(&mut workspace, &mut [], &options(limits));
    pour_through(input, to, &mut decoder, windows.lend(limits.max_window), Decoder::step, Decoder::lend)?;
    Ok(decoder.done().checksums)
}
