//! The formats, and the choices of a caller.

use std::collections::HashMap;
use std::fmt;

use datafusion::common::{Result, plan_err};
use unspool::Limits;
use unspool_arrow::at1::{Decimals, OnMisfit};

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// AT-1 tables, codecs 7 and 8.
    At1,
    /// CVC collections of vectors.
    Cvc,
    /// Pco columns of numbers.
    Pco,
    /// OnPair columns of strings.
    OnPair,
}

impl Kind {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::At1, Self::Cvc, Self::Pco, Self::OnPair];

    /// Returns the name that follows `STORED AS`, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::At1 => "at1",
            Self::Cvc => "cvc",
            Self::Pco => "pco",
            Self::OnPair => "onpair",
        }
    }

    /// Returns the extension of its files, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::OnPair => "onp",
            other => other.name(),
        }
    }

    /// Returns the format of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The choices of a caller, as `OPTIONS (…)` of `CREATE EXTERNAL TABLE` names them.
///
/// | option | values | default |
/// |---|---|---|
/// | `decimals` | `exact`, `float`, `text` | `exact` |
/// | `scale` | digits after the point of exact decimals, 0 to 38 | `9` |
/// | `misfit` | `error`, `null`: the outcome of a value that does not fit its column | `error` |
/// | `lines` | `rows`, `other`: the table, or the lines of the file that are no rows | `rows` |
/// | `zone_maps` | `use`, `ignore`: skip row groups and plan by the bounds that a writer claims | `use` |
/// | `strings` | `text`, `binary`: the type of strings | `text` |
/// | `max_output`, `max_window`, `max_header`, `max_elements`, `max_columns`, `max_depth` | a number for this limit | [`Limits::DEFAULT`] |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bounds on what a file may ask for.
    pub limits: Limits,
    /// The type of columns of decimals of AT-1.
    pub decimals: Decimals,
    /// The outcome of values of AT-1 that do not fit.
    pub on_misfit: OnMisfit,
    /// Returns the lines of an AT-1 file that are no rows, instead of the rows.
    pub other_lines: bool,
    /// Skips row groups of AT-1 by their zone maps, and plans with their bounds, which nobody has
    /// verified.
    pub zone_maps: bool,
    /// Returns strings of OnPair, and lines of AT-1 that are no rows, as bytes.
    pub binary: bool,
}

/// The names of the limits, in the order of their numbers.
const LIMITS: [&str; 6] = ["max_output", "max_window", "max_header", "max_elements", "max_columns", "max_depth"];

/// Returns the numbers of limits.
pub(crate) fn numbers(limits: &Limits) -> [u64; 6] {
    let &Limits { max_output, max_window, max_header, max_elements, max_columns, max_depth } = limits;
    [max_output, max_window, max_header, max_elements, max_columns, max_depth.into()]
}

/// Returns the limits with these numbers, unless one is too large for its type.
pub(crate) fn limits(numbers: [u64; 6]) -> Option<Limits> {
    let [max_output, max_window, max_header, max_elements, max_columns, max_depth] = numbers;
    let max_depth = max_depth.try_into().ok()?;
    Some(Limits { max_output, max_window, max_header, max_elements, max_columns, max_depth })
}

impl Options {
    /// Default limits, exact decimals, an error for each misfit.
    pub const DEFAULT: Self = Self {
        limits: Limits::DEFAULT,
        decimals: Decimals::Exact { scale: 9 },
        on_misfit: OnMisfit::Error,
        other_lines: false,
        zone_maps: true,
        binary: false,
    };

    /// Reads the options of a statement. Ignores those of other namespaces, such as `aws.region`.
    pub fn read(options: &HashMap<String, String>) -> Result<Self> {
        let (mut read, mut scale) = (Self::DEFAULT, None);
        for (key, value) in options {
            let name = match key.split_once('.') {
                Some(("format", name)) => name,
                Some(_) => continue,
                None => key,
            };
            if let Some(at) = LIMITS.iter().position(|limit| limit.eq_ignore_ascii_case(name)) {
                let change = |number| {
                    let mut numbers = numbers(&read.limits);
                    numbers[at] = number;
                    limits(numbers)
                };
                match value.parse().ok().and_then(change) {
                    Some(changed) => read.limits = changed,
                    None => return plan_err!("expected a number for {name}, found {value:?}"),
                }
                continue;
            }
            match (name.to_ascii_lowercase().as_str(), value.to_ascii_lowercase().as_str()) {
                ("decimals", "exact") => read.decimals = Self::DEFAULT.decimals,
                ("decimals", "float") => read.decimals = Decimals::Float,
                ("decimals", "text") => read.decimals = Decimals::Text,
                ("scale", digits) => match digits.parse() {
                    Ok(digits @ 0..=38) => scale = Some(digits),
                    _ => return plan_err!("expected scale from 0 to 38, found {value:?}"),
                },
                ("misfit", "error") => read.on_misfit = OnMisfit::Error,
                ("misfit", "null") => read.on_misfit = OnMisfit::Null,
                ("lines", "rows") => read.other_lines = false,
                ("lines", "other") => read.other_lines = true,
                ("zone_maps", "use") => read.zone_maps = true,
                ("zone_maps", "ignore") => read.zone_maps = false,
                ("strings", "text") => read.binary = false,
                ("strings", "binary") => read.binary = true,
                ("decimals" | "misfit" | "lines" | "zone_maps" | "strings", _) => {
                    return plan_err!("option {name} has no value {value:?}");
                }
                _ => {
                    return plan_err!(
                        "expected one of the options decimals, scale, misfit, lines, zone_maps, strings, {}; found {name:?}",
                        LIMITS.join(", ")
                    );
                }
            }
        }
        match (&mut read.decimals, scale) {
            (Decimals::Exact { scale }, Some(digits)) => *scale = digits,
            (_, Some(_)) => return plan_err!("option scale needs decimals 'exact'"),
            (_, None) => {}
        }
        Ok(read)
    }

    pub(crate) const fn at1(&self) -> unspool_arrow::at1::Options {
        unspool_arrow::at1::Options { limits: self.limits, on_misfit: self.on_misfit, decimals: self.decimals }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Prints the options that differ from the default, as `OPTIONS (…)` takes them.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = match self.decimals {
            Decimals::Exact { scale: 9 } => None,
            Decimals::Exact { scale } => Some(format!("scale '{scale}'")),
            Decimals::Float => Some("decimals 'float'".to_owned()),
            Decimals::Text => Some("decimals 'text'".to_owned()),
        };
        let flag = |set: bool, words: &str| set.then(|| words.to_owned());
        let others = [
            decimals,
            flag(self.on_misfit == OnMisfit::Null, "misfit 'null'"),
            flag(self.other_lines, "lines 'other'"),
            flag(!self.zone_maps, "zone_maps 'ignore'"),
            flag(self.binary, "strings 'binary'"),
        ];
        let limits = LIMITS.into_iter().zip(numbers(&self.limits)).zip(numbers(&Limits::DEFAULT));
        let limits =
            limits.filter_map(|((name, number), default)| flag(number != default, &format!("{name} '{number}'")));
        f.write_str(&others.into_iter().flatten().chain(limits).collect::<Vec<_>>().join(", "))
    }
}
