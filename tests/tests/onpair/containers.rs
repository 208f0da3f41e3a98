//! The container `ONPAIR01`: decoded exactly, emitted with the place of everything, and refused
//! where it is broken.

use super::*;

/// Runs `test` on every container: its name, its bytes, its decoded bytes. Returns their number.
pub fn containers(mut test: impl FnMut(&str, &[u8], &[u8], &[Range<usize>])) -> usize {
    let mut ran = 0;
    for (folder, entries) in folders([5, 9], "container") {
        for entry in &entries {
            let (expected, rows) = expected(&folder, entry);
            let file = text(entry, "file");
            test(file, &read(&folder.join(file)), &expected, &rows);
            ran += 1;
        }
    }
    assert!(ran >= 5);
    ran
}

fn inspect(bytes: &[u8], limits: Limits, trace: &mut impl Trace) -> Result<Done, Error> {
    unspool::onpair::inspect(bytes, &mut Workspace::new(), &Options { limits }, trace)
}

/// The bits of a code and the tables of a file that is read in the ranges of its outline.
fn outlined(bytes: &[u8]) -> (Leaves, Result<Outline, Error>) {
    let (mut leaves, mut outline) = (Leaves::default(), Outline::new(bytes.len() as u64));
    while let Some(range) = outline.needs() {
        if let Err(error) = outline.feed(range.start, &bytes[range.start as usize..range.end as usize], &mut leaves) {
            assert_eq!((outline.needs(), outline.feed(0, &[], &mut leaves)), (None, Ok(())));
            return (leaves, Err(error));
        }
    }
    (leaves, Ok(outline))
}

#[test]
fn every_container_is_exact_and_its_leaves_tile_it() {
    containers(|name, bytes, expected, rows| {
        for trailing in [0, 13] {
            let bytes = [bytes, &vec![7; trailing]].concat();
            let container = File::open(&bytes, &Limits::DEFAULT).unwrap();
            assert_eq!(container.len() as usize + trailing, bytes.len());
            decodes(name, container.column(), expected, rows);
            let conforming = container.column().conforming().unwrap();
            decodes(name, &conforming, expected, rows);
            let mut leaves = Leaves::default();
            inspect(&bytes, Limits::DEFAULT, &mut leaves).unwrap();
            let rows_told = leaves.leaves.iter().filter(|(_, name)| *name == Name::Row).count();
            assert_eq!(rows_told, rows.len());
            let (tables, outline) = outlined(&bytes);
            let outline = outline.unwrap();
            assert_eq!((outline.places(), outline.bits()), (container.places(), container.column().codes().bits()));
            let mut known = tables.leaves.iter().filter(|leaf| ![Name::Tokens, Name::Codes].contains(&leaf.1));
            assert!(known.all(|leaf| leaves.leaves.contains(leaf)), "{name}");
            tables.assert_tile(bytes.len(), name);
            leaves.assert_tile(bytes.len(), name);
        }
    });
}

#[test]
fn refuses_a_container_cut_at_any_byte() {
    containers(|name, bytes, _, _| {
        for cut in (0..bytes.len()).filter(|cut| bytes.len() < 30_000 || cut % 7 == 0) {
            let error = File::open(&bytes[..cut], &Limits::DEFAULT).unwrap_err();
            assert_eq!((error.kind, error.at), (ErrorKind::Truncated, cut as u64), "{name} cut at {cut}");
            assert!(error.need > cut as u64 && error.need <= bytes.len() as u64, "{name} cut at {cut}");
            let mut leaves = Leaves::default();
            assert_eq!(inspect(&bytes[..cut], Limits::DEFAULT, &mut leaves).unwrap_err(), error);
            // Everything is emitted but the first bytes, or a number of entries, if the cut splits
            // them.
            let told = leaves.leaves.iter().map(|(bits, _)| bits.end as usize / 8).max().unwrap_or(0);
            assert!((cut < 9 && told == 0) || cut - told < 4, "{name} cut at {cut}, told {told}");
            leaves.assert_tile(told, name);
            assert_eq!(outlined(&bytes[..cut]).1.unwrap_err(), error);
        }
    });
}

