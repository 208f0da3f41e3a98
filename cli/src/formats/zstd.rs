//! `inspect`, `decode` and `check` of Zstandard.

use std::io::Read;
use std::ops::Range;

use unspool::tree::Tree;
use unspool::zstd::{
    Decoder, Dictionary, File, Flavour, FrameHeader, Header, MAX_BLOCK, Options, Outline, SeekTableReader, Workspace,
    decoded_len, detect, detect_start,
};
use unspool::{Checksums as Sums, Count, Done, Error, ErrorKind, Format, Limits, Sink, Symbols, Trace};

use super::parallel::{self, Content, Left, PartReader, Pool, TINY_PARTS, lengthen};
use super::part::{self, Part};
use super::pour::{Buffered, PIECE, Room, Windows, pour_through};
use super::{Checksums, Selection, Stop};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::source::Source;

/// Detects the format of a file by its first bytes; two formats share each magic number. Returns
/// also whether another one is excluded.
pub fn format_of(head: &[u8], is_whole: bool) -> (Format, bool) {
    let (flavour, is_sure) = if is_whole { (detect(head), true) } else { detect_start(head) };
    let format = match flavour {
        None | Some(Flavour::Rfc8878) => Format::Zstd,
        Some(Flavour::Draft) => Format::ZstdDraft,
        Some(Flavour::V07) => Format::ZstdV07,
    };
    (format, is_sure)
}

fn options<'d>(format: Format, dictionary: Option<&'d [u8]>, limits: &Limits) -> Options<'d> {
    let flavour = match format {
        Format::ZstdDraft => Flavour::Draft,
        Format::ZstdV07 => Flavour::V07,
        _ => Flavour::Rfc8878,
    };
    let dictionary = dictionary.map(Dictionary::new);
    Options { limits: *limits, flavour: Some(flavour), dictionary, ..Options::DEFAULT }
}

/// Reads the header of the first frame, without limits.
fn header(bytes: &[u8], options: &Options<'_>) -> Option<FrameHeader> {
    match Header::read(bytes, &Limits::NONE, options.flavour?) {
        Ok(Header::Frame(frame)) => Some(frame),
        _ => None,
    }
}

/// Allows the first frame to be its own window: in a single segment, its content is all that it
/// may refer to, and the limit on output bounds it.
fn allow_segment(head: &[u8], options: &mut Options<'_>) {
    let segment = header(head, options).filter(|frame| frame.single_segment).map_or(0, |frame| frame.window);
    if segment <= options.limits.max_output {
        options.limits.max_window = options.limits.max_window.max(segment);
    }
}

/// Opens a file that has a seek table; `None` if it has none.
fn seekable<'f>(bytes: &'f [u8], limits: &Limits) -> Result<Option<File<'f>>, Error> {
    match File::open(bytes, limits) {
        Err(Error { kind: ErrorKind::ZstdSeekTable, at, .. }) if at == bytes.len() as u64 => Ok(None),
        opened => opened.map(Some),
    }
}

pub fn inspect(format: Format, bytes: &[u8], dictionary: Option<&[u8]>, limits: &Limits) -> Report {
    let mut tree = Tree::new(MAX_NODES);
    let report = report(format, bytes, dictionary, limits, &mut tree);
    Report { tree, ..report }
}

/// Like [`inspect`], down to single symbols.
pub fn inspect_symbols(format: Format, bytes: &[u8], dictionary: Option<&[u8]>, limits: &Limits) -> Report {
    let mut tree = Symbols(Tree::new(MAX_NODES));
    let report = report(format, bytes, dictionary, limits, &mut tree);
    Report { tree: tree.0, ..report }
}

