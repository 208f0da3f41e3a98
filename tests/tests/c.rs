//! Decodes every vector through the C interface, with the hosted example, and compares the output.
//!
//! The tests need a C compiler and the static library, so they are ignored by default. `cargo xtask
//! test c` builds both and puts the examples in `UNSPOOL_C_DECODE` and `UNSPOOL_C_QUERY`. Each may
//! be several words, to run under a memory checker.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use unspool_tests::{Verdict, list, manifest, number, read, text, verdicts};

/// Returns a folder of the compact set. Sanitizers are slow, and the big set adds only cases of the
/// core.
fn folder(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(format)
}

/// Runs only every n-th vector, for slow checkers: `UNSPOOL_C_EVERY`.
fn every() -> usize {
    std::env::var("UNSPOOL_C_EVERY").ok().and_then(|every| every.parse().ok()).unwrap_or(1)
}

fn run(arguments: &[&str]) -> Output {
    run_example("UNSPOOL_C_DECODE", arguments)
}

/// Runs the example in an environment variable.
fn run_example(variable: &str, arguments: &[&str]) -> Output {
    let line = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names an example"));
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).args(arguments).stdin(Stdio::null()).output().expect("the example starts")
}

/// Decodes in one call and in pieces.
fn check(arguments: &[&str], file: &Path, expected: &[u8]) {
    let shown = file.display().to_string();
    let piece = match expected.len() {
        0..5000 => "13",
        5000..1_000_000 => "4099",
        _ => "300007",
    };
    for pieces in [&[][..], &["--pieces", piece]] {
        let output = run(&[pieces, arguments, &[&shown]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{pieces:?} {arguments:?} {shown}: {said}");
        assert!(output.stdout == expected, "{pieces:?} {arguments:?} {shown}: other bytes");
    }
}

/// Decodes a broken file, which must fail with one line or decode. Returns `true` if it failed.
fn refused(arguments: &[&str], file: &Path) -> bool {
    let shown = file.display().to_string();
    let mut verdicts = vec![];
    for pieces in [&[][..], &["--pieces", "101"]] {
        let output = run(&[pieces, arguments, &[&shown]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => assert!(said.is_empty(), "{shown}: {said}"),
            Some(1) => assert!(said.starts_with("error: ") && said.lines().count() == 1, "{shown}: {said}"),
            code => panic!("{pieces:?} {arguments:?} {shown}: {code:?} {said}"),
        }
        verdicts.push(output.status.code() == Some(1));
    }
    verdicts.contains(&true)
}

/// Returns the vectors of a manifest to run, and requires that it lists at least `at_least`.
fn entries(json: &Json, key: &str, at_least: usize) -> Vec<Json> {
    let all = list(json, key);
    assert!(all.len() >= at_least, "only {} {key}", all.len());
    all.iter().step_by(every()).cloned().collect()
}

#[test]
#[ignore = "cargo xtask test c"]
fn cvc() {
    let folder = folder("cvc");
    for entry in entries(&manifest(&folder.join("manifest.json")), "entries", 61) {
        let file = folder.join(text(&entry, "file"));
        let columns = match text(&entry, "kind") {
            "single" => vec![entry["expected"].clone()],
            _ => list(&entry, "columns").iter().map(|column| column["expected"].clone()).collect(),
        };
        for (i, expected) in columns.iter().enumerate() {
            check(&["--column", &i.to_string()], &file, &read(&folder.join(text(expected, "file"))));
        }
    }
    bad(&folder.join("bad"), "cvc", &[], 60);
}

#[test]
#[ignore = "cargo xtask test c"]
fn pco() {
    let folder = folder("pco");
    for (part, at_least) in [("", 147), ("synth", 182), ("old", 65), ("assets", 13)] {
        let folder = folder.join(part);
        for entry in entries(&manifest(&folder.join("manifest.json")), "files", at_least) {
            check(&[], &folder.join(text(&entry, "file")), &read(&folder.join(text(&entry, "bin"))));
        }
    }
    bad(&folder.join("bad"), "pco", &[], 20);
}

#[test]
#[ignore = "cargo xtask test c"]
fn zstd() {
    use sha2::Digest;
    let folder = folder("zstd");
    for entry in entries(&manifest(&folder.join("manifest.json")), "files", 659) {
        let file = folder.join(text(&entry, "file"));
        let dictionary = entry["dict"].as_str().map(|name| folder.join(name).display().to_string());
        let mut arguments: Vec<&str> = dictionary.iter().flat_map(|path| ["--dictionary", path]).collect();
        if text(&entry, "variant") == "zstd-draft" {
            arguments.push("--draft");
        }
        let whole = run(&[&arguments[..], &[&file.display().to_string()]].concat());
        assert_eq!(whole.stdout.len() as u64, number(&entry, "orig_size"), "{}", file.display());
        let digest: String = sha2::Sha256::digest(&whole.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, text(&entry, "sha256"), "{}", file.display());
        check(&arguments, &file, &whole.stdout);
    }
    let seekable = folder.join("page-seekable.zst");
    let whole = run(&[&seekable.display().to_string()]).stdout;
    let part = |first: usize, end: usize, file: &Path| {
        run(&["--part", &first.to_string(), &end.to_string(), &file.display().to_string()])
    };
    for (first, end) in
        [(0, whole.len()), (0, 1), (whole.len() / 3, whole.len() / 2), (5, 5), (whole.len() - 1, whole.len())]
    {
        let output = part(first, end, &seekable);
        assert!(output.status.success() && output.stdout == whole[first..end], "{first}..{end}: {output:?}");
    }
    for refused in [part(0, whole.len() + 1, &seekable), part(9, 8, &seekable), part(0, 1, &folder.join("page.zst"))] {
        assert!(refused.status.code() == Some(1) && refused.stdout.is_empty(), "{refused:?}");
    }
    bad(&folder.join("bad/rfc8878"), "zst", &[], 10);
    bad(&folder.join("bad/draft"), "zst", &["--draft"], 10);
}

#[test]
#[ignore = "cargo xtask test c"]
fn at1() {
    let folder = folder("at1");
    for entry in entries(&manifest(&folder.join("manifest.json")), "vectors", 183) {
        let name = text(&entry, "name");
        check(&[], &folder.join(format!("{name}.at1")), &read(&folder.join(format!("{name}.orig"))));
    }
    bad(&folder.join("bad"), "at1", &[], 10);
}

/// Runs queries by ranges of the file: rows, lines, counts, and the bytes read.
#[test]
#[ignore = "cargo xtask test c"]
fn at1_queries() {
    let folder = folder("at1");
    let bound = |json: &Json| json.as_str().map_or_else(|| json.to_string().replace("null", ""), str::to_owned);
    let file = |entry: &Json| folder.join(format!("{}.at1", text(entry, "vector")));
    let mut answered = 0;
    let all = manifest(&folder.join("queries.json"));
    let here = list(&all, "queries").iter().filter(|entry| file(entry).exists());
    for entry in here.step_by(every().min(4)) {
        let mut question = vec!["--stats".to_owned()];
        for condition in list(entry, "where") {
            let column = number(condition, "col").to_string();
            match condition.get("eq") {
                Some(value) => question.extend(["--equal".into(), column, bound(value)]),
                None => {
                    question.extend(["--range".into(), column, bound(&condition["lo"]), bound(&condition["hi"])]);
                }
            }
        }
        let shown = file(entry).display().to_string();
        let ask = |wanted: &[String]| {
            let words: Vec<_> = question.iter().chain(wanted).chain([&shown]).map(String::as_str).collect();
            let output = run_example("UNSPOOL_C_QUERY", &words);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success() && said.contains(" rows, "), "{words:?}: {said}");
            (output.stdout, said)
        };
        let digest = |bytes: &[u8]| -> String {
            use sha2::Digest;
            let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let select: Vec<_> = list(entry, "select").iter().flat_map(|n| ["--select".into(), n.to_string()]).collect();
        let (rows, said) = ask(&select);
        assert_eq!(digest(&rows), text(entry, "rows_tsv_sha256"), "{shown} {question:?}");
        let read: u64 =
            said.split(" read, ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("bytes");
        assert!(read <= number(entry, "block_bytes_read"), "{shown}: {said}");
        assert_eq!(digest(&ask(&[]).0), text(entry, "full_lines_sha256"), "{shown} {question:?}");
        let count = ask(&["--count".into()]).0;
        assert_eq!(String::from_utf8_lossy(&count).trim(), number(entry, "n_rows").to_string(), "{shown} {question:?}");
        answered += every().min(4);
    }
    assert!(answered >= 8, "only {answered} questions");
}

/// Decodes the xz files of the repository. The other tests make theirs with an encoder.
#[test]
#[ignore = "cargo xtask test c"]
fn xz() {
    let page = read(&folder("xz").join("page.csv"));
    for (name, expected) in [("unspool.xz", &b"unspool unspool unspool"[..]), ("page.xz", &page), ("blocks.xz", &page)]
    {
        check(&[], &folder("xz").join(name), expected);
    }
    let size = Path::new(env!("CARGO_MANIFEST_DIR")).join("size/data");
    let expected = read(&folder("onpair").join("data/urls.expected.bin"));
    check(&[], &size.join("text.xz"), &expected[..64 << 10]);
    let whole = read(&size.join("text.xz"));
    let broken = std::env::temp_dir().join(format!("unspool-c-{}.xz", std::process::id()));
    for at in (8..whole.len()).step_by(whole.len() / if every() > 1 { 4 } else { 60 } + 1) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&broken, &bytes).expect("a temporary file");
        assert!(refused(&[], &broken), "byte {at}");
        std::fs::write(&broken, &whole[..at]).expect("a temporary file");
        assert!(refused(&[], &broken), "{at} bytes");
    }
    std::fs::remove_file(&broken).expect("it was there");
}

#[test]
#[ignore = "cargo xtask test c"]
fn gzip() {
    let folder = folder("gzip");
    let every_field = b"every field of a header\n".repeat(50);
    let cvc = read(&folder.join("../cvc/v1_int8.cvc"));
    let mut refusals = 0;
    for (name, expected) in
        [("v1_int8.cvc.gz", &cvc[..]), ("two_members.gz", b"hello world\n"), ("every_field.gz", &every_field)]
    {
        let file = folder.join(name);
        check(&[], &file, expected);
        let whole = read(&file);
        let broken = std::env::temp_dir().join(format!("unspool-c-{}.gz", std::process::id()));
        for end in (4..whole.len() - 8).step_by(whole.len() / if every() > 1 { 4 } else { 20 } + 1) {
            std::fs::write(&broken, &whole[..end]).expect("a temporary file");
            refusals += usize::from(refused(&[], &broken));
        }
        std::fs::remove_file(&broken).expect("it was there");
    }
    assert!(refusals >= 9, "only {refusals} refused");
}

#[test]
#[ignore = "cargo xtask test c"]
fn onpair() {
    let folder = folder("onpair");
    let manifest = manifest(&folder.join("manifest.json"));
    for entry in entries(&manifest, "container", 5) {
        let expected = read(&folder.join(text(&entry["expected"], "expected")));
        check(&[], &folder.join(text(&entry, "file")), &expected);
    }
    for entry in entries(&manifest, "cases", 36) {
        let file = |name: &str| folder.join(text(&entry, "dir")).join(name).display().to_string();
        let (dictionary, tokens, rows) = (file("dict_bytes.bin"), file("dict_offsets.bin"), file("code_offsets.bin"));
        let width = (number(&entry, "code_offsets_width") / 8).to_string();
        let mut codes = vec![("codes.bin", 0), ("packed_codes.bin", number(&entry, "bits"))];
        if entry["files"].get("packed_codes_min.bin").is_some() {
            codes.push(("packed_codes_min.bin", number(&entry, "min_code_bits")));
        }
        let expected = read(&folder.join(text(&entry["expected"], "expected"))).repeat(2);
        for (name, bits) in codes {
            let bits = bits.to_string();
            let output = run(&["--parts", &dictionary, &tokens, &file(name), &bits, &rows, &width]);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "{name} of {entry}: {said}");
            assert!(output.stdout == expected, "{name} of {entry}: other bytes");
        }
    }
    // Cuts a container at every position.
    let whole = read(&folder.join("cpp/one_row_b12.onp"));
    let short = std::env::temp_dir().join(format!("unspool-c-{}.onp", std::process::id()));
    let cuts = if every() > 1 { 4 } else { 40 };
    for end in (8..whole.len()).step_by(whole.len() / cuts + 1) {
        std::fs::write(&short, &whole[..end]).expect("a temporary file");
        assert!(refused(&[], &short), "{end} bytes");
    }
    std::fs::remove_file(&short).expect("it was there");
}

/// Compares the verdict on damaged files with the one that all doors of the core agree on.
#[test]
#[ignore = "cargo xtask test c"]
fn errors_are_those_of_the_core() {
    let damaged = std::env::temp_dir().join(format!("unspool-c-{}.damaged", std::process::id()));
    let shown = damaged.display().to_string();
    // The interface has no door for `.lzma`.
    let files = verdicts().into_iter().filter(|file| !file.path.starts_with("lzma/")).step_by(3 * every());
    let mut compared = 0;
    for Verdict { line, path, bytes, kind, at } in files {
        std::fs::write(&damaged, &bytes).expect("a temporary file");
        for pieces in [&[][..], &["--pieces", "101"]] {
            let output = run(&[pieces, &[&shown]].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            let is = |kind: &str| match kind {
                "accepted" => said.is_empty() && output.status.success(),
                _ => said.contains(&format!(" at byte {at}: ")) && said.trim_end().ends_with(&format!(" ({kind})")),
            };
            // The example counts the content of a Zstandard file first, and that reads the
            // sequences of a block to their end before it looks at one.
            let counted = path.starts_with("zstd/") && pieces.is_empty() && is("ZstdSequenceBits");
            assert!(is(&kind) || counted, "{line}: {said} with {pieces:?}");
            compared += every();
        }
    }
    std::fs::remove_file(&damaged).expect("it was there");
    assert!(compared > 500, "only {compared} verdicts");
}

fn bad(folder: &Path, extension: &str, arguments: &[&str], at_least: usize) {
    let files = std::fs::read_dir(folder).expect("bad files").filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    let count = files.iter().step_by(every()).filter(|file| refused(arguments, file)).count();
    assert!(count * every() >= at_least, "{}: only {count} refused", folder.display());
}
