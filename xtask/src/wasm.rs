//! Builds the wasm module and its JavaScript into `wasm/npm/wasm`, and the npm package around it.

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
/// Projects that use it, with the bundlers that build them.
pub const PROJECTS: &str = "wasm/npm/test/projects";
/// Other packages that decode the same formats, and the table of what they do with broken files.
const PEERS: &str = "wasm/npm/test/peers";
/// Where the generated files go; not in git. The whole lies there, and each format alone in a folder of its own.
const OUT: &str = "wasm/npm/wasm";
/// Where the words of errors and the numbers of names go; not in git, either.
const ERRORS: &str = "wasm/npm/src/errors";
const NAMES: &str = "wasm/npm/src/names.ts";
const LABELS: &str = "wasm/npm/src/labels.ts";
const MADE: &str = "// Made by `cargo xtask package` from the table of the core.\n";
/// What each module and its JavaScript are called.
const NAME: &str = "unspool";

/// Errors that are of no format: those with the first hundred numbers, and those of a helper that several formats may use.
const GENERAL: &str = "general";
const SHARED: &str = "json";

/// Compiler flags. SIMD is in every browser and Node that the package supports, and doubles the speed of plain loops.
const RUSTFLAGS: &[&str] = &["-Ctarget-feature=+simd128"];

/// What `wasm-opt` may do, and assume: just what the compiler was told, what Rust turns on by itself, and that the first kilobyte of memory,
/// the far end of the stack, is not what a pointer wraps around to. A large function that is called once stays one: what is compiled
/// for each width of numbers then looks alike, and gzip finds that, which is worth up to a tenth.
const WASM_OPT: &str = "-Oz --dealign --one-caller-inline-max-function-size=60 --low-memory-unused --zero-filled-memory --strip-producers --strip-target-features --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext \
    --enable-mutable-globals --enable-reference-types --enable-multivalue";

/// Modules that are not compiled at the level of the profile, `z`, and what is said to the compiler besides. At `s` these are smaller once
/// gzipped, and faster: Zstandard by a tenth, xz by half. Pco is nearly twice as fast at 3, for an eighth more; with larger functions
/// inlined it would weigh more and be no faster, with none it would be slower and weigh as much. OnPair and CVC weigh 4 % more at `s`,
/// and OnPair a tenth to a sixth more at 2. Where less is inlined than the level has it, or more, that is 0.5 to 2 % less.
const LEVELS: [(&str, &str, &str); 9] = [
    ("", "\"z\"", MIDDLING),
    ("at1", "\"z\"", MIDDLING),
    ("cvc", "\"z\"", MIDDLING),
    ("gzip", "\"s\"", ""),
    ("pco", "3", "-Cllvm-args=-inline-threshold=40"),
    ("xz", "\"s\"", MIDDLING),
    ("xz-stream", "\"s\"", ""),
    ("zstd", "\"s\"", ""),
    ("zstd-stream", "\"s\"", ""),
];

/// Functions up to this size are inlined: more of them than at `z`, which has 5, and fewer than at `s`, which has 50.
const MIDDLING: &str = "-Cllvm-args=-inline-threshold=15";

/// Compiles, binds and optimises the whole and each format alone. What has not changed is left as it is, and nothing is looked at twice in one
/// run: cargo puts every module in the place of the one before and would compile them all again.
pub fn build() -> Result<()> {
    build_modules(true)
}

fn build_modules(alone: bool) -> Result<()> {
    static BUILT: AtomicBool = AtomicBool::new(false);
    if BUILT.load(Ordering::Relaxed) {
        return Ok(());
    }
    install::target(install::WASM)?;
    install::node_modules(NPM)?;
    write_errors()?;
    write_names()?;
    let features = features()?;
    // Without the words of errors, which the package has in JavaScript.
    let whole: Vec<_> = features.iter().map(String::as_str).filter(|name| *name != "messages").collect();
    build_one("", &whole.join(","))?;
    if !alone {
        return Ok(());
    }
    for format in whole.iter().filter(|name| !["inspect", "stats"].contains(name)) {
        build_one(format, format)?;
    }
    BUILT.store(true, Ordering::Relaxed);
    Ok(())
}

