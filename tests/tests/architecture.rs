//! Checks the arrows between the files of the core that `ARCHITECTURE.md` describes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file as the path of its module: `zstd::block`. A `mod.rs` has the path of its folder.
type Module = String;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns every source of the core, without comments and tests.
fn sources() -> BTreeMap<Module, String> {
    fn walk(folder: &Path, prefix: &str, found: &mut BTreeMap<Module, String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let name = if prefix.is_empty() { stem.clone() } else { format!("{prefix}::{stem}") };
            if path.is_dir() {
                walk(&path, &name, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
                let code: String =
                    code.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
                let module = if stem == "mod" { prefix.to_owned() } else { name };
                found.insert(if module == "lib" { String::new() } else { module }, code);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&root().join("core/src"), "", &mut found);
    found
}

/// Collects the paths of a `use` tree, each with its local name: `a::{b, c::D}` is `a::b` and
/// `a::c::D`.
fn tree(text: &str, prefix: &str, paths: &mut Vec<(String, String)>) {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut depth = 0;
        let end = rest.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        let (item, tail) = rest.split_at(end.unwrap_or(rest.len()));
        rest = tail.trim_start_matches(',').trim();
        let item = item.trim();
        if let Some((head, inner)) = item.split_once('{') {
            tree(inner.trim_end().trim_end_matches('}'), &format!("{prefix}{head}"), paths);
        } else if !item.is_empty() {
            let (path, alias) = item.split_once(" as ").unwrap_or((item, item.rsplit("::").next().unwrap()));
            paths.push((format!("{prefix}{path}"), alias.trim().to_owned()));
        }
    }
}

/// Returns every path that starts at the crate, a parent or the module itself, from `use` items and
/// from code. A path of a `use` item comes with its local name.
fn paths(code: &str) -> Vec<(String, Option<String>)> {
    let mut found = vec![];
    for (at, _) in code.match_indices("use ") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let Some(end) = code[at..].find(';') else { continue };
        let mut list = vec![];
        tree(&code[at + 4..at + end], "", &mut list);
        found.extend(list.into_iter().map(|(path, alias)| (path, Some(alias))));
    }
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let path: String =
                code[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':').collect();
            if !path.ends_with(':') {
                found.push((path, None));
            }
        }
    }
    found
}

/// Returns a path as seen from `module`, from the root of the crate; `None` if it leads to another
/// crate.
fn absolute(path: &str, module: &str, sources: &BTreeMap<Module, String>) -> Option<String> {
    let mut at: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
    let mut parts = path.split("::").peekable();
    match *parts.peek()? {
        "crate" => {
            parts.next();
            at.clear();
        }
        "self" => {
            parts.next();
        }
        "super" => {
            while parts.next_if_eq(&"super").is_some() {
                at.pop();
            }
        }
        first => {
            let child = at.iter().chain([&first]).copied().collect::<Vec<_>>().join("::");
            if !sources.contains_key(&child) {
                return None;
            }
        }
    }
    at.extend(parts);
    Some(at.join("::"))
}

/// Returns the re-exports of each module: the public path and the path of the definition.
fn passed_on(sources: &BTreeMap<Module, String>) -> BTreeMap<String, String> {
    let mut passed = BTreeMap::new();
    for (module, code) in sources {
        for (at, _) in code.match_indices("use ") {
            let line = &code[code[..at].rfind('\n').map_or(0, |at| at + 1)..at];
            let Some(end) = code[at..].find(';').filter(|_| line.trim_start().starts_with("pub")) else { continue };
            let mut list = vec![];
            tree(&code[at + 4..at + end], "", &mut list);
            for (path, alias) in list {
                if let Some(path) = absolute(&path, module, sources) {
                    let name = if module.is_empty() { alias } else { format!("{module}::{alias}") };
                    passed.insert(name, path);
                }
            }
        }
    }
    passed
}

/// Returns the files that each file uses. A `mod.rs` and the root only collect modules: a name that
/// they re-export counts as a use of the file that defines it.
fn arrows(sources: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let passed = passed_on(sources);
    let file_of = |path: &str| {
        let mut path = path.to_owned();
        for _ in 0..10 {
            match passed.get(&path) {
                Some(next) if *next != path => path.clone_from(next),
                _ => break,
            }
        }
        loop {
            if sources.contains_key(&path) {
                return path;
            }
            path = path.rsplit_once("::").map_or(String::new(), |(head, _)| head.to_owned());
        }
    };
    let mut arrows = BTreeMap::new();
    for (module, code) in sources {
        let used = paths(code).into_iter().filter_map(|(path, _)| absolute(&path, module, sources));
        let used: BTreeSet<Module> = used.map(|path| file_of(&path)).filter(|file| file != module).collect();
        arrows.insert(module.clone(), used);
    }
    // A collection re-exports its own files, which is not a use.
    for (module, used) in &mut arrows {
        if module.is_empty() || is_collection(&sources[module]) {
            used.retain(|file| !module.is_empty() && !file.starts_with(&format!("{module}::")));
        }
    }
    arrows
}

/// Returns `true` for a file that only declares modules and re-exports names.
fn is_collection(code: &str) -> bool {
    !["fn ", "struct ", "enum ", "impl"].iter().any(|word| code.contains(word))
}

/// Returns groups of files that all reach each other: strongly connected components of two or more.
fn circles(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reach = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            for next in &arrows[file] {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<_, _> = arrows.keys().map(|file| (file, reach(file))).collect();
    let mut found: Vec<Vec<Module>> = vec![];
    for file in arrows.keys() {
        if found.iter().any(|circle| circle.contains(file)) || !reached[file].contains(file) {
            continue;
        }
        found.push(reached[file].iter().filter(|other| reached[**other].contains(file)).map(|&f| f.clone()).collect());
    }
    found
}

#[test]
fn files_point_one_way() {
    let sources = sources();
    assert!(sources.len() > 100, "{} files", sources.len());
    let circles = circles(&arrows(&sources));
    let listed = circles.iter().map(|circle| format!("\n{}", circle.join(", "))).collect::<String>();
    assert!(circles.is_empty(), "files that lead to each other:{listed}");
}
