//! xz against the C library as encoder: every preset, filter and check, whole, in pieces and by block, and hostile files refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use liblzma::stream::{Action, Check, Filters, LzmaOptions, Stream};
use unspool::xz::{
    CheckKind, Decoder, File, Options, Search, Streams, Workspace, decode_block_to_vec, decode_to_vec, decode_with,
    decoded_size, inspect,
};
use unspool::{Class, End, Error, ErrorKind, Limits, Status};
use unspool_tests::{Leaves, Random, drive, go_on, read, vector_folders};

const CHECKS: [Check; 4] = [Check::None, Check::Crc32, Check::Crc64, Check::Sha256];

/// Runs an encoder over all of `bytes`, with a flush after each of the pieces.
fn run(mut encoder: Stream, pieces: &[&[u8]], flush: Action) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << 16);
    for (number, piece) in pieces.iter().enumerate() {
        let last = number + 1 == pieces.len();
        let mut rest = *piece;
        loop {
            let before = encoder.total_in();
            out.reserve(1 << 16);
            let action = if last { Action::Finish } else { flush };
            let status = encoder.process_vec(rest, &mut out, action).unwrap();
            rest = &rest[(encoder.total_in() - before) as usize..];
            if matches!(status, liblzma::stream::Status::StreamEnd) {
                break;
            }
        }
    }
    out
}

fn preset(bytes: &[u8], preset: u32, check: Check) -> Vec<u8> {
    run(Stream::new_easy_encoder(preset, check).unwrap(), &[bytes], Action::Run)
}

fn filtered(bytes: &[u8], filters: &Filters, check: Check) -> Vec<u8> {
    run(Stream::new_stream_encoder(filters, check).unwrap(), &[bytes], Action::Run)
}

/// Several blocks, of this many bytes each.
fn blocks(bytes: &[u8], size: usize, check: Check) -> Vec<u8> {
    let pieces: Vec<_> = bytes.chunks(size).collect();
    let encoder = Stream::new_stream_encoder(Filters::new().lzma2(&options(1 << 16)), check);
    run(encoder.unwrap(), &pieces, Action::FullFlush)
}

fn options(dictionary: u32) -> LzmaOptions {
    let mut options = LzmaOptions::new_preset(6).unwrap();
    options.dict_size(dictionary);
    options
}

/// What the C library makes of a file.
fn reference(bytes: &[u8]) -> Option<Vec<u8>> {
    const CONCATENATED: u32 = 8;
    let mut decoder = Stream::new_stream_decoder(u64::MAX, CONCATENATED).unwrap();
    let (mut out, mut rest) = (Vec::new(), bytes);
    loop {
        let (read, wrote) = (decoder.total_in(), decoder.total_out());
        out.reserve(1 << 16);
        let status = decoder.process_vec(rest, &mut out, Action::Finish).ok()?;
        rest = &rest[(decoder.total_in() - read) as usize..];
        if matches!(status, liblzma::stream::Status::StreamEnd) {
            return Some(out);
        }
        if decoder.total_in() == read && decoder.total_out() == wrote {
            return None;
        }
    }
}

/// Words, numbers, runs, and noise: something for every kind of symbol.
fn mixed(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut out = Vec::with_capacity(len + 64);
    while out.len() < len {
        match random.below(8) {
            0..3 => {
                let words =
                    ["alpha ", "beta ", "gamma,", "delta\n", "0123456789", "\0\0\0\x01", "the quick brown fox "];
                out.extend(words[random.below(words.len())].bytes());
            }
            3 => out.extend(random.bits().to_string().bytes()),
            4 => out.extend(vec![random.bits() as u8; random.below(400)]),
            5 => out.extend(random.bits().to_le_bytes()),
            _ if out.len() > 10 => {
                let from = random.below(out.len());
                let len = random.below(300).min(out.len() - from);
                out.extend_from_within(from..from + len);
            }
            _ => out.push(b'x'),
        }
    }
    out.truncate(len);
    out
}

fn noise(len: usize) -> Vec<u8> {
    let mut random = Random(9);
    (0..len).map(|_| random.bits() as u8).collect()
}

