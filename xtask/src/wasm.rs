//! Builds the wasm modules and their JavaScript into `wasm/npm/wasm`, and the npm package.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail, ensure};
use unspool::{ErrorKind, Name};
use wasm_bindgen_cli_support::Bindgen;

use crate::install;
use crate::sh::{cmd, root};

/// The npm package.
pub const NPM: &str = "wasm/npm";
/// Projects that use the package, each with its bundler.
pub const PROJECTS: &str = "wasm/npm/test/projects";
/// The libraries that the package has adapters for.
pub const ADAPTERS: &str = "wasm/npm/test/adapters";
/// Other runtimes than Node that the package runs in.
pub const RUNTIMES: &str = "wasm/npm/test/runtimes";
/// TypeDoc, which writes the reference of the package.
pub const REFERENCE: &str = "wasm/npm/reference";
/// Other packages that decode the same formats, compared on broken files.
const PEERS: &str = "wasm/npm/test/peers";
/// The folder of generated modules, not in git: a folder for each format, and for its inspector.
const OUT: &str = "wasm/npm/wasm";
/// Generated sources with the texts of errors and the numbers of names; not in git.
const ERRORS: &str = "wasm/npm/src/errors";
const NAMES: &str = "wasm/npm/src/names.ts";
const LABELS: &str = "wasm/npm/src/labels.ts";
const MADE: &str = "// Made by `cargo xtask package` from the table of the core.\n";
/// The file name of each module and its JavaScript.
const NAME: &str = "unspool";

/// Owners of errors that belong to no format: numbers below 100, and a helper of several formats.
const GENERAL: &str = "general";
const SHARED: &str = "json";

/// Compiler flags. Every supported browser and Node has SIMD, which doubles the speed of plain
/// loops.
const RUSTFLAGS: &[&str] = &["-Ctarget-feature=+simd128"];

/// Flags of `wasm-opt`. It may use the features that the compiler used, and assume that no pointer
/// wraps around to the first kilobyte of memory, which is the far end of the stack.
///
/// A large function that is called once is not inlined. The copies for each number width then look
/// alike, which makes the gzipped module up to a tenth smaller.
const WASM_OPT: &str = "-Oz --dealign --one-caller-inline-max-function-size=60 --low-memory-unused --zero-filled-memory --strip-producers --strip-target-features --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext \
    --enable-mutable-globals --enable-reference-types --enable-multivalue";

/// Optimisation level and further flags of a module, where they differ from the profile, `z`.
///
/// * Zstandard and xz at `s` are smaller once gzipped, and faster by a tenth and by half.
/// * Pco at 3 is nearly twice as fast for an eighth more bytes. Inlining larger functions adds
///   bytes and no speed; inlining none loses speed and saves nothing.
/// * OnPair and CVC at `s` are 4 % larger; OnPair at 2 is a tenth to a sixth larger.
/// * Another inlining threshold than that of the level saves 0.5 to 2 %.
const LEVELS: [(&str, &str, &str); 9] = [
    ("at1", "\"z\"", MIDDLING),
    ("cvc", "\"z\"", MIDDLING),
    ("gzip", "\"s\"", ""),
    ("lzma", "\"s\"", MIDDLING),
    ("pco", "3", "-Cllvm-args=-inline-threshold=40"),
    ("xz", "\"s\"", MIDDLING),
    ("xz-stream", "\"s\"", ""),
    ("zstd", "\"s\"", ""),
    ("zstd-stream", "\"s\"", ""),
];

/// An inlining threshold between that of `z`, which is 5, and that of `s`, which is 50.
const MIDDLING: &str = "-Cllvm-args=-inline-threshold=15";

/// The feature of inspectors. A module with it has one format, which it decodes too.
const INSPECT: &str = "inspect";
/// The feature with the texts of errors, which the package has in JavaScript.
const MESSAGES: &str = "messages";
/// The ending of features that are streams alone.
const STREAM: &str = "-stream";

/// Compiles, binds and optimises a module for each format, and for its inspector. Skips modules
/// that have not changed.
///
/// A process builds them once: Cargo writes every module to the same path, so a second build would
/// compile all of them again.
pub fn build() -> Result<()> {
    static BUILT: AtomicBool = AtomicBool::new(false);
    if BUILT.load(Ordering::Relaxed) {
        return Ok(());
    }
    install::target(install::WASM)?;
    install::node_modules(NPM)?;
    write_errors()?;
    write_names()?;
    for name in features()?.iter().filter(|name| ![INSPECT, MESSAGES].contains(&name.as_str())) {
        build_one(name, name)?;
        if !name.ends_with(STREAM) {
            build_one(&format!("{name}-{INSPECT}"), &format!("{name},{INSPECT}"))?;
        }
    }
    BUILT.store(true, Ordering::Relaxed);
    Ok(())
}

