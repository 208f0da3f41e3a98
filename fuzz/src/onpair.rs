//! OnPair on arbitrary bytes: no panic, every door returns the same result, and the reference
//! agrees.

use unspool::onpair::{Codes, Column, Dictionary, File, Options, RowOffsets, Search, SearchWorkspace};
use unspool::{Error, ErrorKind, Limits};

use unspool_harness::onpair::agree;

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 16, max_header: 1 << 20, max_elements: 1 << 12, ..Limits::DEFAULT };

/// Decodes arbitrary bytes.
pub fn onpair_arbitrary(bytes: &[u8]) {
    let _ = agree(bytes, &Options { limits: LIMITS });
    match File::open(bytes, &LIMITS) {
        Err(error) => match File::salvage(bytes, &LIMITS) {
            Err(only) => assert_eq!(only, error),
            Ok((file, told)) => {
                assert_eq!(told, Some(error));
                assert!(file.len() <= bytes.len() as u64);
                column(file.column());
            }
        },
        Ok(file) => {
            let again = File::salvage(bytes, &LIMITS);
            assert!(again.is_ok_and(|(again, error)| again.len() == file.len() && error.is_none()));
            assert!(file.len() <= bytes.len() as u64);
            column(file.column());
        }
    }
}

/// Cuts the bytes into four buffers, as the first eight bytes say.
pub fn onpair_mutated(bytes: &[u8]) {
    let Some((&head, bytes)) = bytes.split_first_chunk::<8>() else { return };
    let [bits, long, a, b, c, d, e, f] = head.map(usize::from);
    let (dictionary, rest) = bytes.split_at(bytes.len().min(a * 4 + b));
    let (tokens, rest) = rest.split_at(rest.len().min((c + d) * 4));
    let (rows, codes) = rest.split_at(rest.len().min(e * 4));
    // Builds offsets from lengths, so that many dictionaries are valid.
    let sum = |lens: &[u8], most: u32| {
        let mut at = 0u32;
        let offsets = lens.iter().map(|&len| (at += u32::from(len) % most, at).1);
        std::iter::once(0).chain(offsets).collect::<Vec<_>>()
    };
    let tokens: Vec<u8> = sum(tokens, 17).iter().flat_map(|n| n.to_le_bytes()).collect();
    let rows = sum(rows, 9);
    let rows: Vec<u8> = match long % 2 {
        0 => rows.iter().flat_map(|n| n.to_le_bytes()).collect(),
        _ => rows.iter().flat_map(|&n| u64::from(n).to_le_bytes()).collect(),
    };
    let Ok(dictionary) = Dictionary::open(dictionary, &tokens) else { return };
    let rows = if long % 2 == 0 { RowOffsets::u32(&rows) } else { RowOffsets::u64(&rows) }.expect("whole offsets");
    let bits = u32::try_from(bits % 18).unwrap_or(0);
    let Ok(codes) = Codes::packed(codes, bits, rows.last() as usize + f % 9) else { return };
    let Ok(found) = Column::open(dictionary, codes, rows, &LIMITS) else { return };
    column(&found);

    // The same codes, unpacked, decode the same here and in the reference.
    let mut plain = vec![0; codes.len()];
    assert_eq!(codes.unpack_into(0..codes.len(), &mut plain), Ok(plain.len()));
    assert!(plain.iter().enumerate().all(|(i, &code)| codes.get(i) == Some(code)));
    let other = Column::open(dictionary, Codes::plain(&plain), rows, &LIMITS).expect("as above");
    let (packed, numbers) = (found.decode_to_vec(found.rows()), other.decode_to_vec(other.rows()));
    let (mut cells, mut lens) = (vec![[0; 16]; dictionary.len()], vec![0; dictionary.len()]);
    let wide = other.widened(&mut cells, &mut lens).expect("a cell for each token");
    for plain in [&other, &wide].into_iter().filter_map(Column::plain_rows) {
        let [mut one, mut two] = [[0; 200]; 2];
        for row in 0..=other.rows().end {
            let read = plain.row_into(row, &mut one);
            assert_eq!(read, other.row_into(row, &mut two));
            let len = read.unwrap_or(0);
            assert_eq!(one[..len], two[..len]);
        }
    }
    assert_eq!(packed.as_ref().map_err(|error| error.kind), numbers.as_ref().map_err(|error| error.kind));
}

/// Does nothing: the reference is for little-endian machines only.
#[cfg(target_endian = "big")]
pub fn onpair_reference(_: &[u8]) {}

