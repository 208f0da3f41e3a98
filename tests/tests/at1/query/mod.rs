//! Queries over AT-1 files, against the expected answers and against a search through the decoded
//! lines.

mod broken;
mod expected;
mod names;
mod table;

use std::ops::ControlFlow;
use std::path::PathBuf;

use unspool::at1::{self, Answer, Ask, Codec, Header, Next, Query, Request, Stats, Sum, Workspace};
use unspool::{Class, Error, ErrorKind, Limits, Result};
use unspool_tests::{read, vector_folders};

/// The outcome of a query.
#[derive(Clone, Debug, Default, PartialEq)]
struct Outcome {
    rows: Vec<Vec<Vec<u8>>>,
    lines: Vec<Vec<u8>>,
    numbers: Vec<u64>,
    matched: u64,
    without_number: u64,
    sum: Sum,
    best: Option<Vec<u8>>,
    stats: Stats,
    /// Ranges of the file that were fed after its head.
    fetched: Vec<(u64, u64)>,
    /// The prediction that preceded each of them.
    foreseen: Vec<Vec<(u64, u64)>>,
    scratch: usize,
}

/// Drives a query over a remote file: the head in steps, then range after range, with exactly the
/// scratch that is asked for. Fails for a file whose scratch is out of proportion.
fn run(file: &[u8], request: Request<'_>, first: usize, limits: &Limits) -> Result<Outcome> {
    run_with(file, request, first, 0, limits)
}

/// Feeds `around` extra bytes on both sides of each range.
fn run_with(file: &[u8], request: Request<'_>, first: usize, around: u64, limits: &Limits) -> Result<Outcome> {
    let mut workspace = Workspace::new();
    let mut scratch: Vec<u8> = vec![];
    let mut have = first.min(file.len());
    let grow = |scratch: &mut Vec<u8>, error: Error| -> Result<()> {
        let Class::WorkspaceTooSmall { need } = error.class() else { return Err(error) };
        if need > 64 << 20 {
            return Err(error);
        }
        assert!(need as usize > scratch.len(), "more scratch is asked for than there is");
        scratch.resize(need as usize, 0xA5);
        Ok(())
    };
    let mut query = loop {
        let mut query = Query::new(request, &super::with(*limits));
        match query.open(&file[..have], &mut workspace, &mut scratch) {
            Ok(()) => break query,
            Err(error) if error.kind == ErrorKind::Truncated && have < file.len() => {
                assert!(error.need > have as u64, "a longer head is asked for than there is");
                have = file.len().min(error.need as usize);
            }
            Err(error) => grow(&mut scratch, error)?,
        }
    };
    let mut out = Outcome::default();
    while let Some(needs) = query.needs() {
        assert!(needs.start < needs.end, "an empty range would not help");
        let start = needs.start.saturating_sub(around);
        let end = needs.end.saturating_add(around).min(file.len() as u64);
        let Some(bytes) = file.get(start as usize..end as usize).filter(|_| end >= needs.end) else {
            return Err(Error::new(ErrorKind::Truncated, file.len() as u64).needing(needs.end));
        };
        out.fetched.push((needs.start, needs.end));
        out.foreseen.push(foreseen(&query, &scratch, 12));
        let before = query.stats();
        loop {
            let fed = query.feed(start, bytes, &mut workspace, &mut scratch, &mut |row| {
                out.numbers.push(row.number());
                out.rows.push(row.values().map(<[u8]>::to_vec).collect());
                assert_eq!(out.rows.last().map(Vec::len), Some(row.len()));
                if request.ask == Ask::Rows {
                    let mut line = vec![];
                    row.write_line(&mut |part: &[u8]| {
                        line.extend(part);
                        Ok(())
                    })?;
                    out.lines.push(line);
                }
                Ok(())
            });
            match fed {
                Ok(()) => break,
                Err(error) => grow(&mut scratch, error)?,
            }
        }
        assert!(query.needs() != Some(needs) || query.stats() != before, "no progress");
    }
    let Answer { rows, without_number, sum, best } = query.answer(&scratch);
    (out.matched, out.without_number, out.sum) = (rows, without_number, sum);
    out.best = best.map(<[u8]>::to_vec);
    out.stats = query.stats();
    out.scratch = scratch.len();
    Ok(out)
}

