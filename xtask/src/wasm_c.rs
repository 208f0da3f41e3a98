//! Builds the C interface as a WebAssembly module for hosts of any language, and tests it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::install;
use crate::sh::{cmd, has, root};
use crate::wasm;

pub const EXAMPLES: &str = "capi/examples/wasm";
const VECTORS: &str = "tests/vectors";
const PATIENCE: Duration = Duration::from_secs(120);
/// The runtime that the example in Python uses.
const WASMTIME: &str = "wasmtime==50.0.1";

/// Files, and what each decodes to: another file, or an error.
const CASES: [(&str, std::result::Result<&str, &str>); 7] = [
    ("zstd/page.zst", Ok("xz/page.csv")),
    ("zstd/page-seekable.zst", Ok("xz/page.csv")),
    ("xz/page.xz", Ok("xz/page.csv")),
    ("xz/blocks.xz", Ok("xz/page.csv")),
    ("xz/page.csv", Err("error: neither Zstandard nor xz")),
    ("CUT/xz/page.xz", Err("error: XzFooter at byte ")),
    ("CUT/zstd/page.zst", Err("error: Truncated at byte ")),
];

/// Builds the module and prints its path.
pub fn run() -> Result<()> {
    let module = build()?;
    println!("{} ({} bytes)", module.display(), std::fs::metadata(&module)?.len());
    Ok(())
}

/// Builds the module: every format, the texts of errors, and panics that end in a trap.
pub fn build() -> Result<PathBuf> {
    install::target(install::WASM)?;
    cmd("cargo rustc --locked -p unspool-capi --crate-type cdylib --profile wasm-release --target")
        .arg(install::WASM)
        .arg("--config")
        .arg(wasm::rustflags(wasm::remapped(&root())))
        .run()?;
    let module = wasm::built("wasm-release", "unspool_capi.wasm");
    let bytes = std::fs::read(&module)?;
    let imports = section(&bytes, IMPORTS).context("the module is not WebAssembly")?;
    ensure!(imports.is_none(), "the module has imports");
    Ok(module)
}

/// Tests the module: no imports, and the examples decode or refuse files in two runtimes.
pub fn test() -> Result<()> {
    let module = build()?;
    install::node()?;
    let python = python()?;
    for (program, script) in [("node".into(), "decode.mjs"), (python, "decode.py")] {
        for (path, expected) in CASES {
            let file = file(path)?;
            let shown = format!("{script} {path}");
            let command = cmd(&program.display().to_string()).arg(root().join(EXAMPLES).join(script));
            let outcome = command.arg(&module).arg(file).quiet().outcome(PATIENCE)?;
            match expected {
                Ok(other) => {
                    let content = std::fs::read_to_string(root().join(VECTORS).join(other))?;
                    ensure!(outcome.success && outcome.stdout == content, "{shown}: {}", outcome.stderr);
                }
                Err(words) => {
                    ensure!(!outcome.success && outcome.stdout.is_empty(), "{shown} decodes");
                    ensure!(outcome.stderr.starts_with(words), "{shown}: {}", outcome.stderr);
                }
            }
        }
    }
    println!("    {} files in two runtimes", CASES.len());
    Ok(())
}

/// Returns the path of a file, after `CUT/` of one without its last 40 bytes.
fn file(path: &str) -> Result<PathBuf> {
    let Some(whole) = path.strip_prefix("CUT/") else { return Ok(root().join(VECTORS).join(path)) };
    let mut bytes = std::fs::read(root().join(VECTORS).join(whole))?;
    bytes.truncate(bytes.len() - 40);
    let cut = folder()?.join(whole.replace('/', "-"));
    std::fs::write(&cut, bytes)?;
    Ok(cut)
}

fn folder() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let folder = target.join("wasm-c");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns a Python with wasmtime, in an environment of its own.
fn python() -> Result<PathBuf> {
    let (python, installed) = (folder()?.join("venv/bin/python"), folder()?.join("venv/installed.txt"));
    // Written last, so that an interrupted installation does not count as complete.
    if python.is_file() && std::fs::read_to_string(&installed).is_ok_and(|installed| installed == WASMTIME) {
        return Ok(python);
    }
    let program = if has("python3") { "python3" } else { "python" };
    cmd(program)
        .args("-m venv")
        .arg(folder()?.join("venv"))
        .run()
        .context("on Debian, type: sudo apt-get install -y python3-venv")?;
    let install = cmd(&python.display().to_string()).args("-m pip install --quiet --disable-pip-version-check");
    install.arg(WASMTIME).run()?;
    std::fs::write(installed, WASMTIME)?;
    Ok(python)
}

/// The number of the section of imports.
const IMPORTS: u8 = 2;

/// Returns the contents of a section of a module, if it has one; `None` if it is no module.
fn section(module: &[u8], wanted: u8) -> Option<Option<&[u8]>> {
    let mut rest = module.strip_prefix(b"\0asm\x01\0\0\0")?;
    while let Some((&id, after)) = rest.split_first() {
        let (mut len, mut used) = (0usize, 0);
        loop {
            let byte = *after.get(used)?;
            len |= usize::from(byte & 0x7F).checked_shl(7 * u32::try_from(used).ok()?)?;
            used += 1;
            if byte < 0x80 {
                break;
            }
        }
        let contents = after.get(used..used.checked_add(len)?)?;
        if id == wanted {
            return Some(Some(contents));
        }
        rest = &after[used + len..];
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_imports_of_a_module() {
        let module = b"\0asm\x01\0\0\0\x01\x02ab\x02\x81\x00c\x0B\x03def";
        assert_eq!(section(module, IMPORTS), Some(Some(&b"c"[..])));
        assert_eq!(section(module, 5), Some(None));
        assert_eq!(section(b"\0asm\x01\0\0\0\x02\x09", IMPORTS), None);
        assert_eq!(section(b"ELF", IMPORTS), None);
    }
}
