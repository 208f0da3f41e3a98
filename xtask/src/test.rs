//! The whole suite, as CI runs it.

use anyhow::{Context, Result, ensure};

use crate::install::{self, AARCH64, CORTEX_M0, CORTEX_M4F, POWERPC, RISCV32, S390X, WASM};
use crate::sh::{Cmd, cmd, root};
use crate::step::Step;
use crate::{archives, c, demo, deny, firmware, prose, python, site, size, wasm};

/// The steps in the order in which they run. Those that fail fastest come first.
pub const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        proves: "every file is formatted, its prose keeps the rules, and no workflow has a mistake",
        run: fmt,
    },
    Step { name: "clippy", proves: "no lint in the crates that no other step compiles and lints", run: clippy },
    Step {
        name: "docs",
        proves: "the documentation builds without dead links, dependencies keep the rules, and the crates can be published",
        run: docs,
    },
    Step { name: "unit", proves: "unit tests, conformance with the vectors, no allocation", run: unit },
    Step {
        name: "features",
        proves: "the core's tests pass with each format alone and with small tables, and so do the vectors of Zstandard and AT-1; core and C archive build with each feature",
        run: features,
    },
    Step { name: "targets", proves: "each format alone builds for microcontrollers and wasm", run: targets },
    Step {
        name: "emulated",
        proves: "the core's unit tests pass on aarch64, which has kernels of its own, and on big-endian machines of 32 and 64 bits; so do the fuzz targets on that of 32 bits",
        run: emulated,
    },
    Step {
        name: "firmware",
        proves: "decodes on Cortex-M0 and M4F under QEMU, and no panic can be linked",
        run: firmware::test,
    },
    Step {
        name: "c",
        proves: "the C interface decodes every vector, survives misuse, and links on devices without a panic",
        run: c::test,
    },
    Step {
        name: "archives",
        proves: "programs build with the package for C and CMake, pkg-config, ESP-IDF, Zephyr, PlatformIO, and run",
        run: archives::test,
    },
    Step {
        name: "size",
        proves: "no format exceeds its budget of flash, stack and instructions, on four targets and with both kinds of tables",
        run: size::test,
    },
    Step {
        name: "sql",
        proves: "generated queries over files answer as plain DataFusion does, on workers too, and read no more than they need",
        run: sql,
    },
    Step { name: "npm", proves: "the npm package builds, and its tests pass in Node", run: npm },
    Step {
        name: "python",
        proves: "the wheel decodes every vector in a fresh environment, its types are strict, and peers agree",
        run: python::test,
    },
    Step { name: "browser", proves: "the inspector and the npm package work in headless Chromium", run: browser },
    Step {
        name: "site",
        proves: "every page of the site opens in headless Chromium, without a dead link",
        run: site::test,
    },
    Step { name: "fuzz", proves: "every fuzz target survives thousands of mutations of its seeds", run: fuzz },
    Step {
        name: "miri",
        proves: "calls from C keep the rules for references, in an interpreter that finds undefined behaviour",
        run: miri,
    },
];

/// Steps that run in parallel to the others, because they have build folders of their own: half of
/// the time. The longest come first, so that both sides end at about the same time. By the time of
/// `size`, the other steps have installed its tools.
pub const BESIDE: &[&str] = &["sql", "fuzz", "size", "emulated", "python", "miri", "firmware", "targets"];

/// The build folder of `targets` and `emulated`, which run one after the other.
const APART: &str = "--target-dir target/apart";

const NO_WARNINGS: &str = "-D warnings";

/// Makes a command of Cargo that compiles the crates of the workspace with `clippy-driver`, so that
/// their lints cost no second compilation. A lint fails it. Debug information would be a tenth of a
/// build, and a panic names its line without it.
pub fn linted(line: &str) -> Cmd {
    let plain = cmd(line).env("CARGO_PROFILE_DEV_DEBUG", "false").env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    plain.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", "-Dwarnings")
}

/// Makes a command that tests the workspace, linted. The command `xtask` is tested alone: its
/// dependencies then have the features that they were compiled with to run it.
pub fn workspace() -> Cmd {
    linted("cargo test --locked --workspace --exclude xtask")
}

/// The checker of workflows: a project of its own, whose lock file pins it.
const WORKFLOWS: &str = "xtask/workflows";

fn fmt() -> Result<()> {
    cmd("cargo fmt --all --check").run()?;
    cmd("cargo fmt --check").dir("tests/firmware").run()?;
    cmd("cargo fmt --check").dir("tests/size").run()?;
    cmd("cargo fmt --check").dir("fuzz").run()?;
    cmd("cargo fmt --check").dir("python").run()?;
    cmd("cargo fmt --check").dir("datafusion").run()?;
    install::node_modules(WORKFLOWS)?;
    cmd("node check.mjs").dir(WORKFLOWS).run()?;
    prose::check()
}

