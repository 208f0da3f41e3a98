//! Files that are truncated, changed, or claim too much.

use super::*;

/// Decodes a file with the C library.
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

#[test]
fn reports_a_cut_at_any_byte_as_truncated() {
    let (file, text) = several();
    let ends: Vec<_> = (0..file.len()).filter(|&at| reference(&file[..at]).is_some()).collect();
    let mut room = vec![0; text.len()];
    for cut in (0..4000).chain((4000..file.len() - 9100).step_by(7)).chain(file.len() - 9100..file.len()) {
        let out = decode(&file[..cut], &mut room, &mut Workspace::new(), &Options::DEFAULT, &mut ());
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
fn a_cut_before_the_last_byte_of_a_chunk_is_truncated() {
    // Some chunks end with a byte that no symbol needs, and some do not.
    for seed in 0..60 {
        let file = preset(&mixed(60, seed), 6, Check::None);
        for cut in 0..file.len() {
            let error = decoded(&file[..cut]).unwrap_err();
            assert_eq!((error.kind, error.at), (ErrorKind::Truncated, cut as u64), "{seed} cut at {cut}");
        }
    }
}

#[test]
fn refuses_the_flipped_bits_that_the_reference_refuses() {
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
                    let first = Options { streams: Streams::First, ..Options::DEFAULT };
                    let whole = decode(&broken, &mut room, &mut Workspace::new(), &first, &mut ());
                    match (whole, end) {
                        // Only a slice has an end.
                        (Err(Error { kind: ErrorKind::OutputTooSmall, .. }), _) => {}
                        // Only a stream refuses a dictionary that is too large, and only one of
                        // both may read further.
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

/// Writes the CRC-32 of these bytes after them.
fn crc(file: &mut [u8], data: std::ops::Range<usize>) {
    let crc = unspool::checksum::Crc32::of(&file[data.clone()]).to_le_bytes();
    file[data.end..data.end + 4].copy_from_slice(&crc);
}

/// `unspool.xz`, with something changed; its errors by name.
#[test]
fn reports_each_error_by_its_kind() {
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
    let (block, options_of_4096) = (12..20, options(4096));
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
    // Unknown kinds of checks.
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
    let options = Options { verify: Verify::Skip, ..Options::DEFAULT };
    let out = decode_to_vec(&unverified, &options);
    assert_eq!(out.as_deref(), Ok(&b"unspool unspool unspool"[..]));
    let error = streamed(&unverified, WINDOW, || (7, 7)).1.unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzCheckKind, 7));
    let place = File::open(&unverified, &Limits::DEFAULT).unwrap().locate(0).unwrap().unwrap();
    let bytes = &unverified[place.range.start as usize..place.range.end as usize];
    let error = decode_block_to_vec(bytes, &place, &Options::DEFAULT).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzCheckKind, 12));
    assert_eq!(decode_block_to_vec(bytes, &place, &options).as_deref(), Ok(&b"unspool unspool unspool"[..]));
    let error = decode_block_to_vec(&[bytes, &[0]].concat(), &place, &options).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzIndex, 12));
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
    // An unknown filter before LZMA2.
    for id in [0x02, 0x0C] {
        let chain = |file: &mut Vec<u8>| {
            file[13..19].copy_from_slice(&[1, id, 0, 0x21, 1, 0]);
            crc(file, block.clone());
        };
        assert_eq!(verdict(&chain), Err((ErrorKind::XzFilter, 14)));
    }
    assert_eq!(verdict(&set(15, 0x02)), Err((ErrorKind::XzFilterProperties, 16)));
    assert_eq!(verdict(&set(15, 0x06)), Err((ErrorKind::XzBlockHeader, 16)));
    assert_eq!(verdict(&set(19, 1)), Err((ErrorKind::XzPadding, 19)));
    // Machines whose instructions are aligned, and where the first of them may be.
    for (id, alignment) in (4..).zip([1, 4, 16, 4, 2, 4, 4, 2]) {
        for start in [alignment, alignment / 2] {
            let chain = [3, 1, id, 4, start, 0, 0, 0, 0x21, 1, good[16], 0, 0, 0, 0, 0];
            let mut file = [&good[..12], &chain, &good[24..]].concat();
            crc(&mut file, 12..24);
            let kind = decoded(&file).unwrap_err().kind;
            assert_eq!(kind == ErrorKind::XzFilterProperties, start % alignment != 0, "{id} {start}: {kind:?}");
        }
    }
    // A compressed size in the header: all of the block, less than its chunk, and its chunk alone.
    for (size, expected) in [(22, None), (20, Some(29)), (21, Some(45)), (23, Some(45))] {
        let change = |file: &mut Vec<u8>| {
            let bits = file[16];
            file[13..19].copy_from_slice(&[0x40, size, 0x21, 1, bits, 0]);
            crc(file, block.clone());
        };
        let mut file = good.clone();
        change(&mut file);
        let expected = expected.map_or(Ok(()), |at| Err((ErrorKind::XzBlockSize, at)));
        assert_eq!(verdict(&change), expected, "{size}");
        let in_pieces = streamed(&file, WINDOW, || (7, 100)).1;
        assert_eq!(in_pieces.map_err(|error| (error.kind, error.at)), expected, "{size} in pieces");
    }
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
    let longer = |file: &mut Vec<u8>| {
        file[26] += 1;
        record(0x37, 24)(file);
    };
    assert_eq!(verdict(&longer), Err((ErrorKind::XzChunkEnd, 45)));
    assert_eq!(verdict(&|file| file[0x46] = b'y'), Err((ErrorKind::XzFooter, 0x46)));
    assert_eq!(verdict(&|file| file[0x3C] ^= 1), Err((ErrorKind::XzHeaderCrc, 0x3C)));
    let backward = |file: &mut Vec<u8>| {
        file[0x40] = 2;
        let footer = unspool::checksum::Crc32::of(&file[0x40..0x46]).to_le_bytes();
        file[0x3C..0x40].copy_from_slice(&footer);
    };
    assert_eq!(verdict(&backward), Err((ErrorKind::XzFooter, 0x40)));
    let mut before = good.clone();
    before[0x41] = 1;
    let footer = unspool::checksum::Crc32::of(&before[0x40..0x46]).to_le_bytes();
    before[0x3C..0x40].copy_from_slice(&footer);
    let error = File::open(&before, &Limits::DEFAULT).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::XzFooter, 0x40));
    // The padding of an index whose records do not fill four bytes.
    let padded = filtered(&mixed(200, 1), Filters::new().lzma2(&options_of_4096), Check::Crc32);
    let index = padded.len() - 12 - 4 * (usize::from(padded[padded.len() - 8]) + 1);
    for at in index..padded.len() - 16 {
        let mut file = padded.clone();
        file[at] ^= 1;
        crc(&mut file, index..padded.len() - 16);
        assert!(File::open(&file, &Limits::DEFAULT).is_err() || padded[at] != 0, "{at}");
    }
    let flags = |file: &mut Vec<u8>| {
        file[0x45] = 4;
        let footer = unspool::checksum::Crc32::of(&file[0x40..0x46]).to_le_bytes();
        file[0x3C..0x40].copy_from_slice(&footer);
    };
    assert_eq!(verdict(&flags), Err((ErrorKind::XzFooter, 0x44)));
    assert_eq!(verdict(&|file| file.truncate(0)), Err((ErrorKind::Truncated, 0)));
    assert_eq!(verdict(&|file| file[1] = b'8'), Err((ErrorKind::XzMagic, 0)));
}