/// Something with many instructions that branch filters convert, and many that only look like it.
fn machine_code(len: usize) -> Vec<u8> {
    let mut random = Random(77);
    let mut out = Vec::with_capacity(len + 16);
    while out.len() < len {
        let at = out.len() as u32;
        let word = random.bits() as u32;
        match random.below(14) {
            0 | 1 => {
                out.push(0xE8 | (word & 1) as u8);
                out.extend((word & 0xFFFF).wrapping_sub(if word & 2 == 0 { 0 } else { 0x1_0000 }).to_le_bytes());
            }
            2 => out.extend((word >> 8 | 0xEB00_0000).to_le_bytes()),
            3 => out.extend((0x4800_0001 | word & 0x03FF_FFFC).to_be_bytes()),
            4 => out.extend((0x4000_0000 | word & 0x003F_FFFF).to_be_bytes()),
            5 => out.extend((0x7FC0_0000 | word & 0x003F_FFFF).to_be_bytes()),
            6 => out.extend((0x9400_0000 | word & 0x03FF_FFFF).to_le_bytes()),
            7 => out.extend((0x9000_0000 | word & 0x60FF_FFFF).to_le_bytes()),
            8 => out.extend([
                word as u8,
                0xF0 | (word >> 8 & 7) as u8,
                (word >> 16) as u8,
                0xF8 | (word >> 24 & 7) as u8,
            ]),
            9 => out.extend([0xEF, (word & 0xF2) as u8, (word >> 8) as u8, (word >> 16) as u8]),
            10 => {
                let register = word >> 27;
                out.extend((0x17 | register << 7 | word & 0x00FF_F000).to_le_bytes());
                out.extend((0x67 | register << 15 | word << 20 | (word & 0xE0) << 2).to_le_bytes());
            }
            11 => {
                let bundle = u128::from(random.bits()) << 64 | u128::from(random.bits());
                let bundle = bundle & !31 & !(0x1Eu128 << 41 << 82) | 0x11 | 5u128 << (5 + 82 + 37);
                while out.len() % 16 != 0 {
                    out.push(0);
                }
                out.extend((bundle & !(7u128 << (5 + 82 + 9))).to_le_bytes());
            }
            12 => out.extend(at.to_le_bytes()),
            _ => out.push(word as u8 & 0xE9),
        }
    }
    out.truncate(len);
    out
}

fn decoded(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &mut Workspace::new(), &Limits::DEFAULT, &Options::DEFAULT)
}

/// The file in pieces of the sizes that `sizes` gives for input and output.
fn streamed(bytes: &[u8], window: usize, mut sizes: impl FnMut() -> (usize, usize)) -> (Vec<u8>, Result<(), Error>) {
    let (mut ws, mut window) = (Workspace::new(), vec![0xAA; window]);
    let mut decoder = Decoder::new(&mut ws, &mut window, &Limits::DEFAULT, &Options::DEFAULT);
    let (mut out, mut at, mut idle) = (vec![], 0, 0);
    loop {
        let (input, output) = sizes();
        let to = bytes.len().min(at + input);
        let end = if to == bytes.len() { End::Here } else { End::NotYet };
        let mut room = vec![0; output];
        let step = match decoder.step(&bytes[at..to], end, &mut room) {
            Ok(step) => step,
            Err(error) => {
                assert_eq!(decoder.step(&[], End::Here, &mut room), Err(error), "an error stays");
                return (out, Err(error));
            }
        };
        out.extend(&room[..step.wrote]);
        at += step.read;
        if step.status == Status::Done {
            return (out, Ok(()));
        }
        idle = if step.read + step.wrote == 0 { idle + 1 } else { 0 };
        assert!(idle < 100, "no progress at {at} of {}: {:?}", bytes.len(), step.status);
    }
}

/// The dictionary of preset 6 and more.
const WINDOW: usize = 9 << 20;
/// As much as the dictionaries of small files.
const SMALL: usize = (1 << 16) + 32;

/// Everything that must hold for a good file.
fn holds(name: &str, file: &[u8], expected: &[u8]) {
    let mut ws = Workspace::new();
    let limits = Limits::DEFAULT;
    let out =
        decode_to_vec(file, &mut ws, &limits, &Options::DEFAULT).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(out == expected, "{name}: other bytes");
    assert_eq!(decoded_size(file, &limits), Ok(expected.len() as u64), "{name}");
    for more in [0, 1, 100] {
        let mut room = vec![0xEE; expected.len() + more];
        let done = decode_with(file, &mut room, &mut ws, &limits, &Options::DEFAULT, &mut ());
        let done = done.unwrap_or_else(|error| panic!("{name} with {more} more: {error}"));
        assert_eq!((done.read, done.wrote), (file.len(), expected.len()), "{name}");
        assert!(room[..expected.len()] == *expected, "{name}");
        assert!(room[expected.len()..].iter().all(|&byte| byte == 0xEE), "{name}: written beyond the end");
    }
    if !expected.is_empty() {
        let mut room = vec![0; expected.len() - 1];
        let error = decode_with(file, &mut room, &mut ws, &limits, &Options::DEFAULT, &mut ()).unwrap_err();
        assert_eq!(error.class(), Class::OutputTooSmall { need: expected.len() as u64 }, "{name} in one byte less");
    }
    let mut leaves = Leaves::default();
    let done = inspect(file, &mut ws, &limits, &Options::DEFAULT, &mut leaves).unwrap();
    assert_eq!((done.read, done.wrote), (file.len(), expected.len()), "{name}");
    leaves.assert_tile(file.len(), name);
    let mut random = Random(file.len() as u64);
    for (input, output) in [(1 << 20, 1 << 20), (1000, 3000), (70_000, 100)] {
        let (out, end) = streamed(file, WINDOW, || (1 + random.below(input), 1 + random.below(output)));
        assert_eq!(end, Ok(()), "{name} as a stream");
        assert!(out == expected, "{name}: other bytes as a stream");
    }
}

