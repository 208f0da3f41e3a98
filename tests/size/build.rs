//! Writes the memory map of the emulated machine for the linker: with far more memory than a device
//! has, so that peers with a heap fit.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    // Addresses of code and data.
    let (code, data) = match env::var("TARGET").unwrap().as_str() {
        "thumbv6m-none-eabi" | "thumbv7em-none-eabihf" => ("0x00000000", "0x20000000"),
        "riscv32imc-unknown-none-elf" => ("0x80000000", "0x80400000"),
        _ => return,
    };
    let map = format!(
        "ENTRY(reset)
MEMORY {{ CODE : ORIGIN = {code}, LENGTH = 4M  DATA : ORIGIN = {data}, LENGTH = 4M }}
SECTIONS {{
  .text   : {{ KEEP(*(.vectors)) *(.text .text.*) }} > CODE
  .rodata : {{ *(.rodata .rodata.* .srodata .srodata.*) }} > CODE
  .files  : {{ *(.files) }} > CODE
  .data   : {{ *(.data .data.* .sdata .sdata.*) }} > DATA
  .bss (NOLOAD) : {{ *(.bss .bss.* .sbss .sbss.* COMMON) . = ALIGN(16); }} > DATA
  stack_low = .;
  stack_top = ORIGIN(DATA) + LENGTH(DATA);
  /DISCARD/ : {{ *(.ARM.exidx*) *(.ARM.extab*) *(.eh_frame*) }}
}}
"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::write(out.join("size.ld"), map).unwrap();
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=UNSPOOL_PEERS");
    // `cargo xtask size` builds them. Without it, clippy can check the programs, but nothing links.
    if let Ok(peers) = env::var("UNSPOOL_PEERS") {
        for name in ["zstd", "liblzma", "xz_embedded", "miniz", "uzlib", "tamp", "heatshrink"] {
            println!("cargo:rustc-link-arg-bin=peer_c_{name}={peers}/lib{name}.a");
            // Helpers that the C compiler calls for a `switch`.
            println!("cargo:rustc-link-arg-bin=peer_c_{name}={peers}/libgcc.a");
            println!("cargo:rerun-if-changed={peers}/lib{name}.a");
        }
    }
}
