//! Zstandard on the command line.

use unspool::tree::Tree;
use unspool::zstd::{
    Decoder, Dictionary, Flavour, Header, Options, Workspace, decode_to_vec, decoded_size, detect, stream_buffer,
};
use unspool::{End, Error, Format, Limits, Sink};

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
    let mut report = Report::new(format, Tree::new(MAX_NODES));
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
    match unspool::zstd::inspect(bytes, &mut ws, limits, &options, &mut report.tree) {
        Ok(done) => {
            report.fact("frames", done.frames);
            report.decoded = decoded_size(bytes, &mut ws, limits, &options).ok();
            // Only decoding tells whether checksums are right.
            match decode_to_vec(bytes, &mut ws, limits, &options) {
                Ok(_) => report.checksums = Some(checksums(done.checksums, done.frames)),
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
    Ok(stream(bytes, limits, &options, to)?)
}

/// Decodes piece by piece, so that no more of the content is in memory than matches reach back to.
fn stream(bytes: &[u8], limits: &Limits, options: &Options<'_>, to: &mut impl Sink) -> Result<(), Error> {
    let mut ws = Workspace::new();
    // The larger the window is against the file, the less there is to gain; and where the headers do not lead to the end,
    // decoding in one piece says best what is wrong.
    let buffer = stream_buffer(bytes, options).ok().filter(|&need| need <= limits.max_window.max(STREAM));
    let Some(buffer) = buffer.and_then(|need| usize::try_from(need).ok()) else {
        let out = decode_to_vec(bytes, &mut ws, limits, options)?;
        return in_pieces(&out, to);
    };
    let mut window = vec![0; buffer];
    let mut decoder = Decoder::new(&mut ws, &mut window, limits, options);
    pour(bytes, |rest, piece| decoder.step(rest, End::Here, piece), to)
}

/// Windows up to here are worth their memory whatever the limits say.
const STREAM: u64 = 16 << 20;

pub fn check(
    format: Format,
    bytes: &[u8],
    dictionary: Option<&[u8]>,
    limits: &Limits,
    to: &mut impl Sink,
) -> Result<Checksums, Error> {
    let (options, mut ws) = (options(format, dictionary), Workspace::new());
    let done = unspool::zstd::inspect(bytes, &mut ws, limits, &options, &mut ())?;
    stream(bytes, limits, &options, to)?;
    Ok(checksums(done.checksums, done.frames))
}
