//! Files, and streams with any cuts, lead to the same bytes and to the same error.

#[cfg(unix)]
mod large;

use std::io::Read;
use std::sync::atomic::Ordering;

use clap::Parser as _;
use unspool::{Format, Limits, Probe, probe};
use unspool_tests::{Random, Verdict, all_vectors, big_set, read, verdicts};

use crate::formats::onpair::Where;
use crate::formats::{self, Selection, parallel};
use crate::output::Output;
use crate::same::{ALL, Expected, Hasher, Outcome, Way, check, decode, outcome};
use crate::source::Source;

/// Some vectors decode to gigabytes.
const LIMITS: Limits = Limits { max_output: 16 << 20, ..Limits::DEFAULT };

/// Returns all vectors, with their formats.
fn vectors() -> Vec<(String, Format, Vec<u8>)> {
    let kinds = [
        ("zstd", "zst"),
        ("xz", "xz"),
        ("lzma", "lzma"),
        ("gzip", "gz"),
        ("cvc", "cvc"),
        ("pco", "pco"),
        ("onpair", "onp"),
        ("at1", "at1"),
    ];
    let mut files = vec![];
    for path in kinds.into_iter().flat_map(|(format, extension)| all_vectors(format, extension)) {
        let bytes = read(&path);
        let format = match probe(&bytes) {
            Probe::Match(Format::Zstd | Format::ZstdV07 | Format::ZstdSkippable) => {
                formats::zstd::format_of(&bytes, true).0
            }
            Probe::Match(format) => format,
            _ => continue,
        };
        files.push((path.display().to_string(), format, bytes));
    }
    files
}

/// The ways to read a file: its first bytes, the pieces of a stream, and threads.
fn ways(len: usize) -> impl Iterator<Item = Way> {
    let cuts = [(20, None), (20, Some(1 + len / 7)), (4096, Some(1)), (5000, Some(611)), (len, None)];
    let ways = (0..).map(|number| 1 + number % 3).zip(cuts.into_iter().cycle()).take(8);
    ways.map(|(threads, (head, cut))| Way { head, cut, threads }).filter(move |way| len <= 50_000 || way.cut != Some(1))
}

/// Returns some of the ways, other ones for each file. The big set has thousands of files, so that
/// a quarter of the ways suffices for each.
fn some_ways(number: usize, len: usize) -> impl Iterator<Item = Way> {
    let every = if big_set().is_some() { 4 } else { 1 };
    ways(len).skip(number % every).step_by(every)
}

/// Compares a file and streams with the same bytes in memory. Returns what differs.
fn differences(name: &str, format: Format, bytes: &[u8], ways: impl Iterator<Item = Way>) -> Vec<String> {
    let expected = Expected::new(format, bytes, &LIMITS);
    let found = ways.flat_map(|way| expected.differences(way)).chain(expected.unlike_core());
    found.map(|difference| format!("{name}: {difference}")).collect()
}

