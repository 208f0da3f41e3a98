//! Measures the size of each format and compares it with its budget.
//!
//! `tests/size` has a program for each. The size of a decoder is the size of its program minus that
//! of the program `empty`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::install::{self, CORTEX_M0, CORTEX_M4F, RISCV32, WASM};
use crate::peers;
use crate::sh::{cmd, root};

const FOLDER: &str = "tests/size";
const BUDGETS: &str = "tests/size/budgets.tsv";
const PAGE: &str = "docs/sizes.md";
const PATIENCE: Duration = Duration::from_secs(120);
/// Cargo profiles, and the optimisation level of each.
const PROFILES: [(&str, &str); 2] = [("release", "z"), ("fast", "3")];

/// A machine, and the emulator that counts its instructions, if any.
struct Machine {
    name: &'static str,
    target: &'static str,
    /// The name in the budgets: the target, and whether tables are small against its custom.
    key: &'static str,
    emulator: Option<&'static str>,
}

/// Code for a Cortex-M0 runs on a Cortex-M3, whose board has enough memory for every program.
const MACHINES: [Machine; 5] = [
    Machine { name: "Cortex-M0", target: CORTEX_M0, key: CORTEX_M0, emulator: Some("qemu-system-arm -M mps2-an385") },
    Machine { name: "Cortex-M4F", target: CORTEX_M4F, key: CORTEX_M4F, emulator: Some(M4F) },
    Machine { name: "Cortex-M4F, small", target: CORTEX_M4F, key: SMALL_M4F, emulator: Some(M4F) },
    Machine {
        name: "RISC-V rv32imc",
        target: RISCV32,
        key: RISCV32,
        emulator: Some("qemu-system-riscv32 -M virt -bios none"),
    },
    Machine { name: "wasm32", target: WASM, key: WASM, emulator: None },
];

fn machine(key: &str) -> Result<&'static Machine> {
    MACHINES.iter().find(|machine| machine.key == key).with_context(|| format!("no machine {key}"))
}

impl Machine {
    /// Returns `true` if its programs copy and fill memory with short loops: at level `z` on
    /// machines with small tables. The program `empty` never does, so that they count.
    fn has_short_loops(&self, level: &str) -> bool {
        level == "z" && [CORTEX_M0, RISCV32, SMALL_M4F].contains(&self.key)
    }
}

const M4F: &str = "qemu-system-arm -M mps2-an386";

/// A Cortex-M4F with the feature `small`.
const SMALL_M4F: &str = "thumbv7em-none-eabihf+small";

const COUNTING: &str =
    "-nographic -monitor none -serial none -semihosting-config enable=on,target=native -icount shift=0 -kernel";

/// A program of `tests/size`, as its documentation describes it.
struct Program {
    name: String,
    /// The first line: its name on the page.
    what: String,
    /// The line `Aim: N KB.`: the flash size aimed for, on a Cortex-M0 at level z.
    aim: Option<u32>,
}

/// The program that is subtracted from all others.
const EMPTY: &str = "empty";

/// All other programs: one for each file in `src/bin`, peers last.
static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| programs().expect("tests/size can be read"));

fn programs() -> Result<Vec<Program>> {
    let mut programs = vec![];
    for entry in std::fs::read_dir(root().join(FOLDER).join("src/bin"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name == EMPTY || path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path)?;
        let mut about = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
        let what = about.next().with_context(|| format!("{} has no line of documentation", path.display()))?.to_owned();
        let aim = about.find_map(|line| line.strip_prefix("Aim: ")?.strip_suffix(" KB.")?.parse().ok());
        programs.push(Program { name, what, aim });
    }
    // A program from C follows the one in Rust.
    let key = |program: &Program| (program.is_peer(), program.name.trim_start_matches("c_").to_owned(), program.is_c());
    programs.sort_by_cached_key(key);
    Ok(programs)
}

