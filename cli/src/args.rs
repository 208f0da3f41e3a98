//! The command line: subcommands, options, and the parsing of their values.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use unspool::{Format, Limits};

use crate::{memory, query};

/// Inspect, decode, query and check compressed files
///
/// Formats: Zstandard, xz, LZMA, gzip, Pco, OnPair, CVC, AT-1.
#[derive(Parser)]
#[command(name = "unspool", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Refuse to allocate more memory than this, at least 16M [default: 4G]
    #[arg(long, value_name = "BYTES", value_parser = memory_limit, global = true)]
    pub max_memory: Option<u64>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Show the format of a file, its contents, and every field with its bytes
    Inspect {
        /// The file, or - for standard input
        file: PathBuf,
        #[command(flatten)]
        take: TakeArgs,
        /// Print one JSON object, for programs
        #[arg(long)]
        json: bool,
        /// Add statistics of the decoded numbers: bounds, mean, deviation, distribution
        #[arg(long)]
        stats: bool,
        /// List every literal, state and sequence of a Zstandard file, with its bits
        #[arg(long)]
        symbols: bool,
        /// Print long lists in full
        #[arg(long)]
        all: bool,
    },
    /// Write the decoded bytes; numbers are little-endian, row after row
    Decode(DecodeArgs),
    /// Print the rows of an OnPair column that contain a pattern, without decoding the others
    ///
    /// Each row is a line of its unchanged bytes. The exit code is 0 even if no row matches.
    Grep(GrepArgs),
    /// Print the rows of an AT-1 table that meet all conditions, reading only the blocks they need
    ///
    /// COL is the number of a column, from 0, or its name: a JSON path such as `user.id`, or a
    /// field of the header line. In a name, write a backslash before `:`, `,` and `\`. A name made
    /// of digits must be given as a number.
    ///
    /// Lines that do not fit the table are in no answer; standard error says how many they are. The
    /// hash of the file covers all lines and is not compared.
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

/// Options on reading a file.
#[derive(Args)]
pub struct TakeArgs {
    /// Use this format instead of detecting it from the first megabyte
    #[arg(long, value_parser = format())]
    pub format: Option<Format>,
    /// The dictionary that the Zstandard file was compressed with
    #[arg(long, value_name = "FILE")]
    pub dict: Option<PathBuf>,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub allow: LimitArgs,
}

/// The option on threads.
#[derive(Args)]
pub struct ThreadArgs {
    /// Work on N threads: on blocks of xz, frames of Zstandard, chunks of Pco and CVC, rows of
    /// OnPair, frames, streams or row groups of AT-1, and several files of `check` [default: all
    /// cores]
    #[arg(short = 'T', long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl ThreadArgs {
    /// Returns the number of threads.
    pub fn count(&self) -> NonZeroUsize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(all)
    }
}

/// Limits on what a file may ask for.
#[derive(Args)]
pub struct LimitArgs {
    /// Refuse to decode to more than this [default: 16G]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_output: Option<u64>,
    /// Refuse more history than this: windows of Zstandard, dictionaries of streamed xz and LZMA,
    /// lookbacks of Pco [default: 128M; --long=28 needs more]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_window: Option<u64>,
    /// Refuse tables of more columns than this [default: 4096]
    #[arg(long, value_name = "COUNT")]
    max_columns: Option<u64>,
}

impl LimitArgs {
    pub fn limits(&self) -> Limits {
        let Limits { max_output, max_window, max_columns, .. } = Limits::DEFAULT;
        Limits {
            max_output: self.max_output.unwrap_or(max_output),
            max_window: self.max_window.unwrap_or(max_window),
            max_columns: self.max_columns.unwrap_or(max_columns),
            ..Limits::DEFAULT
        }
    }
}

#[derive(Args)]
pub struct GrepArgs {
    /// The bytes to search for; there are no wildcards
    pub pattern: OsString,
    /// The file, or - for standard input
    pub file: PathBuf,
    /// Only rows that start with the pattern
    #[arg(long, conflicts_with = "exact")]
    pub prefix: bool,
    /// Only rows that equal the pattern
    #[arg(long)]
    pub exact: bool,
    /// Print the number of the row, from 0, and a colon before each line
    #[arg(short, long)]
    pub number: bool,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub allow: LimitArgs,
}

