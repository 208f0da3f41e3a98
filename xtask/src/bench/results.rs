//! The results of a run, and their file: CSV with one line for each case and peer.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};

/// The columns of a file.
const COLUMNS: [&str; 11] = [
    "case",
    "peer",
    "unspool_mb_per_s",
    "peer_mb_per_s",
    "ratio",
    "unspool_peak_kib",
    "peer_peak_kib",
    "date",
    "commit",
    "cpu",
    "cores",
];

/// One case with one peer.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub case: String,
    pub peer: String,
    /// MB of output a second.
    pub unspool: f64,
    pub theirs: f64,
    /// Their time divided by ours.
    pub ratio: f64,
    /// The most resident memory in KiB, if the system tells.
    pub unspool_peak: Option<u64>,
    pub peer_peak: Option<u64>,
}

/// The version and the machine of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The day, such as `2026-11-26`.
    pub date: String,
    /// The commit, with `-dirty` if files differ from it.
    pub commit: String,
    pub cpu: String,
    pub cores: String,
}

impl Row {
    /// Reads the fields that the bench program prints, separated by tabs.
    pub fn from_line(line: &str) -> Result<Self> {
        let fields: Vec<_> = line.split('\t').collect();
        Self::from_fields(&fields)
    }

    fn from_fields<S: AsRef<str>>(fields: &[S]) -> Result<Self> {
        let mut rest = fields.iter().map(AsRef::as_ref);
        let mut next = |column| rest.next().with_context(|| format!("expected the column {column}"));
        let number = |text: &str| text.parse::<f64>().ok().filter(|it| it.is_finite() && *it > 0.0);
        let rate = |text| number(text).with_context(|| format!("expected a positive number, found `{text}`"));
        let peak = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).with_context(|| format!("expected KiB, found `{text}`")),
        };
        Ok(Self {
            case: next("case")?.to_owned(),
            peer: next("peer")?.to_owned(),
            unspool: rate(next("unspool_mb_per_s")?)?,
            theirs: rate(next("peer_mb_per_s")?)?,
            ratio: rate(next("ratio")?)?,
            unspool_peak: peak(next("unspool_peak_kib")?)?,
            peer_peak: peak(next("peer_peak_kib")?)?,
        })
    }
}

/// Writes a file.
pub fn write(run: &Run, rows: &[Row]) -> String {
    let mut csv = COLUMNS.join(",") + "\n";
    let peak = |kib: Option<u64>| kib.map_or_else(String::new, |kib| kib.to_string());
    for row in rows {
        let fields = [
            &row.case,
            &row.peer,
            &format!("{:.1}", row.unspool),
            &format!("{:.1}", row.theirs),
            &format!("{:.4}", row.ratio),
            &peak(row.unspool_peak),
            &peak(row.peer_peak),
            &run.date,
            &run.commit,
            &run.cpu,
            &run.cores,
        ];
        let fields: Vec<_> = fields.iter().map(|field| quoted(field)).collect();
        let _ = writeln!(csv, "{}", fields.join(","));
    }
    csv
}

/// Reads a file. Returns the run of its first row, too.
pub fn read(csv: &str) -> Result<(Run, Vec<Row>)> {
    let mut lines = csv.lines();
    ensure!(lines.next() == Some(&COLUMNS.join(",")), "expected the columns {}", COLUMNS.join(","));
    let (mut run, mut rows) = (None, vec![]);
    for (line, number) in lines.zip(2..) {
        let fields = unquoted(line).with_context(|| format!("line {number}"))?;
        let [.., date, commit, cpu, cores] = &fields[..] else { bail!("line {number} has too few fields") };
        ensure!(fields.len() == COLUMNS.len(), "line {number} has {} fields", fields.len());
        let [date, commit, cpu, cores] = [date, commit, cpu, cores].map(Clone::clone);
        run.get_or_insert(Run { date, commit, cpu, cores });
        rows.push(Row::from_fields(&fields).with_context(|| format!("line {number}"))?);
    }
    Ok((run.context("expected results, found none")?, rows))
}

/// Quotes a field that has a comma or a quote.
fn quoted(field: &str) -> String {
    let field = field.replace(['\n', '\r'], " ");
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// Returns the fields of a line.
fn unquoted(line: &str) -> Result<Vec<String>> {
    let (mut fields, mut field, mut inside) = (vec![], String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if inside && chars.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => inside = !inside,
            ',' if !inside => fields.push(std::mem::take(&mut field)),
            char => field.push(char),
        }
    }
    ensure!(!inside, "a quote has no end");
    fields.push(field);
    Ok(fields)
}

