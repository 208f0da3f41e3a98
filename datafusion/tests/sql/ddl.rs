//! Tables of folders, globs and partitioned paths; options.

use crate::common::{Column, Counting, DECIMAL, INTEGER, TEXT, Zones, rows, session, table};

fn small(from: usize, kind: u8, price: &[&str]) -> Vec<u8> {
    let ts = (0..price.len()).map(|row| (from + row).to_string()).collect();
    let prices = price.iter().map(|&value| value.to_owned()).collect();
    table(
        &[Column { name: "ts", kind: INTEGER, values: ts }, Column { name: "price", kind, values: prices }],
        2,
        Zones::Honest,
    )
}

#[tokio::test]
async fn folders_globs_and_partitions_are_tables() {
    let context = session(2, 100);
    let (one, two) = (small(0, INTEGER, &["7", "8", "9"]), small(10, DECIMAL, &["1.5", "2"]));
    let three = small(20, TEXT, &["x", "1.50"]);
    let files: [(&str, &[u8]); 6] = [
        ("t/year=2024/a.at1", &one),
        ("t/year=2025/b.at1", &two),
        ("t/year=2025/readme.txt", b"no table"),
        ("m/a.at1", &one),
        ("m/b.at1", &two),
        ("m/c.at1", &three),
    ];
    Counting::with(&context, &files).await;
    let create = "CREATE EXTERNAL TABLE t STORED AS AT1 PARTITIONED BY (year) LOCATION 'mem://files/t/'";
    context.sql(create).await.unwrap();
    let found = rows(&context, "SELECT ts, price, year FROM t ORDER BY ts").await.unwrap();
    assert_eq!(
        found,
        [
            "0|7.000000000|2024",
            "1|8.000000000|2024",
            "2|9.000000000|2024",
            "10|1.500000000|2025",
            "11|2.000000000|2025"
        ]
    );
    let found = rows(&context, "SELECT ts FROM t WHERE year = '2025' OR price > 8 ORDER BY ts").await.unwrap();
    assert_eq!(found, ["2", "10", "11"]);
    let create = "CREATE EXTERNAL TABLE g STORED AS AT1 LOCATION 'mem://files/t/*.at1'";
    context.sql(create).await.unwrap();
    assert_eq!(rows(&context, "SELECT count(*), sum(price) FROM g").await.unwrap(), ["5|27.500000000"]);
    // Numbers in one file and text in another are text, as the files have it.
    let create = "CREATE EXTERNAL TABLE m STORED AS AT1 LOCATION 'mem://files/m/'";
    context.sql(create).await.unwrap();
    let found = rows(&context, "SELECT price FROM m ORDER BY ts").await.unwrap();
    assert_eq!(found, ["7", "8", "9", "1.5", "2", "x", "1.50"]);
    // Types that the statement names.
    let create = "CREATE EXTERNAL TABLE d (price DOUBLE, ts INT, more VARCHAR) STORED AS AT1 LOCATION 'mem://files/t/year=2025/b.at1'";
    context.sql(create).await.unwrap();
    assert_eq!(rows(&context, "SELECT * FROM d WHERE ts = 10").await.unwrap(), ["1.5|10|NULL"]);
}

