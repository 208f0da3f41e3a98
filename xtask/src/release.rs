//! Builds everything that users take, twice, compares the builds byte for byte, and runs each
//! artefact in a fresh folder.
//!
//! Both builds are clones of the same commit, in folders whose names and depths differ. A path or a
//! time in an artefact would make them differ.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection};

use crate::sh::{Cmd, cmd, root};
use crate::{archives, bill, c, demo, install, python, site, wasm, wasm_c};

/// The target of the command: linked with musl, so that it runs on every Linux.
const MUSL: &str = "x86_64-unknown-linux-musl";
/// A file that every artefact decodes, and its content.
const SAMPLE: (&str, &str) = ("tests/vectors/xz/page.xz", "tests/vectors/xz/page.csv");
/// A column of strings, and their bytes.
const STRINGS: (&str, &str) = ("tests/vectors/onpair/cpp/utf8_b12.onp", "tests/vectors/onpair/data/utf8.expected.bin");
/// The folders of the two builds.
const CLONES: [&str; 2] = ["first", "a/second"];

/// A part of a release.
pub struct Part {
    pub name: &'static str,
    /// Builds the artefacts and returns their paths.
    build: fn() -> Result<Vec<PathBuf>>,
    /// Installs and runs an artefact in an empty folder.
    try_out: fn(&Path, &Path) -> Result<()>,
}

pub const PARTS: [Part; 7] = [
    Part { name: "crates", build: crates, try_out: try_crate },
    Part { name: "command", build: command, try_out: try_command },
    Part { name: "npm", build: npm, try_out: try_npm },
    Part { name: "archives", build: || Ok(vec![archives::package()?]), try_out: archives::try_out },
    Part { name: "wheel", build: wheel, try_out: try_wheel },
    Part { name: "wasm", build: module, try_out: try_module },
    Part { name: "site", build: pages, try_out: try_pages },
];

/// Returns the parts with these names, or all.
fn chosen(names: &[String]) -> Result<Vec<&'static Part>> {
    for name in names {
        ensure!(PARTS.iter().any(|part| part.name == name), "no part of a release is called {name}");
    }
    Ok(PARTS.iter().filter(|part| names.is_empty() || names.iter().any(|name| name == part.name)).collect())
}

/// Builds parts in this checkout and copies the artefacts into a folder.
pub fn build(names: &[String], folder: &Path) -> Result<()> {
    for part in chosen(names)? {
        for artefact in (part.build)()? {
            let to = folder.join(part.name).join(artefact.file_name().context("a file")?);
            std::fs::create_dir_all(folder.join(part.name))?;
            std::fs::copy(&artefact, &to).with_context(|| format!("cannot copy {}", artefact.display()))?;
        }
    }
    Ok(())
}

/// Builds parts twice, compares, and tries them out. Leaves the artefacts, their checksums and
/// their bill of materials in `target/shipped/out`.
pub fn dry_run(names: &[String]) -> Result<()> {
    let parts = chosen(names)?;
    let changed = cmd("git status --porcelain --untracked-files=no").read()?;
    ensure!(changed.is_empty(), "commit first: a release is built from a commit\n{changed}");
    let folder = std::path::absolute(c::built())?.join("shipped");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let outs = CLONES.map(|name| folder.join(name).join("out"));
    for (name, out) in CLONES.into_iter().zip(&outs) {
        clone_and_build(&folder.join(name).join("unspool"), out, &parts)?;
    }
    let [out, again] = &outs;
    let mut artefacts = vec![];
    for part in &parts {
        let files = files(&out.join(part.name))?;
        ensure!(files == self::files(&again.join(part.name))?, "the builds of {} have other files", part.name);
        ensure!(!files.is_empty(), "{} built nothing", part.name);
        for file in files {
            let (one, other) = (out.join(part.name).join(&file), again.join(part.name).join(&file));
            let (one, other) = (std::fs::read(one)?, std::fs::read(other)?);
            if one != other {
                let at = one.iter().zip(&other).position(|(a, b)| a != b).unwrap_or(one.len().min(other.len()));
                bail!("{file} differs between two builds, from byte {at}");
            }
            artefacts.push((*part, file));
        }
    }
    println!("    {} artefacts, the same bytes in both builds", artefacts.len());
    for (part, file) in &artefacts {
        let fresh = folder.join("fresh").join(part.name).join(file);
        std::fs::create_dir_all(&fresh)?;
        (part.try_out)(&out.join(part.name).join(file), &fresh).with_context(|| format!("trying out {file}"))?;
        println!("    {file} works");
    }
    let shipped = folder.join("out");
    std::fs::create_dir_all(&shipped)?;
    for (part, file) in &artefacts {
        ensure!(!shipped.join(file).exists(), "two artefacts are called {file}");
        std::fs::copy(out.join(part.name).join(file), shipped.join(file))?;
    }
    std::fs::write(shipped.join("unspool.cdx.json"), bill::of_materials()?)?;
    let sums = files(&shipped)?.iter().fold(cmd("sha256sum"), |sums, file| sums.arg(file)).dir(&shipped).read()?;
    std::fs::write(shipped.join("SHA256SUMS"), sums)?;
    println!("    nothing was published; the artefacts are in {}", shipped.display());
    Ok(())
}