impl Program {
    /// Returns the feature of `tests/size` that it needs. Programs are built by feature, because
    /// Cargo unites the features of all programs in a build.
    fn feature(&self) -> &'static str {
        match &*self.name {
            "at1" => "at1",
            "lzma" => "lzma",
            "at1_columnar" => "columnar",
            "zstd_rfc" => "rfc",
            "zstd_patch" => "patch",
            "xz_flash" => "xz-flash",
            "c_at1_columnar" => "capi-columnar",
            "c_zstd_patch" => "capi-patch",
            "c_xz_flash" => "capi-xz-flash",
            _ if self.is_c() => "capi",
            name if name.starts_with("peer_c_") => "c",
            _ if self.is_peer() => "peers",
            _ => "formats",
        }
    }

    /// Returns `true` for a program of another library, which has no budget.
    fn is_peer(&self) -> bool {
        self.name.starts_with("peer_")
    }

    /// Returns `true` for a program that calls the C interface.
    fn is_c(&self) -> bool {
        self.name.starts_with("c_")
    }

    /// Returns the same program in Rust, for one that calls the C interface.
    fn twin(&self) -> Option<&'static Program> {
        let name = self.name.strip_prefix("c_")?;
        PROGRAMS.iter().find(|program| program.name == name)
    }

    /// Returns `true` if it can be built for the machine.
    fn builds_for(&self, machine: &Machine) -> bool {
        match machine.key {
            CORTEX_M0 => true,
            SMALL_M4F => !self.is_peer() && !self.is_c(),
            _ => self.feature() != "c" && !self.is_c(),
        }
    }
}

/// Every stack frame on a Cortex-M0 at level z must be smaller than this.
pub const FRAME: u64 = 512;

/// The size of one program, without that of the program `empty`.
#[derive(Clone, Copy, Default)]
struct Weight {
    flash: u64,
    ram: u64,
    /// The largest stack frame of any function; 0 if the compiler reports none.
    frame: u64,
    /// The stack high-water mark, and instructions per decoded byte; 0 without an emulator.
    stack: u64,
    cost: f64,
}

