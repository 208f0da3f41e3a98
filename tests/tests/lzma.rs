//! LZMA by itself against the command `xz` and its C library: `.lzma` files and raw streams, whole
//! and in pieces; and hostile files.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::path::Path;

use liblzma::stream::{Action, Filters, LzmaOptions, Status, Stream};
use unspool::lzma::{
    Architecture, COST_SCALE, Coder, Decoder, FilterKind, HEADER_LEN, Header, LzmaItem, LzmaKind, LzmaSymbol, LzmaWish,
    Options, Raw, SymbolReader, Workspace, decode, decode_to, decode_to_vec, decoded_len, inspect, salvage,
};
use unspool::{Class, End, Error, ErrorKind, Format, Limits, Name, Probe, probe};
use unspool_harness::xz::feed_symbols;
use unspool_tests::{Leaves, Random, drive, go_on, read};

fn vector(name: &str) -> Vec<u8> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name))
}

fn raw(coder: Coder, filters: &[FilterKind]) -> Options {
    let mut raw = Raw { coder, ..Raw::DEFAULT };
    raw.filters.iter_mut().zip(filters).for_each(|(place, &filter)| *place = Some(filter));
    Options { raw: Some(raw), ..Options::DEFAULT }
}

/// The vectors of the command `xz`: file, options, and content.
fn vectors() -> Vec<(&'static str, Vec<u8>, Options, Vec<u8>)> {
    let (page, alone) = (vector("xz/page.csv"), Options::DEFAULT);
    let lzma = |header: Header, filters: &[FilterKind]| raw(Coder::Lzma(header), filters);
    let with = |(lc, lp, pb), dictionary| Header { lc, lp, pb, dictionary, size: None };
    [
        ("unspool.lzma", alone, b"unspool unspool unspool".to_vec()),
        ("page.lzma", alone, page.clone()),
        ("properties.lzma", alone, page.clone()),
        ("page.lzma1", lzma(with((3, 0, 2), 1 << 16), &[]), page.clone()),
        ("delta.lzma1", lzma(with((1, 3, 4), 1 << 18), &[FilterKind::Delta(4)]), page.clone()),
        ("page.lzma2", raw(Coder::Lzma2 { dictionary: 1 << 16 }, &[]), page.clone()),
        (
            "filters.lzma2",
            raw(
                Coder::Lzma2 { dictionary: 1 << 18 },
                &[FilterKind::Branch(Architecture::Arm, 0), FilterKind::Delta(1)],
            ),
            page,
        ),
    ]
    .map(|(name, options, content)| (name, vector(&format!("lzma/{name}")), options, content))
    .into()
}

/// Runs a coder of the C library over `bytes`. Returns its output, and the length of the input that
/// it used; `None` if it refuses the input.
fn run(mut coder: Stream, bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut out, mut rest) = (Vec::with_capacity(1 << 16), bytes);
    loop {
        let (read, wrote) = (coder.total_in(), out.len());
        out.reserve(1 << 16);
        let status = coder.process_vec(rest, &mut out, Action::Finish).ok()?;
        rest = &rest[(coder.total_in() - read) as usize..];
        if status == Status::StreamEnd {
            return Some((out, coder.total_in() as usize));
        }
        if coder.total_in() == read && out.len() == wrote {
            return None;
        }
    }
}

/// Decodes with the C library; nothing may follow the content.
fn reference(bytes: &[u8], filters: Option<&Filters>) -> Option<Vec<u8>> {
    let decoder = filters.map_or_else(|| Stream::new_lzma_decoder(u64::MAX), Stream::new_raw_decoder).unwrap();
    run(decoder, bytes).filter(|&(_, used)| used == bytes.len()).map(|(out, _)| out)
}

/// Words, numbers and runs, some of them repeated.
fn mixed(len: usize, seed: u64) -> Vec<u8> {
    let (mut random, mut out) = (Random(seed), Vec::with_capacity(len + 400));
    while out.len() < len {
        match random.below(5) {
            0 => out.extend(random.bits().to_string().bytes()),
            1 => out.extend(vec![random.bits() as u8; random.below(400)]),
            2 => out.extend(random.bits().to_le_bytes()),
            _ => {
                let from = random.below(out.len() + 1);
                let len = random.below(300).min(out.len() - from);
                out.extend_from_within(from..from + len);
                out.extend(b"text ");
            }
        }
    }
    out.truncate(len);
    out
}