/// Compresses lines of text with the reference.
#[cfg(target_endian = "little")]
pub fn onpair_reference(bytes: &[u8]) {
    let Some((&bits, text)) = bytes.split_first() else { return };
    let mut starts = vec![0u32];
    let mut kept: Vec<u8> = vec![];
    for line in text[..text.len().min(4000)].split(|&byte| byte == b'\n') {
        kept.extend(line);
        starts.push(kept.len() as u32);
    }
    let bits = onpair::MaxDictBits::new(9 + bits % 8).expect("9 to 16");
    let config = onpair::Config { max_dict_bits: bits, ..onpair::DEFAULT_CONFIG };
    let theirs = onpair::compress(&kept, &starts, config).expect("offsets that ascend");
    let le = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    let (tokens, rows) = (le(theirs.dict.offsets()), le(&theirs.row_offsets));
    let dictionary = Dictionary::open(theirs.dict.bytes(), &tokens).and_then(Dictionary::conforming).expect("valid");
    let rows = RowOffsets::u32(&rows).expect("whole offsets");
    let ours = Column::open(dictionary, Codes::plain(&theirs.codes), rows, &Limits::NONE).expect("valid");
    assert_eq!(ours.decode_to_vec(ours.rows()).as_ref(), Ok(&kept));
    let dict = onpair::CompactDictionaryView::validate(theirs.dict.bytes(), theirs.dict.offsets()).expect("valid");
    let mut out = vec![std::mem::MaybeUninit::new(0); kept.len()];
    assert_eq!(onpair::try_decode_into(&theirs.codes, dict, &mut out), Ok(kept.len()));
    let needle = &kept[kept.len() / 3..kept.len().min(kept.len() / 3 + 9)];
    let view = theirs.view();
    let expected = [view.rows_equal_to(needle), view.rows_starting_with(needle), view.rows_containing(needle)];
    for (expected, found) in expected.into_iter().zip(searches(&ours, needle)) {
        let expected: Vec<_> = expected.into_iter().map(|row| row as u64).collect();
        assert_eq!(found, Ok(expected), "{needle:?}");
    }
}

/// The tests: equals, starts with, contains.
fn searches(column: &Column<'_>, needle: &[u8]) -> [Result<Vec<u64>, Error>; 3] {
    let (mut entries, mut table) = (vec![0; needle.len()], vec![0xEE; column.dictionary().len()]);
    let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut table };
    let contains = Search::contains(column, needle, workspace).and_then(|search| search.rows().collect());
    [Search::equals(column, needle).rows().collect(), Search::starts_with(column, needle).rows().collect(), contains]
}

/// Decodes one column through every door.
fn column(column: &Column<'_>) {
    let rows = column.rows();
    let whole = column.decode_to_vec(rows.clone());
    let (mut cells, mut lens) = (vec![[0; 16]; column.dictionary().len()], vec![0; column.dictionary().len()]);
    let wide = column.widened(&mut cells, &mut lens).expect("a cell for each token");
    assert_eq!(wide.decode_to_vec(rows.clone()), whole);
    let mut sunk: Vec<u8> = vec![];
    let mut sink = |part: &[u8]| {
        sunk.extend(part);
        Ok(())
    };
    let to_sink = column.decode_to(rows.clone(), &mut sink);
    let whole = match whole {
        Ok(whole) => whole,
        Err(error) => {
            // A sink receives the output before an error, and may reach a limit there.
            let agrees = |other: Error| other.kind == error.kind || other.kind == ErrorKind::OutputLimit;
            assert!(to_sink.is_err_and(agrees), "{error:?} in one piece, {to_sink:?} to a sink");
            return;
        }
    };
    assert!(to_sink == Ok(whole.len() as u64) && sunk == whole);
    // An output of exactly the right size is enough, and one byte less is not.
    let mut exact = vec![0; whole.len()];
    assert_eq!(column.decode_into(rows.clone(), &mut exact), Ok(whole.len()));
    assert_eq!(exact, whole);
    if let Some(short) = exact.len().checked_sub(1) {
        let error = column.decode_into(rows.clone(), &mut exact[..short]).expect_err("too short");
        assert_eq!((error.kind, error.need), (ErrorKind::OutputTooSmall, whole.len() as u64));
    }
    let strings: Vec<Vec<u8>> =
        rows.map(|row| column.decode_to_vec(row..row + 1).expect("a part of what decodes")).collect();
    assert_eq!(strings.concat(), whole);
    for (row, string) in column.iter().zip(&strings) {
        assert_eq!(row.tokens().collect::<Result<Vec<_>, _>>().expect("valid").concat(), *string);
    }
    let middle = strings.len() / 2;
    let Some(string) = strings.get(middle) else { return };
    for needle in [&string[..], &string[string.len() / 3..], &string[..string.len().min(3)], b"\0\0"] {
        let expect = |is: &dyn Fn(&[u8]) -> bool| {
            Ok((0..).zip(&strings).filter(|(_, row)| is(row)).map(|(row, _)| row).collect::<Vec<u64>>())
        };
        let expected = [
            expect(&|row| row == needle),
            expect(&|row| row.starts_with(needle)),
            expect(&|row| needle.is_empty() || row.windows(needle.len()).any(|part| part == needle)),
        ];
        assert_eq!(searches(column, needle), expected);
        if let Ok(sorted) = column.conforming() {
            assert_eq!(searches(&sorted, needle), expected);
            assert_eq!(searches(&sorted.greedy().expect("valid"), needle), expected);
        }
    }
}