/// `(program, target, level)`.
type Weights = BTreeMap<(&'static str, &'static str, &'static str), Weight>;

/// Measures every program and writes the page.
pub fn run_all() -> Result<()> {
    check(&write_page()?)
}

fn write_page() -> Result<Weights> {
    let weights = weigh(|_| true)?;
    let layers = layer_table(&weights, &weigh_layers(&weights)?);
    std::fs::write(root().join(PAGE), format!("{}\n{layers}\n{}", page(&weights), image_table()?))?;
    println!("    {PAGE} is written");
    Ok(weights)
}

/// Most bytes of flash that the C interface may add to a decoder, on a Cortex-M0 at level z.
const LAYER: u64 = 1024;

/// What the C interface adds to a decoder.
struct Layer {
    /// The program from C.
    c: &'static Program,
    /// The same program in Rust.
    rust: &'static Program,
    /// Bytes of flash.
    flash: u64,
}

/// Measures what the C interface adds to each decoder. The program in Rust is compiled with all
/// functions of the C interface, although it calls none: they share parts of the decoder, which the
/// compiler then does not merge.
fn weigh_layers(weights: &Weights) -> Result<Vec<Layer>> {
    let machine = machine(CORTEX_M0)?;
    let empty = weigh_one(machine, "release", EMPTY)?.flash;
    let mut layers = vec![];
    for c in PROGRAMS.iter() {
        let from_c = weights.get(&(&*c.name, CORTEX_M0, "z"));
        let (Some(rust), Some(from_c)) = (c.twin(), from_c) else { continue };
        let build = cmd("cargo build --locked --release --target").arg(CORTEX_M0);
        let build = build.arg(format!("--features=byte-loops,opaque,{}", c.feature()));
        build.arg(format!("--bin={}", rust.name)).dir(FOLDER).run()?;
        let alike = weigh_one(machine, "release", &rust.name)?.flash.saturating_sub(empty);
        let flash = from_c.flash.saturating_sub(alike);
        println!("    {}: the C layer takes {flash} bytes", c.name);
        ensure!((1..=LAYER).contains(&flash), "{}: the C layer takes {flash} bytes, and the limit is {LAYER}", c.name);
        layers.push(Layer { c, rust, flash });
    }
    Ok(layers)
}

/// Programs that decode the firmware image: ours, then peers.
const IMAGE: [&str; 11] = [
    "zstd",
    "zstd_rfc",
    "xz",
    "xz_flash",
    "peer_c_xz_embedded",
    "peer_c_miniz",
    "peer_c_uzlib",
    "peer_c_tamp",
    "peer_c_heatshrink",
    "peer_miniz_oxide",
    "peer_lzma_rust2",
];
/// The heading of their table, the last of the page.
const IMAGE_HEADING: &str = "## The same firmware image, on a Cortex-M0";

/// Measures decoders with a firmware image, and writes the last table of the page.
pub fn run_image() -> Result<()> {
    let path = root().join(PAGE);
    let page = std::fs::read_to_string(&path)?;
    let rest = page.split(IMAGE_HEADING).next().unwrap_or_default().trim_end();
    std::fs::write(path, format!("{rest}\n\n{}", image_table()?))?;
    println!("    {PAGE} is written");
    Ok(())
}

fn image_table() -> Result<String> {
    let machine = machine(CORTEX_M0)?;
    let image = std::fs::read(root().join(peers::IMAGE))?;
    let hash = image.iter().fold(0x811C_9DC5u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let (sources, files) = peers::image()?;
    install::qemu()?;
    install::target(CORTEX_M0)?;
    let mut text = format!(
        "{IMAGE_HEADING}\n\n\
         `cargo xtask size --image` measures and writes this table. The image is the first 40 KiB of OpenSBI,\n\
         which is not of this project: `{}`. Every program decodes it at\n\
         opt-level `z`, GCC at `-Oz`, and a hash of its output is compared.\n\n\
         * No program, peers included, has the short loops of the tables above: the memory functions are\n  \
         those of the compiler's library.\n\
         * RAM includes what a decoder takes from a heap, and the page of \"to flash\".\n\
         * Decoders to memory use the output as the window. tamp and heatshrink have a window of 1 KB.\n\
         * miniz, miniz_oxide, uzlib, tamp and heatshrink compare no checksum.\n\
         * uzlib is the inflater of MicroPython 1.25.\n\n\
         | decoder | file | flash | RAM | stack | instr/B |\n|---|---|---|---|---|---|\n",
        peers::IMAGE
    );
    let build = |feature: &str, name: &str| -> Result<()> {
        let mut build = cmd("cargo build --locked --release --target").arg(CORTEX_M0).args("--features=image");
        build = if feature.is_empty() { build } else { build.arg(format!("--features={feature}")) };
        if feature == "c" {
            build = build.env("UNSPOOL_PEERS", peers::build("z")?);
        }
        build.arg(format!("--bin={name}")).env("UNSPOOL_IMAGES", &sources).dir(FOLDER).run()
    };
    build("", EMPTY)?;
    let (empty, _) = weigh_image(machine, EMPTY)?;
    for name in IMAGE {
        let program = PROGRAMS.iter().find(|program| program.name == name).context(name)?;
        build(program.feature(), name)?;
        let (weight, said) = weigh_image(machine, name)?;
        ensure!(number(&said, "bytes") == Some(image.len() as u64), "{name} decodes another length: {said}");
        ensure!(number(&said, "hash") == Some(hash.into()), "{name} decodes something else: {said}");
        let heap = number(&said, "heap").context("a heap")?;
        let fixed = weight.ram - empty.ram;
        let ram = if heap > 0 || fixed >= HEAP { fixed - HEAP + heap } else { fixed };
        let source = std::fs::read_to_string(root().join(FOLDER).join("src/bin").join(name).with_extension("rs"))?;
        let file = source.split("../../data/").nth(1).and_then(|rest| rest.split('"').next()).context("a file")?;
        let len = std::fs::metadata(files.join(file))?.len();
        let _ = writeln!(
            text,
            "| {} | {len} | {} | {ram} | {} | {:.1} |",
            program.what,
            weight.flash - empty.flash,
            weight.stack - empty.stack,
            weight.cost
        );
    }
    Ok(text)
}

/// Bytes of the heap in `tests/size/src/lib.rs`.
const HEAP: u64 = 3 << 20;

/// Measures a program that decodes the image. Returns its weight, and what it printed.
fn weigh_image(machine: &Machine, name: &str) -> Result<(Weight, String)> {
    let weight = weigh_one(machine, "release", name)?;
    let said = match machine.emulator {
        Some(emulator) => output(emulator, &program_path(machine, "release", name))?,
        None => String::new(),
    };
    Ok((weight, said))
}

/// Measures programs whose names contain `name` and compares them with their budgets.
pub fn run_some(name: &str) -> Result<()> {
    ensure!(PROGRAMS.iter().any(|program| program.name.contains(name)), "unknown program: {name}");
    check_all(&weigh(|program| program.name.contains(name))?)
}

/// Measures every program that has a budget and compares it with the budget.
pub fn test() -> Result<()> {
    check_all(&weigh(|program| !program.is_peer())?)
}

/// Measures every program, writes the page, and makes the result the new budgets.
pub fn set_budgets() -> Result<()> {
    let weights = write_page()?;
    let mut text = "program\ttarget\tlevel\tflash\tram\tframe\tstack\tinstructions per byte\n".to_owned();
    for ((program, target, level), weight) in &weights {
        if program.starts_with("peer_") {
            continue;
        }
        // A margin for another compiler version, too small for another table.
        let more = |n: u64| n + n / 50 + 8;
        let _ = writeln!(
            text,
            "{program}\t{target}\t{level}\t{}\t{}\t{}\t{}\t{:.1}",
            more(weight.flash),
            weight.ram,
            more(weight.frame),
            more(weight.stack),
            weight.cost * 1.03 + 0.1
        );
    }
    std::fs::write(root().join(BUDGETS), text)?;
    println!("    {BUDGETS} is written");
    Ok(())
}

/// Measures the chosen programs.
fn weigh(chosen: impl Fn(&Program) -> bool) -> Result<Weights> {
    install::qemu()?;
    install::qemu_riscv()?;
    let mut weights = Weights::new();
    let has_some = |machine: &&Machine| PROGRAMS.iter().any(|program| chosen(program) && program.builds_for(machine));
    for machine in MACHINES.iter().filter(has_some) {
        install::target(machine.target)?;
        for (profile, level) in PROFILES {
            let programs = || PROGRAMS.iter().filter(|program| chosen(program) && program.builds_for(machine));
            // The program `empty` has none.
            let features: BTreeSet<_> = std::iter::once("").chain(programs().map(Program::feature)).collect();
            for feature in features {
                let bins: Vec<_> = programs().filter(|program| program.feature() == feature).collect();
                let mut build = cmd("cargo build --locked --target").arg(machine.target).arg("--profile").arg(profile);
                build = if feature.is_empty() {
                    build.arg(format!("--bin={EMPTY}"))
                } else {
                    build.arg(format!("--features={feature}"))
                };
                if machine.key == SMALL_M4F {
                    build = build.arg("--features=small");
                }
                if machine.has_short_loops(level) && !feature.is_empty() {
                    build = build.arg("--features=byte-loops");
                }
                if feature == "c" {
                    build = build.env("UNSPOOL_PEERS", peers::build(if level == "z" { "s" } else { level })?);
                }
                build = bins.iter().fold(build, |build, program| build.arg(format!("--bin={}", program.name)));
                build.dir(FOLDER).run()?;
            }
            let empty = weigh_one(machine, profile, EMPTY)?;
            for program in programs() {
                let weight = weigh_one(machine, profile, &program.name)?;
                let less = |more: u64, less: u64| more.saturating_sub(less);
                let noted = program.feature() != "c";
                let weight = Weight {
                    frame: if noted { weight.frame } else { 0 },
                    flash: less(weight.flash, empty.flash),
                    ram: less(weight.ram, empty.ram),
                    stack: less(weight.stack, empty.stack),
                    ..weight
                };
                ensure!(weight.flash > 0, "{} weighs nothing", program.name);
                println!(
                    "    {} {level} {}: flash {}, RAM {}, frame {}, stack {}, {:.1} instructions a byte",
                    machine.name, program.name, weight.flash, weight.ram, weight.frame, weight.stack, weight.cost
                );
                weights.insert((&program.name, machine.key, level), weight);
            }
        }
    }
    Ok(weights)
}

fn program_path(machine: &Machine, profile: &str, name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join(FOLDER).join("target"), PathBuf::from);
    let path = target.join(machine.target).join(profile).join(name);
    if machine.target == WASM { path.with_extension("wasm") } else { path }
}

fn weigh_one(machine: &Machine, profile: &str, name: &str) -> Result<Weight> {
    let path = program_path(machine, profile, name);
    let bytes = std::fs::read(&path).with_context(|| format!("{} is missing", path.display()))?;
    if machine.target == WASM {
        return Ok(Weight { flash: wasm_size(&bytes).context("not a wasm module")?, ..Weight::default() });
    }
    let file = object::File::parse(&*bytes)?;
    let mut weight = Weight { frame: largest_frame(&file)?, ..Weight::default() };
    for section in file.sections() {
        match section.name()? {
            ".text" | ".rodata" => weight.flash += section.size(),
            ".data" => (weight.flash, weight.ram) = (weight.flash + section.size(), weight.ram + section.size()),
            ".bss" => weight.ram += section.size(),
            _ => {}
        }
    }
    if let Some(emulator) = machine.emulator {
        (weight.stack, weight.cost) = run(emulator, &path).with_context(|| format!("{name} on {}", machine.name))?;
    }
    Ok(weight)
}

/// Returns the bytes of code and data in a wasm module: its sections 10 and 11.
fn wasm_size(bytes: &[u8]) -> Option<u64> {
    let mut rest = bytes.strip_prefix(b"\0asm\x01\0\0\0")?;
    let mut size = 0;
    while let Some((&id, after)) = rest.split_first() {
        let (len, used) = leb128(after)?;
        size += if matches!(id, 10 | 11) { len } else { 0 };
        rest = after.get(used..)?.get(usize::try_from(len).ok()?..)?;
    }
    Some(size)
}

/// Reads a LEB128 number. Returns it and its length in bytes.
fn leb128(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (i, &byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7F) << (7 * i);
        if byte < 0x80 {
            return Some((number, i + 1));
        }
    }
    None
}

