//! Columns by name, invalid requests, and the ranges and the scratch that a query asks for.

use unspool::at1::{Ask, ColumnRef, Filter, Number, Options, Query, Request, Test, Workspace};
use unspool::{Class, Error, ErrorKind, Limits};
use unspool_tests::at1::{file, row_groups};

use super::table::{split, table};
use super::{queryable, run};

#[test]
fn ahead_predicts_the_ranges_that_are_needed() {
    let (mut long, mut side_by_side, mut in_vain) = (0, 0, 0);
    for (path, file) in queryable() {
        let table = table(&file);
        if table.rows.is_empty() || table.types.is_empty() {
            continue;
        }
        let last = table.types.len() - 1;
        let value = &table.rows[table.rows.len() / 2];
        let filters =
            [0, last].map(|column| Filter { column: ColumnRef::Number(column), test: Test::Equal(&value[column]) });
        let ends = [ColumnRef::Number(0), ColumnRef::Number(last)];
        let ask =
            |filters, ask| run(&file, Request { filters, ask, limit: u64::MAX }, 40, &Limits::NONE).expect("an answer");
        // If nothing depends on a value, everything is predicted in order: whole groups, or both
        // ends of each.
        for answer in [ask(&[], Ask::Rows), ask(&[], Ask::Columns(&ends)), ask(&filters[..1], Ask::Count)] {
            for (i, ranges) in answer.foreseen.iter().enumerate() {
                let rest = answer.fetched.get(i + 1..).unwrap_or(&[]);
                assert_eq!(ranges[..], rest[..rest.len().min(12)], "{}: after range {i}", path.display());
                long = long.max(ranges.len());
            }
        }
        // Otherwise an unpredicted range belongs to a group with matches after a group without.
        for answer in [ask(&filters[..1], Ask::Rows), ask(&filters, Ask::Columns(&ends))] {
            for (ranges, next) in answer.foreseen.iter().zip(&answer.fetched[1.min(answer.fetched.len())..]) {
                let inside = ranges.iter().any(|range| range.0 <= next.0 && next.1 <= range.1);
                *(if inside { &mut side_by_side } else { &mut in_vain }) += 1;
            }
        }
    }
    assert!(long == 12 && side_by_side > 4 * in_vain, "{long} ranges, {side_by_side} foreseen, {in_vain} not");
}

