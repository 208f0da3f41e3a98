//! OnPair: decodes and searches the rows of a string column.
//!
//! A column borrows its buffers, and opening one validates every offset: too slow to repeat for
//! each row. So the column lives in an `async` function that owns the buffers and never returns.
//! JavaScript drives it: each call leaves a question, polls the function and takes the answer.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::convert::Infallible;
use core::future::poll_fn;
use core::ops::Range;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use unspool::onpair::{Codes, Column, Dictionary, File, MAX_TOKEN_LEN, RowOffsets, Search, SearchWorkspace};
use unspool::{Error, ErrorKind, Limits, Result};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;
use crate::number;

/// An open column.
#[wasm_bindgen]
pub struct OnPair {
    desk: Desk,
    work: Pin<Box<dyn Future<Output = Result<Infallible>>>>,
    facts: Vec<f64>,
}

#[wasm_bindgen]
impl OnPair {
    /// Opens a container. With `salvage`, a broken container opens with its intact rows.
    pub fn container(bytes: Vec<u8>, salvage: bool, limits: &[f64]) -> core::result::Result<OnPair, Fault> {
        Self::open(Buffers::File(bytes, salvage), limits)
    }

    /// Opens bare buffers. Codes have `bits` bits, or two bytes each if `bits` is 0. Row offsets
    /// have eight bytes if `wide`, else four.
    pub fn parts(
        dictionary: Vec<u8>,
        token_offsets: Vec<u8>,
        codes: Vec<u8>,
        bits: f64,
        row_offsets: Vec<u8>,
        wide: bool,
        limits: &[f64],
    ) -> core::result::Result<OnPair, Fault> {
        Self::open(Buffers::Parts(Parts { dictionary, token_offsets, codes, bits, row_offsets, wide }), limits)
    }

    /// Returns rows, tokens, codes, bits per code, 1 if the dictionary is sorted and complete (else
    /// 0), and the length of the container.
    pub fn facts(&self) -> Vec<f64> {
        self.facts.clone()
    }

    /// Decodes one row.
    pub fn row(&mut self, row: f64) -> core::result::Result<Vec<u8>, Fault> {
        Ok(self.ask(Question::Row(number::to_u64(row)))?.bytes)
    }

    /// Decodes rows, concatenated; [`offsets`](Self::offsets) then returns the start of each.
    pub fn rows(&mut self, first: f64, last: f64) -> core::result::Result<Vec<u8>, Fault> {
        let answer = self.ask(Question::Rows(number::to_u64(first)..number::to_u64(last)))?;
        self.desk.0.borrow_mut().offsets = answer.numbers;
        Ok(answer.bytes)
    }

    /// Returns the start of each row of the last [`rows`](Self::rows) call, and the end of the last
    /// row. Can be taken once.
    pub fn offsets(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.desk.0.borrow_mut().offsets)
    }

    /// Returns the decoded length of rows.
    pub fn decoded_len(&mut self, first: f64, last: f64) -> core::result::Result<f64, Fault> {
        let rows = number::to_u64(first)..number::to_u64(last);
        Ok(number::from_u64(self.ask(Question::Len(rows))?.len))
    }

    /// Returns the rows that equal the needle (`place` 0), start with it (1) or contain it (2).
    pub fn search(&mut self, needle: Vec<u8>, place: u8) -> core::result::Result<Vec<u32>, Fault> {
        Ok(self.ask(Question::Search { needle, place })?.numbers)
    }
}

impl OnPair {
    fn open(buffers: Buffers, limits: &[f64]) -> core::result::Result<OnPair, Fault> {
        let mut limits = crate::limits(limits);
        // Row offsets have 32 bits.
        limits.max_output = limits.max_output.min(u32::MAX.into());
        let desk = Desk::default();
        let mut column = Self { work: Box::pin(serve(buffers, limits, desk.clone())), desk, facts: vec![] };
        column.facts = column.ask(Question::Facts)?.facts;
        Ok(column)
    }

    fn ask(&mut self, question: Question) -> core::result::Result<Answer, Fault> {
        self.desk.0.borrow_mut().question = Some(question);
        if let Poll::Ready(Err(error)) = self.work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Err(Fault(error));
        }
        let answer = self.desk.0.borrow_mut().answer.take();
        Ok(answer.unwrap_or_else(|| Err(Error::new(ErrorKind::RangeOutside, 0)))?)
    }
}

/// The buffers of a column.
enum Buffers {
    File(Vec<u8>, bool),
    Parts(Parts),
}

struct Parts {
    dictionary: Vec<u8>,
    token_offsets: Vec<u8>,
    codes: Vec<u8>,
    bits: f64,
    row_offsets: Vec<u8>,
    wide: bool,
}

impl Parts {
    fn column(&self, limits: &Limits) -> Result<Column<'_>> {
        let dictionary = Dictionary::open(&self.dictionary, &self.token_offsets)?;
        let rows = match self.wide {
            true => RowOffsets::u64(&self.row_offsets)?,
            false => RowOffsets::u32(&self.row_offsets)?,
        };
        let codes = match number::to_u64(self.bits) {
            0 => Codes::bytes(&self.codes)?,
            bits => Codes::packed(&self.codes, u32::try_from(bits).unwrap_or(u32::MAX), number::index(rows.last()))?,
        };
        Column::open(dictionary, codes, rows, limits)
    }
}