/// Returns the stack frame size of each function by its symbol name. `.stack_sizes` holds an
/// address and a size for each.
pub fn frames(file: &object::File<'_>) -> Result<BTreeMap<String, u64>> {
    let section = file.section_by_name(".stack_sizes").context("no .stack_sizes")?;
    // The lowest bit of an address marks Thumb code.
    let place = |address: u64| address & !1;
    let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
    let names: BTreeMap<_, _> =
        functions.filter_map(|symbol| Some((place(symbol.address()), symbol.name().ok()?))).collect();
    let (mut rest, mut frames) = (section.data()?, BTreeMap::new());
    while let Some((address, after)) = rest.split_first_chunk() {
        let Some((size, used)) = leb128(after) else { bail!(".stack_sizes ends early") };
        rest = after.get(used..).unwrap_or_default();
        let address = place(u32::from_le_bytes(*address).into());
        let name = names.get(&address).map_or_else(|| format!("{address:#x}"), ToString::to_string);
        let frame = frames.entry(name).or_insert(0);
        *frame = size.max(*frame);
    }
    Ok(frames)
}

fn largest_frame(file: &object::File<'_>) -> Result<u64> {
    let frames = frames(file)?;
    let is_program = file.symbols().any(|symbol| symbol.name() == Ok("reset"));
    ensure!(is_program && !frames.is_empty(), "no functions in .stack_sizes");
    Ok(frames.into_values().max().unwrap_or(0))
}