#[test]
fn every_preset_and_check() {
    for level in 0..=9 {
        for extreme in [0, 1 << 31] {
            for (number, check) in CHECKS.into_iter().enumerate() {
                let text = mixed(30_000 + level as usize * 1000, u64::from(level));
                // Whatever the window, a dictionary of 64 MiB is more than this test wants to lend.
                let file = preset(&text, level | extreme, check);
                let mut ws = Workspace::new();
                let out = decode_to_vec(&file, &mut ws, &Limits::DEFAULT, &Options::DEFAULT);
                assert!(out.as_deref() == Ok(&text), "preset {level}, check {number}: {:?}", out.map(drop));
            }
        }
    }
    holds("preset 6", &preset(&mixed(300_000, 1), 6, Check::Crc64), &mixed(300_000, 1));
}

#[test]
fn every_size_at_which_something_begins() {
    let edges = [1usize, 4096, 1 << 16, 2 << 20];
    let sizes = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]).chain([2, 3, 5, 31, 300, 5 << 20]);
    let (text, noise) = (mixed(6 << 20, 4), noise(6 << 20));
    for size in sizes {
        for (name, bytes) in [("text", &text[..size]), ("noise", &noise[..size]), ("zeros", &vec![0; size])] {
            holds(&format!("{name} of {size}"), &preset(bytes, 1, Check::Crc32), bytes);
        }
    }
}

#[test]
fn every_lc_lp_and_pb() {
    let text = mixed(40_000, 12);
    for lc in 0..=4 {
        for lp in 0..=4 - lc {
            for pb in 0..=4 {
                let mut options = options(1 << 16);
                options.literal_context_bits(lc).literal_position_bits(lp).position_bits(pb);
                let file = filtered(&text, Filters::new().lzma2(&options), Check::Sha256);
                holds(&format!("lc {lc} lp {lp} pb {pb}"), &file, &text);
            }
        }
    }
}

type Add = fn(&mut Filters) -> &mut Filters;

const FILTERS: [(&str, Add); 9] = [
    ("x86", Filters::x86),
    ("powerpc", Filters::powerpc),
    ("ia64", Filters::ia64),
    ("arm", Filters::arm),
    ("arm64", Filters::arm64),
    ("riscv", Filters::riscv),
    ("arm_thumb", Filters::arm_thumb),
    ("sparc", Filters::sparc),
    ("delta", |filters| filters.delta_properties(&[3]).unwrap()),
];

#[test]
fn every_filter_and_chain() {
    let lzma = options(1 << 16);
    for len in [0, 1, 4, 5, 7, 8, 15, 16, 17, 100, 1000, 200_001] {
        let code = machine_code(len);
        for (name, add) in FILTERS {
            let file = filtered(&code, add(&mut Filters::new()).lzma2(&lzma), Check::Crc64);
            holds(&format!("{name} of {len}"), &file, &code);
        }
    }
    let code = machine_code(50_000);
    for (first, add_first) in FILTERS {
        for (second, add_second) in FILTERS {
            let mut filters = Filters::new();
            add_second(add_first(&mut filters)).lzma2(&lzma);
            holds(&format!("{first} {second}"), &filtered(&code, &filters, Check::Crc32), &code);
            let mut filters = Filters::new();
            add_first(add_second(add_first(&mut filters))).lzma2(&lzma);
            holds(&format!("{first} {second} {first}"), &filtered(&code, &filters, Check::Crc32), &code);
        }
    }
    for distance in [0, 1, 2, 3, 15, 127, 254, 255] {
        let mut filters = Filters::new();
        filters.delta_properties(&[distance]).unwrap().lzma2(&lzma);
        holds(&format!("delta {distance}"), &filtered(&code, &filters, Check::Crc32), &code);
    }
    for start in [0u32, 16, 0x1000_0000, 0xFFFF_FFF0] {
        let mut filters = Filters::new();
        filters.x86_properties(&start.to_le_bytes()).unwrap().lzma2(&lzma);
        holds(&format!("x86 from {start}"), &filtered(&code, &filters, Check::Crc32), &code);
        let mut filters = Filters::new();
        filters.riscv_properties(&start.to_le_bytes()).unwrap().lzma2(&lzma);
        holds(&format!("riscv from {start}"), &filtered(&code, &filters, Check::Crc32), &code);
    }
}

