//! Answers of DataFusion over our files, compared with its answers over the same rows in memory.

mod answers;
mod command;
mod common;
mod ddl;
mod floats;
mod hostile;
mod memory;
mod store;
mod wire;
#[cfg(feature = "distributed")]
mod workers;
