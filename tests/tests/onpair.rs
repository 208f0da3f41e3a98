//! OnPair against its vectors and its reference implementation: exact, from every form of codes, and hostile input refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;

use onpair::{CompactDictionaryView, Config, DEFAULT_CONFIG, MaxDictBits};
use serde_json::Value as Json;
use unspool::onpair::{Codes, Column, Container, Dictionary, Outline, RowOffsets, Search, SearchSpace, inspect};
use unspool::{Class, Count, Error, ErrorKind, Limits};
use unspool_tests::{Leaves, Random, list, manifest, number, read, text, vector_folders};

/// A column as a handful of files.
struct Case {
    name: String,
    dictionary: Vec<u8>,
    token_offsets: Vec<u8>,
    plain: Vec<u16>,
    /// Width and bytes.
    packed: Vec<(u32, Vec<u8>)>,
    row_offsets: Vec<u8>,
    wide_offsets: bool,
    expected: Vec<u8>,
    rows: Vec<Range<usize>>,
    entry: Json,
}

fn expected(folder: &Path, entry: &Json) -> (Vec<u8>, Vec<Range<usize>>) {
    let expected = &entry["expected"];
    let offsets = read(&folder.join(text(expected, "row_offsets")));
    let offsets: Vec<usize> =
        offsets.as_chunks().0.iter().map(|n| usize::try_from(u64::from_le_bytes(*n)).unwrap()).collect();
    let rows: Vec<_> = offsets.windows(2).map(|pair| pair[0]..pair[1]).collect();
    assert_eq!(rows.len() as u64, number(expected, "rows"));
    (read(&folder.join(text(expected, "expected"))), rows)
}

/// Runs `test` on every case of every folder.
fn cases(test: impl Fn(&Case)) {
    for folder in vector_folders("onpair") {
        let manifest = manifest(&folder.join("manifest.json"));
        let entries = list(&manifest, "cases");
        assert!(entries.len() >= 36, "{} names only {} cases", folder.display(), entries.len());
        for entry in entries {
            let file = |name: &str| read(&folder.join(text(entry, "dir")).join(name));
            let mut packed = vec![(number(entry, "bits") as u32, file("packed_codes.bin"))];
            if entry["files"].get("packed_codes_min.bin").is_some() {
                packed.push((number(entry, "min_code_bits") as u32, file("packed_codes_min.bin")));
            }
            let (bytes, rows) = expected(&folder, entry);
            test(&Case {
                name: text(entry, "case").to_owned(),
                dictionary: file("dict_bytes.bin"),
                token_offsets: file("dict_offsets.bin"),
                plain: file("codes.bin").as_chunks().0.iter().map(|code| u16::from_le_bytes(*code)).collect(),
                packed,
                row_offsets: file("code_offsets.bin"),
                wide_offsets: number(entry, "code_offsets_width") == 64,
                expected: bytes,
                rows,
                entry: entry.clone(),
            });
        }
    }
}

impl Case {
    fn dictionary(&self) -> Dictionary<'_> {
        Dictionary::open(&self.dictionary, &self.token_offsets).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn row_offsets(&self) -> RowOffsets<'_> {
        let open = if self.wide_offsets { RowOffsets::u64 } else { RowOffsets::u32 };
        open(&self.row_offsets).unwrap()
    }

    fn column<'a>(&'a self, codes: Codes<'a>) -> Column<'a> {
        Column::open(self.dictionary(), codes, self.row_offsets(), &Limits::DEFAULT).unwrap()
    }

    /// The same codes in every form.
    fn forms(&self) -> Vec<(String, Codes<'_>)> {
        let mut forms = vec![("plain".to_owned(), Codes::plain(&self.plain))];
        for (bits, bytes) in &self.packed {
            forms.push((format!("{bits} bits"), Codes::packed(bytes, *bits, self.plain.len()).unwrap()));
        }
        forms
    }

    fn row(&self, row: usize) -> &[u8] {
        &self.expected[self.rows[row].clone()]
    }
}

