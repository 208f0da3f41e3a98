//! Speed against other decoders.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::sh::{cmd, has, root};
use crate::{install, peers, wasm};

/// What numpy is installed from.
const REQUIREMENTS: &str = "tests/bench/requirements.txt";

/// The decoders for Node that the package is compared with.
const NODE: &str = "tests/bench/node";

/// Builds the bench and runs the cases whose names contain `name`.
pub fn run(name: Option<&str>) -> Result<()> {
    let python = python()?;
    // The package takes a while to build, and only the cases in Node need it, which no other name than this asks for.
    if name.is_none_or(|name| name.starts_with("wasm")) {
        wasm::build_package()?;
        install::node_modules(NODE)?;
        reference()?;
    }
    let cargo = if cfg!(unix) {
        // The reference of AT-1 is C that asks for the libraries of a system. It gets those that the other peers are built from.
        cmd("cargo run --locked --release -p unspool-bench --features at1-reference --")
            .env("C_INCLUDE_PATH", headers(&[("zstd-sys", "zstd/lib"), ("liblzma-sys", "xz/src/liblzma/api")])?)
            .env("AT1_CC", "cc")
    } else {
        cmd("cargo run --locked --release -p unspool-bench --")
    };
    cargo.arg(python).arg(name.unwrap_or("")).run()
}

/// Compiles the reference of Pco for WebAssembly, for speed and with the instructions that the package uses.
fn reference() -> Result<()> {
    let build = cmd("cargo build --locked --release -p unspool-bench-reference --target").arg(install::WASM);
    build.arg("--config").arg(wasm::rustflags([])).run()?;
    let built = wasm::built("release", "unspool_bench_reference.wasm");
    std::fs::copy(built, root().join(NODE).join("pco_reference.wasm")).context("the reference of Pco")?;
    Ok(())
}

/// The folders of C headers within these crates.
fn headers(folders: &[(&str, &str)]) -> Result<OsString> {
    let crates = peers::crates()?;
    let found = folders.iter().map(|(name, within)| Ok(peers::source_of(&crates, name)?.join(within)));
    Ok(std::env::join_paths(found.collect::<Result<Vec<_>>>()?)?)
}

/// A Python of the repository's own, with numpy.
fn python() -> Result<PathBuf> {
    let python = root().join(".venv/bin/python");
    let installed = root().join(".venv/installed.txt");
    let wanted = std::fs::read_to_string(root().join(REQUIREMENTS)).context(REQUIREMENTS)?;
    // Written last of all, so that an installation that was broken off is not taken for one.
    if python.is_file() && std::fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let program = if has("python3") { "python3" } else { "python" };
    cmd(program).args("-m venv .venv").run().context("on Debian, type: sudo apt-get install -y python3-venv")?;
    cmd(".venv/bin/python -m pip install --quiet --disable-pip-version-check -r").arg(REQUIREMENTS).run()?;
    std::fs::write(installed, wanted)?;
    Ok(python)
}
