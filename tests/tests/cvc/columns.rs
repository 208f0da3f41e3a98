//! Files with many columns.

use std::collections::BTreeSet;
use std::ops::Range;

use unspool::cvc::{Column, File, Workspace, inspect};
use unspool::tree::Tree;
use unspool::{Checksums, ErrorKind, Limits, Name, Part, Verify};
use unspool_tests::{Leaves, Random};

use crate::{OPTIONS, columnar, entries, outlined, range, valid};

#[test]
fn emits_and_counts_columns_that_no_schema_names_in_order_of_offset() {
    let many = |count: usize| {
        let payload = vec![7; count];
        // Backwards, so that no order in the header helps.
        let object = entries((0..count).map(|at| (at.to_string(), count - 1 - at)));
        columnar(&["0".to_owned()], &[(object, payload.as_slice())])
    };
    let bytes = many(4000);
    let mut leaves = Leaves::default();
    inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut leaves).unwrap();
    leaves.assert_tile(bytes.len(), "4000 columns");
    let mut tree = Tree::new(usize::MAX);
    inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut tree).unwrap();
    let told: Vec<_> = tree.nodes().iter().filter(|node| node.part == Some(Part::Data)).collect();
    assert_eq!(told.len(), 4000);
    assert!(told.windows(2).all(|two| two[0].bits.end == two[1].bits.start));
    assert_eq!((told[0].value.as_str(), told[3999].value.as_str()), ("3999", "0"));
    let bytes = many(4097);
    for error in [
        inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut ()).unwrap_err(),
        inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut Leaves::default()).unwrap_err(),
        outlined(&bytes, &Limits::DEFAULT).1.unwrap_err(),
    ] {
        assert_eq!((error.kind, error.need), (ErrorKind::ColumnLimit, 4097));
    }
}

#[test]
fn columns_decode_chunk_by_chunk_as_they_do_alone() {
    let by_chunk_with = |bytes: &[u8], workspace: &mut Workspace<'_>| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let mut columns: Vec<(Vec<u32>, BTreeSet<&str>)> = vec![];
        columns.resize(file.column_count() as usize, (vec![], BTreeSet::new()));
        let read = |position: usize, column: &Column<'_>, piece: &unspool::cvc::Piece| {
            assert_eq!(column.name().to_string(), file.columns().nth(position).unwrap()?.name().to_string());
            let payload = piece.read(&bytes[range(piece.range())], Verify::Refuse, &mut Checksums::default())?;
            let mut values = vec![0.0; payload.len()];
            payload.decode(&mut values)?;
            columns[position].0.extend(values.iter().map(|value| value.to_bits()));
            Ok(())
        };
        file.each_piece(bytes, workspace, read).unwrap();
        file.each_output(workspace, |position, _, output| {
            columns[position].1.insert(output.name());
            Ok(())
        })
        .unwrap();
        for (column, (values, outputs)) in file.columns().map(Result::unwrap).zip(columns) {
            let alone = column.decode_to_vec::<f32>(bytes, column.rows(), &OPTIONS).unwrap();
            assert!(alone.iter().map(|value| value.to_bits()).eq(values), "{}", column.name());
            let output = column.output().unwrap().name();
            assert!(outputs.is_empty() || outputs.len() > 1 && output == "float32" || outputs.contains(output));
        }
    };
    let by_chunk = |bytes: &[u8]| {
        by_chunk_with(bytes, &mut Workspace::new());
        for words in [100, 150, 400, 4000] {
            by_chunk_with(bytes, &mut Workspace::with_table(&mut vec![7; words]));
        }
    };
    valid(|_, bytes, _, _| by_chunk(bytes));
    // Around the number of columns that one pass finds; in reverse order, after members with equal
    // keys.
    for count in [1, 63, 64, 65, 128, 200] {
        let names: Vec<_> = (0..count).map(|at| format!("c{at}")).collect();
        let payload: Vec<u8> = (0..=count).map(|at| at as u8).collect();
        let object = |shift: usize| {
            let false_ones = names.iter().map(|name| (name.clone(), count));
            let right = names.iter().enumerate().rev().map(|(at, name)| (name.clone(), (at + shift) % count));
            entries(false_ones.chain(right))
        };
        by_chunk(&columnar(&names, &[(object(0), &payload), (object(1), &payload)]));
    }
}

#[test]
fn a_walk_over_some_columns_and_rows_ignores_the_others() {
    let names: Vec<_> = (0..60).map(|at| format!("c{at}")).collect();
    let payloads: Vec<Vec<u8>> = (0..4).map(|chunk| vec![chunk; 60]).collect();
    let object = entries(names.iter().cloned().zip(0..));
    let broken = object.replacen("none", "zip", 1);
    let chunks: Vec<_> = payloads.iter().map(|payload| (broken.clone(), payload.as_slice())).collect();
    let bytes = columnar(&names, &chunks);
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let walk = |only: &[bool], rows: Range<u64>| {
        let (mut pieces, mut found) = (file.pieces().within(rows), vec![]);
        while let Some(wanted) = pieces.needs() {
            let mut workspace = Workspace::new().only(only);
            pieces.feed(wanted.start, &bytes[range(wanted)], &mut workspace, |position, _, piece| {
                found.push((position, piece.rows.clone()));
                Ok(())
            })?;
        }
        Ok::<_, unspool::Error>(found)
    };
    let only: Vec<_> = (0..60).map(|position| [7, 59].contains(&position)).collect();
    assert_eq!(walk(&only, 1..3).unwrap(), [(7, 1..2), (59, 1..2), (7, 2..3), (59, 2..3)]);
    assert_eq!(walk(&only, 2..2).unwrap(), []);
    assert_eq!(walk(&[true; 60], 1..3).unwrap_err().kind, ErrorKind::CvcUnknownCompression);
}

