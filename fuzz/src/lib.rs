//! Fuzz targets as plain functions: each takes bytes and panics when an invariant breaks.
//!
//! cargo-fuzz calls them with coverage guidance. `cargo test` in this folder calls them on stable
//! Rust with the seeds, every truncation of them, and thousands of mutations. Each `pub fn
//! NAME(bytes: &[u8])` in a file of this folder is a target: the build script lists them in
//! [`TARGETS`].

mod at1;
mod at1_query;
mod bits;
mod capi;
mod command;
mod cvc;
mod gzip;
mod lzma;
mod onpair;
mod patch;
mod pco;
mod probe;
mod threads;
mod xz;
mod zstd;

pub use unspool_harness::{Random, mutate};

/// A fuzz target: its name and its function.
pub struct Target {
    pub name: &'static str,
    pub body: fn(&[u8]),
}

/// All targets, as the build script finds them.
pub const TARGETS: &[Target] = include!(concat!(env!("OUT_DIR"), "/targets.rs"));

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
