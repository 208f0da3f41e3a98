//! `cargo xtask`: every script of this repository, by name.

mod archives;
mod bench;
mod bill;
mod c;
mod demo;
mod deny;
mod firmware;
mod fuzz;
mod install;
mod ledger;
mod pages;
mod peers;
mod prose;
mod python;
mod release;
mod serve;
mod sh;
mod site;
mod size;
mod step;
mod test;
mod wasm;
mod wasm_c;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::prelude::*;

const HELP: &str = "\
Usage: cargo xtask COMMAND [--help]

  demo      build the web inspector and serve it on localhost
  test      run the test suite, or some of its steps
  bench     compare speed with other decoders
  fuzz      fuzz with coverage guidance
  size      measure flash, RAM, stack and instructions of each format on each target
  release   build all that users take, twice, compare, and try it out
  deny      check licences, sources and vulnerabilities of every dependency
  package   build the npm package as it would be published
  wheel     build the Python wheel as it would be published
  peers     test other npm packages with broken files and rewrite the page about them
  header    rewrite the C headers from their sources
  archives  build the package of C archives as it would be published
  wasm-c    build the C interface as WebAssembly, for hosts of any language
  site      build one static folder: the inspector, every document, both references

A command installs the tools that it needs, or prints the line to type.";

const DEMO: &str = "\
Usage: cargo xtask demo [--check] [--port N]

Builds the wasm module and the web inspector, serves it on localhost and prints the address.

  --check    load the page in headless Chromium, check that a sample decodes, and exit
  --port N   serve on this port (default: the first free one from 8000)";

const TEST: &str = "\
Usage: cargo xtask test [STEP...] [--without STEP]... [--list]

Runs all steps, or the named ones. A failure does not stop the others; the last line counts them.

  --without STEP   leave out this step; the last line names it
  --list           list the steps and what each proves";

const BENCH: &str = "\
Usage: cargo xtask bench [NAME] [--save] [--against FILE]

Measures this library and its peers in turns and prints case | unspool | peer | ratio | memory.

  NAME             run only cases whose names contain this: cvc, cvc/fp16, cached ...
  --save           write the results to docs/bench/DATE-COMMIT.csv
  --against FILE   compare the ratios with those in such a file, the largest loss first

Cases of the groups `wasm` and `process` run without NAME, or if NAME begins with the group.";

const FUZZ: &str = "\
Usage: cargo xtask fuzz [TARGET] [--seconds N | --mutations N] [--list] [--count FILE]

Fuzzes one target, or all in turn, with coverage guidance (cargo-fuzz on nightly Rust), and counts
the executions in docs/fuzzing.md.

  --seconds N     time for each target (default: 60)
  --mutations N   run over mutations of the seeds on stable Rust instead
  --count FILE    only count the runs in the output of the program in `fuzz`
  --list          list the targets";

const SIZE: &str = "\
Usage: cargo xtask size [--budgets | --image | NAME]

Measures each format alone on each target, writes docs/sizes.md, and compares the result with the
budgets in tests/size/budgets.tsv.

  NAME        measure only programs of tests/size whose names contain this; write no page
  --budgets   make the result the new budgets
  --image     measure only the last table of the page: other decoders and ours on the same image";

const RELEASE: &str = "\
Usage: cargo xtask release --dry-run [PART...]

Builds the parts of a release twice, from two clones of this commit, compares the builds byte for
byte, and installs and runs each artefact in a fresh folder. Publishes nothing: the workflow
`release` does, from a tag.

Parts: crates, command, npm, archives, wheel, wasm, site; all if none is named.

  --build FOLDER   only build the parts, in this checkout, and copy them to a folder";

const DENY: &str = "\
Usage: cargo xtask deny [CHECK...]

Runs `cargo deny check` for every Cargo.lock, with the rules of deny.toml, and `npm audit` for every
package-lock.json. Installing cargo-deny takes three to five minutes, once.

Checks: advisories, bans, licenses, sources; all if none is named. `advisories` downloads a database
from GitHub, and asks the registry of npm.
The step `docs` of `cargo xtask test` checks licences, sources and wildcards without cargo-deny.";

const HEADER: &str = "\
Usage: cargo xtask header