/// Builds a module with these features into a folder of the package.
fn build_one(folder: &str, features: &str) -> Result<()> {
    // An inspector is compiled for size.
    let known = LEVELS.into_iter().find(|&(name, ..)| name == folder);
    let level = known.or(folder.ends_with(INSPECT).then_some((INSPECT, "\"z\"", MIDDLING)));
    let module = compile(features, level)?;
    let out = root().join(OUT).join(folder);
    let done = out.join(format!("{NAME}_bg.wasm"));
    // Cargo writes every module to the same path, so its age proves nothing.
    let last = module.with_file_name(format!("{NAME}-{folder}.wasm"));
    let made_from = [last.clone(), root().join("Cargo.lock"), root().join("xtask/src/wasm.rs")];
    if same(&module, &last) && made_from.iter().all(|source| newer(&done, source)) {
        println!("    {} is up to date", done.strip_prefix(root()).unwrap_or(&done).display());
        return Ok(());
    }
    std::fs::create_dir_all(&out)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(&module).web(true)?.typescript(true).out_name(NAME).remove_name_section(true);
    // The package passes the module in. A default path would make every bundler copy a file that
    // nothing loads. After a trap, the package makes a new instance.
    bindgen.omit_default_module_path(true).reset_state_function(true);
    bindgen.generate(&out).context("wasm-bindgen")?;

    let before = size(&done)?;
    // The optimiser writes to another file, which replaces the module only on success: see `newer`.
    let optimised = out.join("optimised.wasm");
    cmd(&format!("{NPM}/node_modules/.bin/wasm-opt")).args(WASM_OPT).arg(&done).arg("-o").arg(&optimised).run()?;
    std::fs::copy(&module, &last)?;
    std::fs::rename(&optimised, &done)?;
    // Renaming keeps the age of a file.
    std::fs::File::open(&done)?.set_modified(std::time::SystemTime::now())?;
    let after = size(&done)?;
    println!("    {features}: {after} bytes (wasm-opt removed {})", before.saturating_sub(after));
    Ok(())
}

/// Returns the default features of the module: the formats, and features that serve all of them.
fn features() -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(root().join("wasm/Cargo.toml"))?;
    let list = manifest.split_once("\ndefault = [").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.context("wasm/Cargo.toml has no default features")?;
    Ok(list.split(',').map(|name| name.trim().trim_matches('"').to_owned()).filter(|name| !name.is_empty()).collect())
}

/// Writes the texts of errors as sources of the package: one for each hundred numbers, and one that
/// exports all.
fn write_errors() -> Result<()> {
    std::fs::create_dir_all(root().join(ERRORS))?;
    let mut owners = crate::test::formats()?;
    owners.push(SHARED.to_owned());
    let line = |kind: ErrorKind| {
        let class = format!("{:?}", kind.class());
        let class = class.split(' ').next().unwrap_or_default();
        format!("  [{}, {:?}, {class:?}, {:?}],\n", kind as u16, kind.name(), kind.message())
    };
    let mut tables: BTreeMap<u16, (String, String)> = BTreeMap::new();
    for &kind in ErrorKind::ALL {
        let hundred = kind as u16 / 100;
        let owner = if hundred == 0 {
            GENERAL
        } else {
            let name = kind.name().to_ascii_lowercase();
            let owner = owners.iter().find(|owner| name.starts_with(owner.as_str()));
            owner.with_context(|| format!("{} does not start with the name of a format", kind.name()))?
        };
        let (known, lines) = tables.entry(hundred).or_insert_with(|| (owner.to_owned(), String::new()));
        ensure!(known == owner, "{} has a number of {known}", kind.name());
        lines.push_str(&line(kind));
    }
    let table = |lines: &str| format!("{MADE}export default [\n{lines}] as const;\n");
    // The lazy entry detects formats without any of the tables.
    let detection = [ErrorKind::Truncated, ErrorKind::UnknownFormat].into_iter().map(line).collect::<String>();
    write_if_new(&root().join(ERRORS).join("detection.ts"), &table(&detection))?;
    let mut all = String::from(MADE);
    for (name, lines) in tables.values() {
        writeln!(all, "export {{ default as {name} }} from './{name}.js';")?;
        write_if_new(&root().join(ERRORS).join(format!("{name}.ts")), &table(lines))?;
    }
    write_if_new(&root().join(ERRORS).join("all.ts"), &all)
}