/// Builds the report except for its tree.
fn report(format: Format, bytes: &[u8], dictionary: Option<&[u8]>, limits: &Limits, tree: &mut impl Trace) -> Report {
    let mut report = Report::new(format, Tree::new(0));
    let mut options = options(format, dictionary, limits);
    allow_segment(bytes, &mut options);
    let mut workspace = Workspace::new();
    facts(&mut report, bytes, &options);
    let inspected = unspool::zstd::inspect(bytes, &mut workspace, &options, tree);
    if let Ok(done) = &inspected {
        report.fact("frames", done.parts);
        match seekable(bytes, limits) {
            Ok(Some(file)) => {
                let largest = file.scratch_len();
                report.fact("seek table", format!("{} frames, the largest of {largest} bytes", file.len()));
            }
            Ok(None) => {}
            Err(error) => report.fact("seek table", format!("unusable: {error}")),
        }
    }
    // Only decoding finds the first error, and shows whether checksums match.
    let mut content = Count::default();
    let decoded = stream(&mut &*bytes, &options, &mut Buffered::new(&mut content));
    report.decoded = match decoded {
        Ok(_) => Some(content.0),
        Err(_) => decoded_len(bytes, &mut workspace, &options).ok(),
    };
    let lacks = |error: &Error| error.kind == ErrorKind::ZstdDictionaryWanted && dictionary.is_none();
    match (inspected, decoded) {
        (Ok(done), Ok(_)) => report.checksums = Some(checksums(done.checksums)),
        (Ok(_), Err(Stop::Refused(error))) if lacks(&error) => {
            report.fact("content", format!("not decoded, it needs the dictionary {}", error.need));
        }
        (_, Err(Stop::Refused(error))) if !lacks(&error) => report.error = Some(error),
        (Err(error), _) => report.error = Some(error),
        (Ok(_), Err(_)) => {}
    }
    report
}

/// Describes a long file by its headers.
pub fn outline(
    format: Format,
    source: &mut Source,
    dictionary: Option<&[u8]>,
    limits: &Limits,
) -> Result<Report, Stop> {
    let mut options = options(format, dictionary, limits);
    allow_segment(source.head(), &mut options);
    let mut report = Report::new(format, Tree::new(MAX_NODES));
    facts(&mut report, source.head(), &options);
    if let (Some(len), Some(flavour)) = (source.len(), options.flavour) {
        let mut outline = Outline::new(len, flavour);
        while let Some(range) = outline.needs() {
            if let Err(error) = outline.feed(range.start, &source.at(range.clone())?, &mut report.tree) {
                report.error = Some(error);
            }
        }
        report.fact("frames", outline.frames());
    }
    let mut content = Count::default();
    let checked = stream(source, &options, &mut Buffered::new(&mut content));
    super::add_check(&mut report, checked.map(|done| (checksums(done.checksums), content.0)))?;
    Ok(report)
}

/// Adds the facts of the first header.
fn facts(report: &mut Report, head: &[u8], options: &Options<'_>) {
    report.version = Some(match report.format {
        Format::ZstdDraft => "draft 0.2.0".to_owned(),
        Format::ZstdV07 => "0.7".to_owned(),
        _ => "RFC 8878".to_owned(),
    });
    if let Some(frame) = header(head, options) {
        report.fact("window", frame.window);
        if frame.dictionary_id != 0 {
            report.fact("dictionary", frame.dictionary_id);
        }
    }
}

fn checksums(sums: Sums) -> Checksums {
    Checksums { name: "XXH64", right: sums.matched, absent: sums.unchecked }
}

pub fn decode(
    format: Format,
    source: &mut Source,
    wanted: &Selection<'_>,
    limits: &Limits,
    to: &mut Output,
) -> Result<(), Stop> {
    if wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some() || wanted.text {
        return Err(Stop::Usage(
            "zstd files hold plain bytes; --column, --rows, --section and --text do not apply".to_owned(),
        ));
    }
    let mut options = options(format, wanted.dictionary, limits);
    if let Some(frame) = header(source.head(), &options) {
        to.expect(frame.content_size.unwrap_or(0));
    }
    if let Some(range) = &wanted.range {
        return decode_range(source, range, &options, to);
    }
    allow_segment(source.head(), &mut options);
    whole(source, &options, to).map(drop)
}

