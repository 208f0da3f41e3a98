//! Rows by byte ranges.

use unspool::cvc::File;
use unspool::{Checksums, ErrorKind, Limits, Verify};
use unspool_tests::Random;

use crate::{OPTIONS, column, columnar, entries, expected, range, valid};

#[test]
fn decodes_any_rows_from_the_ranges_that_a_plan_names() {
    valid(|name, bytes, entry, folder| {
        for (column_name, expected) in expected(entry, folder) {
            // Open the head alone.
            let head = File::open(bytes, &Limits::DEFAULT).unwrap().head_len();
            let file = File::open(&bytes[..head as usize], &Limits::DEFAULT).unwrap();
            let column = column(&file, column_name.as_deref()).unwrap();
            let width = (column.dimension() * column.output().unwrap().width()) as usize;
            let rows = file.num_vectors();
            let mut random = Random(rows);
            for _ in 0..20 {
                let a = random.below(rows as usize + 1) as u64;
                let b = random.below(rows as usize + 1) as u64;
                let rows = a.min(b)..a.max(b);
                let expected = &expected[rows.start as usize * width..rows.end as usize * width];
                let decoded = column.decode_bytes_to_vec(bytes, rows.clone(), &OPTIONS).unwrap();
                assert!(decoded == expected, "{name} {column_name:?} rows {rows:?}");
                // Read the same rows by ranges: whole chunks with checksums, and data alone
                // without.
                let (mut by_chunk, mut by_data) = (vec![], vec![]);
                let mut plan = column.plan(rows.clone()).unwrap();
                let mut data_plan = column.plan(rows.clone()).unwrap();
                while let Some(wanted) = plan.needs() {
                    let data_range = data_plan.piece().map_or(wanted.clone(), |piece| piece.data_range().unwrap());
                    let payload = plan.feed(wanted.start, &bytes[range(wanted)], Verify::Refuse).unwrap();
                    let data = data_plan.feed(data_range.start, &bytes[range(data_range)], Verify::Refuse).unwrap();
                    let (Some(payload), Some(data)) = (payload, data) else { continue };
                    let mut values = vec![0.0; payload.len()];
                    payload.decode(&mut values).unwrap();
                    by_chunk.extend(values.iter().map(|value| value.to_bits()));
                    let mut values = vec![0; payload.len() * 4];
                    data.decode_f32_bytes(&mut values).unwrap();
                    by_data.extend(values.as_chunks().0.iter().map(|value| u32::from_le_bytes(*value)));
                    if let Some(fp16) = payload.fp16() {
                        assert_eq!(fp16.as_flattened(), payload.raw().unwrap());
                        assert_eq!(fp16.len(), payload.len());
                    }
                }
                assert!(data_plan.needs().is_none() && data_plan.checksums().matched == 0);
                assert_eq!(plan.checksums().mismatched, 0);
                let floats = column.decode_to_vec::<f32>(bytes, rows, &OPTIONS).unwrap();
                let floats: Vec<u32> = floats.iter().map(|value| value.to_bits()).collect();
                assert!(by_chunk == floats && by_data == floats, "{name} {column_name:?}");
            }
            let outside = column.plan(0..rows + 1).map(drop);
            assert_eq!(outside.unwrap_err().kind, ErrorKind::RangeOutside);
        }
    });
}

/// Returns a file with one column `a` and three chunks. The third has this object of columns.
fn three_chunks(third: String) -> Vec<u8> {
    let one = || entries([("a".to_owned(), 0)].into_iter());
    columnar(&["a".to_owned()], &[(one(), b"x"), (one(), b"y"), (third, b"z")])
}

#[test]
fn a_plan_needs_the_same_bytes_after_wrong_ones() {
    let mut lengths = 0;
    valid(|name, bytes, _, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        for column in file.columns().map(Result::unwrap) {
            let (mut plan, mut values) = (column.plan(column.rows()).unwrap(), 0);
            while let Some(wanted) = plan.needs() {
                let right = &bytes[range(wanted.clone())];
                let outside = plan.feed(wanted.start + 1, right, Verify::Skip).unwrap_err();
                assert_eq!((outside.kind, plan.needs()), (ErrorKind::RangeOutside, Some(wanted.clone())), "{name}");
                let is_length = plan.piece().is_none();
                let short = plan.feed(wanted.start, &right[..3], Verify::Skip).unwrap_err();
                let kind = if is_length { ErrorKind::Truncated } else { ErrorKind::RangeOutside };
                assert_eq!((short.kind, plan.needs()), (kind, Some(wanted.clone())), "{name}");
                let payload = plan.feed(wanted.start, right, Verify::Refuse).unwrap();
                values += payload.map_or(0, |payload| payload.len() as u64);
                lengths += u64::from(is_length);
            }
            assert_eq!(values, column.rows().end * column.dimension(), "{name}");
            assert_eq!((plan.checksums().mismatched, plan.checksums().unchecked > 0), (0, !file.has_checksums()));
        }
    });
    assert!(lengths > 0);
}

#[test]
fn a_plan_goes_on_after_a_chunk_with_an_error() {
    let mut bytes = three_chunks(entries([("a".to_owned(), 0)].into_iter()));
    let head = File::open(&bytes, &Limits::DEFAULT).unwrap().head_len() as usize;
    bytes[head + 9 + 8] ^= 1;
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    for again in [false, true] {
        let column = file.only_column().unwrap();
        let (mut plan, mut values) = (column.plan(0..3).unwrap(), Vec::<u8>::new());
        while let Some(wanted) = plan.needs() {
            match plan.feed(wanted.start, &bytes[range(wanted.clone())], Verify::Refuse) {
                Ok(payload) => values.extend(payload.iter().flat_map(|payload| payload.raw().unwrap())),
                Err(error) => {
                    assert_eq!((error.kind, plan.needs()), (ErrorKind::CvcCrc, Some(wanted.clone())));
                    if again {
                        let payload = plan.feed(wanted.start, &bytes[range(wanted)], Verify::Report).unwrap().unwrap();
                        values.extend(payload.raw().unwrap());
                    } else {
                        plan.skip();
                    }
                }
            }
        }
        assert_eq!(values, if again { b"xxz".to_vec() } else { b"xz".to_vec() });
        assert_eq!(plan.checksums(), Checksums { matched: 2, mismatched: again.into(), unchecked: 0 });
    }
}

#[test]
fn every_feed_returns_the_fault_of_the_next_chunk() {
    let bytes = three_chunks("{}".to_owned());
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let mut plan = file.only_column().unwrap().plan(0..3).unwrap();
    let mut feed = || {
        let wanted = plan.needs().unwrap();
        plan.feed(wanted.start, &bytes[range(wanted.clone())], Verify::Refuse).map(|payload| payload.is_some())
    };
    while feed().is_ok() {}
    let error = feed().unwrap_err();
    assert_eq!((feed(), feed()), (Err(error), Err(error)));
    assert!(plan.needs().is_some_and(|needs| needs.is_empty()));
}