fn encoded(bytes: &[u8], options: &LzmaOptions) -> Vec<u8> {
    run(Stream::new_lzma_encoder(options).unwrap(), bytes).unwrap().0
}

/// A `.lzma` file with the size in its header, and without a marker, as the LZMA SDK writes it: the
/// symbols of a chunk of LZMA2 are that.
fn sized(bytes: &[u8]) -> Vec<u8> {
    let lzma2 = run(Stream::new_raw_encoder(Filters::new().lzma2(&preset(6))).unwrap(), bytes).unwrap().0;
    assert!(lzma2[0] >= 0xE0, "not one chunk of symbols");
    let len = usize::from(u16::from_be_bytes([lzma2[3], lzma2[4]])) + 1;
    assert_eq!(lzma2.len(), 6 + len + 1, "not one chunk");
    let header = [&[lzma2[5]][..], &(1u32 << 16).to_le_bytes(), &(bytes.len() as u64).to_le_bytes()].concat();
    [&header[..], &lzma2[6..6 + len]].concat()
}

fn preset(preset: u32) -> LzmaOptions {
    let mut options = LzmaOptions::new_preset(preset).unwrap();
    options.dict_size(1 << 16);
    options
}

/// Decodes through every door and in several splits, and checks that all agree. Returns the output
/// of `decode_to_vec`.
fn agree(name: &str, file: &[u8], options: &Options, len: usize) -> Result<Vec<u8>, Error> {
    let header = match options.raw {
        Some(Raw { coder: Coder::Lzma(header), .. }) => header,
        _ => Header::read(file, &Limits::NONE).unwrap_or(Header { dictionary: 1 << 18, ..Header::DEFAULT }),
    };
    let window = if options.raw.is_none() { header.window() } else { header.window().max((1 << 18) + 32) };
    let (mut workspace, mut window) = (Workspace::new(), vec![0xAA; window.min((8 << 20) + 32) as usize]);
    let vector = decode_to_vec(file, options);
    let mut room = vec![0xAA; len + 300];
    let whole = decode(file, &mut room, &mut workspace, options, &mut ());
    match (&vector, whole) {
        (Ok(vector), Ok(done)) => {
            assert!(*vector == room[..done.wrote], "{name}: other bytes to a slice");
            assert_eq!((done.read, done.content, done.parts), (file.len(), done.wrote as u64, 1), "{name}");
        }
        (Err(vector), Err(whole)) => assert_eq!(*vector, whole, "{name}"),
        (vector, whole) => panic!("{name}: {vector:?} and {whole:?}"),
    }
    let (done, error) = salvage(file, &mut room, &mut workspace, options);
    assert_eq!(error, vector.as_ref().err().copied(), "{name}: salvage");
    let mut random = Random(file.len() as u64);
    for most in [1, 7, 40, 1 << 16] {
        let mut decoder = Decoder::new(&mut workspace, &mut window, options);
        let (out, end) = drive(
            file,
            || (1 + random.below(most), 1 + random.below(most)),
            |src, end, dst| decoder.step(src, end, dst),
        );
        assert_eq!(end.err(), error, "{name}: pieces of up to {most}");
        match &vector {
            Ok(vector) => assert!(out == *vector, "{name}: other bytes in pieces of up to {most}"),
            Err(_) => assert!(out == room[..out.len()] && done.wrote >= out.len(), "{name}: pieces of up to {most}"),
        }
    }
    vector
}