#[test]
fn salvages_the_rows_before_the_break_of_a_container() {
    containers(|name, bytes, expected, rows| {
        let [.., words, offsets] = File::open(bytes, &Limits::DEFAULT).unwrap().places().clone();
        let offsets = offsets.start as usize..offsets.end as usize;
        let salvaged = |bytes: &[u8], error: &Error| match File::salvage(bytes, &Limits::DEFAULT) {
            Err(only) => {
                assert_eq!(only, *error, "{name}");
                None
            }
            Ok((file, told)) => {
                assert_eq!(told, Some(*error), "{name}");
                let count = file.column().rows().end as usize;
                let end = count.checked_sub(1).map_or(0, |last| rows[last].end);
                let decoded = file.column().decode_to_vec(0..count as u64).unwrap();
                assert!(decoded == expected[..end], "{name}: {count} rows");
                assert_eq!(file.len() as usize, offsets.start + 4 * (count + 1), "{name}");
                Some(count)
            }
        };
        for cut in (0..bytes.len()).filter(|cut| bytes.len() < 30_000 || cut % 7 == 0) {
            let bytes = &bytes[..cut];
            let there = cut.checked_sub(offsets.start).and_then(|len| (len / 4).checked_sub(1));
            assert_eq!(
                salvaged(bytes, &File::open(bytes, &Limits::DEFAULT).unwrap_err()),
                there,
                "{name} cut at {cut}"
            );
        }
        // One that is below the one before it, and one that is beyond all codes.
        let middle = rows.len().div_ceil(2);
        for (wrong, at) in [(0, rows.len()), (0, middle), (u32::MAX, rows.len()), (u32::MAX, middle)] {
            if at == 0 {
                continue;
            }
            let mut bytes = bytes.to_vec();
            let place = offsets.start + 4 * at..offsets.start + 4 * at + 4;
            let before = u32::from_le_bytes(bytes[place.start - 4..place.start].try_into().unwrap());
            bytes[place].copy_from_slice(&wrong.to_le_bytes());
            if wrong >= before && u64::from(wrong) <= (words.end - words.start) * 8 {
                continue;
            }
            assert_eq!(
                salvaged(&bytes, &File::open(&bytes, &Limits::DEFAULT).unwrap_err()),
                Some(at - 1),
                "{name} {at}"
            );
        }
        let (file, error) = File::salvage(bytes, &Limits::DEFAULT).unwrap();
        assert_eq!((file.column().rows().end as usize, error), (rows.len(), None));
        let few = Limits { max_header: 3, ..Limits::DEFAULT };
        assert_eq!(File::salvage(bytes, &few).unwrap_err().kind, ErrorKind::HeaderLimit);
    });
}

