//! The command holds a window and some pieces of a file, however long the file is.
#![cfg(target_os = "linux")]
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use unspool::checksum::{Crc32, Xxh64};
use unspool_tests::at1::unsigned;
use unspool_tests::{read, vector_folders};

/// Bytes of each file, and at least as many decoded.
const SIZE: usize = 48 << 20;

/// The most kilobytes in memory, besides the window: far fewer than a file has.
const MOST: u64 = 32 << 10;

/// Returns the most kilobytes that a process has had in memory so far; `None` if it has ended.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

fn unspool(arguments: &[&str], path: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    command.args(arguments).stdout(Stdio::piped());
    match arguments.last() {
        Some(&"-") => command.stdin(File::open(path).unwrap()),
        _ => command.arg(path),
    };
    command.spawn().unwrap()
}

/// Decodes a file. Returns the hash of its content, and the most kilobytes in memory before the
/// last megabyte of it was read.
fn decoded(arguments: &[&str], path: &Path, content: u64) -> (u64, u64) {
    let mut child = unspool(arguments, path);
    let mut output = child.stdout.take().unwrap();
    let (mut hash, mut piece, mut len) = (Xxh64::new(), vec![0; 1 << 16], 0u64);
    let mut most = 0;
    loop {
        // The rest does not fit in the pipe, so the command waits.
        if most == 0 && len + (1 << 20) > content {
            std::thread::sleep(Duration::from_millis(50));
            most = peak(&child).expect("the command still runs");
        }
        let read = output.read(&mut piece).unwrap();
        if read == 0 {
            break;
        }
        hash.update(&piece[..read]);
        len += read as u64;
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(len, content);
    (hash.value(), most)
}

/// Decodes a file, and the same from a pipe if that `streams`; checks it.
fn bounded(name: &str, bytes: Vec<u8>, content: u64, hash: Option<u64>, streams: bool, window: u64) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("memory-{name}"));
    std::fs::write(&path, &bytes).unwrap();
    assert!(bytes.len() >= SIZE && content >= SIZE as u64, "{name}");
    let most = MOST + window / 1024;
    let (first, held) = decoded(&["decode", "-T1"], &path, content);
    assert!(held <= most, "{name}: {held} kB from a file");
    assert_eq!(first, hash.unwrap_or(first), "{name}");
    if streams {
        let (again, held) = decoded(&["decode", "-T1", "-"], &path, content);
        assert!(held <= most, "{name}: {held} kB from a pipe");
        assert_eq!(again, first, "{name}");
    }
    let held = checked(&path);
    assert!(held <= most, "{name}: {held} kB to check it");
    std::fs::remove_file(path).unwrap();
}

/// Checks a file. Returns the most kilobytes that were seen in memory.
fn checked(path: &Path) -> u64 {
    let mut child = unspool(&["check", "-T1"], path);
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(child.wait().unwrap().success());
    assert!(most > 0, "the command ended before it was seen");
    most
}

/// Content that does not repeat.
fn content() -> Vec<u8> {
    let mut random = 7u64;
    let words = std::iter::repeat_with(|| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    });
    words.take(SIZE / 8).flat_map(u64::to_le_bytes).collect()
}