/// Streams of several kinds in a row, with padding; what they hold.
fn several() -> (Vec<u8>, Vec<u8>) {
    let text = mixed(50_000, 31);
    let mut file = blocks(&text[..20_000], 3000, Check::Crc32);
    file.extend(preset(b"", 6, Check::Crc64));
    file.extend([0; 8]);
    file.extend(blocks(&text[20_000..40_000], 7000, Check::Sha256));
    file.extend(preset(&text[40_000..], 1, Check::None));
    file.extend(vec![0; 9000]);
    (file, text)
}

#[test]
fn blocks_streams_padding_and_flushes() {
    let (file, text) = several();
    holds("several", &file, &text);
    let done = inspect(&file, &mut Workspace::new(), &Limits::DEFAULT, &Options::DEFAULT, &mut ()).unwrap();
    assert_eq!((done.streams, done.blocks, done.checks), (4, 11, 10));
    holds("no block", &preset(b"", 6, Check::Crc64), b"");
    let pieces: Vec<_> = text.chunks(777).collect();
    let flushed = run(Stream::new_easy_encoder(6, Check::Crc64).unwrap(), &pieces, Action::SyncFlush);
    holds("flushed", &flushed, &text);
    let many = blocks(&text, 50, Check::Crc32);
    holds("many blocks", &many, &text);
    // Sizes in the headers of blocks, as several threads write them.
    let mut builder = liblzma::stream::MtStreamBuilder::new();
    let encoder = builder.threads(1).block_size(10_000).preset(6).check(Check::Crc64).encoder().unwrap();
    holds("sized blocks", &run(encoder, &[&text], Action::Run), &text);
}

#[test]
fn one_stream_or_the_first() {
    let text = mixed(5000, 8);
    let file = preset(&text, 6, Check::Crc64);
    let mut room = vec![0; 10_000];
    let mut ws = Workspace::new();
    let mut with = |bytes: &[u8], streams| {
        let options = Options { streams, ..Options::DEFAULT };
        decode_with(bytes, &mut room, &mut ws, &Limits::DEFAULT, &options, &mut ()).map(|done| (done.read, done.wrote))
    };
    assert_eq!(with(&file, Streams::One), Ok((file.len(), 5000)));
    for more in [&b"\0\0\0\0"[..], b"x", b"trailing", &file] {
        let long = [&file, more].concat();
        let error = with(&long, Streams::One).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::XzTrailing, file.len() as u64));
        assert_eq!(with(&long, Streams::First), Ok((file.len(), 5000)));
    }
    let error = with(&[&file, &b"trailing"[..]].concat(), Streams::All).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzMagic, file.len() as u64));
    assert_eq!(with(&[&file, &[0; 6][..]].concat(), Streams::All).unwrap_err().class(), Class::Truncated);
    let error = with(&[&file, &[0; 6][..], &file].concat(), Streams::All).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzPadding, file.len() as u64 + 6));
}

