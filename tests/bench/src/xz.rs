//! xz against the C library, which writes the files and decodes with assembly, and against two
//! decoders in Rust.

use std::io::Read;
use std::path::{Path, PathBuf};

use liblzma::stream::{Action, Check, Status as Ended, Stream};
use unspool::xz::{Decoder, Options as How, Workspace, decode, inspect};
use unspool::{End, Status};

use crate::race::Race;
use crate::words::{Words, sentence};
use crate::{Options, Result};

const SIZE: usize = 24_000_000;

/// Bytes in one piece of a stream.
const PIECE: usize = 64 << 10;

/// Runs every case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    for (kind, make) in [("text", text as fn() -> Vec<u8>), ("csv", csv), ("binary", binary)] {
        let [once, stream, small] = ["24M", "stream-24M", "4K"].map(|size| format!("xz/{kind}-{size}"));
        if ![&once, &stream, &small].iter().any(|name| options.wants(name)) {
            continue;
        }
        let plain = make();
        if options.wants(&once) || options.wants(&stream) {
            let case = Case::new(vec![plain.clone()])?;
            if options.wants(&once) {
                case.race(&once)?;
            }
            if options.wants(&stream) {
                case.race_stream(&stream)?;
            }
        }
        if options.wants(&small) {
            Case::new(plain.chunks(4096).step_by(30).map(<[u8]>::to_vec).collect())?.race(&small)?;
        }
    }
    Ok(())
}

/// Files and their contents.
struct Case {
    plain: Vec<Vec<u8>>,
    files: Vec<Vec<u8>>,
}

impl Case {
    fn new(plain: Vec<Vec<u8>>) -> Result<Self> {
        let files = plain.iter().map(|plain| {
            let mut file = Vec::with_capacity(plain.len() + 1024);
            let mut encoder = Stream::new_easy_encoder(6, Check::Crc64)?;
            match encoder.process_vec(plain, &mut file, Action::Finish)? {
                Ended::StreamEnd => Ok(file),
                _ => Err("the encoder did not finish".into()),
            }
        });
        Ok(Self { files: files.collect::<Result<_>>()?, plain })
    }

    /// Decodes each file with `decode`, and compares the output the first time.
    fn each(&self, mut decode: impl FnMut(&[u8], &mut [u8]) -> Result<usize>) -> impl FnMut() -> Result<()> {
        let longest = self.plain.iter().map(Vec::len).max().unwrap_or(0);
        let (mut room, mut first) = (vec![0; longest], true);
        move || {
            for (plain, file) in self.plain.iter().zip(&self.files) {
                let out = &mut room[..plain.len()];
                let len = decode(std::hint::black_box(file), out)?;
                if len != plain.len() || (first && out != plain) {
                    return Err("decoded to something else".into());
                }
            }
            first = false;
            Ok(())
        }
    }

    fn race(&self, name: &str) -> Result<()> {
        let mut ws = Workspace::new();
        Race::new(
            name,
            self.plain.iter().map(Vec::len).sum(),
            self.each(|file, out| Ok(decode(file, out, &mut ws, &How::DEFAULT, &mut ())?.wrote)),
        )
        .against("liblzma", self.each(c_library))
        .against(
            "lzma-rust2",
            self.each(|file, out| {
                let mut reader = lzma_rust2::XzReader::new(file, false);
                reader.read_exact(out)?;
                // The check comes after the last byte.
                Ok(out.len() + reader.read(&mut [0])?)
            }),
        )
        .against(
            "lzma-rs",
            self.each(|mut file, out| {
                let mut decoded = Vec::with_capacity(out.len());
                lzma_rs::xz_decompress(&mut file, &mut decoded).map_err(|error| format!("{error:?}"))?;
                out.copy_from_slice(&decoded);
                Ok(decoded.len())
            }),
        )
        .run()
    }

