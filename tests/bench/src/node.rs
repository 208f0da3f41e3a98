//! The npm package against other decoders in Node, all in one process: processes differ more in
//! speed than the decoders do.

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;

use unspool::checksum::Crc32;
use unspool::pco::NumberType;

use crate::beside::Beside;
use crate::race::Race;
use crate::zstd::{KINDS, LARGE, data};
use crate::{Options, Result};

/// Runs every Zstandard case that was asked for. Returns their number.
pub fn bench(options: &Options) -> Result<usize> {
    let peers = ["zstddec", "zstd-wasm", "fzstd"];
    let mut done = 0;
    // `cargo xtask bench` builds the package for these names only.
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

/// Compares the package with the Pco reference, compiled for WebAssembly. `plain` holds the
/// numbers, little-endian.
pub fn pco(case: &str, file: &[u8], ty: NumberType, plain: &[u8]) -> Result<()> {
    race(case, "pco.mjs", &["reference"], file, plain, &(ty as u8).to_string())
}

/// Runs a script with our decoder and each peer. Its arguments are the file and further settings.
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