#[test]
fn allocates_no_memory_for_impossible_sizes() {
    // 500 chunks, each of which claims 2 MiB in its five bytes of a range coder and one more.
    let mut file = b"\xFD7zXZ\0\0\0....\x02\0\x21\x01\x10\0\0\0....".to_vec();
    crc(&mut file, 6..8);
    crc(&mut file, 12..20);
    for number in 0..500 {
        file.extend([if number == 0 { 0xFF } else { 0x9F }, 0xFF, 0xFF, 0, 5]);
        file.extend(if number == 0 { &[0x5D, 0, 0, 0, 0, 0, 0][..] } else { &[0; 6] });
    }
    file.push(0);
    let (unpadded, content) = (file.len() - 12, 500 << 21);
    file.resize(file.len().next_multiple_of(4), 0);
    let start = file.len();
    file.extend([0, 1]);
    for mut number in [unpadded, content] {
        while number > 127 {
            file.push(number as u8 | 0x80);
            number >>= 7;
        }
        file.push(number as u8);
    }
    file.resize(file.len().next_multiple_of(4), 0);
    let end = file.len();
    file.extend(*b"....");
    crc(&mut file, start..end);
    let footer = [&((end - start) as u32 / 4).to_le_bytes()[..], &[0, 0]].concat();
    file.extend(unspool::checksum::Crc32::of(&footer).to_le_bytes());
    file.extend([&footer[..], b"YZ"].concat());
    let sizes = inspect(&file, &mut Workspace::new(), &Options::DEFAULT, &mut ()).unwrap();
    assert_eq!((sizes.content, sizes.wrote), (content as u64, 0));
    // The first chunk has too few bytes. It fails before memory for the claims of the others is
    // allocated.
    let error = decoded(&file).unwrap_err();
    assert!(error.class() == Class::Corrupt && error.at < 60, "{error}");
    let whole = File::open(&file, &Limits::DEFAULT).unwrap();
    let block = whole.locate(0).unwrap().unwrap();
    let bytes = &file[block.range.start as usize..block.range.end as usize];
    assert_eq!(decode_block_to_vec(bytes, &block, &Options::DEFAULT), Err(error));
}

