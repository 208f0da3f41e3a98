//! The bits of the latents of a Pco chunk, for display.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use unspool::pco::{Chunk, File, LatentBits, Plan, Role};
use unspool::{Limits, Result};
use wasm_bindgen::prelude::*;

use super::silent;
use crate::fault::Fault;
use crate::number;

/// Returns the number of latents in each bin of a variable of a chunk, counted from 0. Empty if the
/// file has no such chunk, or the chunk no such variable.
#[wasm_bindgen]
pub fn pco_count_bins(
    bytes: &[u8],
    chunk: f64,
    variable: &str,
    limits: &[f64],
) -> core::result::Result<Vec<u32>, Fault> {
    let roles = [Role::Lookback, Role::Primary, Role::Secondary];
    let Some(role) = roles.into_iter().find(|role| role.name() == variable) else { return Ok(vec![]) };
    let (file, mut counts) = (open(bytes, &crate::limits(limits))?, vec![]);
    let mut at = file.first();
    for _ in 0..=number::to_u64(chunk) {
        let Some(found) = file.chunk(at, &mut silent())? else { return Ok(vec![]) };
        counts.clear();
        counts.resize(found.meta.variable(role).map_or(0, |variable| number::index(variable.bins.into())), 0);
        at = found.each_latent(&mut words(&found), &mut |latent| {
            if let (true, Some(count)) = (latent.role == role, counts.get_mut(latent.bin)) {
                *count = u32::saturating_add(*count, 1);
            }
        })?;
    }
    Ok(counts)
}

/// Returns the latents of the chunk at this offset that are for the numbers from `start` to `end`,
/// or with `by_bits`, that have any of these bits of the file. Each is seven numbers: variable,
/// number, bin, start and end of the bits of its symbol, and of its offset. Empty if no chunk
/// starts there.
#[wasm_bindgen]
pub fn pco_latents(
    bytes: &[u8],
    at: f64,
    by_bits: bool,
    start: f64,
    end: f64,
    limits: &[f64],
) -> core::result::Result<Vec<f64>, Fault> {
    let file = open(bytes, &crate::limits(limits))?;
    let Some(chunk) = file.chunk(number::to_u64(at), &mut silent())? else { return Ok(vec![]) };
    let (start, end, mut found) = (number::to_u64(start), number::to_u64(end), vec![]);
    let has = |bits: &Range<u64>| bits.start < end && bits.end > start;
    chunk.each_latent(&mut words(&chunk), &mut |latent| {
        let LatentBits { role, number, bin, symbol, offset } = latent;
        let place = u64::try_from(*number).unwrap_or(u64::MAX);
        let wanted = if by_bits { has(symbol) || has(offset) } else { (start..end).contains(&place) };
        if wanted {
            let bin = u64::try_from(*bin).unwrap_or(u64::MAX);
            let all = [*role as u64, place, bin, symbol.start, symbol.end, offset.start, offset.end];
            found.extend(all.map(number::from_u64));
        }
    })?;
    Ok(found)
}

fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<File<'a>> {
    let mut file = File::new();
    file.read(bytes, limits, &mut silent())?;
    Ok(file)
}

/// Allocates a workspace for the latents of a chunk.
fn words(chunk: &Chunk<'_>) -> Vec<u64> {
    vec![0; number::index(chunk.workspace_len(Plan::CompactWhole))]
}
