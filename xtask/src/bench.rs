//! Compares speed with other decoders.

mod results;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::sh::{Cmd, cmd, has, root};
use crate::{install, peers, wasm};
use results::{Row, Run};

/// The requirements file that pins numpy.
const REQUIREMENTS: &str = "tests/bench/requirements.txt";

/// Decoders for Node that the package is compared with.
const NODE: &str = "tests/bench/node";

/// The folder of saved results.
const RESULTS: &str = "docs/bench";

/// Builds the bench and runs the cases whose names contain `name`, or all. Saves the results and
/// compares them with those in a file, if asked to.
///
/// Each group of cases is a process of its own: memory that a peer does not free ends with it.
pub fn run(name: Option<&str>, save: bool, against: Option<&Path>) -> Result<()> {
    // First, because a wrong file should not cost a run.
    let before = against.map(|file| {
        let csv = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        results::read(&csv).with_context(|| format!("{} is no file of the bench", file.display()))
    });
    let before = before.transpose()?;
    let now = this_run()?;
    let (mut rows, mut failed) = (vec![], vec![]);
    let groups = build(name)?;
    println!("\nMB/s of decoded output, the ratio, and the peak memory of both in MiB.\n");
    println!("{:34} | {:>9} | {:>34} | {:>6} | {:>6} | {:>6}", "case", "unspool", "peer", "ratio", "MiB", "peer");
    println!("{:-<34}-|-{:->9}-|-{:->34}-|-{:->6}-|-{:->6}-|-{:->6}", "", "", "", "", "", "");
    for (group, command) in groups {
        if let Err(error) = command.lines(|line| measured(line, &mut rows)) {
            println!("{group}: {error:#}");
            failed.push(group);
        }
    }
    ensure!(!rows.is_empty() || !failed.is_empty(), "no case is called {}", name.unwrap_or_default());
    if save && !rows.is_empty() {
        let file = root().join(RESULTS).join(format!("{}-{}.csv", now.date, now.commit));
        std::fs::create_dir_all(root().join(RESULTS))?;
        // Groups of one commit and day may run at different times.
        let mut all = if file.exists() { results::read(&std::fs::read_to_string(&file)?)?.1 } else { vec![] };
        all.retain(|saved| rows.iter().all(|row| row.case != saved.case));
        all.extend_from_slice(&rows);
        std::fs::write(&file, results::write(&now, &all))
            .with_context(|| format!("cannot write {}", file.display()))?;
        println!("\nsaved {}", file.display());
    }
    if let Some((then, before)) = before {
        println!("\nratios of {} ({}) and now, the largest loss first\n", then.date, then.commit);
        print!("{}", results::compare(&before, &rows));
        if (&then.cpu, &then.cores) != (&now.cpu, &now.cores) {
            println!("the machine differs: {}, {} cores, and {}, {} cores", then.cpu, then.cores, now.cpu, now.cores);
        }
    }
    match &failed[..] {
        [] => Ok(()),
        groups => bail!("no or not all results of {}", groups.join(", ")),
    }
}

/// Takes a line of the bench: a result, which becomes a line of the table, or a fact about a case.
fn measured(line: &str, rows: &mut Vec<Row>) -> Result<()> {
    let Some(result) = line.strip_prefix("result\t") else {
        println!("{line}");
        return Ok(());
    };
    let row = Row::from_line(result).with_context(|| format!("the bench printed `{line}`"))?;
    let mib = |kib: Option<u64>| kib.map_or_else(|| "?".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0));
    let peer = format!("{} {:.0}", row.peer, row.theirs);
    let (ours, theirs) = (mib(row.unspool_peak), mib(row.peer_peak));
    println!("{:34} | {:>9.0} | {peer:>34} | {:>5.2}x | {ours:>6} | {theirs:>6}", row.case, row.unspool, row.ratio);
    rows.push(row);
    Ok(())
}

/// Returns the version and the machine of this run.
fn this_run() -> Result<Run> {
    let said = |line: &str| cmd(line).answer().filter(|text| !text.is_empty());
    let cpu = || {
        let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let model = info.lines().find_map(|line| line.strip_prefix("model name"))?;
        Some(model.trim_start_matches([' ', '\t', ':']).to_owned())
    };
    let cpu = cpu().or_else(|| said("sysctl -n machdep.cpu.brand_string"));
    Ok(Run {
        date: said("date -u +%F").context("`date -u +%F` does not answer")?,
        commit: said("git describe --always --dirty --exclude=*").context("git does not answer")?,
        cpu: cpu.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        cores: std::thread::available_parallelism()?.to_string(),
    })
}

/// Builds what these cases need. Returns the name and the command of each group.
fn build(name: Option<&str>) -> Result<Vec<(String, Cmd)>> {
    let python = python()?;
    // What the cases of some groups need takes long to build, so it is built for their names only.
    let asked = |group| name.is_none_or(|name| name.starts_with(group));
    if asked("wasm") {
        wasm::build_package()?;
        install::node_modules(NODE)?;
        reference()?;
    }
    if asked("process") {
        install::decoders()?;
        cmd("cargo build --locked --release -p unspool-cli").run()?;
    }
    let cargo = cmd("cargo build --locked --release -p unspool-bench");
    if cfg!(unix) {
        // The AT-1 reference is C and includes the headers of system libraries. It gets the headers
        // of the crates that the other peers are built from.
        let headers = headers(&[("zstd-sys", "zstd/lib"), ("liblzma-sys", "xz/src/liblzma/api")])?;
        cargo.args("--features at1-reference").env("C_INCLUDE_PATH", headers).env("AT1_CC", "cc").run()?;
    } else {
        cargo.run()?;
    }
    let program = || cmd(&root().join("target/release/unspool-bench").display().to_string());
    let groups = program().arg("groups").answer().context("the bench does not start")?;
    let command = |group: &str| program().arg(group).arg(&python).arg(name.unwrap_or(""));
    Ok(groups.lines().map(|group| (group.to_owned(), command(group))).collect())
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
