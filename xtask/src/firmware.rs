//! Builds the programs of `tests/firmware`, proves that none can reach a panic, and runs them in
//! QEMU.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::install::{self, CORTEX_M0, CORTEX_M4F, RISCV32};
use crate::sh::{Outcome, cmd, root};

const FOLDER: &str = "tests/firmware";
/// The program that must not link, and the symbol that the linker must report as missing.
const BAD: (&str, &str) = ("must_not_link", "a_panic_is_reachable");
/// The time limit of a program. Every one finishes within seconds, even emulated.
const PATIENCE: Duration = Duration::from_secs(120);

/// A device: its name, its Rust target, and its QEMU machine.
pub struct Device {
    pub name: &'static str,
    pub target: &'static str,
    pub machine: &'static str,
    /// The prefix of its GNU tools, and flags that select the device.
    pub tools: &'static str,
    pub flags: &'static str,
    /// Bytes of memory in the smallest variant of the device.
    pub flash: u32,
    pub ram: u32,
    /// The emulator, and options that set its memory to the sizes in tests/firmware/build.rs.
    pub emulator: &'static str,
    pub settings: &'static str,
}

impl Device {
    /// Returns `true` for a device that gets the smallest tables.
    pub fn is_small(&self) -> bool {
        matches!(self.target, CORTEX_M0 | RISCV32)
    }

    /// Runs a program in the emulator, with semihosting as its only output.
    pub fn run(&self, program: &Path) -> Result<Outcome> {
        cmd(self.emulator)
            .args("-nographic -monitor none -serial none -semihosting-config enable=on,target=native -M")
            .arg(self.machine)
            .args(self.settings)
            .arg("-kernel")
            .arg(program)
            .outcome(PATIENCE)
    }

    /// Returns the bytes of RAM for a program: of the smallest variant of the device, or of the
    /// largest if the program needs it.
    pub fn ram_for(&self, name: &str) -> u32 {
        if LARGE.contains(&name) { self.ram.max(64 << 10) } else { self.ram }
    }
}

/// The prefix of the tools of GCC for bare ARM devices.
const ARM_TOOLS: &str = "arm-none-eabi-";

pub const DEVICES: [Device; 2] = [
    Device {
        name: "Cortex-M0",
        target: CORTEX_M0,
        machine: "microbit",
        tools: ARM_TOOLS,
        flags: "-mcpu=cortex-m0 -mthumb",
        flash: 256 << 10,
        ram: 16 << 10,
        emulator: "qemu-system-arm",
        settings: "-global nrf51-soc.sram-size=65536",
    },
    Device {
        name: "Cortex-M4F",
        target: CORTEX_M4F,
        machine: "mps2-an386",
        tools: ARM_TOOLS,
        flags: "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
        flash: 4 << 20,
        ram: 256 << 10,
        emulator: "qemu-system-arm",
        settings: "",
    },
];

/// A Cortex-M23, which links archives for a Cortex-M0. The emulator has none: programs run on a
/// Cortex-M55, which has all of its instructions.
pub const CORTEX_M23: Device = Device {
    name: "Cortex-M23",
    target: CORTEX_M0,
    machine: "mps3-an547",
    tools: ARM_TOOLS,
    flags: "-mcpu=cortex-m23 -mthumb",
    flash: 512 << 10,
    ram: 64 << 10,
    emulator: "qemu-system-arm",
    settings: "",
};

/// A RISC-V of the size of an ESP32-C3. Programs in C run on it.
pub const RISCV: Device = Device {
    name: "RISC-V",
    target: RISCV32,
    machine: "virt",
    tools: "riscv64-unknown-elf-",
    flags: "-march=rv32imc -mabi=ilp32 -Wl,--defsym=flash_start=0x80000000",
    flash: 4 << 20,
    ram: 384 << 10,
    emulator: "qemu-system-riscv32",
    settings: "-bios none",
};

/// Programs in Rust or C that need more RAM than the smallest variant of a device has.
const LARGE: [&str; 5] = ["at1", "lzma", "traits", "xz", "zstd_rest"];

/// Cargo profiles, and the optimisation level of each.
pub const PROFILES: [(&str, &str); 2] = [("release", "z"), ("fast", "3")];

/// Runs every program on every device, optimised for size and for speed.
pub fn test() -> Result<()> {
    install::qemu()?;
    let names = programs()?;
    for device in &DEVICES {
        install::target(device.target)?;
        gate_works(device)?;
        for (profile, _) in PROFILES {
            build(device, profile)?;
            for name in &names {
                run(device, profile, name)?;
            }
        }
    }
    Ok(())
}

