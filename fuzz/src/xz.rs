//! xz on arbitrary bytes: no panic, every door returns the same result, and the C library agrees.
//!
//! Whole inputs and streams are read by different code, which must agree on every verdict.

use unspool::checksum::Crc32;
use unspool::xz::{Decoder, File, Literals, Options, Streams, Tables, Workspace, decode, decode_to_vec, inspect};
use unspool::{Checksums, Done, Error, ErrorKind, Limits, Result, Verify};

use crate::Random;
use crate::stream::in_pieces;

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 16, max_window: 1 << 17, max_header: 1 << 16, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };

/// Decodes arbitrary bytes.
pub fn xz_arbitrary(bytes: &[u8]) {
    let mut random = Random::new(u64::from(Crc32::of(bytes)));
    let streams = [Streams::All, Streams::All, Streams::One, Streams::First][random.below(4)];
    let verify = [Verify::Refuse, Verify::Refuse, Verify::Report, Verify::Skip][random.below(4)];
    agree(bytes, &Options { verify, streams, ..OPTIONS }, &mut random);
    by_block(bytes);
}

/// Decodes arbitrary bytes with corrected CRCs in all headers, so that their fields are read.
pub fn xz_mutated(bytes: &[u8]) {
    xz_arbitrary(&repaired(bytes));
}

/// Compares with the C library: it must accept the same files, with the same output.
pub fn xz_differential(bytes: &[u8]) {
    let bytes = repaired(bytes);
    #[cfg(not(miri))]
    if let (Some(reference), ours) = (reference(&bytes), decoded(&bytes)) {
        match (reference, ours) {
            (Ok(reference), Ok(ours)) => assert!(reference == ours, "other bytes than the reference"),
            (Err(()), Ok(_)) => panic!("the reference refuses this file"),
            // The reasons to refuse a file that the reference accepts.
            (Ok(_), Err(error)) => {
                use ErrorKind::{OutputLimit, OutputTooSmall, XzCheckKind, XzDistance};
                let known = [XzCheckKind, XzDistance, OutputLimit, OutputTooSmall];
                assert!(known.contains(&error.kind), "the reference accepts this file, but: {error}");
            }
            (Err(()), Err(_)) => {}
        }
    }
    #[cfg(miri)]
    let _ = decoded(&bytes);
}

fn decoded(bytes: &[u8]) -> Result<Vec<u8>> {
    decode_to_vec(bytes, &OPTIONS)
}

/// Decodes with the C library. Returns `None` if that takes more memory or output than a fuzzed
/// file should.
#[cfg(not(miri))]
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

/// Finds stream headers, block headers and footers, and writes the CRC that each should have.
fn repaired(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let repair = |bytes: &mut [u8], data: std::ops::Range<usize>, at: usize| {
        if let (Some(data), true) = (bytes.get(data), at + 4 <= bytes.len()) {
            let crc = Crc32::of(data).to_le_bytes();
            bytes[at..at + 4].copy_from_slice(&crc);
        }
    };
    repair(&mut bytes, 6..8, 8);
    if let Some(&first) = bytes.get(12).filter(|&&first| first != 0) {
        let end = 12 + usize::from(first) * 4;
        repair(&mut bytes, 12..end, end);
    }
    if let Some(start) = bytes.len().checked_sub(12) {
        repair(&mut bytes, start + 4..start + 10, start);
        let backward = (bytes[start + 4] as usize + 1) * 4;
        if let Some(index) = start.checked_sub(backward) {
            repair(&mut bytes, index..start - 4, start - 4);
        }
    }
    bytes
}

