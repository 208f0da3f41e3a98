//! Generated queries over every table, with the answers of plain DataFusion.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::prelude::SessionContext;
use unspool_arrow::at1::{Decimals, OnMisfit, Options, Table};
use unspool_tests::{Random, all_vectors, read};

use crate::common::{
    Column, DECIMAL, INTEGER, TEXT, Zones, columns_of, plain_session, reference, rows, session, strings, table,
};

/// A column to ask for, and some of its values.
struct Asked {
    name: String,
    data_type: DataType,
    values: Vec<String>,
}

impl Asked {
    fn value(&self, random: &mut Random) -> String {
        if self.values.is_empty() { "0".to_owned() } else { self.values[random.below(self.values.len())].clone() }
    }

    /// Returns a literal near a value of the column.
    fn literal(&self, random: &mut Random) -> String {
        let value = self.value(random);
        match self.data_type {
            DataType::Int64 => {
                let value: i64 = value.parse().unwrap_or(0);
                value
                    .saturating_add([0, 0, 1, -1][random.below(4)])
                    .clamp(-9_000_000_000_000_000_000, i64::MAX)
                    .to_string()
            }
            DataType::Decimal128(..) if value.contains(['e', 'E', 'n', 'N']) => "1.5".to_owned(),
            DataType::Decimal128(..) | DataType::Float64 => value,
            _ => format!("'{}'", value.replace('\'', "''")),
        }
    }
}

/// Returns a condition on some columns.
fn condition(columns: &[Asked], random: &mut Random, depth: usize) -> String {
    if depth > 0 && random.below(3) > 0 {
        let (one, other) = (condition(columns, random, depth - 1), condition(columns, random, depth - 1));
        return match random.below(5) {
            0 => format!("({one} OR {other})"),
            1 => format!("NOT ({one})"),
            _ => format!("({one} AND {other})"),
        };
    }
    let column = &columns[random.below(columns.len())];
    let name = format!("t.\"{}\"", column.name.replace('"', "\"\""));
    let literal = column.literal(random);
    let is_text = column.data_type == DataType::Utf8View;
    match random.below(11) {
        0 | 1 => format!("{name} = {literal}"),
        2 => format!("{name} <> {literal}"),
        3 => format!("{name} < {literal}"),
        4 => format!("{name} >= {literal}"),
        5 | 6 => format!("{name} BETWEEN {literal} AND {}", column.literal(random)),
        7 => format!("{name} IN ({literal}, {}, {})", column.literal(random), column.literal(random)),
        8 => format!("{name} IS {}NULL", ["", "NOT "][random.below(2)]),
        9 if is_text => {
            let value = column.value(random);
            let part: String = value.chars().take(1 + random.below(4)).filter(|c| !"%_\\'".contains(*c)).collect();
            let pattern = [format!("{part}%"), format!("%{part}%"), format!("%{part}")][random.below(3)].clone();
            format!("{name} {}LIKE '{pattern}'", ["", "NOT "][random.below(2)])
        }
        9 => format!("({name} <> 0 AND 100 / {name} >= 1)"),
        _ if is_text => format!("length({name}) > {}", random.below(12)),
        _ => format!("CASE WHEN {name} < {literal} THEN {name} > 0 ELSE {name} IS NOT NULL END"),
    }
}

