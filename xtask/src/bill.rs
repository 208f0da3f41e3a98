//! The bill of materials of a release, in the format of CycloneDX 1.5.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, ensure};

use crate::archives;
use crate::sh::{cmd, root};

/// Packages that are shipped: the folder of their lock file, and the name.
const SHIPPED: [(&str, &str); 6] = [
    (".", "unspool"),
    (".", "unspool-arrow"),
    (".", "unspool-cli"),
    (".", "unspool-capi"),
    (".", "unspool-wasm"),
    ("python", "unspool-python"),
];

/// A crate that is linked into an artefact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Linked {
    name: String,
    version: String,
    licence: String,
}

/// Returns the bill: every crate that is linked into an artefact, with the checksum that the lock
/// file has for it. Nothing in it depends on the time or on the machine.
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
    bill(&linked, &sums)
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

fn bill(linked: &BTreeSet<Linked>, sums: &BTreeMap<(String, String), String>) -> Result<String> {
    let mut components = String::new();
    for Linked { name, version, licence } in linked {
        let sum = sums.get(&(name.clone(), version.clone())).with_context(|| format!("no checksum of {name}"))?;
        let comma = if components.is_empty() { "" } else { "," };
        // Older manifests write a slash for OR.
        let licence = licence.replace('/', " OR ");
        write!(
            components,
            "{comma}\n    {{\n      \"type\": \"library\",\n      \"bom-ref\": \"pkg:cargo/{name}@{version}\",\n      \
             \"name\": \"{name}\",\n      \"version\": \"{version}\",\n      \"purl\": \"pkg:cargo/{name}@{version}\",\n      \
             \"hashes\": [{{ \"alg\": \"SHA-256\", \"content\": \"{sum}\" }}],\n      \
             \"licenses\": [{{ \"expression\": \"{licence}\" }}]\n    }}"
        )?;
    }
    let version = archives::version()?;
    Ok(format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"metadata\": {{\n    \
         \"component\": {{ \"type\": \"library\", \"bom-ref\": \"unspool\", \"name\": \"unspool\", \"version\": \"{version}\" }}\n  \
         }},\n  \"components\": [{components}\n  ]\n}}\n"
    ))
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
}
