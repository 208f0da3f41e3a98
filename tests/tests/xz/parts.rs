//! Streams and blocks in a row, and the search for a position in them.

use super::*;

#[test]
fn decodes_blocks_streams_padding_and_flushes() {
    let (file, text) = several();
    holds("several", &file, &text);
    let done = inspect(&file, &mut Workspace::new(), &Options::DEFAULT, &mut ()).unwrap();
    assert_eq!((done.parts, done.blocks), (4, 11));
    assert_eq!(done.checksums, Checksums { matched: 10, mismatched: 0, unchecked: 1 });
    holds("no block", &preset(b"", 6, Check::Crc64), b"");
    let pieces: Vec<_> = text.chunks(777).collect();
    let flushed = run(Stream::new_easy_encoder(6, Check::Crc64).unwrap(), &pieces, Action::SyncFlush);
    holds("flushed", &flushed, &text);
    let many = blocks(&text, 50, Check::Crc32);
    holds("many blocks", &many, &text);
    holds("sized blocks", &sized(&text), &text);
}

/// Sizes in the headers of blocks, as encoders with several threads write them.
fn sized(text: &[u8]) -> Vec<u8> {
    let mut builder = liblzma::stream::MtStreamBuilder::new();
    let encoder = builder.threads(1).block_size(10_000).preset(6).check(Check::Crc64).encoder().unwrap();
    run(encoder, &[text], Action::Run)
}

#[test]
fn decodes_one_stream_or_the_first() {
    let text = mixed(5000, 8);
    let file = preset(&text, 6, Check::Crc64);
    let mut room = vec![0; 10_000];
    let mut ws = Workspace::new();
    let mut with = |bytes: &[u8], streams| {
        let options = Options { streams, ..Options::DEFAULT };
        decode(bytes, &mut room, &mut ws, &options, &mut ()).map(|done| (done.read, done.wrote))
    };
    let one = Options { streams: Streams::One, ..Options::DEFAULT };
    let in_pieces = |bytes: &[u8]| streamed_with(&one, bytes, WINDOW, || (file.len(), 777)).1;
    assert_eq!(with(&file, Streams::One), Ok((file.len(), 5000)));
    assert_eq!(in_pieces(&file), Ok(()));
    for more in [&b"\0\0\0\0"[..], b"x", b"trailing", &file] {
        let long = [&file, more].concat();
        let error = with(&long, Streams::One).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::XzTrailing, file.len() as u64));
        assert_eq!(in_pieces(&long), Err(error));
        assert_eq!(with(&long, Streams::First), Ok((file.len(), 5000)));
    }
    let (two, first) = ([&file[..], &file].concat(), Options { streams: Streams::First, ..Options::DEFAULT });
    assert_eq!(decoded_len(&two, &mut Workspace::new(), &first), Ok(5000));
    assert_eq!(decoded_len(&two, &mut Workspace::new(), &Options::DEFAULT), Ok(10_000));
    // With space for one stream only.
    let exact = decode(&two, &mut [0; 5000], &mut Workspace::new(), &one, &mut ()).unwrap_err();
    assert_eq!((exact.kind, exact.at), (ErrorKind::XzTrailing, file.len() as u64));
    let error = with(&[&file, &b"trailing"[..]].concat(), Streams::All).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzMagic, file.len() as u64));
    assert_eq!(with(&[&file, &[0; 6][..]].concat(), Streams::All).unwrap_err().class(), Class::Truncated);
    let error = with(&[&file, &[0; 6][..], &file].concat(), Streams::All).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzPadding, file.len() as u64 + 6));
}