fn le(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn zstandard_holds_a_window() {
    let content = content();
    // A window of 1 MiB, and raw blocks.
    let mut file = b"\x28\xB5\x2F\xFD\x00\x50".to_vec();
    for block in content.chunks(128 << 10) {
        file.extend(&((block.len() as u32) << 3).to_le_bytes()[..3]);
        file.extend(block);
    }
    file.extend([1, 0, 0]);
    bounded("zst", file, SIZE as u64, Some(Xxh64::of(&content)), true, 1 << 20);
}

#[test]
fn xz_holds_a_window() {
    let content = content();
    let mut file = b"\xFD7zXZ\0\0\0".to_vec();
    file.extend(Crc32::of(&[0, 0]).to_le_bytes());
    // A window of 1 MiB, and chunks that are stored.
    let mut block = vec![2, 0, 0x21, 1, 16, 0, 0, 0];
    block.extend(Crc32::of(&block).to_le_bytes());
    for (number, chunk) in content.chunks(1 << 16).enumerate() {
        block.push(if number == 0 { 1 } else { 2 });
        block.extend(((chunk.len() - 1) as u16).to_be_bytes());
        block.extend(chunk);
    }
    block.push(0);
    let mut index = vec![0, 1];
    unsigned(&mut index, block.len() as u64);
    unsigned(&mut index, SIZE as u64);
    block.resize(block.len().next_multiple_of(4), 0);
    file.extend(block);
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(Crc32::of(&index).to_le_bytes());
    let backward = (index.len() as u32 / 4 - 1).to_le_bytes();
    file.extend(index);
    file.extend(Crc32::of(&[&backward[..], &[0, 0]].concat()).to_le_bytes());
    file.extend([&backward[..], b"\0\0YZ"].concat());
    bounded("xz", file, SIZE as u64, Some(Xxh64::of(&content)), true, 1 << 20);
}

/// Wraps content in gzip, in blocks that are stored.
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF".to_vec();
    for block in content.chunks(0xFFFF) {
        file.push(0);
        file.extend((block.len() as u16).to_le_bytes());
        file.extend((!(block.len() as u16)).to_le_bytes());
        file.extend(block);
    }
    file.extend([1, 0, 0, 0xFF, 0xFF]);
    file.extend(Crc32::of(content).to_le_bytes());
    file.extend((content.len() as u32).to_le_bytes());
    file
}

#[test]
fn gzip_holds_a_window() {
    let content = content();
    bounded("gz", gzip(&content), SIZE as u64, Some(Xxh64::of(&content)), true, 1 << 20);
}

/// 48 chunks of 512 rows of 1,024 half floats, with checksums.
fn vectors() -> (Vec<u8>, u64) {
    let (rows, dimension, chunks) = (512usize, 1024usize, 48usize);
    let entries = vec![format!("{{\"rows\":{rows}}}"); chunks].join(",");
    let json = format!(
        "{{\"chunks\":[{entries}],\"compression\":\"fp16\",\"dimension\":{dimension},\"num_vectors\":{}}}",
        rows * chunks
    );
    let mut file = b"CVCF".to_vec();
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(json.as_bytes());
    let chunk = 0x3C00u16.to_le_bytes().repeat(rows * dimension);
    for _ in 0..chunks {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(&chunk);
    }
    (file, (rows * dimension * chunks * 4) as u64)
}

#[test]
fn cvc_holds_a_chunk() {
    let (file, len) = vectors();
    let wrapped = gzip(&file);
    bounded("cvc", file, len, None, true, 0);
    bounded("cvc.gz", wrapped, len, None, true, 1 << 20);
}

