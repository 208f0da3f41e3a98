//! What can be typed.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use unspool::{Format, Limits};

use crate::query;

/// Says what is in a file of compressed columns or bytes, decodes it, checks it.
#[derive(Parser)]
#[command(name = "unspool", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Show what a file is, what is in it, and which bytes hold what
    Inspect {
        /// The file, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        take: TakeArgs,
        /// Everything as one JSON object, for programs
        #[arg(long)]
        json: bool,
        /// What the decoded numbers come to: bounds, mean, deviation, how they spread
        #[arg(long)]
        stats: bool,
        /// Every literal, state and sequence of a Zstandard file, with its bits
        #[arg(long)]
        symbols: bool,
        /// Every field, also of long lists
        #[arg(long)]
        all: bool,
    },
    /// Write the decoded bytes; numbers come out little-endian, row after row
    Decode(DecodeArgs),
    /// Print the rows of an OnPair column in which a pattern occurs, without decoding the others
    ///
    /// Each row is a line, its bytes as they are. The exit code is 0 also if no row matches.
    Grep(GrepArgs),
    /// Print the rows of an AT-1 table that meet all conditions, reading no more of the file than that takes
    ///
    /// COL is a column by its number, from 0, or by its name: a path of JSON as `user.id`, or a field of the header line. In it,
    /// a backslash lets `:`, `,` and `\` stand for themselves; a name of digits alone must be given as a number. Lines that were
    /// kept as they are, because they do not fit the table, are in no answer; how many they are is said. The file's hash, which is
    /// that of all lines, is not compared.
    Query(QueryArgs),
    /// Decode and verify files without writing anything
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        take: TakeArgs,
    },
}

/// How a file is taken.
#[derive(Args)]
pub struct TakeArgs {
    /// Take the file for this format instead of looking at its first bytes
    #[arg(long, value_parser = format())]
    pub format: Option<Format>,
    /// The dictionary that the file was compressed with
    #[arg(long, value_name = "FILE")]
    pub dict: Option<PathBuf>,
    #[command(flatten)]
    pub allow: LimitArgs,
}

/// What a file may ask for.
#[derive(Args)]
pub struct LimitArgs {
    /// Refuse to decode to more than this; 16G if not given
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_output: Option<u64>,
    /// Refuse Zstandard frames with larger windows; 128M if not given, which is too small for what was made with --long=28 or more
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_window: Option<u64>,
}

impl LimitArgs {
    pub fn limits(&self) -> Limits {
        let Limits { max_output, max_window, .. } = Limits::DEFAULT;
        Limits {
            max_output: self.max_output.unwrap_or(max_output),
            max_window: self.max_window.unwrap_or(max_window),
            ..Limits::DEFAULT
        }
    }
}

#[derive(Args)]
pub struct GrepArgs {
    /// The bytes to look for, as they are: no wildcards
    pub pattern: OsString,
    /// The file, or - for standard input
    pub file: PathBuf,
    /// Only rows that start with the pattern
    #[arg(long, conflicts_with = "exact")]
    pub prefix: bool,
    /// Only rows that are the pattern
    #[arg(long)]
    pub exact: bool,
    /// The number of the row, counted from 0, and a colon before each line
    #[arg(short, long)]
    pub number: bool,
    #[command(flatten)]
    pub allow: LimitArgs,
}

#[derive(Args)]
pub struct QueryArgs {
    /// The file, of the codec qcolumnar or qjson; - for standard input, which is read whole
    pub file: PathBuf,
    /// Only rows whose value is a number from LO to HI, both included; either may be left out
    #[arg(long = "where", value_name = "COL:LO:HI", value_parser = query::within, allow_hyphen_values = true)]
    pub within: Vec<query::Condition>,
    /// Only rows with this value: the same number in a column of numbers, else the same bytes
    #[arg(long, value_name = "COL:VALUE", value_parser = OsStringValueParser::new().try_map(|text| query::equal(&text)), allow_hyphen_values = true)]
    pub eq: Vec<query::Condition>,
    /// These columns, in this order, with tabs between; all if not given
    #[arg(long, value_name = "A,B", value_parser = query::columns, group = "ask")]
    pub select: Option<query::Columns>,
    /// The original lines
    #[arg(long, group = "ask")]
    pub lines: bool,
    /// How many rows there are
    #[arg(long, group = "ask")]
    pub count: bool,
    /// The exact sum of a column
    #[arg(long, value_name = "COL", value_parser = query::column, group = "ask")]
    pub sum: Option<query::Name>,
    /// The smallest number of a column
    #[arg(long, value_name = "COL", value_parser = query::column, group = "ask")]
    pub min: Option<query::Name>,
    /// The largest number of a column
    #[arg(long, value_name = "COL", value_parser = query::column, group = "ask")]
    pub max: Option<query::Name>,
    /// The first N matching rows at most
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// On standard error: groups skipped and read, bytes of blocks read and in all
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub allow: LimitArgs,
}

#[derive(Args)]
pub struct DecodeArgs {
    /// The file, or - for standard input
    #[arg(required_unless_present = "parts")]
    pub file: Option<PathBuf>,
    /// Where the decoded bytes go; standard output for -, or if not given. For a bundle of several files, a folder
    #[arg(short, long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub take: TakeArgs,
    /// Which column of a file that has several
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Only these rows, from A on and before B; either may be left out
    #[arg(long, value_name = "A..B", value_parser = rows)]
    pub rows: Option<Range<Option<u64>>>,
    /// Only these bytes of what a Zstandard or xz file decodes to, from A on and before B; either may be left out. Of a file
    /// in the seekable format no other frames are decoded than those that hold them, of an xz file of several blocks no others
    #[arg(long, value_name = "A..B", value_parser = rows, conflicts_with_all = ["rows", "parts"])]
    pub range: Option<Range<Option<u64>>>,
    /// Only the rows of CVC sections whose metadata has this value
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value, conflicts_with = "rows")]
    pub section: Option<(String, String)>,
    /// A line for each row: numbers as text with tabs between, strings as they are
    #[arg(long)]
    pub text: bool,
    /// With --format onpair, a folder instead of a file: dict_bytes.bin, dict_offsets.bin, code_offsets.bin and codes.bin
    #[arg(long, value_name = "DIR", conflicts_with = "file", requires = "format")]
    pub parts: Option<PathBuf>,
    /// The folder has packed_codes.bin instead of codes.bin, with so many bits a code
    #[arg(long, value_name = "N", requires = "parts", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub bits: Option<u32>,
}

impl DecodeArgs {
    /// The file or folder that the decoded bytes go to; none for standard output.
    pub fn to(&self) -> Option<&Path> {
        self.output.as_deref().filter(|output| *output != Path::new("-"))
    }
}

/// The name of a format that this build knows.
fn format() -> impl TypedValueParser<Value = Format> {
    let named = |name: String| crate::formats::BUILT.into_iter().find(|format| format.name() == name);
    PossibleValuesParser::new(crate::formats::BUILT.map(Format::name))
        .try_map(move |name| named(name).ok_or("no format"))
}

fn rows(text: &str) -> Result<Range<Option<u64>>, String> {
    let (first, last) = text.split_once("..").ok_or("two numbers with .. between them, as in 10..20")?;
    let number = |text: &str| match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("{text} is not a number")),
    };
    Ok(number(first)?..number(last)?)
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a key and a value with = between them, as in source=wiki")?;
    Ok((key.to_owned(), value.to_owned()))
}

fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err("a number of bytes, perhaps with K, M or G".to_owned()),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    number.ok_or_else(|| "a number of bytes that fits in 64 bits".to_owned())
}
