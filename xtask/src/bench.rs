//! Compares speed with other decoders.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::sh::{cmd, has, root};
use crate::{install, peers, wasm};

/// The requirements file that pins numpy.
const REQUIREMENTS: &str = "tests/bench/requirements.txt";

/// Decoders for Node that the package is compared with.
const NODE: &str = "tests/bench/node";

/// Builds the bench and runs the cases whose names contain `name`.
pub fn run(name: Option<&str>) -> Result<()> {
    let python = python()?;
    // The package takes long to build, and only the cases in Node (`wasm/...`) need it.
    if name.is_none_or(|name| name.starts_with("wasm")) {
        wasm::build_package()?;
        install::node_modules(NODE)?;
        reference()?;
    }
    let cargo = if cfg!(unix) {
        // The AT-1 reference is C and includes the headers of system libraries. It gets the headers
        // of the crates that the other peers are built from.
        cmd("cargo run --locked --release -p unspool-bench --features at1-reference --")
            .env("C_INCLUDE_PATH", headers(&[("zstd-sys", "zstd/lib"), ("liblzma-sys", "xz/src/liblzma/api")])?)
            .env("AT1_CC", "cc")
    } else {
        cmd("cargo run --locked --release -p unspool-bench --")
    };
    cargo.arg(python).arg(name.unwrap_or("")).run()
}

/// Compiles the Pco reference to WebAssembly: optimised for speed, with the instructions that the
/// package uses.
fn reference() -> Result<()> {
    let build = cmd("cargo build --locked --release -p unspool-bench-reference --target").arg(install::WASM);
    build.arg("--config").arg(wasm::rustflags([])).run()?;
    let built = wasm::built("release", "unspool_bench_reference.wasm");
    std::fs::copy(built, root().join(NODE).join("pco_reference.wasm")).context("the reference of Pco")?;
    Ok(())
}

/// Returns the folders of C headers in these crates, as a search path.
fn headers(folders: &[(&str, &str)]) -> Result<OsString> {
    let crates = peers::crates()?;
    let found = folders.iter().map(|(name, within)| Ok(peers::source_of(&crates, name)?.join(within)));
    Ok(std::env::join_paths(found.collect::<Result<Vec<_>>>()?)?)
}

/// Returns the Python of the repository's own virtual environment, with numpy installed.
fn python() -> Result<PathBuf> {
    let python = root().join(".venv/bin/python");
    let installed = root().join(".venv/installed.txt");
    let wanted = std::fs::read_to_string(root().join(REQUIREMENTS)).context(REQUIREMENTS)?;
    // Written last, so that an interrupted installation does not count as complete.
    if python.is_file() && std::fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let program = if has("python3") { "python3" } else { "python" };
    cmd(program).args("-m venv .venv").run().context("on Debian, type: sudo apt-get install -y python3-venv")?;
    cmd(".venv/bin/python -m pip install --quiet --disable-pip-version-check -r").arg(REQUIREMENTS).run()?;
    std::fs::write(installed, wanted)?;
    Ok(python)
}
