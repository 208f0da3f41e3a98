//! Installs tools that are missing, and does nothing if none is.
//!
//! If this process may not install, the error is the exact line to type.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use crate::sh::{cmd, has, root, which};

/// Targets: wasm, the smallest and a large Cortex-M, and the smallest common RISC-V.
pub const WASM: &str = "wasm32-unknown-unknown";
pub const CORTEX_M0: &str = "thumbv6m-none-eabi";
pub const CORTEX_M4F: &str = "thumbv7em-none-eabihf";
pub const RISCV32: &str = "riscv32imc-unknown-none-elf";
/// Targets of programs for an emulator: one with NEON, and big-endian ones of 32 and 64 bits.
pub const AARCH64: &str = "aarch64-unknown-linux-musl";
pub const POWERPC: &str = "powerpc-unknown-linux-gnu";
pub const S390X: &str = "s390x-unknown-linux-gnu";

/// Returns the folder in which Cargo keeps what it downloads.
pub fn cargo_home() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap_or_default()
}

/// Installs a Rust target for the toolchain in use.
pub fn target(name: &str) -> Result<()> {
    let sysroot =
        cmd("rustc --print sysroot").answer().context("rustc does not answer; install Rust from rustup.rs")?;
    if Path::new(&sysroot).join("lib/rustlib").join(name).join("lib").is_dir() {
        return Ok(());
    }
    if !has("rustup") {
        bail!("the Rust target {name} is missing, and rustup is not installed; install the target with your toolchain");
    }
    cmd("rustup target add").arg(name).run().with_context(|| format!("type: rustup target add {name}"))
}

/// Installs nightly Rust with these components. Miri and coverage-guided fuzzing need it.
pub fn nightly(components: &str) -> Result<()> {
    let type_this = || format!("type: rustup toolchain install nightly --profile minimal --component {components}");
    if !has("rustup") {
        bail!("nightly Rust needs rustup, which is not installed; install rustup, then {}", type_this());
    }
    if !cmd("rustc +nightly --version").succeeds() {
        cmd("rustup toolchain install nightly --profile minimal").run().with_context(type_this)?;
    }
    let installed = cmd("rustup component list --installed --toolchain nightly").answer().unwrap_or_default();
    for component in components.split(',') {
        if !installed.lines().any(|line| line == component || line.starts_with(&format!("{component}-"))) {
            cmd("rustup component add --toolchain nightly").arg(component).run().with_context(type_this)?;
        }
    }
    Ok(())
}

/// Installs `cargo fuzz`.
pub fn cargo_fuzz() -> Result<()> {
    if cmd("cargo fuzz --version").succeeds() {
        return Ok(());
    }
    let line = "cargo install cargo-fuzz --locked";
    cmd(line).run().with_context(|| format!("type: {line}"))
}

/// Installs `cargo deny`, in a version whose options are known.
pub fn cargo_deny() -> Result<()> {
    const VERSION: &str = "0.20.2";
    if cmd("cargo deny --version").answer().is_some_and(|said| said.ends_with(VERSION)) {
        return Ok(());
    }
    let line = format!("cargo install cargo-deny --locked --version {VERSION}");
    cmd(&line).run().with_context(|| format!("type: {line}"))
}

/// Leaves out the graphical interface of the emulators, which is a hundred packages.
const BARE: &str = "--no-install-recommends";

/// Installs the emulator that the firmware runs in.
pub fn qemu() -> Result<()> {
    debian(&["qemu-system-arm"], &[BARE, "qemu-system-arm"]).map(|_| ())
}

/// Installs the emulator for RISC-V.
pub fn qemu_riscv() -> Result<()> {
    debian(&["qemu-system-riscv32"], &[BARE, "qemu-system-misc"]).map(|_| ())
}

/// Installs the emulators of programs for other processors.
pub fn qemu_user() -> Result<()> {
    debian(&["qemu-aarch64"], &[BARE, "qemu-user"]).map(|_| ())
}

/// Installs the C compiler for bare ARM devices.
pub fn arm_gcc() -> Result<()> {
    debian(&["arm-none-eabi-gcc"], &["gcc-arm-none-eabi"]).map(|_| ())
}

/// Installs the C compiler for bare RISC-V devices.
pub fn riscv_gcc() -> Result<()> {
    debian(&["riscv64-unknown-elf-gcc"], &[BARE, "gcc-riscv64-unknown-elf"]).map(|_| ())
}

/// Installs a C library for bare RISC-V devices.
pub fn picolibc() -> Result<()> {
    if !cmd("riscv64-unknown-elf-gcc --specs=picolibc.specs --version").succeeds() {
        apt("picolibc", &format!("{BARE} picolibc-riscv64-unknown-elf"))?;
    }
    Ok(())
}

