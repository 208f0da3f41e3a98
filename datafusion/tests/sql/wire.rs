//! Plans as bytes, as workers receive them.

use std::sync::Arc;

use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use datafusion_proto::physical_plan::{
    ComposedPhysicalExtensionCodec, DefaultPhysicalExtensionCodec, DefaultPhysicalProtoConverter,
    PhysicalExtensionCodec,
};
use unspool::Limits;
use unspool_arrow::at1::{Decimals, OnMisfit};
use unspool_datafusion::{Codec, Format, Kind, Options, Source};
use unspool_tests::vector_folders;

use crate::common::session;

/// Returns the options of all scans of a plan.
fn scans(plan: &Arc<dyn ExecutionPlan>) -> Vec<(Kind, Options)> {
    let config =
        plan.downcast_ref::<DataSourceExec>().and_then(|exec| exec.data_source().downcast_ref::<FileScanConfig>());
    let source = config.and_then(|config| config.file_source().downcast_ref::<Source>());
    let own = source.map(|source| (source.kind(), *source.options()));
    own.into_iter().chain(plan.children().into_iter().flat_map(scans)).collect()
}

/// Sends a plan over the wire, with our codec before another and after it.
async fn compare(context: &SessionContext, sql: &str, count: usize) {
    let plan = context.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    assert_eq!(scans(&plan).len(), count, "{sql}");
    let (other, ours): (Arc<dyn PhysicalExtensionCodec>, Arc<dyn PhysicalExtensionCodec>) =
        (Arc::new(DefaultPhysicalExtensionCodec {}), Arc::new(Codec));
    let mut received = vec![];
    for codecs in [[Arc::clone(&other), Arc::clone(&ours)], [ours, other]] {
        let codec = ComposedPhysicalExtensionCodec::new(codecs.into());
        let bytes = physical_plan_to_bytes_with_extension_codec(Arc::clone(&plan), &codec).unwrap();
        // A worker has no tables.
        let task = session(1, 8192).task_ctx();
        let back = physical_plan_from_bytes_with_extension_codec(&bytes, &task, &codec).unwrap();
        let show = |plan: &Arc<dyn ExecutionPlan>| displayable(plan.as_ref()).indent(true).to_string();
        assert_eq!(show(&back), show(&plan), "{sql}");
        assert_eq!(scans(&back), scans(&plan), "{sql}");
        for len in 0..bytes.len() {
            let cut = physical_plan_from_bytes_with_extension_codec(&bytes[..len], &task, &codec);
            assert!(cut.is_err(), "{sql}: {len} bytes of {}", bytes.len());
        }
        received.push((back, task));
    }
    // A plan changes its dynamic filters while it runs, so it is sent before.
    let answer = pretty_format_batches(&collect(plan, context.task_ctx()).await.unwrap()).unwrap().to_string();
    assert!(answer.lines().count() > 4, "{sql}: {answer}");
    for (back, task) in received {
        let found = pretty_format_batches(&collect(back, task).await.unwrap()).unwrap().to_string();
        assert_eq!(found, answer, "{sql}");
    }
}