/// Everything that decodes, and all of it the same.
fn decodes(what: &str, column: &Column<'_>, expected: &[u8], rows: &[Range<usize>]) {
    let all = column.rows();
    assert_eq!(all.end, rows.len() as u64, "{what}");
    column.check().unwrap();
    assert_eq!(column.decoded_len(all.clone()), Ok(expected.len() as u64), "{what}");
    // No slack, some, and plenty.
    for slack in [0, 1, 7, 16, 200] {
        let mut out = vec![0xAA; expected.len() + slack];
        assert_eq!(column.decode_into(all.clone(), &mut out), Ok(expected.len()), "{what}");
        assert!(&out[..expected.len()] == expected, "{what} with {slack} to spare");
        assert!(out[expected.len()..].iter().skip(16).all(|&byte| byte == 0xAA), "{what}: wrote far behind the end");
    }
    assert!(column.decode_to_vec(all.clone()).unwrap() == expected, "{what}");
    let mut sunk: Vec<u8> = vec![];
    let mut sink = |bytes: &[u8]| {
        sunk.extend(bytes);
        Ok(())
    };
    assert_eq!(column.decode_to(all.clone(), &mut sink), Ok(expected.len() as u64));
    assert!(sunk == expected, "{what} to a sink");

    let mut bytes = vec![0; expected.len()];
    let mut offsets = vec![-1i32; rows.len() + 1];
    assert_eq!(column.decode_arrow(all.clone(), &mut bytes, &mut offsets), Ok(expected.len()), "{what}");
    assert!(bytes == expected && offsets[0] == 0);
    assert!(offsets[1..].iter().zip(rows).all(|(&end, row)| usize::try_from(end) == Ok(row.end)), "{what}");

    let mut line = vec![0xAA; rows.iter().map(Range::len).max().unwrap_or(0)];
    for ((index, row), range) in column.iter().enumerate().zip(rows) {
        let expected = &expected[range.clone()];
        assert_eq!(column.row_len(index as u64), Ok(expected.len() as u64));
        assert_eq!(column.row_into(index as u64, &mut line[..expected.len()]), Ok(expected.len()));
        assert_eq!(&line[..expected.len()], expected, "{what} row {index}");
        line.fill(0xAA);
        assert_eq!(row.decode_into(&mut line), Ok(expected.len()));
        assert_eq!(&line[..expected.len()], expected, "{what} row {index}");
        assert_eq!((row.len(), row.is_empty()), (Ok(expected.len() as u64), expected.is_empty()));
        assert_eq!(row.tokens().collect::<Result<Vec<_>, _>>().unwrap().concat(), expected);
    }
    assert_eq!(column.iter().count(), rows.len());
    gathers(what, column, expected, rows);
    assert_eq!(column.row_into(all.end, &mut line).unwrap_err().class(), Class::Misuse);

    let mut random = Random(rows.len() as u64);
    for _ in 0..20 {
        let start = random.below(rows.len() + 1);
        let end = start + random.below(rows.len() + 1 - start);
        let bytes = if start == end { 0..0 } else { rows[start].start..rows[end - 1].end };
        let range = start as u64..end as u64;
        assert_eq!(column.decoded_len(range.clone()), Ok(bytes.len() as u64));
        let mut out = vec![0; bytes.len()];
        assert_eq!(column.decode_into(range.clone(), &mut out), Ok(bytes.len()));
        assert!(out == expected[bytes.clone()], "{what} rows {range:?}");
        if let Some(short) = out.len().checked_sub(1) {
            let error = column.decode_into(range, &mut out[..short]).unwrap_err();
            assert_eq!(error.class(), Class::OutputTooSmall { need: bytes.len() as u64 }, "{what}");
        }
    }
}

