//! Bytes that a query reads, counted at the store.

use unspool::Limits;
use unspool::at1::{Ask, ColumnRef, Filter, HEADER_LEN, Set, Test};
use unspool_tests::Random;

use crate::common::{Column, Counting, DECIMAL, INTEGER, TEXT, Zones, query, rows, session, table};

/// Returns the bytes that a reader needs before the blocks, or else reads before it knows better,
/// and at most a quarter more.
fn head_len(bytes: &[u8]) -> u64 {
    let set = Set::open(bytes, HEADER_LEN, bytes.len() as u64, &Limits::DEFAULT).unwrap();
    let blocks = set.find(b"blocks").unwrap().unwrap();
    (64 << 10).max(blocks.start * 5 / 4 + 1)
}

/// Returns a table of more bytes than a head.
pub fn trades(rows: usize) -> Vec<u8> {
    let mut random = Random(3);
    let ts = (0..rows).map(|row| (1_700_000_000 + row).to_string()).collect();
    let price = (0..rows).map(|_| format!("{}.{:03}", random.below(90_000), random.below(1000))).collect();
    let side = (0..rows).map(|_| ["buy", "sell"][random.below(2)].to_owned()).collect();
    let note = (0..rows).map(|_| format!("{:x}{:x}", random.bits(), random.bits())).collect();
    let columns = [
        Column { name: "ts", kind: INTEGER, values: ts },
        Column { name: "price", kind: DECIMAL, values: price },
        Column { name: "side", kind: TEXT, values: side },
        Column { name: "note", kind: TEXT, values: note },
    ];
    table(&columns, 1000, Zones::Honest)
}

#[tokio::test]
async fn a_selective_filter_reads_what_a_query_of_the_core_reads() {
    let bytes = trades(100_000);
    let mut random = Random(11);
    for case in 0..40 {
        // A session of its own, which knows no head yet.
        let context = session(1 + case % 3, 8192);
        let store = Counting::with(&context, &[("t.at1", &bytes)]).await;
        let low = 1_700_000_000 + random.below(100_000);
        let high = low + random.below(3000);
        let (low_text, high_text) = (low.to_string(), high.to_string());
        let range = Test::Range { low: Some(low_text.as_bytes()), high: Some(high_text.as_bytes()) };
        let is_two = case % 2 == 0;
        let mut filters = vec![Filter { column: ColumnRef::Number(0), test: range }];
        // Of a value that few groups have, so that most groups are left after one column.
        let value = format!("{}.{:03}", random.below(90_000), random.below(1000));
        if is_two {
            filters.push(Filter { column: ColumnRef::Number(1), test: Test::Equal(value.as_bytes()) });
        }
        let selected = [ColumnRef::Number(2), ColumnRef::Number(3)];
        let mut count = 0;
        let stats = query(&bytes, &filters, Ask::Columns(&selected), &mut |_| count += 1);
        let and = if is_two { format!(" AND price = {value}") } else { String::new() };
        let create = "CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/t.at1'";
        context.sql(create).await.unwrap();
        let sql = format!("SELECT side, note FROM t WHERE ts >= {low} AND ts <= {high}{and}");
        assert_eq!(rows(&context, &sql).await.unwrap().len(), count);
        let (read, requests) = store.take();
        let allowed = stats.block_bytes_read + head_len(&bytes);
        assert!(read <= allowed, "{sql}: {read} bytes instead of {allowed}");
        assert!(requests <= 4 + 4 * stats.read, "{sql}: {requests} requests for {} groups", stats.read);
    }
}

#[tokio::test]
async fn heads_alone_answer_schemas_and_counts() {
    let bytes = trades(100_000);
    let context = session(2, 8192);
    let store = Counting::with(&context, &[("a/t.at1", &bytes), ("a/u.at1", &bytes)]).await;
    context.sql("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/a/'").await.unwrap();
    assert_eq!(rows(&context, "SELECT count(*) FROM t").await.unwrap(), ["200000"]);
    let (read, requests) = store.take();
    assert!(read <= 2 * head_len(&bytes) && requests <= 6, "{read} bytes, {requests} requests");
}

