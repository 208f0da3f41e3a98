//! Counts how often each bin of a Pco chunk is used.

use alloc::vec;
use alloc::vec::Vec;

use unspool::pco::{File, Plan, Role};
use wasm_bindgen::prelude::*;

use super::silent;
use crate::fault::Fault;
use crate::number;

/// Returns the number of latents in each bin of a variable of a chunk, counted from 0. Empty if the
/// file has no such chunk, or the chunk no such variable.
#[wasm_bindgen]
pub fn pco_count_bins(bytes: &[u8], chunk: f64, variable: &str, limits: &[f64]) -> Result<Vec<u32>, Fault> {
    let roles = [Role::Lookback, Role::Primary, Role::Secondary];
    let Some(role) = roles.into_iter().find(|role| role.name() == variable) else { return Ok(vec![]) };
    let (limits, silent, mut words, mut counts) = (crate::limits(limits), &mut silent(), vec![], vec![]);
    let mut file = File::new();
    file.read(bytes, &limits, silent)?;
    let mut at = file.first();
    for _ in 0..=number::to_u64(chunk) {
        let Some(found) = file.chunk(at, silent)? else { return Ok(vec![]) };
        let variable = found.meta.variables.iter().flatten().find(|variable| variable.role == role);
        counts.resize(variable.map_or(0, |variable| number::index(variable.bins.into())), 0);
        words.resize(number::index(found.workspace_len(Plan::CompactWhole)), 0);
        at = found.count_bins(role, &mut counts, &mut words)?;
    }
    Ok(counts)
}