#[test]
fn finds_columns_by_name() {
    let mut seen = [0; 3];
    for (path, file) in queryable() {
        let table = table(&file);
        if path.to_string_lossy().contains("big_") || table.types.is_empty() {
            continue;
        }
        let Some(names) = &table.names else {
            let ask = Ask::Min(ColumnRef::Name(b"id"));
            let error = run(&file, Request { filters: &[], ask, limit: 9 }, 0, &Limits::DEFAULT).expect_err("no names");
            assert_eq!(error.kind, ErrorKind::At1NoNames, "{}", path.display());
            assert_eq!(error.class(), Class::Misuse);
            seen[0] += 1;
            continue;
        };
        let row_zero =
            table.lines.first().is_some_and(|line| split(line, b",") == *names || names[0] == table.rows[0][0]);
        let is_json = file[4] == 8;
        for (column, name) in names.iter().enumerate() {
            let ask = [ColumnRef::Name(name)];
            let request = Request { filters: &[], ask: Ask::Columns(&ask), limit: 20 };
            let found = run(&file, request, 0, &Limits::DEFAULT);
            let no_header = names.iter().any(|name| name.is_empty() || Number::read(name).is_some());
            if names.iter().filter(|other| *other == name).count() > 1 && (is_json || !no_header) {
                assert_eq!(found.map_err(|error| error.kind), Err(ErrorKind::At1ColumnTwice));
            } else if !is_json && row_zero && no_header {
                assert_eq!(found.map_err(|error| error.kind), Err(ErrorKind::At1NoNames), "{}", path.display());
            } else {
                let expected: Vec<_> = table.rows.iter().take(20).map(|row| vec![row[column].clone()]).collect();
                assert_eq!(found.expect("a name").rows, expected, "{}", path.display());
                seen[1 + usize::from(row_zero)] += 1;
            }
        }
        let ask = Ask::Sum(ColumnRef::Name(b"no such column"));
        let error = run(&file, Request { filters: &[], ask, limit: 9 }, 0, &Limits::DEFAULT).expect_err("unknown");
        assert!(matches!(error.kind, ErrorKind::At1NoSuchColumn | ErrorKind::At1NoNames), "{}", path.display());
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn refuses_invalid_requests() {
    for (_, file) in queryable().into_iter().take(12) {
        let columns = table(&file).types.len();
        let ask = |ask, filters: &[Filter<'_>]| {
            let request = Request { filters, ask, limit: u64::MAX };
            run(&file, request, 0, &Limits::DEFAULT).map(drop).map_err(|error| (error.kind, error.class()))
        };
        let no_such = Err((ErrorKind::At1NoSuchColumn, Class::Misuse));
        assert_eq!(ask(Ask::Columns(&[]), &[]), no_such);
        assert_eq!(ask(Ask::Sum(ColumnRef::Number(columns)), &[]), no_such);
        let far = [Filter { column: ColumnRef::Number(usize::MAX), test: Test::Equal(b"") }];
        assert_eq!(ask(Ask::Count, &far), no_such);
    }
    for (codec, version, kind) in [
        (11, 2, ErrorKind::At1NotQueryable),
        (4, 2, ErrorKind::At1NotQueryable),
        (255, 2, ErrorKind::At1NotQueryable),
        (7, 3, ErrorKind::At1QueryFrames),
    ] {
        let file = [b'A', b'T', b'1', version, codec, 0];
        let request = Request { filters: &[], ask: Ask::Count, limit: 1 };
        let error = run(&file, request, 0, &Limits::DEFAULT).expect_err("not queryable");
        assert_eq!((error.kind, error.class()), (kind, Class::Unsupported));
    }
}

/// A bad request is refused before any block is requested, and before the file is read if no file
/// could answer it.
#[test]
fn a_request_is_checked_before_the_work() {
    let unread = |bytes: &[u8]| (0, bytes.to_vec());
    let mut streams = row_groups(1, b",", &[vec![unread(b"x"); 2]]);
    streams.push(("verbatim", b"one,two".to_vec()));
    let [meta, modes, ..] = &mut streams[..] else { panic!("four streams") };
    // A line of names before the row.
    meta.1[0] = 2;
    modes.1.insert(0, 0);
    streams.swap(3, 4);
    // In a compressed stream that does not decode.
    let pack = |bytes: &[u8]| (if bytes == b"\0x\0x" { 1 } else { 2 }, bytes.to_vec());
    let file = file(7, &streams, pack);
    let mut scratch = [0; 1 << 10];
    let mut ask = |head: &[u8], filters: &[Filter<'_>], ask| {
        let request = Request { filters, ask, limit: u64::MAX };
        let mut query = Query::new(request, &Options::DEFAULT);
        query
            .open(head, &mut Workspace::new(), &mut scratch)
            .map(|()| query.needs().is_some())
            .map_err(|error| error.kind)
    };
    let word = [Filter { column: ColumnRef::Number(0), test: Test::Range { low: None, high: Some(b"high") } }];
    assert_eq!(ask(b"", &word, Ask::Count), Err(ErrorKind::At1QueryNumber));
    assert_eq!(ask(b"", &[], Ask::Columns(&[])), Err(ErrorKind::At1NoSuchColumn));
    assert_eq!(ask(&file, &[], Ask::Max(ColumnRef::Name(b"two"))), Ok(true), "now the blocks");
    assert_eq!(ask(&file, &[], Ask::Max(ColumnRef::Name(b"three"))), Err(ErrorKind::At1NoSuchColumn));
    assert_eq!(ask(&file, &[], Ask::Max(ColumnRef::Number(2))), Err(ErrorKind::At1NoSuchColumn));
}

#[test]
fn refuses_a_range_of_words_and_a_line_of_some_columns() {
    let (_, file) = queryable().into_iter().find(|(_, file)| table(file).rows.len() > 10).expect("one");
    let words = [Filter { column: ColumnRef::Number(0), test: Test::Range { low: Some(b"low"), high: None } }];
    let request = Request { filters: &words, ask: Ask::Count, limit: u64::MAX };
    let error = run(&file, request, 0, &Limits::DEFAULT).expect_err("no number");
    assert_eq!((error.kind, error.class()), (ErrorKind::At1QueryNumber, Class::Misuse));
    let columns = [ColumnRef::Number(0)];
    let request = Request { filters: &[], ask: Ask::Columns(&columns), limit: u64::MAX };
    let (mut workspace, mut scratch) = (Workspace::new(), vec![0; 1 << 20]);
    let mut query = Query::new(request, &Options::DEFAULT);
    query.open(&file, &mut workspace, &mut scratch).expect("a good file");
    let mut kinds = vec![];
    let fed = query.feed(0, &file, &mut workspace, &mut scratch, &mut |row| {
        kinds.push(row.write_line(&mut unspool::Count::default()).map_err(|error| error.kind));
        if kinds.len() == 3 { Err(Error::new(ErrorKind::SinkFull, 0)) } else { Ok(()) }
    });
    assert_eq!(fed, Err(Error::new(ErrorKind::SinkFull, 0)), "the visitor ends it");
    assert_eq!(kinds, [Err(ErrorKind::At1QueryLine); 3]);
    let mut query = Query::new(request, &Options::DEFAULT);
    query.open(&file, &mut workspace, &mut scratch).expect("a good file");
    let needs = query.needs().expect("a block");
    let error = query
        .feed(needs.start + 1, &file[..40], &mut workspace, &mut scratch, &mut |_| Ok(()))
        .expect_err("other bytes");
    assert_eq!((error.kind, error.at, error.need), (ErrorKind::RangeOutside, needs.start, needs.end));
}

#[test]
fn the_scratch_that_is_asked_for_is_enough_and_one_byte_less_is_not() {
    for (path, file) in queryable() {
        if path.to_string_lossy().contains("big_") {
            continue;
        }
        let request = Request { filters: &[], ask: Ask::Rows, limit: u64::MAX };
        let found = run(&file, request, 0, &Limits::DEFAULT).expect("a good file");
        let mut workspace = Workspace::new();
        let mut all = |len: usize| {
            let mut scratch = vec![0; len];
            let mut query = Query::new(request, &Options::DEFAULT);
            query.open(&file, &mut workspace, &mut scratch)?;
            query.feed(0, &file, &mut workspace, &mut scratch, &mut |_| Ok(()))?;
            assert_eq!(query.needs(), None);
            Ok(query.stats())
        };
        assert_eq!(all(found.scratch), Ok(found.stats), "{}", path.display());
        if let Some(less) = found.scratch.checked_sub(1) {
            let error: Error = all(less).expect_err("one byte less");
            assert_eq!(error.class(), Class::WorkspaceTooSmall { need: found.scratch as u64 }, "{}", path.display());
        }
    }
}
