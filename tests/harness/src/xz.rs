//! Every door of xz.

use unspool::checksum::Crc32;
use unspool::xz::{
    Decoder, File, Literals, LzmaFed, Options, Streams, Tables, Workspace, decode, decode_threaded, decode_to,
    decode_to_store, decode_to_vec, inspect, salvage,
};
use unspool::{Checksums, Class, Done, End, Error, ErrorKind, Result, SliceStore};

use crate::whole::whole_file;
use crate::{Random, drive, fails_too, room, same, same_in_memory, traced_done};

/// The longest window that is lent, with room for copies in pieces.
const WINDOW: usize = (1 << 17) + 32;

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options) -> Result<Done> {
    let random = &mut Random::of(bytes);
    let ws = &mut Workspace::new();
    let doors = whole_file!(bytes, ws, room(&options.limits), options);
    let (whole, content) = (doors.verdict, doors.content());
    same("decode_to_vec", &whole, &doors.vector);
    same_but_for_claims("salvage", &whole, &doors.salvage);
    let seen = traced_done("inspect", bytes, |leaves| inspect(bytes, ws, options, leaves));
    fails_too("inspect", &whole, &seen);
    if let Ok(done) = whole {
        let checksums = seen.map(|done| done.checksums).unwrap_or_default();
        assert_eq!(seen, Ok(Done { wrote: 0, checksums, ..done }));
        let Checksums { matched, mismatched, unchecked } = done.checksums;
        assert_eq!(checksums, Checksums { matched: matched + mismatched, mismatched: 0, unchecked });
        assert_eq!(done.content, done.wrote as u64);
    }

    let mut again = vec![0; doors.out.len()];
    let mut page = vec![0; 1 + random.below(5000)];
    let stored = decode_to_store(bytes, &mut SliceStore::new(&mut again), ws, &mut page, options);
    if !stored.is_err_and(|error| error.kind == ErrorKind::XzFilter) {
        same("decode_to_store", &whole, &stored);
        assert!(stored.is_err() || again[..content.len()] == *content, "other bytes in a store");
    }

    let mut window = vec![0; WINDOW];
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    let to_sink = decode_to(bytes, &mut sink, ws, &mut window, options);
    same_but_for_claims("decode_to", &whole, &to_sink);
    assert!(to_sink.is_err() || sunk == content, "other bytes to a sink");
    let mut stream = |most: usize| {
        let mut decoder = Decoder::new(ws, &mut window, options);
        let split = || (1 + random.below(most), 1 + random.below(10 * most));
        let (streamed, end) = drive(bytes, split, |src, end, room| decoder.step(src, end, room));
        let held_back = decoder.done().wrote - streamed.len();
        assert!(held_back < 32 && (end.is_err() || held_back == 0), "{held_back} bytes are missing");
        (streamed, end)
    };
    let (streamed, end) = stream(100);
    same_but_for_claims("a stream", &whole, &end);
    assert!(end.is_err() || streamed == content, "other bytes as a stream");
    assert_eq!(stream(3), (streamed, end), "other splits, another end");
    in_small_tables(bytes, options, whole, &doors.out);
    if options.streams == Streams::All {
        by_block(bytes, options, &whole, content);
    }
    whole
}

/// Compares with a door that does not read the index first: it meets a limit where the content
/// reaches it. A stream has a limit of its own, on its window.
#[track_caller]
fn same_but_for_claims<T, U>(door: &str, whole: &Result<T>, found: &Result<U>) {
    let limited = |error: &Error| error.class() == Class::Limit;
    if !whole.as_ref().is_err_and(limited) && !found.as_ref().is_err_and(limited) {
        same_in_memory(door, whole, found);
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
                let wrote = verdict.map_or(0, |done| done.wrote);
                assert!(out[..wrote] == expected[..wrote], "other bytes with {contexts} contexts");
            }
        }
    }
}

/// Checks that the blocks in the index, decoded one by one, are the file.
fn by_block(bytes: &[u8], options: &Options, whole: &Result<Done>, content: &[u8]) {
    let Ok(file) = File::open(bytes, &options.limits) else { return };
    let (mut position, mut all, ws) = (0, Vec::<u8>::new(), &mut Workspace::new());
    for _ in 0..20 {
        let Ok(Some(block)) = file.locate(position) else { break };
        assert!(block.content.contains(&position) && block.range.end <= bytes.len() as u64);
        let len = (block.content.end - block.content.start).min(1 << 17);
        let mut room = vec![0; usize::try_from(len).unwrap()];
        let decoded = file.decode_block(&block, &mut room, ws, options);
        fails_too("a block", whole, &decoded);
        let Ok(done) = decoded else { return };
        all.extend(&room[..done.wrote]);
        position = block.content.end;
    }
    if position == file.content && whole.is_ok() {
        assert!(content == all, "other bytes block by block");
    }
}

/// Finds stream headers, block headers and footers, and writes the CRC that each should have.
pub fn repair(bytes: &mut [u8]) {
    let seal = |bytes: &mut [u8], data: std::ops::Range<usize>, at: usize| {
        if let (Some(data), true) = (bytes.get(data), at + 4 <= bytes.len()) {
            let crc = Crc32::of(data).to_le_bytes();
            bytes[at..at + 4].copy_from_slice(&crc);
        }
    };
    seal(bytes, 6..8, 8);
    if let Some(&first) = bytes.get(12).filter(|&&first| first != 0) {
        let end = 12 + usize::from(first) * 4;
        seal(bytes, 12..end, end);
    }
    if let Some(start) = bytes.len().checked_sub(12) {
        seal(bytes, start + 4..start + 10, start);
        let backward = (bytes[start + 4] as usize + 1) * 4;
        if let Some(index) = start.checked_sub(backward) {
            seal(bytes, index..start - 4, start - 4);
        }
    }
}

/// Feeds a reader of symbols with pieces of a file, and with the window that it asks for. Returns
/// its error.
pub fn feed_symbols(
    file: &[u8],
    piece: usize,
    mut feed: impl FnMut(&[u8], End, &mut Workspace, &mut [u8]) -> Result<LzmaFed>,
) -> Option<Error> {
    let (mut workspace, mut window, mut at) = (Workspace::new(), vec![], 0);
    loop {
        let to = (at + piece).min(file.len());
        let end = if to == file.len() { End::Here } else { End::NotYet };
        match feed(&file[at..to], end, &mut workspace, &mut window) {
            Ok(LzmaFed { read, ended, window: wanted }) => {
                at += read;
                if wanted > 0 {
                    let wanted = usize::try_from(wanted).expect("a limit for tests");
                    assert!(wanted > window.len(), "a window of {wanted} bytes, again");
                    window.resize(wanted, 0xAA);
                } else if ended || end == End::Here {
                    assert!(ended, "the file has ended, but not its symbols");
                    return None;
                }
            }
            Err(error) => return Some(error),
        }
    }
}
