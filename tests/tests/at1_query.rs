//! Queries over AT-1 files, against what the vectors expect and against a search through the decoded lines.
#![allow(clippy::cast_possible_truncation, reason = "the vectors are smaller than memory")]

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde_json::Value as Json;
use unspool::at1::{
    self, Answer, Ask, Codec, Column, Filter, Header, Next, Number, Query, Request, Set, Stats, Sum, Test, Workspace,
    qcolumnar, qjson,
};
use unspool::checksum::Sha256;
use unspool::{Class, Error, ErrorKind, Limits, Result};
use unspool_tests::at1::{file, row_groups};
use unspool_tests::{Random, list, manifest, number, read, text, vector_folders};

/// What a query gave.
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
    /// Ranges of the file that were handed in behind its head.
    fetched: Vec<(u64, u64)>,
    /// With each of them, what was said to come next.
    foreseen: Vec<Vec<(u64, u64)>>,
    scratch: usize,
}

/// Drives a query as somebody does who has a file elsewhere: the head in steps, then range after range, always with just as
/// much scratch as is asked for. A file whose scratch is out of proportion is given up.
fn run(file: &[u8], request: Request<'_>, first: usize, limits: &Limits) -> Result<Outcome> {
    run_with(file, request, first, 0, limits)
}

/// With so many bytes around each range that is asked for.
fn run_with(file: &[u8], request: Request<'_>, first: usize, around: u64, limits: &Limits) -> Result<Outcome> {
    let mut ws = Workspace::new();
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
        match Query::new(&file[..have], request, &mut scratch, &mut ws, limits) {
            Ok(query) => break query,
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
            let fed = query.feed(start, bytes, &mut scratch, &mut ws, &mut |row| {
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

/// What a query says that it will need, as far as so many ranges; nothing of it is needed now. An error in it is one that the query will meet.
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

/// The same by steps, with the whole file at hand: rows, their numbers, and their lines if these are asked for.
fn step_by_step(file: &[u8], request: Request<'_>, limits: &Limits) -> Result<Outcome> {
    let (mut ws, mut scratch) = (Workspace::new(), vec![0; 64 << 20]);
    let mut query = Query::new(file, request, &mut scratch, &mut ws, limits)?;
    let mut out = Outcome::default();
    let mut at_hand: &[u8] = &[];
    loop {
        match query.step(0, at_hand, &mut scratch, &mut ws)? {
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

fn queries() -> Vec<(PathBuf, Json)> {
    let folders = vector_folders("at1");
    folders
        .iter()
        .flat_map(|folder| {
            let all = manifest(&folder.join("queries.json"));
            let entries = list(&all, "queries").to_vec();
            entries.into_iter().map(|entry| (folder.join(format!("{}.at1", text(&entry, "vector"))), entry))
        })
        .filter(|(path, _)| path.exists())
        .collect()
}

/// A bound of the expected queries, as its digits stand in the JSON.
fn bound(json: &Json) -> Option<String> {
    match json {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[test]
fn expected_answers() {
    let queries = queries();
    assert!(queries.len() >= 10);
    for (path, entry) in &queries {
        let shown = format!("{} {}", path.display(), entry["where"]);
        let file = read(path);
        let conditions: Vec<(usize, bool, Option<String>, Option<String>)> = list(entry, "where")
            .iter()
            .map(|condition| {
                let column = number(condition, "col") as usize;
                match condition.get("eq") {
                    Some(value) => (column, true, bound(value), None),
                    None => (column, false, bound(&condition["lo"]), bound(&condition["hi"])),
                }
            })
            .collect();
        let filters: Vec<Filter<'_>> = conditions
            .iter()
            .map(|(column, equal, low, high)| {
                let (low, high) = (low.as_ref().map(String::as_bytes), high.as_ref().map(String::as_bytes));
                let test = if *equal { Test::Equal(low.expect("a value")) } else { Test::Range { low, high } };
                Filter { column: Column::Number(*column), test }
            })
            .collect();
        let select: Vec<usize> = list(entry, "select").iter().map(|n| n.as_u64().expect("a column") as usize).collect();
        let columns: Vec<_> = select.iter().map(|&column| Column::Number(column)).collect();
        let request = Request { filters: &filters, ask: Ask::Columns(&columns), limit: u64::MAX };
        let found = run(&file, request, 64 << 10, &Limits::DEFAULT).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let stats = found.stats;
        assert_eq!(found.matched, number(entry, "n_rows"), "{shown}");
        assert_eq!(found.rows.len() as u64, found.matched);
        assert_eq!(hex(&joined(&found.rows)), text(entry, "rows_tsv_sha256"), "{shown}");
        assert_eq!(stats.groups, number(entry, "groups"), "{shown}");
        assert!(stats.read <= number(entry, "groups_zone_map_cannot_skip"), "{shown}: {stats:?}");
        assert_eq!(stats.read + stats.skipped, stats.groups, "{shown}");
        assert!(stats.block_bytes_read <= number(entry, "block_bytes_read"), "{shown}: {stats:?}");
        assert_eq!(stats.block_bytes_total, number(entry, "block_bytes_total"), "{shown}");
        let fetched: u64 = found.fetched.iter().map(|(start, end)| end - start).sum();
        assert_eq!(fetched, stats.block_bytes_read, "{shown}: what is asked for is what is read");

        let lines = run(&file, Request { ask: Ask::Rows, ..request }, 0, &Limits::DEFAULT).expect("as before");
        let mut text_of = vec![];
        for (i, line) in lines.lines.iter().enumerate() {
            text_of.extend(if i > 0 { &b"\n"[..] } else { b"" });
            text_of.extend(line);
        }
        assert_eq!(hex(&text_of), text(entry, "full_lines_sha256"), "{shown}");
        let counted = run(&file, Request { ask: Ask::Count, ..request }, 0, &Limits::DEFAULT).expect("as before");
        assert_eq!(counted.matched, found.matched);
        assert!(counted.stats.block_bytes_read <= stats.block_bytes_read);
        // The rest of what a query gives is held to the decoded file.
        if file.len() < 1 << 18 {
            table(&file).check(&file, request, 1 << 16);
        }
    }
}

fn joined(rows: &[Vec<Vec<u8>>]) -> Vec<u8> {
    rows.iter().map(|row| row.join(&b'\t')).collect::<Vec<_>>().join(&b'\n')
}

fn hex(bytes: &[u8]) -> String {
    Sha256::of(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A table taken apart from the decoded file, without the index and the groups.
struct Table {
    types: Vec<qcolumnar::ColumnType>,
    rows: Vec<Vec<Vec<u8>>>,
    lines: Vec<Vec<u8>>,
    names: Option<Vec<Vec<u8>>>,
}

/// Reads `meta`, `row_modes`, `template` and `paths` of a file, and cuts its decoded lines.
fn table(file: &[u8]) -> Table {
    let limits = Limits::DEFAULT;
    let mut ws = Workspace::new();
    let decoded = at1::decode_to_vec(file, &mut ws, &limits).expect("a good file");
    let header = Header::read(file).expect("a good file");
    let set = Set::open(file, header.body().start, header.body().end, &limits).expect("a good file");
    let mut stream = |name: &[u8]| -> Vec<u8> {
        let Some(entry) = set.find(name).expect("a good file") else { return vec![] };
        let mut bytes = vec![0; entry.decoded_size(file, &limits).expect("a good file") as usize];
        entry.decode(file, &mut bytes, &mut ws, &limits).expect("a good file");
        bytes
    };
    let (meta, modes, template, paths) = (stream(b"meta"), stream(b"row_modes"), stream(b"template"), stream(b"paths"));
    let as_stream = |bytes| at1::Stream::new(bytes, 0, false);
    let meta = qcolumnar::Meta::read(as_stream(&meta), header.codec == Codec::QColumnar, &limits).expect("good");
    let text = if meta.trailing { decoded.strip_suffix(b"\n").expect("a last line feed") } else { &decoded };
    let all: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let lines: Vec<&[u8]> = all.iter().zip(&modes).filter(|(_, mode)| **mode != 0).map(|(line, _)| *line).collect();
    let rows = lines
        .iter()
        .map(|line| match header.codec {
            Codec::QColumnar => split(line, meta.delimiter),
            _ => between(line, as_stream(&template), meta.columns()),
        })
        .collect();
    let types = (0..meta.columns()).map(|column| meta.column_type(column).expect("a type")).collect();
    let names = match header.codec {
        Codec::QJson => {
            let paths = qjson::Paths::open(as_stream(&paths)).expect("good");
            (!paths.iter().collect::<Vec<_>>().is_empty()).then(|| paths.iter().map(<[u8]>::to_vec).collect())
        }
        _ => Some(split(all[0], meta.delimiter)).filter(|fields| fields.len() == meta.columns()),
    };
    Table { types, rows, lines: lines.iter().map(|line| line.to_vec()).collect(), names }
}

fn split(line: &[u8], delimiter: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = vec![vec![]];
    let mut at = 0;
    while at < line.len() {
        if !delimiter.is_empty() && line[at..].starts_with(delimiter) {
            fields.push(vec![]);
            at += delimiter.len();
        } else {
            fields.last_mut().expect("one").push(line[at]);
            at += 1;
        }
    }
    fields
}

/// The values of a JSON line. A literal ends a value where the rest of the line still fits; a value holds no line feed, and
/// the vectors have no value that holds the literal behind it, which the caller sees when a line differs.
fn between(line: &[u8], template: at1::Stream<'_>, columns: usize) -> Vec<Vec<u8>> {
    let template = qjson::Template::open(template, columns).expect("good");
    let mut segments = template.segments();
    let first = segments.next().expect("good");
    let mut rest = line.strip_prefix(first).expect("the first literal");
    let mut values = vec![];
    for column in 0..columns {
        let literal = segments.next().expect("good");
        let end = if column + 1 == columns {
            rest.len() - literal.len()
        } else {
            rest.windows(literal.len()).position(|window| window == literal).expect("the next literal")
        };
        values.push(rest[..end].to_vec());
        rest = &rest[end + literal.len()..];
    }
    values
}

/// `value / 10^scale` of a plain decimal, for a second opinion on comparisons. `None` for what it does not understand.
fn plain(text: &[u8]) -> Option<(i128, u32)> {
    let text = std::str::from_utf8(text).ok()?.trim_matches([' ', '\t', '\r']);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((sign * all.parse::<i128>().ok()?, u32::try_from(fraction.len()).ok()?))
}

/// Whether one is not above the other.
fn at_most((a, a_scale): (i128, u32), (b, b_scale): (i128, u32)) -> bool {
    let scale = a_scale.max(b_scale);
    let lift = |n: i128, from: u32| n.checked_mul(10i128.pow(scale - from));
    match (lift(a, a_scale), lift(b, b_scale)) {
        (Some(a), Some(b)) => a <= b,
        _ => panic!("the vectors have smaller numbers"),
    }
}

impl Table {
    fn meets(&self, row: &[Vec<u8>], filter: &Filter<'_>) -> bool {
        let column = match filter.column {
            Column::Number(column) => column,
            Column::Name(name) => {
                let names = self.names.as_ref().expect("names");
                names.iter().position(|other| other == name).expect("a name")
            }
        };
        let value = &row[column];
        match filter.test {
            Test::Range { low, high } => match plain(value) {
                None => Number::read(value).is_some_and(|_| panic!("{value:?} is no plain number")),
                Some(value) => {
                    low.is_none_or(|low| at_most(plain(low).expect("plain"), value))
                        && high.is_none_or(|high| at_most(value, plain(high).expect("plain")))
                }
            },
            Test::Equal(bytes) => match plain(bytes).filter(|_| self.types[column] != qcolumnar::ColumnType::Text) {
                None => value == bytes,
                Some(wanted) => plain(value).is_some_and(|value| at_most(value, wanted) && at_most(wanted, value)),
            },
        }
    }

    /// Compares every way of asking with a search through all rows.
    fn check(&self, file: &[u8], request: Request<'_>, first: usize) {
        let limits = Limits::DEFAULT;
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
        let matches: Vec<usize> = (0..self.rows.len())
            .filter(|&row| request.filters.iter().all(|filter| self.meets(&self.rows[row], filter)))
            .take(limit)
            .collect();
        let ask = |ask| run(file, Request { ask, ..request }, first, &limits).expect("a good file");
        let whole = ask(Ask::Rows);
        let numbers: Vec<u64> = matches.iter().map(|&row| row as u64).collect();
        assert_eq!(whole.numbers, numbers, "{:?}", request.filters);
        assert!(whole.lines.iter().eq(matches.iter().map(|&row| &self.lines[row])));
        assert!(whole.rows.iter().eq(matches.iter().map(|&row| &self.rows[row])));
        assert!(whole.stats.read + whole.stats.skipped <= whole.stats.groups);
        for ask in [Ask::Rows, Ask::Count, Ask::Sum(Column::Number(0)), Ask::Max(Column::Number(0))] {
            let request = Request { ask, ..request };
            let stepped = step_by_step(file, request, &limits).expect("a good file");
            let pushed = run(file, request, first, &limits).expect("a good file");
            assert!(stepped == Outcome { fetched: vec![], foreseen: vec![], scratch: 0, ..pushed }, "{request:?}");
        }
        assert_eq!(ask(Ask::Count).matched, matches.len() as u64);
        // Two columns the wrong way round and one of them twice, in pages that hold more than was asked for.
        let last = self.types.len() - 1;
        let picks = [Column::Number(last), Column::Number(0), Column::Number(last)];
        let some = run_with(file, Request { ask: Ask::Columns(&picks), ..request }, first, 200, &limits).expect("good");
        let expected = matches.iter().map(|&row| [last, 0, last].map(|column| self.rows[row][column].clone()).to_vec());
        assert!(some.rows.iter().eq(&expected.collect::<Vec<_>>()));
        for column in [0, last] {
            let values: Vec<&Vec<u8>> = matches.iter().map(|&row| &self.rows[row][column]).collect();
            let plains: Vec<(i128, u32)> = values.iter().filter_map(|value| plain(value)).collect();
            let sum = ask(Ask::Sum(Column::Number(column)));
            assert_eq!(sum.without_number, (values.len() - plains.len()) as u64);
            let scale = plains.iter().map(|plain| plain.1).max().unwrap_or(0);
            let total: i128 = plains.iter().map(|(value, own)| value * 10i128.pow(scale - own)).sum();
            let ours = sum.sum.value * 10i128.pow(scale - sum.sum.scale);
            assert_eq!(ours, total, "the scale is at most {scale}");
            let reduced = |wins: fn((i128, u32), (i128, u32)) -> bool| {
                values.iter().filter(|value| plain(value).is_some()).copied().cloned().reduce(|best, value| {
                    let (old, new) = (plain(&best).expect("plain"), plain(&value).expect("plain"));
                    if wins(old, new) { best } else { value }
                })
            };
            assert_eq!(ask(Ask::Min(Column::Number(column))).best, reduced(at_most));
            assert_eq!(ask(Ask::Max(Column::Number(column))).best, reduced(|old, new| at_most(new, old)));
        }
    }
}

/// The queryable files of the vectors: 7 and 8 in one piece.
fn queryable() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = vec![];
    for folder in vector_folders("at1") {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "at1")) {
            let bytes = read(&path);
            if matches!(Header::read(&bytes), Ok(header) if header.container == at1::Container::Whole
                && matches!(header.codec, Codec::QColumnar | Codec::QJson))
            {
                files.push((path, bytes));
            }
        }
    }
    assert!(files.len() >= 12);
    files
}

#[test]
fn random_conditions_on_every_file() {
    let mut random = Random(5);
    let mut tables = 0;
    for (path, file) in queryable() {
        // Numbers of more than 30 digits have tests of their own.
        if path.to_string_lossy().contains("big_") {
            continue;
        }
        let table = table(&file);
        if table.rows.is_empty() || table.types.is_empty() {
            continue;
        }
        tables += 1;
        for round in 0..6 {
            let mut conditions = vec![];
            for _ in 0..random.below(3) {
                let column = random.below(table.types.len());
                let mut pick = || table.rows[random.below(table.rows.len())][column].clone();
                let (a, b) = (pick(), pick());
                let kind = random.below(4);
                let numeric = plain(&a).is_some() && plain(&b).is_some();
                conditions.push((column, a, b, if numeric { kind } else { 0 }));
            }
            let filters: Vec<_> = conditions
                .iter()
                .map(|(column, a, b, kind)| {
                    let (a, b) = (a.as_slice(), b.as_slice());
                    let test = match kind {
                        0 => Test::Equal(a),
                        1 => Test::Range { low: Some(a), high: None },
                        2 => Test::Range { low: None, high: Some(b) },
                        _ => Test::Range { low: Some(a), high: Some(b) },
                    };
                    Filter { column: Column::Number(*column), test }
                })
                .collect();
            let limit = if round % 3 == 2 { random.below(9) as u64 } else { u64::MAX };
            let request = Request { filters: &filters, ask: Ask::Rows, limit };
            table.check(&file, request, random.below(file.len() + 1));
        }
    }
    assert!(tables >= 10);
}

#[test]
fn what_comes_next_is_foreseen() {
    let (mut long, mut side_by_side, mut in_vain) = (0, 0, 0);
    for (path, file) in queryable() {
        let table = table(&file);
        if table.rows.is_empty() || table.types.is_empty() {
            continue;
        }
        let last = table.types.len() - 1;
        let value = &table.rows[table.rows.len() / 2];
        let filters =
            [0, last].map(|column| Filter { column: Column::Number(column), test: Test::Equal(&value[column]) });
        let ends = [Column::Number(0), Column::Number(last)];
        let ask =
            |filters, ask| run(&file, Request { filters, ask, limit: u64::MAX }, 40, &Limits::NONE).expect("an answer");
        // Where nothing hangs on a value, all of it, in order: whole groups, or the ends of each.
        for answer in [ask(&[], Ask::Rows), ask(&[], Ask::Columns(&ends)), ask(&filters[..1], Ask::Count)] {
            for (i, ranges) in answer.foreseen.iter().enumerate() {
                let rest = answer.fetched.get(i + 1..).unwrap_or(&[]);
                assert_eq!(ranges[..], rest[..rest.len().min(12)], "{}: behind range {i}", path.display());
                long = long.max(ranges.len());
            }
        }
        // Otherwise what was not foreseen belongs to a group that has rows where the one before had none.
        for answer in [ask(&filters[..1], Ask::Rows), ask(&filters, Ask::Columns(&ends))] {
            for (ranges, next) in answer.foreseen.iter().zip(&answer.fetched[1.min(answer.fetched.len())..]) {
                let inside = ranges.iter().any(|range| range.0 <= next.0 && next.1 <= range.1);
                *(if inside { &mut side_by_side } else { &mut in_vain }) += 1;
            }
        }
    }
    assert!(long == 12 && side_by_side > 4 * in_vain, "{long} ranges, {side_by_side} foreseen, {in_vain} not");
}

#[test]
fn columns_by_name() {
    let mut seen = [0; 3];
    for (path, file) in queryable() {
        let table = table(&file);
        if path.to_string_lossy().contains("big_") || table.types.is_empty() {
            continue;
        }
        let Some(names) = &table.names else {
            let ask = Ask::Min(Column::Name(b"id"));
            let error = run(&file, Request { filters: &[], ask, limit: 9 }, 0, &Limits::DEFAULT).expect_err("no names");
            assert_eq!(error.kind, ErrorKind::At1NoNames, "{}", path.display());
            assert_eq!(error.class(), Class::Misuse);
            seen[0] += 1;
            continue;
        };
        let row_zero =
            table.lines.first().is_some_and(|line| split(line, b",") == *names || names[0] == table.rows[0][0]);
        let is_json = file[4] == 8;
        for (column, name) in names.iter().enumerate() {
            let ask = [Column::Name(name)];
            let request = Request { filters: &[], ask: Ask::Columns(&ask), limit: 20 };
            let found = run(&file, request, 0, &Limits::DEFAULT);
            let no_header = names.iter().any(|name| name.is_empty() || Number::read(name).is_some());
            if names.iter().filter(|other| *other == name).count() > 1 && (is_json || !no_header) {
                assert_eq!(found.map_err(|error| error.kind), Err(ErrorKind::At1ColumnTwice));
            } else if !is_json && row_zero && no_header {
                assert_eq!(found.map_err(|error| error.kind), Err(ErrorKind::At1NoNames), "{}", path.display());
            } else {
                let expected: Vec<_> = table.rows.iter().take(20).map(|row| vec![row[column].clone()]).collect();
                assert_eq!(found.expect("a name").rows, expected, "{}", path.display());
                seen[1 + usize::from(row_zero)] += 1;
            }
        }
        let ask = Ask::Sum(Column::Name(b"no such column"));
        let error = run(&file, Request { filters: &[], ask, limit: 9 }, 0, &Limits::DEFAULT).expect_err("unknown");
        assert!(matches!(error.kind, ErrorKind::At1NoSuchColumn | ErrorKind::At1NoNames), "{}", path.display());
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn what_cannot_be_asked() {
    for (_, file) in queryable().into_iter().take(12) {
        let columns = table(&file).types.len();
        let ask = |ask, filters: &[Filter<'_>]| {
            let request = Request { filters, ask, limit: u64::MAX };
            run(&file, request, 0, &Limits::DEFAULT).map(drop).map_err(|error| (error.kind, error.class()))
        };
        let no_such = Err((ErrorKind::At1NoSuchColumn, Class::Misuse));
        assert_eq!(ask(Ask::Columns(&[]), &[]), no_such);
        assert_eq!(ask(Ask::Sum(Column::Number(columns)), &[]), no_such);
        let far = [Filter { column: Column::Number(usize::MAX), test: Test::Equal(b"") }];
        assert_eq!(ask(Ask::Count, &far), no_such);
    }
    for (codec, version, kind) in [
        (11, 2, ErrorKind::At1NotQueryable),
        (4, 2, ErrorKind::At1NotQueryable),
        (255, 2, ErrorKind::At1NotQueryable),
        (7, 3, ErrorKind::At1QueryFrames),
    ] {
        let file = [b'A', b'T', b'1', version, codec, 0];
        let request = Request { filters: &[], ask: Ask::Count, limit: 1 };
        let error = run(&file, request, 0, &Limits::DEFAULT).expect_err("not queryable");
        assert_eq!((error.kind, error.class()), (kind, Class::Unsupported));
    }
}

/// What is wrong with a question is said before any block is asked for, and what no file could answer before a file is looked at.
#[test]
fn a_question_is_checked_before_the_work() {
    let unread = |bytes: &[u8]| (0, bytes.to_vec());
    let mut streams = row_groups(1, b",", &[vec![unread(b"x"); 2]]);
    streams.push(("verbatim", b"one,two".to_vec()));
    let [meta, modes, ..] = &mut streams[..] else { panic!("four streams") };
    // A line of names before the row.
    meta.1[0] = 2;
    modes.1.insert(0, 0);
    streams.swap(3, 4);
    // In a stream that does not decode, as a whole.
    let pack = |bytes: &[u8]| (if bytes == b"\0x\0x" { 1 } else { 2 }, bytes.to_vec());
    let file = file(7, &streams, pack);
    let mut scratch = [0; 1 << 10];
    let mut ask = |head: &[u8], filters: &[Filter<'_>], ask| {
        let request = Request { filters, ask, limit: u64::MAX };
        Query::new(head, request, &mut scratch, &mut Workspace::new(), &Limits::DEFAULT)
            .map(|query| query.needs().is_some())
            .map_err(|error| error.kind)
    };
    let word = [Filter { column: Column::Number(0), test: Test::Range { low: None, high: Some(b"high") } }];
    assert_eq!(ask(b"", &word, Ask::Count), Err(ErrorKind::At1QueryNumber));
    assert_eq!(ask(b"", &[], Ask::Columns(&[])), Err(ErrorKind::At1NoSuchColumn));
    assert_eq!(ask(&file, &[], Ask::Max(Column::Name(b"two"))), Ok(true), "now the blocks");
    assert_eq!(ask(&file, &[], Ask::Max(Column::Name(b"three"))), Err(ErrorKind::At1NoSuchColumn));
    assert_eq!(ask(&file, &[], Ask::Max(Column::Number(2))), Err(ErrorKind::At1NoSuchColumn));
}

#[test]
fn a_range_in_words_is_refused_and_a_line_of_some_columns() {
    let (_, file) = queryable().into_iter().find(|(_, file)| table(file).rows.len() > 10).expect("one");
    let words = [Filter { column: Column::Number(0), test: Test::Range { low: Some(b"low"), high: None } }];
    let request = Request { filters: &words, ask: Ask::Count, limit: u64::MAX };
    let error = run(&file, request, 0, &Limits::DEFAULT).expect_err("no number");
    assert_eq!((error.kind, error.class()), (ErrorKind::At1QueryNumber, Class::Misuse));
    let columns = [Column::Number(0)];
    let request = Request { filters: &[], ask: Ask::Columns(&columns), limit: u64::MAX };
    let (mut ws, mut scratch) = (Workspace::new(), vec![0; 1 << 20]);
    let mut query = Query::new(&file, request, &mut scratch, &mut ws, &Limits::DEFAULT).expect("a good file");
    let mut kinds = vec![];
    let fed = query.feed(0, &file, &mut scratch, &mut ws, &mut |row| {
        kinds.push(row.write_line(&mut unspool::Count::default()).map_err(|error| error.kind));
        if kinds.len() == 3 { Err(Error::new(ErrorKind::SinkFull, 0)) } else { Ok(()) }
    });
    assert_eq!(fed, Err(Error::new(ErrorKind::SinkFull, 0)), "the visitor ends it");
    assert_eq!(kinds, [Err(ErrorKind::At1QueryLine); 3]);
    let mut query = Query::new(&file, request, &mut scratch, &mut ws, &Limits::DEFAULT).expect("a good file");
    let needs = query.needs().expect("a block");
    let error =
        query.feed(needs.start + 1, &file[..40], &mut scratch, &mut ws, &mut |_| Ok(())).expect_err("other bytes");
    assert_eq!((error.kind, error.at, error.need), (ErrorKind::RangeOutside, needs.start, needs.end));
}

#[test]
fn the_scratch_that_is_asked_for_is_enough_and_one_byte_less_is_not() {
    for (path, file) in queryable() {
        if path.to_string_lossy().contains("big_") {
            continue;
        }
        let request = Request { filters: &[], ask: Ask::Rows, limit: u64::MAX };
        let found = run(&file, request, 0, &Limits::DEFAULT).expect("a good file");
        let mut ws = Workspace::new();
        let mut all = |len: usize| {
            let mut scratch = vec![0; len];
            let mut query = Query::new(&file, request, &mut scratch, &mut ws, &Limits::DEFAULT)?;
            query.feed(0, &file, &mut scratch, &mut ws, &mut |_| Ok(()))?;
            assert_eq!(query.needs(), None);
            Ok(query.stats())
        };
        assert_eq!(all(found.scratch), Ok(found.stats), "{}", path.display());
        if let Some(less) = found.scratch.checked_sub(1) {
            let error: Error = all(less).expect_err("one byte less");
            assert_eq!(error.class(), Class::WorkspaceTooSmall { need: found.scratch as u64 }, "{}", path.display());
        }
    }
}

#[test]
fn zone_maps_that_lie_do_no_harm() {
    for folder in vector_folders("at1") {
        let path = folder.join("bad/c7_zone_nan.at1");
        if !path.exists() {
            continue;
        }
        let file = read(&path);
        let whole = run(&file, Request { filters: &[], ask: Ask::Rows, limit: u64::MAX }, 0, &Limits::DEFAULT);
        let whole = whole.expect("the lines are whole");
        for (column, low, high) in [(2, "0", "1000000"), (2, "1e5", "1e6"), (0, "3", "7")] {
            let test = Test::Range { low: Some(low.as_bytes()), high: Some(high.as_bytes()) };
            let filters = [Filter { column: Column::Number(column), test }];
            let request = Request { filters: &filters, ask: Ask::Rows, limit: u64::MAX };
            let found = run(&file, request, 0, &Limits::DEFAULT).expect("the lines are whole");
            let number = |text: &[u8]| String::from_utf8_lossy(text).parse::<f64>().expect("a number");
            let (low, high) = (number(low.as_bytes()), number(high.as_bytes()));
            let expected: Vec<_> =
                whole.rows.iter().filter(|row| (low..=high).contains(&number(&row[column]))).cloned().collect();
            assert_eq!(found.rows, expected);
        }
    }
}

/// Limits under which nothing takes long.
const SMALL: Limits = Limits { max_output: 1 << 22, max_elements: 1 << 16, ..Limits::DEFAULT };

#[test]
fn broken_files_end_with_an_error_or_an_answer() {
    let filters = [
        Filter { column: Column::Number(0), test: Test::Range { low: Some(b"5"), high: None } },
        Filter { column: Column::Number(0), test: Test::Range { low: None, high: Some(b"1e9") } },
    ];
    let named = [Column::Name(b"id"), Column::Number(0)];
    let requests = [
        Request { filters: &filters, ask: Ask::Rows, limit: u64::MAX },
        Request { filters: &filters[..1], ask: Ask::Columns(&named), limit: u64::MAX },
        Request { filters: &[], ask: Ask::Max(Column::Number(0)), limit: u64::MAX },
    ];
    let mut refused = 0;
    let mut try_all = |file: &[u8]| {
        for request in requests {
            refused += u64::from(run(file, request, 40, &SMALL).is_err());
        }
    };
    let mut random = Random(11);
    for (path, file) in queryable() {
        if file.len() > 20_000 || path.to_string_lossy().contains("wide") {
            continue;
        }
        for _ in 0..60 {
            let mut broken = file.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(broken.len());
                broken[at] ^= 1 << random.below(8);
            }
            try_all(&broken);
            broken.truncate(random.below(broken.len()));
            try_all(&broken);
        }
    }
    for folder in vector_folders("at1") {
        let Ok(entries) = std::fs::read_dir(folder.join("bad")) else { continue };
        for entry in entries {
            try_all(&read(&entry.expect("an entry").path()));
        }
    }
    assert!(refused > 100);
}