#[test]
fn any_position_is_found_in_its_block() {
    let (file, text) = several();
    let open = File::open(&file, &Limits::DEFAULT).unwrap();
    assert_eq!((open.content, open.streams, open.blocks), (text.len() as u64, 4, 11));
    let (mut position, mut seen, mut ws) = (0, 0, Workspace::new());
    while let Some(block) = open.locate(position).unwrap() {
        assert!(block.content.contains(&position));
        let content = block.content.start as usize..block.content.end as usize;
        let mut room = vec![0; content.len()];
        let done = open.decode_block(&block, &mut room, &mut ws, true).unwrap();
        assert_eq!((done.read as u64, done.wrote), (block.range.end - block.range.start, content.len()));
        assert!(room == text[content], "block {seen}");
        let bytes = &file[block.range.start as usize..block.range.end as usize];
        assert!(decode_block_to_vec(bytes, &block, &mut ws, &Limits::DEFAULT, true).unwrap() == room, "block {seen}");
        assert_eq!(open.locate(block.content.end - 1).unwrap(), Some(block.clone()));
        let mut small = vec![0; room.len() - 1];
        let error = open.decode_block(&block, &mut small, &mut ws, true).unwrap_err();
        assert!(matches!(error.class(), Class::OutputTooSmall { .. }));
        // Of another block, or with another size, it is not what the index lists.
        let mut other = block.clone();
        other.content.end += 1;
        assert_eq!(
            open.decode_block(&other, &mut vec![0; 20_000], &mut ws, true).unwrap_err().kind,
            ErrorKind::XzIndex
        );
        other.content.end = u64::MAX;
        let claimed = decode_block_to_vec(bytes, &other, &mut ws, &Limits::DEFAULT, true).unwrap_err();
        assert_eq!(claimed.kind, ErrorKind::XzIndex, "found before there is memory for it");
        (position, seen) = (block.content.end, seen + 1);
    }
    assert_eq!((position, seen), (text.len() as u64, 11));
    assert_eq!(CheckKind::Sha256, open.locate(20_000).unwrap().unwrap().check);
    // One stream: a footer, an index and a header are all that is fetched.
    let file = blocks(&text, 1000, Check::Crc32);
    let mut search = Search::new(file.len() as u64, 33_333, &Limits::DEFAULT);
    let mut fetched = 0;
    while let Some(range) = search.needs() {
        fetched += range.end - range.start;
        search.feed(&file[range.start as usize..range.end as usize]).unwrap();
    }
    assert_eq!(search.found().unwrap().content, 33_000..34_000);
    assert!(fetched < 400, "{fetched}");
    // All blocks, from the last stream to the first.
    let two = [file.clone(), vec![0; 8], file.clone()].concat();
    let (mut search, mut listed) = (Search::sizes(two.len() as u64, &Limits::DEFAULT), vec![]);
    while let Some(range) = search.needs() {
        let bytes = &two[range.start as usize..range.end as usize];
        search.feed_listing(bytes, &mut |block| listed.push(block)).unwrap();
    }
    let open = File::open(&file, &Limits::DEFAULT).unwrap();
    let (last, first) = listed.split_at(listed.len() / 2);
    assert_eq!((listed.len() as u64, search.content()), (2 * open.blocks, 2 * open.content));
    for (number, (last, first)) in last.iter().zip(first).enumerate() {
        let block = open.locate(1000 * number as u64).unwrap().unwrap();
        assert_eq!(*first, block);
        let shift = file.len() as u64 + 8;
        assert_eq!((last.range.start, &last.content), (block.range.start + shift, &block.content));
    }
    assert!(Search::new(100, 0, &Limits::DEFAULT).feed(&[0; 3]).is_err());
}

#[test]
fn every_split_of_small_files() {
    let text = mixed(400, 3);
    let lzma = options(4096);
    let mut filters = Filters::new();
    filters.delta_properties(&[0]).unwrap().x86().lzma2(&lzma);
    let (several, all) = (
        [&blocks(&text, 90, Check::Sha256)[..], &[0; 4], &filtered(&text, &filters, Check::Crc64)].concat(),
        [&text[..], &text].concat(),
    );
    for input in [1, 2, 3, 7, 23, 24, 25, 100, 5000] {
        for output in [1, 2, 5, 100, 5000] {
            let (out, end) = streamed(&several, SMALL, || (input, output));
            assert_eq!(end, Ok(()), "{input} {output}");
            assert!(out == all, "{input} {output}");
        }
    }
    let file = filtered(&text, &filters, Check::Crc64);
    for first in 0..=file.len() {
        let mut sizes = [first].into_iter().chain(std::iter::repeat(file.len()));
        let (out, end) = streamed(&file, 4128, || (sizes.next().unwrap(), 5000));
        assert_eq!(end, Ok(()), "{first}");
        assert!(out == text, "{first}");
    }
}

#[test]
fn a_window_as_small_as_the_dictionary() {
    let mut text = mixed(100_000, 5);
    let far = text[10_000..14_096].to_vec();
    text.extend(far);
    for dictionary in [4096, 5000, 6144, 8192, 65_536] {
        let file = filtered(&text, Filters::new().lzma2(&options(dictionary)), Check::Crc32);
        let need = match decoded_in(&file, 0).unwrap_err() {
            Error { kind: ErrorKind::XzWindowBuffer, need, .. } => need,
            error => panic!("{error}"),
        };
        assert!((32 + u64::from(dictionary)..=32 + u64::from(dictionary).next_power_of_two()).contains(&need));
        assert!(decoded_in(&file, need as usize - 1).is_err());
        for window in [need as usize, need as usize + 1, need as usize + 100, 200_000] {
            let (out, end) = streamed(&file, window, || (777, 333));
            assert_eq!(end, Ok(()), "{dictionary} in {window}");
            assert!(out == text, "{dictionary} in {window}");
        }
    }
    let file = preset(&text, 9, Check::Crc32);
    let limits = Limits { max_window: 1 << 20, ..Limits::DEFAULT };
    let (mut ws, mut window) = (Workspace::new(), vec![0; 2 << 20]);
    let error = Decoder::new(&mut ws, &mut window, &limits, &Options::DEFAULT).step(&file, End::Here, &mut [0; 10]);
    let error = error.unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::WindowLimit, (64 << 20) + 32));
}

