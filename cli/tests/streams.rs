//! Files and pipes, on any number of threads, lead to the same output and to the same error.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use unspool_tests::{files_in, read, vector_folders};

/// Returns the vectors of up to this many bytes, those of broken files included: of the compact set
/// alone and a third of them, because each takes six processes. The unit tests compare the same
/// paths for all vectors.
fn vectors(most: usize) -> Vec<(PathBuf, Vec<u8>)> {
    let folders =
        ["zstd", "xz", "gzip", "cvc", "pco", "onpair", "at1"].map(|format| vector_folders(format).swap_remove(0));
    let paths = folders.iter().flat_map(|folder| files_in(folder)).filter(|path| {
        let name = path.to_string_lossy();
        ![".json", ".bin", ".orig", ".csv"].iter().any(|end| name.ends_with(end))
    });
    let files = paths.step_by(3).map(|path| {
        let bytes = read(&path);
        (path, bytes)
    });
    files.filter(|(_, bytes)| bytes.len() <= most).collect()
}

/// The exit code, the output, and the message without the name of the file.
type Outcome = (Option<i32>, Vec<u8>, String);

fn run(command: &str, threads: &str, path: &str, input: Option<&[u8]>) -> Outcome {
    let mut process = Command::new(env!("CARGO_BIN_EXE_unspool"));
    process.args([command, "--max-output", "16M", "-T", threads, path]);
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A command that refuses its input early closes the pipe.
    let _ = pipe.write_all(input.unwrap_or_default());
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let hide = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.replace(&format!("[{path}]"), "[FILE]").replace(&format!("{path}: ok"), "FILE: ok")
    };
    let stdout = if command == "check" { hide(&output.stdout).into() } else { output.stdout };
    (output.status.code(), stdout, hide(&output.stderr))
}

#[test]
fn threads_and_pipes_change_nothing() {
    let files = vectors(30_000);
    assert!(files.len() > 300, "{}", files.len());
    let half = files.len() / 2;
    std::thread::scope(|scope| {
        scope.spawn(|| check(&files[..half]));
        check(&files[half..]);
    });
}

fn check(files: &[(PathBuf, Vec<u8>)]) {
    for (path, bytes) in files {
        let path = path.to_str().unwrap();
        let decoded = run("decode", "1", path, None);
        for threads in ["2", "3"] {
            assert_eq!(run("decode", threads, path, None), decoded, "decode -T{threads} {path}");
        }
        assert_eq!(run("decode", "2", "-", Some(bytes)), decoded, "decode -T2 of a pipe of {path}");
        assert_eq!(run("check", "3", path, None), run("check", "1", path, None), "check -T3 {path}");
    }
}
