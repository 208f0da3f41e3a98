//! Files with a seek table.

use super::*;

/// Returns frames in a row with a seek table after them, with or without checksums in it.
fn seekable(parts: &[&[u8]], checksums: bool) -> Vec<u8> {
    let (mut file, mut table) = (vec![], vec![]);
    for part in parts {
        let frame = zstd::bulk::compress(part, 3).unwrap();
        table.extend((frame.len() as u32).to_le_bytes());
        table.extend((part.len() as u32).to_le_bytes());
        if checksums {
            table.extend((unspool::checksum::Xxh64::of(part) as u32).to_le_bytes());
        }
        file.extend(frame);
    }
    file.extend(b"\x5E\x2A\x4D\x18");
    file.extend((table.len() as u32 + 9).to_le_bytes());
    file.extend(&table);
    file.extend((parts.len() as u32).to_le_bytes());
    file.push(if checksums { 0x80 } else { 0 });
    file.extend(b"\xB1\xEA\x92\x8F");
    file
}

#[test]
fn decodes_any_part_of_a_seekable_file() {
    let mut random = Random(3);
    let plain: Vec<u8> = (0..5000).map(|_| b'a' + random.below(26) as u8).collect();
    let parts: Vec<&[u8]> = vec![&plain[..1000], &plain[1000..1001], &[], &plain[1001..4000], &plain[4000..]];
    let (limits, options, mut workspace) = (Limits::DEFAULT, Options::DEFAULT, Workspace::new());
    for checksums in [false, true] {
        let file = seekable(&parts, checksums);
        assert_eq!(decoded(&file, &options).as_ref(), Ok(&plain));
        let opened = File::open(&file, &limits).unwrap();
        assert_eq!((opened.len(), opened.content(), opened.scratch_len()), (5, 5000, 2999));
        assert!(!opened.is_empty());
        let mut leaves = Leaves::default();
        inspect(&file, &mut workspace, &options, &mut leaves).unwrap();
        let sums = leaves.leaves.iter().filter(|(_, name)| *name == Name::Checksum).count();
        assert_eq!(sums, if checksums { 5 } else { 0 });
        leaves.assert_tile(file.len(), "seekable");
        let (mut dst, mut scratch) = (vec![0; 5000], vec![0; opened.scratch_len()]);
        for way in 0..200 {
            let start = random.below(5001);
            let end = start + random.below(5001 - start);
            let wanted = start as u64..end as u64;
            let done =
                opened.decode(&file, wanted.clone(), &mut dst[..end - start], &mut workspace, &mut scratch, &options);
            let frames = opened.frames_in(wanted.clone()).map(|frame| frame.range.end - frame.range.start);
            assert_eq!(done.map(|done| (done.read as u64, done.wrote)), Ok((frames.sum(), end - start)), "{way}");
            assert!(dst[..end - start] == plain[start..end], "{wanted:?}");
            if end > start {
                let dst = &mut dst[..end - start - 1];
                let short = opened.decode(&file, wanted, dst, &mut workspace, &mut scratch, &options);
                assert_eq!(short.unwrap_err().class(), Class::OutputTooSmall { need: (end - start) as u64 });
            }
        }
        let mut part = |wanted, scratch: &mut [u8], max_output| {
            let options = Options { limits: Limits { max_output, ..limits }, ..options };
            opened.decode(&file, wanted, &mut dst, &mut workspace, scratch, &options).map(|done| done.wrote)
        };
        // Whole frames need no scratch, a part of one needs as much as the frame.
        assert_eq!(part(1000..4000, &mut [], 5000), Ok(3000));
        let error = part(999..4000, &mut scratch[..999], 5000).unwrap_err();
        assert_eq!(error.class(), Class::WorkspaceTooSmall { need: 1000 });
        assert_eq!(part(4999..5001, &mut scratch, 5000).unwrap_err().kind, ErrorKind::RangeOutside);
        assert_eq!(part(2000..2000, &mut [], 0), Ok(0));
        // The limit is that of the part, and of its frames.
        let error = part(999..4000, &mut scratch, 3000).unwrap_err();
        assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 3001));
        assert_eq!(part(1000..4000, &mut scratch, 3000), Ok(3000));
        let error = part(1000..2000, &mut scratch, 2000).unwrap_err();
        assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 2999));
        let one = opened.frames_in(1000..1001).map(|frame| (frame.content.start, frame.content.end));
        assert_eq!(one.collect::<Vec<_>>(), [(1000, 1001)]);
        assert_eq!((opened.frames_in(7..7).count(), opened.frames_in(5000..5001).count()), (0, 0));
        by_pieces(&file, &plain);
    }
    let none = zstd::bulk::compress(&plain, 3).unwrap();
    let error = File::open(&none, &limits).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::ZstdSeekTable, none.len() as u64));
    // The example of a real writer has no frames at all.
    let empty = seekable(&[], false);
    let opened = File::open(&empty, &limits).unwrap();
    assert_eq!((opened.len(), opened.content(), opened.is_empty()), (0, 0, true));
}

