//! Decimal literals and columns beside floats.

use std::sync::Arc;

use datafusion::arrow::array::{Decimal128Array, Float16Array, Float32Array, Float64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Float16Type, Schema};
use datafusion::prelude::SessionContext;
use unspool_tests::{read, vector_folders};

use crate::common::{plain_session, rows, session};

type Half = <Float16Type as datafusion::arrow::datatypes::ArrowPrimitiveType>::Native;

/// Returns a table `t` of floats that no decimal of DataFusion's choice holds, and one decimal.
fn batch() -> RecordBatch {
    let values = [3.6e27, -82_721.97, 0.1, -0.0, 1e-300, f64::MAX, f64::NAN, f64::INFINITY];
    let narrow = values.map(|value| value as f32);
    let half = values.map(Half::from_f64);
    let decimal = [1, 150, -8_272_197, 0, 99, 10, 7, i128::from(i64::MAX)];
    let fields = [("h", DataType::Float16), ("f", DataType::Float32), ("d", DataType::Float64)];
    let mut fields: Vec<_> = fields.into_iter().map(|(name, ty)| Field::new(name, ty, false)).collect();
    fields.push(Field::new("p", DataType::Decimal128(38, 2), false));
    let decimal = Decimal128Array::from_iter_values(decimal).with_precision_and_scale(38, 2).unwrap();
    RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        vec![
            Arc::new(Float16Array::from_iter_values(half)),
            Arc::new(Float32Array::from_iter_values(narrow)),
            Arc::new(Float64Array::from_iter_values(values)),
            Arc::new(decimal),
        ],
    )
    .unwrap()
}

fn sessions() -> [SessionContext; 2] {
    // In the plain one, all literals are floats.
    let contexts = [session(2, 8192), plain_session(2, false)];
    for context in &contexts {
        context.register_batch("t", batch()).unwrap();
    }
    contexts
}

#[tokio::test]
async fn a_literal_beside_a_float_is_a_float() {
    let [ours, plain] = sessions();
    for name in ["h", "f", "d"] {
        for expression in [
            "x >= -82721.97",
            "0.1 = x",
            "x <> 0.1",
            "x < 1e30",
            "x IS DISTINCT FROM 123456789012345678901234567890.5",
            "x BETWEEN -0.5 AND 3600000000000000000000000000.0",
            "1.5 BETWEEN x AND x + 2.5",
            "x IN (0.1, 3.5, -82721.97)",
            "x NOT IN (0.1, 2)",
            "x + 0.1 > 0.3",
            "x * 2.5 / 1.5 - 0.25",
            "x % 0.7",
            "-1.5 < -x",
            "CASE WHEN x > 0.5 THEN x ELSE 0.5 END",
            "CASE x WHEN 0.1 THEN 1 WHEN 2.5 THEN 2 END",
            "coalesce(x, 0.5)",
            "nullif(x, 0.1)",
            "greatest(x, 0.5)",
            "power(x, 0.5)",
        ] {
            let sql = format!("SELECT {} AS r FROM t", expression.replace('x', name));
            let (found, expected) = (rows(&ours, &sql).await, rows(&plain, &sql).await);
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{sql}"),
                (found, expected) => panic!("{sql}: {found:?} instead of {expected:?}"),
            }
        }
        let sql = format!("SELECT count(*) FROM t JOIN t u ON t.{name} = u.d + 0.0 WHERE t.{name} > 0.05");
        assert_eq!(rows(&ours, &sql).await.unwrap(), rows(&plain, &sql).await.unwrap(), "{sql}");
        let sql =
            format!("SELECT approx_percentile_cont(0.5) WITHIN GROUP (ORDER BY {name}) FROM t WHERE {name} < 9.5");
        assert_eq!(rows(&ours, &sql).await.unwrap(), rows(&plain, &sql).await.unwrap(), "{sql}");
    }
}

#[tokio::test]
async fn a_column_of_decimals_beside_a_float_is_one_of_floats() {
    let [ours, _] = sessions();
    // NaN is above all numbers, and -0 equals 0.
    assert_eq!(rows(&ours, "SELECT count(*) FROM t WHERE d > p").await.unwrap(), ["5"]);
    assert_eq!(rows(&ours, "SELECT count(*) FROM t a JOIN t b ON a.d = b.p").await.unwrap(), ["3"]);
    assert_eq!(rows(&ours, "SELECT round(d + p, 2) FROM t WHERE d = 0.1").await.unwrap(), ["-82721.87"]);
    // Without a float, decimals are exact.
    assert_eq!(rows(&ours, "SELECT sum(p) FROM t WHERE p < 0.11").await.unwrap(), ["-82721.79"]);
    assert_eq!(rows(&ours, "SELECT 0.1 + 0.2 = 0.3").await.unwrap(), ["true"]);
}

/// The file holds values of 10^27 and more.
#[tokio::test]
async fn a_file_of_large_floats_answers_a_condition() {
    let path = vector_folders("pco/synth")[0].join("s_dictconv_f32.pco");
    let values = read(&path.with_extension("bin"));
    let values = values.as_chunks::<4>().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
    let count = values.filter(|value| *value >= -82_721.97 || value.is_nan()).count();
    let sql = format!("SELECT count(*) FROM '{}' WHERE value >= -82721.97", path.display());
    let context = session(2, 8192).enable_url_table();
    assert_eq!(rows(&context, &sql).await.unwrap(), [count.to_string()]);
}
