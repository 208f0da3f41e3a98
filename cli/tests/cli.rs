//! The command from outside: output, exit codes, and files that remain.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use unspool_tests::{list, manifest, read, text, vector_folders};

fn unspool(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unspool")).args(arguments).output().expect("the command starts")
}

fn vector(name: &str) -> String {
    let path = vector_folders("cvc")[0].join(name);
    path.to_str().expect("the checkout has a UTF-8 path").to_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Creates an empty folder for one test.
fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

#[test]
fn decode_writes_exactly_the_expected_bytes() {
    let folder = vector_folders("cvc").remove(0);
    let scratch = scratch("decode");
    for entry in list(&manifest(&folder.join("manifest.json")), "entries") {
        let file = vector(text(entry, "file"));
        let columns: Vec<(Option<&str>, &str)> = match text(entry, "kind") {
            "single" => vec![(None, text(&entry["expected"], "file"))],
            _ => list(entry, "columns").iter().map(|c| (Some(text(c, "name")), text(&c["expected"], "file"))).collect(),
        };
        for (column, expected) in columns {
            let out = scratch.join("out");
            let mut arguments = vec!["decode", &file, "-o", out.to_str().unwrap()];
            if let Some(column) = column {
                arguments.extend(["--column", column]);
            }
            let output = unspool(&arguments);
            assert!(output.status.success(), "{file}: {}", stderr(&output));
            assert!(read(&out) == read(&folder.join(expected)), "{file} {column:?}");
        }
    }
}

#[test]
fn standard_output_receives_the_content_before_an_error() {
    let scratch = scratch("before");
    let [path, out] = ["broken", "out"].map(|name| scratch.join(name).to_str().unwrap().to_owned());
    let files = [
        ("zstd", "rfc8878/text-1025.zst", 0),
        ("zstd", "draft/text-1025.zst", 0),
        ("xz", "blocks.xz", 1),
        ("pco", "assets/v1_0_0_conv1.pco", 512),
        ("at1", "s3_log.at1", 1),
    ];
    for (format, name, of_half) in files {
        let file = vector_folders(format).remove(0).join(name);
        let whole = unspool(&["decode", file.to_str().unwrap()]).stdout;
        let bytes = read(&file);
        // Flips a bit of the last checksum, of the footer, or of the end of chunks: all after the
        // content.
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        let half = bytes[..bytes.len() / 2].to_vec();
        for (broken, least) in [(flipped, whole.len()), (half, of_half)] {
            std::fs::write(&path, broken).unwrap();
            let output = unspool(&["decode", &path]);
            assert_eq!(output.status.code(), Some(1), "{name}");
            assert!(
                whole.starts_with(&output.stdout) && output.stdout.len() >= least,
                "{name} {}",
                output.stdout.len()
            );
            assert_eq!(unspool(&["decode", &path, "-o", "-"]).stdout, output.stdout);
            assert_eq!(unspool(&["decode", &path, "-o", &out]).status.code(), Some(1));
            assert!(!Path::new(&out).exists());
        }
    }
}

/// As with `| head`, which closes the pipe early.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let file = vector("v1_fp16.cvc");
    for command in ["inspect", "decode", "check"] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut process = Command::new(env!("CARGO_BIN_EXE_unspool"));
        let output = process.args([command, &file]).stdout(writer).output().expect("the command starts");
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{command}");
    }
}

#[test]
fn decode_selects_rows_and_sections() {
    let whole = unspool(&["decode", &vector("v1_sections.cvc")]).stdout;
    let row = whole.len() / 80;
    let decode = |arguments: &[&str]| unspool(&[&["decode", &vector("v1_sections.cvc")], arguments].concat()).stdout;
    assert_eq!(decode(&["--rows", "3..17"]), whole[3 * row..17 * row]);
    assert_eq!(decode(&["--rows", "70.."]), whole[70 * row..]);
    assert_eq!(decode(&["--rows", "..1"]), whole[..row]);
    assert_eq!(decode(&["--section", "source=arxiv"]), [&whole[17 * row..57 * row], &whole[60 * row..]].concat());
    assert_eq!(decode(&["--section", "n=1.0"]), whole[..17 * row]);
    assert_eq!(decode(&["--section", "source=nowhere"]), b"");
    assert_eq!(decode(&["--format", "cvc"]), whole);
}