/// Rows by their numbers, backwards and each twice, in a line with room to spare and in one that just holds the longest.
fn gathers(what: &str, column: &Column<'_>, expected: &[u8], rows: &[Range<usize>]) {
    let most = rows.iter().map(Range::len).max().unwrap_or(0);
    let wanted = || (0..rows.len()).rev().flat_map(|row| [row as u64; 2]);
    for slack in [0, 16] {
        let (mut line, mut order) = (vec![0; most + slack], wanted());
        let right = column.each_row(wanted(), &mut line, |row, bytes| {
            assert_eq!(Some(row), order.next(), "{what}");
            assert_eq!(bytes, &expected[rows[row as usize].clone()], "{what} row {row}");
            Ok(())
        });
        assert_eq!((right, order.next()), (Ok(()), None), "{what}");
    }
    if let Some(short) = most.checked_sub(1) {
        let error = column.each_row(wanted(), &mut vec![0; short], |_, _| Ok(())).unwrap_err();
        assert_eq!(error.class(), Class::OutputTooSmall { need: most as u64 }, "{what}");
        let stop = Error::new(ErrorKind::OutputTooSmall, 7);
        let mut seen = 0;
        let stopped = column.each_row(wanted(), &mut vec![0; most], |_, _| {
            seen += 1;
            if seen == 2 { Err(stop) } else { Ok(()) }
        });
        assert_eq!((stopped, seen), (Err(stop), 2), "{what}");
    }
    // Rows in front of one that does not exist come first.
    let mut seen = 0;
    let wanted = wanted().take(20).chain([column.rows().end]).chain(wanted());
    let outside = column.each_row(wanted, &mut vec![0; most], |_, _| {
        seen += 1;
        Ok(())
    });
    assert_eq!((outside.unwrap_err().class(), seen), (Class::Misuse, 20.min(2 * rows.len())), "{what}");
}

#[test]
fn every_case_is_exact_from_every_form_of_codes() {
    let seen = Cell::new(0);
    cases(|case| {
        assert_eq!(case.dictionary().len() as u64, number(&case.entry, "N"));
        assert_eq!(case.dictionary().bytes_len(), number(&case.entry, "dict_logical_len"));
        assert_eq!(u64::from(case.dictionary().code_bits()), number(&case.entry, "min_code_bits"), "{}", case.name);
        for (form, codes) in case.forms() {
            let what = format!("{} {form}", case.name);
            let column = case.column(codes);
            decodes(&what, &column, &case.expected, &case.rows);
            let (mut cells, mut lens) = (vec![[0; 16]; case.dictionary().len()], vec![0; case.dictionary().len()]);
            let wide = column.widened(&mut cells, &mut lens).unwrap();
            decodes(&format!("{what}, wide"), &wide, &case.expected, &case.rows);
            seen.set(seen.get() + 1);
        }
        // From bytes at an odd address, with the dictionary's padding cut off.
        let shifted = |bytes: &[u8]| [&[0xEE], bytes].concat();
        let codes = shifted(&case.plain.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<_>>());
        let (token_offsets, row_offsets) = (shifted(&case.token_offsets), shifted(&case.row_offsets));
        let bare = &case.dictionary[..case.dictionary().bytes_len() as usize];
        let dictionary = Dictionary::open(bare, &token_offsets[1..]).unwrap();
        let rows = if case.wide_offsets { RowOffsets::u64 } else { RowOffsets::u32 };
        let (codes, rows) = (Codes::bytes(&codes[1..]).unwrap(), rows(&row_offsets[1..]).unwrap());
        let column = Column::open(dictionary, codes, rows, &Limits::DEFAULT).unwrap();
        decodes(&format!("{} from odd addresses", case.name), &column, &case.expected, &case.rows);
    });
    assert!(seen.get() > 80, "only {} forms", seen.get());
}

#[test]
fn windows_of_rows_decode_as_windows() {
    cases(|case| {
        let width = if case.wide_offsets { 8 } else { 4 };
        let rows = case.rows.len();
        let mut random = Random(rows as u64);
        for _ in 0..5 {
            let start = random.below(rows + 1);
            let end = start + random.below(rows + 1 - start);
            let table = &case.row_offsets[start * width..(end + 1) * width];
            let offsets = if case.wide_offsets { RowOffsets::u64(table) } else { RowOffsets::u32(table) }.unwrap();
            let base = if start == end { 0 } else { case.rows[start].start };
            let inside: Vec<_> = case.rows[start..end].iter().map(|row| row.start - base..row.end - base).collect();
            let expected = &case.expected[base..base + inside.last().map_or(0, |row| row.end)];
            for (form, codes) in case.forms() {
                let column = Column::open(case.dictionary(), codes, offsets, &Limits::DEFAULT).unwrap();
                decodes(&format!("{} {form} rows {start}..{end}", case.name), &column, expected, &inside);
            }
        }
    });
}