/// Runs a program in an emulator. Returns its stack and its instructions per byte.
fn run(emulator: &str, path: &Path) -> Result<(u64, f64)> {
    let said = output(emulator, path)?;
    match (number(&said, "bytes"), number(&said, "instructions"), number(&said, "stack")) {
        (Some(bytes @ 1..), Some(instructions), Some(stack)) => Ok((stack, instructions as f64 / bytes as f64)),
        _ => bail!("it did not decode: {said}"),
    }
}

/// Returns the output of a program in an emulator.
fn output(emulator: &str, path: &Path) -> Result<String> {
    let outcome = cmd(emulator).args(COUNTING).arg(path).quiet().outcome(PATIENCE)?;
    Ok(format!("{}{}", outcome.stdout, outcome.stderr))
}

/// Returns the number after a word.
fn number(said: &str, name: &str) -> Option<u64> {
    let rest = said.split(name).nth(1)?.trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Compares with the budgets, and the C layers with their limit.
fn check_all(weights: &Weights) -> Result<()> {
    check(weights)?;
    weigh_layers(weights).map(drop)
}

/// Compares with the budgets. The error names every figure that exceeds one.
fn check(weights: &Weights) -> Result<()> {
    let text = std::fs::read_to_string(root().join(BUDGETS)).with_context(|| format!("{BUDGETS} is missing"))?;
    let mut budgets = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<_> = line.split('\t').collect();
        let [program, target, level, numbers @ ..] = fields.as_slice() else { bail!("{BUDGETS}: {line}") };
        let numbers: Vec<f64> = numbers.iter().map(|n| n.parse()).collect::<Result<_, _>>()?;
        budgets.insert((*program, *target, *level), numbers);
    }
    let mut over = vec![];
    for (key @ (program, target, level), weight) in weights.iter().filter(|(key, _)| !key.0.starts_with("peer_")) {
        let Some(budget) = budgets.get(key) else {
            over.push(format!("{program} for {target} at {level} has no budget"));
            continue;
        };
        if *target == CORTEX_M0 && *level == "z" && weight.frame >= FRAME {
            over.push(format!("{program}: a stack frame of {} bytes, and the limit is {FRAME}", weight.frame));
        }
        let [flash, ram, frame, stack] = [weight.flash, weight.ram, weight.frame, weight.stack].map(|n| n as f64);
        let found = [flash, ram, frame, stack, weight.cost];
        const NAMES: [&str; 5] = ["flash", "RAM", "frame", "stack", "instructions a byte"];
        ensure!(budget.len() == NAMES.len(), "{program} for {target} at {level} has {} budgets", budget.len());
        for ((found, budget), what) in found.iter().zip(budget).zip(NAMES) {
            if found > budget {
                over.push(format!(
                    "{program} for {target} at {level}: {what} {found:.1}, and the budget is {budget:.1}"
                ));
            }
        }
    }
    ensure!(
        over.is_empty(),
        "over the budgets of {BUDGETS}:\n{}\nIf the growth is deliberate: cargo xtask size --budgets",
        over.join("\n")
    );
    println!("    within {} budgets", budgets.len());
    Ok(())
}

