//! Decodes a Pco file of 64-bit integers with the reference and rayon: `pco-rayon FILE THREADS`
//! writes the numbers to standard output, little-endian.
//!
//! `FILE.starts` has the first byte of each chunk, because the format does not tell. A peer for the
//! command `unspool`.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use pco::errors::PcoError;
use pco::standalone::{DecompressorItem, FileDecompressor};
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let (file, threads) = args.next().zip(args.next()).ok_or("usage: pco-rayon FILE THREADS")?;
    let (file, threads) = (PathBuf::from(file), threads.to_str().ok_or("no number")?.parse()?);
    let starts = std::fs::read_to_string(file.with_extension("starts"))?;
    let starts = starts.lines().map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let bytes = std::fs::read(file)?;
    let (decompressor, _) = FileDecompressor::new(&bytes[..])?;
    let decode = |start: usize| -> Result<Vec<u8>, PcoError> {
        let mut numbers = vec![];
        if let DecompressorItem::Chunk(mut chunk) = decompressor.chunk_decompressor::<i64, _>(&bytes[start..])? {
            numbers.resize(chunk.n(), 0);
            chunk.read(&mut numbers)?;
        }
        Ok(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut output = std::io::stdout().lock();
    // Some chunks at a time, so that memory has a bound.
    for starts in starts.chunks(4 * threads) {
        let chunks = pool.install(|| starts.par_iter().map(|&start| decode(start)).collect::<Result<Vec<_>, _>>())?;
        chunks.iter().try_for_each(|chunk| output.write_all(chunk))?;
    }
    Ok(())
}