/// Clones the commit of this checkout and builds parts of it.
fn clone_and_build(clone: &Path, out: &Path, parts: &[&Part]) -> Result<()> {
    std::fs::create_dir_all(out)?;
    cmd("git clone --quiet --no-hardlinks").arg(root()).arg(clone).run()?;
    let time = cmd("git log -1 --format=%ct").read()?;
    let build = cmd("cargo xtask release --build").arg(out).dir(clone);
    let build = parts.iter().fold(build, |build, part| build.arg(part.name));
    build
        .env("CARGO_TARGET_DIR", clone.join("target"))
        // Of the lowest precedence: builds with flags of their own add these to them.
        .env("CARGO_BUILD_RUSTFLAGS", wasm::remapped(clone).join(" "))
        .env("SOURCE_DATE_EPOCH", time.trim())
        .run()
}

/// Returns the names of the files in a folder, in order.
fn files(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} is missing", folder.display()))?;
    let mut names =
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Runs a program on a file and compares its output with the content.
fn decodes(program: Cmd, (file, content): (&str, &str)) -> Result<()> {
    let outcome = program.arg(root().join(file)).outcome(c::PATIENCE)?;
    let content = std::fs::read_to_string(root().join(content))?;
    ensure!(outcome.success && outcome.stdout == content, "it does not decode {file}: {}", outcome.stderr);
    Ok(())
}

/// Packs the crates. Cargo builds each from its package.
fn crates() -> Result<Vec<PathBuf>> {
    let names = ["unspool", "unspool-arrow", "unspool-cli"];
    forget_packages(&names)?;
    names.iter().fold(cmd("cargo package --locked"), |package, name| package.args("-p").arg(name)).run()?;
    let file = |name: &&str| Ok(c::built().join(format!("package/{name}-{}.crate", archives::version()?)));
    names.iter().map(file).collect()
}

/// Removes what Cargo unpacked of earlier packages. It tells packages apart by their version alone,
/// and would compile old sources.
fn forget_packages(names: &[&str]) -> Result<()> {
    let Ok(registries) = std::fs::read_dir(install::cargo_home().join("registry/src")) else { return Ok(()) };
    let version = archives::version()?;
    for registry in registries {
        let registry = registry?;
        // Packages that are in no registry yet come from a folder, which has no host.
        if registry.file_name().to_string_lossy().starts_with('-') {
            let unpacked = names.iter().map(|name| registry.path().join(format!("{name}-{version}")));
            unpacked.filter(|path| path.exists()).try_for_each(|path| cmd("rm -r").arg(path).run())?;
        }
    }
    Ok(())
}

/// Installs a program in a folder of its own: the command, or one that depends on the library. The
/// other crates take the core, which is in no registry yet, from its package.
fn try_crate(artefact: &Path, fresh: &Path) -> Result<()> {
    const XZ: &str = "fn main() {
        let file = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
        let content = unspool::xz::decode_to_vec(&file, &unspool::xz::Options::DEFAULT).unwrap();
        std::io::Write::write_all(&mut std::io::stdout(), &content).unwrap();
    }";
    const ONPAIR: &str = "fn main() {
        let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
        let file = unspool::onpair::File::open(&bytes, &unspool::Limits::DEFAULT).unwrap();
        let array = unspool_arrow::onpair::decode(file.column(), file.column().rows(), true).unwrap();
        let strings = arrow_array::cast::AsArray::as_string_view(&array);
        strings.iter().for_each(|string| print!(\"{}\", string.unwrap()));
    }";
    let version = archives::version()?;
    let core = format!("unspool-{version}");
    let name = artefact.file_stem().context("a name")?.to_string_lossy().into_owned();
    for package in BTreeSet::from([&name, &core]) {
        cmd("tar -xf").arg(artefact.with_file_name(format!("{package}.crate"))).dir(fresh).run()?;
    }
    let manifest = std::fs::read_to_string(fresh.join(&name).join("Cargo.toml"))?;
    ensure!(manifest.contains("license = ") && manifest.contains("repository = "), "{name} has no licence or address");
    ensure!(fresh.join(&name).join("LICENSE-MIT").exists(), "{name} has no text of its licence");
    let patch = format!("patch.crates-io.unspool.path={:?}", fresh.join(&core).display().to_string());
    let install = |package: &str| {
        let install = cmd("cargo install --quiet --root . --target-dir target --path").arg(package).dir(fresh);
        // The part `command` is optimised.
        c::quick(install.arg("--config").arg(&patch)).run()
    };
    let program = |source: &str, dependencies: &str| {
        std::fs::create_dir_all(fresh.join("program/src"))?;
        std::fs::write(fresh.join("program/src/main.rs"), source)?;
        let head = "[package]\nname = \"program\"\nedition = \"2024\"\n[dependencies]\n";
        std::fs::write(fresh.join("program/Cargo.toml"), format!("{head}unspool = \"{version}\"\n{dependencies}"))?;
        install("program")
    };
    let built = |name: &str| cmd(&fresh.join("bin").join(name).display().to_string());
    if name == core {
        program(XZ, "")?;
        decodes(built("program"), SAMPLE)
    } else if name == format!("unspool-arrow-{version}") {
        program(ONPAIR, &format!("unspool-arrow.path = \"../{name}\"\narrow-array = \"59\"\n"))?;
        decodes(built("program"), STRINGS)
    } else {
        install(&name)?;
        decodes(built("unspool").args("decode"), SAMPLE)
    }
}