/// A container with these tables.
pub fn container(bits: u8, dictionary: &[u8], token_offsets: &[u32], words: &[u64], row_offsets: &[u32]) -> Vec<u8> {
    let mut bytes = b"ONPAIR01".to_vec();
    bytes.push(bits);
    bytes.extend((dictionary.len() as u32).to_le_bytes());
    bytes.extend(dictionary);
    bytes.extend((token_offsets.len() as u32).to_le_bytes());
    bytes.extend(token_offsets.iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend((words.len() as u32).to_le_bytes());
    bytes.extend(words.iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend((row_offsets.len() as u32).to_le_bytes());
    bytes.extend(row_offsets.iter().flat_map(|n| n.to_le_bytes()));
    bytes
}

#[test]
fn refuses_hostile_containers_at_the_broken_byte() {
    let verdict = |bytes: &[u8]| {
        let inspected = inspect(bytes, Limits::DEFAULT, &mut ()).map(drop);
        let mut out = [0; 64];
        let opened = File::open(bytes, &Limits::DEFAULT);
        let decoded = opened.and_then(|file| file.column().decode_into(file.column().rows(), &mut out)).map(drop);
        assert_eq!(inspected, decoded);
        // It reads only the framing, but checks that as strictly.
        match (outlined(bytes).1, &inspected) {
            (Err(error), said) => assert_eq!(said, &Err(error)),
            (Ok(_), Err(error)) => assert_ne!(error.class(), Class::Truncated),
            (Ok(outline), Ok(())) => {
                assert_eq!(outline.places(), File::open(bytes, &Limits::DEFAULT).unwrap().places())
            }
        }
        decoded.err().map(|error| (error.kind, error.at))
    };
    // Offsets: 9 dictionary length, 13 tokens, 16 count, 20 token offsets, 32 count, 36 words, 44
    // count, 48 rows.
    let good = container(9, b"abc", &[0, 1, 3], &[0b1_000000000], &[0, 1, 2]);
    assert_eq!(verdict(&good), None);
    assert_eq!(verdict(b"ONPAIR02"), Some((ErrorKind::OnPairMagic, 0)));
    for bits in [0, 17, 64, 255] {
        assert_eq!(verdict(&container(bits, b"abc", &[0, 1, 3], &[0], &[0])), Some((ErrorKind::OnPairBits, 8)));
    }
    let tables = |tokens: &[u32], rows: &[u32]| verdict(&container(9, b"abc", tokens, &[0b1_000000000], rows));
    assert_eq!(tables(&[], &[0]), Some((ErrorKind::OnPairTable, 20)));
    assert_eq!(tables(&[1, 3], &[0]), Some((ErrorKind::OnPairFirstOffset, 20)));
    assert_eq!(tables(&[0, 2, 1], &[0]), Some((ErrorKind::OnPairTokenEmpty, 28)));
    assert_eq!(tables(&[0, 4], &[0]), Some((ErrorKind::OnPairTokenOutside, 24)));
    assert_eq!(tables(&[0, 17], &[0]), Some((ErrorKind::OnPairTokenLength, 24)));
    assert_eq!(tables(&[0, 1, 3], &[]), Some((ErrorKind::OnPairTable, 48)));
    assert_eq!(tables(&[0, 1, 3], &[0, 2, 1]), Some((ErrorKind::OnPairRowOrder, 56)));
    assert_eq!(tables(&[0, 1, 3], &[0, 8]), Some((ErrorKind::OnPairCodesShort, 44)));
    assert_eq!(tables(&[0, 1], &[0, 1, 2]), Some((ErrorKind::OnPairCode, 33)));
    // Counts that no file can hold.
    for at in [9, 16, 32, 44] {
        let mut bytes = good.clone();
        bytes[at..at + 4].fill(0xFF);
        assert_eq!(verdict(&bytes), Some((ErrorKind::Truncated, bytes.len() as u64)));
    }
    // Fewer bytes than it needs.
    let short = Outline::new(90).feed(0, &good[..7], &mut ()).unwrap_err();
    assert_eq!((short.kind, short.at), (ErrorKind::Truncated, 7));
    // Bytes that start after the range it needs, and more bytes than that.
    let late = Outline::new(90).feed(1, &good, &mut ()).unwrap_err();
    assert_eq!((late.class(), late.at, late.need), (Class::Misuse, 0, 9));
    let mut outline = Outline::new(good.len() as u64);
    while outline.needs().is_some() {
        outline.feed(0, &good, &mut ()).unwrap();
    }
    assert_eq!(outline.places(), File::open(&good, &Limits::DEFAULT).unwrap().places());
}

#[test]
fn checks_limits_before_any_work() {
    let bytes = container(9, b"abc", &[0, 1, 3], &[0b1_000000000], &[0, 1, 2]);
    let open = |limits: Limits| File::open(&bytes, &limits).map(drop).unwrap_err().kind;
    assert_eq!(open(Limits { max_header: 23, ..Limits::DEFAULT }), ErrorKind::HeaderLimit);
    let few = Limits { max_elements: 1, ..Limits::DEFAULT };
    let tokens = File::open(&bytes, &few).map(drop).unwrap_err();
    assert_eq!((tokens.kind, tokens.at, tokens.need), (ErrorKind::ElementLimit, 0, 2));
    // The limit holds for rows, too, and shows at the first of their offsets.
    let one_token = container(9, b"a", &[0, 1], &[0], &[0, 1, 1]);
    let rows = File::open(&one_token, &few).map(drop).unwrap_err();
    assert_eq!((rows.kind, rows.at, rows.need), (ErrorKind::ElementLimit, 42, 2));
    let limits = Limits { max_output: 2, ..Limits::DEFAULT };
    let file = File::open(&bytes, &limits).unwrap();
    let column = file.column();
    let mut out = [0; 8];
    let too_long = Error::new(ErrorKind::OutputLimit, 0).needing(3);
    assert_eq!(column.decode_into(0..2, &mut out), Err(too_long));
    assert_eq!(column.decode_into(0..2, &mut out[..1]), Err(too_long));
    let mut sink = Count::default();
    assert_eq!(column.decode_to(0..2, &mut sink), Err(too_long));
    assert_eq!((sink.0, column.decode_to(1..2, &mut sink)), (0, Ok(2)));
    assert_eq!(column.decode_to_vec(0..2), Err(too_long));
    assert_eq!(column.decode_arrow(0..2, &mut out, &mut [0u64; 3]).unwrap_err().kind, ErrorKind::OutputLimit);
    assert_eq!(column.decode_into(1..2, &mut out), Ok(2));
}

#[test]
fn mutated_containers_never_panic_and_all_readers_agree() {
    containers(|name, bytes, _, _| {
        let mut random = Random(bytes.len() as u64);
        let header = bytes.len().min(2000);
        for _ in 0..400 {
            let mut mutated = bytes.to_vec();
            for _ in 0..=random.below(3) {
                let bound = if random.below(2) == 0 { mutated.len() } else { header.min(mutated.len()) };
                let at = random.below(bound.max(1)).min(mutated.len().saturating_sub(1));
                match random.below(5) {
                    0 => mutated[at] ^= 1 << random.below(8),
                    1 => mutated[at] = random.below(256) as u8,
                    2 => drop(mutated.remove(at)),
                    3 => mutated.insert(at, random.below(256) as u8),
                    _ => mutated.truncate(at.max(1)),
                }
            }
            agree(name, &mutated);
        }
    });
}

/// Every way to read a container returns the same bytes, or the same error.
fn agree(name: &str, bytes: &[u8]) {
    let limits = Limits { max_output: 1 << 22, ..Limits::DEFAULT };
    let mut leaves = Leaves::default();
    let inspected = inspect(bytes, limits, &mut leaves).map(drop);
    if inspected.is_ok() {
        leaves.assert_tile(bytes.len(), name);
    }
    let file = match File::open(bytes, &limits) {
        Ok(file) => file,
        Err(error) => return assert_eq!(inspected, Err(error), "{name}"),
    };
    let column = *file.column();
    assert_eq!(column.check(), inspected, "{name}");
    let whole = column.decode_to_vec(column.rows());
    let mut sunk: Vec<u8> = vec![];
    let mut sink = |bytes: &[u8]| {
        sunk.extend(bytes);
        Ok(())
    };
    let streamed = column.decode_to(column.rows(), &mut sink);
    let by_row: Result<Vec<u8>, Error> = column.rows().try_fold(vec![], |mut all, row| {
        all.extend(column.decode_to_vec(row..row + 1)?);
        Ok(all)
    });
    let (mut padded, mut lens) = (vec![[0; 16]; column.dictionary().len()], vec![0; column.dictionary().len()]);
    let wide = column.widened(&mut padded, &mut lens).unwrap();
    assert_eq!(wide.decode_to_vec(wide.rows()), whole, "{name}");
    assert_eq!(streamed.is_ok(), whole.is_ok(), "{name}");
    match whole {
        Ok(whole) => assert!(sunk == whole && by_row == Ok(whole), "{name}"),
        Err(error) => assert!(by_row == Err(error) && inspected == Err(error), "{name}"),
    }
    let mut entries = [0; 8];
    let sorted = column.conforming();
    for column in [Ok(column), sorted].iter().flatten() {
        for needle in [&b"https://"[..], b"", b"\0"] {
            let _ = Search::equals(column, needle).rows().count();
            let _ = Search::starts_with(column, needle).rows().count();
            let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut [] };
            let _ = Search::contains(column, needle, workspace).unwrap().rows().count();
        }
    }
}
