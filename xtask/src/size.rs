//! What each format weighs on each device.

use anyhow::Result;

use crate::firmware::{DEVICES, PROFILES, build, programs, run};
use crate::install;

/// Builds, runs and weighs every firmware program.
pub fn run_all() -> Result<()> {
    install::qemu()?;
    let mut rows = vec![];
    for device in &DEVICES {
        install::target(device.target)?;
        for (profile, level) in PROFILES {
            build(device, profile)?;
            for name in programs()? {
                let weight = run(device, profile, &name)?;
                rows.push(format!(
                    "| {name} | {} | {level} | {} | {} | {} |",
                    device.name, weight.flash, weight.ram, weight.stack
                ));
            }
        }
    }
    rows.sort();
    println!(
        "\nBytes of each program of tests/firmware, its start-up code and test included, the files under test not:\n"
    );
    println!(
        "| program | device | opt-level | flash | static RAM | stack |\n|---|---|---|---|---|---|\n{}",
        rows.join("\n")
    );
    Ok(())
}