/// Writes a range of the content; decodes only the frames that hold it, if there is a seek table.
fn decode_range(
    source: &mut Source,
    wanted: &Range<Option<u64>>,
    options: &Options<'_>,
    to: &mut impl Sink,
) -> Result<(), Stop> {
    let frames = seek(source, &options.limits, |file| {
        let range = part::bounds(wanted, file.content(), &options.limits)?;
        Ok((file.frames_in(range.clone()).collect::<Vec<_>>(), range))
    })?;
    let Some((frames, range)) = frames else {
        let mut options = *options;
        allow_segment(source.head(), &mut options);
        return part::in_order(source, wanted, &options.limits, to, |source, to| {
            stream(source, &options, &mut Buffered::new(to)).map(drop)
        });
    };
    let mut part = Part::new(range, frames.first().map_or(0, |frame| frame.content.start), to);
    for frame in frames {
        part.write(&frame.decode_to_vec(&source.at(frame.range.clone())?, options)?)?;
    }
    Ok(())
}

/// Passes on the seek table of a file; `None` if it has none.
fn seek<T>(
    source: &Source,
    limits: &Limits,
    work: impl FnOnce(File<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Stop> {
    let Some(len) = source.len() else { return Ok(None) };
    let mut search = SeekTableReader::new(len, limits);
    while let Some(range) = search.needs() {
        let bytes = source.at(range.clone())?;
        if let Some(file) = search.feed(range.start, &bytes)? {
            return Ok(Some(work(file)?));
        }
    }
    Ok(None)
}

/// Decodes everything: frames on several threads, or in order.
fn whole(source: &mut Source, options: &Options<'_>, to: &mut impl Room) -> Result<Sums, Stop> {
    let work = |workspace: &mut Workspace, group: FrameGroup, pool: &Pool| {
        let mut buffer = pool.take();
        lengthen(&mut buffer, group.most)?;
        let done = unspool::zstd::decode(&group.bytes, &mut buffer, workspace, options, &mut ())?;
        // A stream refuses larger windows, also of frames that are their own.
        if done.window > options.limits.max_window {
            return Err(Left::InOrder);
        }
        pool.give_stored(group.bytes);
        Ok(Content { buffer, range: 0..done.wrote, decoded: done.content, sums: done.checksums })
    };
    parallel::decode(
        source,
        &options.limits,
        to,
        |source| Frames::open(source, options),
        Workspace::new,
        work,
        |source, to| stream(source, options, to).map(|done| done.checksums),
    )
}

/// The stored bytes of a group of frames. Smaller ones are not worth a thread's attention.
const GROUP: usize = if TINY_PARTS { 1 } else { 128 << 10 };

/// The most bytes of a group, stored and decoded. A file with larger frames is decoded in order.
const MOST_GROUP: u64 = 64 << 20;

/// Some frames in a row.
struct FrameGroup {
    bytes: Vec<u8>,
    /// The most bytes that they can hold.
    most: u64,
}

/// The frames of a file, as they are read. Their headers lead from one to the next.
struct Frames {
    outline: Outline,
    /// Bytes of the file from the offset `base` on, which is the start of a group.
    bytes: Vec<u8>,
    base: u64,
    /// Blocks before the group.
    blocks: u64,
}

impl Frames {
    /// Starts with the first frame; `None` if it is all of a file, or too large.
    fn open(source: &Source, options: &Options<'_>) -> Option<Self> {
        if header(source.head(), options).and_then(|frame| frame.content_size).is_some_and(|size| size > MOST_GROUP) {
            return None;
        }
        let outline = Outline::new(source.len()?, options.flavour?);
        let mut frames = Self { outline, bytes: vec![], base: 0, blocks: 0 };
        frames.walk(source).ok()?;
        frames.outline.needs().is_some().then_some(frames)
    }

    /// Walks to the end of a group. Returns its length.
    fn walk(&mut self, source: &Source) -> Result<usize, Left> {
        while let Some(range) = self.outline.needs() {
            let start = usize::try_from(range.start - self.base).unwrap_or(usize::MAX);
            // A header of a frame is asked for with more bytes than those of blocks.
            let between = range.end - range.start > 4 || range.end == range.start;
            if between && start >= GROUP {
                return Ok(start);
            }
            let end = usize::try_from(range.end - self.base).unwrap_or(usize::MAX);
            self.fill(source, end)?;
            let header = self.bytes.get(start..end).unwrap_or_default();
            self.outline.feed(range.start, header, &mut ())?;
            let most = (self.outline.blocks() - self.blocks).saturating_mul(MAX_BLOCK as u64);
            if (end as u64).saturating_add(most) > MOST_GROUP {
                return Err(Left::InOrder);
            }
        }
        let end = source.len().unwrap_or(0) - self.base;
        Ok(usize::try_from(end).unwrap_or(usize::MAX))
    }

    /// Reads on, up to `end` of the bytes.
    fn fill(&mut self, source: &Source, end: usize) -> Result<(), Left> {
        let held = self.bytes.len();
        if held < end {
            let until = self.base + (end.max(held + PIECE) as u64);
            let until = until.min(source.len().unwrap_or(0)).max(self.base + end as u64);
            source.append_at(self.base + held as u64..until, &mut self.bytes)?;
        }
        Ok(())
    }
}

impl PartReader for Frames {
    type Part = FrameGroup;

    fn next(&mut self, source: &Source, pool: &Pool) -> Option<Result<FrameGroup, Left>> {
        if self.base > 0 && self.outline.needs().is_none() && self.base == source.len()? {
            return None;
        }
        let group = self.walk(source).and_then(|end| {
            self.fill(source, end)?;
            let mut rest = pool.take_stored();
            rest.clear();
            rest.extend_from_slice(self.bytes.get(end..).unwrap_or_default());
            self.bytes.truncate(end);
            let bytes = std::mem::replace(&mut self.bytes, rest);
            let most = (self.outline.blocks() - self.blocks).saturating_mul(MAX_BLOCK as u64);
            (self.base, self.blocks) = (self.base + end as u64, self.outline.blocks());
            Ok(FrameGroup { bytes, most })
        });
        Some(group)
    }
}

/// Returns whether a range is one frame that declares its size, as AT-1 wants it.
pub fn is_one_frame(source: &Source, range: &Range<u64>) -> bool {
    let mut outline = Outline::new(range.end - range.start, Flavour::Rfc8878);
    let mut bytes = vec![];
    let mut sized = false;
    while let Some(needs) = outline.needs() {
        let place = range.start + needs.start..range.start + needs.end;
        if source.read_at(place, &mut bytes).is_err() || outline.feed(needs.start, &bytes, &mut ()).is_err() {
            return false;
        }
        if let (0, Ok(Header::Frame(frame))) = (needs.start, Header::read(&bytes, &Limits::NONE, Flavour::Rfc8878)) {
            sized = frame.content_size.is_some();
        }
    }
    sized && outline.frames() == 1
}

/// Decodes a payload of AT-1 through a window.
pub fn payload(input: &mut impl Read, limits: &Limits, to: &mut impl Room) -> Result<(), Stop> {
    stream(input, &options(Format::Zstd, None, limits), to).map(drop)
}

/// Decodes through a window, so that memory holds only the bytes that matches can reach.
fn stream(input: &mut impl Read, options: &Options<'_>, to: &mut impl Room) -> Result<Done, Stop> {
    let (mut workspace, mut windows) = (Workspace::new(), Windows::new());
    let most = options.limits.max_window.saturating_add(3 * MAX_BLOCK as u64);
    let mut decoder = Decoder::new(&mut workspace, &mut [], options);
    pour_through(input, to, &mut decoder, windows.lend(most), Decoder::step, Decoder::lend)?;
    Ok(decoder.done())
}

pub fn check(
    format: Format,
    source: &mut Source,
    dictionary: Option<&[u8]>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<Checksums, Stop> {
    let mut options = options(format, dictionary, limits);
    allow_segment(source.head(), &mut options);
    whole(source, &options, &mut Buffered::new(to)).map(checksums)
}
