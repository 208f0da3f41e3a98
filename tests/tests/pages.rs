//! The pages of the repository: links lead to files and headings that exist, and a test runs each
//! snippet.

use std::collections::BTreeSet;
use std::path::Path;

use unspool_tests::pages::{blocks, blocks_of, commands, pages, root};

/// Returns the anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_alphanumeric() || [' ', '-', '_'].contains(&c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn has_heading(page: &str, wanted: &str) -> bool {
    let headings = page.lines().filter_map(|line| line.strip_prefix('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).any(|anchor| anchor == wanted)
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn links_within_the_repository_exist() {
    let mut links = 0;
    for path in pages() {
        let text = read(&path);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.contains(':') || link.contains(char::is_whitespace) {
                continue;
            }
            let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", path.display());
            if let Some(heading) = heading {
                assert!(has_heading(&read(&target), heading), "{}: {link}", path.display());
            }
            links += 1;
        }
    }
    assert!(links > 50, "only {links} links were found");
}

/// The languages that a test runs on a page, apart from those of every page. `docs/testing.md`
/// names the tests.
const TESTED: [(&str, &[&str]); 5] = [
    ("README.md", &["c", "js", "rust", "toml"]),
    ("capi/README.md", &["c", "console"]),
    ("core/README.md", &["rust", "toml"]),
    ("docs/firmware.md", &["c", "cmake", "console", "rust", "toml"]),
    ("wasm/npm/README.md", &["console", "js", "sh", "ts"]),
];

#[test]
fn a_test_runs_every_snippet() {
    let mut unseen: BTreeSet<_> = TESTED.iter().map(|(page, _)| *page).collect();
    let mut seen = 0;
    for path in pages() {
        let page = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        // The README of the package is a door to the pages beside it.
        let family = if page.starts_with("wasm/npm/") { "wasm/npm/README.md" } else { &page };
        let languages = TESTED.iter().find(|(name, _)| *name == family).map_or(&[][..], |(_, languages)| languages);
        unseen.remove(&*page);
        for block in blocks_of(&read(&path)) {
            let place = format!("{page}:{}", block.line);
            let anywhere = match &*block.language {
                "text" => true,
                "console" => commands(&block.text).iter().all(|shown| runs_on_every_page(&shown.command)),
                _ => false,
            };
            assert!(
                anywhere || languages.contains(&&*block.language),
                "{place}: no test runs this block of `{}`; see docs/testing.md",
                block.language
            );
            seen += 1;
        }
    }
    assert!(unseen.is_empty() && seen > 50, "{seen} blocks, without {unseen:?}");
}

/// Returns true for commands that `cli/tests/pages.rs` runs, that a unit test of `xtask` checks, or
/// that are the tests themselves.
fn runs_on_every_page(command: &str) -> bool {
    let known =
        ["unspool ", "cargo xtask ", "cargo test ", "cargo clippy ", "git worktree ", "(cd ../before && cargo xtask "];
    known.iter().any(|start| command.starts_with(start))
}

#[test]
fn the_firmware_page_shows_a_program_that_is_compiled() {
    let program = read("tests/firmware/src/bin/page.rs");
    let rust: Vec<_> = blocks("docs/firmware.md").into_iter().filter(|block| block.language == "rust").collect();
    assert_eq!(rust.len(), 1);
    assert!(program.contains(&rust[0].text), "tests/firmware/src/bin/page.rs differs from:\n{}", rust[0].text);
}

#[test]
fn the_firmware_page_shows_the_cmake_example() {
    let example = read("capi/examples/hosted/CMakeLists.txt");
    let cmake: Vec<_> = blocks("docs/firmware.md").into_iter().filter(|block| block.language == "cmake").collect();
    assert_eq!(cmake.len(), 1);
    for line in cmake[0].text.lines() {
        assert!(example.lines().any(|other| other.trim() == line.trim()), "{line} is not in the example");
    }
}

#[test]
fn manifests_on_pages_name_what_exists() {
    let features = read("core/Cargo.toml");
    let features = features.split_once("[features]").expect("features").1;
    let profile = read("tests/firmware/Cargo.toml");
    let mut dependencies = 0;
    for (page, languages) in TESTED {
        for block in blocks(page).iter().filter(|_| languages.contains(&"toml")) {
            if block.language != "toml" {
                continue;
            }
            let mut section = "";
            for line in block.text.lines().filter(|line| !line.is_empty()) {
                match (line.starts_with('['), section) {
                    (true, _) => section = line,
                    (_, "[dependencies]") => {
                        let names = line.split_once("features = [").and_then(|(_, rest)| rest.split_once(']'));
                        for name in names.expect(line).0.split(", ").map(|name| name.trim_matches('"')) {
                            assert!(features.contains(&format!("\n{name} = [")), "{page}: no feature {name}");
                        }
                        dependencies += 1;
                    }
                    (_, "[profile.release]") => assert!(profile.contains(line), "{page}: {line}"),
                    _ => panic!("{page}: {line} in {section}"),
                }
            }
        }
    }
    assert_eq!(dependencies, 3);
}