#[test]
fn decodes_every_vector_through_every_door() {
    let (mut ws, mut window) = (Workspace::new(), vec![0; (8 << 20) + 32]);
    for (name, file, options, content) in vectors() {
        assert!(agree(name, &file, &options, content.len()).unwrap() == content, "{name}");
        let (mut out, mut leaves) = (vec![0; content.len()], Leaves::default());
        let done = decode(&file, &mut out, &mut ws, &options, &mut leaves).unwrap();
        assert_eq!((done.wrote, done.read), (content.len(), file.len()), "{name}");
        let seen = leaves.leaves.clone();
        leaves.assert_tile(file.len(), name);
        let mut leaves = Leaves::default();
        let inspected = inspect(&file, &mut ws, &mut window, &options, &mut leaves).unwrap();
        assert_eq!(
            (inspected.read, inspected.wrote, inspected.content),
            (file.len(), 0, content.len() as u64),
            "{name}"
        );
        assert_eq!(inspected.window, done.window, "{name}");
        assert_eq!(leaves.leaves, seen, "{name}");
        let error = decode(&file, &mut out[1..], &mut ws, &options, &mut ()).unwrap_err();
        assert_eq!(error.class(), Class::OutputTooSmall { need: content.len() as u64 }, "{name}");
        assert_eq!(decoded_len(&file, &mut ws, &mut window, &options), Ok(content.len() as u64), "{name}");
        let small = decode_to(&file, &mut |_: &[u8]| Ok(()), &mut ws, &mut [], &options).unwrap_err();
        assert_eq!(small.class(), Class::WorkspaceTooSmall { need: done.window }, "{name}");
    }
}

#[test]
fn reads_and_probes_headers() {
    let file = vector("lzma/page.lzma");
    let expected = Header { dictionary: 8 << 20, ..Header::DEFAULT };
    assert_eq!(Header::read(&file, &Limits::DEFAULT), Ok(expected));
    assert_eq!(expected.window(), (8 << 20) + 32);
    assert_eq!(Header { size: Some(5), ..expected }.window(), 16);
    for len in 0..HEADER_LEN {
        let error = Header::read(&file[..len], &Limits::DEFAULT).unwrap_err();
        assert_eq!((error.class(), error.at), (Class::Truncated, len as u64));
        assert!(error.need > len as u64 && error.need <= HEADER_LEN as u64);
    }
    // A size above the limit is refused as by `decode`.
    let mut sized = vector("lzma/unspool.lzma");
    sized[5..13].copy_from_slice(&23u64.to_le_bytes());
    let limits = Limits { max_output: 22, ..Limits::DEFAULT };
    let refused = Header::read(&sized, &limits).unwrap_err();
    assert_eq!((refused.kind, refused.at, refused.need), (ErrorKind::OutputLimit, 5, 23));
    assert_eq!(decode_to_vec(&sized, &Options { limits, ..Options::DEFAULT }), Err(refused));
    assert_eq!(probe(&file), Probe::Match(Format::Lzma));
    assert_eq!(probe(&file[..4]), Probe::NeedInput { min: 14 });
    assert_eq!(probe(&vector("lzma/properties.lzma")), Probe::Unknown);
}

#[test]
fn agrees_with_the_library_on_every_property_and_filter() {
    let mut files = 0;
    for (seed, (lc, lp)) in (0..5).flat_map(|lc| (0..5 - lc).map(move |lp| (lc, lp))).enumerate() {
        for pb in 0..5 {
            let text = mixed(1000 + 997 * seed, seed as u64);
            let mut lzma = preset(6);
            lzma.literal_context_bits(lc).literal_position_bits(lp).position_bits(pb);
            let file = encoded(&text, &lzma);
            assert!(agree("alone", &file, &Options::DEFAULT, text.len()).unwrap() == text, "{lc} {lp} {pb}");
            let header = Header { dictionary: 1 << 16, ..Header::read(&file, &Limits::DEFAULT).unwrap() };
            assert_eq!((header.lc, header.lp, header.pb), (lc as u8, lp as u8, pb as u8));
            let mut filters = Filters::new();
            filters.x86().delta_properties(&[pb as u8]).unwrap().lzma1(&lzma);
            let stream = run(Stream::new_raw_encoder(&filters).unwrap(), &text).unwrap().0;
            let chain = [FilterKind::Branch(Architecture::X86, 0), FilterKind::Delta(pb as u16 + 1)];
            let options = raw(Coder::Lzma(header), &chain);
            assert!(agree("raw", &stream, &options, text.len()).unwrap() == text);
            // With other bytes after it, the content is still whole.
            let (mut room, trailing) = (vec![0; text.len()], [&stream[..], b"x"].concat());
            let error = agree("trailing", &trailing, &options, text.len()).unwrap_err();
            let (done, _) = salvage(&trailing, &mut room, &mut Workspace::new(), &options);
            assert_eq!((error.kind, error.at), (ErrorKind::XzTrailing, stream.len() as u64));
            assert!(room[..done.wrote] == text, "{} bytes salvaged", done.wrote);
            files += 2;
        }
    }
    assert_eq!(files, 150);
}