fn agree(bytes: &[u8], options: &Options, random: &mut Random) {
    let ws = &mut Workspace::new();
    let mut out = vec![0; 1 << 17];
    let whole = decode(bytes, &mut out, ws, options, &mut ());
    let (streamed, end) = stream(bytes, options, random);
    let (again, end_again) = stream(bytes, options, random);
    assert_eq!(end, end_again, "other splits, another end");
    assert!(streamed == again, "other splits, other bytes");
    match (whole, end) {
        // Only a stream needs a window, and only an index has sizes before decoding.
        (_, Err(Error { kind: ErrorKind::XzWindowBuffer | ErrorKind::WindowLimit, .. })) => {}
        (Err(Error { kind: ErrorKind::OutputTooSmall | ErrorKind::OutputLimit, .. }), _) => {}
        (Ok(done), Ok(())) => assert!(out[..done.wrote] == streamed, "other bytes as a stream"),
        (Err(whole), Err(end)) => assert_eq!(whole, end, "another error as a stream"),
        (whole, end) => panic!("in one piece {whole:?}, as a stream {end:?}"),
    }
    in_small_tables(bytes, options, whole, &out);
    let inspected = inspect(bytes, ws, options, &mut ());
    if let Ok(done) = whole {
        let checksums = inspected.map(|done| done.checksums).unwrap_or_default();
        assert_eq!(inspected, Ok(Done { wrote: 0, checksums, ..done }));
        let Checksums { matched, mismatched, unchecked } = done.checksums;
        assert_eq!(checksums, Checksums { matched: matched + mismatched, mismatched: 0, unchecked });
        assert_eq!(done.content, done.wrote as u64);
        let mut exact = vec![0; done.wrote];
        assert_eq!(decode(bytes, &mut exact, ws, options, &mut ()), Ok(done));
        assert!(exact == out[..done.wrote]);
    }
}

/// Decodes with tables of each size: the verdict is the same, or the tables are too small. Those
/// that are as large as the error says get further.
fn in_small_tables(bytes: &[u8], options: &Options, whole: Result<Done>, expected: &[u8]) {
    let (mut tables, mut out) = (Tables::<[Literals; 16]>::new(), vec![0; expected.len()]);
    let mut least = 0;
    for contexts in [0, 1, 2, 4, 8, 16] {
        let verdict = match contexts {
            0 => decode(bytes, &mut out, &mut Tables::<[Literals; 0]>::new(), options, &mut ()),
            1 => decode(bytes, &mut out, &mut Tables::<[Literals; 1]>::new(), options, &mut ()),
            2 => decode(bytes, &mut out, &mut Tables::<[Literals; 2]>::new(), options, &mut ()),
            4 => decode(bytes, &mut out, &mut Tables::<[Literals; 4]>::new(), options, &mut ()),
            8 => decode(bytes, &mut out, &mut Tables::<[Literals; 8]>::new(), options, &mut ()),
            _ => decode(bytes, &mut out, &mut tables, options, &mut ()),
        };
        match verdict {
            Err(Error { kind: ErrorKind::WorkspaceTooSmall, need, .. }) => {
                assert!(need > contexts && need <= 16, "{need} contexts are not more than {contexts}");
                least = need;
            }
            verdict => {
                assert!(contexts >= least, "{contexts} contexts do, but {least} were asked for");
                assert_eq!(verdict, whole, "another verdict with {contexts} contexts");
                assert!(whole.is_err() || out == expected, "other bytes with {contexts} contexts");
            }
        }
    }
}

/// Checks that the blocks in the index, decoded one by one, are the file.
fn by_block(bytes: &[u8]) {
    let Ok(file) = File::open(bytes, &LIMITS) else { return };
    let (mut position, mut all, ws) = (0, vec![], &mut Workspace::new());
    for _ in 0..20 {
        let Ok(Some(block)) = file.locate(position) else { break };
        assert!(block.content.contains(&position) && block.range.end <= bytes.len() as u64);
        let len = (block.content.end - block.content.start).min(1 << 17);
        let mut room = vec![0; usize::try_from(len).unwrap()];
        let Ok(done) = file.decode_block(&block, &mut room, ws, &OPTIONS) else { return };
        all.extend(&room[..done.wrote]);
        position = block.content.end;
    }
    if position == file.content
        && let Ok(whole) = decoded(bytes)
    {
        assert!(whole == all, "other bytes block by block");
    }
}

/// Decodes the file in pieces of any size.
fn stream(bytes: &[u8], options: &Options, random: &mut Random) -> (Vec<u8>, Result<()>) {
    let (mut ws, mut window) = (Workspace::new(), vec![0; (1 << 17) + 32]);
    let mut decoder = Decoder::new(&mut ws, &mut window, options);
    in_pieces(bytes, || (1 + random.below(100), 1 + random.below(1000)), |src, end, room| decoder.step(src, end, room))
}
