//! Runs the `unspool` commands of all pages, and compares the output that the pages show.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use unspool_tests::pages::{blocks_of, commands, matches, pages, root};
use unspool_tests::read;

/// The files that the commands read, made of vectors.
const FILES: [(&str, &str); 5] = [
    ("vectors.cvc", "cvc/v1_fp16.cvc"),
    ("page.zst", "zstd/page.zst"),
    ("page.xz", "xz/page.xz"),
    ("events.at1", "at1/c8_events.at1"),
    ("urls.onp", "onpair/cpp/urls_b12.onp"),
];

#[test]
fn commands_on_pages_print_what_they_show() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, vector) in FILES {
        std::fs::write(folder.join(name), read(&vectors().join(vector))).unwrap();
    }
    let mut broken = read(&vectors().join("cvc/v1_fp16.cvc"));
    broken[300] ^= 1;
    std::fs::write(folder.join("broken.cvc"), broken).unwrap();

    let binaries = Path::new(env!("CARGO_BIN_EXE_unspool")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
    let mut ran = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let page = page.strip_prefix(root()).unwrap().display();
        for block in blocks_of(&text).iter().filter(|block| block.language == "console") {
            let shown = commands(&block.text);
            for shown in shown.iter().filter(|shown| shown.command.starts_with("unspool ")) {
                let place = format!("{page}:{}: {}", block.line, shown.command);
                let mut shell = Command::new("sh");
                let output =
                    shell.args(["-c", &shown.command]).env("PATH", &path).current_dir(&folder).output().unwrap();
                let found = [output.stdout, output.stderr].concat();
                let found = String::from_utf8(found).expect("a page shows text");
                let fails = shown.output.iter().any(|line| line.starts_with("error: "));
                assert_eq!(output.status.success(), !fails, "{place}\n{found}");
                assert!(!found.is_empty() || shown.command.contains(" -o "), "{place} prints nothing");
                let lines: Vec<_> = found.lines().collect();
                assert!(shown.output.is_empty() || matches(&shown.output, &lines), "{place} prints\n{found}");
                ran += 1;
            }
        }
    }
    assert_eq!(ran, 11, "commands of all pages");
}

fn vectors() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors"))
}
