//! Queries over AT-1 tables: parses the arguments, and reads only the parts of a file that the
//! answer needs.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::num::NonZeroUsize;

use unspool::at1::{Ask, ColumnRef, Filter, Options, Query, Request, Row, Test, Workspace};
use unspool::{Class, Error, ErrorKind, Format, Limits, Sink};

use crate::args::QueryArgs;
use crate::formats::at1::TableFacts;
use crate::formats::{Stop, resize};
use crate::output::Output;
use crate::report::{Failure, Plain};
use crate::source::Source;

/// The number of bytes parsed first. Most heads fit.
const HEAD: u64 = 64 << 10;

/// A column, as typed.
#[derive(Clone)]
pub enum Name {
    Number(usize),
    Text(String),
}

impl Name {
    fn column(&self) -> ColumnRef<'_> {
        match self {
            Name::Number(number) => ColumnRef::Number(*number),
            Name::Text(text) => ColumnRef::Name(text.as_bytes()),
        }
    }
}

/// A list of columns, as typed.
#[derive(Clone)]
pub struct Columns(Vec<Name>);

/// A condition of `--where` or `--eq`.
#[derive(Clone)]
pub struct Condition {
    column: Name,
    test: TypedTest,
}

#[derive(Clone)]
enum TypedTest {
    Range(Option<String>, Option<String>),
    /// Any bytes.
    Equal(Vec<u8>),
}

impl Condition {
    fn filter(&self) -> Filter<'_> {
        let test = match &self.test {
            TypedTest::Range(low, high) => {
                Test::Range { low: low.as_ref().map(String::as_bytes), high: high.as_ref().map(String::as_bytes) }
            }
            TypedTest::Equal(value) => Test::Equal(value),
        };
        Filter { column: self.column.column(), test }
    }
}

/// Splits at the first `separator` without a backslash before it.
fn split_once(text: &str, separator: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    let (at, found) = text.char_indices().find(|&(_, c)| {
        let found = c == separator && !escaped;
        escaped = c == '\\' && !escaped;
        found
    })?;
    Some((&text[..at], &text[at + found.len_utf8()..]))
}

/// Parses a column: digits alone are a number, anything else is a name.
pub fn column(text: &str) -> Result<Name, String> {
    if text.is_empty() {
        return Err("expected the number or name of a column".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Name::Number).map_err(|_| format!("no table has {text} columns"));
    }
    let mut name = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        name.push(match (c, chars.as_str().chars().next()) {
            ('\\', Some(next @ (':' | ',' | '\\'))) => {
                chars.next();
                next
            }
            _ => c,
        });
    }
    Ok(Name::Text(name))
}

/// Parses `A,B`.
pub fn columns(text: &str) -> Result<Columns, String> {
    let mut names = vec![];
    let mut rest = text;
    while let Some((name, more)) = split_once(rest, ',') {
        names.push(column(name)?);
        rest = more;
    }
    names.push(column(rest)?);
    Ok(Columns(names))
}

/// Parses `COL:LO:HI`. Numbers contain no colon, so colons of the name need no escape.
pub fn within(text: &str) -> Result<Condition, String> {
    let mut parts = text.rsplitn(3, ':');
    let (Some(high), Some(low), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(
            "expected a column and two numbers with : between them, such as price:10:20 or price:10:".to_owned()
        );
    };
    let bound = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok(Condition { column: column(name)?, test: TypedTest::Range(bound(low), bound(high)) })
}

/// Parses `COL:VALUE`. Everything after the first colon is the value, unchanged.
pub fn equal(text: &OsStr) -> Result<Condition, String> {
    let bytes = text.as_encoded_bytes();
    // The value may be any bytes; the name before it is text.
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (name, _) =
        split_once(text, ':').ok_or("expected a column and a value with : between them, such as side:buy")?;
    let value = bytes.get(name.len() + 1..).unwrap_or_default().to_vec();
    Ok(Condition { column: column(name)?, test: TypedTest::Equal(value) })
}

/// Prints a line on standard error; if that is closed, nothing can be reported.
fn note(words: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{words}");
}

/// Lists the columns of the table if the error is an unknown column.
fn unknown_column(error: Error, head: &[u8], limits: &Limits) -> Option<Stop> {
    if error.kind != ErrorKind::At1NoSuchColumn {
        return None;
    }
    let table = TableFacts::read(head, limits).ok()?;
    let names = table.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    Some(Stop::Usage(format!("the table has no such column; its columns are: {}", Plain(names))))
}

