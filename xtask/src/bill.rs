//! The bill of materials of a release, in the format of CycloneDX 1.5.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::sh::{cmd, root};
use crate::{archives, demo, wasm};

/// Packages that are shipped: the folder of their lock file, and the name.
const SHIPPED: [(&str, &str); 6] = [
    (".", "unspool"),
    (".", "unspool-arrow"),
    (".", "unspool-cli"),
    (".", "unspool-capi"),
    (".", "unspool-wasm"),
    ("python", "unspool-python"),
];

/// Folders of npm with code for browsers and Node, and their tools that put code of their own into
/// an artefact. TypeDoc writes its script into each reference; lunr is a part of that script.
const BUNDLED: [(&str, &[&str]); 3] = [(demo::PAGE, &[]), (wasm::NPM, &[]), (wasm::REFERENCE, &["lunr", "typedoc"])];

/// A crate that is linked into an artefact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Linked {
    name: String,
    version: String,
    licence: String,
}

/// Returns the bill: every crate that is linked into an artefact, and every package of npm that is
/// bundled into one, with the checksums of the lock files. Nothing in it depends on the time or on
/// the machine.
pub fn of_materials() -> Result<String> {
    let (mut linked, mut sums) = (BTreeSet::new(), BTreeMap::new());
    for (folder, package) in SHIPPED {
        let tree = cmd("cargo tree --locked --edges normal --prefix none --no-dedupe --format")
            .arg("{p}|{l}")
            .args("--package")
            .arg(package)
            .dir(folder)
            .read()?;
        linked.extend(tree.lines().filter_map(crate_of));
        sums.extend(checksums(&std::fs::read_to_string(root().join(folder).join("Cargo.lock"))?));
    }
    ensure!(linked.len() > 10, "only {} crates are linked", linked.len());
    let mut components = vec![];
    for Linked { name, version, licence } in linked {
        let sum = sums.get(&(name.clone(), version.clone())).with_context(|| format!("no checksum of {name}"))?;
        // Older manifests write a slash for OR.
        components.push(component(("cargo", &name), &version, &licence.replace('/', " OR "), ("SHA-256", sum)));
    }
    for (folder, tools) in BUNDLED {
        components.extend(bundled(&std::fs::read_to_string(root().join(folder).join("package-lock.json"))?, tools)?);
    }
    let unspool =
        json!({ "type": "library", "bom-ref": "unspool", "name": "unspool", "version": archives::version()? });
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": unspool },
        "components": components,
    });
    Ok(format!("{bill:#}\n"))
}

fn component((registry, name): (&str, &str), version: &str, licence: &str, (alg, content): (&str, &str)) -> Value {
    let purl = format!("pkg:{registry}/{}@{version}", name.replace('@', "%40"));
    json!({
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "hashes": [{ "alg": alg, "content": content }],
        "licenses": [{ "expression": licence }],
    })
}

/// Returns the packages of a `package-lock.json` that are bundled: those that are not for
/// development, and these tools.
fn bundled(lock: &str, tools: &[&str]) -> Result<Vec<Value>> {
    let lock: Value = serde_json::from_str(lock)?;
    let mut components = vec![];
    for (path, package) in lock["packages"].as_object().context("a lock without packages")? {
        // Other paths are folders of this repository.
        let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
        let ships = package["dev"] != true && package["link"] != true;
        if !ships && !tools.contains(&name) {
            continue;
        }
        let text = |key: &str| package[key].as_str().with_context(|| format!("{path} has no {key}"));
        let sum = BASE64.decode(text("integrity")?.strip_prefix("sha512-").context("another hash than SHA-512")?)?;
        let sum = sum.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        components.push(component(("npm", name), text("version")?, text("license")?, ("SHA-512", &sum)));
    }
    Ok(components)
}

/// Reads a line such as `memchr v2.8.3|Unlicense OR MIT`. Crates of this repository have a path.
fn crate_of(line: &str) -> Option<Linked> {
    let (package, licence) = line.split_once('|')?;
    let mut words = package.split_whitespace();
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    let is_ours = words.any(|word| word.starts_with('(') && word != "(proc-macro)");
    (!is_ours).then(|| Linked { name: name.into(), version: version.into(), licence: licence.trim().into() })
}

/// Returns the checksum of each crate in a lock file.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut sums = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.map(|value| value.trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(sum)) = (value("name"), value("version"), value("checksum")) {
            sums.insert((name, version), sum);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_tree_are_read() {
        let memchr = Linked { name: "memchr".into(), version: "2.8.3".into(), licence: "Unlicense OR MIT".into() };
        assert_eq!(crate_of("memchr v2.8.3|Unlicense OR MIT"), Some(memchr));
        assert!(crate_of("clap_derive v4.6.7 (proc-macro)|MIT OR Apache-2.0").is_some());
        assert_eq!(crate_of("unspool v0.1.0 (/home/user/unspool/core)|MIT OR Apache-2.0"), None);
    }

    #[test]
    fn every_crate_in_the_lock_file_has_a_checksum() {
        let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
        let sums = checksums(&lock);
        assert!(sums.len() > 50 && sums.values().all(|sum| sum.len() == 64), "{} checksums", sums.len());
    }

    #[test]
    fn every_package_that_the_page_imports_is_bundled() {
        let lock = std::fs::read_to_string(root().join(demo::PAGE).join("package-lock.json")).unwrap();
        let components = bundled(&lock, &[]).unwrap();
        let names: Vec<_> = components.iter().filter_map(|component| component["name"].as_str()).collect();
        let sources =
            cmd("git grep -hoE").arg("(from|import) '[a-z@][^']*'").args("--").arg("web-demo/src").read().unwrap();
        let mut imports = 0;
        for module in sources.lines().filter_map(|line| line.split('\'').nth(1)) {
            let package =
                module.split('/').take(if module.starts_with('@') { 2 } else { 1 }).collect::<Vec<_>>().join("/");
            assert!(package == "unspool" || names.contains(&&*package), "{package} is not in {names:?}");
            imports += usize::from(package != "unspool");
        }
        assert!(imports > 10, "{imports} imports of packages");
    }

    #[test]
    fn packages_have_an_address_a_licence_and_a_hash() {
        let lock = r#"{ "packages": {
            "": { "name": "page" },
            "../wasm/npm": { "version": "0.1.0" },
            "node_modules/unspool": { "resolved": "../wasm/npm", "link": true },
            "node_modules/a": { "version": "1.0.0", "dev": true },
            "node_modules/tool": { "version": "2.0.0", "dev": true, "license": "MIT", "integrity": "sha512-AAE=" },
            "node_modules/tool/node_modules/@b/c": { "version": "3.0.0", "license": "ISC", "integrity": "sha512-/w==" }
        } }"#;
        let [tool, scoped] = bundled(lock, &["tool"]).unwrap().try_into().unwrap();
        assert_eq!(tool, component(("npm", "tool"), "2.0.0", "MIT", ("SHA-512", "0001")));
        assert_eq!(scoped["purl"], "pkg:npm/%40b/c@3.0.0");
        assert_eq!(scoped["hashes"][0]["content"], "ff");
        assert!(bundled(&lock.replace("sha512", "sha1"), &["tool"]).is_err());
    }
}
