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

/// Every promise of the threat model and of the README names a file or a step that proves it.
#[test]
fn promises_name_their_proofs() {
    let (security, readme) = (read("SECURITY.md"), read("README.md"));
    let rows = security.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| part"));
    let guarantees = readme.split("## Guarantees").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or("");
    let guarantees: Vec<_> = guarantees.split("\n* ").skip(1).collect();
    assert!(guarantees.len() > 3, "only {} guarantees", guarantees.len());
    let steps = read("xtask/src/test.rs");
    let mut promises = 0;
    for promise in rows.chain(guarantees) {
        let mut proofs = 0;
        for (before, name) in promise.split('`').zip(promise.split('`').skip(1)).step_by(2) {
            let is_step = before.ends_with("step ");
            if !is_step && !name.contains('/') {
                continue;
            }
            let proves =
                if is_step { steps.contains(&format!("name: \"{name}\"")) } else { root().join(name).is_file() };
            assert!(proves, "{name} proves nothing: {promise}");
            proofs += 1;
        }
        assert!(proofs > 0, "no proof: {promise}");
        promises += 1;
    }
    assert!(promises > 15, "only {promises} promises");
}

/// The languages that a test runs on a page, apart from those of every page. `docs/testing.md`
/// names the tests.
const TESTED: [(&str, &[&str]); 11] = [
    ("README.md", &["c", "js", "python", "rust", "toml"]),
    ("arrow/README.md", &["rust"]),
    ("capi/README.md", &["c", "console"]),
    ("core/README.md", &["rust", "toml"]),
    ("docs/firmware.md", &["c", "cmake", "console", "rust", "toml"]),
    ("docs/sql.md", &["console"]),
    ("docs/updates.md", &["rust"]),
    ("packaging/README.md", &["cmake", "sh"]),
    ("python/README.md", &["console", "python"]),
    ("python/REFERENCE.md", &["python"]),
    ("wasm/npm/README.md", &["console", "html", "js", "sh", "ts"]),
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

/// Returns true for commands that `cli/tests/pages.rs` or the step `sql` runs, that a unit test of
/// `xtask` checks, or that are the tests themselves.
fn runs_on_every_page(command: &str) -> bool {
    let known = [
        "unspool ",
        "cargo xtask ",
        "cargo run --quiet --manifest-path datafusion/Cargo.toml ",
        "cargo test ",
        "cargo clippy ",
        "git worktree ",
        "(cd ../before && cargo xtask ",
    ];
    known.iter().any(|start| command.starts_with(start))
}

#[test]
fn pages_for_devices_show_programs_that_are_compiled() {
    for (page, name) in [("docs/firmware.md", "page.rs"), ("docs/updates.md", "update.rs")] {
        let program = read(format!("tests/firmware/src/bin/{name}"));
        let rust: Vec<_> = blocks(page).into_iter().filter(|block| block.language == "rust").collect();
        assert_eq!(rust.len(), 1, "{page}");
        assert!(program.contains(&rust[0].text), "{name} differs from:\n{}", rust[0].text);
    }
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
            for line in block.text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
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

/// The page for devices has a row for each format, with the names after `unspool_FORMAT`. Pco has
/// some of them for each width; the page names those for 32 bits.
#[test]
fn the_firmware_page_lists_every_function_of_c() {
    let page = read("docs/firmware.md");
    let start = page.find("| | describe | open |").expect("the table of functions");
    let table = page[start..].split("\n\n").next().unwrap();
    let mut functions = 0;
    for (format, title) in [
        ("zstd", "Zstandard"),
        ("xz", "xz"),
        ("gzip", "gzip"),
        ("pco", "Pco"),
        ("onpair", "OnPair"),
        ("cvc", "CVC"),
        ("at1", "AT-1"),
    ] {
        let rows = table.lines().filter(|line| line.starts_with(&format!("| {title}")));
        let listed: BTreeSet<&str> = rows.flat_map(|row| row.split('`')).filter(|name| name.starts_with('_')).collect();
        let header = read(format!("capi/include/unspool/{format}.h"));
        for name in header.split(&format!("unspool_{format}_")).skip(1) {
            let Some((name, _)) = name.split_once('(') else { continue };
            if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            let width = ["_8", "_16", "_64"].iter().find_map(|width| name.strip_suffix(width));
            let name = format!("_{}", width.map_or(name.to_owned(), |name| format!("{name}_32")));
            let open_end = |listed: &str| listed.strip_suffix('…').is_some_and(|start| name.starts_with(start));
            assert!(
                listed.contains(name.as_str()) || listed.iter().any(|listed| open_end(listed)),
                "docs/firmware.md lists no `{name}` for {title}"
            );
            functions += 1;
        }
    }
    assert!(functions > 80, "only {functions} functions were found");
}

/// The README rounds figures of `docs/sizes.md`, and may lag a little after changes of the code.
#[test]
fn the_readme_shows_the_sizes_that_were_measured() {
    let sizes = read("docs/sizes.md");
    let device =
        sizes.split("\n## ").find(|section| section.starts_with("Cortex-M0 ")).expect("figures of a Cortex-M0");
    let rows = [
        ("Zstandard", "Zstandard, a whole file"),
        ("*zstd 1.5.7 in C, small build*", "zstd 1.5.7 in C, built to be small"),
        ("xz", "xz, a whole file"),
        ("*XZ Embedded in C*", "XZ Embedded in C, whole files (xz)"),
        ("Pco, one type of integers", "Pco, one type of integers"),
        ("OnPair, single rows", "OnPair, single rows"),
        ("CVC, rows of fp16", "CVC, rows (fp16)"),
    ];
    let readme = read("README.md");
    let table = readme.split("\n## ").find(|section| section.starts_with("Size\n")).expect("a section on size");
    for (shown, measured) in rows {
        let cells = |text: &str, name: &str| -> Vec<String> {
            let row = text.lines().find(|line| line.starts_with(&format!("| {name} |")));
            row.unwrap_or_else(|| panic!("no row {name}")).split('|').map(|cell| cell.trim().to_owned()).collect()
        };
        let number = |cell: &str| cell.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        let (shown, measured) = (cells(table, shown), cells(device, measured));
        // Flash, RAM and stack; in the other table RAM is after the column of level 3, and the
        // stack after two of frames.
        for (ours, theirs) in [(2, 2), (3, 4), (4, 7)] {
            if let (Some(kilobytes), Some(bytes)) = (number(&shown[ours]), number(&measured[theirs])) {
                let off = (kilobytes * 1000.0 - bytes).abs();
                assert!(
                    off < 55.0 || off < bytes * 0.05,
                    "README.md says {kilobytes} KB, docs/sizes.md {bytes}: {}",
                    shown[1]
                );
            }
        }
    }
}