/// The header of a block may claim more than its bytes can decode to, or than its chunks claim. An
/// error in the symbols comes first.
#[test]
fn a_claim_of_too_much_hides_no_error_before_it() {
    let good = read(&vector_folders("xz")[0].join("unspool.xz"));
    let header = b"\x03\x80\x80\x80\x80\x10\x21\x01\x10\0\0\0....";
    let mut file = [&good[..12], header, &good[24..]].concat();
    crc(&mut file, 12..24);
    let (mut room, mut kinds) = (vec![0; 32 << 20], vec![]);
    for len in [file.len(), 48, 40] {
        for bit in 0..8 * len {
            let mut file = file[..len].to_vec();
            file[bit / 8] ^= 1 << (bit % 8);
            let whole = decode(&file, &mut room, &mut Workspace::new(), &Options::DEFAULT, &mut ());
            let Err(error) = whole else { panic!("bit {bit} of {len}: {whole:?}") };
            assert_eq!(decoded(&file), Err(error), "bit {bit} of {len}");
            kinds.push(error.kind);
        }
    }
    for kind in [ErrorKind::XzDistance, ErrorKind::XzChunkEnd, ErrorKind::XzBlockSize, ErrorKind::Truncated] {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
}

#[test]
fn refuses_an_index_beyond_the_limit() {
    let file = blocks(&mixed(4000, 7), 20, Check::Crc32);
    let header = |max_header| Limits { max_header, ..Limits::DEFAULT };
    let mut room = [0; 4000];
    let mut verdict = |max| decode(&file, &mut room, &mut Workspace::new(), &within(header(max)), &mut ());
    assert_eq!(verdict(100).unwrap_err().kind, ErrorKind::HeaderLimit);
    assert_eq!(verdict(10_000).map(|done| done.wrote), Ok(4000));
    assert_eq!(File::open(&file, &header(100)).unwrap_err().kind, ErrorKind::HeaderLimit);
    // At the same byte, however the index is split.
    for max in [8, 50, 81] {
        let verdict = |piece: usize| {
            let (mut ws, mut window) = (Workspace::new(), vec![0; 9 << 20]);
            let mut decoder = Decoder::new(&mut ws, &mut window, &within(header(max)));
            let mut at = 0;
            loop {
                let to = file.len().min(at + piece);
                let end = if to == file.len() { End::Here } else { End::NotYet };
                match decoder.step(&file[at..to], end, &mut [0; 4000]) {
                    Ok(step) => at += step.read,
                    Err(error) => return error,
                }
            }
        };
        let error = verdict(1);
        assert_eq!((error.kind, error.need), (ErrorKind::HeaderLimit, max + 1));
        assert!([2, 5, 13, 100, file.len()].into_iter().all(|piece| verdict(piece) == error), "{max}");
    }
}

#[test]
fn refuses_a_bomb_at_once() {
    let zeros = vec![0; 64 << 20];
    let bomb = preset(&zeros, 6, Check::None);
    assert!(bomb.len() < 20_000);
    let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
    let mut ws = Workspace::new();
    let refused = decode_to_vec(&bomb, &within(limits)).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::OutputLimit);
    assert!((1 << 20..4 << 20).contains(&refused.need), "{refused}");
    let mut room = vec![0; 2 << 20];
    assert_eq!(decode(&bomb, &mut room, &mut ws, &within(limits), &mut ()), Err(refused));
    let error = decode(&bomb, &mut room[..1 << 20], &mut ws, &Options::DEFAULT, &mut ()).unwrap_err();
    assert_eq!(error, Error { kind: ErrorKind::OutputTooSmall, ..refused });
    assert_eq!(decoded_len(&bomb, &mut ws, &within(limits)).map_err(|error| error.need), Err(64 << 20));
    let mut window = vec![0; 9 << 20];
    let mut decoder = Decoder::new(&mut ws, &mut window, &within(limits));
    let (mut wrote, mut at) = (0, 0);
    let error = loop {
        match decoder.step(&bomb[at..], End::Here, &mut room) {
            Ok(step) => (wrote, at) = (wrote + step.wrote, at + step.read),
            Err(error) => break error,
        }
    };
    assert_eq!(error, refused);
    assert!(wrote <= 1 << 20, "{wrote}");
}

