//! Queries over arbitrary AT-1 files: no panic, no hang, and a query finds the rows that a search
//! of the decoded lines finds.

use std::cmp::Ordering;

use std::ops::ControlFlow;

use unspool::at1::{self, Ask, ColumnRef, Filter, Number, Options, Query, Request, Test, Workspace};
use unspool::{Class, Error, ErrorKind, Format, Limits};

use unspool_harness::{Random, tile};

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 18, max_elements: 1 << 12, max_columns: 1 << 10, ..Limits::DEFAULT };

const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };

type Values = Vec<Vec<u8>>;

/// Queries arbitrary bytes.
pub fn at1_query(bytes: &[u8]) {
    tile(Format::At1, bytes, &LIMITS);
    let mut random = Random::of(bytes);
    let mut ws = Workspace::new();
    let all = Request { filters: &[], ask: Ask::Rows, limit: u64::MAX };
    let Ok(found) = run(bytes, all, &mut ws, bytes.len()) else {
        let _ = run(bytes, Request { ask: Ask::Sum(ColumnRef::Name(b"id")), ..all }, &mut ws, 5);
        return;
    };
    assert_eq!(run(bytes, all, &mut ws, random.below(bytes.len())).as_ref(), Ok(&found), "whatever the head is");
    let lines: Vec<&Vec<u8>> = found.iter().map(|(_, line, _)| line).collect();
    if let Ok(decoded) = at1::decode_to_vec(bytes, &OPTIONS) {
        // Without line feeds in values, each row is a line. Verbatim lines may come between rows.
        let mut decoded = decoded.split(|&byte| byte == b'\n');
        let in_order = lines.iter().all(|&line| decoded.any(|other| line.contains(&b'\n') || other == line.as_slice()));
        assert!(in_order || lines.iter().any(|line| line.contains(&b'\n')), "rows are not lines of the file");
    }
    let Some((_, _, first)) = found.first() else { return };
    for _ in 0..4 {
        let mut value = |column: usize| found[random.below(found.len())].2[column].clone();
        let columns = [first.len() / 2, first.len() - 1];
        let bounds = columns.map(|column| (value(column), value(column)));
        let tests = [0, 1].map(|i| test(&bounds[i].0, &bounds[i].1, random.below(5)));
        let filters = [0, 1].map(|i| Filter { column: ColumnRef::Number(columns[i]), test: tests[i] });
        let expected: Vec<&(u64, Vec<u8>, Values)> = found
            .iter()
            .filter(|(_, _, row)| {
                filters.iter().zip(columns).all(|(filter, column)| may_meet(&row[column], &filter.test))
            })
            .collect();
        let request = Request { filters: &filters, ..all };
        let Ok(some) = run(bytes, request, &mut ws, bytes.len()) else { continue };
        // A wrong zone map may hide rows, and a numeric column is more lenient than a byte
        // comparison. No other row may be found.
        assert!(some.iter().all(|row| expected.contains(&row)), "{filters:?}");
        let count = run(bytes, Request { ask: Ask::Count, ..request }, &mut ws, 9).map(|_| ());
        assert_eq!(count, Ok(()));
        let few = run(bytes, Request { limit: 1, ..request }, &mut ws, 9).expect("less of the same");
        assert_eq!(few.first(), some.first());
    }
}

fn test<'q>(a: &'q [u8], b: &'q [u8], kind: usize) -> Test<'q> {
    match (kind, Number::read(a), Number::read(b)) {
        (1, Some(_), _) => Test::Range { low: Some(a), high: None },
        (2, _, Some(_)) => Test::Range { low: None, high: Some(b) },
        (3 | 4, Some(_), Some(_)) => Test::Range { low: Some(a), high: Some(b) },
        _ => Test::Equal(a),
    }
}

/// Returns `true` if a value may meet a test in a column of some type.
fn may_meet(value: &[u8], test: &Test<'_>) -> bool {
    let compare = |other: &[u8]| Some(Number::read(value)?.compare(&Number::read(other)?));
    match *test {
        Test::Equal(other) => value == other || compare(other) == Some(Ordering::Equal),
        Test::Range { low, high } => {
            low.is_none_or(|low| compare(low).is_some_and(Ordering::is_ge))
                && high.is_none_or(|high| compare(high).is_some_and(Ordering::is_le))
        }
    }
}

/// Number, line and values of each row.
fn run(
    file: &[u8],
    request: Request<'_>,
    ws: &mut Workspace,
    head: usize,
) -> Result<Vec<(u64, Vec<u8>, Values)>, Error> {
    let mut scratch = vec![0; 1 << 10];
    let mut have = head.min(file.len());
    let grow = |scratch: &mut Vec<u8>, error: Error| match error.class() {
        Class::WorkspaceTooSmall { need } if need < 1 << 22 => {
            assert!(need > scratch.len() as u64, "enough is not enough");
            scratch.resize(need as usize, 0);
            Ok(())
        }
        _ => Err(error),
    };
    let mut query = loop {
        let mut query = Query::new(request, &OPTIONS);
        match query.open(&file[..have], ws, &mut scratch) {
            Ok(()) => break query,
            Err(error) if error.kind == ErrorKind::Truncated && have < file.len() => {
                assert!(error.need > have as u64, "a longer head is asked for than there is");
                have = file.len().min(error.need as usize);
            }
            Err(error) => grow(&mut scratch, error)?,
        }
    };
    let mut rows = vec![];
    while let Some(needs) = query.needs() {
        let cut = Error::new(ErrorKind::Truncated, file.len() as u64).needing(needs.end);
        let bytes = file.get(needs.start as usize..needs.end as usize).ok_or(cut)?;
        let before = query.stats();
        let mut foreseen = 0;
        let _ = query.ahead(&scratch, &mut |range| {
            assert!(range.start < range.end && (range.end <= needs.start || range.start >= needs.end), "{range:?}");
            foreseen += 1;
            if foreseen < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert!(foreseen <= 5);
        while let Err(error) = query.feed(needs.start, bytes, ws, &mut scratch, &mut |row| {
            let mut line = vec![];
            if request.ask == Ask::Rows {
                row.write_line(&mut |part: &[u8]| {
                    line.extend(part);
                    Ok(())
                })?;
            }
            rows.push((row.number(), line, row.values().map(<[u8]>::to_vec).collect()));
            Ok(())
        }) {
            grow(&mut scratch, error)?;
        }
        assert!(query.needs() != Some(needs) || query.stats() != before, "no progress");
    }
    Ok(rows)
}
