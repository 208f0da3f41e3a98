//! The command `unspool` against other commands, as whole processes that write to nowhere. The tool
//! of each format writes the file.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use pco::ChunkConfig;
use pco::standalone::FileCompressor;
use unspool::checksum::Crc32;

use crate::beside::sibling;
use crate::launch::Launched;
use crate::race::Race;
use crate::scratch::Folder;
use crate::words::Words;
use crate::zstd::{KINDS, data};
use crate::{Options, Result};

/// Bytes of each output.
const SIZE: usize = 100_000_000;
/// Numbers in a Pco chunk, as the reference cuts them.
const CHUNK: usize = 1 << 18;

/// A case: the end of its name, the command that writes the file, and the commands that read it.
/// `FILE` means the file, `CORES` the number of cores. Commands without `FILE` read it from a pipe.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: [Case; 11] = [
    ("zstd", ZSTD, "unspool decode -T 1 FILE", &["zstd -dcq FILE"]),
    ("zstd-pipe", ZSTD, "unspool decode -T 1 -", &["zstd -dcq"]),
    ("zstd-frames", FRAMES, "unspool decode -T 1 FILE", &["pzstd -dcq -p 1 FILE"]),
    ("zstd-frames-threads", FRAMES, "unspool decode -T CORES FILE", &["pzstd -dcq -p CORES FILE"]),
    ("xz", XZ, "unspool decode -T 1 FILE", &["xz -dc -T 1 FILE"]),
    ("xz-threads", XZ, "unspool decode -T CORES FILE", &["xz -dc -T CORES FILE"]),
    ("xz-pipe", XZ, "unspool decode -T 1 -", &["xz -dc -T 1"]),
    ("gzip", GZIP, "unspool decode -T 1 FILE", &["gzip -dc FILE"]),
    ("gzip-pipe", GZIP, "unspool decode -T 1 -", &["gzip -dc"]),
    ("pco", PCO, "unspool decode -T 1 FILE", &["pco-rayon FILE 1"]),
    ("pco-threads", PCO, "unspool decode -T CORES FILE", &["pco-rayon FILE CORES"]),
];

const ZSTD: &str = "zstd -cq -3 FILE";
/// Several frames.
const FRAMES: &str = "pzstd -cq -3 FILE";
/// Several blocks, which threads can share.
const XZ: &str = "xz -c -1 -T CORES --block-size=8MiB FILE";
const GZIP: &str = "gzip -c FILE";
/// No command writes Pco.
const PCO: &str = "pco";

/// Runs every case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    let wanted: Vec<_> = CASES.iter().filter(|case| options.wants(&format!("process/{}", case.0))).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let folder = Folder::new()?;
    let file = folder.path().join("file");
    let (plain, text) = {
        let bytes = data(KINDS[1].1, SIZE);
        (folder.write("plain", &bytes)?, Crc32::of(&bytes))
    };
    for (name, pack, ours, peers) in wanted {
        let crc = if *pack == PCO {
            columns(&folder)?
        } else {
            let status = command(pack, &plain)?.stdout(File::create(&file)?).status()?;
            if !status.success() {
                return Err(format!("`{pack}` failed: {status}").into());
            }
            text
        };
        let launched = |line: &str| {
            let pipe = (!line.contains("FILE")).then_some(&*file);
            Launched::new(&command(line, &file)?, pipe, crc)
        };
        let race = Race::between(&format!("process/{name}"), SIZE, launched(ours)?);
        let race = peers.iter().try_fold(race, |race, peer| -> Result<Race<'_>> {
            let shown = peer.replace(" FILE", "").replace("CORES", &cores());
            Ok(race.against_other(&shown, launched(peer)?))
        })?;
        race.run_processes()?;
    }
    Ok(())
}

fn cores() -> String {
    std::thread::available_parallelism().map_or(1, usize::from).to_string()
}

/// Makes a command for a file.
fn command(line: &str, file: &Path) -> Result<Command> {
    let mut words = line.split(' ');
    let mut command = match words.next().unwrap_or_default() {
        ours @ ("unspool" | "pco-rayon") => Command::new(sibling(ours)?),
        other => Command::new(other),
    };
    for word in words {
        match word {
            "FILE" => command.arg(file),
            "CORES" => command.arg(cores()),
            word => command.arg(word),
        };
    }
    Ok(command)
}

/// Writes a Pco file of 48 chunks. Returns the CRC-32 of its output.
fn columns(folder: &Folder) -> Result<u32> {
    let mut words = Words::new();
    let mut time = 1_700_000_000_000i64;
    let numbers: Vec<i64> = (0..SIZE / size_of::<i64>())
        .map(|_| {
            time += 900 + i64::try_from(words.below(200)).unwrap_or(0);
            time
        })
        .collect();
    let compressor = FileCompressor::default().with_n_hint(numbers.len());
    let mut packed = compressor.write_header(vec![])?;
    let mut starts = String::new();
    for chunk in numbers.chunks(CHUNK) {
        starts += &format!("{}\n", packed.len());
        packed = compressor.chunk_compressor(chunk, &ChunkConfig::default())?.write(packed)?;
    }
    folder.write("file", &compressor.write_footer(packed)?)?;
    // The file does not tell where its chunks start. The peer gets to know, or it could not share
    // them between threads.
    folder.write("file.starts", starts.as_bytes())?;
    Ok(Crc32::of(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>()))
}
