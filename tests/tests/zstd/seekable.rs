//! Files with a seek table.

use super::*;

/// Frames in a row with a seek table behind them, with or without checksums in it.
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
fn parts_of_a_seekable_file() {
    let mut random = Random(3);
    let plain: Vec<u8> = (0..5000).map(|_| b'a' + random.below(26) as u8).collect();
    let parts: Vec<&[u8]> = vec![&plain[..1000], &plain[1000..1001], &[], &plain[1001..4000], &plain[4000..]];
    let (limits, options, mut ws) = (Limits::DEFAULT, Options::DEFAULT, Workspace::new());
    for checksums in [false, true] {
        let file = seekable(&parts, checksums);
        assert_eq!(decoded(&file, &options).as_ref(), Ok(&plain));
        let table = SeekTable::of(&file, &limits).unwrap().unwrap();
        assert_eq!((table.len(), table.content(), table.room(), table.is_empty()), (5, 5000, 2999, false));
        let mut leaves = Leaves::default();
        inspect(&file, &mut ws, &limits, &options, &mut leaves).unwrap();
        let sums = leaves.leaves.iter().filter(|(_, name)| *name == Name::Checksum).count();
        assert_eq!(sums, if checksums { 5 } else { 0 });
        leaves.assert_tile(file.len(), "seekable");
        let (mut dst, mut room) = (vec![0; 5000], vec![0; table.room()]);
        for way in 0..200 {
            let start = random.below(5001);
            let end = start + random.below(5001 - start);
            let wanted = start as u64..end as u64;
            let wrote = table.decode(&file, wanted.clone(), &mut dst[..end - start], &mut room, &mut ws, &options);
            assert_eq!(wrote, Ok(end - start), "{way}");
            assert!(dst[..end - start] == plain[start..end], "{wanted:?}");
            if end > start {
                let short = table.decode(&file, wanted, &mut dst[..end - start - 1], &mut room, &mut ws, &options);
                assert_eq!(short.unwrap_err().class(), Class::OutputTooSmall { need: (end - start) as u64 });
            }
        }
        // Whole frames need no room beside the output, a part of one needs as much as the frame.
        assert_eq!(table.decode(&file, 1000..4000, &mut dst, &mut [], &mut ws, &options), Ok(3000));
        let error = table.decode(&file, 999..4000, &mut dst, &mut room[..999], &mut ws, &options).unwrap_err();
        assert_eq!(error.class(), Class::WorkspaceTooSmall { need: 1000 });
        let outside = table.decode(&file, 4999..5001, &mut dst, &mut room, &mut ws, &options).unwrap_err();
        assert_eq!(outside.kind, ErrorKind::RangeOutside);
        // The limit is that of the part, and of its frames.
        let allowed = |max_output| SeekTable::of(&file, &Limits { max_output, ..limits }).unwrap().unwrap();
        let error = allowed(3000).decode(&file, 999..4000, &mut dst, &mut room, &mut ws, &options).unwrap_err();
        assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 3001));
        assert_eq!(allowed(3000).decode(&file, 1000..4000, &mut dst, &mut room, &mut ws, &options), Ok(3000));
        let error = allowed(2000).decode(&file, 1000..2000, &mut dst, &mut room, &mut ws, &options).unwrap_err();
        assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 2999));
        let one = table.frames_in(1000..1001).map(|frame| (frame.content.start, frame.content.end));
        assert_eq!(one.collect::<Vec<_>>(), [(1000, 1001)]);
        assert_eq!((table.frames_in(7..7).count(), table.frames_in(5000..5001).count()), (0, 0));
        by_pieces(&file, &plain);
    }
    let none = zstd::bulk::compress(&plain, 3).unwrap();
    assert!(SeekTable::of(&none, &limits).unwrap().is_none());
    // The example of a real writer has no frames at all.
    let empty = seekable(&[], false);
    assert_eq!(SeekTable::of(&empty, &limits).unwrap().map(|table| (table.len(), table.content())), Some((0, 0)));
}