#[test]
fn decodes_a_declared_size_with_and_without_a_marker() {
    for len in [0, 1, 2, 3, 17, 273, 4096, 60_000] {
        let text = mixed(len, len as u64 + 1);
        // The library stores a few bytes as they are.
        let mut marked = encoded(&text, &preset(6));
        marked[5..13].copy_from_slice(&(len as u64).to_le_bytes());
        let files = if len < 17 { vec![marked] } else { vec![marked, sized(&vec![b'x'; len])] };
        for (file, text) in files.iter().zip([&text, &vec![b'x'; len]]) {
            assert_eq!(reference(file, None).as_ref(), Some(text));
            assert!(agree("sized", file, &Options::DEFAULT, len).unwrap() == *text, "{len}");
            let (mut room, mut workspace) = (vec![0xAA; len], Workspace::new());
            let done = decode(file, &mut room, &mut workspace, &Options::DEFAULT, &mut ()).unwrap();
            assert!(done.wrote == len && room == *text, "{len} in exactly as many bytes");
            // Less is refused before anything is written.
            if len > 0 {
                room.fill(0xAA);
                let error = decode(file, &mut room[1..], &mut workspace, &Options::DEFAULT, &mut ()).unwrap_err();
                assert_eq!((error.kind, error.at, error.need), (ErrorKind::OutputTooSmall, 5, len as u64));
                assert!(room.iter().all(|&byte| byte == 0xAA), "{len}");
            }
            // A size that is one less or more.
            for wrong in [len.wrapping_sub(1), len + 1] {
                let mut file = file.clone();
                file[5..13].copy_from_slice(&(wrong as u64).to_le_bytes());
                if wrong > len && wrong != usize::MAX {
                    assert!(reference(&file, None).is_none());
                    assert!(agree("size", &file, &Options::DEFAULT, len + 1).is_err(), "{len} {wrong}");
                } else if wrong < len {
                    assert!(reference(&file, None).is_none());
                    assert!(agree("size", &file, &Options::DEFAULT, len).is_err(), "{len} {wrong}");
                }
            }
        }
    }
}

#[test]
fn reports_a_cut_at_any_byte_as_truncated() {
    let text = mixed(3000, 3);
    let mut files = vectors();
    files.push(("sized", sized(&vec![b'x'; 5000]), Options::DEFAULT, vec![b'x'; 5000]));
    files.push(("text", encoded(&text, &preset(6)), Options::DEFAULT, text));
    for (name, file, options, content) in files {
        for cut in 0..file.len() {
            let error = agree(name, &file[..cut], &options, content.len()).unwrap_err();
            assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{name}");
            let mut room = vec![0; content.len()];
            let (done, _) = salvage(&file[..cut], &mut room, &mut Workspace::new(), &options);
            assert!(room[..done.wrote] == content[..done.wrote], "{name}: salvaged from {cut} bytes");
        }
        // A truncated symbol leaves nothing; all before it is decoded.
        let mut room = vec![0; content.len()];
        let (done, _) = salvage(&file[..file.len() - 1], &mut room, &mut Workspace::new(), &options);
        assert!(content.len() - done.wrote < 300 || name.ends_with('2'), "{name}: {} salvaged", done.wrote);
        let error = agree(name, &[&file[..], b"x"].concat(), &options, content.len()).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::XzTrailing, file.len() as u64), "{name}");
    }
}

