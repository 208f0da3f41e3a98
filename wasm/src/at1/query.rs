//! Queries on tables that JavaScript reads from memory, a `Blob` or a server.
//!
//! As with CVC, the work is one `async` function that JavaScript drives: each [`At1Query::step`]
//! passes in the bytes that the previous step asked for. No promise is awaited in this module.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::future::poll_fn;
use core::ops::{ControlFlow, Range};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use unspool::at1::{Ask, ColumnRef, Filter, Options, Query, Request, Row, Stats, Test, Workspace, grow};
use unspool::{Error, ErrorKind, Limits, Result};
use wasm_bindgen::prelude::*;

use super::text::{Text, trailer_of};
use crate::fault::Fault;
use crate::number;

/// Length of the first read. Most heads fit.
const HEAD: u64 = 64 << 10;

/// A column by number or by name.
struct Name {
    number: f64,
    name: Option<String>,
}

impl Name {
    fn column(&self) -> ColumnRef<'_> {
        match &self.name {
            Some(name) => ColumnRef::Name(name.as_bytes()),
            None => ColumnRef::Number(number::index(number::to_u64(self.number))),
        }
    }
}

enum Typed {
    Range(Option<String>, Option<String>),
    Equal(Vec<u8>),
}

/// The query as JavaScript builds it.
#[derive(Default)]
struct Job {
    size: u64,
    filters: Vec<(Name, Typed)>,
    /// `rows`, `lines`, `columns`, `count`, `sum`, `min` or `max`; `text` emits all lines.
    ask: String,
    columns: Vec<Name>,
    limit: u64,
    limits: Limits,
    /// Maximum number of later ranges reported with each needed range.
    ahead: usize,
}

/// Hands data back and forth between the future and JavaScript.
#[derive(Default)]
struct Desk {
    range: Range<u64>,
    later: Vec<f64>,
    bytes: Option<Vec<u8>>,
    /// Values of all rows, concatenated; `ends` holds the end of each.
    data: Vec<u8>,
    ends: Vec<u32>,
    rows: u64,
    without_number: u64,
    result: Option<Vec<u8>>,
    stats: Stats,
}

type Shared = Rc<RefCell<Desk>>;

/// A query: built first, then driven until it has an answer.
#[wasm_bindgen]
pub struct At1Query {
    job: Option<Job>,
    desk: Shared,
    work: Option<Pin<Box<dyn Future<Output = Result<()>>>>>,
}

#[wasm_bindgen]
impl At1Query {
    /// Starts a query on a file of `size` bytes. Each needed range comes with up to `ahead` ranges
    /// that will probably be needed later.
    #[wasm_bindgen(constructor)]
    pub fn new(size: f64, ask: String, limit: f64, ahead: usize, limits: &[f64]) -> Self {
        let (size, limit, limits) = (number::to_u64(size), number::to_u64(limit), crate::limits(limits));
        let job = Job { size, ask, limit, ahead, limits, ..Job::default() };
        Self { job: Some(job), desk: Shared::default(), work: None }
    }

    /// Keeps only rows whose value is in this range.
    pub fn within(&mut self, number: f64, name: Option<String>, low: Option<String>, high: Option<String>) {
        self.filter(Name { number, name }, Typed::Range(low, high));
    }

    /// Keeps only rows with this value.
    pub fn equal(&mut self, number: f64, name: Option<String>, value: Vec<u8>) {
        self.filter(Name { number, name }, Typed::Equal(value));
    }

    /// Adds a column to the result.
    pub fn select(&mut self, number: f64, name: Option<String>) {
        if let Some(job) = &mut self.job {
            job.columns.push(Name { number, name });
        }
    }

    /// Continues with the bytes that were asked for. Returns `true` if there is more to do.
    pub fn step(&mut self, bytes: Option<Vec<u8>>) -> core::result::Result<bool, Fault> {
        if let Some(job) = self.job.take() {
            self.work = Some(Box::pin(run(job, Rc::clone(&self.desk))));
        }
        self.desk.borrow_mut().bytes = bytes;
        let Some(work) = &mut self.work else { return Ok(false) };
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => Ok(true),
            Poll::Ready(result) => {
                self.work = None;
                result.map(|()| false).map_err(Fault)
            }
        }
    }

    /// Returns start and end of each range that will probably be needed later, then of the range
    /// needed next. Can be taken once.
    pub fn needs(&self) -> Vec<f64> {
        let mut desk = self.desk.borrow_mut();
        let mut needs = core::mem::take(&mut desk.later);
        needs.extend([desk.range.start, desk.range.end].map(number::from_u64));
        needs
    }

    /// Returns the values of all rows so far, concatenated. Can be taken once.
    pub fn data(&self) -> Vec<u8> {
        core::mem::take(&mut self.desk.borrow_mut().data)
    }

    /// Returns the end of each value in `data`. Can be taken once.
    pub fn ends(&self) -> Vec<u32> {
        core::mem::take(&mut self.desk.borrow_mut().ends)
    }

    /// Returns the sum, minimum or maximum, if the query has one.
    pub fn result(&self) -> Option<Vec<u8>> {
        self.desk.borrow().result.clone()
    }

    /// Returns rows, rows without a number, groups, skipped groups, read groups, block bytes read
    /// and block bytes in total.
    pub fn numbers(&self) -> Vec<f64> {
        let desk = self.desk.borrow();
        let Stats { groups, skipped, read, block_bytes_read, block_bytes_total } = desk.stats;
        [desk.rows, desk.without_number, groups, skipped, read, block_bytes_read, block_bytes_total]
            .map(number::from_u64)
            .to_vec()
    }
}

