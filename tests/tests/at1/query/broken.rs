//! Broken files and zone maps that are wrong.

use unspool::Limits;
use unspool::at1::{Ask, ColumnRef, Filter, Request, Test};
use unspool_tests::{Random, read, vector_folders};

use super::super::assert_ran;
use super::{queryable, run};

#[test]
fn wrong_zone_maps_do_no_harm() {
    for folder in vector_folders("at1") {
        let file = read(&folder.join("bad/c7_zone_nan.at1"));
        let whole = run(&file, Request { filters: &[], ask: Ask::Rows, limit: u64::MAX }, 0, &Limits::DEFAULT);
        let whole = whole.expect("the lines are whole");
        for (column, low, high) in [(2, "0", "1000000"), (2, "1e5", "1e6"), (0, "3", "7")] {
            let test = Test::Range { low: Some(low.as_bytes()), high: Some(high.as_bytes()) };
            let filters = [Filter { column: ColumnRef::Number(column), test }];
            let request = Request { filters: &filters, ask: Ask::Rows, limit: u64::MAX };
            let found = run(&file, request, 0, &Limits::DEFAULT).expect("the lines are whole");
            let number = |text: &[u8]| String::from_utf8_lossy(text).parse::<f64>().expect("a number");
            let (low, high) = (number(low.as_bytes()), number(high.as_bytes()));
            let expected: Vec<_> =
                whole.rows.iter().filter(|row| (low..=high).contains(&number(&row[column]))).cloned().collect();
            assert_eq!(found.rows, expected);
        }
    }
}

/// Limits that keep every test short.
const SMALL: Limits = Limits { max_output: 1 << 22, max_elements: 1 << 16, ..Limits::DEFAULT };

#[test]
fn broken_files_end_with_an_error_or_an_answer() {
    let filters = [
        Filter { column: ColumnRef::Number(0), test: Test::Range { low: Some(b"5"), high: None } },
        Filter { column: ColumnRef::Number(0), test: Test::Range { low: None, high: Some(b"1e9") } },
    ];
    let named = [ColumnRef::Name(b"id"), ColumnRef::Number(0)];
    let requests = [
        Request { filters: &filters, ask: Ask::Rows, limit: u64::MAX },
        Request { filters: &filters[..1], ask: Ask::Columns(&named), limit: u64::MAX },
        Request { filters: &[], ask: Ask::Max(ColumnRef::Number(0)), limit: u64::MAX },
    ];
    let (mut refused, mut count) = (0, 0);
    let mut try_all = |file: &[u8]| {
        for request in requests {
            refused += u64::from(run(file, request, 40, &SMALL).is_err());
        }
    };
    let mut random = Random(11);
    for (path, file) in queryable() {
        if file.len() > 20_000 || path.to_string_lossy().contains("wide") {
            continue;
        }
        for _ in 0..60 {
            let mut broken = file.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(broken.len());
                broken[at] ^= 1 << random.below(8);
            }
            try_all(&broken);
            broken.truncate(random.below(broken.len()));
            try_all(&broken);
        }
        count += 1;
    }
    for folder in vector_folders("at1") {
        for entry in std::fs::read_dir(folder.join("bad")).expect("the folder") {
            try_all(&read(&entry.expect("an entry").path()));
            count += 1;
        }
    }
    assert_ran(count, 256, 298);
    assert!(refused > 100);
}
