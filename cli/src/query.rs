//! Queries over AT-1 tables: parses the arguments, and reads only the parts of a file that the
//! answer needs.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use unspool::at1::{Ask, ColumnRef, Filter, Group, Number, Options, Query, Request, Row, Stats, Sum, Test, Workspace};
use unspool::threads::in_order;
use unspool::{Class, Error, ErrorKind, Format, Limits, Sink};

use crate::args::QueryArgs;
use crate::formats::at1::TableFacts;
use crate::formats::parallel::{Pool, TINY_PARTS, affordable, append};
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
    let mut source = Source::open(&args.file, None, args.threads.count(), &limits)?;
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
    let (sum, min, max) = (args.sum.as_ref(), args.min.as_ref(), args.max.as_ref());
    let number = sum.or(min).or(max).map(|name| [name.column()]);
    let ask = match &number {
        Some(column) => Ask::Columns(column),
        _ if args.count => Ask::Count,
        _ if args.select.is_some() => Ask::Columns(&select),
        _ => Ask::Rows,
    };
    let mut answer = Answer::new(args, output);
    let request = Request { filters: &filters, ask, limit: answer.limit };
    if source.len().is_none() {
        // A stream cannot be read in parts.
        source.hold()?;
    }
    let (head, parent) = open(request, source, limits)?;
    let stats = parent.query.stats();
    answer.block_bytes_read = stats.block_bytes_read;
    if ask == Ask::Count && filters.is_empty() {
        answer.rows = parent.query.answer(&parent.scratch).rows;
    } else if answer.limit > 0 {
        each_group(&parent, source, &mut answer)?;
    }
    answer.finish()?;
    let Answer { rows, without_number, .. } = answer;
    if without_number > 0 {
        note(format_args!("{without_number} of {rows} rows have no number in that column"));
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
        let Stats { groups, block_bytes_total, .. } = stats;
        let Answer { groups_read: read, groups_passed: passed, block_bytes_read, .. } = answer;
        // After the last row of a limit, no group is looked at.
        let skipped = if rows < answer.limit { groups } else { passed } - read;
        note(format_args!(
            "{groups} groups: {skipped} skipped, {read} read; {block_bytes_read} of {block_bytes_total} block bytes read"
        ));
    }
    Ok(())
}

/// A query with the memory that it keeps.
#[derive(Clone)]
struct Worker<'q> {
    query: Query<'q>,
    workspace: Box<Workspace>,
    scratch: Vec<u8>,
    /// The bytes that were read last.
    bytes: Vec<u8>,
}

impl Worker<'_> {
    /// Feeds the query what it needs, until its end.
    fn drive(
        &mut self,
        read: impl Fn(Range<u64>, &mut Vec<u8>) -> Result<(), Stop>,
        mut visit: impl FnMut(&Row<'_>) -> Result<(), Error>,
    ) -> Result<(), Stop> {
        let Self { query, workspace, scratch, bytes } = self;
        while let Some(range) = query.needs() {
            read(range.clone(), bytes)?;
            while let Err(error) = query.feed(range.start, bytes, workspace, scratch, &mut visit) {
                match error.class() {
                    Class::WorkspaceTooSmall { need } => resize(scratch, need)?,
                    _ => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Answers one group, up to `limit` rows.
    fn answer(
        &mut self,
        group: &Group,
        limit: u64,
        read: impl Fn(Range<u64>, &mut Vec<u8>) -> Result<(), Stop>,
        visit: impl FnMut(&Row<'_>) -> Result<(), Error>,
    ) -> Result<(), Stop> {
        self.query.begin(group, limit, &mut self.scratch)?;
        self.drive(read, visit)
    }

    /// Returns the number of rows so far.
    fn rows(&self) -> u64 {
        self.query.answer(&self.scratch).rows
    }
}

/// Opens a query that reads no group. Returns the head of the file with it.
///
/// It has the limit 0, unless it only counts all rows, which needs no group.
fn open<'q>(request: Request<'q>, source: &Source, limits: &Limits) -> Result<(Vec<u8>, Worker<'q>), Stop> {
    let (len, options) = (source.len().unwrap_or(0), Options { limits: *limits, ..Options::DEFAULT });
    let counts_all = request.ask == Ask::Count && request.filters.is_empty();
    let request = Request { limit: if counts_all { request.limit } else { 0 }, ..request };
    let mut head = source.at(0..len.min(HEAD))?;
    let (mut scratch, mut workspace) = (vec![], Box::new(Workspace::new()));
    let query = loop {
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
                    head = source.at(0..error.need.max(more).min(most))?;
                }
                _ => return Err(unknown_column(error, &head, limits).unwrap_or(Stop::Refused(error))),
            },
        }
    };
    let mut worker = Worker { query, workspace, scratch, bytes: vec![] };
    // Names of columns may be in the first row.
    let ended = worker.drive(|range, bytes| source.read_at(range, bytes), |_| Ok(()));
    ended.map_err(|stop| match stop {
        Stop::Refused(error) => unknown_column(error, &head, limits).unwrap_or(stop),
        stop => stop,
    })?;
    Ok((head, worker))
}

/// The most bytes of rows that a thread collects. A group with more is answered again, in order.
const MOST_TEXT: usize = if TINY_PARTS { 256 } else { 8 << 20 };

/// The answer of one group.
struct Part {
    group: Group,
    /// Lines of the requested rows or values.
    text: Vec<u8>,
    /// The text is not all.
    is_long: bool,
    rows: u64,
    stats: Stats,
    ended: Result<(), Stop>,
}

/// The reason why no more groups are answered.
enum Left {
    /// The answer has as many rows as it may have.
    Full,
    Stop(Stop),
}

impl<E: Into<Stop>> From<E> for Left {
    fn from(error: E) -> Self {
        Left::Stop(error.into())
    }
}

/// Answers the groups that may match, on several threads, in the order of the file.
fn each_group(parent: &Worker<'_>, source: &mut Source, answer: &mut Answer<'_>) -> Result<(), Stop> {
    let (limit, lines, all) = (answer.limit, answer.args.lines, source.threads());
    // Each thread copies what the parent holds.
    let held = (parent.scratch.len() + MOST_TEXT) as u64;
    let threads = if affordable(held, all) { all } else { NonZeroUsize::MIN };
    let (source, pool) = (Mutex::new(source), Pool::default());
    let read = |range, bytes: &mut Vec<u8>| source.lock().unwrap_or_else(PoisonError::into_inner).read_at(range, bytes);
    let mut last = Group::default();
    let groups = std::iter::from_fn(|| {
        let next = parent.query.group_after(&last, &parent.scratch).transpose()?;
        Some(next.inspect(|group| last = *group).map_err(Left::from))
    });
    let work = |worker: &mut Worker<'_>, group: Group| {
        let (mut text, mut is_long) = (pool.take(), false);
        text.clear();
        let ended = worker.answer(&group, limit, read, |row| {
            write_row(row, lines, &mut append(&mut text))?;
            is_long = text.len() > MOST_TEXT;
            if is_long { Err(Error::new(ErrorKind::SinkFull, 0)) } else { Ok(()) }
        });
        Ok(Part { group, text, is_long, rows: worker.rows(), stats: worker.query.stats(), ended })
    };
    let mut own = None;
    let ended = in_order(
        threads,
        groups,
        || parent.clone(),
        work,
        |part: Part| {
            answer.groups_passed = part.group.number() + 1;
            let left = limit - answer.rows;
            if part.is_long || part.rows > left {
                let worker: &mut Worker<'_> = own.get_or_insert_with(|| parent.clone());
                let mut line = vec![];
                let ended = worker.answer(&part.group, left, read, |row| {
                    line.clear();
                    write_row(row, lines, &mut append(&mut line))?;
                    answer.take(&line)
                });
                answer.count(worker.rows(), worker.query.stats());
                ended?;
            } else {
                answer.take(&part.text)?;
                answer.count(part.rows, part.stats);
                part.ended?;
            }
            pool.give(part.text);
            if answer.rows < limit { Ok(()) } else { Err(Left::Full) }
        },
    );
    match ended {
        Err(Left::Stop(stop)) => Err(stop),
        Ok(()) | Err(Left::Full) => Ok(()),
    }
}