#[tokio::test]
async fn options_choose_and_are_checked() {
    let context = session(1, 100);
    let bytes = small(0, DECIMAL, &["1.25", "word", "0.12345678901"]);
    Counting::with(&context, &[("t.at1", &bytes)]).await;
    let create = |name: &str, options: &str| {
        format!("CREATE EXTERNAL TABLE {name} STORED AS AT1 LOCATION 'mem://files/t.at1' {options}")
    };
    context.sql(&create("a", "")).await.unwrap();
    let error = rows(&context, "SELECT price FROM a").await.unwrap_err().to_string();
    assert!(error.contains("t.at1: column 1, row 1: expected Decimal128(38, 9), found \"word\""), "{error}");
    for (name, options, expected) in [
        ("b", "OPTIONS (misfit 'null')", ["1.250000000", "NULL", "NULL"]),
        ("c", "OPTIONS (misfit 'null', scale '11')", ["1.25000000000", "NULL", "0.12345678901"]),
        ("d", "OPTIONS (misfit 'null', decimals 'float')", ["1.25", "NULL", "0.12345678901"]),
        ("e", "OPTIONS (decimals 'text')", ["1.25", "word", "0.12345678901"]),
    ] {
        context.sql(&create(name, options)).await.unwrap();
        assert_eq!(rows(&context, &format!("SELECT price FROM {name} ORDER BY ts")).await.unwrap(), expected);
    }
    context.sql(&create("f", "OPTIONS (lines 'other')")).await.unwrap();
    assert_eq!(rows(&context, "SELECT * FROM f").await.unwrap(), ["0|ts,price"]);
    let error = context.sql(&create("g", "OPTIONS (max_columns '1')")).await.unwrap_err().to_string();
    assert!(error.contains("(needs 2)"), "{error}");
    context.sql(&create("g", "OPTIONS (max_columns '2', max_depth '65535')")).await.unwrap();
    assert_eq!(rows(&context, "SELECT ts FROM g WHERE price > 2").await.unwrap(), Vec::<String>::new());
    let plan = rows(&context, "EXPLAIN SELECT ts FROM g").await.unwrap().concat();
    assert!(plan.contains("max_columns '2', max_depth '65535'"), "{plan}");
    let wrong = ["decimals 'real'", "scale '39'", "misfits 'null'", "decimals 'text', scale '3'"];
    for options in wrong.into_iter().chain(["max_columns 'many'", "max_depth '65536'", "max_rows '1'"]) {
        assert!(context.sql(&create("h", &format!("OPTIONS ({options})"))).await.is_err(), "{options}");
    }
}

/// Integers and floats of 64 bits have no common type, because `DOUBLE` rounds integers above 2^53.
#[tokio::test]
async fn integers_and_floats_of_pco_have_no_common_type() {
    // `pco` 1.1.0 wrote both: 2^53 + 1, and 0.5.
    let integers = b"pco!\x03\0\x40\x04\x01\x04\0\0\0\0\x10\0\x08\0\0\0\0\0\0\x01\x04\0\0";
    let floats = b"pco!\x03\0\x40\x04\x01\x06\0\0\0\0\x10\0\0\0\0\0\0\0\0\xFF\x05\0\0";
    let whole = small(0, INTEGER, &["9007199254740993"]);
    let parts = small(10, DECIMAL, &["0.5"]);
    let context = session(1, 100);
    let files: [(&str, &[u8]); 4] =
        [("p/a.pco", integers), ("p/b.pco", floats), ("t/a.at1", &whole), ("t/b.at1", &parts)];
    Counting::with(&context, &files).await;
    let create = |columns: &str| format!("CREATE EXTERNAL TABLE p {columns} STORED AS PCO LOCATION 'mem://files/p/'");
    let error = context.sql(&create("")).await.unwrap_err().to_string();
    let expected = "column \"value\" is Int64 in earlier files and Float64 in p/b.pco; name its type";
    assert!(error.contains(expected), "{error}");
    // A type that the statement names converts as `CAST` does.
    for (data_type, expected) in [("BIGINT", ["0", "9007199254740993"]), ("DOUBLE", ["0.5", "9007199254740992.0"])] {
        context.deregister_table("p").unwrap();
        context.sql(&create(&format!("(value {data_type})"))).await.unwrap();
        assert_eq!(rows(&context, "SELECT value FROM p ORDER BY value").await.unwrap(), expected, "{data_type}");
    }
    // A value out of range is an error.
    context.deregister_table("p").unwrap();
    context.sql(&create("(value INT)")).await.unwrap();
    assert!(rows(&context, "SELECT value FROM p").await.is_err());
    // The option of AT-1 asks for floats.
    let create = "CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/t/' OPTIONS (decimals 'float')";
    context.sql(create).await.unwrap();
    let found = rows(&context, "SELECT price FROM t ORDER BY price").await.unwrap();
    assert_eq!(found, ["0.5", "9007199254740992.0"]);
}