#[test]
fn refuses_the_flipped_bits_that_the_library_refuses() {
    let (mut refused, mut stricter, text) = (0, 0, mixed(700, 5));
    let mut chain = Filters::new();
    chain.delta_properties(&[3]).unwrap().lzma1(&preset(6));
    let delta = run(Stream::new_raw_encoder(&chain).unwrap(), &text).unwrap().0;
    let header = Header { dictionary: 1 << 16, ..Header::DEFAULT };
    let mut lzma2 = Filters::new();
    lzma2.lzma2(&preset(6));
    let chunks = run(Stream::new_raw_encoder(&lzma2).unwrap(), &text).unwrap().0;
    for (name, file, filters, options) in [
        ("alone", encoded(&text, &preset(6)), None, Options::DEFAULT),
        ("sized", sized(&vec![b'y'; 900]), None, Options::DEFAULT),
        ("delta", delta, Some(&chain), raw(Coder::Lzma(header), &[FilterKind::Delta(4)])),
        ("chunks", chunks, Some(&lzma2), raw(Coder::Lzma2 { dictionary: 1 << 16 }, &[])),
    ] {
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut broken = file.clone();
                broken[at] ^= 1 << bit;
                let claims = Header::read(&broken, &Limits::NONE).unwrap_or(Header::DEFAULT);
                if filters.is_none() && (claims.dictionary > 1 << 17 || claims.size.is_some_and(|size| size > 1 << 20))
                {
                    continue;
                }
                let (theirs, ours) = (reference(&broken, filters), decode_to_vec(&broken, &options));
                match (&theirs, &ours) {
                    (None, Ok(_)) => panic!("{name}: byte {at}, bit {bit}: accepted, but the library refuses"),
                    (Some(theirs), Ok(ours)) => assert!(theirs == ours, "{name}: byte {at}, bit {bit}: other bytes"),
                    // The library keeps a little more history than the header says.
                    (Some(_), Err(error)) => {
                        assert_eq!(error.kind, ErrorKind::XzDistance, "{name}: byte {at}, bit {bit}");
                        stricter += 1;
                    }
                    (None, Err(_)) => refused += 1,
                }
                if bit == at % 8 {
                    let _ = agree(name, &broken, &options, 1 << 20);
                }
            }
        }
    }
    println!("{refused} refused by both, {stricter} only here");
    assert!(refused > 1000 && stricter < refused / 50, "{refused} {stricter}");
}

#[test]
fn reports_each_error_by_its_kind() {
    let good = vector("lzma/unspool.lzma");
    let verdict = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = good.clone();
        change(&mut file);
        agree("changed", &file, &Options::DEFAULT, 23).map(|_| ()).map_err(|error| (error.kind, error.at))
    };
    assert_eq!(verdict(&|_| ()), Ok(()));
    for byte in [225, 4 + 9, 5, 255] {
        assert_eq!(verdict(&|file| file[0] = byte), Err((ErrorKind::XzProperties, 0)), "{byte}");
    }
    assert_eq!(verdict(&|file| file[13] = 1), Err((ErrorKind::XzChunkStart, 13)));
    // A first match, before which there is nothing.
    assert_eq!(verdict(&|file| file[14..18].fill(0xFF)).unwrap_err().0, ErrorKind::XzDistance);
    // A size below the content, and above it.
    let size = |size: u8| {
        move |file: &mut Vec<u8>| {
            file[5..13].fill(0);
            file[5] = size;
        }
    };
    assert_eq!(verdict(&size(23)), Ok(()));
    assert_eq!(verdict(&size(22)).unwrap_err().0, ErrorKind::LzmaEnd);
    assert_eq!(verdict(&size(3)).unwrap_err().0, ErrorKind::LzmaEnd);
    assert_eq!(verdict(&size(24)).unwrap_err().0, ErrorKind::LzmaEnd);
    // A match follows instead of the marker: the error is at its start.
    assert_eq!(verdict(&size(8)), Err((ErrorKind::LzmaEnd, 26)));
    // Bytes after the end.
    for more in 1..30 {
        let end = good.len() as u64;
        assert_eq!(verdict(&|file| file.extend(vec![0; more])), Err((ErrorKind::XzTrailing, end)), "{more}");
    }
    // The options of raw streams.
    let refused = |options: &Options| {
        let error = decode_to_vec(&good[13..], options).unwrap_err();
        let slice = decode(&good[13..], &mut [0; 64], &mut Workspace::new(), options, &mut ()).unwrap_err();
        assert_eq!(error, slice);
        (error.kind, error.at)
    };
    let sized = Header { lc: 5, size: Some(100), ..Header::DEFAULT };
    for header in [Header { lc: 5, ..Header::DEFAULT }, Header { lp: 2, ..Header::DEFAULT }, sized] {
        let counted = decoded_len(&good[13..], &mut Workspace::new(), &mut [], &raw(Coder::Lzma(header), &[]));
        assert_eq!(counted.map_err(|error| error.kind), Err(ErrorKind::XzProperties));
        assert_eq!(refused(&raw(Coder::Lzma(header), &[])), (ErrorKind::XzProperties, 0));
    }
    let filters = [
        FilterKind::Delta(0),
        FilterKind::Delta(257),
        FilterKind::Branch(Architecture::Arm, 2),
        FilterKind::Branch(Architecture::Ia64, 8),
    ];
    for filter in filters {
        for coder in [Coder::Lzma(Header::DEFAULT), Coder::Lzma2 { dictionary: 1 << 16 }] {
            assert_eq!(refused(&raw(coder, &[filter])), (ErrorKind::XzFilterProperties, 0), "{filter:?}");
        }
    }
    // With the content of another size than its own.
    let known = |size| raw(Coder::Lzma(Header { size: Some(size), ..Header::DEFAULT }), &[]);
    assert_eq!(decode_to_vec(&good[13..], &known(23)).unwrap(), b"unspool unspool unspool");
    assert_eq!(refused(&known(22)).0, ErrorKind::LzmaEnd);
}