/// Builds the command without a dynamic library.
fn command() -> Result<Vec<PathBuf>> {
    install::target(MUSL)?;
    cmd("cargo build --locked --release -p unspool-cli --config profile.release.strip=true --target")
        .arg(MUSL)
        .run()?;
    let named = c::built().join(format!("unspool-{}-x86_64-linux", archives::version()?));
    std::fs::copy(c::built().join(MUSL).join("release/unspool"), &named)?;
    Ok(vec![named])
}

fn try_command(artefact: &Path, fresh: &Path) -> Result<()> {
    let program = fresh.join("unspool");
    std::fs::copy(artefact, &program)?;
    let bytes = std::fs::read(&program)?;
    let file = object::File::parse(&*bytes)?;
    let interpreter = file.sections().any(|section| section.name() == Ok(".interp"));
    ensure!(!interpreter, "the command needs a dynamic linker");
    decodes(cmd(&program.display().to_string()).args("decode").dir(fresh), SAMPLE)
}

fn npm() -> Result<Vec<PathBuf>> {
    install::node_modules(wasm::NPM)?;
    Ok(vec![demo::package()?])
}

fn try_npm(artefact: &Path, fresh: &Path) -> Result<()> {
    const PROGRAM: &str = "import { readFile } from 'node:fs/promises';
        import { decode } from 'unspool';
        const decoded = await decode(await readFile(process.argv[2]));
        process.stdout.write(decoded.bytes ?? decoded.data);";
    std::fs::write(fresh.join("package.json"), "{ \"private\": true, \"type\": \"module\" }")?;
    std::fs::write(fresh.join("program.mjs"), PROGRAM)?;
    cmd("npm install --ignore-scripts --no-audit --no-fund").arg(artefact).dir(fresh).run()?;
    decodes(cmd("node program.mjs").dir(fresh), SAMPLE)
}

fn wheel() -> Result<Vec<PathBuf>> {
    let folder = root().join(python::WHEELS);
    python::wheel()?;
    Ok(files(&folder)?.into_iter().map(|name| folder.join(name)).collect())
}

fn try_wheel(artefact: &Path, fresh: &Path) -> Result<()> {
    const PROGRAM: &str = "import sys, unspool; sys.stdout.buffer.write(unspool.open(sys.argv[1]).read())";
    decodes(cmd(&python::try_out(artefact, fresh)?).arg("-c").arg(PROGRAM).dir(fresh), SAMPLE)
}

fn module() -> Result<Vec<PathBuf>> {
    let named = c::built().join(format!("unspool-{}.wasm", archives::version()?));
    std::fs::copy(wasm_c::build()?, &named)?;
    Ok(vec![named])
}

/// Building the module has checked that it imports nothing.
fn try_module(artefact: &Path, fresh: &Path) -> Result<()> {
    decodes(cmd("node").arg(root().join(wasm_c::EXAMPLES).join("decode.mjs")).arg(artefact).dir(fresh), SAMPLE)
}

fn pages() -> Result<Vec<PathBuf>> {
    install::node_modules(wasm::NPM)?;
    site::build()?;
    let tarball = c::built().join(format!("unspool-{}-site.tar.gz", archives::version()?));
    archives::pack(&root().join(site::OUT), ".", &tarball)?;
    Ok(vec![tarball])
}

/// Opens every page in headless Chromium.
fn try_pages(artefact: &Path, fresh: &Path) -> Result<()> {
    cmd("tar -xf").arg(artefact).dir(fresh).run()?;
    install::node_modules(demo::PAGE)?;
    cmd("npm run site --").arg(fresh).dir(demo::PAGE).env("CHROMIUM", install::chromium()?).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_chosen_by_name() {
        assert_eq!(chosen(&[]).unwrap().len(), PARTS.len());
        let names: Vec<_> = chosen(&["wasm".into(), "crates".into()]).unwrap().iter().map(|part| part.name).collect();
        assert_eq!(names, ["crates", "wasm"]);
        assert!(chosen(&["crate".into()]).is_err());
    }
}
