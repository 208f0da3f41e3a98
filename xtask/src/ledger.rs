//! The page that counts executions of fuzz targets, `docs/fuzzing.md`. Only this module writes its
//! table.

use anyhow::{Context, Result, ensure};

use crate::fuzz;
use crate::sh::{cmd, root};

const PAGE: &str = "docs/fuzzing.md";
/// The first lines of the tables.
const FORMATS: &str = "| format | executions |\n|---|---:|\n";
const TARGETS: &str = "| target | executions | edges | findings | last run |\n|---|---:|---:|---:|---|\n";

/// What the page says about a target.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    target: String,
    executions: u64,
    /// Edges that coverage guidance reached; 0 before its first run.
    edges: u64,
    findings: u64,
    /// The day of the last run.
    last: String,
}

/// Returns the executions of a target that the page counts.
pub fn executions(target: &str) -> Result<u64> {
    let rows = read(&page()?)?;
    Ok(rows.iter().find(|row| row.target == target).map_or(0, |row| row.executions))
}

/// Adds a run to the page.
pub fn record(target: &str, executions: u64, edges: Option<u64>, found: bool) -> Result<()> {
    let mut rows = read(&page()?)?;
    let today = cmd("date -u +%Y-%m-%d").answer().context("the date")?;
    let place = rows.iter().position(|row| row.target == target).unwrap_or_else(|| {
        rows.push(Row { target: target.to_owned(), ..Row::default() });
        rows.len() - 1
    });
    let row = &mut rows[place];
    row.executions += executions;
    row.edges = row.edges.max(edges.unwrap_or(0));
    row.findings += u64::from(found);
    row.last = today;
    rows.retain(|row| fuzz::targets().is_ok_and(|all| all.contains(&row.target)));
    rows.sort_by(|a, b| a.target.cmp(&b.target));
    let page = page()?;
    let (head, _) = page.split_once(FORMATS).context("the page has no table of formats")?;
    println!("    {target}: {executions} more executions");
    Ok(std::fs::write(root().join(PAGE), format!("{head}{}", tables(&rows)))?)
}

fn page() -> Result<String> {
    std::fs::read_to_string(root().join(PAGE)).with_context(|| format!("{PAGE} is missing"))
}

/// Reads the table of targets.
fn read(page: &str) -> Result<Vec<Row>> {
    let (_, table) = page.split_once(TARGETS).context("the page has no table of targets")?;
    table.lines().map(row).collect()
}

fn row(line: &str) -> Result<Row> {
    let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
    ensure!(cells.len() == 5, "a row of {} cells: {line}", cells.len());
    let number = |cell: &str| cell.replace(',', "").parse().with_context(|| format!("{cell} in: {line}"));
    let target = cells[0].trim_matches('`').to_owned();
    let (executions, edges, findings) = (number(cells[1])?, number(cells[2])?, number(cells[3])?);
    Ok(Row { target, executions, edges, findings, last: cells[4].to_owned() })
}

/// Returns both tables. A target belongs to the format that its name starts with.
fn tables(rows: &[Row]) -> String {
    let mut families: Vec<(&str, u64)> = vec![];
    for row in rows {
        let family = row.target.split('_').next().unwrap_or_default();
        match families.iter_mut().find(|(name, _)| *name == family) {
            Some((_, sum)) => *sum += row.executions,
            None => families.push((family, row.executions)),
        }
    }
    let formats: String = families.iter().map(|(name, sum)| format!("| {name} | {} |\n", grouped(*sum))).collect();
    let line = |row: &Row| {
        let Row { target, executions, edges, findings, last } = row;
        format!("| `{target}` | {} | {} | {findings} | {last} |\n", grouped(*executions), grouped(*edges))
    };
    format!("{FORMATS}{formats}\n{TARGETS}{}", rows.iter().map(line).collect::<String>())
}

/// Writes a number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_back() {
        let row = |target: &str, executions, edges| Row {
            target: target.to_owned(),
            executions,
            edges,
            findings: 1,
            last: "2026-01-31".to_owned(),
        };
        let rows = vec![row("xz_arbitrary", 1_234_567, 999), row("xz_mutated", 1000, 0)];
        let page = tables(&rows);
        assert!(page.contains("| xz | 1,235,567 |\n"), "{page}");
        assert_eq!(read(&page).unwrap(), rows);
    }

    #[test]
    fn the_page_names_only_targets() {
        let all = fuzz::targets().unwrap();
        for row in read(&page().unwrap()).unwrap() {
            assert!(all.contains(&row.target), "{PAGE} counts {}, which is no target", row.target);
        }
    }
}