/// Returns up to `most` ranges that a query predicts. None of them is needed now. An error is one
/// that the query will meet.
fn foreseen(query: &Query<'_>, scratch: &[u8], most: usize) -> Vec<(u64, u64)> {
    let (needs, mut ranges) = (query.needs().unwrap_or_default(), vec![]);
    let _ = query.ahead(scratch, &mut |range| {
        assert!(ranges.len() < most, "one more than was wanted");
        assert!(
            range.start < range.end && (range.end <= needs.start || range.start >= needs.end),
            "{range:?} with {needs:?}"
        );
        ranges.push((range.start, range.end));
        if ranges.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    ranges
}

/// Runs the query by steps with the whole file at hand. Collects rows, their numbers, and lines on
/// request.
fn step_by_step(file: &[u8], request: Request<'_>, limits: &Limits) -> Result<Outcome> {
    let (mut workspace, mut scratch) = (Workspace::new(), vec![0; 64 << 20]);
    let mut query = Query::new(request, &super::with(*limits));
    query.open(file, &mut workspace, &mut scratch)?;
    let mut out = Outcome::default();
    let mut at_hand: &[u8] = &[];
    loop {
        match query.step(0, at_hand, &mut workspace, &mut scratch)? {
            Next::Bytes(needs) => {
                assert!(at_hand.is_empty() && needs.end <= file.len() as u64, "{needs:?}");
                at_hand = file;
            }
            Next::Row => {
                let row = query.row(&scratch).expect("a row");
                out.numbers.push(row.number());
                out.rows.push(row.values().map(<[u8]>::to_vec).collect());
                if request.ask == Ask::Rows {
                    let mut line = vec![];
                    row.write_line(&mut |part: &[u8]| {
                        line.extend(part);
                        Ok(())
                    })?;
                    out.lines.push(line);
                }
            }
            Next::Nothing => break,
        }
    }
    assert!(query.row(&scratch).is_none() && query.needs().is_none());
    let Answer { rows, without_number, sum, best } = query.answer(&scratch);
    (out.matched, out.without_number, out.sum) = (rows, without_number, sum);
    out.best = best.map(<[u8]>::to_vec);
    out.stats = query.stats();
    Ok(out)
}

/// Answers each group apart, from the last one to the first, and puts the results in order. Asks
/// for the values of a sum, a minimum or a maximum.
fn by_groups(file: &[u8], request: Request<'_>, limits: &Limits) -> Result<Outcome> {
    let (mut workspace, mut scratch) = (Workspace::new(), vec![0; 4 << 20]);
    let mut query = Query::new(Request { limit: 0, ..request }, &super::with(*limits));
    query.open(file, &mut workspace, &mut scratch)?;
    let feed = |query: &mut Query<'_>, workspace: &mut Workspace, scratch: &mut [u8], out: &mut Outcome| {
        while query.needs().is_some() {
            query.feed(0, file, workspace, scratch, &mut |row| {
                out.numbers.push(row.number());
                out.rows.push(row.values().map(<[u8]>::to_vec).collect());
                Ok(())
            })?;
        }
        Ok::<(), Error>(())
    };
    let mut out = Outcome::default();
    feed(&mut query, &mut workspace, &mut scratch, &mut out)?;
    assert_eq!((out.rows.len(), query.stats().read), (0, 0), "a query without rows reads no group");
    out.stats = query.stats();
    let (mut groups, mut last) = (vec![], at1::Group::default());
    while let Some(group) = query.group_after(&last, &scratch)? {
        assert!(groups.is_empty() || group.number() > last.number());
        groups.push(group);
        last = group;
    }
    let mut parts = vec![];
    let (mut part_query, mut part_scratch) = (query.clone(), scratch.clone());
    for group in groups.iter().rev() {
        let mut part = Outcome::default();
        part_query.begin(group, request.limit, &mut part_scratch)?;
        feed(&mut part_query, &mut workspace, &mut part_scratch, &mut part)?;
        (part.matched, part.stats) = (part_query.answer(&part_scratch).rows, part_query.stats());
        assert_eq!((part.stats.read, part.stats.groups), (request.limit.min(1), query.stats().groups));
        parts.push(part);
    }
    for part in parts.into_iter().rev() {
        out.numbers.extend(part.numbers);
        out.rows.extend(part.rows);
        out.matched += part.matched;
        out.stats.read += part.stats.read;
        out.stats.block_bytes_read += part.stats.block_bytes_read;
    }
    out.stats.skipped = out.stats.groups - out.stats.read;
    let most = usize::try_from(request.limit).unwrap_or(usize::MAX);
    out.matched = out.matched.min(request.limit);
    out.numbers.truncate(most);
    out.rows.truncate(most);
    Ok(out)
}

/// Returns the queryable files of the vectors: codecs 7 and 8 without frames.
fn queryable() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = vec![];
    for folder in vector_folders("at1") {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "at1")) {
            let bytes = read(&path);
            if matches!(Header::read(&bytes, &Limits::DEFAULT), Ok(header) if header.container == at1::Container::Whole
                && matches!(header.codec, Codec::QColumnar | Codec::QJson))
            {
                files.push((path, bytes));
            }
        }
    }
    super::assert_ran(files.len(), 67, 98);
    files
}