#[test]
fn packed_codes_of_every_length_and_width() {
    for folder in vector_folders("onpair") {
        let tails = manifest(&folder.join("tails.json"));
        let tails = tails.as_array().unwrap();
        assert!(tails.len() >= 248);
        for tail in tails {
            let codes: Vec<u16> = list(tail, "codes").iter().map(|code| code.as_u64().unwrap() as u16).collect();
            let hex = text(tail, "packed_hex");
            let bytes: Vec<u8> =
                (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
            let bits = number(tail, "bits") as u32;
            for junk in 0..9 {
                let bytes = [&bytes[..], &vec![0xFF; junk]].concat();
                let packed = Codes::packed(&bytes, bits, codes.len()).unwrap();
                let mut unpacked = vec![0; codes.len()];
                assert_eq!(packed.unpack_into(0..codes.len(), &mut unpacked), Ok(codes.len()));
                assert_eq!(unpacked, codes);
                assert!(codes.iter().enumerate().all(|(i, &code)| packed.get(i) == Some(code)));
            }
            if let Some(short) = bytes.len().checked_sub(1) {
                let error = Codes::packed(&bytes[..short], bits, codes.len()).unwrap_err();
                assert_eq!((error.kind, error.need), (ErrorKind::OnPairCodesShort, bytes.len() as u64));
            }
        }
    }
}

/// Runs `test` on every container: its name, its bytes, what it decodes to.
fn containers(test: impl Fn(&str, &[u8], &[u8], &[Range<usize>])) {
    for folder in vector_folders("onpair") {
        let manifest = manifest(&folder.join("manifest.json"));
        let entries = list(&manifest, "container");
        assert!(entries.len() >= 5);
        for entry in entries {
            let (expected, rows) = expected(&folder, entry);
            let file = text(entry, "file");
            test(file, &read(&folder.join(file)), &expected, &rows);
        }
    }
}

/// What the tables of a file say that is read where its outline asks.
fn outlined(bytes: &[u8]) -> (Leaves, Result<Outline, Error>) {
    let (mut leaves, mut outline) = (Leaves::default(), Outline::new(bytes.len() as u64));
    while let Some(range) = outline.needs() {
        if let Err(error) = outline.feed(&bytes[range.start as usize..range.end as usize], &mut leaves) {
            assert_eq!((outline.needs(), outline.feed(&[], &mut leaves)), (None, Ok(())));
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
            let container = Container::open(&bytes, &Limits::DEFAULT).unwrap();
            assert_eq!(container.len() as usize + trailing, bytes.len());
            decodes(name, container.column(), expected, rows);
            let conforming = container.column().conforming().unwrap();
            decodes(name, &conforming, expected, rows);
            let mut leaves = Leaves::default();
            inspect(&bytes, &Limits::DEFAULT, &mut leaves).unwrap();
            let rows_told = leaves.leaves.iter().filter(|(_, name)| *name == "row").count();
            assert_eq!(rows_told, rows.len());
            let (tables, outline) = outlined(&bytes);
            let outline = outline.unwrap();
            assert_eq!((outline.places(), outline.bits()), (container.places(), container.column().codes().bits()));
            let mut known = tables.leaves.iter().filter(|leaf| !["tokens", "codes"].contains(&leaf.1));
            assert!(known.all(|leaf| leaves.leaves.contains(leaf)), "{name}");
            tables.assert_tile(bytes.len(), name);
            leaves.assert_tile(bytes.len(), name);
        }
    });
}

#[test]
fn a_container_cut_at_any_byte_is_refused() {
    containers(|name, bytes, _, _| {
        for cut in (0..bytes.len()).filter(|cut| bytes.len() < 30_000 || cut % 7 == 0) {
            let error = Container::open(&bytes[..cut], &Limits::DEFAULT).unwrap_err();
            assert_eq!((error.kind, error.at), (ErrorKind::Truncated, cut as u64), "{name} cut at {cut}");
            assert!(error.need > cut as u64 && error.need <= bytes.len() as u64, "{name} cut at {cut}");
            assert_eq!(inspect(&bytes[..cut], &Limits::DEFAULT, &mut Leaves::default()).unwrap_err(), error);
            assert_eq!(outlined(&bytes[..cut]).1.unwrap_err(), error);
        }
    });
}