Rewrites the headers in capi/include from their sources. The tests fail if one is out of date.";

const ARCHIVES: &str = "\
Usage: cargo xtask archives

Builds target/archives/unspool-VERSION-c.tar.gz: an archive for each target, the headers, and files
for CMake, pkg-config, ESP-IDF, Zephyr and PlatformIO.";

const WASM_C: &str = "\
Usage: cargo xtask wasm-c

Builds a WebAssembly module with the C interface and no imports, and prints its path.";

const PACKAGE: &str = "\
Usage: cargo xtask package

Builds the npm package and the tarball that would be published.";

const WHEEL: &str = "\
Usage: cargo xtask wheel [--bench]

Builds the source distribution for Python, and the wheel from it, in target/wheels.

  --bench   install it into an environment of its own instead, and compare its speed with pcodec,
            decompressed and polars";

const PEERS: &str = "\
Usage: cargo xtask peers

Builds the npm package, installs other decoders from npm, feeds broken files to all of them, and
writes wasm/npm/recipes/broken-input.md.";

const SITE: &str = "\
Usage: cargo xtask site

Builds target/site: the inspector, every Markdown page, the Rust and the JavaScript reference.
The step `site` of `cargo xtask test` opens every page of it in headless Chromium.";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // An error of usage is its own cause: the alternate form would print it twice.
            let usage = error.is::<lexopt::Error>();
            if usage {
                eprintln!("error: {error}")
            } else {
                eprintln!("error: {error:#}")
            }
            // As in the command line `unspool`: 2 for wrong usage, 1 for failed work.
            ExitCode::from(if usage { 2 } else { 1 })
        }
    }
}

/// Runs the command. Returns `false` if it failed and has already reported why.
fn run() -> Result<bool> {
    let mut args = lexopt::Parser::from_env();
    match args.next()? {
        None | Some(Short('h') | Long("help")) => println!("{HELP}"),
        Some(Value(command)) => match command.to_str().unwrap_or("") {
            "demo" => return demo(args),
            "test" => return test(args),
            "bench" => return bench(args),
            "fuzz" => return fuzz(args),
            "size" => return size(args),
            "header" => return alone(args, HEADER, c::header),
            "archives" => return alone(args, ARCHIVES, archives::run),
            "wasm-c" => return alone(args, WASM_C, wasm_c::run),
            "peers" => return alone(args, PEERS, wasm::peers),
            "site" => return alone(args, SITE, site::build),
            "deny" => return deny(args),
            "package" => return alone(args, PACKAGE, || demo::package().map(|_| ())),
            "release" => return release(args),
            "wheel" => return wheel(args),
            other => return Err(lexopt::Error::from(format!("unknown command: {other}\n\n{HELP}")).into()),
        },
        Some(other) => return Err(other.unexpected().into()),
    }
    Ok(true)
}

fn demo(mut args: lexopt::Parser) -> Result<bool> {
    let (mut check, mut port) = (false, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("check") => check = true,
            Long("port") => port = Some(args.value()?.parse()?),
            Short('h') | Long("help") => return show(DEMO),
            other => return Err(other.unexpected().into()),
        }
    }
    demo::run(port, check).map(|()| true)
}

fn test(mut args: lexopt::Parser) -> Result<bool> {
    let (mut only, mut without) = (vec![], vec![]);
    while let Some(arg) = args.next()? {
        match arg {
            Value(step) => only.push(step.string()?),
            Long("without") => without.push(args.value()?.string()?),
            Long("list") => {
                test::STEPS.iter().for_each(|step| println!("{:10} {}", step.name, step.proves));
                return Ok(true);
            }
            Short('h') | Long("help") => return show(TEST),
            other => return Err(other.unexpected().into()),
        }
    }
    for name in only.iter().chain(&without) {
        if !test::STEPS.iter().any(|step| step.name == name) {
            return Err(lexopt::Error::from(format!("unknown step: {name}; see cargo xtask test --list")).into());
        }
    }
    let steps = test::STEPS.iter().filter(|step| only.is_empty() || only.iter().any(|name| name == step.name));
    let steps: Vec<_> = steps.filter(|step| !without.iter().any(|name| name == step.name)).collect();
    if steps.is_empty() {
        bail!("no step is left to run");
    }
    Ok(step::run_all("test", &steps, test::BESIDE, &without))
}

