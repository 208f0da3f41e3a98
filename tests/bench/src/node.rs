//! The package in Node against the decoders that are there for it, all in one process: what a process gets of the machine differs more than
//! the decoders do.

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;

use unspool::checksum::Crc32;
use unspool::pco::NumberType;

use crate::beside::Beside;
use crate::race::Race;
use crate::zstd::{KINDS, LARGE, data};
use crate::{Options, Result};

/// Runs every case of Zstandard that was asked for; how many those were.
pub fn bench(options: &Options) -> Result<usize> {
    let peers = ["zstddec", "zstd-wasm", "fzstd"];
    let mut done = 0;
    // `cargo xtask bench` builds the package for these names alone.
    if !options.filter.is_empty() && !options.filter.starts_with("wasm") {
        return Ok(done);
    }
    for (kind, piece) in KINDS {
        for (end, size, level) in LARGE {
            let case = format!("wasm/zstd/{kind}/{end}");
            if options.wants(&case) {
                let plain = data(piece, size);
                let frame = zstd::bulk::compress(&plain, level)?;
                race(&case, "zstd.mjs", &peers, &frame, &plain, &plain.len().to_string())?;
                done += 1;
            }
        }
    }
    Ok(done)
}

/// Races the package on a file of Pco against the reference, compiled for WebAssembly. `plain` are its numbers, in little-endian order.
pub fn pco(case: &str, file: &[u8], ty: NumberType, plain: &[u8]) -> Result<()> {
    race(case, "pco.mjs", &["reference"], file, plain, &(ty as u8).to_string())
}

/// Runs a script that has ours and each peer: it is told the file, and what else it has to know.
fn race(case: &str, script: &str, peers: &[&'static str], file: &[u8], plain: &[u8], more: &str) -> Result<()> {
    let path = std::env::temp_dir().join(format!("unspool-bench-{}", std::process::id()));
    std::fs::write(&path, file)?;
    let mut command = Command::new("node");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("node").join(script)).arg(&path).arg(more);
    let program = RefCell::new(Beside::start(command)?);
    let checked = ["unspool"].iter().chain(peers).try_for_each(|name| -> Result<()> {
        let mut program = program.borrow_mut();
        program.run(name, 1)?;
        match program.crc()? == u64::from(Crc32::of(plain)) {
            true => Ok(()),
            false => Err(format!("{name} decoded to something else").into()),
        }
    });
    std::fs::remove_file(&path)?;
    checked?;
    let contestant = |name: &'static str| {
        let program = &program;
        move |times| program.borrow_mut().run(name, times)
    };
    let race = Race::timed(case, plain.len(), contestant("unspool"));
    peers.iter().fold(race, |race, name| race.against_timed(name, contestant(name))).run()
}