#[test]
fn finds_the_block_of_any_position() {
    let (file, text) = several();
    let open = File::open(&file, &Limits::DEFAULT).unwrap();
    assert_eq!((open.content, open.streams, open.blocks), (text.len() as u64, 4, 11));
    let (mut position, mut seen, mut ws) = (0, 0, Workspace::new());
    while let Some(block) = open.locate(position).unwrap() {
        assert!(block.content.contains(&position));
        let content = block.content.start as usize..block.content.end as usize;
        let mut room = vec![0; content.len()];
        let done = open.decode_block(&block, &mut room, &mut ws, &Options::DEFAULT).unwrap();
        assert_eq!((done.read as u64, done.wrote), (block.range.end - block.range.start, content.len()));
        assert!(room == text[content], "block {seen}");
        let bytes = &file[block.range.start as usize..block.range.end as usize];
        assert!(decode_block_to_vec(bytes, &block, &Options::DEFAULT).unwrap() == room, "block {seen}");
        assert_eq!(open.locate(block.content.end - 1).unwrap(), Some(block.clone()));
        let mut small = vec![0; room.len() - 1];
        let error = open.decode_block(&block, &mut small, &mut ws, &Options::DEFAULT).unwrap_err();
        assert!(matches!(error.class(), Class::OutputTooSmall { .. }));
        // A block from elsewhere, or of another size, contradicts the index.
        let mut other = block.clone();
        other.content.end += 1;
        assert_eq!(
            open.decode_block(&other, &mut vec![0; 20_000], &mut ws, &Options::DEFAULT).unwrap_err().kind,
            ErrorKind::XzIndex
        );
        other.content.end = u64::MAX;
        let claimed = decode_block_to_vec(bytes, &other, &Options::DEFAULT).unwrap_err();
        assert_eq!(claimed.kind, ErrorKind::XzIndex, "found before there is memory for it");
        (position, seen) = (block.content.end, seen + 1);
    }
    assert_eq!((position, seen), (text.len() as u64, 11));
    // The last stream is longer than the first.
    let two = [preset(&text[..100], 6, Check::Crc32), preset(&text[100..5100], 6, Check::Crc32)].concat();
    let found = File::open(&two, &Limits::DEFAULT).unwrap().locate(200).unwrap().unwrap();
    assert_eq!(found.content, 100..5100);
    assert_eq!(CheckKind::Sha256, open.locate(20_000).unwrap().unwrap().check);
    // One stream: only a footer, an index and a header are fetched.
    let file = blocks(&text, 1000, Check::Crc32);
    let mut reader = IndexReader::new(file.len() as u64, 33_333, &Limits::DEFAULT);
    let mut fetched = 0;
    while let Some(range) = reader.needs() {
        fetched += range.end - range.start;
        reader.feed(range.start, &file[range.start as usize..range.end as usize]).unwrap();
    }
    assert_eq!(reader.found().unwrap().content, 33_000..34_000);
    assert!(fetched < 400, "{fetched}");
    // All blocks, from the last stream to the first.
    let two = [file.clone(), vec![0; 8], file.clone()].concat();
    let (mut reader, mut listed) = (IndexReader::sizes(two.len() as u64, &Limits::DEFAULT), vec![]);
    while let Some(range) = reader.needs() {
        let bytes = &two[range.start as usize..range.end as usize];
        reader.feed_listing(range.start, bytes, &mut |block| listed.push(block)).unwrap();
    }
    let open = File::open(&file, &Limits::DEFAULT).unwrap();
    let (last, first) = listed.split_at(listed.len() / 2);
    assert_eq!((listed.len() as u64, reader.content()), (2 * open.blocks, 2 * open.content));
    for (number, (last, first)) in last.iter().zip(first).enumerate() {
        let block = open.locate(1000 * number as u64).unwrap().unwrap();
        assert_eq!(*first, block);
        let shift = file.len() as u64 + 8;
        assert_eq!((last.range.start, &last.content), (block.range.start + shift, &block.content));
    }
    assert!(IndexReader::new(100, 0, &Limits::DEFAULT).feed(88, &[0; 3]).is_err());
}