/// Returns a query, and whether the order of its rows counts.
fn statement(columns: &[Asked], random: &mut Random) -> (String, bool) {
    let quoted = |column: &Asked| format!("t.\"{}\"", column.name.replace('"', "\"\""));
    let all: Vec<_> = columns.iter().map(quoted).collect();
    let filter = match random.below(5) {
        0 => String::new(),
        _ => format!(" WHERE {}", condition(columns, random, 2)),
    };
    let pick = |random: &mut Random| &columns[random.below(columns.len())];
    let order = all.iter().map(|name| format!("{name} DESC NULLS LAST")).collect::<Vec<_>>().join(", ");
    let (one, other) = (quoted(pick(random)), pick(random));
    // The sum of floats depends on their order.
    let total = match other.data_type {
        DataType::Int64 => format!("sum(CAST({} AS DECIMAL(38,0)))", quoted(other)),
        DataType::Decimal128(..) => format!("sum({0}), avg({0})", quoted(other)),
        _ => format!("count(DISTINCT {})", quoted(other)),
    };
    let other = quoted(other);
    match random.below(9) {
        0 => (format!("SELECT * FROM t{filter}"), false),
        1 => (format!("SELECT {one}, {other} AS o FROM t{filter}"), false),
        2 => (format!("SELECT count(*), count({one}), min({one}), max({one}), {total} FROM t{filter}"), false),
        3 => (format!("SELECT {one}, count(*), min({other}), {total} FROM t{filter} GROUP BY {one}"), false),
        4 => (format!("SELECT * FROM t{filter} ORDER BY {order} LIMIT {}", random.below(20)), true),
        5 => (format!("SELECT count(*) FROM (SELECT {one} FROM t{filter} LIMIT {})", random.below(50)), false),
        6 => {
            (format!("SELECT {one} FROM t{filter} ORDER BY {one} NULLS LAST LIMIT 10 OFFSET {}", random.below(9)), true)
        }
        7 => (format!("SELECT DISTINCT {one} FROM t{filter}"), false),
        _ => {
            let joined = one.replace("t.", "u.");
            (
                format!(
                    "SELECT count(*) FROM t JOIN (SELECT * FROM t ORDER BY {order} LIMIT 40) u ON {one} = {joined}{filter}"
                ),
                false,
            )
        }
    }
}

/// Returns whether a query may end with this error: it divides, and a number is zero or too small
/// for the quotient.
fn is_division(sql: &str, error: &str) -> bool {
    sql.contains("100 / ") && ["Divide by zero", "too large to store"].iter().any(|why| error.contains(why))
}

/// Asks both sessions the same, and compares.
async fn compare(
    ours: &SessionContext,
    plain: &SessionContext,
    columns: &[Asked],
    count: usize,
    seed: u64,
    what: &str,
) -> usize {
    let mut random = Random(seed);
    for _ in 0..count {
        let (sql, is_ordered) = statement(columns, &mut random);
        match (rows(ours, &sql).await, rows(plain, &sql).await) {
            (Ok(mut found), Ok(mut expected)) => {
                if !is_ordered {
                    found.sort();
                    expected.sort();
                }
                assert_eq!(found, expected, "{what}: {sql}");
            }
            (Err(one), Err(other)) => {
                let is_expected = is_division(&sql, &one.to_string()) && is_division(&sql, &other.to_string());
                assert!(is_expected, "{what}: {sql}: {one}; plain rows: {other}");
            }
            // An engine tests conditions in any order, and the later ones on fewer rows.
            (Ok(_), Err(error)) | (Err(error), Ok(_)) if is_division(&sql, &error.to_string()) => {}
            (Ok(_), Err(error)) => panic!("{what}: {sql}: only plain rows fail: {error}"),
            (Err(error), Ok(_)) => panic!("{what}: {sql}: {error}"),
        }
    }
    count
}

fn asked(batch: &RecordBatch, texts: &[Vec<Vec<u8>>]) -> Vec<Asked> {
    let fields = batch.schema();
    let columns = fields.fields().iter().zip(texts);
    columns
        .map(|(field, texts)| {
            let values = texts.iter().step_by(texts.len() / 40 + 1).map(|text| String::from_utf8_lossy(text));
            let values = values.filter(|text| {
                *field.data_type() == DataType::Utf8View || text.trim().parse::<f64>().is_ok_and(f64::is_finite)
            });
            let values = values.map(|text| text.trim().to_owned()).filter(|text| text.len() < 30).collect();
            Asked { name: field.name().clone(), data_type: field.data_type().clone(), values }
        })
        .collect()
}

/// The sessions of a test, which take longer to make than a query. Each has one table `t`.
#[derive(Default)]
struct Sessions {
    ours: HashMap<(usize, usize), SessionContext>,
    plain: HashMap<bool, SessionContext>,
}