#[test]
fn decodes_a_chunk_that_needs_only_the_start_of_the_range_coder() {
    let mut lzma2 = Filters::new();
    lzma2.lzma2(&preset(6));
    // 999 zeros, each of whose bits is likely after some of them; then one more, without new bits.
    let file = |more: u8| {
        let (zeros, header) = (vec![0; 5 + usize::from(more)], [0xE0, 3, 230, 0, 4 + more, 0x5D]);
        [&header[..], &zeros, &[0x80, 0, 0, 0, 4], &[0; 5], &[1, 0, 0, b'x', 0]].concat()
    };
    let file = (0..200).map(file).find(|file| reference(file, Some(&lzma2)).is_some()).unwrap();
    let options = raw(Coder::Lzma2 { dictionary: 1 << 16 }, &[]);
    assert_eq!(agree("chunks", &file, &options, 1001).ok(), reference(&file, Some(&lzma2)));
    let mut leaves = Leaves::default();
    decode(&file, &mut [0; 1001], &mut Workspace::new(), &options, &mut leaves).unwrap();
    let sizes: Vec<_> = leaves
        .leaves
        .iter()
        .map(|leaf| leaf.1)
        .filter(|name| matches!(name, Name::ChunkSize | Name::ChunkSizes))
        .collect();
    assert_eq!(sizes, [Name::ChunkSizes, Name::ChunkSizes, Name::ChunkSize]);
}