#[test]
fn a_larger_window_is_lent_between_blocks() {
    let text = mixed(30_000, 5);
    let of = |dictionary| filtered(&text, Filters::new().lzma2(&options(dictionary)), Check::Crc32);
    let (small, large) = (of(4096), of(65_536));
    let file = [&small[..], &large, &small].concat();
    for split in [1, 7, 50, 1000, file.len()] {
        let (mut ws, mut windows, mut asked) = (Workspace::new(), [vec![], vec![]], vec![]);
        let mut windows = windows.iter_mut();
        let mut decoder = Decoder::new(&mut ws, &mut [], &Limits::DEFAULT, &Options::DEFAULT);
        let split = || (split, 1000);
        let (out, end) = drive(&file, split, |src, end, dst| {
            go_on(src, dst, |src, dst| match decoder.step(src, end, dst) {
                Err(Error { kind: ErrorKind::XzWindowBuffer, at, need }) => {
                    asked.push((at, need));
                    let window = windows.next().unwrap();
                    window.resize(need as usize, 0xAA);
                    Ok(decoder.lend(window))
                }
                step => step,
            })
        });
        assert_eq!(end, Ok(()));
        assert_eq!(asked, [(12, 4096 + 32), (small.len() as u64 + 12, 65_536 + 32)]);
        assert!(out == [&text[..], &text, &text].concat());
    }
}

fn decoded_in(file: &[u8], window: usize) -> Result<Vec<u8>, Error> {
    let (out, end) = streamed(file, window, || (1000, 1000));
    end.map(|()| out)
}

#[test]
fn a_file_cut_at_any_byte_is_truncated() {
    let (file, text) = several();
    let ends: Vec<_> = (0..file.len()).filter(|&at| reference(&file[..at]).is_some()).collect();
    let mut room = vec![0; text.len()];
    for cut in (0..4000).chain((4000..file.len() - 9100).step_by(7)).chain(file.len() - 9100..file.len()) {
        let out =
            decode_with(&file[..cut], &mut room, &mut Workspace::new(), &Limits::DEFAULT, &Options::DEFAULT, &mut ());
        match out {
            Ok(_) => assert!(ends.contains(&cut), "{cut}"),
            Err(error) => {
                assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{cut}");
                assert!(!ends.contains(&cut), "{cut}");
            }
        }
    }
}

#[test]
fn a_flipped_bit_is_found_where_the_reference_finds_one_and_everywhere_at_the_same_place() {
    let text = mixed(300, 44);
    let lzma = options(4096);
    let mut filters = Filters::new();
    filters.arm64().delta_properties(&[1]).unwrap().lzma2(&lzma);
    let mut files = vec![filtered(&text, &filters, Check::Crc32), several().0[..1000].to_vec()];
    files.extend(CHECKS.map(|check| blocks(&text, 130, check)));
    files.push([preset(b"", 6, Check::None), vec![0; 8], blocks(b"abc", 9, Check::Crc32)].concat());
    let mut random = Random(5);
    let (mut refused, mut stricter) = (0, 0);
    for file in &files {
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut broken = file.clone();
                broken[at] ^= 1 << bit;
                let expected = reference(&broken);
                let ours = decoded(&broken);
                match (&expected, &ours) {
                    (None, Ok(_)) => panic!("byte {at}, bit {bit}: accepted, but the reference refuses"),
                    (Some(expected), Ok(ours)) => assert!(expected == ours, "byte {at}, bit {bit}: other bytes"),
                    (Some(_), Err(_)) => stricter += 1,
                    (None, Err(_)) => refused += 1,
                }
                if bit == at % 8 {
                    let (out, end) = streamed(&broken, SMALL, || (1 + random.below(40), 1 + random.below(40)));
                    let (again, end_again) = streamed(&broken, SMALL, || (1 << 17, 1 << 17));
                    assert_eq!(end, end_again, "byte {at}, bit {bit}");
                    assert!(out == again, "byte {at}, bit {bit}");
                    let mut room = vec![0; 1 << 17];
                    let limits = Limits::DEFAULT;
                    let first = Options { streams: Streams::First, ..Options::DEFAULT };
                    let whole = decode_with(&broken, &mut room, &mut Workspace::new(), &limits, &first, &mut ());
                    match (whole, end) {
                        // Only a slice has an end.
                        (Err(Error { kind: ErrorKind::OutputTooSmall, .. }), _) => {}
                        // A dictionary that is too large only matters to a stream, and only one of both may look further.
                        (_, Err(Error { kind: ErrorKind::XzWindowBuffer | ErrorKind::WindowLimit, .. })) => {}
                        (Ok(done), end) => assert!(
                            end.is_ok_and(|()| room[..done.wrote] == out[..done.wrote])
                                || end.is_err_and(|error| error.at >= done.read as u64)
                        ),
                        (Err(error), end) => assert_eq!(end, Err(error), "byte {at}, bit {bit}"),
                    }
                }
            }
        }
    }
    println!("{refused} refused by both, {stricter} only here");
    assert!(refused > 1000 && stricter < refused / 50, "{refused} {stricter}");
}