/// One file has one error through each door that takes the whole file, and no field beyond the end
/// of a truncated file.
#[test]
fn reports_the_same_error_through_each_door() {
    let text = mixed(6000, 50);
    let mut random = Random(17);
    let (mut broken, mut cut) = (0, 0);
    let lzma = options(4096);
    for file in
        [preset(&text, 6, Check::Crc32), filtered(&text, Filters::new().x86().lzma2(&lzma), Check::Crc64), several().0]
    {
        for _ in 0..400 {
            let mut file = file.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(file.len());
                file[at] ^= 1 << random.below(8);
            }
            let mut room = vec![0; 1 << 20];
            let mut ws = Workspace::new();
            let whole = decode(&file, &mut room, &mut ws, &Options::DEFAULT, &mut ());
            let vec = decoded(&file);
            let (_, saved) = salvage(&file, &mut room, &mut ws, &Options::DEFAULT);
            let sink = &mut |_: &[u8]| Ok(());
            let sunk = decode_to(&file, sink, &mut ws, &mut vec![0; WINDOW], &Options::DEFAULT);
            if matches!(whole, Err(Error { kind: ErrorKind::OutputTooSmall, .. })) {
                continue;
            }
            assert_eq!(vec.map(|out| out.len()), whole.map(|done| done.wrote));
            assert_eq!(saved, whole.err());
            if !matches!(sunk, Err(Error { kind: ErrorKind::XzWindowBuffer | ErrorKind::WindowLimit, .. })) {
                assert_eq!(sunk.map(|done| done.wrote), whole.map(|done| done.wrote));
            }
            broken += usize::from(whole.is_err());
        }
        for end in (0..file.len().min(2000)).chain(file.len().saturating_sub(200)..file.len()) {
            let mut leaves = Leaves::default();
            cut += usize::from(inspect(&file[..end], &mut Workspace::new(), &Options::DEFAULT, &mut leaves).is_err());
            assert!(leaves.leaves.iter().all(|(bits, _)| bits.end <= 8 * end as u64), "cut at {end}");
        }
    }
    assert!(broken > 1000 && cut > 3000, "{broken} broken, {cut} cut");
}
