//! The Python package: builds its wheel, and tests it in a fresh environment.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::sh::{cmd, root};
use crate::{archives, c, install};

/// The folder of the package.
const PACKAGE: &str = "python";
/// The folder of the wheel and of the source distribution.
pub const WHEELS: &str = "target/wheels";

/// The build tool, in the version that `pyproject.toml` names.
const MATURIN: &str = "maturin==1.16.0";

/// Builds the source distribution that would be published, and the wheel from it. The wheel serves
/// CPython 3.10 and later.
pub fn wheel() -> Result<()> {
    let python = environment("wheel", false)?;
    install(&python, &[MATURIN])?;
    let sources = sources(&python)?;
    let wheel = cmd(&python).args("-m maturin build --locked --release --out").arg(root().join(WHEELS));
    wheel.arg("--target-dir").arg(std::path::absolute(c::built())?).dir(sources).run()
}

/// Writes the source distribution, and returns the folder that it was packed from.
///
/// Cargo derives the numbers of a crate from its path, unless the crate is below the folder of its
/// workspace, and the order of functions in a program follows these numbers. maturin puts the core
/// beside the package. Here it goes below, so that a wheel has the same bytes wherever it is built.
fn sources(python: &str) -> Result<PathBuf> {
    let (folder, name) = (root().join("target/python/sources"), format!("unspool-{}", archives::version()?));
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let tarball = format!("{name}.tar.gz");
    cmd(python).args("-m maturin sdist --out").arg(&folder).dir(PACKAGE).run()?;
    cmd("tar -xf").arg(&tarball).dir(&folder).run()?;
    let unpacked = folder.join(&name);
    let package = unpacked.join(PACKAGE);
    std::fs::create_dir(package.join("vendor"))?;
    // `Cargo.toml` is that of the repository, from which the crates inherit.
    for moved in ["Cargo.toml", "core", "arrow"] {
        std::fs::rename(unpacked.join(moved), package.join("vendor").join(moved))?;
    }
    let manifest = std::fs::read_to_string(package.join("Cargo.toml"))?;
    ensure!(manifest.contains("\n[workspace]\n"), "{PACKAGE}/Cargo.toml is not the root of a workspace");
    let manifest = manifest.replace("path = \"../", "path = \"vendor/");
    let manifest = manifest.replace("\n[workspace]\n", "\n[workspace]\nexclude = [\"vendor\"]\n");
    std::fs::write(package.join("Cargo.toml"), manifest)?;
    std::fs::create_dir_all(root().join(WHEELS))?;
    archives::pack(&folder, &name, &root().join(WHEELS).join(tarball))?;
    Ok(unpacked)
}

/// Installs a wheel or a source distribution into a new environment, and returns the path of its
/// interpreter.
pub fn try_out(artefact: &Path, folder: &Path) -> Result<String> {
    cmd("python3 -m venv").arg(folder.join("venv")).run()?;
    let python = folder.join("venv/bin/python").display().to_string();
    let pip = cmd(&python).args("-m pip install --quiet --disable-pip-version-check");
    if artefact.extension().is_some_and(|extension| extension == "whl") {
        pip.args("--no-index").arg(artefact).run()?;
    } else {
        // pip fetches maturin, and builds another wheel. It would keep that for the next release.
        c::quick(pip.args("--no-cache-dir").arg(artefact)).run()?;
    }
    Ok(python)
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