impl Sessions {
    /// Returns a session with our formats, this many partitions, and batches of this many rows.
    fn ours(&mut self, partitions: usize, batch_size: usize) -> &SessionContext {
        let context = self.ours.entry((partitions, batch_size)).or_insert_with(|| session(partitions, batch_size));
        context.deregister_table("t").unwrap();
        context
    }

    /// Returns a session of DataFusion alone with these rows.
    fn plain(&mut self, batch: RecordBatch) -> &SessionContext {
        // Beside exact columns, literals are exact. Beside floats, they are floats.
        let is_exact = batch.schema_ref().fields().iter().any(|field| field.data_type().is_decimal());
        let context = self.plain.entry(is_exact).or_insert_with(|| plain_session(2, is_exact));
        context.deregister_table("t").unwrap();
        context.register_batch("t", batch).unwrap();
        context
    }

    /// Compares a table that the statement creates with rows, in `count` queries.
    async fn compare(&mut self, create: &str, batch: RecordBatch, columns: &[Asked], count: usize, seed: u64) -> usize {
        let mut random = Random(seed);
        // A long table in batches of three rows takes minutes.
        let least = batch.num_rows() / 2000;
        let (partitions, batch_size) = (1 + random.below(4), [3, 100, 8192][random.below(3)].max(least));
        let plain = self.plain(batch).clone();
        let ours = self.ours(partitions, batch_size);
        ours.sql(create).await.unwrap();
        compare(ours, &plain, columns, count, seed, create).await
    }

    /// Compares one table of AT-1, with some options, in `count` queries.
    async fn compare_table(
        &mut self,
        bytes: &[u8],
        path: &str,
        decimals: &str,
        more: &str,
        count: usize,
        seed: u64,
    ) -> usize {
        let of = |decimals| Options { decimals, on_misfit: OnMisfit::Null, ..Options::DEFAULT };
        let options = of(match decimals {
            "float" => Decimals::Float,
            "text" => Decimals::Text,
            _ => Decimals::Exact { scale: 9 },
        });
        let Ok(head) = Table::read(bytes, &options) else { return 0 };
        if head.rows() == 0 || head.schema().fields().is_empty() {
            return 0;
        }
        let texts = columns_of(bytes, head.schema().fields().len());
        let batch = reference(&texts, &head.schema());
        let columns = asked(&batch, &texts);
        let create = format!(
            "CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION '{path}' OPTIONS (misfit 'null', decimals '{decimals}'{more})"
        );
        self.compare(&create, batch, &columns, count, seed).await
    }

    /// Compares a file of Pco or OnPair, whose rows the crate for Arrow has decoded.
    async fn compare_column(
        &mut self,
        format: &str,
        path: &str,
        batch: RecordBatch,
        values: Vec<String>,
        count: usize,
        seed: u64,
    ) -> usize {
        let field = batch.schema().field(0).clone();
        let data_type = match field.data_type() {
            DataType::Utf8View => DataType::Utf8View,
            DataType::Float16 | DataType::Float32 | DataType::Float64 => DataType::Float64,
            _ => DataType::Int64,
        };
        // As decimals, literals have few digits.
        let is_literal = |text: &String| match data_type {
            DataType::Float64 => text.parse::<f64>().is_ok_and(|value| (1e-30..1e30).contains(&value.abs())),
            _ => true,
        };
        let values = values.into_iter().filter(is_literal).collect();
        let columns = [Asked { name: field.name().clone(), data_type, values }];
        let create = format!("CREATE EXTERNAL TABLE t STORED AS {format} LOCATION '{path}'");
        self.compare(&create, batch, &columns, count, seed).await
    }
}

/// Returns the files of a format that can be decoded.
fn good_files(format: &str, extension: &str) -> impl Iterator<Item = PathBuf> {
    all_vectors(format, extension).filter(|path| !path.to_string_lossy().contains("bad"))
}

