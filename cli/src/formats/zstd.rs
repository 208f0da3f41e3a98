//! `inspect`, `decode` and `check` of Zstandard.

use std::ops::Range;

use unspool::tree::Tree;
use unspool::zstd::{
    Dictionary, File, Flavour, FrameHeader, Header, Options, Workspace, decode_to, decode_to_vec, decoded_len, detect,
    stream_buffer,
};
use unspool::{Count, Done, Error, ErrorKind, Format, Limits, Sink, Symbols, Trace};

use super::part::{self, Part};
use super::{Checksums, Selection, Stop, in_pieces};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;

/// Detects the format of a whole file; two formats share each magic number.
pub fn format_of(bytes: &[u8]) -> Format {
    match detect(bytes) {
        None | Some(Flavour::Rfc8878) => Format::Zstd,
        Some(Flavour::Draft) => Format::ZstdDraft,
        Some(Flavour::V07) => Format::ZstdV07,
    }
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
    let options = options(format, dictionary, limits);
    let mut workspace = Workspace::new();
    report.version = Some(match format {
        Format::ZstdDraft => "draft 0.2.0".to_owned(),
        Format::ZstdV07 => "0.7".to_owned(),
        _ => "RFC 8878".to_owned(),
    });
    if let Some(frame) = header(bytes, &options) {
        report.fact("window", frame.window);
        if frame.dictionary_id != 0 {
            report.fact("dictionary", frame.dictionary_id);
        }
    }
    match unspool::zstd::inspect(bytes, &mut workspace, &options, tree) {
        Ok(done) => {
            report.fact("frames", done.parts);
            match seekable(bytes, limits) {
                Ok(Some(file)) => {
                    let largest = file.scratch_len();
                    report.fact("seek table", format!("{} frames, the largest of {largest} bytes", file.len()));
                }
                Ok(None) => {}
                Err(error) => report.fact("seek table", format!("unusable: {error}")),
            }
            // Only decoding shows whether checksums match.
            let mut content = Count::default();
            let decoded = stream(bytes, &options, &mut content);
            report.decoded = match decoded {
                Ok(_) => Some(content.0),
                Err(_) => decoded_len(bytes, &mut workspace, &options).ok(),
            };
            match decoded {
                Ok(_) => report.checksums = Some(checksums(&done)),
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

fn checksums(done: &Done) -> Checksums {
    Checksums { name: "XXH64", right: done.checksums.matched, absent: done.checksums.unchecked }
}

pub fn decode(
    format: Format,
    bytes: &[u8],
    wanted: &Selection<'_>,
    limits: &Limits,
    to: &mut Output,
) -> Result<(), Stop> {
    if wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some() || wanted.text {
        return Err(Stop::Usage(
            "zstd files hold plain bytes; --column, --rows, --section and --text do not apply".to_owned(),
        ));
    }
    let options = options(format, wanted.dictionary, limits);
    if let Some(frame) = header(bytes, &options) {
        to.expect(frame.content_size.unwrap_or(0));
    }
    match &wanted.range {
        Some(range) => Ok(decode_range(bytes, range, &options, to)?),
        None => Ok(stream(bytes, &options, to).map(drop)?),
    }
}

/// Writes a range of the content; decodes only the frames that hold it, if there is a seek table.
fn decode_range(
    bytes: &[u8],
    wanted: &Range<Option<u64>>,
    options: &Options<'_>,
    to: &mut impl Sink,
) -> Result<(), Error> {
    let file = seekable(bytes, &options.limits)?;
    let content = match &file {
        Some(file) => file.content(),
        None => decoded_len(bytes, &mut Workspace::new(), options)?,
    };
    let range = part::bounds(wanted, content, &options.limits)?;
    // Decoding starts with the first frame that overlaps the range.
    let first = file.as_ref().and_then(|file| file.frames_in(range.clone()).next());
    let mut part = Part::new(range.clone(), first.map_or(0, |frame| frame.content.start), to);
    let Some(file) = file else { return stream(bytes, options, &mut part).map(drop) };
    for frame in file.frames_in(range) {
        part.write(&frame.decode_to_vec(part::piece(bytes, &frame.range), options)?)?;
    }
    Ok(())
}

/// Decodes through a window, so that memory holds only the bytes that matches can reach.
///
/// Returns the checksums, or `None` if the file had to be decoded in one piece.
fn stream(bytes: &[u8], options: &Options<'_>, to: &mut impl Sink) -> Result<Option<Checksums>, Error> {
    // If the headers do not lead to the end, decoding in one piece reports the best error.
    let need = stream_buffer(bytes, options).ok();
    if let Some(decoded) = need.and_then(|need| through(bytes, need, options, to)) {
        return decoded.map(Some);
    }
    let out = decode_to_vec(bytes, options);
    in_pieces(&out.inspect_err(|_| start(bytes, options, to))?, to)?;
    Ok(None)
}

/// Writes the content before the first error, if the window of the first frame is allowed. The
/// caller knows the error.
fn start(bytes: &[u8], options: &Options<'_>, to: &mut impl Sink) {
    if let Some(frame) = header(bytes, options) {
        let _ = through(bytes, frame.stream_buffer(), options, to);
    }
}

/// Decodes through a window of `need` bytes; `None` if that exceeds the limits.
fn through(bytes: &[u8], need: u64, options: &Options<'_>, to: &mut impl Sink) -> Option<Result<Checksums, Error>> {
    let window = usize::try_from(need).ok().filter(|_| need <= options.limits.max_window)?;
    let done = decode_to(bytes, to, &mut Workspace::new(), &mut vec![0; window], options);
    Some(done.map(|done| checksums(&done)))
}

pub fn check(
    format: Format,
    bytes: &[u8],
    dictionary: Option<&[u8]>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<Checksums, Error> {
    let options = options(format, dictionary, limits);
    if let Some(checksums) = stream(bytes, &options, to)? {
        return Ok(checksums);
    }
    let done = unspool::zstd::inspect(bytes, &mut Workspace::new(), &options, &mut ())?;
    Ok(checksums(&done))
}