#[test]
fn memory_is_bounded_by_limits_and_by_the_input() {
    let mut file = vector("lzma/page.lzma");
    let limited = |max_output| Options { limits: Limits { max_output, ..Limits::DEFAULT }, ..Options::DEFAULT };
    assert!(agree("exact", &file, &limited(4096), 4096).is_ok());
    for most in [0, 1, 2, 100, 4095] {
        let error = agree("limit", &file, &limited(most), 4096).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutputLimit, "{most}");
        assert!(error.need > most, "{most}: {error}");
    }
    let (chunks, mut options) = (vector("lzma/page.lzma2"), raw(Coder::Lzma2 { dictionary: 1 << 16 }, &[]));
    options.limits.max_output = 4095;
    assert_eq!(agree("chunks", &chunks, &options, 4096).unwrap_err().kind, ErrorKind::OutputLimit);
    // The content ends with a match of 15 bytes. The need counts all of it.
    let (file_of_match, mut room) = (vector("lzma/unspool.lzma"), [0; 20]);
    let error = decode(&file_of_match, &mut room, &mut Workspace::new(), &Options::DEFAULT, &mut ()).unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::OutputTooSmall, 23));
    // Claims of 16 EiB of content and 4 GiB of dictionary cost nothing.
    file[1..5].fill(0xFF);
    file[5..13].copy_from_slice(&(u64::MAX - 1).to_le_bytes());
    let error = decode_to_vec(&file, &Options::DEFAULT).unwrap_err();
    assert_eq!((error.kind, error.at, error.need), (ErrorKind::OutputLimit, 5, u64::MAX - 1));
    let unbounded = Options { limits: Limits::NONE, ..Options::DEFAULT };
    assert_eq!(decode_to_vec(&file, &unbounded).unwrap_err().kind, ErrorKind::LzmaEnd);
    file[5..13].fill(0xFF);
    let (mut ws, mut window) = (Workspace::new(), vec![0; 1 << 16]);
    let error = decode_to(&file, &mut |_: &[u8]| Ok(()), &mut ws, &mut window, &Options::DEFAULT).unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::WindowLimit, u64::from(u32::MAX) + 33));
    assert_eq!(decode_to_vec(&file, &Options::DEFAULT).unwrap(), vector("xz/page.csv"));
}

#[test]
fn a_header_tells_which_windows_limits_allow() {
    let mut file = vector("lzma/page.lzma");
    for (dictionary, size) in [(0, u64::MAX), (5000, u64::MAX), (1 << 16, u64::MAX), (1 << 16, 4096)] {
        file[1..5].copy_from_slice(&u32::to_le_bytes(dictionary));
        file[5..13].copy_from_slice(&u64::to_le_bytes(size));
        for max_window in [0, 4095, 4096, 4999, 5000, 5040, (1 << 16) - 1, 1 << 16, (1 << 16) + 40] {
            let limits = Limits { max_window, ..Limits::DEFAULT };
            let (options, header) = (Options { limits, ..Options::DEFAULT }, Header::read(&file, &limits).unwrap());
            let allowed = header.window_within(&limits);
            assert!(allowed.is_none_or(|window| window == header.window()));
            let error = inspect(&file, &mut Workspace::new(), &mut [], &options, &mut ()).unwrap_err();
            let kind = if allowed.is_some() { ErrorKind::XzWindowBuffer } else { ErrorKind::WindowLimit };
            assert_eq!(error.kind, kind, "{dictionary} bytes of dictionary, limit {max_window}");
        }
    }
}

#[test]
fn lends_the_window_that_a_decoder_asks_for() {
    let (file, mut ws, mut window) = (vector("lzma/page.lzma"), Workspace::new(), vec![0; (8 << 20) + 32]);
    let mut decoder = Decoder::new(&mut ws, &mut [], &Options::DEFAULT);
    let (mut out, mut src) = (vec![0; 5000], &file[..]);
    // The header is read before the window is known to be too small.
    let first = decoder.step(src, End::Here, &mut out).unwrap();
    assert_eq!((first.read, first.wrote, first.status), (HEADER_LEN, 0, unspool::Status::NeedOutput));
    src = &src[first.read..];
    let error = decoder.step(src, End::Here, &mut out).unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::XzWindowBuffer, window.len() as u64));
    decoder.lend(&mut window).unwrap();
    let step = go_on(src, &mut out, |src, dst| decoder.step(src, End::Here, dst)).unwrap();
    assert!(out[..step.wrote] == vector("xz/page.csv") && step.read == src.len());
    assert_eq!(decoder.lend(&mut []).unwrap_err().kind, ErrorKind::WindowInUse);
    assert_eq!(decoder.done().content, 4096);
}