impl At1Query {
    fn filter(&mut self, name: Name, test: Typed) {
        if let Some(job) = &mut self.job {
            job.filters.push((name, test));
        }
    }
}

/// Reads a range of the file.
async fn fetch(desk: &Shared, range: Range<u64>, size: u64) -> Result<Vec<u8>> {
    if range.end > size {
        return Err(Error::new(ErrorKind::Truncated, size).needing(range.end));
    }
    desk.borrow_mut().range = range.clone();
    // The first poll must not take the answer to the previous request.
    let mut asked = false;
    let bytes = poll_fn(|_| {
        let taken = core::mem::replace(&mut asked, true).then(|| desk.borrow_mut().bytes.take()).flatten();
        taken.map_or(Poll::Pending, Poll::Ready)
    })
    .await;
    match number::from_len(bytes.len()) == number::from_u64(range.end - range.start) {
        true => Ok(bytes),
        false => Err(Error::new(ErrorKind::Truncated, range.start).needing(range.end)),
    }
}

async fn run(job: Job, desk: Shared) -> Result<()> {
    let filters: Vec<_> = job
        .filters
        .iter()
        .map(|(name, test)| {
            let test = match test {
                Typed::Equal(value) => Test::Equal(value),
                Typed::Range(low, high) => {
                    Test::Range { low: low.as_ref().map(String::as_bytes), high: high.as_ref().map(String::as_bytes) }
                }
            };
            Filter { column: name.column(), test }
        })
        .collect();
    let columns: Vec<_> = job.columns.iter().map(Name::column).collect();
    let first = columns.first().copied().unwrap_or(ColumnRef::Number(usize::MAX));
    let ask = match job.ask.as_str() {
        "columns" => Ask::Columns(&columns),
        "count" => Ask::Count,
        "sum" => Ask::Sum(first),
        "min" => Ask::Min(first),
        "max" => Ask::Max(first),
        _ => Ask::Rows,
    };
    let lines = job.ask == "lines";
    let request = Request { filters: &filters, ask, limit: job.limit };
    let (mut scratch, mut workspace) = (vec![], Box::new(Workspace::new()));
    let options = Options { limits: job.limits, ..Options::DEFAULT };
    let mut head = fetch(&desk, 0..job.size.min(HEAD), job.size).await?;
    let (mut query, mut text) = loop {
        let mut query = Query::new(request, &options);
        let opened = query.open(&head, &mut workspace, &mut scratch).and_then(|()| {
            let text = if job.ask == "text" { Some(Text::open(&head, &mut workspace, &job.limits)?) } else { None };
            Ok((query, text))
        });
        match opened {
            Ok(opened) => break opened,
            Err(error)
                if error.kind == ErrorKind::Truncated && number::from_len(head.len()) < number::from_u64(job.size) =>
            {
                head = fetch(&desk, 0..error.need.min(job.size), job.size).await?;
            }
            Err(error) => grow(&mut scratch, error)?,
        }
    };
    let at = trailer_of(job.size);
    let trailer = if text.is_some() { fetch(&desk, at.clone(), job.size).await? } else { vec![] };
    while let Some(range) = query.needs() {
        if job.ahead > 0 {
            let Desk { later, .. } = &mut *desk.borrow_mut();
            // If a later block is invalid, `feed` reports it when its turn comes.
            let _ = query.ahead(&scratch, &mut |range| {
                later.extend([range.start, range.end].map(number::from_u64));
                if later.len() / 2 < job.ahead { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        let bytes = fetch(&desk, range.clone(), job.size).await?;
        let mut visit = |row: &Row<'_>| match &mut text {
            Some(text) => text.row(row, &job.limits),
            None => keep(&mut desk.borrow_mut(), row, lines, &job.limits),
        };
        while let Err(error) = query.feed(range.start, &bytes, &mut workspace, &mut scratch, &mut visit) {
            grow(&mut scratch, error)?;
        }
        if let Some(text) = &mut text {
            desk.borrow_mut().data.append(&mut text.hashed());
        }
    }
    if let Some(text) = text {
        desk.borrow_mut().data.append(&mut text.end(&head, &trailer, at.start)?);
    }
    let answer = query.answer(&scratch);
    let mut desk = desk.borrow_mut();
    (desk.rows, desk.without_number, desk.stats) = (answer.rows, answer.without_number, query.stats());
    desk.result = match ask {
        Ask::Sum(_) => Some(answer.sum.to_string().into_bytes()),
        _ => answer.best.map(<[u8]>::to_vec),
    };
    Ok(())
}

/// Appends the values of a row, or its line.
fn keep(desk: &mut Desk, row: &Row<'_>, lines: bool, limits: &Limits) -> Result<()> {
    let Desk { data, ends, .. } = desk;
    let most = number::index(limits.max_output.min(u32::MAX.into()));
    let full = |len: usize| {
        let need = u64::try_from(len).unwrap_or(u64::MAX);
        if len > most { Err(Error::new(ErrorKind::OutputLimit, 0).needing(need)) } else { Ok(()) }
    };
    let mut put = |value: &[u8]| -> Result<u32> {
        full(data.len().saturating_add(value.len()))?;
        data.extend_from_slice(value);
        Ok::<_, Error>(u32::try_from(data.len()).unwrap_or(u32::MAX))
    };
    if lines {
        let mut end = 0;
        row.write_line(&mut |part: &[u8]| {
            end = put(part)?;
            Ok(())
        })?;
        ends.push(end.max(ends.last().copied().unwrap_or(0)));
        return Ok(());
    }
    for value in row.values() {
        ends.push(put(value)?);
    }
    Ok(())
}