#[derive(Args)]
pub struct QueryArgs {
    /// The file, of codec qcolumnar or qjson; - for standard input, which is read whole
    pub file: PathBuf,
    /// Only rows whose value is a number from LO to HI, both included; either may be omitted
    #[arg(long = "where", value_name = "COL:LO:HI", value_parser = query::within, allow_hyphen_values = true)]
    pub within: Vec<query::Condition>,
    /// Only rows with this value: the same number in a numeric column, else the same bytes
    #[arg(long, value_name = "COL:VALUE", value_parser = OsStringValueParser::new().try_map(|text| query::equal(&text)), allow_hyphen_values = true)]
    pub eq: Vec<query::Condition>,
    /// Print these columns, in this order, separated by tabs [default: all]
    #[arg(long, value_name = "A,B", value_parser = query::columns, group = "ask")]
    pub select: Option<query::Columns>,
    /// Print the original lines
    #[arg(long, group = "ask")]
    pub lines: bool,
    /// Print the number of rows
    #[arg(long, group = "ask")]
    pub count: bool,
    /// Print the exact sum of a column
    #[arg(long, value_name = "COL", value_parser = query::column, group = "ask")]
    pub sum: Option<query::Name>,
    /// Print the smallest number of a column
    #[arg(long, value_name = "COL", value_parser = query::column, group = "ask")]
    pub min: Option<query::Name>,
    /// Print the largest number of a column
    #[arg(long, value_name = "COL", value_parser = query::column, group = "ask")]
    pub max: Option<query::Name>,
    /// Stop after the first N matching rows
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Print to standard error how many groups were skipped and read, and how many block bytes
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub allow: LimitArgs,
}

#[derive(Args)]
pub struct DecodeArgs {
    /// The file, or - for standard input
    #[arg(required_unless_present = "parts")]
    pub file: Option<PathBuf>,
    /// The output file; standard output for - or if omitted. For a bundle, a folder
    #[arg(short, long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub take: TakeArgs,
    /// The column to decode, if the file has several
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Only rows from A up to, not including, B; either may be omitted
    #[arg(long, value_name = "A..B", value_parser = rows)]
    pub rows: Option<Range<Option<u64>>>,
    /// Only the decoded bytes from A up to, not including, B, of Zstandard and xz; either may be
    /// omitted. Decodes only the frames (with a seek table) or xz blocks that hold them
    #[arg(long, value_name = "A..B", value_parser = rows, conflicts_with_all = ["rows", "parts"])]
    pub range: Option<Range<Option<u64>>>,
    /// Only rows of CVC sections whose metadata has this value
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value, conflicts_with = "rows")]
    pub section: Option<(String, String)>,
    /// Print a line for each row: numbers as text separated by tabs, strings unchanged
    #[arg(long)]
    pub text: bool,
    /// With --format onpair: a folder with dict_bytes.bin, dict_offsets.bin, code_offsets.bin and
    /// codes.bin
    #[arg(long, value_name = "DIR", conflicts_with = "file", requires = "format")]
    pub parts: Option<PathBuf>,
    /// The folder has packed_codes.bin instead of codes.bin, with N bits per code
    #[arg(long, value_name = "N", requires = "parts", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub bits: Option<u32>,
}

impl DecodeArgs {
    /// The output file or folder; `None` for standard output.
    pub fn to(&self) -> Option<&Path> {
        self.output.as_deref().filter(|output| *output != Path::new("-"))
    }
}

/// Parses the name of a format that this build decodes.
fn format() -> impl TypedValueParser<Value = Format> {
    let named = |name: String| crate::formats::BUILT.into_iter().find(|format| format.name() == name);
    PossibleValuesParser::new(crate::formats::BUILT.map(Format::name))
        .try_map(move |name| named(name).ok_or("no format"))
}

fn rows(text: &str) -> Result<Range<Option<u64>>, String> {
    let (first, last) = text.split_once("..").ok_or("expected two numbers with .. between them, such as 10..20")?;
    let number = |text: &str| match text {
        "" => Ok(None),
        // `parse` takes a plus sign too.
        text => match text.parse() {
            Ok(number) if !text.starts_with('+') => Ok(Some(number)),
            _ => Err(format!("{text} is not a number")),
        },
    };
    Ok(number(first)?..number(last)?)
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) =
        text.split_once('=').ok_or("expected a key and a value with = between them, such as source=wiki")?;
    Ok((key.to_owned(), value.to_owned()))
}

fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" if !digits.is_empty() => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err("expected a number of bytes, optionally with K, M or G".to_owned()),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    number.ok_or_else(|| "expected a number of bytes that fits in 64 bits".to_owned())
}

fn memory_limit(text: &str) -> Result<u64, String> {
    let limit = bytes(text)?;
    if limit < memory::LEAST {
        Err("expected at least 16M, because the command needs some itself".to_owned())
    } else {
        Ok(limit)
    }
}