#[tokio::test(flavor = "multi_thread")]
async fn sample_tables_answer_as_rows_in_memory_do() {
    let (mut queries, mut sessions) = (0, Sessions::default());
    let tables = good_files("at1", "at1").filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("c7") || name.starts_with("c8")
    });
    let tables: Vec<_> = tables.collect();
    // The more tables, the fewer queries each.
    let each = 1 + 1500 / (3 * tables.len()).max(1);
    for (t, path) in tables.iter().enumerate() {
        let bytes = read(path);
        for (i, decimals) in ["exact", "float", "text"].into_iter().enumerate() {
            let seed = (t * 3 + i) as u64;
            queries += sessions.compare_table(&bytes, path.to_str().unwrap(), decimals, "", each, seed).await;
        }
    }
    assert!(queries >= 1500, "{queries} queries over {} tables", tables.len());
}

/// Returns columns of every type, with values that sort in the order of rows, and some that do not.
fn columns(rows: usize) -> Vec<Column> {
    let mut random = Random(7);
    let ts = (0..rows).map(|row| (1_700_000_000 + row * 5).to_string()).collect();
    let price = (0..rows).map(|row| format!("{}.{:02}", row / 10, random.below(100))).collect();
    let side = (0..rows).map(|_| ["buy", "sell", "", "hold it"][random.below(4)].to_owned()).collect();
    let odd = (0..rows).map(|row| match row % 97 {
        0 => "NaN".to_owned(),
        1 => "-0".to_owned(),
        2 => "007".to_owned(),
        _ => (random.below(2000) as i64 - 1000).to_string(),
    });
    let odd = odd.collect();
    vec![
        Column { name: "ts", kind: INTEGER, values: ts },
        Column { name: "price", kind: DECIMAL, values: price },
        Column { name: "side", kind: TEXT, values: side },
        Column { name: "odd", kind: INTEGER, values: odd },
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_whose_zone_maps_lie_answer_as_rows_in_memory_do() {
    let folder = tempfile::tempdir().unwrap();
    let (mut queries, mut sessions) = (0, Sessions::default());
    for (i, zones) in [Zones::Honest, Zones::Wide, Zones::Swapped, Zones::Narrow].into_iter().enumerate() {
        let bytes = table(&columns(3000), 64, zones);
        let path = folder.path().join(format!("{i}.at1"));
        std::fs::write(&path, &bytes).unwrap();
        // Bounds that exclude rows that exist can only be ignored.
        let more = if zones == Zones::Narrow { ", zone_maps 'ignore'" } else { "" };
        for (j, decimals) in ["exact", "float", "text"].into_iter().enumerate() {
            let seed = 1000 + (i * 3 + j) as u64;
            queries += sessions.compare_table(&bytes, path.to_str().unwrap(), decimals, more, 45, seed).await;
        }
    }
    assert_eq!(queries, 4 * 3 * 45);
}

/// Zone maps that lie must not decide what a query without a condition returns.
#[tokio::test]
async fn bounds_of_zone_maps_are_no_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.at1");
    std::fs::write(&path, table(&columns(500), 64, Zones::Narrow)).unwrap();
    let context = session(2, 100);
    let create = format!("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION '{}'", path.display());
    context.sql(&create).await.unwrap();
    let found = rows(&context, "SELECT min(ts), max(ts), count(*) FROM t").await.unwrap();
    assert_eq!(found, ["1700000000|1700002495|500"]);
    // They do skip groups, as `unspool query` does.
    assert_eq!(rows(&context, "SELECT count(*) FROM t WHERE ts > 5").await.unwrap(), ["0"]);
    // If they are ignored, they decide nothing.
    let create = format!("{} OPTIONS (zone_maps 'ignore')", create.replace("TABLE t", "TABLE i"));
    context.sql(&create).await.unwrap();
    for (sql, expected) in [
        ("SELECT count(DISTINCT ts), count(DISTINCT side) FROM i WHERE ts > 100", "500|4"),
        ("SELECT count(*), count(ts), min(ts), max(ts) FROM i WHERE ts > 100", "500|500|1700000000|1700002495"),
        ("SELECT ts FROM i WHERE ts > 100 ORDER BY ts LIMIT 1 OFFSET 499", "1700002495"),
    ] {
        assert_eq!(rows(&context, sql).await.unwrap(), [expected], "{sql}");
    }
}

/// Bounds in the wrong order must not decide the order of files either.
#[tokio::test]
async fn ignored_bounds_do_not_order_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start, zones) in [("a", 100, Zones::Claimed(0, 9)), ("b", 0, Zones::Claimed(10, 19))] {
        let values = (start..start + 10).map(|value| value.to_string()).collect();
        let bytes = table(&[Column { name: "x", kind: INTEGER, values }], 64, zones);
        std::fs::write(folder.path().join(format!("{name}.at1")), bytes).unwrap();
    }
    let files = folder.path().display();
    for partitions in [1, 2] {
        let context = session(partitions, 100);
        let create = format!(
            "CREATE EXTERNAL TABLE t STORED AS AT1 WITH ORDER (x ASC) LOCATION '{files}/' OPTIONS (zone_maps 'ignore')"
        );
        context.sql(&create).await.unwrap();
        for (sql, expected) in [
            ("SELECT x FROM t ORDER BY x LIMIT 3 OFFSET 2", &["2", "3", "4"][..]),
            ("SELECT x FROM t ORDER BY x LIMIT 1", &["0"]),
            ("SELECT x FROM t ORDER BY x LIMIT 2 OFFSET 9", &["9", "100"]),
            ("SELECT x FROM t ORDER BY x DESC LIMIT 1", &["109"]),
        ] {
            assert_eq!(rows(&context, sql).await.unwrap(), expected, "{partitions} partitions: {sql}");
        }
    }
}