fn bench(mut args: lexopt::Parser) -> Result<bool> {
    let (mut name, mut save, mut against) = (None, false, None);
    while let Some(arg) = args.next()? {
        match arg {
            Value(case) if name.is_none() => name = Some(case.string()?),
            Long("save") => save = true,
            Long("against") => against = Some(PathBuf::from(args.value()?)),
            Short('h') | Long("help") => return show(BENCH),
            other => return Err(other.unexpected().into()),
        }
    }
    bench::run(name.as_deref(), save, against.as_deref()).map(|()| true)
}

fn fuzz(mut args: lexopt::Parser) -> Result<bool> {
    let (mut target, mut seconds, mut mutations) = (None, 60, None);
    while let Some(arg) = args.next()? {
        match arg {
            Value(name) if target.is_none() => target = Some(name.string()?),
            Long("seconds") => seconds = args.value()?.parse()?,
            Long("mutations") => mutations = Some(args.value()?.parse()?),
            Long("count") => return fuzz::count(&PathBuf::from(args.value()?)).map(|()| true),
            Long("list") => {
                fuzz::targets()?.iter().for_each(|name| println!("{name}"));
                return Ok(true);
            }
            Short('h') | Long("help") => return show(FUZZ),
            other => return Err(other.unexpected().into()),
        }
    }
    match mutations {
        Some(mutations) => fuzz::mutate(target.as_deref(), mutations),
        None => fuzz::run(target.as_deref(), seconds),
    }
    .map(|()| true)
}

fn size(mut args: lexopt::Parser) -> Result<bool> {
    let (mut budgets, mut image, mut name) = (false, false, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("budgets") if name.is_none() && !image => budgets = true,
            Long("image") if name.is_none() && !budgets => image = true,
            Value(program) if name.is_none() && !budgets && !image => name = Some(program.string()?),
            Short('h') | Long("help") => return show(SIZE),
            other => return Err(other.unexpected().into()),
        }
    }
    match name {
        Some(name) => size::run_some(&name),
        None if budgets => size::set_budgets(),
        None if image => size::run_image(),
        None => size::run_all(),
    }
    .map(|()| true)
}

fn wheel(mut args: lexopt::Parser) -> Result<bool> {
    let mut bench = false;
    while let Some(arg) = args.next()? {
        match arg {
            Long("bench") => bench = true,
            Short('h') | Long("help") => return show(WHEEL),
            other => return Err(other.unexpected().into()),
        }
    }
    if bench { python::bench() } else { python::wheel() }.map(|()| true)
}

fn release(mut args: lexopt::Parser) -> Result<bool> {
    let (mut dry, mut folder, mut parts) = (false, None, vec![]);
    while let Some(arg) = args.next()? {
        match arg {
            Long("dry-run") => dry = true,
            Long("build") => folder = Some(PathBuf::from(args.value()?)),
            Value(part) => parts.push(part.string()?),
            Short('h') | Long("help") => return show(RELEASE),
            other => return Err(other.unexpected().into()),
        }
    }
    match (dry, folder) {
        (true, None) => release::dry_run(&parts),
        (false, Some(folder)) => release::build(&parts, &folder),
        _ => return Err(lexopt::Error::from(format!("expected --dry-run\n\n{RELEASE}")).into()),
    }
    .map(|()| true)
}

fn deny(mut args: lexopt::Parser) -> Result<bool> {
    let mut checks = vec![];
    while let Some(arg) = args.next()? {
        match arg {
            Value(check) => checks.push(check.string()?),
            Short('h') | Long("help") => return show(DENY),
            other => return Err(other.unexpected().into()),
        }
    }
    deny::run(&checks).map(|()| true)
}

/// Runs a command that has no arguments.
fn alone(mut args: lexopt::Parser, help: &str, work: fn() -> Result<()>) -> Result<bool> {
    match args.next()? {
        None => work().map(|()| true),
        Some(Short('h') | Long("help")) => show(help),
        Some(other) => Err(other.unexpected().into()),
    }
}

fn show(text: &str) -> Result<bool> {
    println!("{text}");
    Ok(true)
}