/// Writes a row as a line: its original text, or its values separated by tabs.
fn write_row(row: &Row<'_>, lines: bool, to: &mut impl Sink) -> Result<(), Error> {
    if lines {
        row.write_line(to)?;
    } else {
        for (i, value) in row.values().enumerate() {
            if i > 0 {
                to.write(b"\t")?;
            }
            to.write(value)?;
        }
    }
    to.write(b"\n")
}

/// The answer so far.
struct Answer<'a> {
    args: &'a QueryArgs,
    output: &'a mut Output,
    /// The most rows.
    limit: u64,
    rows: u64,
    without_number: u64,
    sum: Sum,
    best: Option<Vec<u8>>,
    groups_read: u64,
    /// Groups up to the last one that was read.
    groups_passed: u64,
    block_bytes_read: u64,
}

impl<'a> Answer<'a> {
    fn new(args: &'a QueryArgs, output: &'a mut Output) -> Self {
        let (limit, sum) = (args.limit.unwrap_or(u64::MAX), Sum::default());
        let (rows, without_number, best) = (0, 0, None);
        let (groups_read, groups_passed, block_bytes_read) = (0, 0, 0);
        Self { args, output, limit, rows, without_number, sum, best, groups_read, groups_passed, block_bytes_read }
    }

    /// Takes lines: prints them, or adds up their numbers.
    fn take(&mut self, lines: &[u8]) -> Result<(), Error> {
        let QueryArgs { sum, min, max, .. } = self.args;
        if sum.is_none() && min.is_none() && max.is_none() {
            return self.output.write(lines);
        }
        let wins = if min.is_some() { Ordering::Less } else { Ordering::Greater };
        for value in lines.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line)) {
            match Number::read(value) {
                None => self.without_number += 1,
                Some(number) if sum.is_some() => self.sum.add(&number)?,
                Some(number) => {
                    let best = self.best.as_deref().and_then(Number::read);
                    if best.is_none_or(|best| number.compare(&best) == wins) {
                        self.best = Some(value.to_vec());
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts a group.
    fn count(&mut self, rows: u64, stats: Stats) {
        self.rows += rows;
        self.groups_read += stats.read;
        self.block_bytes_read += stats.block_bytes_read;
    }

    /// Prints what is known at the end.
    fn finish(&mut self) -> Result<(), Error> {
        let QueryArgs { count, sum, .. } = self.args;
        let line = match &mut self.best {
            _ if *count => self.rows.to_string().into_bytes(),
            _ if sum.is_some() => self.sum.to_string().into_bytes(),
            Some(best) => std::mem::take(best),
            None => return Ok(()),
        };
        self.output.write(&line)?;
        self.output.write(b"\n")
    }
}
