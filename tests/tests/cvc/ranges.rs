//! Rows by byte ranges.

use unspool::cvc::File;
use unspool::{ErrorKind, Limits, Verify};
use unspool_tests::Random;

use crate::{OPTIONS, column, expected, range, valid};

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