/// Installs the C compiler for Linux on another machine, and the system's library to link with.
/// Debian has two names for some machines.
pub fn linux_gcc(machine: &str, debian_name: &str) -> Result<()> {
    let (compiler, library) = (format!("gcc-{machine}-linux-gnu"), format!("libc6-dev-{debian_name}-cross"));
    debian(&[&format!("{machine}-linux-gnu-gcc")], &[BARE, &compiler, &library]).map(|_| ())
}

/// Installs the memory checker for C programs.
pub fn valgrind() -> Result<()> {
    debian(&["valgrind"], &["valgrind"]).map(|_| ())
}

/// Installs the checker of comments in C headers.
pub fn doxygen() -> Result<()> {
    debian(&["doxygen"], &[BARE, "doxygen"]).map(|_| ())
}

/// Installs CMake and pkg-config.
pub fn cmake() -> Result<()> {
    debian(&["cmake"], &["cmake"])?;
    debian(&["pkg-config"], &["pkg-config"]).map(|_| ())
}

/// Installs the decoders that the command line is compared with.
pub fn decoders() -> Result<()> {
    for (program, package) in [("zstd", "zstd"), ("pzstd", "zstd"), ("xz", "xz-utils"), ("gzip", "gzip")] {
        debian(&[program], &[package])?;
    }
    Ok(())
}

/// Installs a browser and returns its path. Prefers Chromium's shell without windows, where it is
/// packaged: tests take a quarter less time in it.
pub fn chromium() -> Result<PathBuf> {
    const SHELL: &str = "chromium-headless-shell";
    if (has(SHELL) || cmd("apt-cache show").arg(SHELL).succeeds())
        && let Ok(shell) = debian(&[SHELL], &[SHELL])
    {
        return Ok(shell);
    }
    debian(&["chromium", "chromium-browser", "google-chrome"], &["chromium"])
}

/// Installs Node with npm, and checks that Node is version 20 or newer.
pub fn node() -> Result<()> {
    if !has("node") || !has("npm") {
        debian(&["node"], &["nodejs", "npm"])?;
        debian(&["npm"], &["nodejs", "npm"])?;
    }
    let version = cmd("node --version").answer().context("node does not answer")?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < 20) {
        bail!("expected Node 20 or newer, found {version}; install a newer one from nodejs.org or with nvm");
    }
    Ok(())
}

/// Installs Python with virtual environments, and checks that it is version 3.10 or newer.
pub fn python() -> Result<()> {
    debian(&["python3"], &["python3"])?;
    let succeeds = |script: &str| cmd("python3 -c").arg(script).succeeds();
    if !succeeds("import sys; sys.exit(sys.version_info < (3, 10))") {
        let version = cmd("python3 --version").answer().unwrap_or_default();
        bail!("expected Python 3.10 or newer, found {version}; install a newer one from python.org");
    }
    // Debian has this part in a package of its own.
    if !succeeds("import ensurepip") {
        apt("python3 -m venv", "python3-venv")?;
    }
    Ok(())
}

/// Installs the packages in `package-lock.json` of a folder into its `node_modules`.
pub fn node_modules(dir: &str) -> Result<()> {
    node()?;
    let modified = |file: &str| root().join(dir).join(file).metadata().and_then(|meta| meta.modified()).ok();
    let lock = modified("package-lock.json").with_context(|| format!("{dir} has no package-lock.json"))?;
    // npm writes this file last, so an interrupted installation does not count as complete.
    if modified("node_modules/.package-lock.json").is_some_and(|installed| installed >= lock) {
        return Ok(());
    }
    cmd("npm ci --no-audit --no-fund").dir(dir).run()
}

/// Installs a program from Debian packages and returns its path. It may have one of several names.
fn debian(programs: &[&str], packages: &[&str]) -> Result<PathBuf> {
    let find = || programs.iter().find_map(|program| which(program));
    if let Some(path) = find() {
        return Ok(path);
    }
    let (program, packages) = (programs.first().copied().unwrap_or_default(), packages.join(" "));
    apt(program, &packages)?;
    find().with_context(|| format!("{packages} is installed, but {program} is not found"))
}

/// Installs Debian packages, for a program that is missing.
fn apt(program: &str, packages: &str) -> Result<()> {
    if !has("apt-get") {
        bail!("{program} is missing; install it with this system's package manager (Debian calls it {packages})");
    }
    let sudo = if cmd("id -u").answer().as_deref() == Some("0") {
        ""
    } else if cmd("sudo -n true").succeeds() {
        "sudo -n "
    } else {
        bail!("{program} is missing; type: sudo apt-get update && sudo apt-get install -y {packages}");
    };
    static UPDATED: Mutex<bool> = Mutex::new(false);
    if let Ok(mut updated) = UPDATED.lock()
        && !*updated
    {
        cmd(&format!("{sudo}apt-get update")).run()?;
        *updated = true;
    }
    // Another step may be installing at the same time.
    cmd(&format!("{sudo}apt-get -o DPkg::Lock::Timeout=600 install -y {packages}")).run()?;
    Ok(())
}