/// Reads a file in ranges: only the bytes that are asked for are fetched.
fn by_pieces(file: &[u8], plain: &[u8]) {
    let fetch = |range: &std::ops::Range<u64>| &file[range.start as usize..range.end as usize];
    let (mut search, mut opened, mut places) =
        (SeekTableReader::new(file.len() as u64, &Limits::DEFAULT), None, vec![]);
    while let Some(range) = search.needs() {
        opened = search.feed(range.start, fetch(&range)).unwrap();
        places.push(range);
    }
    let opened = opened.unwrap();
    assert_eq!(places[0], file.len() as u64 - 9..file.len() as u64);
    assert_eq!(places[1].start, opened.frames().last().unwrap().range.end);
    assert_eq!((places.len(), places[1].end), (2, file.len() as u64));
    let (mut room, mut workspace) = (vec![0; opened.scratch_len()], Workspace::new());
    for frame in opened.frames() {
        let done = frame.decode(fetch(&frame.range), &mut room, &mut workspace, &Options::DEFAULT).unwrap();
        let content = &plain[frame.content.start as usize..frame.content.end as usize];
        assert_eq!(room[..done.wrote], *content);
        assert_eq!(frame.decode_to_vec(fetch(&frame.range), &Options::DEFAULT).as_deref(), Ok(content));
    }
    // Other bytes than those that were asked for.
    let mut search = SeekTableReader::new(file.len() as u64, &Limits::DEFAULT);
    assert_eq!(search.feed(0, &file[..9]).unwrap_err().class(), Class::Truncated);
    assert_eq!(search.feed(file.len() as u64 - 9, &[]).unwrap_err().class(), Class::Truncated);
}