#[test]
fn finds_a_wrongly_stored_column_among_many() {
    let names: Vec<_> = (0..300).map(|at| format!("c{at}")).collect();
    let payload = [0; 300];
    let kind = |object: String| {
        let right = entries(names.iter().cloned().zip(0..));
        let bytes = columnar(&names, &[(right, &payload), (object, &payload)]);
        let error = inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut ()).unwrap_err();
        let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
        assert_eq!(file.column("c7").unwrap().decode_bytes_to_vec(&bytes, 0..2, &OPTIONS), Ok(vec![0; 2]));
        for column in ["c70", "c299"] {
            let column = file.column(column).unwrap();
            if let Err(alone) = column.decode_bytes_to_vec(&bytes, 0..2, &OPTIONS) {
                assert_eq!((error.kind, error.at), (alone.kind, alone.at));
            }
        }
        error.kind
    };
    let all = || names.iter().cloned().zip(0..);
    assert_eq!(kind(entries(all().filter(|(name, _)| name != "c299"))), ErrorKind::CvcColumnMissing);
    assert_eq!(
        kind(entries(all().map(|(name, at)| (name, if at == 70 { 300 } else { at })))),
        ErrorKind::CvcColumnOutside
    );
    assert_eq!(
        kind(entries(all()).replacen("\"c299\":{\"compression\":\"none\"", "\"c299\":{\"compression\":\"zip\"", 1)),
        ErrorKind::CvcUnknownCompression
    );
}

#[test]
fn emits_bytes_of_overlapping_columns_once() {
    let mut random = Random(5);
    for columns in [1, 2, 5, 63, 64, 65, 130, 200] {
        let len = 1 + random.below(3 * columns);
        let mut place = || {
            let most = 1 + random.below(len + 3);
            (random.below(len + 2), random.below(most))
        };
        let places: Vec<(usize, usize)> = (0..columns).map(|_| place()).collect();
        let entry = |(name, (at, size)): (usize, &(usize, usize))| {
            format!(r#""{name}":{{"compression":"none","offset":{at},"size":{size}}}"#)
        };
        let object = places.iter().enumerate().map(entry).collect::<Vec<_>>().join(",");
        let object = format!(r#"{{{object},"x":{{"compression":"none","offset":0,"size":1}}}}"#);
        let payload = vec![1; len];
        let bytes = columnar(&["x".to_owned()], &[(object, payload.as_slice())]);
        let mut tree = Tree::new(usize::MAX);
        inspect(&bytes, &mut Workspace::new(), &OPTIONS, &mut tree).unwrap();
        // Next comes the column that reaches further and starts first; then the one that ends
        // first.
        let start = bytes.len() - len;
        let (mut at, mut expected) = (0, vec![]);
        let mut all: Vec<_> = places.iter().enumerate().map(|(name, place)| (name.to_string(), *place)).collect();
        all.push(("x".to_owned(), (0, 1)));
        while at < len {
            let reach =
                |(_, (from, size)): &&(String, (usize, usize))| from + size > at && from + size <= len && *size > 0;
            let next = all.iter().filter(reach).min_by_key(|(_, (from, size))| (*from, from + size));
            let Some((name, (from, size))) = next else {
                expected.push((String::new(), at..len));
                break;
            };
            if *from > at {
                expected.push((String::new(), at..*from));
            }
            expected.push((name.clone(), at.max(*from)..from + size));
            at = from + size;
        }
        let told =
            tree.nodes().iter().filter(|node| [Name::Column, Name::Unused].contains(&node.name) && node.part.is_some());
        let told: Vec<_> = told
            .filter(|node| node.bits.start >= start as u64 * 8)
            .map(|node| {
                let name = if node.name == Name::Unused { String::new() } else { node.value.clone() };
                (name, (node.bits.start / 8) as usize - start..(node.bits.end / 8) as usize - start)
            })
            .collect();
        assert_eq!(told, expected, "{columns} columns over {len} bytes");
    }
}

#[test]
fn says_which_columns_have_lossless_chunks() {
    let (mut with, mut without) = (0, 0);
    valid(|name, bytes, _, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        for column in file.columns().map(Result::unwrap) {
            let (mut plan, mut is_lossless) = (column.plan(column.rows()).unwrap(), false);
            while let Some(wanted) = plan.needs() {
                let payload = plan.feed(wanted.start, &bytes[range(wanted)], Verify::Refuse).unwrap();
                is_lossless |= payload.is_some_and(|payload| payload.compression() == "lossless");
            }
            assert_eq!(column.is_lossless(), Ok(is_lossless), "{name}: {}", column.name());
            *(if is_lossless { &mut with } else { &mut without }) += 1;
        }
    });
    assert!(with > 3 && without > 50, "{with} and {without}");
}
