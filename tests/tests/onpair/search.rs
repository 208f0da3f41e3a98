//! Searches find the same rows as decoding and comparing each.

use super::*;

/// All matches of the three kinds, found with and without a table of tokens.
pub(super) fn found(column: &Column<'_>, needle: &[u8]) -> [Vec<u64>; 3] {
    let all = |search: Search<'_>| search.rows().collect::<Result<Vec<u64>, _>>().unwrap();
    let mut entries = vec![0; needle.len()];
    let mut table = vec![0xEE; column.dictionary().len()];
    let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut table };
    let with_table = all(Search::contains(column, needle, workspace).unwrap());
    let greedy = column.greedy().unwrap();
    let alike = [all(Search::equals(column, needle)), all(Search::equals(&greedy, needle))];
    assert_eq!(alike[0], alike[1]);
    assert!(alike[1].iter().all(|&row| Search::equals(&greedy, needle).matches(row).unwrap()));
    let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut [] };
    assert_eq!(all(Search::contains(column, needle, workspace).unwrap()), with_table);
    [all(Search::equals(column, needle)), all(Search::starts_with(column, needle)), with_table]
}

#[test]
fn finds_the_rows_of_the_manifest() {
    let mut searched = 0;
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
                searched += 1;
            }
        }
    });
    assert!(searched > 50, "{searched}");
}

/// Needles that occur, that nearly occur, and that do not.
fn needle(case: &Case, random: &mut Random) -> Vec<u8> {
    let mut needle = match random.below(5) {
        // A needle that most rows have, if there is one.
        4 => {
            let mut times = [0; 256];
            case.expected.iter().for_each(|&byte| times[usize::from(byte)] += 1);
            (0..=255).max_by_key(|&byte: &u8| times[usize::from(byte)]).into_iter().collect()
        }
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
fn finds_the_same_rows_as_comparing_every_row() {
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

/// Returns the starts of parts of these lengths, and the end of the last one.
fn offsets_of(lens: impl Iterator<Item = usize>) -> Vec<u8> {
    let ends = lens.scan(0, |end, len| {
        *end += len as u32;
        Some(*end)
    });
    std::iter::once(0).chain(ends).flat_map(u32::to_le_bytes).collect()
}

#[test]
fn finds_a_row_that_no_encoder_would_cut_so() {
    // All single bytes, "ab" and "abc": the row abc as a|b|c, ab|c, a|bc and abc, and needles that
    // end within tokens.
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.extend([b"ab".to_vec(), b"abc".to_vec(), b"bc".to_vec(), b"bcab".to_vec()]);
    tokens.sort();
    let code = |token: &[u8]| tokens.iter().position(|other| other == token).unwrap() as u16;
    let (bytes, offsets) = (tokens.concat(), offsets_of(tokens.iter().map(Vec::len)));
    let rows: [&[&[u8]]; 6] =
        [&[b"a", b"b", b"c"], &[b"ab", b"c"], &[b"a", b"bc"], &[b"abc"], &[b"a", b"bcab", b"c"], &[b"bc", b"a"]];
    let codes: Vec<u16> = rows.iter().flat_map(|row| row.iter().map(|token| code(token))).collect();
    let row_offsets = offsets_of(rows.iter().map(|row| row.len()));
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
    let workspace = SearchWorkspace { needle: &mut [0; 2], tokens: &mut [] };
    let error = Search::contains(&column, b"abc", workspace).unwrap_err();
    assert_eq!(error.class(), Class::WorkspaceTooSmall { need: 3 });
}

#[test]
fn finds_needles_of_any_length() {
    // The reference stops at 255 bytes.
    let mut long = 0;
    cases(|case| {
        if case.name != "one_row_long_b12" {
            return;
        }
        long += 1;
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
    assert_eq!(long, vector_folders("onpair").len());
}

#[test]
fn finds_rows_before_a_code_that_names_no_token() {
    let mut broken = 0;
    cases(|case| {
        let mut random = Random(case.plain.len() as u64);
        let tokens = case.dictionary().len();
        let Ok(bad) = u16::try_from(tokens) else { return };
        for _ in 0..case.plain.len().min(40) {
            let mut plain = case.plain.clone();
            plain[random.below(case.plain.len())] = bad;
            let packed = pack(&plain, 16);
            let packed = Codes::packed(&packed, 16, plain.len()).unwrap();
            let needle = needle(case, &mut random);
            let rows = random.below(case.rows.len() + 1) as u64..case.rows.len() as u64;
            for codes in [Codes::plain(&plain), packed] {
                let column = case.column(codes);
                let (mut entries, mut table) = (vec![0; needle.len()], vec![0; tokens]);
                let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut table };
                let inside = Search::contains(&column, &needle, workspace).unwrap();
                for search in [inside, Search::starts_with(&column, &needle), Search::equals(&column, &needle)] {
                    let mut expected = vec![];
                    for row in rows.clone() {
                        match search.matches(row) {
                            Ok(true) => expected.push(Ok(row)),
                            Ok(false) => {}
                            Err(error) => {
                                assert_eq!(error.kind, ErrorKind::OnPairCode);
                                broken += 1;
                                expected.push(Err(error));
                                break;
                            }
                        }
                    }
                    let mut found = search.rows_in(rows.clone());
                    assert_eq!(found.by_ref().collect::<Vec<_>>(), expected, "{} {needle:?}", case.name);
                    assert_eq!(found.next(), None);
                }
            }
        }
    });
    assert!(broken > 100, "{broken}");
}