    /// Decodes from pieces to pieces.
    fn race_stream(&self, name: &str) -> Result<()> {
        let mut ws = Workspace::new();
        let file = self.files.first().ok_or("no file")?;
        let window = inspect(file, &mut ws, &How::DEFAULT, &mut ())?.window;
        let mut window = vec![0; usize::try_from(window)?];
        Race::new(
            name,
            self.plain.iter().map(Vec::len).sum(),
            self.each(|file, out| {
                let mut decoder = Decoder::new(&mut ws, &mut window, &How::DEFAULT);
                let (mut read, mut wrote) = (0, 0);
                loop {
                    let (to, room) = (file.len().min(read + PIECE), out.len().min(wrote + PIECE));
                    let end = if to == file.len() { End::Here } else { End::NotYet };
                    let step = decoder.step(&file[read..to], end, &mut out[wrote..room])?;
                    (read, wrote) = (read + step.read, wrote + step.wrote);
                    if step.status == Status::Done {
                        return Ok(wrote);
                    }
                }
            }),
        )
        .against(
            "liblzma",
            self.each(|file, out| {
                let mut decoder = Stream::new_stream_decoder(u64::MAX, 0)?;
                let (mut read, mut wrote) = (0, 0);
                loop {
                    let (to, room) = (file.len().min(read + PIECE), out.len().min(wrote + PIECE));
                    let ended = decoder.process(&file[read..to], &mut out[wrote..room], Action::Run)?;
                    (read, wrote) = (usize::try_from(decoder.total_in())?, usize::try_from(decoder.total_out())?);
                    if ended == Ended::StreamEnd {
                        return Ok(wrote);
                    }
                }
            }),
        )
        .run()
    }
}

fn c_library(file: &[u8], out: &mut [u8]) -> Result<usize> {
    let mut decoder = Stream::new_stream_decoder(u64::MAX, 0)?;
    match decoder.process(file, out, Action::Finish)? {
        Ended::StreamEnd => Ok(usize::try_from(decoder.total_out())?),
        _ => Err("the C library did not finish".into()),
    }
}

/// Returns the sources of the crates on this machine, or generated sentences.
fn text() -> Vec<u8> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let mut all = vec![];
    if let Some(home) = home {
        gather(&home.join("registry/src"), "rs", &mut all);
    }
    let (mut words, mut made) = (Words::new(), String::new());
    while all.len() + made.len() < SIZE {
        sentence(&mut words, &mut made);
        made.push('\n');
    }
    all.extend(made.bytes());
    all.truncate(SIZE);
    all
}

/// Returns the compiler's own libraries, or the bench itself.
fn binary() -> Vec<u8> {
    let sysroot = std::process::Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = sysroot.ok().and_then(|said| String::from_utf8(said.stdout).ok());
    let mut all = vec![];
    if let Some(sysroot) = sysroot {
        gather(&Path::new(sysroot.trim()).join("lib"), "so", &mut all);
    }
    if all.is_empty() {
        all = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    }
    // The first megabytes of a library are tables.
    let start = if all.len() > 3 * SIZE { 2 * SIZE } else { 0 };
    all.drain(..start);
    all.truncate(SIZE);
    all
}

/// Appends files with this ending, folder by folder in order of name, up to `4 * SIZE` bytes.
fn gather(folder: &Path, ending: &str, all: &mut Vec<u8>) {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if all.len() >= 4 * SIZE {
            return;
        }
        if path.is_dir() {
            gather(&path, ending, all);
        } else if path.extension().is_some_and(|found| found == ending) {
            all.extend(std::fs::read(&path).unwrap_or_default());
        }
    }
}

/// Returns trades: an increasing time, one of a few names, wandering prices, amounts.
fn csv() -> Vec<u8> {
    let mut words = Words::new();
    let (mut all, mut time, mut price) =
        (String::from("id,time,symbol,side,price,amount,note\n"), 1_700_000_000_000u64, 50_000);
    let symbols = ["BTC-USD", "ETH-USD", "SOL-EUR", "ADA-EUR", "DOGE-USD", "XRP-USD"];
    let mut id = 0;
    while all.len() < SIZE {
        id += 1;
        time += words.below(3000) as u64;
        price = (price + words.below(41)).saturating_sub(20).max(100);
        let (symbol, side) = (words.pick(&symbols), words.pick(&["buy", "sell"]));
        let (cents, amount, note) = (words.below(100), words.below(1_000_000), words.word().to_owned());
        all += &format!("{id},{time},{symbol},{side},{price}.{cents:02},0.{amount:06},{note}\n");
    }
    all.truncate(SIZE);
    all.into_bytes()
}