#[test]
fn refuses_counts_or_skips_checks_that_differ() {
    let text = mixed(3000, 21);
    let mut file = blocks(&text, 1000, Check::Crc32);
    let open = File::open(&file, &Limits::DEFAULT).unwrap();
    let second = open.locate(1500).unwrap().unwrap();
    let check = second.range.end - 4;
    file[check as usize] ^= 1;
    let mut room = vec![0; 3000];
    let mut with = |verify| {
        let options = Options { verify, ..Options::DEFAULT };
        decode(&file, &mut room, &mut Workspace::new(), &options, &mut ()).map(|done| (done.wrote, done.checksums))
    };
    assert_eq!(with(Verify::Refuse).map_err(|error| (error.kind, error.at)), Err((ErrorKind::XzCheck, check)));
    assert_eq!(with(Verify::Report), Ok((3000, Checksums { matched: 2, mismatched: 1, unchecked: 0 })));
    assert_eq!(with(Verify::Skip), Ok((3000, Checksums { matched: 0, mismatched: 0, unchecked: 3 })));
    assert!(room == text);
    for verify in [Verify::Report, Verify::Skip] {
        let options = Options { verify, ..Options::DEFAULT };
        for file in [&file, &blocks(&text, 1000, Check::None)] {
            let whole = decode(file, &mut room, &mut Workspace::new(), &options, &mut ()).unwrap();
            let (sink, mut window) = (&mut |_: &[u8]| Ok(()), vec![0; SMALL]);
            assert_eq!(decode_to(file, sink, &mut Workspace::new(), &mut window, &options), Ok(whole), "{verify:?}");
        }
    }
    let (done, error) = salvage(&file, &mut room, &mut Workspace::new(), &Options::DEFAULT);
    assert_eq!((done.wrote, done.checksums.matched, error.unwrap().kind), (1000, 1, ErrorKind::XzCheck));
}

#[test]
fn salvages_a_truncated_file_up_to_the_cut() {
    let text = mixed(20_000, 23);
    let mut filters = Filters::new();
    filters.x86().delta_properties(&[2]).unwrap().lzma2(&options(1 << 16));
    for file in
        [preset(&text, 6, Check::Crc64), filtered(&text, &filters, Check::Crc32), blocks(&text, 900, Check::None)]
    {
        let mut most = 0;
        for cut in (0..file.len()).step_by(13) {
            let mut room = vec![0; 20_000];
            let (done, error) = salvage(&file[..cut], &mut room, &mut Workspace::new(), &Options::DEFAULT);
            assert_eq!(error.map(|error| (error.kind, error.at)), Some((ErrorKind::Truncated, cut as u64)));
            assert!(room[..done.wrote] == text[..done.wrote], "cut at {cut}");
            assert!(done.wrote >= most, "cut at {cut}");
            most = done.wrote;
        }
        assert!(most > 19_000, "{most}");
    }
}

#[test]
fn reads_the_window_size_from_the_first_header() {
    let file = filtered(&mixed(5000, 2), Filters::new().lzma2(&options(1 << 16)), Check::Sha256);
    let header = Header::read(&file, &Limits::DEFAULT).unwrap();
    assert_eq!((header.check, header.window()), (CheckKind::Sha256, (1 << 16) + 32));
    for cut in 0..24 {
        let error = Header::read(&file[..cut], &Limits::DEFAULT).unwrap_err();
        let need = if cut < 13 { 13 } else { 24 };
        assert_eq!((error.kind, error.at, error.need), (ErrorKind::Truncated, cut as u64, need));
    }
    assert_eq!(Header::read(&preset(b"", 6, Check::None), &Limits::DEFAULT).unwrap().block, None);
    // Refused as by decoding.
    let (file, tight) = (sized(&[7; 10]), Limits { max_output: 9, max_header: 20, ..Limits::DEFAULT });
    let error = Header::read(&file, &tight).unwrap_err();
    assert_eq!((error.kind, error.at, error.need), (ErrorKind::OutputLimit, 12, 10));
    let options = Options { limits: tight, ..Options::DEFAULT };
    assert_eq!(decode(&file, &mut [0; 10], &mut Workspace::new(), &options, &mut ()), Err(error));
}