enum Question {
    Facts,
    Row(u64),
    Rows(Range<u64>),
    Len(Range<u64>),
    Search { needle: Vec<u8>, place: u8 },
}

#[derive(Default)]
struct Answer {
    bytes: Vec<u8>,
    numbers: Vec<u32>,
    len: u64,
    facts: Vec<f64>,
}

/// Hands questions and answers back and forth.
#[derive(Clone, Default)]
struct Desk(Rc<RefCell<Things>>);

#[derive(Default)]
struct Things {
    question: Option<Question>,
    answer: Option<Result<Answer>>,
    offsets: Vec<u32>,
}

/// Opens the column, then answers one question after the other.
async fn serve(buffers: Buffers, limits: Limits, desk: Desk) -> Result<Infallible> {
    let (column, len) = match &buffers {
        Buffers::File(bytes, salvage) => {
            let (file, error) = File::salvage(bytes, &limits)?;
            if let Some(error) = error.filter(|_| !salvage) {
                return Err(error);
            }
            (*file.column(), file.len())
        }
        Buffers::Parts(parts) => (parts.column(&limits)?, 0),
    };
    // An unsorted dictionary only makes search slower.
    let column = column.conforming().unwrap_or(column);
    let tokens = column.dictionary().len();
    let (mut padded, mut lens) = (vec![[0; MAX_TOKEN_LEN]; tokens], vec![0; tokens]);
    let column = column.widened(&mut padded, &mut lens)?;
    loop {
        let question = poll_fn(|_| match desk.0.borrow_mut().question.take() {
            Some(question) => Poll::Ready(question),
            None => Poll::Pending,
        });
        let answer = answer(&column, len, &limits, question.await);
        desk.0.borrow_mut().answer = Some(answer);
    }
}

fn answer(column: &Column<'_>, len: u64, limits: &Limits, question: Question) -> Result<Answer> {
    Ok(match question {
        Question::Facts => Answer { facts: facts(column, len), ..Answer::default() },
        Question::Row(row) => {
            let need = fitting(column.row_len(row)?, limits)?;
            let mut bytes = vec![0; number::index(need)];
            column.row_into(row, &mut bytes)?;
            Answer { bytes, ..Answer::default() }
        }
        Question::Rows(rows) => decode(column, rows, limits)?,
        Question::Len(rows) => Answer { len: column.decoded_len(rows)?, ..Answer::default() },
        Question::Search { needle, place } => Answer { numbers: search(column, &needle, place)?, ..Answer::default() },
    })
}

fn facts(column: &Column<'_>, len: u64) -> Vec<f64> {
    let (dictionary, codes) = (column.dictionary(), column.codes());
    let conforming = if dictionary.is_conforming() { 1.0 } else { 0.0 };
    let rows = number::from_u64(column.rows().end);
    let bits = f64::from(codes.bits());
    vec![
        rows,
        number::from_len(dictionary.len()),
        number::from_len(codes.len()),
        bits,
        conforming,
        number::from_u64(len),
    ]
}

fn fitting(need: u64, limits: &Limits) -> Result<u64> {
    match need > limits.max_output {
        true => Err(Error::new(ErrorKind::OutputLimit, 0).needing(need)),
        false => Ok(need),
    }
}

fn decode(column: &Column<'_>, rows: Range<u64>, limits: &Limits) -> Result<Answer> {
    let need = fitting(column.decoded_len(rows.clone())?, limits)?;
    // Padding after the last row lets it use the fast path too.
    let mut bytes = vec![0; number::index(need).saturating_add(MAX_TOKEN_LEN)];
    let mut offsets = vec![0u32; number::index(rows.end.saturating_sub(rows.start)).saturating_add(1)];
    let len = column.decode_arrow(rows, &mut bytes, &mut offsets)?;
    bytes.truncate(len);
    Ok(Answer { bytes, numbers: offsets, ..Answer::default() })
}

fn search(column: &Column<'_>, needle: &[u8], place: u8) -> Result<Vec<u32>> {
    let (mut entries, mut tokens) = (vec![0; needle.len()], vec![0; column.dictionary().len()]);
    let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut tokens };
    let search = match place {
        0 => Search::equals(column, needle),
        1 => Search::starts_with(column, needle),
        _ => Search::contains(column, needle, workspace)?,
    };
    search.rows().map(|row| Ok(u32::try_from(row?).unwrap_or(u32::MAX))).collect()
}

/// Decodes rows of a container to the start of `to`, concatenated. Returns the number of bytes
/// written.
#[wasm_bindgen]
pub fn onpair_decode_into(
    bytes: &[u8],
    to: &Uint8Array,
    first: f64,
    last: f64,
    limits: &[f64],
) -> core::result::Result<f64, Fault> {
    let file = File::open(bytes, &crate::limits(limits))?;
    let column = file.column();
    let all = column.rows().end;
    // A negative end means all rows.
    let rows = number::to_u64(first)..if last < 0.0 { all } else { number::to_u64(last) };
    let len = column.decoded_len(rows.clone())?;
    Ok(Output::fill(to, |output| output.piece(len, 0, 0, |to, _| column.decode_into(rows, to).map(drop)))?)
}
