//! Zstandard on the command line.

use std::ops::Range;

use unspool::tree::Tree;
use unspool::zstd::{
    Decoder, Dictionary, Flavour, Header, Options, SeekTable, Workspace, decode_to_vec, decoded_size, detect,
    stream_buffer,
};
use unspool::{Count, End, Error, ErrorKind, Format, Limits, Sink, Symbols, Trace};

use super::part::{self, Part};
use super::{Checksums, Selection, Stop, in_pieces, pour};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;

/// The format of a whole file whose magic number two formats share.
pub fn format_of(bytes: &[u8]) -> Format {
    match detect(bytes) {
        None | Some(Flavour::Rfc8878) => Format::Zstd,
        Some(Flavour::Draft) => Format::ZstdDraft,
        Some(Flavour::V07) => Format::ZstdV07,
    }
}

fn options(format: Format, dictionary: Option<&[u8]>) -> Options<'_> {
    let flavour = match format {
        Format::ZstdDraft => Flavour::Draft,
        Format::ZstdV07 => Flavour::V07,
        _ => Flavour::Rfc8878,
    };
    Options { flavour: Some(flavour), dictionary: dictionary.map(Dictionary::new), ..Options::DEFAULT }
}

pub fn inspect(format: Format, bytes: &[u8], dictionary: Option<&[u8]>, limits: &Limits) -> Report {
    let mut tree = Tree::new(MAX_NODES);
    let report = report(format, bytes, dictionary, limits, &mut tree);
    Report { tree, ..report }
}

/// The same down to single symbols.
pub fn inspect_symbols(format: Format, bytes: &[u8], dictionary: Option<&[u8]>, limits: &Limits) -> Report {
    let mut tree = Symbols(Tree::new(MAX_NODES));
    let report = report(format, bytes, dictionary, limits, &mut tree);
    Report { tree: tree.0, ..report }
}

/// All but the tree.
fn report(format: Format, bytes: &[u8], dictionary: Option<&[u8]>, limits: &Limits, tree: &mut impl Trace) -> Report {
    let mut report = Report::new(format, Tree::new(0));
    let options = options(format, dictionary);
    let mut ws = Workspace::new();
    report.version = Some(match format {
        Format::ZstdDraft => "draft 0.2.0".to_owned(),
        Format::ZstdV07 => "0.7".to_owned(),
        _ => "RFC 8878".to_owned(),
    });
    if let Some(Ok(Header::Frame(frame))) = options.flavour.map(|flavour| Header::read(bytes, flavour)) {
        report.fact("window", frame.window);
        if frame.dictionary_id != 0 {
            report.fact("dictionary", frame.dictionary_id);
        }
    }
    match unspool::zstd::inspect(bytes, &mut ws, limits, &options, tree) {
        Ok(done) => {
            report.fact("frames", done.frames);
            match SeekTable::of(bytes, limits) {
                Ok(Some(table)) => {
                    report.fact("seek table", format!("{} frames, the largest of {} bytes", table.len(), table.room()));
                }
                Ok(None) => {}
                Err(error) => report.fact("seek table", format!("not to be used: {error}")),
            }
            // Only decoding tells whether checksums are right.
            let mut content = Count::default();
            let decoded = stream(bytes, limits, &options, &mut content);
            report.decoded = match decoded {
                Ok(_) => Some(content.0),
                Err(_) => decoded_size(bytes, &mut ws, limits, &options).ok(),
            };
            match decoded {
                Ok(_) => report.checksums = Some(checksums(done.checksums, done.frames)),
                Err(error) if error.kind == ErrorKind::ZstdDictionaryWanted && dictionary.is_none() => {
                    report.fact("content", format!("not decoded, it needs the dictionary {}", error.need));
                }
                Err(error) => report.error = Some(error),
            }
        }
        Err(error) => report.error = Some(error),
    }
    report
}

fn checksums(right: u64, frames: u64) -> Checksums {
    Checksums { name: "XXH64", right, absent: frames.saturating_sub(right) }
}