/// A container with these tables.
fn container(bits: u8, dictionary: &[u8], token_offsets: &[u32], words: &[u64], row_offsets: &[u32]) -> Vec<u8> {
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
fn hostile_containers_are_refused_where_they_lie() {
    let verdict = |bytes: &[u8]| {
        let inspected = inspect(bytes, &Limits::DEFAULT, &mut ()).map(drop);
        let mut out = [0; 64];
        let opened = Container::open(bytes, &Limits::DEFAULT);
        let decoded = opened.and_then(|file| file.column().decode_into(file.column().rows(), &mut out)).map(drop);
        assert_eq!(inspected, decoded);
        // It looks at the framing alone, but at that as closely.
        match (outlined(bytes).1, &inspected) {
            (Err(error), said) => assert_eq!(said, &Err(error)),
            (Ok(_), Err(error)) => assert_ne!(error.class(), Class::Truncated),
            (Ok(outline), Ok(())) => {
                assert_eq!(outline.places(), Container::open(bytes, &Limits::DEFAULT).unwrap().places())
            }
        }
        decoded.err().map(|error| (error.kind, error.at))
    };
    // Offsets: 9 dictionary length, 13 tokens, 16 count, 20 token offsets, 32 count, 36 words, 44 count, 48 rows.
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
    // Fewer bytes than it asked for.
    let short = Outline::new(90).feed(&good[..7], &mut ()).unwrap_err();
    assert_eq!((short.kind, short.at), (ErrorKind::Truncated, 7));
}

#[test]
fn limits_come_before_work() {
    let bytes = container(9, b"abc", &[0, 1, 3], &[0b1_000000000], &[0, 1, 2]);
    let open = |limits: Limits| Container::open(&bytes, &limits).map(drop).unwrap_err().kind;
    assert_eq!(open(Limits { max_header: 23, ..Limits::DEFAULT }), ErrorKind::HeaderLimit);
    assert_eq!(open(Limits { max_elements: 1, ..Limits::DEFAULT }), ErrorKind::ElementLimit);
    let limits = Limits { max_output: 2, ..Limits::DEFAULT };
    let file = Container::open(&bytes, &limits).unwrap();
    let column = file.column();
    let mut out = [0; 8];
    assert_eq!(column.decode_into(0..2, &mut out).unwrap_err().kind, ErrorKind::OutputLimit);
    assert_eq!(column.decode_into(0..2, &mut out[..1]).unwrap_err().kind, ErrorKind::OutputLimit);
    assert_eq!(column.decode_to(0..2, &mut Count::default()).unwrap_err().kind, ErrorKind::OutputLimit);
    assert_eq!(column.decode_to_vec(0..2).unwrap_err().kind, ErrorKind::OutputLimit);
    assert_eq!(column.decode_arrow(0..2, &mut out, &mut [0u64; 3]).unwrap_err().kind, ErrorKind::OutputLimit);
    assert_eq!(column.decode_into(1..2, &mut out), Ok(2));
}

#[test]
fn a_code_that_names_nothing_is_an_error_where_it_lies() {
    cases(|case| {
        let Some(bad) = u16::try_from(case.dictionary().len()).ok().filter(|_| !case.rows.is_empty()) else { return };
        if case.plain.is_empty() {
            return;
        }
        let mut random = Random(case.plain.len() as u64);
        for _ in 0..20 {
            let at = random.below(case.plain.len());
            let mut plain = case.plain.clone();
            plain[at] = bad;
            let column = case.column(Codes::plain(&plain));
            let expected = Error::new(ErrorKind::OnPairCode, at as u64 * 2);
            let mut out = vec![0; case.expected.len() + 20];
            assert_eq!(column.check(), Err(expected));
            assert_eq!(column.decode_into(column.rows(), &mut out), Err(expected), "{}", case.name);
            assert_eq!(column.decode_to(column.rows(), &mut Count::default()), Err(expected));
            let (mut cells, mut lens) = (vec![[0; 16]; usize::from(bad)], vec![0; usize::from(bad)]);
            let wide = column.widened(&mut cells, &mut lens).unwrap();
            assert_eq!(wide.decode_into(wide.rows(), &mut out), Err(expected), "{}", case.name);
        }
    });
}

/// All matches of the three kinds, found with and without a table of tokens.
fn found(column: &Column<'_>, needle: &[u8]) -> [Vec<u64>; 3] {
    let all = |search: Search<'_>| search.rows().collect::<Result<Vec<u64>, _>>().unwrap();
    let mut entries = vec![0; needle.len()];
    let mut table = vec![0xEE; column.dictionary().len()];
    let mut space = SearchSpace { needle: &mut entries, tokens: &mut table };
    let with_table = all(Search::contains(column, needle, &mut space).unwrap());
    let greedy = column.greedy().unwrap();
    let alike = [all(Search::equals(column, needle)), all(Search::equals(&greedy, needle))];
    assert_eq!(alike[0], alike[1]);
    assert!(alike[1].iter().all(|&row| Search::equals(&greedy, needle).matches(row).unwrap()));
    let mut space = SearchSpace { needle: &mut entries, tokens: &mut [] };
    assert_eq!(all(Search::contains(column, needle, &mut space).unwrap()), with_table);
    [all(Search::equals(column, needle)), all(Search::starts_with(column, needle)), with_table]
}

#[test]
fn searches_find_what_the_manifest_says() {
    let searched = Cell::new(0);
    cases(|case| {
        for search in list(&case.entry, "search") {
            let needle = text(search, "needle");
            let rows = |key: &str| list(search, key).iter().map(|row| row.as_u64().unwrap()).collect::<Vec<_>>();
            let expected = [rows("equal"), rows("starts_with"), rows("contains")];
            for (form, codes) in case.forms() {
                let column = case.column(codes);
                assert_eq!(found(&column, needle.as_bytes()), expected, "{} {form} {needle}", case.name);
                let column = column.conforming().unwrap();
                assert_eq!(found(&column, needle.as_bytes()), expected, "{} {form} {needle}", case.name);
                searched.set(searched.get() + 1);
            }
        }
    });
    assert!(searched.get() > 50);
}

/// Needles that occur, that nearly occur, and that do not.
fn needle(case: &Case, random: &mut Random) -> Vec<u8> {
    let mut needle = match random.below(4) {
        0 => (0..random.below(4)).map(|_| random.below(256) as u8).collect(),
        _ if case.rows.is_empty() => vec![],
        1 => case.row(random.below(case.rows.len())).to_vec(),
        kind => {
            let row = case.row(random.below(case.rows.len()));
            let start = if kind == 2 { 0 } else { random.below(row.len() + 1) };
            row[start..start + random.below(row.len() - start + 1)].to_vec()
        }
    };
    match random.below(6) {
        0 => needle.push(b'x'),
        1 => drop(needle.pop()),
        2 if !needle.is_empty() => {
            let at = random.below(needle.len());
            needle[at] ^= 1;
        }
        _ => {}
    }
    needle
}

#[test]
fn searches_agree_with_looking_at_every_row() {
    cases(|case| {
        let forms = case.forms();
        let mut random = Random(case.plain.len() as u64);
        for round in 0..40 {
            let needle = needle(case, &mut random);
            let rows = |is: &dyn Fn(&[u8]) -> bool| {
                (0..case.rows.len()).filter(|&row| is(case.row(row))).map(|row| row as u64).collect::<Vec<_>>()
            };
            let expected = [
                rows(&|row| row == needle),
                rows(&|row| row.starts_with(&needle)),
                rows(&|row| needle.is_empty() || row.windows(needle.len()).any(|part| part == needle)),
            ];
            let column = case.column(forms[round % forms.len()].1);
            assert_eq!(found(&column, &needle), expected, "{} {needle:?}", case.name);
            if let Ok(column) = column.conforming() {
                assert_eq!(found(&column, &needle), expected, "{} conforming {needle:?}", case.name);
            }
        }
    });
}

#[test]
fn a_row_that_no_encoder_would_cut_so_is_found_all_the_same() {
    // All single bytes, "ab" and "abc": the row abc as a|b|c, ab|c, a|bc and abc, and needles that end within tokens.
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.extend([b"ab".to_vec(), b"abc".to_vec(), b"bc".to_vec(), b"bcab".to_vec()]);
    tokens.sort();
    let code = |token: &[u8]| tokens.iter().position(|other| other == token).unwrap() as u16;
    let bytes = tokens.concat();
    let mut end = 0;
    let mut offsets = vec![0; 4];
    for token in &tokens {
        end += token.len() as u32;
        offsets.extend(end.to_le_bytes());
    }
    let rows: [&[&[u8]]; 6] =
        [&[b"a", b"b", b"c"], &[b"ab", b"c"], &[b"a", b"bc"], &[b"abc"], &[b"a", b"bcab", b"c"], &[b"bc", b"a"]];
    let codes: Vec<u16> = rows.iter().flat_map(|row| row.iter().map(|token| code(token))).collect();
    let mut at = 0u32;
    let mut row_offsets = vec![0; 4];
    for row in rows {
        at += row.len() as u32;
        row_offsets.extend(at.to_le_bytes());
    }
    let dictionary = Dictionary::open(&bytes, &offsets).unwrap().conforming().unwrap();
    let rows = RowOffsets::u32(&row_offsets).unwrap();
    let column = Column::open(dictionary, Codes::plain(&codes), rows, &Limits::DEFAULT).unwrap();
    let expect = |needle: &[u8], expected: [&[u64]; 3]| assert_eq!(found(&column, needle), expected.map(<[_]>::to_vec));
    assert!(!column.greedy().unwrap().is_greedy());
    for (greedy, row) in [false, false, false, true, false, true].into_iter().zip(0..) {
        let offsets = RowOffsets::u32(&row_offsets[row * 4..row * 4 + 8]).unwrap();
        let column = Column::open(dictionary, Codes::plain(&codes), offsets, &Limits::DEFAULT).unwrap();
        assert_eq!(column.greedy().unwrap().is_greedy(), greedy, "row {row}");
    }
    expect(b"abc", [&[0, 1, 2, 3], &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4]]);
    expect(b"ab", [&[], &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4]]);
    expect(b"abcabc", [&[4], &[4], &[4]]);
    expect(b"bca", [&[5], &[5], &[4, 5]]);
    expect(b"", [&[], &[0, 1, 2, 3, 4, 5], &[0, 1, 2, 3, 4, 5]]);
    let mut space = SearchSpace { needle: &mut [0; 2], tokens: &mut [] };
    let error = Search::contains(&column, b"abc", &mut space).unwrap_err();
    assert_eq!(error.class(), Class::WorkspaceTooSmall { need: 3 });
}

