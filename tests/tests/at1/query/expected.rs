//! The answers that the vectors expect.

use std::path::PathBuf;

use serde_json::Value as Json;
use unspool::Limits;
use unspool::at1::{Ask, ColumnRef, Filter, Request, Test};
use unspool::checksum::Sha256;
use unspool_tests::{list, manifest, number, read, text, vector_folders};

use super::super::assert_ran;
use super::run;
use super::table::table;

/// Returns the queries of all folders. The compact set has no `big_` files. Any other missing file
/// fails its test.
fn queries() -> Vec<(PathBuf, Json)> {
    let mut queries = vec![];
    for (number, folder) in vector_folders("at1").iter().enumerate() {
        for entry in list(&manifest(&folder.join("queries.json")), "queries") {
            let vector = text(entry, "vector");
            if number > 0 || !vector.starts_with("big_") {
                queries.push((folder.join(format!("{vector}.at1")), entry.clone()));
            }
        }
    }
    assert_ran(queries.len(), 10, 16);
    queries
}

/// Returns a bound of an expected query with its digits as in the JSON.
fn bound(json: &Json) -> Option<String> {
    match json {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[test]
fn answers_are_the_expected_ones() {
    for (path, entry) in &queries() {
        let shown = format!("{} {}", path.display(), entry["where"]);
        let file = read(path);
        let conditions: Vec<(usize, bool, Option<String>, Option<String>)> = list(entry, "where")
            .iter()
            .map(|condition| {
                let column = number(condition, "col") as usize;
                match condition.get("eq") {
                    Some(value) => (column, true, bound(value), None),
                    None => (column, false, bound(&condition["lo"]), bound(&condition["hi"])),
                }
            })
            .collect();
        let filters: Vec<Filter<'_>> = conditions
            .iter()
            .map(|(column, equal, low, high)| {
                let (low, high) = (low.as_ref().map(String::as_bytes), high.as_ref().map(String::as_bytes));
                let test = if *equal { Test::Equal(low.expect("a value")) } else { Test::Range { low, high } };
                Filter { column: ColumnRef::Number(*column), test }
            })
            .collect();
        let select: Vec<usize> = list(entry, "select").iter().map(|n| n.as_u64().expect("a column") as usize).collect();
        let columns: Vec<_> = select.iter().map(|&column| ColumnRef::Number(column)).collect();
        let request = Request { filters: &filters, ask: Ask::Columns(&columns), limit: u64::MAX };
        let found = run(&file, request, 64 << 10, &Limits::DEFAULT).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let stats = found.stats;
        assert_eq!(found.matched, number(entry, "n_rows"), "{shown}");
        assert_eq!(found.rows.len() as u64, found.matched);
        assert_eq!(hex(&joined(&found.rows)), text(entry, "rows_tsv_sha256"), "{shown}");
        assert_eq!(stats.groups, number(entry, "groups"), "{shown}");
        assert!(stats.read <= number(entry, "groups_zone_map_cannot_skip"), "{shown}: {stats:?}");
        assert_eq!(stats.read + stats.skipped, stats.groups, "{shown}");
        assert!(stats.block_bytes_read <= number(entry, "block_bytes_read"), "{shown}: {stats:?}");
        assert_eq!(stats.block_bytes_total, number(entry, "block_bytes_total"), "{shown}");
        let fetched: u64 = found.fetched.iter().map(|(start, end)| end - start).sum();
        assert_eq!(fetched, stats.block_bytes_read, "{shown}: what is asked for is what is read");

        let lines = run(&file, Request { ask: Ask::Rows, ..request }, 0, &Limits::DEFAULT).expect("as before");
        let mut text_of = vec![];
        for (i, line) in lines.lines.iter().enumerate() {
            text_of.extend(if i > 0 { &b"\n"[..] } else { b"" });
            text_of.extend(line);
        }
        assert_eq!(hex(&text_of), text(entry, "full_lines_sha256"), "{shown}");
        let counted = run(&file, Request { ask: Ask::Count, ..request }, 0, &Limits::DEFAULT).expect("as before");
        assert_eq!(counted.matched, found.matched);
        assert!(counted.stats.block_bytes_read <= stats.block_bytes_read);
        // The decoded file checks the other results of the query.
        if file.len() < 1 << 18 {
            table(&file).check(&file, request, 1 << 16);
        }
    }
}

fn joined(rows: &[Vec<Vec<u8>>]) -> Vec<u8> {
    rows.iter().map(|row| row.join(&b'\t')).collect::<Vec<_>>().join(&b'\n')
}

fn hex(bytes: &[u8]) -> String {
    Sha256::of(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