/// Codes decide conditions on the text of a file, not on values that were made of it.
#[tokio::test]
async fn conditions_on_a_declared_type_keep_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.onp");
    std::fs::write(&path, strings(&["05", "5", "57", "007", "12"])).unwrap();
    let context = session(1, 100);
    for (data_type, condition, count) in [
        ("BIGINT", "CAST(value AS VARCHAR) LIKE '5%'", "3"),
        ("BIGINT", "CAST(value AS VARCHAR) LIKE '0%'", "0"),
        ("BIGINT", "CAST(value AS VARCHAR) = '5'", "2"),
        ("BIGINT", "'7' = CAST(value AS VARCHAR)", "1"),
        ("DOUBLE", "CAST(value AS VARCHAR) LIKE '%5.0%'", "2"),
        ("VARCHAR", "value LIKE '0%'", "2"),
        ("VARCHAR", "value = '5'", "1"),
        ("VARCHAR", "value LIKE '%7%'", "2"),
        ("BYTEA", "CAST(value AS VARCHAR) LIKE '5%'", "2"),
    ] {
        context.deregister_table("t").unwrap();
        let create =
            format!("CREATE EXTERNAL TABLE t (value {data_type}) STORED AS ONPAIR LOCATION '{}'", path.display());
        context.sql(&create).await.unwrap();
        let found = rows(&context, &format!("SELECT count(*) FROM t WHERE {condition}")).await.unwrap();
        assert_eq!(found, [count], "{data_type}: {condition}");
    }
}

fn one_column(array: datafusion::arrow::array::ArrayRef) -> RecordBatch {
    let schema = Schema::new(vec![Field::new("value", array.data_type().clone(), false)]);
    RecordBatch::try_new(Arc::new(schema), vec![array]).unwrap()
}

