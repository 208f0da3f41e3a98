//! The Python package: builds its wheel, and tests it in a fresh environment.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::install;
use crate::sh::{cmd, root};

/// The folder of the package.
const PACKAGE: &str = "python";

/// The build tool, in the version that `pyproject.toml` names.
const MATURIN: &str = "maturin==1.16.0";

/// Builds the wheel that would be published. It serves CPython 3.10 and later.
pub fn wheel() -> Result<()> {
    let python = environment("wheel", false)?;
    install(&python, &[MATURIN])?;
    cmd(&python).args("-m maturin build --locked --release --out ../target/wheels").dir(PACKAGE).run()
}

/// Tests the wheel as a user installs it.
pub fn test() -> Result<()> {
    let python = environment("test", true)?;
    install(&python, &["-r", "tests/requirements.txt", MATURIN])?;
    let wheels = root().join("target/python/wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    // `clippy-driver` compiles the crate, so its lints cost no second compilation.
    let wheel = cmd(&python).args("-m maturin build --locked --out ../target/python/wheels").dir(PACKAGE);
    wheel.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("RUSTFLAGS", "-D warnings").run()?;
    let built = std::fs::read_dir(&wheels)?.next().context("maturin built no wheel")??;
    cmd(&python).args("-m pip install --quiet --no-deps --force-reinstall").arg(built.path()).dir(PACKAGE).run()?;
    cmd(&python).args("-m mypy").dir(PACKAGE).run()?;
    // The type checker is a program for Node.
    install::node()?;
    cmd(&python).args("-m pyright --pythonpath").arg(&python).dir(PACKAGE).run()?;
    // Not in the folder of the package, whose sources would hide the installed wheel.
    cmd(&python).args("-m pytest -q -p no:cacheprovider tests").dir(PACKAGE).env("PYTHONSAFEPATH", "1").run()
}

/// Measures the wheel against the libraries that its users have today.
pub fn bench() -> Result<()> {
    let python = environment("bench", false)?;
    install(&python, &["-r", "tests/requirements.txt", MATURIN])?;
    cmd(&python).args("-m maturin develop --release --locked").dir(PACKAGE).env("VIRTUAL_ENV", venv("bench")).run()?;
    cmd(&python).args("bench/run.py").dir(PACKAGE).run()
}

fn venv(name: &str) -> PathBuf {
    root().join("target/python").join(name)
}

/// Makes a virtual environment, and returns the path of its interpreter.
fn environment(name: &str, fresh: bool) -> Result<String> {
    install::python()?;
    let folder = venv(name);
    if fresh && folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let inside = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !inside.exists() {
        cmd("python3 -m venv").arg(&folder).run()?;
    }
    match inside.to_str() {
        Some(path) if !path.contains(char::is_whitespace) => Ok(path.to_owned()),
        _ => bail!("the path of this checkout has spaces, which this command cannot pass on"),
    }
}

/// Makes a virtual environment with required packages, and returns the path of its interpreter.
pub fn with(name: &str, requirements: &str) -> Result<String> {
    let python = environment(name, false)?;
    install(&python, &["-r", requirements])?;
    Ok(python)
}

fn install(python: &str, packages: &[&str]) -> Result<()> {
    // Python compiles the modules that it imports; most of these it never does.
    let pip = cmd(python).args("-m pip install --quiet --disable-pip-version-check --no-compile").dir(PACKAGE);
    packages.iter().fold(pip, |pip, package| pip.arg(package)).run()
}