#[test]
fn compares_each_byte_of_the_magic_number() {
    let first = preset(b"first", 6, Check::Crc32);
    let two = [&first[..], &preset(b"second", 6, Check::Crc32)].concat();
    for start in [0, first.len()] {
        for at in start..start + 6 {
            let mut file = two.clone();
            file[at] ^= 0x10;
            let opened = File::open(&file, &Limits::DEFAULT).map(|file| file.decoded_len());
            assert_eq!(opened.unwrap_err(), Error::new(ErrorKind::XzMagic, start as u64), "{at}");
            let header = Header::read(&file[start..], &Limits::DEFAULT);
            assert_eq!(header.unwrap_err(), Error::new(ErrorKind::XzMagic, 0), "{at}");
            let decoded = decode(&file, &mut [0; 20], &mut Workspace::new(), &Options::DEFAULT, &mut ());
            assert_eq!(decoded.unwrap_err(), Error::new(ErrorKind::XzMagic, start as u64), "{at}");
        }
    }
}

/// Decodes with tables for this number of contexts.
fn in_tables(contexts: u64, file: &[u8], room: &mut [u8]) -> Result<usize, Error> {
    fn with<const N: usize>(file: &[u8], room: &mut [u8]) -> Result<usize, Error> {
        let mut tables = Tables::<[Literals; N]>::new();
        let inspected = inspect(file, &mut tables, &Options::DEFAULT, &mut ()).unwrap();
        assert_eq!(decoded_len(file, &mut tables, &Options::DEFAULT), Ok(inspected.content));
        decode(file, room, &mut tables, &Options::DEFAULT, &mut ()).map(|done| done.wrote)
    }
    match contexts {
        0 => with::<0>(file, room),
        1 => with::<1>(file, room),
        2 => with::<2>(file, room),
        4 => with::<4>(file, room),
        8 => with::<8>(file, room),
        _ => with::<16>(file, room),
    }
}

#[test]
fn tables_are_as_large_as_the_properties_ask_for() {
    let text = mixed(3000, 61);
    for (lc, lp) in [(0, 0), (1, 0), (0, 1), (1, 1), (3, 0), (0, 3), (2, 2), (4, 0), (0, 4)] {
        let mut lzma = options(4096);
        lzma.literal_context_bits(lc).literal_position_bits(lp).position_bits(lp);
        let file = filtered(&text, Filters::new().lzma2(&lzma), Check::Crc64);
        let need = 1 << (lc + lp);
        for contexts in [0, 1, 2, 4, 8, 16] {
            let mut room = vec![0; text.len()];
            match in_tables(contexts, &file, &mut room) {
                Ok(wrote) => assert!(contexts >= need && wrote == text.len() && room == text, "{lc} {lp}"),
                Err(error) => {
                    assert_eq!(error.class(), Class::WorkspaceTooSmall { need }, "{lc} {lp}");
                    // The properties follow the headers, the control byte and the sizes.
                    assert_eq!((contexts < need, error.at), (true, 12 + 12 + 5), "{lc} {lp}");
                }
            }
        }
    }
    // A later block that needs more is refused where it says so.
    let mut few = options(4096);
    few.literal_context_bits(0);
    let first = filtered(&text, Filters::new().lzma2(&few), Check::Crc64);
    let both = [first.clone(), preset(&text, 6, Check::Crc64)].concat();
    let mut room = vec![0; 6000];
    let error = in_tables(4, &both, &mut room).unwrap_err();
    assert_eq!((error.kind, error.need, error.at), (ErrorKind::WorkspaceTooSmall, 8, first.len() as u64 + 12 + 12 + 5));
    assert_eq!(in_tables(8, &both, &mut room), Ok(6000));
    let (done, error) = salvage(&both, &mut room, &mut Tables::<[Literals; 1]>::new(), &Options::DEFAULT);
    assert_eq!((done.wrote, error.map(|error| error.kind)), (3000, Some(ErrorKind::WorkspaceTooSmall)));
    let block = File::open(&first, &Limits::DEFAULT).unwrap().locate(0).unwrap().unwrap();
    let bytes = &first[block.range.start as usize..block.range.end as usize];
    let done = decode_block(bytes, &block, &mut room, &mut Tables::<[Literals; 1]>::new(), &Options::DEFAULT).unwrap();
    assert!(done.wrote == text.len() && room[..3000] == text);
}