#[test]
fn a_needle_of_any_length_is_found() {
    // The reference stops at 255 bytes.
    cases(|case| {
        if case.name != "one_row_long_b12" {
            return;
        }
        let column = case.column(Codes::plain(&case.plain)).conforming().unwrap();
        let len = case.expected.len();
        for needle in [&case.expected[..], &case.expected[1..], &case.expected[..len - 1], &case.expected[100..20_000]]
        {
            let (whole, start) = (needle.len() == len, case.expected.starts_with(needle));
            let rows = |is: bool| if is { vec![0] } else { vec![] };
            assert_eq!(found(&column, needle), [rows(whole), rows(start), rows(true)]);
            let wrong = [needle, b"\0"].concat();
            assert_eq!(found(&column, &wrong), [const { Vec::<u64>::new() }; 3]);
        }
    });
}

#[test]
fn conforming_means_what_it_means_to_the_reference() {
    cases(|case| {
        let offsets: Vec<u32> = case.token_offsets.as_chunks().0.iter().map(|n| u32::from_le_bytes(*n)).collect();
        let theirs = CompactDictionaryView::validate(&case.dictionary, &offsets);
        assert_eq!(case.dictionary().conforming().is_ok(), theirs.is_ok(), "{}", case.name);
    });
}

/// Compresses rows with the reference and compares everything with it.
fn against_the_reference(what: &str, rows: &[Vec<u8>], bits: u8) {
    let mut starts = vec![0u32];
    for row in rows {
        starts.push(starts[starts.len() - 1] + row.len() as u32);
    }
    let bytes = rows.concat();
    let config = Config { max_dict_bits: MaxDictBits::new(bits).unwrap(), ..DEFAULT_CONFIG };
    let theirs = onpair::compress(&bytes, &starts, config).unwrap();
    let view = theirs.view();
    let token_offsets: Vec<u8> = theirs.dict.offsets().iter().flat_map(|n| n.to_le_bytes()).collect();
    let row_offsets: Vec<u8> = theirs.row_offsets.iter().flat_map(|n| n.to_le_bytes()).collect();
    let dictionary = Dictionary::open(theirs.dict.bytes(), &token_offsets).unwrap().conforming().unwrap();
    assert_eq!(dictionary.code_bits(), u32::from(theirs.dict.code_bits()), "{what}");
    let offsets = RowOffsets::u32(&row_offsets).unwrap();
    let ranges: Vec<_> = starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize).collect();

    let mut out = vec![MaybeUninit::new(0); bytes.len()];
    assert_eq!(onpair::try_decode_into(&theirs.codes, view.dict, &mut out), Ok(bytes.len()));

    let width = dictionary.code_bits().max(1);
    let packed = pack(&theirs.codes, width);
    for codes in [Codes::plain(&theirs.codes), Codes::packed(&packed, width, theirs.codes.len()).unwrap()] {
        let column = Column::open(dictionary, codes, offsets, &Limits::DEFAULT).unwrap();
        decodes(what, &column, &bytes, &ranges);
        let mut random = Random(bytes.len() as u64);
        for _ in 0..6 {
            let row = if rows.is_empty() { &vec![] } else { &rows[random.below(rows.len())] };
            let start = random.below(row.len() + 1);
            let needle = &row[start..start + random.below((row.len() - start).min(200) + 1)];
            let as_u64 = |rows: Vec<usize>| rows.into_iter().map(|row| row as u64).collect::<Vec<_>>();
            let expected = [view.rows_equal_to(needle), view.rows_starting_with(needle), view.rows_containing(needle)];
            assert_eq!(found(&column, needle), expected.map(as_u64), "{what} {needle:?}");
        }
    }
}