fn formatted(array: &datafusion::arrow::array::ArrayRef) -> Vec<String> {
    let options = datafusion::arrow::util::display::FormatOptions::default();
    let texts = datafusion::arrow::util::display::ArrayFormatter::try_new(array.as_ref(), &options).unwrap();
    let all = (0..array.len()).step_by(array.len() / 40 + 1).map(|row| texts.value(row).to_string());
    all.filter(|text| text.len() < 60 && !text.contains('\n')).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sample_columns_of_numbers_answer_as_rows_in_memory_do() {
    let (mut queries, mut sessions) = (0, Sessions::default());
    let files: Vec<_> = good_files("pco", "pco").collect();
    // The more files, the fewer queries each. Of thousands, some files do: `unspool-arrow` decodes
    // all of them.
    let each = 1 + 400 / files.len().max(1);
    for path in files.iter().step_by(1 + files.len() / 1000) {
        let bytes = read(path);
        let Ok(array) = unspool_arrow::pco::decode(&bytes, &unspool::pco::Options::DEFAULT) else { continue };
        if array.is_empty() {
            continue;
        }
        let values = formatted(&array);
        let seed = queries as u64;
        queries += sessions.compare_column("PCO", path.to_str().unwrap(), one_column(array), values, each, seed).await;
    }
    assert!(queries >= 100, "{queries} queries");
}

#[tokio::test(flavor = "multi_thread")]
async fn sample_columns_of_strings_answer_as_rows_in_memory_do() {
    let (mut queries, mut sessions) = (0, Sessions::default());
    for path in good_files("onpair", "onp") {
        let bytes = read(&path);
        let limits = unspool::Limits::DEFAULT;
        let Ok(file) = unspool::onpair::File::open(&bytes, &limits) else { continue };
        let column = file.column();
        let Ok(array) = unspool_arrow::onpair::decode(column, column.rows(), true) else { continue };
        if array.is_empty() {
            continue;
        }
        let values = formatted(&array);
        let seed = queries as u64;
        queries += sessions.compare_column("ONPAIR", path.to_str().unwrap(), one_column(array), values, 40, seed).await;
    }
    assert!(queries >= 100, "{queries} queries");
}

#[tokio::test(flavor = "multi_thread")]
async fn sample_vectors_answer_as_rows_in_memory_do() {
    let (mut queries, mut sessions) = (0, Sessions::default());
    for path in good_files("cvc", "cvc") {
        let bytes = read(&path);
        let options = unspool::cvc::Options::DEFAULT;
        let Ok(file) = unspool::cvc::File::open(&bytes, &options.limits) else { continue };
        let Ok(batches) = unspool_arrow::cvc::Batches::open(&bytes, None, 0..file.num_vectors(), 1 << 20, &options)
        else {
            continue;
        };
        let schema = batches.schema();
        let Ok(batches) = batches.collect::<Result<Vec<_>, _>>() else { continue };
        let names: std::collections::HashSet<_> = schema.fields().iter().map(|field| field.name()).collect();
        if batches.is_empty() || names.len() < schema.fields().len() {
            continue;
        }
        let batch = datafusion::arrow::compute::concat_batches(&schema, &batches).unwrap();
        let plain = sessions.plain(batch).clone();
        let ours = sessions.ours(1 + queries % 3, [3, 8192][queries % 2]);
        ours.sql(&format!("CREATE EXTERNAL TABLE t STORED AS CVC LOCATION '{}'", path.display())).await.unwrap();
        let mut statements = vec!["SELECT * FROM t".to_owned(), "SELECT count(*) FROM t".to_owned()];
        for field in schema.fields() {
            let (name, DataType::FixedSizeList(item, len)) = (field.name(), field.data_type()) else { continue };
            statements.push(format!("SELECT \"{name}\" FROM t"));
            if item.data_type() == &DataType::Float32 && (1..100).contains(len) {
                let target = (0..*len).map(|i| format!("{}.5", i % 3)).collect::<Vec<_>>().join(", ");
                let distance = format!("cosine_distance(\"{name}\", make_array({target}))");
                statements.push(format!("SELECT {distance} AS d FROM t ORDER BY d NULLS LAST LIMIT 5"));
                statements.push(format!("SELECT count(*) FROM t WHERE {distance} < CAST(0.9 AS DOUBLE)"));
            }
        }
        for sql in statements {
            let (found, expected) = (rows(ours, &sql).await, rows(&plain, &sql).await);
            let (mut found, mut expected) =
                (found.unwrap_or_else(|error| panic!("{}: {sql}: {error}", path.display())), expected.unwrap());
            if !sql.contains("ORDER") {
                found.sort();
                expected.sort();
            }
            assert_eq!(found, expected, "{}: {sql}", path.display());
            queries += 1;
        }
    }
    assert!(queries >= 200, "{queries} queries");
}