const ABOUT: &str = "# Sizes

This page measures each decoder alone: flash, RAM, stack and instructions. `cargo xtask size`
measures and writes it; the step `size` of `cargo xtask test` fails if a figure exceeds its budget
in `tests/size/budgets.tsv`.

A program in `tests/size` calls one decoder and nothing else. Its figures are the difference to the
program `empty`, which has the same start-up code and calls none. They include everything that the
decoder needs of the compiler's library: division, 64-bit arithmetic, floating point, `memcpy`. Each
program of unspool links with a panic handler that nothing defines: no panic is reachable.

* **flash**: code and constants, in wasm the code and data sections. Columns `z` and `3` are the
  optimisation levels, both with fat LTO.
* **RAM**: all static memory that the decoder keeps between calls, workspace included. Output and
  lent tables are not included; [firmware.md](firmware.md#memory) has those of Pco. \"heap\" is for
  peers that need one.
* **frame**: the largest stack frame of any function, from the compiler (`-Z emit-stack-sizes`).
* **stack**: the depth of the stack while decoding: it is painted before and examined after.
* **instr/B**: instructions for each byte of output, counted by QEMU (`-icount shift=0`). Code for a
  Cortex-M0 runs on an emulated Cortex-M3.

Cortex-M0 and RISC-V use the smallest tables (feature `small`), wasm the large ones. A Cortex-M4F is
measured with both. With small tables and level z, every program, peers included, copies and fills
memory with the short loops of [`byte_loops.rs`](../capi/memory/byte_loops.rs). Programs of the
[last table](#the-same-firmware-image-on-a-cortex-m0) do not.
zstd, xz, miniz_oxide, ruzstd and lzma-rust2 decode the same 64 KiB of text, each in its own format.
Rows \"from C\" call the function of the C interface that does the same. They are measured on a
Cortex-M0 only. Their options are not known to the compiler, as in a program in C.
[firmware.md](firmware.md#aims-that-were-missed) says what it would cost to reach the aims that were
missed.

Peers in C are built for a Cortex-M0 only, by arm-none-eabi-gcc with `-Os` and `-O3`, from sources
in crates, in packages from PyPI and in one of Debian. That compiler does not report the sizes of
their frames.

* zstd has its flags for small builds: one Huffman decoder, one for sequences, no inlining, no error
  texts, no legacy formats.
* liblzma is its small build with LZMA2, CRC-32 and CRC-64 only.
* XZ Embedded decodes whole files with the same checks.
";

fn page(weights: &Weights) -> String {
    let mut text = ABOUT.to_owned();
    for machine in &MACHINES {
        let _ = write!(text, "\n## {} (`{}`)\n\n", machine.name, machine.key);
        let measured = machine.emulator.is_some();
        text.push_str(match measured {
            true => "| | flash z | flash 3 | RAM | frame z | frame 3 | stack z | stack 3 | instr/B z | instr/B 3 |\n|---|---|---|---|---|---|---|---|---|---|\n",
            false => "| | flash z | flash 3 |\n|---|---|---|\n",
        });
        for program in PROGRAMS.iter().filter(|program| program.builds_for(machine)) {
            let of = |level| weights.get(&(&*program.name, machine.key, level)).copied().unwrap_or_default();
            let (z, three) = (of("z"), of("3"));
            let aim = match program.aim.filter(|_| machine.target == CORTEX_M0) {
                Some(aim) if z.flash > u64::from(aim) * 1000 => format!(" (aim: {aim} KB, missed)"),
                Some(aim) => format!(" (aim: {aim} KB)"),
                None => String::new(),
            };
            let _ = write!(text, "| {} | {}{aim} | {} |", program.what, z.flash, three.flash);
            if measured {
                let ram = if z.ram > 1 << 20 { "heap".to_owned() } else { z.ram.to_string() };
                let [frame_z, frame_3] = [z, three].map(|weight| match weight.frame {
                    0 => "?".to_owned(),
                    frame => frame.to_string(),
                });
                let _ = write!(
                    text,
                    " {ram} | {frame_z} | {frame_3} | {} | {} | {:.1} | {:.1} |",
                    z.stack, three.stack, z.cost, three.cost
                );
            }
            text.push('\n');
        }
    }
    text
}

/// Returns the table of what the C interface adds.
fn layer_table(weights: &Weights, layers: &[Layer]) -> String {
    let mut text = format!(
        "\n## The C layer, on a Cortex-M0\n\n\
         A row from C takes more flash than the row in Rust, for three reasons:\n\n\
         * The C layer compares the arguments of a call and converts them.\n\
         * In Rust, the compiler knows the options, the lengths of tables and pages, and which members of\n  \
         the result the program reads. It removes the rest.\n\
         * Other functions of the archive share parts of the decoder, even if the program does not call\n  \
         them. The compiler does not merge these parts with their callers.\n\n\
         The column \"alike\" has the program in Rust without the last two: compiled with the archive, with\n\
         options, lengths and results that the compiler knows nothing about. The step `size` fails if the\n\
         C layer, which is the difference, takes more than {LAYER} bytes at level z.\n\n\
         | | in Rust | in Rust, alike | from C | C layer |\n|---|---|---|---|---|\n"
    );
    for Layer { c, rust, flash } in layers {
        let of = |program: &Program| weights.get(&(&*program.name, CORTEX_M0, "z")).map_or(0, |weight| weight.flash);
        let (in_rust, from_c) = (of(rust), of(c));
        let _ =
            writeln!(text, "| {} | {in_rust} | {} | {from_c} | {flash} |", rust.what, from_c.saturating_sub(*flash));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_code_and_data_of_a_module() {
        let module = b"\0asm\x01\0\0\0\x01\x02ab\x0A\x81\x00c\x0B\x03def";
        assert_eq!(wasm_size(module), Some(4));
        assert_eq!(wasm_size(b"\0asm\x01\0\0\0\x0A\x09"), None);
        assert_eq!(leb128(&[0xE5, 0x8E, 0x26]), Some((624_485, 3)));
    }

    #[test]
    fn programs_from_c_have_a_twin_in_rust() {
        let without = PROGRAMS.iter().filter(|program| program.is_c() && program.twin().is_none());
        assert!(without.map(|program| &*program.name).eq(["c_pco_page"]));
    }

    #[test]
    fn reads_name_and_aim_of_a_program() {
        let of = |name: &str| PROGRAMS.iter().find(|program| program.name == name);
        assert!(of("xz").is_some_and(|xz| xz.what == "xz, a whole file" && xz.aim == Some(7)));
        assert!(PROGRAMS.len() > 10 && of(EMPTY).is_none() && PROGRAMS.last().is_some_and(Program::is_peer));
    }
}
