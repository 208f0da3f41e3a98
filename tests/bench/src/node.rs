//! Zstandard in Node: the package against the decoders that are there for it, each in a process of its own.

use std::path::Path;
use std::process::Command;

use unspool::checksum::Crc32;

use crate::beside::Beside;
use crate::race::Race;
use crate::zstd::{KINDS, LARGE, data};
use crate::{Options, Result};

const PEERS: [&str; 3] = ["zstddec", "zstd-wasm", "fzstd"];

/// Runs every case that was asked for; how many those were.
pub fn bench(options: &Options) -> Result<usize> {
    let mut done = 0;
    for (kind, piece) in KINDS {
        for (end, size, level) in LARGE {
            let case = format!("wasm/{kind}/{end}");
            if options.wants(&case) {
                race(&case, &data(piece, size), level)?;
                done += 1;
            }
        }
    }
    Ok(done)
}

fn race(case: &str, plain: &[u8], level: i32) -> Result<()> {
    let file = std::env::temp_dir().join(format!("unspool-bench-{}.zst", std::process::id()));
    std::fs::write(&file, zstd::bulk::compress(plain, level)?)?;
    let start = |name: &str| -> Result<_> {
        let mut command = Command::new("node");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("node/zstd.mjs"));
        command.arg(name).arg(&file).arg(plain.len().to_string());
        let mut program = Beside::start(command)?;
        program.run(1)?;
        match program.crc()? == u64::from(Crc32::of(plain)) {
            true => Ok(move |times| program.run(times)),
            false => Err(format!("{name} decoded to something else").into()),
        }
    };
    let ours = start("unspool");
    let peers = PEERS.map(|name| -> Result<_> { Ok((name, start(name)?)) });
    std::fs::remove_file(&file)?;
    let mut race = Race::timed(case, plain.len(), ours?);
    for peer in peers {
        let (name, work) = peer?;
        race = race.against_timed(name, work);
    }
    race.run()
}