fn clippy() -> Result<()> {
    // Tests lint what they compile. These are crates that no test links with.
    cmd("cargo clippy --locked -p unspool-capi -p unspool-wasm -p unspool-bench -p unspool-bench-reference")
        .args("-- -D warnings")
        .run()?;
    linted("cargo build --locked -p xtask").run()?;
    cmd("cargo clippy --locked -p unspool --no-default-features -- -D warnings").run()?;
    install::target(CORTEX_M0)?;
    for (folder, features) in
        [("tests/firmware", ""), ("tests/size", "--features=formats,columnar,rfc,at1,lzma,patch,xz-flash,peers,c")]
    {
        let clippy = cmd("cargo clippy --locked --release --lib --bins").args(features).arg("--target").arg(CORTEX_M0);
        clippy.args("-- -D warnings").dir(folder).run()?;
    }
    Ok(())
}

fn docs() -> Result<()> {
    deny::check()?;
    // Libraries only: the command line is also called `unspool` and would overwrite the page of the
    // library.
    cmd("cargo doc --locked --workspace --lib --no-deps").env("RUSTDOCFLAGS", NO_WARNINGS).run()?;
    cmd("cargo package --locked --no-verify --allow-dirty -p unspool -p unspool-arrow -p unspool-cli").run()
}

fn unit() -> Result<()> {
    workspace().run()?;
    linted("cargo test --locked -p xtask").run()
}

/// A test of the core that is slow without optimisation, and in an emulator.
const SLOW: &str = "more_bytes_than_32_bits_count";

fn features() -> Result<()> {
    let all = formats()?.join(",");
    // Traits of other crates come with a format to test them with.
    let alone = formats()?.into_iter().chain([
        "xz-filters".into(),
        "heapless,embedded-io,embedded-storage,zstd-rfc,xz".into(),
        format!("small,{all}"),
    ]);
    for features in alone {
        // Most of the time is compiling, which takes a third without optimisation. The skipped test
        // would then be slow, and does the same for every feature. Examples of the documentation
        // are compiled with one format and with all: each format's are the same in both.
        let examples = features == "zstd" || features.contains(&all);
        linted("cargo test --locked --config profile.test.opt-level=0 -p unspool --no-default-features")
            .args(if examples { "" } else { "--lib" })
            .arg("--features")
            .arg(features)
            .args("-- --skip")
            .arg(SLOW)
            .run()?;
    }
    // Small builds have their own way to decode streams of Zstandard, and to print numbers of AT-1.
    // They emit no symbols, and refuse tables that no known encoder writes. For the whole
    // workspace: dependencies keep the features that they have in `unit`, and are not built again.
    workspace()
        .args("--features unspool/small --test zstd --test at1 -- --skip symbols_tile_a_file --skip bad_files_fail")
        .run()?;
    // Linted, because unit tests compile the core only as a test. `threads` has `std`.
    let check = |features: String| {
        linted("cargo check --locked -p unspool --no-default-features --features").arg(features).run()
    };
    for format in std::iter::once(String::new()).chain(formats()?) {
        check(format!("alloc,{format}"))?;
        check(format!("threads,{format}"))?;
    }
    check("std".into())?;
    check(format!("std,{all}"))?;
    c::features()
}

/// Checks without linking. The steps `firmware`, `size`, `c` and `npm` link on the same targets.
fn targets() -> Result<()> {
    let targets = [CORTEX_M0, CORTEX_M4F, RISCV32, WASM];
    targets.into_iter().try_for_each(install::target)?;
    let check = |features: String, targets: &[&str]| {
        let check = cmd("cargo check --locked").args(APART).args("-p unspool --no-default-features --features");
        let check = check.arg(features);
        targets.iter().fold(check, |check, target| check.arg("--target").arg(target)).run()
    };
    // A format compiles alike on devices.
    for format in formats()? {
        check(format, &[CORTEX_M0, WASM])?;
    }
    // And the logger of devices, whose macros are compiled only there.
    check(format!("defmt,{}", formats()?.join(",")), &targets)?;
    cmd("cargo check --locked").args(APART).args("-p unspool-wasm --target").arg(WASM).run()
}

/// Runs the fuzz targets. Compiling takes most of the time, so little is optimised.
const FUZZ: &str = "cargo test --locked --release --config profile.release.opt-level=1 \
    --config profile.release.lto='off'";

/// Machines that the emulators run programs of: target, linker and emulator. The linker of Rust
/// links musl for aarch64; the big-endian machines have glibc only.
const NEON: [&str; 3] = [AARCH64, "rust-lld", "qemu-aarch64"];
const BIG_ENDIAN_32: [&str; 3] = [POWERPC, "powerpc-linux-gnu-gcc", "qemu-ppc -L /usr/powerpc-linux-gnu"];
const BIG_ENDIAN_64: [&str; 3] = [S390X, "s390x-linux-gnu-gcc", "qemu-s390x -L /usr/s390x-linux-gnu"];