/// Returns the programs: one for each file in `src/bin`, except the one that must fail.
pub fn programs() -> Result<Vec<String>> {
    let mut names = vec![];
    for entry in std::fs::read_dir(root().join(FOLDER).join("src/bin"))? {
        names.extend(entry?.path().file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.retain(|name| name != BAD.0);
    names.sort();
    ensure!(!names.is_empty(), "no programs in {FOLDER}/src/bin");
    Ok(names)
}

/// Builds every program. If a panic is reachable, the link fails and the error names its source
/// line.
pub fn build(device: &Device, profile: &str) -> Result<()> {
    let Err(error) = cargo(device, profile).arg("--bins").run() else { return Ok(()) };
    // With a panic handler that exists, the programs link and contain the locations of exactly the
    // panics that they can reach.
    println!("    looking for reachable panics");
    if cargo(device, profile).args("--bins --features open").run().is_err() {
        return Err(error);
    }
    let mut found = vec![];
    for name in programs()? {
        let bytes = std::fs::read(binary(device, profile, &name))?;
        found.extend(panics(&object::File::parse(&*bytes)?)?.into_iter().map(|place| format!("{name}: {place}")));
    }
    Err(error.context(format!("reachable panics, for {} at {profile}:\n{}\n", device.name, found.join("\n"))))
}

/// Returns the source locations in a program. A `core::panic::Location` holds the address and
/// length of a file name, a line and a column. Only panics need them.
fn panics(file: &object::File<'_>) -> Result<Vec<String>> {
    let section = file.section_by_name(".rodata").context("no .rodata")?;
    let (data, base) = (section.data()?, section.address());
    let word = |at: usize| data.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let mut places = vec![];
    for at in (0..data.len()).step_by(4) {
        let (Some(address), Some(len), Some(line), Some(column)) =
            (word(at), word(at + 4), word(at + 8), word(at + 12))
        else {
            break;
        };
        let start = u64::from(address).checked_sub(base).and_then(|start| usize::try_from(start).ok());
        let name = start.and_then(|start| data.get(start..)?.get(..usize::try_from(len).ok()?));
        let name = name.and_then(|name| std::str::from_utf8(name).ok()).filter(|name| name.ends_with(".rs"));
        if let Some(name) = name.filter(|_| (1..100_000).contains(&line) && (1..1000).contains(&column)) {
            let name = name.strip_prefix(&format!("{}/", root().display())).unwrap_or(name);
            places.push(format!("{name}:{line}:{column}"));
        }
    }
    places.sort();
    Ok(places)
}

/// Checks the symbols of a program and runs it.
fn run(device: &Device, profile: &str, name: &str) -> Result<()> {
    let path = binary(device, profile, name);
    let (flash, ram) = weigh(&path)?;
    let outcome = device.run(&path)?;
    let said = outcome.stdout.trim();
    println!("    {} -{profile}: {said}; flash {flash}, RAM {ram}", device.name);
    ensure!(outcome.success, "{name} on {} failed: {said} {}", device.name, outcome.stderr.trim());
    let stack = stack_of(said).with_context(|| format!("{name} printed no stack: {said}"))?;
    ensure!(said.contains(": ok, "), "{name} did not say that it is right: {said}");
    ensure!(stack > 0, "{name} measured no stack");
    let room = device.ram_for(name);
    ensure!(ram + stack <= u64::from(room), "{name} needs more than the {room} bytes of RAM of a {}", device.name);
    Ok(())
}

/// Reads the stack high-water mark from the output of a program.
pub fn stack_of(said: &str) -> Option<u64> {
    said.rsplit("stack high-water ").next()?.strip_suffix(" bytes")?.parse().ok()
}

/// Checks the gate: a program with one unbounded index must fail to link, for this reason only.
fn gate_works(device: &Device) -> Result<()> {
    let outcome =
        cargo(device, "release").args("--features gate --bin").arg(BAD.0).outcome(Duration::from_secs(600))?;
    ensure!(!outcome.success, "{} linked: the panic gate is open", BAD.0);
    let missing = format!("undefined symbol: {}", BAD.1);
    ensure!(outcome.stderr.contains(&missing), "{} failed for another reason:\n{}", BAD.0, outcome.stderr);
    println!("    {} does not link, as it must", BAD.0);
    Ok(())
}

/// Returns the flash and RAM of a program. Fails if it contains a symbol of the panic machinery.
fn weigh(path: &Path) -> Result<(u64, u64)> {
    let bytes = std::fs::read(path).with_context(|| format!("{} is missing", path.display()))?;
    let file = object::File::parse(&*bytes)?;
    let mut symbols = 0;
    for symbol in file.symbols() {
        let name = symbol.name()?;
        symbols += usize::from(!name.is_empty());
        // Both mangling schemes of Rust spell `core::panicking` as `9panicking`.
        if name.contains("9panicking") || name.contains("rust_begin_unwind") {
            bail!("{} holds {name}", path.display());
        }
    }
    ensure!(symbols > 10, "{} has no symbols to check", path.display());
    let (mut flash, mut ram) = (0, 0);
    for section in file.sections() {
        let size = section.size();
        match section.name()? {
            ".vector_table" | ".text" | ".rodata" => flash += size,
            ".data" => (flash, ram) = (flash + size, ram + size),
            ".bss" | ".uninit" => ram += size,
            _ => {}
        }
    }
    Ok((flash, ram))
}

fn cargo(device: &Device, profile: &str) -> crate::sh::Cmd {
    cmd("cargo build --locked").dir(FOLDER).arg("--target").arg(device.target).arg("--profile").arg(profile)
}

fn binary(device: &Device, profile: &str, name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join(FOLDER).join("target"), PathBuf::from);
    target.join(device.target).join(profile).join(name)
}
