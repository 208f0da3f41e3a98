//! Memory of scans, counted by the pool of the engine.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryPool, MemoryReservation, UnboundedMemoryPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use unspool_tests::{Random, vector_folders};

use crate::common::{Column, Counting, INTEGER, TEXT, Zones, rows, table};

/// A pool that remembers the most that was reserved.
#[derive(Debug, Default)]
struct Peak {
    inner: UnboundedMemoryPool,
    most: AtomicUsize,
}

impl fmt::Display for Peak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Peak")
    }
}

impl MemoryPool for Peak {
    fn name(&self) -> &str {
        "peak"
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.inner.grow(reservation, additional);
        self.most.fetch_max(self.inner.reserved(), Ordering::Relaxed);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.inner.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.grow(reservation, additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.inner.reserved()
    }
}

fn session(pool: &Arc<Peak>) -> SessionContext {
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::clone(pool) as _).build_arc().unwrap();
    let context = SessionContext::new_with_config_rt(SessionConfig::new().with_target_partitions(1), runtime);
    unspool_datafusion::register(&context).unwrap();
    context
}

#[tokio::test]
async fn scans_of_each_format_take_memory_from_the_pool_and_return_it() {
    let folder = &vector_folders("")[0];
    for (format, name) in [
        ("AT1", "at1/c8_events.at1"),
        ("CVC", "cvc/v1_fp16.cvc"),
        ("PCO", "pco/k_u32_arange.pco"),
        ("ONPAIR", "onpair/cpp/urls_b12.onp"),
    ] {
        let pool = Arc::new(Peak::default());
        let context = session(&pool);
        let create = format!("CREATE EXTERNAL TABLE t STORED AS {format} LOCATION '{}'", folder.join(name).display());
        context.sql(&create).await.unwrap();
        assert!(!rows(&context, "SELECT * FROM t").await.unwrap().is_empty());
        assert!(pool.most.load(Ordering::Relaxed) > 0, "{format}");
        assert_eq!(pool.reserved(), 0, "{format}");
    }
}

#[tokio::test]
async fn memory_follows_the_groups_in_flight_and_not_the_file() {
    let mut random = Random(9);
    let ts = (0..200_000).map(|row| row.to_string()).collect();
    let note = (0..200_000).map(|_| format!("{:x}{:x}", random.bits(), random.bits())).collect();
    let columns = [Column { name: "ts", kind: INTEGER, values: ts }, Column { name: "note", kind: TEXT, values: note }];
    let bytes = table(&columns, 1000, Zones::Honest);
    let pool = Arc::new(Peak::default());
    let context = session(&pool);
    Counting::with(&context, &[("t.at1", &bytes)]).await;
    context.sql("CREATE EXTERNAL TABLE t STORED AS AT1 LOCATION 'mem://files/t.at1'").await.unwrap();
    assert_eq!(rows(&context, "SELECT count(*), max(note) FROM t WHERE ts >= 0").await.unwrap().len(), 1);
    let most = pool.most.load(Ordering::Relaxed);
    // The file has 200 groups and decodes to 8 MB. Three steps of 1 MB are in flight, and one is
    // decoded.
    assert!((100_000..6_000_000).contains(&most), "{most} bytes");
    assert_eq!(pool.reserved(), 0);
}
