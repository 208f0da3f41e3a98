//! xz on arbitrary bytes: no panic, every door returns the same result, and the C library agrees.
//!
//! Whole inputs and streams are read by different code, which must agree on every verdict.

use unspool::xz::{LzmaItem, LzmaWish, Options, Streams, SymbolReader, decode_to_vec};
use unspool::{Class, Error, Format, Limits, Result, Verify};

use unspool_harness::xz::{agree, feed_symbols, repair};
use unspool_harness::{Random, tile};

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 16, max_window: 1 << 17, max_header: 1 << 16, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };

/// Decodes arbitrary bytes.
pub fn xz_arbitrary(bytes: &[u8]) {
    let mut random = Random::of(bytes);
    let streams = [Streams::All, Streams::All, Streams::One, Streams::First][random.below(4)];
    let verify = [Verify::Refuse, Verify::Refuse, Verify::Report, Verify::Skip][random.below(4)];
    let _ = agree(bytes, &Options { verify, streams, ..OPTIONS });
}

/// Decodes arbitrary bytes with corrected CRCs in all headers, so that their fields are read.
pub fn xz_mutated(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    repair(&mut bytes);
    xz_arbitrary(&bytes);
}

/// Reads the symbols at once and in pieces. Both return the same, with the error of decoding.
pub fn xz_symbols(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    repair(&mut bytes);
    tile(Format::Xz, &bytes, &LIMITS);
    let (whole, error) = symbols(&bytes, bytes.len());
    let random = &mut Random::of(&bytes);
    assert_eq!(symbols(&bytes, 1 + random.below(50)), (whole.clone(), error), "other symbols in pieces");
    let decoded = decode_to_vec(&bytes, &Options { verify: Verify::Skip, ..OPTIONS });
    // The reader needs a window, and decoding a whole file needs none. Only that limits the output.
    let is_limit = |error: &Error| error.class() == Class::Limit;
    if error.as_ref().is_some_and(is_limit) || decoded.as_ref().is_err_and(is_limit) {
        return;
    }
    assert_eq!(error, decoded.as_ref().err().copied());
    let content = whole.iter().rev().find_map(|item| match item {
        LzmaItem::End { content, .. } => Some(*content),
        _ => None,
    });
    assert!(decoded.is_err() || decoded.is_ok_and(|out| out.len() as u64 == content.unwrap_or(0)), "other content");
}

/// Reads the symbols in pieces of this length, as far as the limit on output allows.
fn symbols(file: &[u8], step: usize) -> (Vec<LzmaItem>, Option<Error>) {
    let (mut reader, mut found) = (SymbolReader::new(&LIMITS), vec![]);
    let mut each = |item: LzmaItem| {
        let content = match &item {
            LzmaItem::Symbol(symbol) => symbol.content.end,
            LzmaItem::End { content, .. } => *content,
            LzmaItem::Chunk { .. } => 0,
        };
        found.push(item);
        if content > LIMITS.max_output { LzmaWish::Stop } else { LzmaWish::Symbols }
    };
    let error =
        feed_symbols(file, step, |piece, end, workspace, window| reader.feed(piece, end, workspace, window, &mut each));
    (found, error)
}

/// Compares with the C library: it must accept the same files, with the same output.
pub fn xz_differential(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    repair(&mut bytes);
    tile(Format::Xz, &bytes, &LIMITS);
    if let (Some(reference), ours) = (reference(&bytes), decoded(&bytes)) {
        match (reference, ours) {
            (Ok(reference), Ok(ours)) => assert!(reference == ours, "other bytes than the reference"),
            (Err(()), Ok(_)) => panic!("the reference refuses this file"),
            // The reasons to refuse a file that the reference accepts.
            (Ok(_), Err(error)) => {
                use unspool::ErrorKind::{OutputLimit, OutputTooSmall, XzCheckKind, XzDistance};
                let known = [XzCheckKind, XzDistance, OutputLimit, OutputTooSmall];
                assert!(known.contains(&error.kind), "the reference accepts this file, but: {error}");
            }
            (Err(()), Err(_)) => {}
        }
    }
}

fn decoded(bytes: &[u8]) -> Result<Vec<u8>> {
    decode_to_vec(bytes, &OPTIONS)
}

/// Decodes with the C library. Returns `None` if that takes more memory or output than a fuzzed
/// file should.
fn reference(bytes: &[u8]) -> Option<core::result::Result<Vec<u8>, ()>> {
    use liblzma::stream::{Action, Error, Status, Stream};
    const CONCATENATED: u32 = 8;
    let mut decoder = Stream::new_stream_decoder(1 << 26, CONCATENATED).unwrap();
    let (mut out, mut rest) = (Vec::with_capacity(1 << 17), bytes);
    loop {
        let (read, wrote) = (decoder.total_in(), out.len());
        match decoder.process_vec(rest, &mut out, Action::Finish) {
            Ok(Status::StreamEnd) => return Some(Ok(out)),
            Ok(_) if out.len() == out.capacity() => return None,
            Ok(_) if decoder.total_in() == read && out.len() == wrote => return Some(Err(())),
            Ok(_) => rest = &rest[usize::try_from(decoder.total_in() - read).unwrap()..],
            Err(Error::MemLimit) => return None,
            Err(_) => return Some(Err(())),
        }
    }
}
