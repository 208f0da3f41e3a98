//! Columns of the vectors decode exactly, from every form of codes, and a broken code is an error
//! at its place.

use onpair::CompactDictionaryView;

use super::*;

#[test]
fn every_case_is_exact_from_every_form_of_codes() {
    let mut forms = 0;
    cases(|case| {
        assert_eq!(case.dictionary().len() as u64, number(&case.entry, "N"));
        assert_eq!(case.dictionary().bytes_len(), number(&case.entry, "dict_logical_len"));
        assert_eq!(u64::from(case.dictionary().code_bits()), number(&case.entry, "min_code_bits"), "{}", case.name);
        for (form, codes) in case.forms() {
            let what = format!("{} {form}", case.name);
            let column = case.column(codes);
            decodes(&what, &column, &case.expected, &case.rows);
            let (mut padded, mut lens) = (vec![[0; 16]; case.dictionary().len()], vec![0; case.dictionary().len()]);
            let wide = column.widened(&mut padded, &mut lens).unwrap();
            decodes(&format!("{what}, wide"), &wide, &case.expected, &case.rows);
            forms += 1;
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
    assert!(forms > 80, "only {forms} forms");
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
        assert!(tails.len() >= 248, "{} names only {} tails", folder.display(), tails.len());
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
fn refuses_a_code_that_names_no_token_at_its_offset() {
    let mut broken = 0;
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
            let (mut padded, mut lens) = (vec![[0; 16]; usize::from(bad)], vec![0; usize::from(bad)]);
            let wide = column.widened(&mut padded, &mut lens).unwrap();
            assert_eq!(wide.decode_into(wide.rows(), &mut out), Err(expected), "{}", case.name);
            broken += 1;
        }
    });
    assert!(broken >= 20 * 20, "only {broken}");
}

#[test]
fn finds_dictionaries_conforming_as_the_reference_does() {
    let mut conforming = 0;
    cases(|case| {
        let offsets: Vec<u32> = case.token_offsets.as_chunks().0.iter().map(|n| u32::from_le_bytes(*n)).collect();
        let theirs = CompactDictionaryView::validate(&case.dictionary, &offsets);
        assert_eq!(case.dictionary().conforming().is_ok(), theirs.is_ok(), "{}", case.name);
        conforming += usize::from(theirs.is_ok());
    });
    assert!(conforming >= 20, "only {conforming}");
}