#[tokio::test]
async fn plans_survive_the_wire() {
    let context = session(2, 8192);
    let vectors = vector_folders("")[0].display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("year=1");
    std::fs::create_dir(&part).unwrap();
    std::fs::copy(format!("{vectors}/at1/c8_events.at1"), part.join("e.at1")).unwrap();
    let parted = folder.path().display();
    let events = format!("'{vectors}/at1/c8_events.at1'");
    for create in [
        format!("e STORED AS AT1 LOCATION {events} OPTIONS (scale '5')"),
        format!("f STORED AS AT1 LOCATION {events} OPTIONS (decimals 'float', zone_maps 'ignore', misfit 'null')"),
        format!("g STORED AS AT1 LOCATION {events} OPTIONS (decimals 'text', strings 'binary')"),
        format!("p STORED AS AT1 PARTITIONED BY (year) LOCATION '{parted}/'"),
        format!("v STORED AS CVC LOCATION '{vectors}/cvc/v1_fp16.cvc'"),
        format!("n STORED AS PCO LOCATION '{vectors}/pco/k_u32_arange.pco'"),
        format!("o STORED AS ONPAIR LOCATION '{vectors}/onpair/cpp/urls_b12.onp'"),
        format!("b STORED AS ONPAIR LOCATION '{vectors}/onpair/cpp/urls_b12.onp' OPTIONS (strings 'binary')"),
    ] {
        context.sql(&format!("CREATE EXTERNAL TABLE {create}")).await.unwrap();
    }
    for (sql, count) in [
        ("SELECT val, ts + 1 FROM e WHERE ts BETWEEN 1700000100 AND 1700000120 AND val > 0.5", 1),
        ("SELECT type, sum(val) FROM e GROUP BY type ORDER BY type", 1),
        ("SELECT ts, val FROM f WHERE val > 9.5 ORDER BY ts LIMIT 5", 1),
        ("SELECT val FROM g ORDER BY ts LIMIT 5", 1),
        ("SELECT year, count(*), max(val) FROM p WHERE year = '1' GROUP BY year", 1),
        ("SELECT cosine_distance(vector, vector) AS d FROM v ORDER BY d LIMIT 3", 1),
        ("SELECT count(*), sum(value) FROM n WHERE value > 7", 1),
        ("SELECT value FROM o WHERE value LIKE 'https://%' ORDER BY value LIMIT 3", 1),
        ("SELECT min(value), count(*) FROM b", 1),
        ("SELECT e.ts FROM e JOIN f ON e.ts = f.ts WHERE f.val < 9 ORDER BY e.ts LIMIT 4", 2),
    ] {
        compare(&context, sql, count).await;
    }
}

/// Options that no statement can set.
#[tokio::test]
async fn limits_survive_the_wire() {
    let limits = Limits {
        max_output: 1 << 40,
        max_window: 1 << 30,
        max_header: 1 << 29,
        max_elements: 1 << 28,
        max_columns: 1 << 9,
        max_depth: 77,
    };
    // Digits beyond those of a decimal are as many as it has.
    for decimals in [Decimals::Exact { scale: 100 }, Decimals::Exact { scale: 255 }, Decimals::Text] {
        let options = Options { limits, decimals, on_misfit: OnMisfit::Null, ..Options::DEFAULT };
        let context = session(2, 8192);
        let path = vector_folders("")[0].join("at1/c8_events.at1");
        let config = ListingTableConfig::new(ListingTableUrl::parse(path.to_str().unwrap()).unwrap())
            .with_listing_options(ListingOptions::new(Arc::new(Format::new(Kind::At1, options))))
            .infer_schema(&context.state())
            .await
            .unwrap();
        context.register_table("t", Arc::new(ListingTable::try_new(config).unwrap())).unwrap();
        compare(&context, "SELECT ts, type FROM t ORDER BY ts LIMIT 3", 1).await;
    }
}

#[test]
fn nodes_and_bytes_of_others_are_refused() {
    let node: Arc<dyn ExecutionPlan> = Arc::new(EmptyExec::new(Arc::new(Schema::empty())));
    let (mut bytes, converter) = (vec![], DefaultPhysicalProtoConverter {});
    let error = Codec.try_encode(node, &mut bytes, &converter).unwrap_err().to_string();
    assert!(error.contains("EmptyExec is no scan of at1, cvc, pco or onpair"), "{error}");
    // The next codec writes to the same buffer.
    assert!(bytes.is_empty());
    let task = SessionContext::new().task_ctx();
    for bytes in [&b""[..], b"\x0a\x03csv", b"\x0a\x03at1", b"\xff"] {
        let error = Codec.try_decode(bytes, &[], &task, &converter).unwrap_err().to_string();
        assert!(error.contains("expected a scan of at1, cvc, pco or onpair"), "{error}");
    }
}