#[test]
fn files_of_the_tool() {
    let folder = &vector_folders("xz")[0];
    let page = read(&folder.join("page.csv"));
    holds("page.xz", &read(&folder.join("page.xz")), &page);
    holds("blocks.xz", &read(&folder.join("blocks.xz")), &page);
    holds("unspool.xz", &read(&folder.join("unspool.xz")), b"unspool unspool unspool");
}

/// Puts the CRC-32 of these bytes behind them.
fn crc(file: &mut [u8], data: std::ops::Range<usize>) {
    let crc = unspool::checksum::Crc32::of(&file[data.clone()]).to_le_bytes();
    file[data.end..data.end + 4].copy_from_slice(&crc);
}

/// `unspool.xz`, with something changed; its errors by name.
#[test]
fn odd_files_by_name() {
    let good = read(&vector_folders("xz")[0].join("unspool.xz"));
    let verdict = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = good.clone();
        change(&mut file);
        let ours = decoded(&file);
        if reference(&file).is_none() {
            assert!(ours.is_err());
        }
        ours.map(|out| assert_eq!(out, b"unspool unspool unspool")).map_err(|error| (error.kind, error.at))
    };
    let block = 12..20;
    // The largest dictionary, and one more than that.
    let dictionary = |bits: u8| {
        let block = block.clone();
        move |file: &mut Vec<u8>| {
            file[16] = bits;
            crc(file, block.clone());
        }
    };
    assert_eq!(verdict(&dictionary(40)), Ok(()));
    assert_eq!(verdict(&dictionary(41)), Err((ErrorKind::XzFilterProperties, 16)));
    let huge = {
        let mut file = good.clone();
        dictionary(40)(&mut file);
        streamed(&file, 4128, || (100, 100)).1.unwrap_err()
    };
    assert_eq!((huge.kind, huge.class(), huge.need), (ErrorKind::WindowLimit, Class::Limit, (1 << 32) + 32));
    // Kinds of checks that nobody knows.
    let kind = |id: u8| {
        move |file: &mut Vec<u8>| {
            file[7] = id;
            crc(file, 6..8);
            let end = file.len();
            file[end - 3] = id;
            let footer = unspool::checksum::Crc32::of(&file[end - 8..end - 2]).to_le_bytes();
            file[end - 12..end - 8].copy_from_slice(&footer);
        }
    };
    assert_eq!(verdict(&kind(1)), Ok(()));
    assert_eq!(verdict(&kind(2)), Err((ErrorKind::XzCheckKind, 7)));
    assert_eq!(verdict(&kind(0x11)), Err((ErrorKind::XzFlags, 6)));
    let mut unverified = good.clone();
    kind(2)(&mut unverified);
    let options = Options { verify: false, ..Options::DEFAULT };
    let out = decode_to_vec(&unverified, &mut Workspace::new(), &Limits::DEFAULT, &options);
    assert_eq!(out.as_deref(), Ok(&b"unspool unspool unspool"[..]));
    // Headers.
    let set = |at: usize, byte: u8| {
        let block = block.clone();
        move |file: &mut Vec<u8>| {
            file[at] = byte;
            crc(file, block.clone());
        }
    };
    assert_eq!(verdict(&|file| file[8] ^= 1), Err((ErrorKind::XzHeaderCrc, 8)));
    assert_eq!(verdict(&|file| file[20] ^= 1), Err((ErrorKind::XzHeaderCrc, 20)));
    assert_eq!(verdict(&set(13, 0x04)), Err((ErrorKind::XzBlockFlags, 13)));
    assert_eq!(verdict(&set(13, 0x01)), Err((ErrorKind::XzFilterChain, 14)));
    assert_eq!(verdict(&set(14, 0x22)), Err((ErrorKind::XzFilter, 14)));
    assert_eq!(verdict(&set(14, 0x03)), Err((ErrorKind::XzFilterChain, 14)));
    assert_eq!(verdict(&set(15, 0x02)), Err((ErrorKind::XzFilterProperties, 16)));
    assert_eq!(verdict(&set(15, 0x06)), Err((ErrorKind::XzBlockHeader, 16)));
    assert_eq!(verdict(&set(19, 1)), Err((ErrorKind::XzPadding, 19)));
    // Chunks.
    assert_eq!(verdict(&|file| file[24] = 0x80), Err((ErrorKind::XzDictionaryReset, 24)));
    assert_eq!(verdict(&|file| file[24] = 0x03), Err((ErrorKind::XzDictionaryReset, 24)));
    assert_eq!(verdict(&|file| file[29] = 225), Err((ErrorKind::XzProperties, 29)));
    assert_eq!(verdict(&|file| file[29] = 9 + 4), Err((ErrorKind::XzProperties, 29)));
    assert_eq!(verdict(&|file| file[30] = 1), Err((ErrorKind::XzChunkStart, 30)));
    assert_eq!(verdict(&|file| file[0x2E] = 1), Err((ErrorKind::XzPadding, 0x2E)));
    assert_eq!(verdict(&|file| file[0x30] ^= 1), Err((ErrorKind::XzCheck, 0x30)));
    // The index and the footer.
    let record = |at: usize, byte: u8| {
        move |file: &mut Vec<u8>| {
            file[at] = byte;
            crc(file, 0x34..0x38);
        }
    };
    assert_eq!(verdict(&record(0x35, 2)), Err((ErrorKind::XzIndex, 0x35)));
    assert_eq!(verdict(&record(0x36, 37)), Err((ErrorKind::XzIndex, 0x34)));
    assert_eq!(verdict(&record(0x36, 3)), Err((ErrorKind::XzIndex, 0x37)));
    assert_eq!(verdict(&record(0x37, 22)), Err((ErrorKind::XzIndex, 0x34)));
    let shorter = |file: &mut Vec<u8>| {
        file[26] -= 1;
        record(0x37, 22)(file);
    };
    assert_eq!(verdict(&shorter), Err((ErrorKind::XzChunkEnd, 45)));
    assert_eq!(verdict(&|file| file[0x46] = b'y'), Err((ErrorKind::XzFooter, 0x46)));
    assert_eq!(verdict(&|file| file[0x3C] ^= 1), Err((ErrorKind::XzHeaderCrc, 0x3C)));
    let backward = |file: &mut Vec<u8>| {
        file[0x40] = 2;
        let footer = unspool::checksum::Crc32::of(&file[0x40..0x46]).to_le_bytes();
        file[0x3C..0x40].copy_from_slice(&footer);
    };
    assert_eq!(verdict(&backward), Err((ErrorKind::XzFooter, 0x40)));
    assert_eq!(verdict(&|file| file.truncate(0)), Err((ErrorKind::Truncated, 0)));
    assert_eq!(verdict(&|file| file[1] = b'8'), Err((ErrorKind::XzMagic, 0)));
}