pub fn run(args: &QueryArgs) -> Result<(), Failure> {
    let limits = args.allow.limits();
    let mut source = Source::open(&args.file, None, NonZeroUsize::MIN, &limits)?;
    match source.format(None)? {
        Format::At1 => {}
        other => return Err(Failure::Usage(format!("query is for AT-1 tables; this file is {}", other.name()))),
    }
    let mut output = Output::create(None)?;
    let answered = answer(args, &mut source, &limits, &mut output);
    output.finish(source.conclude(answered))
}

pub fn answer(args: &QueryArgs, source: &mut Source, limits: &Limits, output: &mut Output) -> Result<(), Stop> {
    let filters: Vec<_> = args.within.iter().chain(&args.eq).map(Condition::filter).collect();
    let select: Vec<_> = args.select.iter().flat_map(|columns| &columns.0).map(Name::column).collect();
    let ask = match (&args.sum, &args.min, &args.max) {
        (Some(name), _, _) => Ask::Sum(name.column()),
        (_, Some(name), _) => Ask::Min(name.column()),
        (_, _, Some(name)) => Ask::Max(name.column()),
        _ if args.count => Ask::Count,
        _ if args.select.is_some() => Ask::Columns(&select),
        _ => Ask::Rows,
    };
    let request = Request { filters: &filters, ask, limit: args.limit.unwrap_or(u64::MAX) };
    let len = match source.len() {
        Some(len) => len,
        // A stream cannot be read in parts.
        None => source.hold(limits)?.len() as u64,
    };
    let (mut scratch, mut workspace) = (vec![], Box::new(Workspace::new()));
    let options = Options { limits: *limits, ..Options::DEFAULT };
    let mut head = source.at(0..len.min(HEAD))?;
    let mut query = loop {
        let mut query = Query::new(request, &options);
        match query.open(&head, &mut workspace, &mut scratch) {
            Ok(()) => break query,
            Err(error) => match error.class() {
                Class::WorkspaceTooSmall { need } => resize(&mut scratch, need)?,
                // Read at least twice as much, so a long directory is not read again for each
                // entry.
                Class::Truncated if error.need > error.at => {
                    let most = len.max(error.at + 1);
                    let more = (2 * head.len() as u64).min(len);
                    head = source.at(0..error.need.max(more).min(most))?
                }
                _ => return Err(unknown_column(error, &head, limits).unwrap_or(Stop::Refused(error))),
            },
        }
    };
    let mut visit = |row: &Row<'_>| {
        if args.lines {
            row.write_line(output)?;
        } else {
            for (i, value) in row.values().enumerate() {
                if i > 0 {
                    output.write(b"\t")?;
                }
                output.write(value)?;
            }
        }
        output.write(b"\n")
    };
    let mut bytes = vec![];
    while let Some(range) = query.needs() {
        source.read_at(range.clone(), &mut bytes)?;
        while let Err(error) = query.feed(range.start, &bytes, &mut workspace, &mut scratch, &mut visit) {
            match error.class() {
                Class::WorkspaceTooSmall { need } => resize(&mut scratch, need)?,
                _ => return Err(unknown_column(error, &head, limits).unwrap_or(Stop::Refused(error))),
            }
        }
    }
    let answer = query.answer(&scratch);
    let line = match ask {
        Ask::Count => Some(answer.rows.to_string().into_bytes()),
        Ask::Sum(_) => Some(answer.sum.to_string().into_bytes()),
        Ask::Min(_) | Ask::Max(_) => answer.best.map(<[u8]>::to_vec),
        Ask::Rows | Ask::Columns(_) => None,
    };
    if let Some(mut line) = line {
        line.push(b'\n');
        output.write(&line)?;
    }
    if answer.without_number > 0 {
        note(format_args!("{} of {} rows have no number in that column", answer.without_number, answer.rows));
    }
    if let Ok(table) = TableFacts::read(&head, limits)
        && table.left_out() > 0
    {
        let (others, lines) = (table.left_out(), table.lines);
        note(format_args!(
            "{others} of {lines} lines do not fit this table and are in no answer; `unspool decode` returns all lines"
        ));
    }
    if args.stats {
        let stats = query.stats();
        note(format_args!(
            "{} groups: {} skipped, {} read; {} of {} block bytes read",
            stats.groups, stats.skipped, stats.read, stats.block_bytes_read, stats.block_bytes_total
        ));
    }
    Ok(())
}