#[tokio::test]
async fn a_limit_reads_no_more_than_it_needs() {
    let bytes = trades(100_000);
    let context = session(1, 8192);
    let store = Counting::with(&context, &[("t.at1", &bytes)]).await;
    context.sql("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/t.at1'").await.unwrap();
    store.take();
    assert_eq!(rows(&context, "SELECT * FROM t LIMIT 10").await.unwrap().len(), 10);
    let (read, _) = store.take();
    assert!(read <= bytes.len() as u64 / 100 + 2000, "{read} of {} bytes", bytes.len());
}

#[tokio::test]
async fn a_projection_reads_its_columns_alone() {
    let bytes = trades(100_000);
    let context = session(1, 8192);
    let store = Counting::with(&context, &[("t.at1", &bytes)]).await;
    context.sql("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/t.at1'").await.unwrap();
    store.take();
    let stats = query(&bytes, &[], Ask::Columns(&[ColumnRef::Number(2)]), &mut |_| {});
    assert_eq!(rows(&context, "SELECT count(DISTINCT side) FROM t").await.unwrap(), ["2"]);
    let (read, _) = store.take();
    assert!(read <= stats.block_bytes_read, "{read} instead of {}", stats.block_bytes_read);
}

#[tokio::test]
async fn a_full_scan_merges_reads() {
    let bytes = trades(100_000);
    let context = session(1, 8192);
    let store = Counting::with(&context, &[("t.at1", &bytes)]).await;
    context.sql("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/t.at1'").await.unwrap();
    store.take();
    assert_eq!(
        rows(&context, "SELECT count(*), max(ts), max(price), max(side), max(note) FROM t").await.unwrap().len(),
        1
    );
    let (read, requests) = store.take();
    assert!(read <= bytes.len() as u64, "{read} of {} bytes", bytes.len());
    // 100 groups of 4 blocks.
    assert!(requests <= 12, "{requests} requests");
}

#[tokio::test]
async fn an_analysis_shows_groups_and_bytes() {
    let bytes = trades(50_000);
    let context = session(1, 8192);
    let store = Counting::with(&context, &[("t.at1", &bytes)]).await;
    context.sql("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/t.at1'").await.unwrap();
    store.take();
    let found =
        rows(&context, "EXPLAIN ANALYZE SELECT note FROM t WHERE ts BETWEEN 1700020000 AND 1700020010").await.unwrap();
    let (read, requests) = store.take();
    let plan = found.join("\n");
    for part in ["groups_pruned=49", "groups_read=1", &format!("requests={requests}"), "predicate=ts"] {
        assert!(plan.contains(part), "{part} is not in {plan}");
    }
    assert!(read > 0 && plan.contains("bytes_read="), "{plan}");
}

/// The prefixes of these files do not fit the cache, but their heads do.
#[tokio::test]
async fn heads_of_many_files_are_read_once() {
    const FILES: u64 = 700;
    let bytes = trades(4000);
    assert!(bytes.len() > 64 << 10, "{} bytes", bytes.len());
    let context = session(2, 8192);
    let names: Vec<_> = (0..FILES).map(|file| format!("a/{file}.at1")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), &bytes[..])).collect();
    let store = Counting::with(&context, &files).await;
    context.sql("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/a/'").await.unwrap();
    assert_eq!(store.take().1, FILES);
    for (sql, expected) in [
        ("SELECT count(*) FROM t", 4000 * FILES),
        // Zone maps exclude all rows.
        ("SELECT count(note) FROM t WHERE ts < 5", 0),
    ] {
        assert_eq!(rows(&context, sql).await.unwrap(), [expected.to_string()]);
        assert_eq!(store.take().1, 0, "{sql}");
    }
}