/// Runs the unit tests of the core as programs of other machines, and the fuzz targets as those of
/// one.
fn emulated() -> Result<()> {
    install::qemu_user()?;
    install::linux_gcc("powerpc", "powerpc")?;
    install::linux_gcc("s390x", "s390x")?;
    let emulated = |test: &str, [target, linker, emulator]: [&str; 3]| {
        install::target(target)?;
        let key = format!("CARGO_TARGET_{}", target.replace('-', "_").to_uppercase());
        let test = linted(test).arg("--target").arg(target);
        Ok::<_, anyhow::Error>(test.env(&format!("{key}_LINKER"), linker).env(&format!("{key}_RUNNER"), emulator))
    };
    for machine in [NEON, BIG_ENDIAN_32, BIG_ENDIAN_64] {
        let unit = emulated("cargo test --locked -p unspool --lib", machine)?;
        unit.args(APART).args("-- --skip").arg(SLOW).run()?;
    }
    emulated(FUZZ, BIG_ENDIAN_32)?.dir("fuzz").run()
}

/// Compiling the engine takes most of the time, so it is compiled once, with every feature.
/// `clippy-driver` compiles the crate, so its lints cost no second compilation. `Cargo.toml` denies
/// them.
fn sql() -> Result<()> {
    cmd("cargo test --locked --all-features").dir("datafusion").env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").run()
}

fn npm() -> Result<()> {
    wasm::build()?;
    for libraries in [wasm::PROJECTS, wasm::RUNTIMES, wasm::ADAPTERS] {
        install::node_modules(libraries)?;
    }
    cmd("npm test").dir(wasm::NPM).run()
}

fn browser() -> Result<()> {
    let chromium = install::chromium()?;
    // Pages that import the package also need each format alone.
    wasm::build()?;
    demo::run(None, true)?;
    install::node_modules(wasm::PROJECTS)?;
    // Not `npm test`, which would build the page again.
    cmd("sh -c").arg("node --test test/*.test.mjs").dir(demo::PAGE).env("CHROMIUM", chromium).run()
}

/// Runs each target over its seeds and mutations, on stable Rust. The workflow `fuzz` has coverage
/// guidance and AddressSanitizer, which take a build of their own.
fn fuzz() -> Result<()> {
    linted(FUZZ).dir("fuzz").run()
}

/// Interprets the tests of the C interface, which turns pointers into references.
fn miri() -> Result<()> {
    install::nightly("miri,rust-src").context("or leave it out: cargo xtask test --without miri")?;
    cmd("cargo +nightly miri test --locked -p unspool-capi --lib").run()
}

/// Features of the core that are not formats.
const NO_FORMATS: [&str; 15] = [
    "default",
    "alloc",
    "std",
    "threads",
    "messages",
    "small",
    "formats",
    "count-steps",
    "xz-filters",
    "xz-sha256",
    "zstd-xxh64",
    "heapless",
    "defmt",
    "embedded-io",
    "embedded-storage",
];

/// Returns the formats that the core can be built with, from the features in its manifest.
pub fn formats() -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(root().join("core/Cargo.toml"))?;
    let features = manifest.split("[features]").nth(1).and_then(|rest| rest.split("\n[").next());
    let names =
        features.unwrap_or("").lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.to_owned());
    let names: Vec<_> = names.filter(|name| !NO_FORMATS.contains(&&**name)).collect();
    ensure!(!names.is_empty(), "core/Cargo.toml names no formats");
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_from_the_manifest() {
        let formats = formats().unwrap();
        assert!(formats.iter().any(|name| name == "cvc"), "{formats:?}");
        // The feature for a part of a format is called `FORMAT-PART`.
        let room = |name: &String| root().join("core/src").join(name.split('-').next().unwrap_or(name));
        let exists = |room: std::path::PathBuf| room.is_dir() || room.with_extension("rs").is_file();
        assert!(formats.iter().all(|name| exists(room(name))), "{formats:?}");
    }

    #[test]
    fn the_test_that_is_skipped_exists() {
        let stream = std::fs::read_to_string(root().join("core/src/zstd/stream.rs")).unwrap();
        assert!(stream.contains(&format!("fn {SLOW}()")));
    }

    #[test]
    fn every_file_may_have_its_name_on_windows() {
        let files = cmd("git ls-files").read().unwrap();
        assert!(files.lines().count() > 1000);
        let devices = ["con", "prn", "aux", "nul", "com", "lpt"];
        let is_device = |part: &&str| {
            let stem = part.split('.').next().unwrap_or_default().to_ascii_lowercase();
            devices.contains(&stem.trim_end_matches(|digit: char| digit.is_ascii_digit()))
        };
        let is_refused = |part: &&str| part.ends_with(['.', ' ']) || part.contains(['<', '>', ':', '"', '|', '?', '*']);
        let bad = |part: &&str| is_device(part) || is_refused(part);
        let found: Vec<_> = files.lines().filter(|path| path.split('/').any(|part| bad(&part))).collect();
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn the_workflow_runs_each_step_once() {
        let workflow = std::fs::read_to_string(root().join(".github/workflows/ci.yml")).unwrap();
        let (_, jobs) = workflow.split_once("        steps:\n          - ").unwrap();
        let (jobs, _) = jobs.split_once("    name:").unwrap();
        let mut names: Vec<_> = jobs.split_whitespace().filter(|word| *word != "-").collect();
        let mut steps: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        steps.sort_unstable();
        assert_eq!(names, steps);
    }

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
        assert!(BESIDE.iter().all(|name| names.contains(name)));
    }
}