#[test]
fn refuses_wrong_seek_tables() {
    let plain = b"some text, some text, some more text; some text, some text, some more text";
    let (limits, options, mut workspace) = (Limits::DEFAULT, Options::DEFAULT, Workspace::new());
    let file = seekable(&[&plain[..40], &plain[40..]], true);
    let kind = |file: &[u8], limits: &Limits| File::open(file, limits).map(drop).map_err(|error| error.kind);
    let table = file.len() - (8 + 24 + 9);
    let mut random = Random(5);
    let mut verdicts = BTreeMap::new();
    for at in table..file.len() {
        for _ in 0..8 {
            let mut broken = file.clone();
            broken[at] ^= 1 + random.below(255) as u8;
            let (mut dst, mut room) = (vec![0; 1 << 16], vec![0; 1 << 16]);
            let verdict = match File::open(&broken, &limits) {
                Ok(opened) if opened.content() > 1 << 16 => "claims more",
                Ok(opened) => {
                    let all = 0..opened.content();
                    match opened.decode(&broken, all, &mut dst, &mut workspace, &mut room, &options) {
                        // Bits that mean nothing.
                        Ok(done) => {
                            assert!(dst[..done.wrote] == plain[..], "other bytes with byte {at} changed");
                            "the same"
                        }
                        Err(error) => error.kind.name(),
                    }
                }
                Err(error) if error.at == broken.len() as u64 => "no table",
                Err(error) => error.kind.name(),
            };
            *verdicts.entry(verdict).or_insert(0) += 1;
        }
    }
    println!("{verdicts:?}");
    assert!(verdicts["ZstdSeekTable"] > 100 && verdicts["ZstdChecksum"] > 10 && verdicts["no table"] > 10);
    // An entry that claims a byte less or more than its frame decodes to.
    for claim in [39, 41] {
        let mut lies = file.clone();
        lies[table + 8 + 4] = claim;
        let frame = File::open(&lies, &limits).unwrap().frames().next().unwrap();
        let (bytes, mut room) = (&lies[..frame.range.end as usize], vec![0; claim.into()]);
        let error = frame.decode(bytes, &mut room, &mut workspace, &options).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::ZstdSeekTable, 0), "{claim}");
        assert_eq!(frame.decode_to_vec(bytes, &options), Err(error), "{claim}");
    }
    // Another magic number of the frame, another size of it, and another count of entries.
    for at in [table, table + 4, file.len() - 9] {
        let mut lies = file.clone();
        lies[at] ^= 1;
        assert_eq!(kind(&lies, &limits), Err(ErrorKind::ZstdSeekTable), "{at}");
        // The fields of such a frame are not those of a table.
        let mut leaves = Leaves::default();
        let _ = inspect(&lies, &mut workspace, &options, &mut leaves);
        assert!(at == table + 4 || leaves.leaves.iter().any(|(_, name)| *name == Name::SkippableData), "{at}");
    }
    // After another file, the table would name the wrong bytes.
    assert_eq!(kind(&[&file[..], &file].concat(), &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[1..], &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[file.len() - 9..], &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[..file.len() - 1], &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file, &Limits { max_header: 40, ..limits }), Err(ErrorKind::HeaderLimit));
    assert_eq!(kind(&file, &Limits { max_elements: 1, ..limits }), Err(ErrorKind::ElementLimit));
    assert_eq!(kind(&file, &Limits { max_elements: 2, ..limits }), Ok(()));
    // Four billion frames in nine bytes.
    let huge = b"\xFF\xFF\xFF\xFF\x00\xB1\xEA\x92\x8F";
    let place = |limits| {
        let mut search = SeekTableReader::new(1 << 40, limits);
        search.feed((1 << 40) - 9, huge).map(|file| (file.is_none(), search.needs()))
    };
    assert_eq!(place(&limits).unwrap_err().kind, ErrorKind::HeaderLimit);
    assert_eq!(place(&Limits::NONE), Ok((true, Some((1 << 40) - ((8 << 32) + 9)..1 << 40))));
}

#[test]
fn refuses_reports_or_skips_wrong_checksums_of_a_seek_table() {
    let plain = b"some text, some text, some more text; some text, some text, some more text";
    let mut file = seekable(&[&plain[..40], &plain[40..]], true);
    // The checksum of the first entry.
    let at = file.len() - 9 - 24 + 8;
    file[at] ^= 1;
    let opened = File::open(&file, &Limits::DEFAULT).unwrap();
    let (mut dst, mut workspace) = ([0; 80], Workspace::new());
    for (verify, counts) in
        [(Verify::Refuse, Err(ErrorKind::ZstdChecksum)), (Verify::Report, Ok((1, 1, 2))), (Verify::Skip, Ok((0, 0, 4)))]
    {
        let options = Options { verify, ..Options::DEFAULT };
        let done = opened.decode(&file, 0..plain.len() as u64, &mut dst, &mut workspace, &mut [], &options);
        let done = done.map(|Done { checksums, .. }| (checksums.matched, checksums.mismatched, checksums.unchecked));
        assert_eq!(done.map_err(|error| error.kind), counts, "{verify:?}");
    }
}