#[test]
fn files_and_streams_agree() {
    let files = vectors();
    assert!(files.len() > 500, "{}", files.len());
    let mut found = vec![];
    for (number, (name, format, bytes)) in files.into_iter().enumerate() {
        found.extend(differences(&name, format, &bytes, some_ways(number, bytes.len())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    // Not only by one thread, which takes over whenever others meet something odd.
    let together = parallel::TOGETHER.load(Ordering::Relaxed);
    assert!(together > 50, "{together} times on several threads");
}

#[test]
fn files_and_streams_agree_about_damage() {
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random >> 11).unwrap() % below
    };
    let mut found = vec![];
    for (number, (name, format, bytes)) in vectors().into_iter().enumerate() {
        if bytes.len() < 8 || bytes.len() > 20_000 {
            continue;
        }
        let mut damage = |name: String, bytes: &[u8]| {
            found.extend(differences(&name, format, bytes, some_ways(number, bytes.len())));
        };
        let mut broken = bytes.clone();
        let place = 5 + next(bytes.len() - 5);
        broken[place] ^= 1 << next(8);
        damage(format!("{name} with a bit flipped in byte {place}"), &broken);
        broken.truncate(5 + next(bytes.len() - 5));
        damage(format!("{name}, that and cut to {}", broken.len()), &broken);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Frames of a stream meet the limit for all content where a file meets it, with the same need.
#[test]
fn frames_of_a_stream_meet_the_limit_of_a_file() {
    let (mut files, mut found) = (0, vec![]);
    for (name, format, bytes) in vectors() {
        if format != Format::At1 || bytes[3] != 3 || bytes.len() > 50_000 {
            continue;
        }
        files += 1;
        let (content, ..) = decode(format, &mut Source::of(&bytes, bytes.len(), None, 1), &ALL, &LIMITS);
        for eighth in 0..=8 {
            let limits = Limits { max_output: (content * eighth / 8) as u64, ..LIMITS };
            let expected = Expected::new(format, &bytes, &limits);
            let ways = [20, 5000].map(|head| Way { head, cut: Some(611), threads: 1 });
            let different = ways.into_iter().flat_map(|way| expected.differences(way));
            found.extend(different.map(|difference| format!("{name}, {eighth}/8: {difference}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(files > 5, "{files} files have frames");
}

/// A chunk claims bytes that a cut file lacks. They are no reason to ask for memory.
#[test]
fn a_cut_file_of_lossless_vectors_is_truncated() {
    let (_, _, bytes) = vectors().into_iter().find(|(name, ..)| name.ends_with("v1_lossless_256.cvc")).unwrap();
    let (mut cuts, head) = (0, 200);
    for len in (head..bytes.len()).step_by(1 + bytes.len() / 50).chain([bytes.len() - 1]) {
        for (head, cut) in [(len, None), (20, None), (20, Some(611))] {
            let source = || Source::of(&bytes[..len], head, cut, 1);
            let (_, _, decoded) = decode(Format::Cvc, &mut source(), &ALL, &LIMITS);
            for error in [decoded.unwrap_err(), check(Format::Cvc, &mut source(), &LIMITS).unwrap_err()] {
                assert!(error.starts_with(&format!("Truncated at {len}")), "{len} bytes: {error}");
            }
            cuts += 1;
        }
    }
    assert!(cuts > 150, "{cuts}");
    // The first chunk claims more than some machines can address.
    let start = unspool::cvc::Header::read(&bytes, &LIMITS).unwrap().head_len();
    let mut claims = bytes;
    claims[usize::try_from(start).unwrap()..].split_at_mut(4).0.fill(0xFF);
    let (len, end) = (claims.len(), start + 8 + u64::from(u32::MAX));
    for (head, cut) in [(len, None), (20, None), (20, Some(611))] {
        let (_, _, decoded) = decode(Format::Cvc, &mut Source::of(&claims, head, cut, 1), &ALL, &LIMITS);
        assert_eq!(decoded, Err(format!("Truncated at {len}, needs {end}")));
    }
}

#[test]
fn rows_of_a_cvc_stream_are_those_of_a_file() {
    let mut some = 0;
    for (name, format, bytes) in vectors() {
        let Ok(file) = unspool::cvc::File::open(&bytes, &LIMITS) else { continue };
        if format != Format::Cvc || bytes.len() > 500_000 {
            continue;
        }
        let names: Vec<_> = file.columns().map_while(|column| Some(column.ok()?.name().to_string())).collect();
        let all = file.num_vectors();
        for range in [0..1, all / 3..all / 2, all / 2..all, all.saturating_sub(1)..all, all..all] {
            for (column, text) in names.iter().flat_map(|name| [(name, false), (name, true)]) {
                let column = file.is_columnar().then_some(&**column);
                let rows = Selection { column, rows: Some(Some(range.start)..Some(range.end)), text, ..ALL };
                let decode =
                    |head, cut, threads| decode(format, &mut Source::of(&bytes, head, cut, threads), &rows, &LIMITS);
                let expected = decode(bytes.len(), None, 1);
                some += usize::from(expected.0 > 0);
                for (head, cut, threads) in [(20, None, 2), (20, Some(611), 1), (bytes.len() / 2, Some(7001), 2)] {
                    assert_eq!(decode(head, cut, threads), expected, "{name}: {range:?} of {column:?}");
                }
            }
        }
    }
    assert!(some > 300, "{some}");
}

#[test]
fn a_file_is_read_in_order_and_at_any_place() {
    let bytes = Random(1).noise(9 << 20);
    let mut source = Source::of(&bytes, 1000, None, 1);
    let mut piece = vec![0; 300_001];
    for start in [0, 5 << 20, 3 << 20, bytes.len() - 7] {
        source.seek(start as u64);
        let mut at = start;
        loop {
            let read = source.read(&mut piece).unwrap();
            assert!(piece[..read] == bytes[at..at + read], "{at} after {start}");
            at += read;
            if read == 0 {
                break;
            }
            let place = at / 2..at / 2 + 50_000;
            let range = place.start as u64..place.end as u64;
            assert!(source.at(range).ok().unwrap() == bytes[place], "a place before {at}");
        }
        assert_eq!(at, bytes.len());
    }
}

/// The check of a file with several columns is that of the crate, chunk by chunk.
#[test]
fn columns_are_checked_as_the_crate_does() {
    let mut broken = 0;
    for (name, format, bytes) in vectors() {
        let columns = unspool::cvc::File::open(&bytes, &LIMITS).is_ok_and(|file| file.is_columnar());
        if format != Format::Cvc || !columns {
            continue;
        }
        let options = unspool::cvc::Options { limits: LIMITS, ..unspool::cvc::Options::DEFAULT };
        let inspected = unspool::cvc::inspect(&bytes, &mut unspool::cvc::Workspace::new(), &options, &mut ());
        let checked = check(format, &mut Source::of(&bytes, 20, None, 1), &LIMITS).map(drop);
        if let Err(error) = inspected {
            broken += 1;
            let expected = outcome(error.into());
            assert_eq!(checked, Err(expected), "{name}");
        }
    }
    assert!(broken > 2, "{broken} broken files");
}

/// Asks a table, with a number of threads. Returns the outcome.
fn asked(bytes: &[u8], threads: usize, arguments: &[&str]) -> Outcome {
    let arguments = crate::args::Arguments::parse_from([&["unspool", "query", "-"], arguments].concat());
    let crate::args::Command::Query(arguments) = arguments.command else { panic!("a query") };
    let (hasher, mut source) = (Hasher::new(), Source::of(bytes, 20, None, threads));
    let mut output = Output::to_writer(hasher.clone());
    let answered = crate::query::answer(&arguments, &mut source, &LIMITS, &mut output);
    output.flush_all();
    let (len, hash) = hasher.value();
    (len, hash, answered.map_err(outcome))
}

/// Row groups that several threads share lead to the answer of one thread, and to its error.
#[test]
fn queries_on_threads_agree() {
    let mut random = Random(5);
    let requests: [&[&str]; 9] = [
        &["--lines"],
        &["--select", "1,0", "--where", "0:10:"],
        &["--count", "--where", "1::500"],
        &["--sum", "0"],
        &["--min", "1"],
        &["--max", "0", "--limit", "70"],
        &["--limit", "5"],
        &["--select", "0", "--limit", "64"],
        &["--lines", "--eq", "0:7", "--limit", "1"],
    ];
    let (mut several, mut refused, mut found) = (0, 0, vec![]);
    for (name, format, bytes) in vectors() {
        if format != Format::At1 || bytes.len() > 100_000 {
            continue;
        }
        let mut files = vec![(name.clone(), bytes.clone())];
        for _ in 0..if bytes.len() < 20_000 { 3 } else { 0 } {
            let mut broken = bytes.clone();
            let place = random.below(broken.len());
            broken[place] ^= 1 << random.below(8);
            files.push((format!("{name} with a bit flipped in byte {place}"), broken));
        }
        for (copy, (name, bytes)) in files.into_iter().enumerate() {
            // A broken copy answers a third of the requests.
            for request in requests.into_iter().skip(copy.saturating_sub(1)).step_by(if copy > 0 { 3 } else { 1 }) {
                let one = asked(&bytes, 1, request);
                refused += usize::from(one.2.is_err());
                several += usize::from(one.0 > 1000);
                for threads in [2, 3] {
                    let more = asked(&bytes, threads, request);
                    if more != one {
                        found.push(format!("{name} {request:?}: {more:?} instead of {one:?}"));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(several > 50 && refused > 50, "{several} long answers, {refused} errors");
}

/// A search by several threads prints the rows of one, and meets its error.
#[test]
fn searches_on_threads_agree() {
    let (mut random, mut long) = (Random(6), 0);
    for (name, format, bytes) in vectors() {
        if format != Format::OnPair || bytes.len() > 300_000 {
            continue;
        }
        let mut broken = bytes.clone();
        let place = 9 + random.below(bytes.len().saturating_sub(9).max(1));
        if let Some(byte) = broken.get_mut(place) {
            *byte ^= 1 << random.below(8);
        }
        for bytes in [bytes, broken] {
            for (pattern, place) in [("e", Where::Inside), ("http", Where::Start), ("", Where::Inside)] {
                let search = |threads| {
                    let (hasher, mut source) = (Hasher::new(), Source::of(&bytes, 20, None, threads));
                    let mut output = Output::to_writer(hasher.clone());
                    let limits = Limits { max_output: 1 << 18, ..LIMITS };
                    let found =
                        formats::onpair::grep(&mut source, pattern.as_bytes(), place, true, &limits, &mut output);
                    output.flush_all();
                    (hasher.value(), found.map_err(outcome))
                };
                let one = search(1);
                long += usize::from(one.0.0 > 1000);
                for threads in [2, 3] {
                    assert_eq!(search(threads), one, "{name}: {pattern} on {threads} threads");
                }
            }
        }
    }
    assert!(long > 10, "{long} long answers");
}

/// The command fails with the error that every door of the core agrees on, at the same byte: on
/// files, and on streams. `tests/tests/agree.rs` writes the table.
#[test]
fn errors_are_those_of_the_core() {
    let mut found = vec![];
    for Verdict { line, path, bytes, kind, at } in verdicts() {
        let format = match path.split_once('/').unwrap().0 {
            "zstd" => Format::Zstd,
            "xz" => Format::Xz,
            "gzip" => Format::Gzip,
            "lzma" => Format::Lzma,
            "pco" => Format::Pco,
            "onpair" => Format::OnPair,
            "cvc" => Format::Cvc,
            "at1" => Format::At1,
            other => panic!("{other} is no format"),
        };
        for (head, cut) in [(bytes.len(), None), (20, None), (20, Some(611))] {
            let (_, _, decoded) = decode(format, &mut Source::of(&bytes, head, cut, 1), &ALL, &LIMITS);
            let verdict = match decoded {
                Ok(()) => "accepted at 0".to_owned(),
                Err(error) => error.split(", ").next().unwrap_or_default().to_owned(),
            };
            if verdict != format!("{kind} at {at}") {
                found.push(format!("{line}: {verdict} with {head} bytes at first, in pieces of {cut:?}"));
            }
        }
        let inspected =
            formats::inspect(format, &mut Source::of(&bytes, bytes.len(), None, 1), None, false, true, &LIMITS);
        let error = inspected.unwrap_or_else(|_| panic!("{line}")).error;
        let verdict = error.map_or("accepted at 0".to_owned(), |error| format!("{:?} at {}", error.kind, error.at));
        if verdict != format!("{kind} at {at}") {
            found.push(format!("{line}: {verdict} inspected"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
