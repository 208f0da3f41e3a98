//! An independent check: a search through the decoded lines, without the index and the groups.

use unspool::Limits;
use unspool::at1::{
    self, Ask, Codec, ColumnRef, Filter, Header, Number, Options, Request, Set, Test, Workspace, qcolumnar, qjson,
};
use unspool_tests::Random;

use super::super::assert_ran;
use super::{Outcome, by_groups, queryable, run, run_with, step_by_step};

/// A table parsed from the decoded file, without the index and the groups.
pub(super) struct Table {
    pub(super) types: Vec<qcolumnar::ColumnType>,
    pub(super) rows: Vec<Vec<Vec<u8>>>,
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) names: Option<Vec<Vec<u8>>>,
}

/// Reads `meta`, `row_modes`, `template` and `paths` of a file, and splits its decoded lines.
pub(super) fn table(file: &[u8]) -> Table {
    let limits = Limits::DEFAULT;
    let mut workspace = Workspace::new();
    let decoded = at1::decode_to_vec(file, &Options::DEFAULT).expect("a good file");
    let header = Header::read(file, &limits).expect("a good file");
    let set = Set::open(file, header.body().start, header.body().end, &limits).expect("a good file");
    let mut stream = |name: &[u8]| -> Vec<u8> {
        let Some(entry) = set.find(name).expect("a good file") else { return vec![] };
        let mut bytes = vec![0; entry.decoded_size(&limits).expect("a good file") as usize];
        entry.decode(&mut bytes, &mut workspace, &limits).expect("a good file");
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

pub(super) fn split(line: &[u8], delimiter: &[u8]) -> Vec<Vec<u8>> {
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

/// Returns the values of a JSON line. A literal ends a value if the rest of the line still fits.
/// Values hold no line feed, and those of the vectors do not hold the next literal; otherwise the
/// caller sees a different line.
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

/// Returns a plain decimal as `value / 10^scale`, for an independent comparison. Returns `None` for
/// other numbers.
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

/// Returns whether the first is at most the second.
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
            ColumnRef::Number(column) => column,
            ColumnRef::Name(name) => {
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

    /// Compares every kind of request with a search through all rows.
    pub(super) fn check(&self, file: &[u8], request: Request<'_>, first: usize) {
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
        for ask in [Ask::Rows, Ask::Count, Ask::Sum(ColumnRef::Number(0)), Ask::Max(ColumnRef::Number(0))] {
            let request = Request { ask, ..request };
            let stepped = step_by_step(file, request, &limits).expect("a good file");
            let pushed = run(file, request, first, &limits).expect("a good file");
            assert!(stepped == Outcome { fetched: vec![], foreseen: vec![], scratch: 0, ..pushed }, "{request:?}");
        }
        let columns = [ColumnRef::Number(0), ColumnRef::Number(self.types.len() - 1)];
        for ask in [Ask::Rows, Ask::Count, Ask::Columns(&columns)] {
            // Without conditions, the head has the count.
            if ask == Ask::Count && request.filters.is_empty() {
                continue;
            }
            let request = Request { ask, ..request };
            let pushed = run(file, request, first, &limits).expect("a good file");
            let grouped = by_groups(file, request, &limits).expect("a good file");
            assert_eq!((&grouped.numbers, &grouped.rows), (&pushed.numbers, &pushed.rows), "{request:?}");
            assert_eq!(grouped.matched, pushed.matched, "{request:?}");
            // A limit ends before later groups.
            assert!(request.limit < u64::MAX || grouped.stats == pushed.stats, "{request:?}");
        }
        assert_eq!(ask(Ask::Count).matched, matches.len() as u64);
        // Two columns in reverse order, one of them twice, in pages that hold more than requested.
        let last = self.types.len() - 1;
        let picks = [ColumnRef::Number(last), ColumnRef::Number(0), ColumnRef::Number(last)];
        let some = run_with(file, Request { ask: Ask::Columns(&picks), ..request }, first, 200, &limits).expect("good");
        let expected = matches.iter().map(|&row| [last, 0, last].map(|column| self.rows[row][column].clone()).to_vec());
        assert!(some.rows.iter().eq(&expected.collect::<Vec<_>>()));
        for column in [0, last] {
            let values: Vec<&Vec<u8>> = matches.iter().map(|&row| &self.rows[row][column]).collect();
            let plains: Vec<(i128, u32)> = values.iter().filter_map(|value| plain(value)).collect();
            let sum = ask(Ask::Sum(ColumnRef::Number(column)));
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
            assert_eq!(ask(Ask::Min(ColumnRef::Number(column))).best, reduced(at_most));
            assert_eq!(ask(Ask::Max(ColumnRef::Number(column))).best, reduced(|old, new| at_most(new, old)));
        }
    }
}

#[test]
fn random_conditions_match_a_search_on_every_file() {
    let mut random = Random(5);
    let mut tables = 0;
    for (path, file) in queryable() {
        // Numbers of more than 30 digits have their own tests.
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
                    Filter { column: ColumnRef::Number(*column), test }
                })
                .collect();
            let limit = if round % 3 == 2 { random.below(9) as u64 } else { u64::MAX };
            let request = Request { filters: &filters, ask: Ask::Rows, limit };
            table.check(&file, request, random.below(file.len() + 1));
        }
    }
    assert_ran(tables, 63, 93);
}
