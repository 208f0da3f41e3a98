//! Decoding with the core alone, one chunk after another into the same buffers.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use unspool::cvc::{Header, Plan};
use unspool::pco::{Chunk, Latent, Plan as Pages};
use unspool::{Limits, Verify, cvc, pco};

use crate::Result;
use crate::files::DIMENSION;

/// Decodes a CVC file on some threads, each its part of the rows. Reads each chunk before it is
/// decoded.
pub fn vectors(path: &Path, threads: usize) -> Result<()> {
    let mut source = File::open(path)?;
    let mut head = vec![0; Header::LEN];
    source.read_exact(&mut head)?;
    head.resize(usize::try_from(Header::read(&head, &Limits::DEFAULT)?.head_len())?, 0);
    source.read_exact(head.get_mut(Header::LEN..).unwrap_or_default())?;
    let file = cvc::File::open(&head, &Limits::DEFAULT)?;
    let column = file.only_column()?;
    let rows = file.num_vectors();
    std::thread::scope(|scope| {
        let part = |i: usize| rows * i as u64 / threads as u64;
        let workers: Vec<_> =
            (0..threads).map(|i| scope.spawn(move || part_of_vectors(path, &column, part(i)..part(i + 1)))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread ended early")?)
    })
}

fn part_of_vectors(path: &Path, column: &cvc::Column<'_>, rows: Range<u64>) -> Result<()> {
    let mut source = File::open(path)?;
    let mut plan: Plan<'_> = column.plan(rows)?;
    let (mut buffer, mut values) = (vec![], vec![0f32; 1000 * DIMENSION]);
    while let Some(range) = plan.needs() {
        buffer.resize(usize::try_from(range.end - range.start)?, 0);
        source.seek(SeekFrom::Start(range.start))?;
        source.read_exact(&mut buffer)?;
        let Some(payload) = plan.feed(range.start, &buffer, Verify::Refuse)? else { continue };
        let values = values.get_mut(..payload.len()).ok_or("expected chunks of 1000 rows")?;
        payload.decode(std::hint::black_box(values))?;
    }
    Ok(())
}

/// Decodes a Pco file of numbers of 64 bits. Reads all of it first, into the buffer. Returns how
/// many there are.
pub fn numbers(path: &Path, buffer: &mut Vec<u8>) -> Result<usize> {
    buffer.clear();
    File::open(path)?.read_to_end(buffer)?;
    let file = pco::File::open(buffer, &Limits::DEFAULT)?;
    let (mut chunk, mut at) = (Chunk::new(), file.first());
    let (mut bits, mut workspace): (Vec<u64>, Vec<u64>) = (vec![], vec![]);
    let mut count = 0;
    while chunk.open(&file, at, &mut ())? {
        bits.resize(bits.len().max(chunk.len), 0);
        let need = usize::try_from(chunk.workspace_len(Pages::Whole))?;
        workspace.resize(workspace.len().max(need), 0);
        at = decode(&chunk, bits.get_mut(..chunk.len).unwrap_or_default(), &mut workspace)?;
        count += chunk.len;
    }
    Ok(count)
}

fn decode<L: Latent>(chunk: &Chunk<'_>, bits: &mut [L], workspace: &mut [u64]) -> Result<u64> {
    Ok(chunk.decode_bits(std::hint::black_box(bits), workspace, &mut ())?)
}
