//! OnPair against its vectors and its reference implementation: exact, from every form of codes, and hostile input refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

mod containers;
mod search;

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;

use onpair::{CompactDictionaryView, Config, DEFAULT_CONFIG, MaxDictBits};
use search::found;
use serde_json::Value as Json;
use unspool::onpair::{Codes, Column, Container, Dictionary, Outline, RowOffsets, Search, SearchSpace, inspect};
use unspool::{Class, Count, Error, ErrorKind, Limits, Name};
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
    plain_rows(what, column, expected, rows);
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

/// Where a column is of the form that has a reader of its own: the same rows, whatever room there is, and the same errors.
fn plain_rows(what: &str, column: &Column<'_>, expected: &[u8], rows: &[Range<usize>]) {
    let Some(plain) = column.plain_rows() else { return };
    for (number, row) in (0..).zip(rows) {
        for room in [row.len(), row.len() + 1, row.len() + 16, row.len() + 40] {
            let mut line = vec![0xAA; room];
            assert_eq!(plain.row_into(number, &mut line), Ok(row.len()), "{what} row {number} in {room}");
            assert_eq!(&line[..row.len()], &expected[row.clone()], "{what} row {number} in {room}");
            assert!(
                line[row.len()..].iter().skip(16).all(|&byte| byte == 0xAA),
                "{what}: wrote far behind row {number}"
            );
        }
        for room in row.len().checked_sub(1).into_iter().chain([0]) {
            let [mut one, mut other] = [(); 2].map(|()| vec![0; room]);
            assert_eq!(
                plain.row_into(number, &mut one),
                column.row_into(number, &mut other),
                "{what} row {number} in {room}"
            );
        }
    }
    for number in [rows.len() as u64, u64::MAX] {
        assert_eq!(plain.row_into(number, &mut [0; 99]).unwrap_err().class(), Class::Misuse, "{what}");
    }
}

#[test]
fn one_form_has_a_reader_of_its_own() {
    let le = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let (tokens, rows) = (le(&[0, 3, 8]), le(&[0, 1, 2, 4]));
    let long: Vec<u8> = [0u64, 1, 2, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
    let dictionary = Dictionary::open(b"onepair!", &tokens).unwrap();
    let (numbers, offsets) = (Codes::plain(&[0, 1, 0, 9]), RowOffsets::u32(&rows).unwrap());
    let open = |codes, offsets, limits: Limits| Column::open(dictionary, codes, offsets, &limits).unwrap();
    let column = open(numbers, offsets, Limits::NONE);
    let plain = column.plain_rows().unwrap();
    let mut line = [0; 64];
    assert_eq!(plain.row_into(1, &mut line), Ok(5));
    assert_eq!(&line[..5], b"pair!");
    // A code that names no token, where `row_into` says that it is.
    assert_eq!(plain.row_into(2, &mut line).unwrap_err().kind, ErrorKind::OnPairCode);
    assert_eq!(plain.row_into(2, &mut line), column.row_into(2, &mut [0; 64]));
    // Out of the widened dictionary, too.
    let (mut cells, mut lens) = ([[0; 16]; 2], [0; 2]);
    let wide = column.widened(&mut cells, &mut lens).unwrap();
    let plain = wide.plain_rows().unwrap();
    assert_eq!(plain.row_into(1, &mut line), Ok(5));
    assert_eq!(plain.row_into(2, &mut line), column.row_into(2, &mut [0; 64]));
    // Other forms have none, nor have columns of which a row might be longer than the limits allow.
    assert!(open(Codes::bytes(&[0; 8]).unwrap(), offsets, Limits::NONE).plain_rows().is_none());
    assert!(open(Codes::packed(&[0; 8], 3, 4).unwrap(), offsets, Limits::NONE).plain_rows().is_none());
    assert!(open(numbers, RowOffsets::u64(&long).unwrap(), Limits::NONE).plain_rows().is_none());
    for (max_output, is_plain) in [(4 * 16, true), (4 * 16 - 1, false)] {
        let column = open(numbers, offsets, Limits { max_output, ..Limits::NONE });
        assert_eq!(column.plain_rows().is_some(), is_plain);
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