/// Writes the numbers of node names as a source of the package, and their labels as another. Each
/// number is a constant of its own, so that a bundler keeps only those that are used.
fn write_names() -> Result<()> {
    let module = "/**\n * The numbers of node names, one constant each.\n *\n * @module unspool/names\n */\n";
    let mut numbers = format!("{MADE}{module}");
    let mut labels = format!(
        "{MADE}/** The labels of names, by their numbers. */\nexport const LABELS: Readonly<Record<number, string>> = {{\n"
    );
    for name in Name::ALL {
        writeln!(numbers, "/** {} */\nexport const {} = {};", name.label(), name.id(), *name as u16)?;
        writeln!(labels, "  {}: {:?},", *name as u16, name.label())?;
    }
    labels.push_str("};\n");
    write_if_new(&root().join(NAMES), &numbers)?;
    write_if_new(&root().join(LABELS), &labels)
}

/// Writes a file unless it has this text already, so that it keeps its age.
fn write_if_new(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    Ok(std::fs::write(path, text)?)
}

/// Builds the modules and the package.
pub fn build_package() -> Result<()> {
    build()?;
    build_javascript()
}

fn build_javascript() -> Result<()> {
    cmd("npm run build --if-present").dir(NPM).run()
}

/// Packs the built package.
pub fn pack() -> Result<PathBuf> {
    let list = cmd("npm pack").dir(NPM).read()?;
    let tarball = list.lines().last().context("npm pack named no file")?;
    let path = root().join(NPM).join(tarball);
    println!("{} ({} bytes)", path.display(), size(&path)?);
    Ok(path)
}

/// Rewrites the page that compares packages on broken files.
pub fn peers() -> Result<()> {
    build_package()?;
    install::node_modules(PEERS)?;
    cmd("node table.mjs").dir(PEERS).run()
}

/// Returns the compiler flags that replace the paths of this machine, for a checkout in `root`. A
/// panic message contains the path of its source file.
pub fn remapped(root: &Path) -> [String; 3] {
    let home = install::cargo_home();
    // The standard library has a path only if its sources are installed; otherwise it has this name
    // already.
    let sources = PathBuf::from(cmd("rustc --print sysroot").answer().unwrap_or_default()).join("lib/rustlib/src/rust");
    let version = cmd("rustc -vV").answer().unwrap_or_default();
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or_default();
    [(root, "unspool"), (&home, "cargo"), (&sources, &*format!("/rustc/{commit}"))]
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()))
}

fn compile(features: &str, tuned: Option<(&str, &str, &str)>) -> Result<PathBuf> {
    let remap = remapped(&root());
    let more = tuned.map(|(_, _, flags)| flags).filter(|flags| !flags.is_empty());
    let level = tuned.map_or(String::new(), |(_, level, _)| format!("--config profile.wasm-release.opt-level={level}"));
    cmd("cargo build -p unspool-wasm --profile wasm-release --target")
        .arg(install::WASM)
        .arg("--config")
        .arg(rustflags(more.map(str::to_owned).into_iter().chain(remap)))
        .args(&level)
        .args("--no-default-features --features")
        .arg(features)
        .run()?;
    let module = built("wasm-release", "unspool_wasm.wasm");
    if !module.is_file() {
        bail!("{} was not built; is wasm/ a cdylib?", module.display());
    }
    Ok(module)
}

/// Returns the Cargo setting with the compiler flags of every module, and `more`.
pub fn rustflags(more: impl IntoIterator<Item = String>) -> String {
    let flags = RUSTFLAGS.iter().copied().map(str::to_owned).chain(more);
    let flags: Vec<_> = flags.map(|flag| format!("{flag:?}")).collect();
    format!("target.{}.rustflags=[{}]", install::WASM, flags.join(","))
}

/// Returns the path that Cargo writes a module to.
pub fn built(profile: &str, file: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir));
    target.join(install::WASM).join(profile).join(file)
}

fn newer(this: &Path, that: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    modified(this).is_some_and(|this| modified(that).is_some_and(|that| this >= that))
}

fn same(this: &Path, that: &Path) -> bool {
    let read = |path| std::fs::read(path).ok();
    read(this).is_some_and(|this| read(that).is_some_and(|that| this == that))
}

fn size(path: &Path) -> Result<u64> {
    Ok(path.metadata().with_context(|| format!("{} is missing", path.display()))?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wasm_pack_passes_the_same_flags_to_the_optimiser() {
        let manifest = std::fs::read_to_string(root().join("wasm/Cargo.toml")).unwrap();
        let (_, list) = manifest.split_once("\nwasm-opt = [").unwrap();
        let (list, _) = list.split_once(']').unwrap();
        let flags = |text: &str| {
            text.split([' ', ',', '"']).filter(|flag| !flag.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        // wasm-pack compiles without SIMD, and keeps the sections that name tools and features.
        let ours = flags(WASM_OPT).into_iter().filter(|flag| flag != "--enable-simd" && !flag.starts_with("--strip"));
        assert_eq!(flags(list), ours.collect::<Vec<_>>());
    }
}