pub fn decode(
    format: Format,
    bytes: &[u8],
    wanted: &Selection<'_>,
    limits: &Limits,
    to: &mut Output,
) -> Result<(), Stop> {
    if wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some() || wanted.text {
        return Err(Stop::Usage("zstd files hold plain bytes: no columns, no rows, no text".to_owned()));
    }
    let options = options(format, wanted.dictionary);
    if let Some(Ok(Header::Frame(frame))) = options.flavour.map(|flavour| Header::read(bytes, flavour)) {
        to.expect(frame.content_size.unwrap_or(0));
    }
    match &wanted.range {
        Some(range) => Ok(decode_range(bytes, range, limits, &options, to)?),
        None => Ok(stream(bytes, limits, &options, to).map(drop)?),
    }
}

/// Writes a part of the content: from the frames that hold it, if there is a table of them.
fn decode_range(
    bytes: &[u8],
    wanted: &Range<Option<u64>>,
    limits: &Limits,
    options: &Options<'_>,
    to: &mut impl Sink,
) -> Result<(), Error> {
    let table = SeekTable::of(bytes, limits)?;
    let content = match &table {
        Some(table) => table.content(),
        None => decoded_size(bytes, &mut Workspace::new(), limits, options)?,
    };
    let range = part::bounds(wanted, content, limits)?;
    // What is decoded starts with the first frame that holds a part of it.
    let first = table.as_ref().and_then(|table| table.frames_in(range.clone()).next());
    let mut part = Part::new(range.clone(), first.map_or(0, |frame| frame.content.start), to);
    let Some(table) = table else { return stream(bytes, limits, options, &mut part).map(drop) };
    let mut ws = Workspace::new();
    for frame in table.frames_in(range) {
        part.write(&frame.decode_to_vec(part::piece(bytes, &frame.range), &mut ws, limits, options)?)?;
    }
    Ok(())
}

/// Decodes piece by piece, so that no more of the content is in memory than matches reach back to. Says what became of the checksums,
/// unless it had to be done in one piece.
fn stream(
    bytes: &[u8],
    limits: &Limits,
    options: &Options<'_>,
    to: &mut impl Sink,
) -> Result<Option<Checksums>, Error> {
    // The larger the window is against the file, the less there is to gain; and where the headers do not lead to the end,
    // decoding in one piece says best what is wrong.
    let need = stream_buffer(bytes, options).ok();
    if let Some(decoded) = need.and_then(|need| through(bytes, need, limits, options, to)) {
        return decoded.map(Some);
    }
    let out = decode_to_vec(bytes, &mut Workspace::new(), limits, options);
    in_pieces(&out.inspect_err(|_| start(bytes, limits, options, to))?, to)?;
    Ok(None)
}

/// Writes what comes before the place where a file breaks, as far as the window of its first frame allows. What is wrong is known.
fn start(bytes: &[u8], limits: &Limits, options: &Options<'_>, to: &mut impl Sink) {
    if let Some(Ok(Header::Frame(frame))) = options.flavour.map(|flavour| Header::read(bytes, flavour)) {
        let _ = through(bytes, frame.stream_buffer(), limits, options, to);
    }
}

/// Decodes through a window of so many bytes, unless that is too large.
fn through(
    bytes: &[u8],
    need: u64,
    limits: &Limits,
    options: &Options<'_>,
    to: &mut impl Sink,
) -> Option<Result<Checksums, Error>> {
    let window = usize::try_from(need).ok().filter(|_| need <= limits.max_window)?;
    let (mut ws, mut window) = (Workspace::new(), vec![0; window]);
    let mut decoder = Decoder::new(&mut ws, &mut window, limits, options);
    let poured = pour(bytes, |rest, piece| decoder.step(rest, End::Here, piece), to);
    Some(poured.map(|()| checksums(decoder.checksums(), decoder.frames())))
}

pub fn check(
    format: Format,
    bytes: &[u8],
    dictionary: Option<&[u8]>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<Checksums, Error> {
    let options = options(format, dictionary);
    if let Some(checksums) = stream(bytes, limits, &options, to)? {
        return Ok(checksums);
    }
    let done = unspool::zstd::inspect(bytes, &mut Workspace::new(), limits, &options, &mut ())?;
    Ok(checksums(done.checksums, done.frames))
}
