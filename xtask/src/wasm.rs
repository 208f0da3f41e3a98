//! Builds the wasm module and its JavaScript into `wasm/npm/wasm`, and the npm package around it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::install;
use crate::sh::{cmd, root};

/// The npm package.
pub const NPM: &str = "wasm/npm";
/// Where the generated files go; not in git.
const OUT: &str = "wasm/npm/wasm";
/// What the module and its JavaScript are called.
const NAME: &str = "unspool";

/// Compiler flags. SIMD is in every browser and Node that the package supports, and doubles the speed of plain loops.
const RUSTFLAGS: &[&str] = &["-Ctarget-feature=+simd128"];

/// What `wasm-opt` may assume: just what the compiler was told and what Rust turns on by itself.
const WASM_OPT: &str = "-Oz --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext \
    --enable-mutable-globals --enable-reference-types --enable-multivalue";

/// Compiles, binds and optimises. Does nothing after `cargo build` when the module has not changed.
pub fn build() -> Result<()> {
    install::target(install::WASM)?;
    install::node_modules(NPM)?;
    let module = compile()?;
    let out = root().join(OUT);
    let done = out.join(format!("{NAME}_bg.wasm"));
    if newer(&done, &module) && newer(&done, &root().join("Cargo.lock")) {
        println!("    {OUT} is up to date");
        return Ok(());
    }
    println!("    wasm-bindgen: {OUT}");
    if out.exists() {
        std::fs::remove_dir_all(&out).context("cannot clear the output of the last build")?;
    }
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&module).web(true)?.typescript(true).out_name(NAME).remove_name_section(true);
    // The package hands the module in: a default path would make every bundler copy a file that nobody loads. And after a
    // trap it starts over with a new instance.
    bindgen.omit_default_module_path(true).reset_state_function(true);
    bindgen.generate(&out).context("wasm-bindgen")?;

    let before = size(&done)?;
    // The optimiser writes beside the module, which takes its place only when that has succeeded: see `newer`.
    let optimised = out.join("optimised.wasm");
    cmd(&format!("{NPM}/node_modules/.bin/wasm-opt")).args(WASM_OPT).arg(&done).arg("-o").arg(&optimised).run()?;
    std::fs::rename(&optimised, &done)?;
    println!(
        "    {OUT}/{NAME}_bg.wasm: {} bytes (wasm-opt took {} off)",
        size(&done)?,
        before.saturating_sub(size(&done)?)
    );
    Ok(())
}

/// The package's own JavaScript, built around the module.
pub fn build_package() -> Result<()> {
    build()?;
    cmd("npm run build --if-present").dir(NPM).run()
}

/// The tarball that would be published.
pub fn package() -> Result<()> {
    build_package()?;
    let list = cmd("npm pack").dir(NPM).read()?;
    let tarball = list.lines().last().context("npm pack named no file")?;
    let path = root().join(NPM).join(tarball);
    println!("{} ({} bytes)", path.display(), size(&path)?);
    Ok(())
}

fn compile() -> Result<PathBuf> {
    // The words of a panic name the source file it stands in. No user needs to know where that lay on this machine.
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap_or_default();
    let remap =
        [(root(), "unspool"), (home, "cargo")].map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let flags = RUSTFLAGS.iter().map(|&flag| flag.to_owned()).chain(remap);
    let flags: Vec<_> = flags.map(|flag| format!("{flag:?}")).collect();
    cmd("cargo build -p unspool-wasm --profile wasm-release --target")
        .arg(install::WASM)
        .arg("--config")
        .arg(format!("target.{}.rustflags=[{}]", install::WASM, flags.join(",")))
        .run()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir));
    let module = target.join(install::WASM).join("wasm-release").join("unspool_wasm.wasm");
    if !module.is_file() {
        bail!("{} was not built; is wasm/ a cdylib?", module.display());
    }
    Ok(module)
}

fn newer(this: &Path, that: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    modified(this).is_some_and(|this| modified(that).is_some_and(|that| this >= that))
}

fn size(path: &Path) -> Result<u64> {
    Ok(path.metadata().with_context(|| format!("{} is missing", path.display()))?.len())
}