/// A chunk of these vectors has a megabyte, and decodes to two.
#[test]
fn each_thread_holds_two_parts_more() {
    let (file, len) = vectors();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-threads");
    std::fs::write(&path, &file).unwrap();
    let (expected, _) = decoded(&["decode", "-T1"], &path, len);
    for (arguments, threads) in [(&["decode", "-T2"], 2), (&["decode", "-T4"], 4), (&["decode", "-T8"], 8)] {
        let (hash, held) = decoded(arguments, &path, len);
        let most = MOST + threads * 2 * (3 << 10);
        assert!(held <= most, "{held} kB on {threads} threads");
        assert_eq!(hash, expected);
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn pco_holds_a_chunk() {
    let vector = read(&vector_folders("pco")[0].join("m_i32_classic_auto.pco"));
    let header = unspool::pco::Header::read(&vector, &unspool::Limits::DEFAULT).unwrap();
    let chunk = &vector[header.len..vector.len() - 1];
    let count = SIZE / chunk.len() + 1;
    let file = [&vector[..header.len], &chunk.repeat(count), &[0]].concat();
    bounded("pco", file, count as u64 * 1323 * 4, None, true, 0);
}

#[test]
fn onpair_holds_its_dictionary_and_some_rows() {
    let (codes, rows) = (24usize << 20, 1usize << 20);
    let mut file = b"ONPAIR01\x10".to_vec();
    file.extend(le(&[4]));
    file.extend(b"abcd");
    file.extend(le(&[3, 0, 1, 4, (codes / 4) as u32]));
    for code in 0..codes {
        file.extend((code as u16 & 1).to_le_bytes());
    }
    file.extend(le(&[rows as u32 + 1]));
    for row in 0..=rows {
        file.extend(((row * (codes / rows)) as u32).to_le_bytes());
    }
    // Its tables come last, so a pipe is held.
    bounded("onp", file, codes as u64 * 2, None, false, 0);
}

#[test]
fn at1_holds_some_frames() {
    let content = content();
    let mut file = b"AT1\x03\x07\x01".to_vec();
    for frame in content.chunks(1 << 20) {
        unsigned(&mut file, frame.len() as u64 + 2);
        file.extend([1, 2]);
        file.extend(frame);
    }
    bounded("at1", file, SIZE as u64, Some(Xxh64::of(&content)), true, 0);
}

/// A file of two columns is checked chunk by chunk.
#[test]
fn columns_of_cvc_are_checked_chunk_by_chunk() {
    let (rows, chunks) = (1usize << 18, 24usize);
    let size = rows * 4;
    let stored = |at| format!(r#"{{"compression":"none","offset":{at},"size":{size}}}"#);
    let entry = format!(r#"{{"columns":{{"a":{},"b":{}}},"rows":{rows}}}"#, stored(0), stored(size));
    let entries = vec![entry; chunks].join(",");
    let schema = ["a", "b"]
        .map(|name| format!(r#"{{"compression":"none","dimension":1,"dtype":"int32","name":"{name}"}}"#))
        .join(",");
    let all = rows * chunks;
    let json = format!(r#"{{"chunks":[{entries}],"columns":[{schema}],"format_type":"columnar","num_vectors":{all}}}"#);
    let mut file = b"CVCF\x02\0\0\0".to_vec();
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(json.as_bytes());
    let chunk = vec![7; 2 * size];
    for _ in 0..chunks {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(Crc32::of(&chunk).to_le_bytes());
        file.extend(&chunk);
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-columns.cvc");
    std::fs::write(&path, &file).unwrap();
    assert!(file.len() >= SIZE);
    let held = checked(&path);
    assert!(held <= MOST, "{held} kB");
    std::fs::remove_file(path).unwrap();
}

/// Runs a command on a file whose bytes `input` returns, until the command ends or takes no more.
/// Returns its output and the most kilobytes that were seen in memory.
fn fed(arguments: &[&str], mut input: impl Read + Send + 'static) -> (std::process::Output, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A command that refuses its input closes the pipe.
    let feeder = std::thread::spawn(move || drop(std::io::copy(&mut input, &mut pipe)));
    let (mut most, begun) = (0, Instant::now());
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
        }
    }
    feeder.join().unwrap();
    (child.wait_with_output().unwrap(), most)
}

fn words(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A Zstandard frame of `blocks` times 128 KiB of zeros, four bytes each, with its size.
fn zeros(blocks: u64) -> Vec<u8> {
    let mut frame = b"\x28\xB5\x2F\xFD\xC0\x50".to_vec();
    frame.extend((blocks << 17).to_le_bytes());
    for block in (0..blocks).rev() {
        frame.extend([&(1u32 << 20 | 2 | u32::from(block == 0)).to_le_bytes()[..3], &[0]].concat());
    }
    frame
}

#[test]
fn raw_files_of_at1_hold_a_window() {
    let blocks = 4096u64;
    let frame = zeros(blocks);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-raw.at1");
    let raw = [b"AT1\x02\xFF\x01", &frame[..]].concat();
    std::fs::write(&path, &raw).unwrap();
    assert!(raw.len() < 20_000);
    let held = checked(&path);
    assert!(held <= MOST, "{held} kB to check it");
    for command in ["inspect", "decode"] {
        let (output, held) = fed(&[command, "-T1", "-"], std::io::Cursor::new(raw.clone()));
        assert!(output.status.success() && held <= MOST, "{command}: {held} kB, {}", words(&output));
    }
    // A frame after it, and one that skips, are errors of the whole.
    for more in [&frame[..], b"\x50\x2A\x4D\x18\0\0\0\0", b"x"] {
        std::fs::write(&path, [&raw[..], more].concat()).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("check").arg(&path).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    }
    std::fs::remove_file(path).unwrap();
}

/// A header that cannot be right is refused before a stream is held.
#[test]
fn wrong_headers_are_refused_at_once() {
    // gzip ends, because it may have zeros after it, and as many as there are.
    let wrapped = gzip(&[b"CVCF", &vec![0; 80 << 20][..]].concat());
    // The second of two frames has no method.
    let frames = b"AT1\x03\x07\x01\x05\x01\x02row\x05\x09\x02row".to_vec();
    const ALL: &[&str] = &["decode", "check", "inspect"];
    let starts = [
        (b"\xFD7zXZ\0\xFF\xFF".to_vec(), true, ALL),
        (b"CVCF".to_vec(), true, ALL),
        // `inspect` holds all of AT-1.
        (frames, true, &["decode", "check"]),
        (wrapped, false, ALL),
    ];
    for (start, is_endless, commands) in starts {
        for &command in commands {
            // `inspect` holds what it shows in full.
            let most = if command == "inspect" { 4 * MOST } else { MOST };
            let more = std::io::repeat(0).take(if is_endless { u64::MAX } else { 0 });
            let (output, held) = fed(&[command, "-"], std::io::Cursor::new(start.clone()).chain(more));
            assert_eq!(output.status.code(), Some(1), "{command}: {}", words(&output));
            assert!(held <= most, "{command}: {held} kB, {}", words(&output));
        }
    }
}

/// Nothing allocates more than the limit, whatever a file asks for.
#[test]
fn memory_has_a_limit() {
    let advice = "--max-memory BYTES allows more";
    let most = 48 << 10;
    // A table may be put together only when all of it is in memory.
    let endless = || std::io::Cursor::new(b"AT1\x02\x04\x01\x04meta\x02\xFF\xFF\xFF\xFF\x7F").chain(std::io::repeat(0));
    for command in ["decode", "check", "inspect"] {
        let (output, held) = fed(&[command, "-", "--max-memory", "40M"], endless());
        assert_eq!(output.status.code(), Some(1), "{command}: {}", words(&output));
        assert!(words(&output).contains(advice), "{command}: {}", words(&output));
        assert!(held <= most, "{command}: {held} kB");
    }
    // That of a file shows before it is read.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-sparse.at1");
    std::fs::write(&path, b"AT1\x02\x04\x08").unwrap();
    File::options().write(true).open(&path).unwrap().set_len(30 << 30).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_unspool")).arg("check").arg(&path).output().unwrap();
    assert!(output.status.code() == Some(1) && words(&output).contains(advice), "{}", words(&output));
    std::fs::remove_file(path).unwrap();
    // A window counts, too.
    let frame = || std::io::Cursor::new(b"\x28\xB5\x2F\xFD\x00\x78\x19\0\0zst");
    let (output, _) = fed(&["decode", "-", "--max-memory", "20M"], frame());
    assert!(output.status.code() == Some(1) && words(&output).contains(advice), "{}", words(&output));
    let (output, _) = fed(&["decode", "-", "--max-memory", "60M"], frame());
    assert!(output.status.success(), "{}", words(&output));
    // With the smallest limit there is an error, or enough memory, in every command.
    let blocks: Vec<u8> = (0..9).flat_map(|_| zeros(1024)).collect();
    for command in ["decode", "check", "inspect"] {
        for threads in ["1", "2", "16"] {
            let (output, _) =
                fed(&[command, "-", "--max-memory", "16M", "-T", threads], std::io::Cursor::new(blocks.clone()));
            assert!(matches!(output.status.code(), Some(0 | 1)), "{command} -T {threads}: {output:?}");
        }
    }
    let (output, _) = fed(&["check", "-", "--max-memory", "15M"], std::io::empty());
    assert!(output.status.code() == Some(2) && words(&output).contains("at least 16M"), "{}", words(&output));
    // Frames of AT-1 that decode to more than threads may hold, and a payload that memory must.
    let frame = [b"\x01\x01", &zeros(1024)[..]].concat();
    let mut file = b"AT1\x03\xFF\x01".to_vec();
    unsigned(&mut file, frame.len() as u64);
    file.extend(frame);
    let (output, held) = fed(&["check", "-", "--max-memory", "40M"], std::io::Cursor::new(file));
    assert!(output.status.code() == Some(1) && words(&output).contains(advice), "{}", words(&output));
    assert!(held <= most, "{held} kB");
}
