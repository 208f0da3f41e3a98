//! The npm package against other decoders in Node, all in one process: processes differ more in
//! speed than the decoders do.

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;

use unspool::pco::NumberType;

use crate::beside::{Beside, Waiting};
use crate::race::Race;
use crate::scratch::Folder;
use crate::zstd::{KINDS, LARGE, data};
use crate::{Options, Result};

/// Runs every Zstandard case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    let peers = ["zstddec", "zstd-wasm", "fzstd"];
    for (kind, piece) in KINDS {
        for (end, size, level) in LARGE {
            let case = format!("wasm/zstd/{kind}/{end}");
            if options.wants(&case) {
                let plain = data(piece, size);
                let frame = zstd::bulk::compress(&plain, level)?;
                race(&case, "zstd.mjs", &peers, &frame, &plain, &plain.len().to_string())?;
            }
        }
    }
    Ok(())
}

/// Compares the package with the Pco reference, compiled for WebAssembly. `plain` holds the
/// numbers, little-endian.
pub fn pco(case: &str, file: &[u8], ty: NumberType, plain: &[u8]) -> Result<()> {
    race(case, "pco.mjs", &["reference"], file, plain, &(ty as u8).to_string())
}

/// Runs a script with our decoder and each peer. Its arguments are the file and further settings.
fn race(case: &str, script: &str, peers: &[&'static str], file: &[u8], plain: &[u8], more: &str) -> Result<()> {
    let folder = Folder::new()?;
    let mut command = Command::new("node");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("node").join(script));
    command.arg(folder.write("file", file)?).arg(more);
    let program = RefCell::new(Beside::start(command)?);
    ["unspool"].iter().chain(peers).try_for_each(|name| program.borrow_mut().check(name, plain))?;
    let contestant = |who| Waiting { program: &program, who };
    let race = Race::between(case, plain.len(), contestant("unspool"));
    peers.iter().fold(race, |race, name| race.against_other(name, contestant(name))).run()
}