/// From the lowest bit on, without gaps.
fn pack(codes: &[u16], bits: u32) -> Vec<u8> {
    let (mut bytes, mut held, mut count) = (vec![], 0u64, 0);
    for &code in codes {
        held |= u64::from(code) << count;
        count += bits;
        while count >= 8 {
            bytes.push(held as u8);
            (held, count) = (held >> 8, count - 8);
        }
    }
    if count > 0 {
        bytes.push(held as u8);
    }
    bytes
}

#[test]
fn what_the_reference_writes_is_read_the_same() {
    let mut random = Random(6);
    let word = |random: &mut Random| {
        let words =
            ["alpha", "beta", "https://", "www.", ".example/", "2026-11-20", " INFO ", "\u{e9}t\u{e9}", "0", ""];
        words[random.below(words.len())]
    };
    for bits in 9..=16 {
        for count in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000] {
            let rows: Vec<Vec<u8>> = (0..count)
                .map(|_| (0..random.below(6)).map(|_| word(&mut random)).collect::<String>().into_bytes())
                .collect();
            against_the_reference(&format!("{count} rows, {bits} bits"), &rows, bits);
        }
    }
    // Rows of one length each, around what is copied at a time.
    for len in (0..40).chain([127, 128, 129, 143, 144, 145, 511, 512, 513, 1023, 1024, 1025]) {
        let rows: Vec<Vec<u8>> = (0..20).map(|_| (0..len).map(|_| b'a' + random.below(3) as u8).collect()).collect();
        against_the_reference(&format!("rows of {len} bytes"), &rows, 12);
    }
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