/// Returns a file of ten rows of two numbers, in chunks of 3, 0, 4, 1 and 2 rows, with these
/// sections.
fn sectioned(sections: &[std::ops::Range<u8>]) -> Vec<u8> {
    let section = |rows: &std::ops::Range<u8>| {
        format!(r#"{{"start_index":{},"end_index":{},"metadata":{{"key":"v"}}}}"#, rows.start, rows.end)
    };
    let sections: Vec<_> = sections.iter().map(section).collect();
    let head = format!(
        r#"{{"format_type":"columnar","num_vectors":10,"sections":[{}],
        "columns":[{{"name":"x","dimension":2,"dtype":"uint8","compression":"none"}}],"chunks":[{}]}}"#,
        sections.join(","),
        [3, 0, 4, 1, 2]
            .map(|rows| format!(r#"{{"rows":{rows},"columns":{{"x":{{"offset":0,"size":{}}}}}}}"#, 2 * rows))
            .join(",")
    );
    let mut bytes =
        [b"CVCF\x02\0\0\0", &u32::try_from(head.len()).unwrap().to_le_bytes()[..], head.as_bytes()].concat();
    let values: Vec<u8> = (0..20).collect();
    for rows in [0..3, 3..3, 3..7, 7..8, 8..10] {
        let payload = &values[2 * rows.start..2 * rows.end];
        bytes.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
        bytes.extend(unspool::checksum::Crc32::of(payload).to_le_bytes());
        bytes.extend(payload);
    }
    bytes
}

#[test]
fn sections_decode_in_their_order_whatever_it_is() {
    let file = scratch("sections").join("file.cvc");
    for sections in [
        &[0..5, 5..10][..],
        &[0..1, 2..4, 4..4, 5..6, 6..7, 9..10],
        &[0..3, 3..7, 7..8, 8..10],
        &[1..2, 3..3, 4..5],
        &[8..9, 4..6, 0..1],
        &[2..8, 3..4, 3..4, 0..10],
        &[3..3, 5..5],
        &[],
    ] {
        let bytes = sectioned(sections);
        std::fs::write(&file, &bytes).unwrap();
        let rows = || sections.iter().flat_map(|rows| rows.clone());
        let expected: Vec<u8> = rows().flat_map(|row| [2 * row, 2 * row + 1]).collect();
        let lines: String = rows().map(|row| format!("{}\t{}\n", 2 * row, 2 * row + 1)).collect();
        for threads in ["1", "3"] {
            let arguments = ["decode", "-T", threads, "--section", "key=v"];
            let decode = |more: &[&str]| unspool(&[&arguments, more].concat());
            let path = file.to_str().unwrap();
            assert_eq!(decode(&[path]).stdout, expected, "{sections:?}");
            assert_eq!(decode(&[path, "--text"]).stdout, lines.as_bytes(), "{sections:?}");
            assert_eq!(piped(&[&arguments[..], &["-"]].concat(), &bytes).stdout, expected, "{sections:?}");
        }
    }
}

#[test]
fn decode_prints_numbers_as_text() {
    let text =
        |arguments: &[&str]| String::from_utf8(unspool(&[&["decode", "--text"], arguments].concat()).stdout).unwrap();
    let lines = text(&[&vector("v1_json_base.cvc")]);
    assert_eq!(lines.lines().count(), 6);
    let bytes = read(Path::new(&vector("v1_json_base.f32.bin")));
    let numbers: Vec<f32> = lines.split_whitespace().map(|number| number.parse().unwrap()).collect();
    assert_eq!(numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>(), bytes);
    let halves = text(&[&vector("v2_none_float16_v.cvc"), "--rows", "2..4"]);
    assert_eq!((halves.lines().count(), halves.lines().next().unwrap().split('\t').count()), (2, 3));
    let ints = text(&[&vector("v2_ints_default.cvc"), "--column", "int8_v"]);
    assert!(ints.split_whitespace().all(|number| number.parse::<i8>().is_ok()) && ints.lines().count() == 11);
}

#[test]
fn decode_reads_standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unspool"))
        .args(["decode", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().unwrap().write_all(&read(Path::new(&vector("v0_fp16.cvc")))).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, read(Path::new(&vector("v0_fp16.f32.bin"))));
}

#[test]
fn a_refused_file_prints_one_line_and_writes_no_file() {
    let scratch = scratch("refused");
    for entry in list(&manifest(&vector_folders("cvc")[0].join("bad/manifest.json")), "variants") {
        if text(entry, "suggested") != "reject" {
            continue;
        }
        let file = vector(&format!("bad/{}", text(entry, "file")));
        let out = scratch.join("out");
        let output = unspool(&["decode", &file, "-o", out.to_str().unwrap()]);
        // Files with several columns fail first because none is selected.
        let code = output.status.code();
        let asked = code == Some(2) && stderr(&output).contains("--column");
        assert!(code == Some(1) || asked, "{file}: {code:?} {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "{file} left a file");
        let output = unspool(&["check", &file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        let line = stderr(&output);
        let (kind, rest) = line.strip_prefix("error: ").and_then(|line| line.split_once(" at byte ")).expect(&line);
        assert!(
            ["corrupt", "truncated", "unsupported", "checksum mismatch", "limit exceeded"].contains(&kind),
            "{line}"
        );
        assert!(
            rest.split_once(": ").is_some_and(|(at, words)| at.parse::<u64>().is_ok() && words.len() > 10),
            "{line}"
        );
    }
}

/// Returns a Zstandard frame of 16,384 blocks, each repeating a byte 128 KiB long: 2 GiB, enough to
/// be interrupted.
#[cfg(unix)]
fn long_frame() -> Vec<u8> {
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x80, 0x38, 0, 0, 0, 0x80];
    for block in (0..1 << 14).rev() {
        let header = (128 << 10) << 3 | 1 << 1 | u32::from(block == 0);
        frame.extend([&header.to_le_bytes()[..3], &[0]].concat());
    }
    frame
}

/// Decodes a file to `out`, and sends each signal that ends the command once there is anything at
/// `begun`.
#[cfg(unix)]
fn interrupt(file: &Path, out: &Path, begun: impl Fn() -> bool, ended: impl Fn()) {
    use std::os::unix::process::ExitStatusExt;

    for (signal, number) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)] {
        let arguments = ["decode", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let mut child = Command::new(env!("CARGO_BIN_EXE_unspool")).args(arguments).spawn().unwrap();
        while !begun() {
            assert_eq!(child.try_wait().unwrap(), None, "the command ended before it wrote anything");
            std::thread::yield_now();
        }
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().signal(), Some(number), "a shell must see the signal");
        ended();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_decode_removes_its_file() {
    let scratch = scratch("interrupted");
    let [file, out] = ["zeros.zst", "out"].map(|name| scratch.join(name));
    std::fs::write(&file, long_frame()).unwrap();
    let beside = || std::fs::read_dir(&scratch).unwrap().count();
    interrupt(&file, &out, || beside() == 2, || assert_eq!(beside(), 1, "the partial file is gone"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_bundle_leaves_no_empty_folders() {
    use unspool_tests::at1::{file, stored};
    let scratch = scratch("interrupted_bundle");
    let (path, new) = (scratch.join("bundle.at1"), scratch.join("new"));
    let (out, deep) = (new.join("out"), new.join("out/sub/deep"));
    let begun = || std::fs::read_dir(&deep).is_ok_and(|mut inside| inside.next().is_some());
    // Text as it is, stored and compressed.
    let one = b"AT1\x02\xFF\x02one".to_vec();
    let long = [b"AT1\x02\xFF\x01", &*long_frame()].concat();
    std::fs::write(
        &path,
        file(12, &[("manifest", br#"[{"name":"sub/deep/b"}]"#.to_vec()), ("e0", long.clone())], stored),
    )
    .unwrap();
    interrupt(&path, &out, begun, || assert!(!new.exists(), "an empty folder is left"));
    // What is complete stays, with its folders.
    let manifest = br#"[{"name":"sub/a"},{"name":"sub/deep/b"}]"#.to_vec();
    std::fs::write(&path, file(12, &[("manifest", manifest), ("e0", one), ("e1", long)], stored)).unwrap();
    interrupt(&path, &out, begun, || {
        assert_eq!((read(&out.join("sub/a")), deep.exists()), (b"one".to_vec(), false));
        std::fs::remove_dir_all(&new).unwrap();
    });
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_an_error_and_leaves_nothing() {
    let scratch = scratch("limit");
    let out = scratch.join("out");
    let script = format!(
        "ulimit -f 1; exec '{}' decode '{}' -o '{}'",
        env!("CARGO_BIN_EXE_unspool"),
        vector("v1_fp16.cvc"),
        out.display()
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).starts_with(&format!("error: cannot write {}: ", out.display())), "{output:?}");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
}

/// A file is written under a shorter name first.
#[cfg(unix)]
#[test]
fn an_output_has_any_name_that_the_system_allows() {
    let scratch = scratch("names");
    let out = scratch.join("y".repeat(255));
    let output = unspool(&["decode", &vector("v1_fp16.cvc"), "-o", out.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert!(!read(&out).is_empty());
    // An error has the name that the user typed.
    let nowhere = scratch.join("nowhere").join("out");
    let output = unspool(&["decode", &vector("v1_fp16.cvc"), "-o", nowhere.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with(&format!("error: cannot create {}: ", nowhere.display())), "{output:?}");
    // A link to itself leads nowhere.
    let circle = scratch.join("circle");
    std::os::unix::fs::symlink(&circle, &circle).unwrap();
    let output = unspool(&["decode", &vector("v1_fp16.cvc"), "-o", circle.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(circle.read_link().is_ok(), "the link is replaced");
}

#[test]
fn a_failed_decode_keeps_the_existing_file() {
    let scratch = scratch("survives");
    let out = scratch.join("out");
    std::fs::write(&out, "precious").unwrap();
    let output = unspool(&["decode", &vector("bad/crc_zero.cvc"), "-o", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(read(&out), b"precious");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 1);
}

/// As with `-o /dev/null`, for a user who may write to `/dev`.
#[test]
#[cfg(unix)]
fn pipes_and_links_are_written_to_and_not_replaced() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let (file, scratch) = (vector("v1_fp16.cvc"), scratch("no_file"));
    let expected = read(&vector_folders("cvc")[0].join("v1_fp16.f32.bin"));
    let decode = |to: &Path| unspool(&["decode", &file, "-o", to.to_str().unwrap()]);

    let pipe = scratch.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || read(&pipe)
    });
    assert!(decode(&pipe).status.success());
    assert!(reader.join().expect("a reader") == expected);
    assert!(pipe.metadata().unwrap().file_type().is_fifo());

    // A link keeps its target, and the target its permissions.
    let (link, target) = (scratch.join("link"), scratch.join("target"));
    std::fs::write(&target, "before").unwrap();
    std::fs::set_permissions(&target, PermissionsExt::from_mode(0o600)).unwrap();
    symlink("target", &link).unwrap();
    assert!(decode(&link).status.success());
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(read(&target) == expected);
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    // The target of a link need not exist yet.
    let (link, target) = (scratch.join("ahead"), scratch.join("created"));
    symlink("created", &link).unwrap();
    assert!(decode(&link).status.success());
    assert!(link.symlink_metadata().unwrap().is_symlink() && read(&target) == expected);

    let output = decode(&scratch);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("is a directory"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 5, "nothing else is left behind");
}

/// `-o /dev/stdout`, which on Linux is a link: to a pipe, and appending to a file.
#[test]
#[cfg(target_os = "linux")]
fn the_path_of_standard_output_is_standard_output() {
    let (file, scratch) = (vector("v1_fp16.cvc"), scratch("by_path"));
    let expected = read(&vector_folders("cvc")[0].join("v1_fp16.f32.bin"));
    let [link, out] = ["link", "out"].map(|name| scratch.join(name));
    std::os::unix::fs::symlink("/proc/self/fd/1", &link).unwrap();
    let arguments = ["decode", &file, "-o", link.to_str().unwrap()];
    assert!(unspool(&arguments).stdout == expected);
    std::fs::write(&out, "before").unwrap();
    let to = std::fs::OpenOptions::new().append(true).open(&out).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_unspool")).args(arguments).stdout(to).status().unwrap();
    assert!(status.success() && read(&out) == [&b"before"[..], &expected].concat());
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 2, "nothing else is left behind");
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn wrong_usage_exits_with_2() {
    let file = &vector("v2_ints_default.cvc");
    let fp16 = &vector("v1_fp16.cvc");
    let xz = vector_folders("xz")[0].join("blocks.xz").to_str().unwrap().to_owned();
    for arguments in [
        &["decode"][..],
        &["decode", file],
        &["decode", file, "--column", "nope"],
        &["decode", fp16, "--column", "x"],
        &["decode", fp16, "--rows", "5"],
        &["decode", fp16, "--rows", "9..3"],
        &["decode", fp16, "--rows", "0..101"],
        &["decode", fp16, "--format", "gif"],
        &["decode", fp16, "--max-output", "lots"],
        &["decode", fp16, "--rows", "1..+5"],
        &["decode", &xz, "--range", "+1..5"],
        &["decode", fp16, "--dict", fp16],
        &["decode", &xz, "--dict", fp16],
        &["inspect", fp16, "--dict", fp16],
        &["check", &xz, "--dict", fp16],
        &["unpack", fp16],
        &["grep", "a", fp16],
        &["query", fp16],
        &["inspect", "--stats", &zstd("rfc8878/text-1025.zst")],
        &["inspect", "--symbols", fp16],
        &["check"],
    ] {
        let output = unspool(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    let output = unspool(&["decode", file]);
    assert!(stderr(&output).contains("int32_s, int32_v"), "the message names the columns: {}", stderr(&output));
}

#[test]
fn unreadable_and_unknown_files_exit_with_1() {
    let scratch = scratch("unknown");
    let unknown = scratch.join("unknown");
    std::fs::write(&unknown, "GIF89a").unwrap();
    for (path, words) in [
        (unknown.to_str().unwrap(), "error: unsupported at byte 0: "),
        (scratch.join("absent").to_str().unwrap(), "error: cannot read "),
        (&vector("bad/empty_file.cvc"), "error: truncated at byte 0: "),
    ] {
        for command in ["inspect", "decode", "check"] {
            let output = unspool(&[command, path]);
            assert_eq!(output.status.code(), Some(1), "{command} {path}");
            assert!(stderr(&output).starts_with(words), "{command} {path}: {}", stderr(&output));
        }
    }
}

/// Endless devices and disk images: their first bytes show that the format is unknown.
#[test]
#[cfg(unix)]
fn unknown_files_are_not_read_to_the_end() {
    for command in ["inspect", "decode", "check"] {
        let output = unspool(&[command, "/dev/zero"]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(stderr(&output).contains("no format that this build knows"), "{command}: {}", stderr(&output));
    }
}

#[test]
fn a_large_window_needs_an_option() {
    let file = scratch("window").join("long.zst");
    std::fs::write(&file, b"\x28\xB5\x2F\xFD\x00\xA8\x19\0\0zst").unwrap();
    let file = file.to_str().unwrap();
    let output = unspool(&["decode", file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("limit on windows (needs 2147483648); --max-window BYTES"), "{}", stderr(&output));
    for command in ["check", "inspect"] {
        assert_eq!(unspool(&[command, file]).status.code(), Some(1), "{command}");
        let output = unspool(&[command, file, "--max-window", "2G"]);
        assert!(output.status.success(), "{command}: {}", stderr(&output));
    }
    let output = unspool(&["decode", file, "--max-window", "2G"]);
    assert_eq!(output.stdout, b"zst", "{}", stderr(&output));
}

#[test]
fn a_table_of_many_columns_needs_an_option() {
    use unspool_tests::at1::{file, row_groups, stored};
    let (columns, path) = (5000, scratch("columns").join("wide.at1"));
    // The blocks of one row, each a Zstandard frame.
    let block = (1, b"\x28\xB5\x2F\xFD\x20\x01\x09\0\x007".to_vec());
    std::fs::write(&path, file(7, &row_groups(1, b",", &[vec![block; columns]]), stored)).unwrap();
    let path = path.to_str().unwrap();
    for (command, separator) in [(&["decode", path][..], ","), (&["query", path, "--limit", "9"], "\t")] {
        let output = unspool(command);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("limit allows (needs 5000); --max-columns COUNT"), "{}", stderr(&output));
        let output = unspool(&[command, &["--max-columns", "5000"]].concat());
        assert!(output.stdout == [vec!["7"; columns].join(separator), "\n".into()].concat().as_bytes(), "{command:?}");
    }
}

#[test]
fn decode_obeys_the_output_limit() {
    let file = &vector("med_fp16.cvc");
    let output = unspool(&["decode", file, "--max-output", "102399"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(stderr(&output).starts_with("error: limit exceeded at byte 0: "), "{}", stderr(&output));
    assert_eq!(unspool(&["decode", file, "--max-output", "100K"]).stdout.len(), 102_400);
    // With --range the limit applies to the part, and to each frame or block that holds it.
    for file in [zstd("page-seekable.zst"), vector_folders("xz")[0].join("blocks.xz").to_str().unwrap().to_owned()] {
        let part = |range| unspool(&["decode", &file, "--max-output", "2K", "--range", range]);
        assert_eq!((part("0..2049").status.code(), part("0..2049").stdout.len()), (Some(1), 0), "{file}");
        assert_eq!(part("100..2148").stdout.len(), 2048, "{file}");
    }
}

#[test]
fn check_continues_after_a_bad_file() {
    let output = unspool(&["check", &vector("v1_fp16.cvc"), &vector("bad/crc_zero.cvc"), &vector("v0_int8.cvc")]);
    assert_eq!(output.status.code(), Some(1));
    let lines = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        lines.lines().count() == 2 && lines.contains("v1_fp16.cvc: ok, cvc, 6400 bytes decoded, 4 CRC-32 right"),
        "{lines}"
    );
    assert!(lines.contains("v0_int8.cvc: ok, cvc, 6400 bytes decoded, no CRC-32"), "{lines}");
    assert_eq!(stderr(&output).lines().count(), 1);
}

#[test]
fn json_of_inspect_covers_every_byte() {
    let output = unspool(&["inspect", "--json", &vector("v2_ints_default.cvc")]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&json["format"], &json["version"], &json["rows"]), (&"cvc".into(), &"2.0".into(), &11.into()));
    assert_eq!(list(&json, "columns").len(), 8);
    assert_eq!(bits_of_leaves(&json), 8 * json["size"].as_u64().unwrap());
    assert!(json["error"].is_null() && json["parts"]["unread"].is_null());
}

/// Returns the number of bits that the leaves in a report of `inspect` have.
fn bits_of_leaves(json: &serde_json::Value) -> u64 {
    fn bits(node: &serde_json::Value) -> u64 {
        match node["children"].as_array() {
            Some(children) => children.iter().map(bits).sum(),
            None => node["end"].as_u64().unwrap() - node["start"].as_u64().unwrap(),
        }
    }
    list(json, "nodes").iter().map(bits).sum()
}

#[test]
fn inspect_shows_a_broken_file_up_to_its_error() {
    let file = vector("bad/crc_zero.cvc");
    let output = unspool(&["inspect", &file]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("cvc 1.0") && shown.contains("crc-32 0x00000000"), "{shown}");
    let json: serde_json::Value = serde_json::from_slice(&unspool(&["inspect", "--json", &file]).stdout).unwrap();
    assert_eq!((&json["error"]["code"], &json["error"]["offset"]), (&514.into(), &213.into()));
    // All bytes of the file are accounted for.
    let unread = json["parts"]["unread"].as_u64().unwrap();
    assert!(shown.contains(&format!("unread     {unread} bytes")), "{shown}");
    assert_eq!(bits_of_leaves(&json) + 8 * unread, 8 * json["size"].as_u64().unwrap());
}

#[test]
fn inspect_shortens_long_lists() {
    let short = unspool(&["inspect", &vector("v1_fp16_chunk1.cvc")]).stdout;
    let long = unspool(&["inspect", "--all", &vector("v1_fp16_chunk1.cvc")]).stdout;
    let short = String::from_utf8(short).unwrap();
    assert!(short.contains("92 more (--all shows them)"), "{short}");
    assert!(short.lines().count() < 100 && long.iter().filter(|&&byte| byte == b'\n').count() > 500);
}

fn onpair(name: &str) -> String {
    let path = vector_folders("onpair")[0].join(name);
    path.to_str().expect("the checkout has a UTF-8 path").to_owned()
}

#[test]
fn decodes_an_onpair_container() {
    let file = onpair("cpp/urls_b12.onp");
    let expected = read(Path::new(&onpair("data/urls.expected.bin")));
    assert!(unspool(&["decode", &file]).stdout == expected);
    assert_eq!(unspool(&["decode", &file, "--rows", "..2"]).stdout, expected[..0x6f]);
    assert_eq!(unspool(&["decode", &file, "--rows", "1..2", "--text"]).stdout, [&expected[0x31..0x6f], b"\n"].concat());
    let lines = unspool(&["decode", &file, "--text"]).stdout;
    assert_eq!(lines.iter().filter(|&&byte| byte == b'\n').count(), 3000);
    assert_eq!(lines.split(|&byte| byte == b'\n').collect::<Vec<_>>().concat(), expected);
    let report = unspool(&["inspect", &file]);
    let report = String::from_utf8(report.stdout).unwrap();
    for line in ["onpair ONPAIR01", "rows       3000", "code bits  12", "135733 bytes", "sorted"] {
        assert!(report.contains(line), "{line} is missing in\n{report}");
    }
    // Row offsets come last: a truncated file has fewer rows, and an error.
    let cut = scratch("strings").join("cut");
    std::fs::write(&cut, &read(Path::new(&file))[..read(Path::new(&file)).len() - 101]).unwrap();
    let cut = cut.to_str().unwrap();
    let output = unspool(&["decode", cut, "--text"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: truncated"), "{}", stderr(&output));
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 2974);
    assert!(lines.starts_with(&output.stdout));
    assert!(String::from_utf8(unspool(&["inspect", cut]).stdout).unwrap().contains("rows       2974"));
    let check = String::from_utf8(unspool(&["check", &file]).stdout).unwrap();
    assert!(check.contains("ok, onpair, 135733 bytes decoded"), "{check}");
    assert_eq!(unspool(&["decode", &file, "--rows", "9..3001"]).status.code(), Some(2));
    let small = unspool(&["decode", &file, "--max-output", "1000"]);
    assert!(small.status.code() == Some(1) && stderr(&small).contains("limit exceeded"), "{}", stderr(&small));
}

#[test]
fn grep_prints_the_rows_that_match() {
    let file = onpair("cpp/urls_b12.onp");
    let lines = unspool(&["decode", &file, "--text"]).stdout;
    let lines: Vec<&str> = std::str::from_utf8(&lines).unwrap().lines().collect();
    let grep = |arguments: &[&str]| {
        let output = unspool(&[&["grep"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let with = |is: &dyn Fn(&str) -> bool| {
        lines.iter().filter(|line| is(line)).map(|line| format!("{line}\n")).collect::<String>()
    };
    let contains = grep(&["utm_source=google", &file]);
    assert_eq!(contains, with(&|line| line.contains("utm_source=google")));
    assert_eq!(contains.lines().count(), 244);
    assert_eq!(grep(&["https://www.", &file, "--prefix"]), with(&|line| line.starts_with("https://www.")));
    assert_eq!(grep(&[lines[7], &file, "--exact"]), with(&|line| line == lines[7]));
    assert!(grep(&[lines[7], &file, "--exact", "-n"]).contains(&format!("7:{}\n", lines[7])));
    assert_eq!(grep(&["nowhere to be found", &file]), "");
    assert_eq!(unspool(&["grep", "x", &vector("v1_fp16.cvc")]).status.code(), Some(2));
    let small = unspool(&["grep", "e", &file, "--max-output", "1000"]);
    assert!(small.status.code() == Some(1) && stderr(&small).contains("limit exceeded"), "{}", stderr(&small));
    assert_eq!(unspool(&["grep", "x", &file, "--exact", "--prefix"]).status.code(), Some(2));
}

/// Strings are bytes, and so are patterns.
#[test]
#[cfg(unix)]
fn patterns_and_values_need_not_be_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let ask = |arguments: &[&[u8]]| {
        let arguments = arguments.iter().map(|argument| OsStr::from_bytes(argument));
        Command::new(env!("CARGO_BIN_EXE_unspool")).args(arguments).output().unwrap()
    };
    let file = onpair("cpp/urls_b12.onp");
    let output = ask(&[b"grep", b"\xFF", file.as_bytes()]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", stderr(&output));
    let table = vector_folders("at1")[0].join("c8_events.at1");
    let count = |condition: &[u8]| ask(&[b"query", table.as_os_str().as_bytes(), b"--count", b"--eq", condition]);
    let output = count(b"type:a:\xFF");
    assert!(output.status.success() && output.stdout == b"0\n", "{}", stderr(&output));
    assert_eq!(count(b"\xFF:a").status.code(), Some(2));
}

#[test]
fn decodes_bare_onpair_buffers() {
    let folder = vector_folders("onpair").remove(0);
    for case in list(&manifest(&folder.join("manifest.json")), "cases") {
        let parts = onpair(text(case, "dir"));
        let expected = read(&folder.join(text(&case["expected"], "expected")));
        let bits = case["bits"].to_string();
        for arguments in [&["--bits", &bits][..], &[]] {
            let output = unspool(&[&["decode", "--format", "onpair", "--parts", &parts], arguments].concat());
            assert!(output.status.success(), "{parts}: {}", stderr(&output));
            assert!(output.stdout == expected, "{parts} {arguments:?}");
        }
    }
    assert_eq!(unspool(&["decode", "--format", "cvc", "--parts", "."]).status.code(), Some(2));
    assert_eq!(unspool(&["decode", "--format", "onpair", "--parts", ".", "--bits", "17"]).status.code(), Some(2));
    assert_eq!(unspool(&["decode"]).status.code(), Some(2));
}

/// Chunks after the selected rows are not decoded.
#[test]
fn pco_rows_ignore_later_chunks() {
    let folder = vector_folders("pco").remove(0);
    let (mut file, numbers) = (read(&folder.join("conv_u32_7.pco")), read(&folder.join("conv_u32_7.bin")));
    // Replaces the end by an invalid chunk.
    file.pop();
    file.extend([0xFF; 9]);
    let path = scratch("rows-of-pco").join("broken.pco");
    std::fs::write(&path, &file).unwrap();
    let path = path.to_str().unwrap();
    let count = numbers.len() / 4;
    assert_eq!(unspool(&["decode", path]).status.code(), Some(1));
    assert_eq!(unspool(&["decode", path, "--rows", &format!("1..{}", count + 1)]).status.code(), Some(1));
    let output = unspool(&["decode", path, "--rows", &format!("1..{count}")]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(output.stdout, numbers[4..]);
}

#[test]
fn pco_decodes_to_the_expected_bytes_and_lines() {
    let folder = vector_folders("pco").remove(0);
    let path = |name: &str| folder.join(name).to_str().expect("the checkout has a UTF-8 path").to_owned();
    let files = manifest(&folder.join("manifest.json"));
    let mut types = std::collections::BTreeSet::new();
    for entry in list(&files, "files") {
        let file = path(text(entry, "file"));
        let output = unspool(&["decode", &file]);
        assert!(output.status.success(), "{file}: {}", stderr(&output));
        assert!(output.stdout == read(Path::new(&path(text(entry, "bin")))), "{file}");
        let lines = String::from_utf8(unspool(&["decode", "--text", &file]).stdout).unwrap();
        assert_eq!(lines.lines().count() as u64, entry["n"].as_u64().unwrap(), "{file}");
        types.insert(text(entry, "dtype").to_owned());
    }
    assert!(types.len() >= 10, "only {types:?}");
    let bad = manifest(&folder.join("bad/manifest.json"));
    let refused = list(&bad, "files").iter().filter(|entry| {
        let file = path(&format!("bad/{}", text(entry, "file")));
        let output = unspool(&["check", &file]);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{file}: {code:?} {}", stderr(&output));
        assert!(code == Some(0) || stderr(&output).starts_with("error: "), "{file}: {}", stderr(&output));
        code == Some(1)
    });
    assert!(refused.count() > 50);
}

fn zstd(name: &str) -> String {
    let path = vector_folders("zstd")[0].join(name);
    path.to_str().expect("the checkout has a UTF-8 path").to_owned()
}

#[test]
fn decodes_three_versions_of_zstandard() {
    let folder = vector_folders("zstd").remove(0);
    let entries = manifest(&folder.join("manifest.json"));
    let mut kinds = std::collections::BTreeMap::new();
    for entry in list(&entries, "files") {
        let seen = kinds.entry((text(entry, "variant").to_owned(), entry["dict"].is_string())).or_insert(0);
        *seen += 1;
        if *seen > 6 {
            continue;
        }
        let file = zstd(text(entry, "file"));
        let dictionary = entry["dict"].as_str().map(zstd);
        let with = |command: &str, more: &[&str]| {
            let dictionary: Vec<&str> = dictionary.iter().flat_map(|name| ["--dict", name]).collect();
            unspool(&[&[command, &file], dictionary.as_slice(), more].concat())
        };
        let guessed = with("decode", &[]);
        assert!(guessed.status.success(), "{file}: {}", stderr(&guessed));
        assert_eq!(guessed.stdout.len() as u64, entry["orig_size"].as_u64().unwrap(), "{file}");
        assert_eq!(guessed.stdout, with("decode", &["--format", text(entry, "variant")]).stdout, "{file}");
        let checked = String::from_utf8(with("check", &[]).stdout).unwrap();
        let said = format!("ok, {}, {} bytes decoded", text(entry, "variant"), guessed.stdout.len());
        assert!(checked.contains(&said), "{file}: {checked}");
        let json: serde_json::Value = serde_json::from_slice(&with("inspect", &["--json"]).stdout).unwrap();
        assert_eq!(json["format"], entry["variant"], "{file}");
        assert!(json["error"].is_null(), "{file}: {json}");
        if dictionary.is_some() && json["dictionary"].is_u64() {
            let without = unspool(&["decode", &file]);
            assert_eq!(without.status.code(), Some(2), "{file}: {}", stderr(&without));
            // The structure is shown without the dictionary.
            let seen: serde_json::Value =
                serde_json::from_slice(&unspool(&["inspect", "--json", &file]).stdout).unwrap();
            assert_eq!((&seen["nodes"], &seen["error"]), (&json["nodes"], &serde_json::Value::Null), "{file}");
            assert!(text(&seen, "content").contains("needs the dictionary"), "{file}");
        }
    }
    assert_eq!(kinds.len(), 6);
    // A truncated frame of the draft could be a broken one of RFC 8878, unless --format names it.
    let draft = read(Path::new(&zstd(text(
        list(&entries, "files").iter().find(|entry| entry["variant"] == "zstd-draft").unwrap(),
        "file",
    ))));
    let cut = scratch("cut-draft").join("cut.zst");
    std::fs::write(&cut, &draft[..draft.len() - 1]).unwrap();
    let cut = cut.to_str().unwrap();
    for command in ["inspect", "check", "decode"] {
        let output = unspool(&[command, "--format", "zstd-draft", cut]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(stderr(&output).contains("truncated"), "{command}: {}", stderr(&output));
    }
    let broken = unspool(&["check", &zstd("bad/rfc8878/cksum-cut.zst"), &zstd("bad/draft/cksum-content.zst")]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(stderr(&broken).contains("checksum mismatch at byte"), "{}", stderr(&broken));
}

/// Asserts that `--range` decodes parts of a page.
fn assert_ranges(page: &[u8], file: &str) {
    let part = |range: &str| unspool(&["decode", "--range", range, file]);
    assert_eq!(part("1400..3100").stdout, page[1400..3100], "{file}");
    assert_eq!(part("..1500").stdout, page[..1500], "{file}");
    assert_eq!(part("4000..").stdout, page[4000..], "{file}");
    assert!(part("9..9").stdout.is_empty() && part("9..9").status.success());
    assert_eq!(part("4000..4097").status.code(), Some(2), "{}", stderr(&part("4000..4097")));
}

#[test]
fn a_missing_dictionary_is_named_in_the_error() {
    let missing = unspool(&["check", &zstd("v07/dict-id40000-cdict-json.zst")]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("(needs 40000); name it with --dict FILE ["), "{}", stderr(&missing));
    // A payload of AT-1 cannot have one.
    let inside = vector_folders("at1").remove(0).join("bad/zstd_dict_id.at1");
    let refused = unspool(&["check", inside.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).starts_with("error: unsupported at byte 6: "), "{}", stderr(&refused));
}

#[test]
fn zstandard_decodes_ranges_and_lists_symbols() {
    let page = read(&vector_folders("xz")[0].join("page.csv"));
    for name in ["page.zst", "page-seekable.zst"] {
        let file = zstd(name);
        assert_ranges(&page, &file);
        let listed = unspool(&["inspect", "--symbols", "--all", &file]).stdout;
        let listed = String::from_utf8(listed).unwrap();
        assert!(listed.matches("  literal ").count() > 400 && listed.contains("match length state"), "{name}");
    }
    let seekable = String::from_utf8(unspool(&["inspect", &zstd("page-seekable.zst")]).stdout).unwrap();
    assert!(seekable.contains("seek table 3 frames, the largest of 1500 bytes"), "{seekable}");
    for arguments in [["decode", "--range=0..1"], ["inspect", "--symbols"]] {
        let other = unspool(&[arguments[0], arguments[1], &vector("v1_fp16.cvc")]);
        assert_eq!(other.status.code(), Some(2), "{}", stderr(&other));
    }
}

#[test]
fn decodes_inspects_and_checks_xz() {
    let folder = vector_folders("xz").remove(0);
    let path = |name: &str| folder.join(name).to_str().expect("the checkout has a UTF-8 path").to_owned();
    let page = read(&folder.join("page.csv"));
    for name in ["page.xz", "blocks.xz"] {
        let output = unspool(&["decode", &path(name)]);
        assert!(output.status.success() && output.stdout == page, "{name}: {}", stderr(&output));
        assert_ranges(&page, &path(name));
    }
    let output = unspool(&["inspect", &path("blocks.xz")]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("3 checks right") && shown.contains("dictionary size"), "{shown}");
    let output = unspool(&["check", &path("unspool.xz")]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("ok, xz, 23 bytes decoded, 1 checks right"));
    let mut broken = read(&folder.join("page.xz"));
    broken[200] ^= 1;
    let file = scratch("xz").join("broken.xz");
    std::fs::write(&file, broken).expect("the scratch folder takes files");
    for command in ["decode", "inspect", "check"] {
        let output = unspool(&[command, file.to_str().expect("UTF-8")]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(stderr(&output).starts_with("error: "), "{command}: {}", stderr(&output));
    }
    // In a truncated file the last field ends with the file, and the parts add up to its size.
    std::fs::write(&file, &read(&folder.join("page.xz"))[..500]).expect("the scratch folder takes files");
    let output = unspool(&["inspect", "--json", file.to_str().expect("UTF-8")]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let parts = json["parts"].as_object().unwrap();
    assert_eq!(parts.values().map(|part| part.as_u64().unwrap()).sum::<u64>(), 500, "{parts:?}");
    assert_eq!(unspool(&["decode", "--text", &path("page.xz")]).status.code(), Some(2));
}

#[test]
fn gzip_is_unwrapped() {
    let wrapped = vector_folders("gzip")[0].join("v1_int8.cvc.gz");
    let wrapped = wrapped.to_str().unwrap();
    assert_eq!(unspool(&["decode", wrapped]).stdout, unspool(&["decode", &vector("v1_int8.cvc")]).stdout);
    assert_eq!(unspool(&["decode", wrapped, "--rows", "3..5"]).stdout.len(), 2 * 16 * 4);
    let shown = String::from_utf8(unspool(&["inspect", wrapped]).stdout).unwrap();
    assert!(shown.contains("cvc 1.0") && shown.contains("gzip of 1868 bytes"), "{shown}");
    assert!(unspool(&["check", wrapped]).status.success());
    // `--format gzip` only unwraps.
    assert_eq!(unspool(&["decode", "--format", "gzip", wrapped]).stdout, read(Path::new(&vector("v1_int8.cvc"))));
    // Unknown content is decoded to bytes, and shown as gzip.
    let plain = vector_folders("gzip")[0].join("two_members.gz");
    let plain = plain.to_str().unwrap();
    assert_eq!(unspool(&["decode", plain]).stdout, b"hello world\n");
    let shown = String::from_utf8(unspool(&["inspect", plain]).stdout).unwrap();
    assert!(shown.contains("gzip, 52 bytes") && shown.contains("2 CRC-32 right"), "{shown}");
    // An error of the wrapping has its offset in the gzip file.
    let scratch = scratch("gzip");
    let mut bytes = read(Path::new(wrapped));
    let at = bytes.len() - 5;
    bytes[at] ^= 1;
    let bad = scratch.join("bad.gz");
    std::fs::write(&bad, &bytes).unwrap();
    let output = unspool(&["check", bad.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(&format!("checksum mismatch at byte {}", bytes.len() - 8)), "{}", stderr(&output));
}

/// A table of AT-1.
fn derived_chain() -> String {
    vector_folders("at1")[0].join("c7_derived_chain.at1").to_str().unwrap().to_owned()
}

#[test]
fn queries_read_tables_from_gzip() {
    let table = derived_chain();
    let plain = unspool(&["query", &table, "--count"]);
    assert!(plain.status.success() && plain.stdout.len() > 1, "{}", stderr(&plain));
    let wrapped = scratch("query").join("table.at1.gz");
    // Wraps the table in one stored block.
    let bytes = read(Path::new(&table));
    let len = u16::try_from(bytes.len()).unwrap();
    let mut gzip = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01".to_vec();
    gzip.extend([len.to_le_bytes(), (!len).to_le_bytes()].concat());
    gzip.extend(&bytes);
    gzip.extend(unspool::checksum::Crc32::of(&bytes).to_le_bytes());
    gzip.extend(u32::from(len).to_le_bytes());
    std::fs::write(&wrapped, gzip).unwrap();
    let wrapped = wrapped.to_str().unwrap();
    assert_eq!(unspool(&["query", wrapped, "--count"]).stdout, plain.stdout);
    // An exceeded limit names its option, for the table and for the gzip around it.
    for file in [&table, wrapped] {
        let refused = unspool(&["query", file, "--count", "--max-output", "10"]);
        let words = stderr(&refused);
        assert!(refused.status.code() == Some(1) && words.contains("limit exceeded"), "{words}");
        assert!(words.contains("--max-output BYTES allows more"), "{words}");
        assert_eq!(unspool(&["query", file, "--count", "--max-output", "1M"]).stdout, plain.stdout);
    }
}

#[test]
#[cfg(unix)]
fn queries_read_tables_from_pipes() {
    let table = derived_chain();
    let plain = unspool(&["query", &table, "--count"]);
    let mut cat = Command::new("cat").arg(&table).stdout(Stdio::piped()).spawn().unwrap();
    let mut query = Command::new(env!("CARGO_BIN_EXE_unspool"));
    let query = query.args(["query", "/dev/stdin", "--count"]).stdin(cat.stdout.take().unwrap()).output().unwrap();
    assert!(cat.wait().unwrap().success());
    assert_eq!(query.stdout, plain.stdout, "{}", stderr(&query));
}

#[test]
fn statistics_match_the_decoded_numbers() {
    let json = |arguments: &[&str]| -> serde_json::Value {
        let output = unspool(&[&["inspect", "--json", "--stats"], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let stats = &json(&[&vector("v1_int8.cvc")])["stats"][0];
    let values: Vec<f64> = unspool(&["decode", &vector("v1_int8.cvc")])
        .stdout
        .chunks_exact(4)
        .map(|value| f32::from_le_bytes(value.try_into().unwrap()).into())
        .collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(stats["count"].as_u64(), Some(values.len() as u64));
    assert_eq!(stats["min"].as_f64(), Some(least));
    assert!((stats["mean"].as_f64().unwrap() - mean).abs() < 1e-12);
    let counted: u64 = list(stats, "histogram").iter().map(|bin| bin[2].as_u64().unwrap()).sum();
    assert_eq!(counted, values.len() as u64);
    assert_eq!(stats["norms"]["count"].as_u64(), Some(values.len() as u64 / 16));
    // Each of several columns, and Pco.
    assert_eq!(list(&json(&[&vector("v2_ints_default.cvc")]), "stats").len(), 8);
    let pco = vector_folders("pco")[0].join("assets/v1_0_0_conv1.pco");
    assert_eq!(json(&[pco.to_str().unwrap()])["stats"][0]["count"].as_u64(), Some(2000));
    let text = String::from_utf8(unspool(&["inspect", "--stats", &vector("v1_int8.cvc")]).stdout).unwrap();
    assert!(
        text.contains("stats      vectors: 1600 numbers from ") && text.contains("lengths of the vectors: 100 vectors"),
        "{text}"
    );
}

#[test]
fn statistics_of_a_broken_file_cover_its_sound_part() {
    let scratch = scratch("broken-stats");
    let count = |name: &str, bytes: &[u8]| {
        let path = scratch.join(name);
        std::fs::write(&path, bytes).unwrap();
        let output = unspool(&["inspect", "--json", "--stats", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        json["stats"][0]["count"].as_u64()
    };
    // One bad chunk, with one column and with several; then truncated Pco and OnPair.
    assert_eq!(count("one.cvc", &read(Path::new(&vector("bad/payload_flip.cvc")))), Some(1600 - 32 * 16));
    let mut bytes = read(Path::new(&vector("v2_ints_default.cvc")));
    *bytes.last_mut().unwrap() ^= 1;
    assert!(count("many.cvc", &bytes) > Some(0));
    let bytes = read(&vector_folders("pco")[0].join("assets/v1_0_0_conv1.pco"));
    let some = count("cut.pco", &bytes[..bytes.len() - 20]);
    assert!((256..2000).contains(&some.unwrap()), "{some:?}");
    let bytes = read(&vector_folders("onpair")[0].join("cpp/urls_b12.onp"));
    assert!(count("cut.onp", &bytes[..bytes.len() - 20]) > Some(0));
}

#[test]
fn decodes_inspects_and_checks_at1() {
    let folder = vector_folders("at1").remove(0);
    let scratch = scratch("at1");
    for name in ["c4_ragged", "c7_semicolons", "c3_adjacent_vars", "c255_unicode_zstd", "s4_tabs_alternate"] {
        let path = folder.join(format!("{name}.at1"));
        let file = path.to_str().unwrap();
        let out = scratch.join("out");
        let output = unspool(&["decode", file, "-o", out.to_str().unwrap()]);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert!(read(&out) == read(&folder.join(format!("{name}.orig"))), "{name}");
        let report = unspool(&["inspect", "--json", file]);
        let json: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
        assert_eq!(
            (&json["format"], json["decoded_size"].as_u64()),
            (&"at1".into(), Some(read(&out).len() as u64)),
            "{name}"
        );
        let checked = String::from_utf8(unspool(&["check", file]).stdout).unwrap();
        assert!(checked.contains("ok, at1"), "{name}: {checked}");
    }
    let bad = folder.join("bad/trailer_hash_flip.at1");
    let output = unspool(&["check", bad.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("checksum mismatch"), "{}", stderr(&output));
}

#[test]
fn a_bundle_is_decoded_into_a_folder_only() {
    use unspool_tests::at1::{file, stored};
    let scratch = scratch("bundle");
    let bundle = |names: &str| {
        let files = [
            ("manifest", names.as_bytes().to_vec()),
            ("e0", b"AT1\x02\xFF\x02one".to_vec()),
            ("e1", b"AT1\x02\xFF\x02two".to_vec()),
        ];
        let path = scratch.join("bundle.at1");
        std::fs::write(&path, file(12, &files, stored)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let folder = scratch.join("out");
    let to = folder.to_str().unwrap();
    let good = bundle(r#"[{"name":"a.txt"},{"name":"sub/b.txt"}]"#);
    let output = unspool(&["decode", &good, "-o", to]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!((read(&folder.join("a.txt")), read(&folder.join("sub/b.txt"))), (b"one".to_vec(), b"two".to_vec()));
    // Existing files are not overwritten, and without a folder nothing is written.
    assert_eq!(unspool(&["decode", &good, "-o", to]).status.code(), Some(1));
    let output = unspool(&["decode", &good]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let good = bundle(r#"[{"name":"a.txt"},{"name":"sub/b.txt"}]"#);
    let output = unspool(&["decode", &good, "--text", "-o", scratch.join("other").to_str().unwrap()]);
    assert_eq!((output.status.code(), scratch.join("other").exists()), (Some(2), false));
    let output = unspool(&["decode", &good, "--range", "0..1", "-o", scratch.join("other").to_str().unwrap()]);
    assert_eq!((output.status.code(), scratch.join("other").exists()), (Some(2), false));
    // A stream without a name, and a bundle within a bundle.
    let nested = file(12, &[("manifest", b"[]".to_vec())], stored);
    std::fs::write(
        scratch.join("nested.at1"),
        file(12, &[("manifest", br#"[{"name":"a"}]"#.to_vec()), ("e0", nested)], stored),
    )
    .unwrap();
    for bad in [bundle(r#"[{"name":"a"}]"#), scratch.join("nested.at1").to_str().unwrap().to_owned()] {
        for arguments in [&["check", &bad][..], &["decode", &bad, "-o", scratch.join("broken").to_str().unwrap()]] {
            let output = unspool(arguments);
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        }
    }
    for names in [r#"[{"name":"../evil"},{"name":"x"}]"#, r#"[{"name":"/evil"},{"name":"x"}]"#, r#"[{"name":"a\\b"}]"#]
    {
        let output = unspool(&["decode", &bundle(names), "-o", scratch.join("other").to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{names}");
        assert!(!scratch.join("evil").exists() && !scratch.join("other").exists());
    }
}

#[test]
fn a_broken_bundle_leaves_no_empty_folders() {
    use unspool_tests::at1::{file, stored};
    let scratch = scratch("bundle_broken");
    let (path, out) = (scratch.join("bundle.at1"), scratch.join("new/out"));
    let decode = |content: &[u8], folder: &Path| {
        let manifest = br#"[{"name":"sub/a"},{"name":"sub/deep/b"}]"#.to_vec();
        let one = b"AT1\x02\xFF\x02one".to_vec();
        std::fs::write(&path, file(12, &[("manifest", manifest), ("e0", one), ("e1", content.to_vec())], stored))
            .unwrap();
        unspool(&["decode", path.to_str().unwrap(), "-o", folder.to_str().unwrap()]).status.code()
    };
    assert_eq!(decode(b"AT1\x02\x09", &out), Some(1));
    // A complete file stays, with the folders that lead to it.
    assert_eq!(read(&out.join("sub/a")), b"one");
    assert!(!out.join("sub/deep").exists());
    // Folders that existed stay, too.
    std::fs::remove_file(out.join("sub/a")).unwrap();
    let empty = file(12, &[("manifest", br#"[{"name":"sub/x/a"}]"#.to_vec()), ("e0", b"AT1".to_vec())], stored);
    std::fs::write(&path, &empty).unwrap();
    for (folder, remains) in [(out, "sub"), (scratch.join("other/out"), "")] {
        let output = unspool(&["decode", path.to_str().unwrap(), "-o", folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(folder.parent().unwrap().exists(), !remains.is_empty());
        assert_eq!(folder.join("sub").exists(), !remains.is_empty());
        assert!(!folder.join("sub/x").exists());
    }
    // A bundle of no files is one, too.
    std::fs::write(&path, file(12, &[("manifest", b"[]".to_vec())], stored)).unwrap();
    let folder = scratch.join("none");
    assert!(unspool(&["decode", path.to_str().unwrap(), "-o", folder.to_str().unwrap()]).status.success());
    assert!(folder.is_dir());
}

#[test]
fn a_file_named_lzma_that_is_not_detected_gets_a_hint() {
    let scratch = scratch("lzma_hint");
    // The dictionary size 5 is one that no encoder writes.
    let bytes = [&b"\x5D\x05\0\0\0"[..], &[0xFF; 8], &[0; 20]].concat();
    for (name, hint) in [("a.lzma", true), ("a.bin", false)] {
        let path = scratch.join(name);
        std::fs::write(&path, &bytes).unwrap();
        let output = unspool(&["decode", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stderr(&output).contains("--format lzma"), hint, "{}", stderr(&output));
    }
}

/// Returns a bundle of three files with these names.
fn bundle_of(names: [&str; 3]) -> Vec<u8> {
    use unspool_tests::at1::{file, stored};
    let entry = |name: &str| serde_json::json!({ "name": name });
    let manifest = serde_json::to_vec(&names.map(entry)).unwrap();
    let [e0, e1, e2] = [b"one", b"two", b"six"].map(|content| [&b"AT1\x02\xFF\x02"[..], content].concat());
    file(12, &[("manifest", manifest), ("e0", e0), ("e1", e1), ("e2", e2)], stored)
}

/// A name that is refused stops the command before it writes anything.
#[test]
fn names_of_a_bundle_are_checked_before_anything_is_written() {
    let scratch = scratch("bundle_names");
    let (path, out) = (scratch.join("bundle.at1"), scratch.join("out"));
    let deep = vec!["d"; 2000].join("/");
    let bad = ["../x", "CON", "sub/nul.txt", "a.", "a ", "\u{202E}gpj.exe", "x\u{2028}y", &deep, "good", "good/x"];
    for name in bad {
        std::fs::write(&path, bundle_of(["good", "sub/good", name])).unwrap();
        let output = unspool(&["decode", path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        assert!(!out.exists(), "{name:?} leaves files");
        assert!(!stderr(&output).contains(['\u{202E}', '\u{2028}']), "{}", stderr(&output));
    }
    std::fs::write(&path, bundle_of(["good", "sub/good", "console.txt"])).unwrap();
    let output = unspool(&["decode", path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(read(&out.join("console.txt")), b"six");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 3, "no partial file is left");
}

/// A link in the target folder leads nowhere, neither as a folder nor as a file.
#[test]
#[cfg(unix)]
fn a_bundle_follows_no_links() {
    use std::os::unix::fs::symlink;
    let scratch = scratch("bundle_links");
    let [path, out, victim] = ["bundle.at1", "out", "victim"].map(|name| scratch.join(name));
    std::fs::create_dir_all(out.join("real")).unwrap();
    std::fs::create_dir(&victim).unwrap();
    symlink("../victim", out.join("ln")).unwrap();
    symlink("../victim/new", out.join("file")).unwrap();
    symlink("real", out.join("inside")).unwrap();
    for name in ["ln/evil", "ln/a/evil", "file", "inside/evil"] {
        std::fs::write(&path, bundle_of([name, "x/y", "z"])).unwrap();
        let output = unspool(&["decode", path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        assert!(stderr(&output).starts_with("error: cannot "), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(out.join("real")).unwrap().count(), 0);
    // The target itself may be a link, because the user names it.
    let link = scratch.join("target");
    symlink("victim", &link).unwrap();
    std::fs::write(&path, bundle_of(["a", "b/c", "b/d"])).unwrap();
    let output = unspool(&["decode", path.to_str().unwrap(), "-o", link.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(read(&victim.join("b/d")), b"six");
}

/// A terminal gets no escapes from a file; a pipe gets the bytes as they are.
#[test]
#[cfg(target_os = "linux")]
fn content_is_escaped_on_a_terminal_only() {
    use std::io::Read;
    use std::os::unix::ffi::OsStrExt;

    let path = scratch("terminal").join("escapes.gz");
    let content = "\u{1B}[31mred \u{202E}\n";
    // A stored block.
    let mut file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01".to_vec();
    let len = u16::try_from(content.len()).unwrap();
    file.extend([len.to_le_bytes(), (!len).to_le_bytes()].concat());
    file.extend(content.as_bytes());
    file.extend(unspool::checksum::Crc32::of(content.as_bytes()).to_le_bytes());
    file.extend(u32::from(len).to_le_bytes());
    std::fs::write(&path, file).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(unspool(&["decode", path]).stdout, content.as_bytes());

    let terminal = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&terminal).unwrap();
    rustix::pty::unlockpt(&terminal).unwrap();
    let name = rustix::pty::ptsname(&terminal, vec![]).unwrap();
    let side = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let side = std::fs::OpenOptions::new().read(true).write(true).open(side).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_unspool")).args(["decode", path]).stdout(side).status().unwrap();
    assert!(status.success());
    let mut shown = [0; 200];
    let len = std::fs::File::from(terminal).read(&mut shown).unwrap();
    assert_eq!(std::str::from_utf8(&shown[..len]).unwrap(), "\\u{1b}[31mred \\u{202e}\r\n");
}

/// JSON has escapes of its own.
#[test]
fn json_of_inspect_escapes_what_turns_text() {
    let path = scratch("json_escapes").join("name.gz");
    std::fs::write(&path, b"\x1F\x8B\x08\x08\0\0\0\0\0\x03\xE2\x80\xAEred\x7F\0\x03\0\0\0\0\0\0\0\0\0").unwrap();
    let text = String::from_utf8(unspool(&["inspect", "--json", path.to_str().unwrap()]).stdout).unwrap();
    assert!(text.contains("\\u202ered\\u007f") && !text.contains('\u{202E}'), "{text}");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["name"], "\u{202E}red\u{7F}");
}

/// The runtime of Rust opens `/dev/null` in place of a closed standard output before `main`, so
/// that no file is mistaken for it.
#[test]
#[cfg(unix)]
fn a_closed_standard_output_is_an_error() {
    let out = scratch("closed").join("out");
    let run = |rest: &str| {
        let line = format!("\"$0\" {rest}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_unspool"), &vector("v1_fp16.cvc")]).arg(&out);
        shell.output().unwrap()
    };
    let expected = read(&vector_folders("cvc")[0].join("v1_fp16.f32.bin"));
    // An output file takes no standard output.
    let output = run("decode \"$1\" -o \"$2\" >&-");
    assert!(output.status.success() && read(&out) == expected, "{}", stderr(&output));
    for command in ["decode", "inspect", "check"] {
        let output = run(&format!("{command} \"$1\" >&-"));
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert_eq!(stderr(&output), "error: cannot write standard output: it is closed\n", "{command}");
        assert!(run(&format!("{command} \"$1\" >/dev/null")).status.success(), "{command}");
    }
    // A disk that is full is an error.
    if cfg!(target_os = "linux") {
        let output = run("decode \"$1\" >/dev/full");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).starts_with("error: cannot write standard output"), "{}", stderr(&output));
    }
}

/// Runs the command with these bytes as standard input.
fn piped(arguments: &[&str], bytes: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    let mut child =
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its input closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    child.wait_with_output().unwrap()
}

/// The header of a block in RFC 8878 looks like the end of a frame of the draft. Its checksum is
/// not that of no bytes.
#[test]
fn a_cut_frame_of_zstandard_is_truncated() {
    let frame = read(&vector_folders("zstd")[0].join("rfc8878/s-blk-rle-max.zst"));
    let path = scratch("cut_frame").join("cut.zst");
    for cut in 4..frame.len() {
        std::fs::write(&path, &frame[..cut]).unwrap();
        for output in [unspool(&["check", path.to_str().unwrap()]), piped(&["check", "-"], &frame[..cut])] {
            let start = format!("error: truncated at byte {cut}");
            assert!(stderr(&output).starts_with(&start), "{cut}: {}", stderr(&output));
        }
    }
}

/// If the first megabyte is a frame to skip, nothing there shows the generation of Zstandard.
#[test]
fn an_unsure_generation_of_zstandard_names_the_option() {
    let mut skipped = b"\x50\x2A\x4D\x18\0\0\x20\0".to_vec();
    skipped.resize(8 + (2 << 20), 7);
    let draft = [&skipped[..], &read(&vector_folders("zstd")[0].join("draft/bal64.zst"))].concat();
    for command in ["decode", "check"] {
        let output = piped(&[command, "-"], &draft);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("draft 0.2.0 or v0.7, name it with --format ["), "{}", stderr(&output));
        let output = piped(&[command, "-", "--format", "zstd-draft"], &draft);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    // A format that is known needs no advice.
    let short = read(&vector_folders("zstd")[0].join("rfc8878/text-1025.zst"));
    let output = piped(&["check", "-"], &short[..short.len() - 9]);
    assert!(output.status.code() == Some(1) && !stderr(&output).contains("--format"), "{}", stderr(&output));
}

/// Every length that gzip allows in a header.
#[test]
fn long_headers_of_gzip_are_read() {
    let path = scratch("gzip_headers").join("long.gz");
    let block = b"\x01\x03\0\xFC\xFFabc";
    let end = [unspool::checksum::Crc32::of(b"abc").to_le_bytes(), 3u32.to_le_bytes()].concat();
    for extra in [0u16, 32_756, 32_757, 65_535] {
        for name in [1, 40_000, 300_000] {
            let mut file = b"\x1F\x8B\x08\x0C\0\0\0\0\0\xFF".to_vec();
            file.extend(extra.to_le_bytes());
            file.resize(file.len() + usize::from(extra), 7);
            file.resize(file.len() + name, b'n');
            file.push(0);
            file.extend([&block[..], &end].concat());
            std::fs::write(&path, &file).unwrap();
            let path = path.to_str().unwrap();
            for command in ["check", "inspect", "decode"] {
                let output = unspool(&[command, path]);
                assert!(output.status.success(), "{command} {extra} {name}: {}", stderr(&output));
            }
            assert_eq!(unspool(&["decode", path]).stdout, b"abc");
        }
    }
}

#[test]
fn a_query_reports_skipped_lines_and_lists_columns() {
    let file = |name: &str| vector_folders("at1")[0].join(name).to_str().unwrap().to_owned();
    let output = unspool(&["query", &file("c7_mixed_quotes_be_cycle.at1"), "--count"]);
    assert_eq!((output.stdout.as_slice(), output.status.code()), (&b"266\n"[..], Some(0)));
    assert!(stderr(&output).contains("67 of 334 lines do not fit this table"), "{}", stderr(&output));
    let output = unspool(&["query", &file("c8_events.at1"), "--select", "type,prize"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("its columns are: type, ts, val"), "{}", stderr(&output));
    let output = unspool(&["inspect", &file("c8_events.at1")]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("type: text"));
}

#[test]
fn control_characters_from_files_are_escaped() {
    // Windows allows no such name.
    let path = scratch("escapes").join(if cfg!(windows) { "bell.gz" } else { "\u{7}.gz" });
    std::fs::write(&path, b"\x1F\x8B\x08\x08\0\0\0\0\0\x03\x1B[31mred\nx\0\x03\0\0\0\0\0\0\0\0\0").unwrap();
    for command in ["inspect", "check"] {
        let text = String::from_utf8(unspool(&[command, path.to_str().unwrap()]).stdout).unwrap();
        assert!(!text.is_empty() && !text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        assert!(command == "check" || text.contains("name       \\u{1b}[31mred\\nx\n"), "{text}");
    }
    // Renames a column to an escape character and an x, written in JSON with the same length.
    let path = path.with_file_name("columns.cvc");
    let mut bytes = read(Path::new(&vector("v2_ints_default.cvc")));
    for at in 0..bytes.len() - 7 {
        if &bytes[at..at + 7] == b"int32_s" {
            bytes[at..at + 7].copy_from_slice(br"\u001bx");
        }
    }
    std::fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap();
    let output = unspool(&["inspect", "--stats", path]);
    for text in [output.stdout, unspool(&["decode", path]).stderr] {
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("\\u{1b}x") && !text.contains('\x1B'), "{text:?}");
    }
}

#[test]
fn check_exits_with_the_worst_code() {
    let path = scratch("worst").join("broken.zst");
    std::fs::write(&path, b"\x28\xB5\x2F\xFD").unwrap();
    let broken = path.to_str().unwrap();
    let wanting = zstd("v07/dict-id40000-cdict-json.zst");
    for files in [[broken, &wanting], [&wanting, broken]] {
        assert_eq!(unspool(&[&["check"], &files[..]].concat()).status.code(), Some(1));
    }
}
