//! Rows of a column: all of them, some, or one, by every call that decodes them.

use super::*;

/// Compares every call that decodes a row.
pub fn decodes(what: &str, column: &Column<'_>, expected: &[u8], rows: &[Range<usize>]) {
    let all = column.rows();
    assert_eq!(all.end, rows.len() as u64, "{what}");
    column.check().unwrap();
    assert_eq!(column.decoded_len(all.clone()), Ok(expected.len() as u64), "{what}");
    // No slack, some, and plenty.
    for slack in [0, 1, 7, 16, 200] {
        let mut out = vec![0xAA; expected.len() + slack];
        assert_eq!(column.decode_into(all.clone(), &mut out), Ok(expected.len()), "{what}");
        assert!(&out[..expected.len()] == expected, "{what} with {slack} to spare");
        assert!(out[expected.len()..].iter().skip(16).all(|&byte| byte == 0xAA), "{what}: wrote far after the end");
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

/// If the form of a column has its own reader: the same rows for every length of output, and the
/// same errors.
fn plain_rows(what: &str, column: &Column<'_>, expected: &[u8], rows: &[Range<usize>]) {
    let Some(plain) = column.plain_rows() else { return };
    for (number, row) in (0..).zip(rows) {
        for room in [row.len(), row.len() + 1, row.len() + 16, row.len() + 40] {
            let mut line = vec![0xAA; room];
            assert_eq!(plain.row_into(number, &mut line), Ok(row.len()), "{what} row {number} in {room}");
            assert_eq!(&line[..row.len()], &expected[row.clone()], "{what} row {number} in {room}");
            assert!(
                line[row.len()..].iter().skip(16).all(|&byte| byte == 0xAA),
                "{what}: wrote far after row {number}"
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

/// Rows by their numbers, backwards and each twice, in a line with bytes to spare and in one that
/// just holds the longest.
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
    // Rows before one that does not exist come first.
    let mut seen = 0;
    let wanted = wanted().take(20).chain([column.rows().end]).chain(wanted());
    let outside = column.each_row(wanted, &mut vec![0; most], |_, _| {
        seen += 1;
        Ok(())
    });
    assert_eq!((outside.unwrap_err().class(), seen), (Class::Misuse, 20.min(2 * rows.len())), "{what}");
}

#[test]
fn decodes_one_form_with_its_own_reader() {
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
    // A code that names no token, at the offset that `row_into` reports.
    assert_eq!(plain.row_into(2, &mut line).unwrap_err().kind, ErrorKind::OnPairCode);
    assert_eq!(plain.row_into(2, &mut line), column.row_into(2, &mut [0; 64]));
    // With the widened dictionary, too.
    let (mut padded, mut lens) = ([[0; 16]; 2], [0; 2]);
    let wide = column.widened(&mut padded, &mut lens).unwrap();
    let plain = wide.plain_rows().unwrap();
    assert_eq!(plain.row_into(1, &mut line), Ok(5));
    assert_eq!(plain.row_into(2, &mut line), column.row_into(2, &mut [0; 64]));
    // Other forms have none. Neither have columns with rows that might exceed the limits.
    assert!(open(Codes::bytes(&[0; 8]).unwrap(), offsets, Limits::NONE).plain_rows().is_none());
    assert!(open(Codes::packed(&[0; 8], 3, 4).unwrap(), offsets, Limits::NONE).plain_rows().is_none());
    assert!(open(numbers, RowOffsets::u64(&long).unwrap(), Limits::NONE).plain_rows().is_none());
    for (max_output, is_plain) in [(4 * 16, true), (4 * 16 - 1, false)] {
        let column = open(numbers, offsets, Limits { max_output, ..Limits::NONE });
        assert_eq!(column.plain_rows().is_some(), is_plain);
    }
}