/// Every way to read a container gives the same bytes, or the same error.
fn agree(name: &str, bytes: &[u8]) {
    let limits = Limits { max_output: 1 << 22, ..Limits::DEFAULT };
    let mut leaves = Leaves::default();
    let inspected = inspect(bytes, &limits, &mut leaves).map(drop);
    if inspected.is_ok() {
        leaves.assert_tile(bytes.len(), name);
    }
    let file = match Container::open(bytes, &limits) {
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
    let (mut cells, mut lens) = (vec![[0; 16]; column.dictionary().len()], vec![0; column.dictionary().len()]);
    let wide = column.widened(&mut cells, &mut lens).unwrap();
    assert_eq!(wide.decode_to_vec(wide.rows()), whole, "{name}");
    assert_eq!(streamed.is_ok(), whole.is_ok(), "{name}");
    match whole {
        Ok(whole) => assert!(sunk == whole && by_row == Ok(whole), "{name}"),
        Err(error) => assert!(by_row == Err(error) && inspected == Err(error), "{name}"),
    }
    let mut entries = [0; 8];
    let mut space = SearchSpace { needle: &mut entries, tokens: &mut [] };
    let sorted = column.conforming();
    for column in [Ok(column), sorted].iter().flatten() {
        for needle in [&b"https://"[..], b"", b"\0"] {
            let _ = Search::equals(column, needle).rows().count();
            let _ = Search::starts_with(column, needle).rows().count();
            let _ = Search::contains(column, needle, &mut space).unwrap().rows().count();
        }
    }
}
