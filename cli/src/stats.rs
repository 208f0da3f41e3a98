//! Statistics of decoded numbers, for `inspect --stats`.

use std::fmt::Write;

use unspool::stats::{Histogram, Magnitudes, Norms, Summary};
use unspool::tree::write_json_string;
use unspool::{Error, Sink};

use crate::report::Plain;
use crate::text::Number;

/// Heights of a bar, lowest first.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Statistics of one column.
#[derive(Default)]
pub struct ColumnStats {
    pub name: String,
    summary: Summary,
    histogram: Histogram,
    magnitudes: Magnitudes,
    /// Statistics of vector lengths, if a row has several numbers.
    norms: Option<Summary>,
}

/// A sink that adds decoded numbers to the statistics of a column.
pub struct Gather<'c> {
    column: &'c mut ColumnStats,
    number: Number,
    dimension: usize,
    /// The values of an incomplete row.
    row: Vec<f64>,
    /// The start of a number that was split between two writes.
    cut: Vec<u8>,
}

impl<'c> Gather<'c> {
    pub fn new(column: &'c mut ColumnStats, number: Number, dimension: u64) -> Self {
        let dimension = usize::try_from(dimension).unwrap_or(usize::MAX);
        if dimension > 1 {
            column.norms.get_or_insert_default();
        }
        Self { column, number, dimension, row: vec![], cut: vec![] }
    }
}

impl Sink for Gather<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.cut.extend(bytes);
        let values = self.cut.chunks_exact(self.number.width());
        let rest = values.remainder().to_vec();
        for value in values.map(|value| self.number.value(value)) {
            self.column.summary.push(value);
            self.column.histogram.push(value);
            self.column.magnitudes.push(value);
            if let Some(norms) = &mut self.column.norms {
                self.row.push(value);
                if self.row.len() == self.dimension {
                    norms.push(Norms::of(self.row.drain(..)).l2);
                }
            }
        }
        self.cut = rest;
        Ok(())
    }
}

impl ColumnStats {
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Writes a few lines for people.
    pub fn write_text(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "  {:<10} {}: {}", "stats", Plain(&self.name), sentence(&self.summary, "number"))?;
        let bins: Vec<_> = self.histogram.iter().collect();
        if let (Some(first), Some(last)) = (bins.first(), bins.last())
            && bins.len() > 1
        {
            let most = bins.iter().map(|bin| bin.2).max().unwrap_or(1).max(1);
            let bar = |count: u64| match usize::try_from(count.saturating_mul(7).div_ceil(most)) {
                Ok(height) if count > 0 => BARS.get(height).copied().unwrap_or('█'),
                _ => ' ',
            };
            let bars: String = bins.iter().map(|bin| bar(bin.2)).collect();
            writeln!(out, "  {:<10} {bars} from {} to {}", "", short(first.0), short(last.1))?;
        }
        match &self.norms {
            Some(norms) => writeln!(out, "  {:<10} lengths of the vectors: {}", "", sentence(norms, "vector")),
            None => Ok(()),
        }
    }

    pub fn write_json(&self, out: &mut String) -> std::fmt::Result {
        out.push_str("{\"name\":");
        write_json_string(out, &self.name)?;
        out.push(',');
        write_summary(out, &self.summary)?;
        write_bins(out, "histogram", self.histogram.iter())?;
        write!(out, ",\"zeros\":{},\"negative\":{}", self.magnitudes.zeros(), self.magnitudes.negative())?;
        write_bins(out, "log2", self.magnitudes.iter())?;
        if let Some(norms) = &self.norms {
            out.push_str(",\"norms\":{");
            write_summary(out, norms)?;
            out.push('}');
        }
        out.push('}');
        Ok(())
    }
}

fn write_summary(out: &mut String, summary: &Summary) -> std::fmt::Result {
    write!(out, "\"count\":{},\"nans\":{},\"infinite\":{}", summary.count(), summary.nans(), summary.infinite())?;
    let numbers =
        [("min", summary.min()), ("max", summary.max()), ("mean", summary.mean()), ("deviation", summary.deviation())];
    for (name, number) in numbers {
        // JSON has no infinities.
        match number.filter(|number| number.is_finite()) {
            Some(number) => write!(out, ",\"{name}\":{number:?}")?,
            None => write!(out, ",\"{name}\":null")?,
        }
    }
    Ok(())
}

fn write_bins(out: &mut String, name: &str, bins: impl Iterator<Item = (f64, f64, u64)>) -> std::fmt::Result {
    write!(out, ",\"{name}\":[")?;
    for (at, (low, high, count)) in bins.enumerate() {
        write!(out, "{}[{low:?},{high:?},{count}]", if at == 0 { "" } else { "," })?;
    }
    out.push(']');
    Ok(())
}

/// Summarises: `1600 numbers from -0.31 to 0.42, mean 0.0013, deviation 0.1, 3 not a number`
fn sentence(summary: &Summary, what: &str) -> String {
    let mut text = format!("{} {what}{}", summary.count(), if summary.count() == 1 { "" } else { "s" });
    if let (Some(min), Some(max)) = (summary.min(), summary.max()) {
        let _ = write!(text, " from {} to {}", short(min), short(max));
    }
    if let (Some(mean), Some(deviation)) = (summary.mean(), summary.deviation()) {
        let _ = write!(text, ", mean {}, deviation {}", short(mean), short(deviation));
    }
    if summary.nans() > 0 {
        let _ = write!(text, ", {} not a number", summary.nans());
    }
    if summary.infinite() > 0 {
        let _ = write!(text, ", {} infinite", summary.infinite());
    }
    text
}

/// Formats a number in about six digits.
fn short(number: f64) -> String {
    let size = number.abs();
    if number == number.trunc() && size < 1e15 {
        format!("{number}")
    } else if (1e-4..1e9).contains(&size) {
        let digits = format!("{number:.*}", if size >= 1000.0 { 1 } else { 5 });
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{number:.4e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(3.0), "3");
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(-1.0 / 3.0), "-0.33333");
        assert_eq!(short(12_345.678), "12345.7");
        assert_eq!(short(1.5e-9), "1.5000e-9");
    }

    #[test]
    fn pieces_of_any_size_sum_up_the_same() {
        let bytes: Vec<u8> = (0..60i16).flat_map(|n| (n - 30).to_le_bytes()).collect();
        for piece in [1, 2, 3, 7, 120] {
            let mut column = ColumnStats::named("a");
            let mut gather = Gather::new(&mut column, Number::I16, 3);
            bytes.chunks(piece).for_each(|piece| gather.write(piece).unwrap());
            assert_eq!((column.summary.count(), column.summary.min()), (60, Some(-30.0)));
            assert_eq!(column.norms.unwrap().count(), 20);
        }
    }
}