/// Builds a module with these features in a folder of the package.
fn build_one(folder: &str, features: &str) -> Result<()> {
    let module = compile(features, LEVELS.into_iter().find(|&(name, ..)| name == folder))?;
    let out = root().join(OUT).join(folder);
    let done = out.join(format!("{NAME}_bg.wasm"));
    // Cargo makes every module under the same name, so that its age tells nothing.
    let last = module.with_file_name(format!("{NAME}-{}.wasm", if folder.is_empty() { "whole" } else { folder }));
    let made_from = [last.clone(), root().join("Cargo.lock"), root().join("xtask/src/wasm.rs")];
    if same(&module, &last) && made_from.iter().all(|source| newer(&done, source)) {
        println!("    {} is up to date", done.strip_prefix(root()).unwrap_or(&done).display());
        return Ok(());
    }
    std::fs::create_dir_all(&out)?;
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
    std::fs::copy(&module, &last)?;
    std::fs::rename(&optimised, &done)?;
    // A file that is renamed keeps its age.
    std::fs::File::open(&done)?.set_modified(std::time::SystemTime::now())?;
    let after = size(&done)?;
    println!("    {features}: {after} bytes (wasm-opt took {} off)", before.saturating_sub(after));
    Ok(())
}

/// The features that the module has by default: the formats, and what serves them all.
fn features() -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(root().join("wasm/Cargo.toml"))?;
    let list = manifest.split_once("\ndefault = [").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.context("wasm/Cargo.toml has no default features")?;
    Ok(list.split(',').map(|name| name.trim().trim_matches('"').to_owned()).filter(|name| !name.is_empty()).collect())
}

/// Writes the words of the errors as modules of the package, one for each hundred, and one that exports all.
fn write_errors() -> Result<()> {
    std::fs::create_dir_all(root().join(ERRORS))?;
    let mut owners = crate::test::formats()?;
    owners.push(SHARED.to_owned());
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
        let class = format!("{:?}", kind.class());
        let class = class.split(' ').next().unwrap_or_default();
        writeln!(lines, "  [{}, {:?}, {class:?}, {:?}],", kind as u16, kind.name(), kind.message())?;
    }
    let mut all = String::from(MADE);
    for (name, lines) in tables.values() {
        writeln!(all, "export {{ default as {name} }} from './{name}.js';")?;
        let text = format!("{MADE}export default [\n{lines}] as const;\n");
        write_if_new(&root().join(ERRORS).join(format!("{name}.ts")), &text)?;
    }
    write_if_new(&root().join(ERRORS).join("all.ts"), &all)
}

/// Writes the numbers of the names of nodes as a module of the package, and their labels as another. Each number is a constant of
/// its own, so that a bundler puts it where it is used, and nothing else.
fn write_names() -> Result<()> {
    let mut numbers = String::from(MADE);
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

/// A file that stays as it is keeps its age.
fn write_if_new(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    Ok(std::fs::write(path, text)?)
}

/// The package's own JavaScript, built around the modules.
pub fn build_package() -> Result<()> {
    build()?;
    build_javascript()
}

/// The same around the whole alone, which is all that the page takes: a visitor should not wait for nine other modules. Of these the package
/// then has those that were built before.
pub fn build_for_page() -> Result<()> {
    build_modules(false)?;
    build_javascript()
}

fn build_javascript() -> Result<()> {
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

/// The table of what this package and others do with broken files.
pub fn peers() -> Result<()> {
    build_package()?;
    install::node_modules(PEERS)?;
    cmd("node table.mjs").dir(PEERS).run()
}

fn compile(features: &str, tuned: Option<(&str, &str, &str)>) -> Result<PathBuf> {
    // The words of a panic name the source file it stands in. No user needs to know where that lay on this machine.
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap_or_default();
    // That of the standard library is told only where its sources are installed; elsewhere it has this name already.
    let sources = PathBuf::from(cmd("rustc --print sysroot").answer().unwrap_or_default()).join("lib/rustlib/src/rust");
    let version = cmd("rustc -vV").answer().unwrap_or_default();
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or_default();
    let remap = [(root(), "unspool"), (home, "cargo"), (sources, &*format!("/rustc/{commit}"))]
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
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

/// What tells cargo the compiler flags of every module, and these besides.
pub fn rustflags(more: impl IntoIterator<Item = String>) -> String {
    let flags = RUSTFLAGS.iter().copied().map(str::to_owned).chain(more);
    let flags: Vec<_> = flags.map(|flag| format!("{flag:?}")).collect();
    format!("target.{}.rustflags=[{}]", install::WASM, flags.join(","))
}

/// Where cargo leaves a module.
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
    fn wasm_pack_lets_the_optimiser_assume_what_the_package_does() {
        let manifest = std::fs::read_to_string(root().join("wasm/Cargo.toml")).unwrap();
        let (_, list) = manifest.split_once("\nwasm-opt = [").unwrap();
        let (list, _) = list.split_once(']').unwrap();
        let flags = |text: &str| {
            text.split([' ', ',', '"']).filter(|flag| !flag.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        // wasm-pack compiles without SIMD, and keeps the sections that say what was used.
        let ours = flags(WASM_OPT).into_iter().filter(|flag| flag != "--enable-simd" && !flag.starts_with("--strip"));
        assert_eq!(flags(list), ours.collect::<Vec<_>>());
    }
}