/// Returns a table of how the ratio of each case to its peer changed, the largest loss first, and
/// the cases that only one of the runs has.
pub fn compare(before: &[Row], now: &[Row]) -> String {
    let of = |rows: &[Row], row: &Row| {
        rows.iter().find(|other| (&other.case, &other.peer) == (&row.case, &row.peer)).map(|other| other.ratio)
    };
    let mut changes: Vec<_> = now.iter().filter_map(|row| Some((row.ratio / of(before, row)?, row))).collect();
    changes.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut table = format!("{:34} | {:>26} | {:>6} | {:>6} | {:>6}\n", "case", "peer", "before", "now", "change");
    let _ = writeln!(table, "{:-<34}-|-{:->26}-|-{:->6}-|-{:->6}-|-{:->6}", "", "", "", "", "");
    for (change, Row { case, peer, ratio, .. }) in &changes {
        let _ = writeln!(table, "{case:34} | {peer:>26} | {:>5.2}x | {ratio:>5.2}x | {change:>6.3}", ratio / change);
    }
    for (what, rows, others) in [("only now", now, before), ("only before", before, now)] {
        for Row { case, peer, .. } in rows.iter().filter(|row| of(others, row).is_none()) {
            let _ = writeln!(table, "{what}: {case} against {peer}");
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, peer: &str, ratio: f64) -> Row {
        let (case, peer) = (case.to_owned(), peer.to_owned());
        Row { case, peer, unspool: 900.0 * ratio, theirs: 900.0, ratio, unspool_peak: Some(6500), peer_peak: None }
    }

    fn run() -> Run {
        let [date, commit, cpu, cores] = ["2026-11-26", "0123abc-dirty", "A \"fast\" one, 2.0 GHz", "2"];
        Run { date: date.into(), commit: commit.into(), cpu: cpu.into(), cores: cores.into() }
    }

    #[test]
    fn reads_what_it_writes() {
        let rows = [row("cvc/fp16", "numpy, pages kept", 1.25), row("process/xz", "xz -dc -T 2", 0.5)];
        let csv = write(&run(), &rows);
        assert!(csv.starts_with("case,peer,unspool_mb_per_s,"), "{csv}");
        assert!(csv.contains("cvc/fp16,\"numpy, pages kept\",1125.0,900.0,1.2500,6500,,2026-11-26,"), "{csv}");
        assert_eq!(read(&csv).unwrap(), (run(), rows.to_vec()));
    }

    #[test]
    fn refuses_other_files() {
        let csv = write(&run(), &[row("a", "b", 1.0)]);
        assert!(read("").is_err());
        assert!(read("case,peer\n").is_err());
        assert!(read(csv.lines().next().unwrap()).is_err(), "no results");
        let broken =
            [("\"A", "A"), (",2\n", "\n"), (",2\n", ",2,3\n"), ("1.0000", "one"), ("1.0000", "NaN"), ("6500", "-1")];
        for (old, new) in broken {
            let broken = csv.replace(old, new);
            assert_ne!(broken, csv);
            assert!(read(&broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn takes_a_line_of_the_bench() {
        assert_eq!(Row::from_line("a/b\tlib, x\t90.0\t900.0\t0.1000\t6500\t").unwrap(), row("a/b", "lib, x", 0.1));
        assert!(Row::from_line("a/b\tlib\t90.0\t900.0\t0.1000\t6500").is_err());
    }

    #[test]
    fn compares_ratios_and_puts_the_largest_loss_first() {
        let before = [row("same", "c", 1.0), row("worse", "c", 2.0), row("better", "c", 0.5), row("old", "c", 1.0)];
        let now = [row("better", "c", 1.0), row("same", "c", 1.0), row("same", "rust", 3.0), row("worse", "c", 1.0)];
        let table = compare(&before, &now);
        let lines: Vec<_> = table.lines().skip(2).collect();
        let firsts: Vec<_> = lines.iter().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(firsts, ["worse", "same", "better", "only", "only"], "{table}");
        assert!(lines[0].ends_with("|  2.00x |  1.00x |  0.500"), "{table}");
        assert_eq!(lines[3..], ["only now: same against rust", "only before: old against c"]);
    }
}
