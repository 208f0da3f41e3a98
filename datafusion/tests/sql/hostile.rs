//! Broken files end their query with a kind and a place, and nothing else.

use std::fs::File;
use std::sync::Arc;

use datafusion::physical_plan::collect;
use datafusion::prelude::SessionContext;
use unspool::ErrorKind;
use unspool_datafusion::FileError;
use unspool_tests::{Random, files_in, read, vector_folders};

use crate::common::{Counting, rows, session};
use crate::store::trades;

const FORMATS: [(&str, &str); 4] = [("at1", "at1"), ("cvc", "cvc"), ("pco", "pco"), ("onpair", "onp")];

/// Asks for all rows of a file. Returns the failure, if there was one.
async fn scan(context: &SessionContext, format: &str, extension: &str, bytes: &[u8]) -> Option<FileError> {
    context.deregister_table("t").unwrap();
    let path = format!("f.{extension}");
    Counting::with(context, &[(&path, bytes)]).await;
    let create = format!("CREATE EXTERNAL TABLE t STORED AS {format} LOCATION 'mem://files/{path}'");
    let result = match context.sql(&create).await {
        Ok(_) => rows(context, "SELECT * FROM t").await.map(drop),
        Err(error) => Err(error),
    };
    let error = result.err()?;
    match FileError::find(&error) {
        Some(found) => {
            assert_eq!(found.path, path);
            assert!(error.to_string().contains(&found.to_string()), "{error}");
            Some(found.clone())
        }
        None => panic!("{format}: no kind and place: {error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_vectors_end_their_query_with_kind_and_place() {
    let (mut refused, context) = (0, session(2, 100));
    for (format, extension) in FORMATS {
        for folder in vector_folders(format) {
            for path in files_in(&folder) {
                let is_bad = path.to_string_lossy().contains("bad");
                let bytes = read(&path);
                if !is_bad || bytes.is_empty() || path.extension().is_none_or(|found| found != extension) {
                    continue;
                }
                if scan(&context, format, extension, &bytes).await.is_some() {
                    refused += 1;
                }
            }
        }
    }
    assert!(refused >= 50, "{refused} files were refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_cut_anywhere_are_refused() {
    let (mut refused, context) = (0, session(2, 100));
    for (format, name) in [
        ("at1", "at1/c8_events.at1"),
        ("cvc", "cvc/v1_fp16.cvc"),
        ("pco", "pco/k_u32_arange.pco"),
        ("onpair", "onpair/cpp/urls_b12.onp"),
    ] {
        let bytes = read(&vector_folders("")[0].join(name));
        let extension = name.rsplit('.').next().unwrap();
        for cut in (1..bytes.len()).step_by(bytes.len().div_ceil(30)) {
            let error = scan(&context, format, extension, &bytes[..cut]).await;
            assert!(error.is_some(), "{name} cut at {cut}");
            refused += 1;
        }
    }
    assert!(refused >= 100, "{refused} files were refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn mutations_never_panic() {
    let (mut random, context) = (Random(5), session(2, 100));
    for (format, name) in [
        ("at1", "at1/c8_events.at1"),
        ("at1", "at1/c7_neg_decimals.at1"),
        ("cvc", "cvc/v1_fp16.cvc"),
        ("cvc", "cvc/v2_gaps_in_payload.cvc"),
        ("pco", "pco/k_u32_arange.pco"),
        ("onpair", "onpair/cpp/urls_b12.onp"),
    ] {
        let bytes = read(&vector_folders("")[0].join(name));
        let extension = name.rsplit('.').next().unwrap();
        for _ in 0..25 {
            let mut broken = bytes.clone();
            for _ in 0..=random.below(3) {
                // Mostly in the head, where counts and places are.
                let most = if random.below(2) == 0 { broken.len() } else { broken.len().min(200) };
                let at = random.below(most);
                broken[at] = random.bits().to_le_bytes()[0];
            }
            scan(&context, format, extension, &broken).await;
        }
    }
}

#[tokio::test]
async fn a_local_file_that_shrinks_during_a_query_is_truncated() {
    let (context, folder) = (session(1, 8192), tempfile::tempdir().unwrap());
    let (path, bytes) = (folder.path().join("t.at1"), trades(20_000));
    let half = bytes.len() / 2;
    std::fs::write(&path, &bytes).unwrap();
    context.sql(&format!("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION '{}'", path.display())).await.unwrap();
    let whole = rows(&context, "SELECT * FROM t").await.unwrap();
    assert_eq!(whole.len(), 20_000);
    let frame = context.sql("SELECT * FROM t").await.unwrap();
    let (task, plan) = (Arc::new(frame.task_ctx()), frame.create_physical_plan().await.unwrap());
    File::options().write(true).open(&path).unwrap().set_len(half as u64).unwrap();
    let error = collect(plan, task).await.unwrap_err();
    let Some(FileError { error: unspool_arrow::Error::Refused(refused), .. }) = FileError::find(&error) else {
        panic!("no kind and place: {error}");
    };
    assert_eq!((refused.kind, refused.at), (ErrorKind::Truncated, half as u64));
}
