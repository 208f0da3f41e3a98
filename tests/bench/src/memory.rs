//! The memory of a process, as Linux counts it.

use crate::Result;

/// Does the work and returns the most memory that was resident in a process meanwhile, in KiB.
/// `None` if this system does not tell.
pub fn peak_of(process: u32, work: impl FnOnce() -> Result<()>) -> Result<Option<u64>> {
    // Makes the highest value so far the current one. Costs no page fault later.
    let reset = std::fs::write(format!("/proc/{process}/clear_refs"), "5").is_ok();
    work()?;
    Ok(highest(process).filter(|_| reset))
}

/// Returns the most memory that has been resident in a process, in KiB.
fn highest(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