/// A file that is not at hand: only the bytes that are asked for are looked at.
fn by_pieces(file: &[u8], plain: &[u8]) {
    let (limits, mut ws) = (Limits::DEFAULT, Workspace::new());
    let place = SeekTable::place(*file.last_chunk().unwrap(), file.len() as u64, &limits).unwrap().unwrap();
    let fetch = |range: &std::ops::Range<u64>| file[range.start as usize..range.end as usize].to_vec();
    let bytes = fetch(&place);
    let table = SeekTable::open(&bytes, &place, &limits).unwrap();
    assert_eq!(place.start, table.frames().last().unwrap().range.end);
    let mut room = vec![0; table.room()];
    for frame in table.frames() {
        let done = frame.decode(&fetch(&frame.range), &mut room, &mut ws, &limits, &Options::DEFAULT).unwrap();
        assert_eq!(room[..done.wrote], plain[frame.content.start as usize..frame.content.end as usize]);
    }
}

#[test]
fn seek_tables_that_do_not_fit_are_refused() {
    let plain = b"some text, some text, some more text; some text, some text, some more text";
    let (limits, options, mut ws) = (Limits::DEFAULT, Options::DEFAULT, Workspace::new());
    let file = seekable(&[&plain[..40], &plain[40..]], true);
    let kind =
        |file: &[u8], limits: &Limits| SeekTable::of(file, limits).map(|table| table.is_some()).map_err(|e| e.kind);
    let table = file.len() - (8 + 24 + 9);
    let mut random = Random(5);
    let mut verdicts = BTreeMap::new();
    for at in table..file.len() {
        for _ in 0..8 {
            let mut broken = file.clone();
            broken[at] ^= 1 + random.below(255) as u8;
            let (mut dst, mut room) = (vec![0; 1 << 16], vec![0; 1 << 16]);
            let verdict = match SeekTable::of(&broken, &limits) {
                Ok(Some(table)) if table.content() > 1 << 16 => "claims more",
                Ok(Some(table)) => {
                    match table.decode(&broken, 0..table.content(), &mut dst, &mut room, &mut ws, &options) {
                        // Bits that mean nothing.
                        Ok(wrote) => {
                            assert!(dst[..wrote] == plain[..], "other bytes with byte {at} changed");
                            "the same"
                        }
                        Err(error) => error.kind.name(),
                    }
                }
                Ok(None) => "no table",
                Err(error) => error.kind.name(),
            };
            *verdicts.entry(verdict).or_insert(0) += 1;
        }
    }
    println!("{verdicts:?}");
    assert!(verdicts["ZstdSeekTable"] > 100 && verdicts["ZstdChecksum"] > 10 && verdicts["no table"] > 10);
    // Behind another file it would name the wrong bytes.
    assert_eq!(kind(&[&file[..], &file].concat(), &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[1..], &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[file.len() - 9..], &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[..file.len() - 1], &limits), Ok(false));
    assert_eq!(kind(&file, &Limits { max_header: 40, ..limits }), Err(ErrorKind::HeaderLimit));
    assert_eq!(kind(&file, &Limits { max_elements: 1, ..limits }), Err(ErrorKind::ElementLimit));
    // Also where somebody else has found the place.
    let place = table as u64..file.len() as u64;
    let opened = SeekTable::open(&file[table..], &place, &Limits { max_elements: 1, ..limits });
    assert_eq!(opened.map(|_| ()).map_err(|error| error.kind), Err(ErrorKind::ElementLimit));
    // Four billion frames in nine bytes.
    let huge = b"\xFF\xFF\xFF\xFF\x00\xB1\xEA\x92\x8F";
    assert_eq!(SeekTable::place(*huge, 1 << 40, &limits).unwrap_err().kind, ErrorKind::HeaderLimit);
    assert_eq!(SeekTable::place(*huge, 1 << 40, &Limits::NONE), Ok(Some((1 << 40) - ((8 << 32) + 9)..1 << 40)));
}
