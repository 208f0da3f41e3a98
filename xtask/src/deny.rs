//! Checks the dependencies of every lock file: with `cargo deny` and `npm audit`, which know
//! vulnerabilities, or here, without a tool that takes minutes to install.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::install;
use crate::sh::{cmd, root};

/// The file with the rules.
const RULES: &str = "deny.toml";
/// The only source that `deny.toml` does not refuse.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Runs `cargo deny` with these checks, or with all, for each lock file of Rust. If they look for
/// vulnerabilities, runs `npm audit` for each lock file of npm.
pub fn run(checks: &[String]) -> Result<()> {
    install::cargo_deny()?;
    for manifest in manifests()? {
        let deny = cmd("cargo deny --locked --config").arg(RULES).arg("--manifest-path").arg(&manifest).args("check");
        checks.iter().fold(deny, |deny, check| deny.arg(check)).run()?;
    }
    if checks.is_empty() || checks.iter().any(|check| check == "advisories") {
        install::node()?;
        for lock in locks("package-lock.json")? {
            let folder = lock.trim_end_matches("package-lock.json");
            cmd("npm audit --package-lock-only").dir(folder).run()?;
        }
    }
    Ok(())
}

/// Checks licences, sources and versions of each lock file.
pub fn check() -> Result<()> {
    let rules = std::fs::read_to_string(root().join(RULES))?;
    for manifest in manifests()? {
        let metadata = cmd("cargo metadata --locked --all-features --format-version 1 --manifest-path").arg(&manifest);
        let metadata: Value = serde_json::from_str(&metadata.read()?)?;
        let packages = metadata["packages"].as_array().context("no packages")?;
        let faults: Vec<_> = packages.iter().flat_map(|package| faults(package, &rules)).collect();
        ensure!(faults.is_empty(), "{manifest} breaks rules of {RULES}:\n{}", faults.join("\n"));
        println!("    {} packages keep the rules of {RULES}", packages.len());
    }
    Ok(())
}

/// Returns the manifest beside each lock file.
fn manifests() -> Result<Vec<String>> {
    let locks = locks("Cargo.lock")?;
    Ok(locks.into_iter().map(|lock| lock.replace(".lock", ".toml")).collect())
}

/// Returns the paths of all lock files with this name.
fn locks(name: &str) -> Result<Vec<String>> {
    let paths = cmd(&format!("git ls-files *{name}")).read()?;
    Ok(paths.lines().map(str::to_owned).collect())
}

/// Returns what is wrong with a package.
fn faults(package: &Value, rules: &str) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let mut faults = vec![];
    // A package of this repository has no source. A registry takes no wildcards.
    let Some(source) = package["source"].as_str() else {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            if dependency["req"] == "*" && dependency["path"].is_null() {
                faults.push(format!("{name} takes any version of {}", dependency["name"]));
            }
        }
        return faults;
    };
    if source != REGISTRY {
        faults.push(format!("{name} comes from {source}"));
    }
    let licence = package["license"].as_str().unwrap_or("unknown");
    if !keeps(&licence.replace('/', " OR "), &allowed(rules, name)) {
        faults.push(format!("the licence of {name} is {licence}"));
    }
    faults
}

/// Returns the licences that a package may have.
fn allowed<'r>(rules: &'r str, package: &str) -> Vec<&'r str> {
    let section = |section: &&str| {
        section.starts_with("licenses]")
            || section.starts_with("[licenses.exceptions]]") && section.contains(&format!("crate = \"{package}\""))
    };
    let list = |section: &'r str| section.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']'));
    let lists = rules.split("\n[").filter(section).filter_map(list);
    lists.flat_map(|(list, _)| list.split('"').skip(1).step_by(2)).collect()
}

/// Tests an SPDX expression: `AND` needs both sides, `OR` one of them.
fn keeps(expression: &str, allowed: &[&str]) -> bool {
    let split = |word: &str| {
        let places = expression.match_indices(word).map(|(at, _)| (&expression[..at], &expression[at + word.len()..]));
        places.into_iter().find(|(left, _)| left.matches('(').count() == left.matches(')').count())
    };
    if let Some((left, right)) = split(" OR ") {
        return keeps(left, allowed) || keeps(right, allowed);
    }
    if let Some((left, right)) = split(" AND ") {
        return keeps(left, allowed) && keeps(right, allowed);
    }
    let inner = expression.trim().strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    inner.map_or_else(|| allowed.contains(&expression.trim()), |inner| keeps(inner, allowed))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Rules that this module has in code.
    const OBEYED: [&str; 6] = [
        "all-features = true",
        "include-dev = true",
        "unknown-registry = \"deny\"",
        "unknown-git = \"deny\"",
        "wildcards = \"deny\"",
        "allow-wildcard-paths = true",
    ];

    #[test]
    fn obeys_every_rule_of_the_file() {
        let rules = std::fs::read_to_string(root().join(RULES)).unwrap();
        let strict = rules.lines().filter(|line| line.ends_with("\"deny\"") || line.ends_with("true"));
        assert_eq!(strict.collect::<Vec<_>>(), OBEYED);
        assert!(allowed(&rules, "any").contains(&"Apache-2.0 WITH LLVM-exception"));
        assert!(allowed(&rules, "libfuzzer-sys").contains(&"NCSA") && !allowed(&rules, "any").contains(&"NCSA"));
    }

    #[test]
    fn finds_each_violation() {
        let rules = "[graph]\n[licenses]\nallow = [\n  \"MIT\",\n  \"ISC\",\n]\n\n[[licenses.exceptions]]\ncrate = \"a\"\nallow = [\"NCSA\"]\n";
        let licence = |name: &str, licence: &str| {
            faults(&json!({ "name": name, "source": REGISTRY, "license": licence }), rules).len()
        };
        for kept in ["MIT", "MIT OR GPL-3.0", "MIT AND ISC", "GPL-3.0/MIT", "(GPL-3.0 OR (MIT AND ISC)) AND ISC"] {
            assert_eq!(licence("b", kept), 0, "{kept}");
        }
        for broken in ["GPL-3.0", "MIT AND GPL-3.0", "MIT WITH GPL", "NCSA", "", "(MIT OR ISC) AND (NCSA)", "(MIT"] {
            assert_eq!(licence("b", broken), 1, "{broken}");
        }
        assert_eq!(licence("a", "MIT AND NCSA"), 0);
        let elsewhere = json!({ "name": "b", "source": "git+https://example.com/b", "license": "MIT" });
        assert_eq!(faults(&elsewhere, rules).len(), 1);
        assert_eq!(faults(&json!({ "name": "b", "source": REGISTRY, "license": null }), rules).len(), 1);
        let own = |dependency: Value| faults(&json!({ "name": "b", "dependencies": [dependency] }), rules).len();
        assert_eq!(own(json!({ "name": "c", "req": "*", "path": null })), 1);
        assert_eq!(own(json!({ "name": "c", "req": "*", "path": "c" })), 0);
        assert_eq!(own(json!({ "name": "c", "req": "^1", "path": null })), 0);
    }
}
