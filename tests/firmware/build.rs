//! Writes the memory map of the emulated device for the linker.

use std::path::PathBuf;
use std::{env, fs};

/// micro:bit: an nRF51822 with a Cortex-M0 and 256 KiB of flash. The emulator has 64 KiB of RAM,
/// because xz needs 32. `cargo xtask test firmware` limits all other programs to the 16 KiB of the
/// real device.
const MICROBIT: &str = "MEMORY
{
  FLASH : ORIGIN = 0x00000000, LENGTH = 256K
  RAM   : ORIGIN = 0x20000000, LENGTH = 64K
}
";

/// MPS2 with the image AN386: a Cortex-M4F with 4 MiB of flash and of RAM. RAM is cut to that of a
/// large microcontroller.
const MPS2_AN386: &str = "MEMORY
{
  FLASH : ORIGIN = 0x00000000, LENGTH = 4M
  RAM   : ORIGIN = 0x20000000, LENGTH = 256K
}
";

/// Puts the files under test into a section of their own, to measure code without them.
const FILES: &str = "SECTIONS
{
  .files : ALIGN(4) { KEEP(*(.files)); . = ALIGN(4); } > FLASH
} INSERT AFTER .rodata;
";

fn main() {
    let memory = match env::var("TARGET").unwrap().as_str() {
        "thumbv6m-none-eabi" => MICROBIT,
        "thumbv7em-none-eabihf" => MPS2_AN386,
        other => panic!("no emulated device for {other}"),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::write(out.join("memory.x"), format!("{memory}{FILES}")).unwrap();
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=build.rs");
}