#[test]
fn the_fields_of_a_file_have_their_names() {
    let mut leaves = Leaves::default();
    let file = vector("lzma/unspool.lzma");
    decode(&file, &mut [0; 23], &mut Workspace::new(), &Options::DEFAULT, &mut leaves).unwrap();
    let expected = [
        (0..8, Name::LcLpPb),
        (8..40, Name::DictionarySize),
        (40..104, Name::UncompressedSize),
        (104..264, Name::LzmaSymbols),
    ];
    assert_eq!(leaves.leaves, expected);
    // No field is empty.
    for len in 0..HEADER_LEN + 1 {
        let mut leaves = Leaves::default();
        decode(&file[..len], &mut [0; 23], &mut Workspace::new(), &Options::DEFAULT, &mut leaves).unwrap_err();
        assert!(leaves.leaves.iter().all(|(bits, name)| !bits.is_empty() && *name != Name::LzmaSymbols), "{len}");
    }
}

/// Reads the symbols of a file in pieces of this length. Returns them with the end of the stream.
fn symbols(file: &[u8], piece: usize) -> (Vec<LzmaSymbol>, Option<(u64, u64)>, Option<Error>) {
    let (mut reader, mut found, mut over) = (SymbolReader::new(&Limits::DEFAULT), vec![], None);
    let error = feed_symbols(file, piece, |piece, end, workspace, window| {
        reader.feed(piece, end, workspace, window, |item| {
            match item {
                LzmaItem::Chunk { at, block, control } => assert_eq!((at, block, control), (13, 0, None)),
                LzmaItem::Symbol(symbol) => found.push(symbol),
                LzmaItem::End { at, content } => over = Some((at, content)),
            }
            LzmaWish::Symbols
        })
    });
    (found, over, error)
}

#[test]
fn lists_the_marker_after_a_declared_size() {
    let text = mixed(300, 5);
    let mut file = encoded(&text, &preset(6));
    let found = symbols(&file, usize::MAX / 2);
    assert_eq!(found.0.last().map(|symbol| symbol.kind), Some(LzmaKind::EndMarker));
    file[5..13].copy_from_slice(&(text.len() as u64).to_le_bytes());
    assert!(symbols(&file, usize::MAX / 2) == found && symbols(&file, 7) == found);
    // Nothing is listed of a chunk that is passed.
    let mut reader = SymbolReader::new(&Limits::DEFAULT);
    let mut each = |item| {
        assert!(!matches!(item, LzmaItem::Symbol(_)));
        LzmaWish::Chunk
    };
    let error =
        feed_symbols(&file, 50, |piece, end, workspace, window| reader.feed(piece, end, workspace, window, &mut each));
    assert_eq!(error, None);
}

#[test]
fn symbols_rebuild_the_content_at_the_cost_of_the_stream() {
    let mut markers = 0;
    for (name, file, options, content) in vectors() {
        if options.raw.is_some() {
            continue;
        }
        let (found, over, error) = symbols(&file, usize::MAX / 2);
        assert_eq!((over, error), (Some((file.len() as u64, content.len() as u64)), None), "{name}");
        let (mut out, mut cost) = (vec![], 0);
        for symbol in &found {
            assert_eq!(symbol.content.start, out.len() as u64, "{name}");
            match symbol.kind {
                LzmaKind::Literal => out.push(symbol.byte),
                _ => symbol.content.clone().for_each(|_| out.push(out[out.len() - symbol.distance as usize])),
            }
            markers += usize::from(symbol.kind == LzmaKind::EndMarker);
            assert!(symbol.kind != LzmaKind::EndMarker || symbol.byte == 0, "{name}");
            cost += symbol.cost;
        }
        assert!(out == content, "{name}");
        let rest = (8 * (file.len() - HEADER_LEN) as u64 * COST_SCALE - cost) / COST_SCALE;
        assert!((32..=40).contains(&rest), "{name}: {rest} bits are in no symbol");
        for piece in [1, 2, 23, 24, 25, 100] {
            assert!(symbols(&file, piece) == (found.clone(), over, None), "{name} in pieces of {piece}");
        }
        for len in 0..file.len() {
            let (some, _, error) = symbols(&file[..len], usize::MAX / 2);
            assert_eq!(error, decode_to_vec(&file[..len], &options).err(), "{name} cut at {len}");
            assert!(found.starts_with(&some), "{name} cut at {len}");
        }
    }
    assert!(markers > 0);
}