#[test]
fn bombs_stop_at_once() {
    let zeros = vec![0; 64 << 20];
    let bomb = preset(&zeros, 6, Check::None);
    assert!(bomb.len() < 20_000);
    let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
    let mut ws = Workspace::new();
    let error = decode_to_vec(&bomb, &mut ws, &limits, &Options::DEFAULT).unwrap_err();
    assert_eq!(error.class(), Class::Limit);
    let mut room = vec![0; 2 << 20];
    let error = decode_with(&bomb, &mut room, &mut ws, &limits, &Options::DEFAULT, &mut ()).unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 64 << 20));
    let error = decode_with(&bomb, &mut room, &mut ws, &Limits::DEFAULT, &Options::DEFAULT, &mut ()).unwrap_err();
    assert_eq!((error.class(), error.at), (Class::OutputTooSmall { need: 64 << 20 }, 0));
    let mut window = vec![0; 9 << 20];
    let mut decoder = Decoder::new(&mut ws, &mut window, &limits, &Options::DEFAULT);
    let (mut wrote, mut at) = (0, 0);
    let error = loop {
        match decoder.step(&bomb[at..], End::Here, &mut room) {
            Ok(step) => (wrote, at) = (wrote + step.wrote, at + step.read),
            Err(error) => break error,
        }
    };
    assert!(error.kind == ErrorKind::OutputLimit && wrote <= 1 << 20, "{wrote}");
}
