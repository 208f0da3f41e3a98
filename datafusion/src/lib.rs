//! Queries AT-1, CVC, Pco and OnPair files with [Apache DataFusion](https://datafusion.apache.org).
//!
//! [`register`] teaches the formats to a session. Then `CREATE EXTERNAL TABLE t STORED AS AT1
//! LOCATION '…'` takes files, folders, globs and partitioned paths, on a disk or in a store.
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use datafusion::prelude::SessionContext;
//!
//! let context = SessionContext::new();
//! unspool_datafusion::register(&context)?;
//! let path = "../tests/vectors/at1/c8_events.at1";
//! context.sql(&format!("CREATE EXTERNAL TABLE events STORED AS AT1 LOCATION '{path}'")).await?;
//! let batches = context.sql("SELECT count(*) FROM events WHERE val > 9").await?.collect().await?;
//! assert_eq!(batches[0].num_rows(), 1);
//! # Ok::<(), datafusion::error::DataFusionError>(()) }).unwrap();
//! ```
//!
//! | format | columns | skipped without reading | split by |
//! |---|---|---|---|
//! | AT-1 | those of the table | columns; row groups by zone maps; groups without a match | row group |
//! | CVC | a list for each column | columns | chunk |
//! | Pco | `value` | nothing | file |
//! | OnPair | `value` | rows that no code matches are not decoded | rows |
//!
//! # Trust
//!
//! A file that is broken or hostile ends its query with a [`FileError`]: path, kind, place. Bounds
//! of zone maps are reported to the planner as inexact, because nobody has verified them. They do
//! skip row groups, as in `unspool query`, and decide the order of files and `count(DISTINCT …)`.
//! [`Options::zone_maps`] turns both off.
//!
//! # Memory
//!
//! A partition holds the bytes of at most a few steps, of a megabyte or one row group each, and
//! what it decoded of one. The last array of CVC or Pco stays until the next one takes its memory.
//! The engine's memory pool counts them. Heads of files are kept, up to 32 MiB of them.
//!
//! # Several machines
//!
//! [`Codec`] turns scans into bytes and back. With the feature `distributed`, `worker` and
//! `coordinate` run plans on workers.
#![forbid(unsafe_code)]

mod at1;
mod codec;
mod cvc;
#[cfg(feature = "distributed")]
mod distributed;
mod error;
mod floats;
mod format;
mod head;
mod io;
mod lines;
mod onpair;
mod options;
mod pco;
mod plan;
mod source;
#[cfg(feature = "s3")]
mod stores;

pub use codec::Codec;
#[cfg(feature = "distributed")]
pub use distributed::{coordinate, worker};
pub use error::FileError;
pub use format::{Factory, Format};
pub use options::{Kind, Options};
pub use source::Source;
#[cfg(feature = "s3")]
pub use stores::Stores;

use std::sync::Arc;

use crate::floats::Floats;
use crate::format::Tables;
use datafusion::common::Result;
use datafusion::execution::{FunctionRegistry, SessionState};
use datafusion::prelude::SessionContext;

/// Teaches the formats to a session.
///
/// A decimal beside a float becomes a float, in the plans of this session.
pub fn register(context: &SessionContext) -> Result<()> {
    register_in(&mut context.state_ref().write())
}

/// Teaches the formats to the state of a session, as workers build it.
pub fn register_in(state: &mut SessionState) -> Result<()> {
    state.register_function_rewrite(Arc::new(Floats))?;
    for kind in Kind::ALL {
        for factory in Factory::of(kind) {
            state.register_file_format(Arc::new(factory), true)?;
        }
        state.table_factories_mut().insert(kind.name().to_uppercase(), Arc::new(Tables(kind)));
    }
    Ok(())
}
