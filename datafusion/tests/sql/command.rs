//! The command, as pages show it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use unspool_tests::pages::{blocks, commands, matches, root};

fn run(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Command::new(env!("CARGO_BIN_EXE_unspool-sql")).args(arguments).current_dir(root).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_query_of_the_readmes_runs() {
    for page in ["README.md", "datafusion/README.md"] {
        let readme = std::fs::read_to_string(root().join(page)).unwrap();
        let mut lines = readme.lines().skip_while(|line| !line.starts_with("$ cargo run --quiet --manifest-path"));
        let shown = lines.nth(1).unwrap().trim().trim_matches('"');
        let answer = text(&run(&[shown]));
        assert_eq!(answer.lines().filter(|line| line.starts_with("| \"")).count(), 3, "{page}: {answer}");
    }
}

#[test]
fn queries_of_the_page_print_what_it_shows() {
    let mut ran = 0;
    let binaries = Path::new(env!("CARGO_BIN_EXE_unspool-sql")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
    for block in blocks("docs/sql.md").iter().filter(|block| block.language == "console") {
        for shown in commands(&block.text) {
            let mut shell = Command::new("sh");
            let output = shell.args(["-c", &shown.command]).env("PATH", &path).current_dir(root()).output().unwrap();
            let found = text(&output);
            let lines: Vec<_> = found.lines().filter(|line| !line.is_empty()).collect();
            assert!(matches(&shown.output, &lines), "docs/sql.md:{}: {} prints\n{found}", block.line, shown.command);
            ran += 1;
        }
    }
    assert_eq!(ran, 2, "commands of the page");
}

#[test]
fn answers_have_four_formats() {
    let sql = "SELECT ts, val FROM 'tests/vectors/at1/c8_events.at1' WHERE ts <= 1700000005 ORDER BY ts";
    assert_eq!(text(&run(&["-f", "csv", sql])), "ts,val\n1700000000,5.183000000\n1700000005,3.402000000\n");
    let json = "{\"ts\":1700000000,\"val\":5.183000000}\n{\"ts\":1700000005,\"val\":3.402000000}\n";
    assert_eq!(text(&run(&["-f", "json", sql])), json);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let path = path.to_str().unwrap();
    assert_eq!(text(&run(&["-f", "parquet", "-o", path, sql])), "");
    let back = format!("SELECT sum(val) AS total FROM '{path}'");
    assert_eq!(text(&run(&["-f", "csv", &back])), "total\n8.585000000\n");
    let vectors = text(&run(&["-f", "csv", "SELECT * FROM 'tests/vectors/cvc/v1_fp16.cvc' LIMIT 1"]));
    assert!(vectors.starts_with("vector\n\"[0."), "{vectors}");
}

/// The reader of a pipe has seen enough: no error.
#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unspool-sql"))
        .args(["-f", "csv", "SELECT * FROM 'tests/vectors/at1/c8_events.at1'"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn literals_beside_floats_have_any_size() {
    let from = "FROM 'tests/vectors/pco/m_f32_dict_conv4.pco'";
    let count = |condition: &str| text(&run(&["-f", "csv", &format!("SELECT count(*) AS n {from} {condition}")]));
    let all = count("");
    for condition in ["WHERE value < 1e300", "WHERE value > -1E300", "WHERE abs(value) + 1e-300 < 1e39"] {
        assert_eq!(count(condition), all, "{condition}");
    }
    assert_eq!(text(&run(&["-f", "csv", "SELECT 1e20 + 0.5 AS n"])), "n\n100000000000000000000.5\n");
}

#[test]
fn plans_show_what_they_skip() {
    let sql = "SELECT val FROM 'tests/vectors/at1/c8_events.at1' WHERE ts BETWEEN 1700000100 AND 1700000120";
    assert!(text(&run(&["--explain", sql])).contains("predicate=ts"));
    let analyzed = text(&run(&["--analyze", sql]));
    assert!(analyzed.contains("groups_pruned=24") && analyzed.contains("groups_read=1"), "{analyzed}");
}

#[test]
fn a_refused_file_is_named_with_kind_and_place() {
    let output = run(&["SELECT * FROM 'tests/vectors/at1/c0_ssh.at1'"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains("c0_ssh.at1: unsupported at byte 4"), "{message}");
}
