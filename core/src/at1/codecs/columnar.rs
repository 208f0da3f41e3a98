//! Codec 4: a table of delimited text, each column coded by its values.
//!
//! * `meta` holds the number of rows and the delimiter.
//! * `row_modes` has a byte for each row: 0 is a line of `verbatim`.
//! * `fieldcounts` holds the number of fields of each other row.
//! * `values` holds the columns one after the other, with lengths in `col_index` and kinds in
//!   `coltypes`.
//! * `quotemodes` and `quotebits` say which fields have quotes.

use super::column::batch::Batch;
use super::column::{self, Columns};
use super::shared::{
    Decode, Entry, Error, ErrorKind, Extra, Header, Lent, Limits, Lines, Numbers, Output, Result, Set, Stream, Verdict,
    each_line,
};
use crate::at1::budget::WorkBudget;
use crate::num::{index, u64_from};
use crate::tuning;

/// A table whose streams are decoded.
pub(crate) struct Columnar<'a> {
    rows: u64,
    trailing: bool,
    header: Option<&'a [u8]>,
    delimiter: &'a [u8],
    modes: Numbers<'a>,
    field_counts: Numbers<'a>,
    verbatim: Lines<'a>,
    columns: Columns<'a>,
    /// Fields between which nothing is written.
    empty: WorkBudget,
}

impl<'a> Decode<'a, 10> for Columnar<'a> {
    const NAMES: [&'static [u8]; 10] = [
        b"meta",
        b"row_modes",
        b"fieldcounts",
        b"coltypes",
        b"col_index",
        b"values",
        b"quotemodes",
        b"quotebits",
        b"verbatim",
        b"header",
    ];

    fn extra(entry: &Entry<'_>, limits: &Limits) -> Result<Extra> {
        let columns = if entry.name == b"coltypes" { entry.decoded_size(limits)? } else { 0 };
        Ok(Extra { always: columns.saturating_mul(column::RECORD), for_sink: 0 })
    }

    /// Takes scratch for the state of the columns and their dictionaries.
    #[inline(never)]
    fn open(streams: &[Stream<'a>; 10], _: &Header, _: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Result<Self> {
        let &[meta, modes, field_counts, types, lengths, values, quote_modes, quote_bits, verbatim, header] = streams;
        let mut meta = meta.numbers();
        let rows = meta.unsigned()?;
        let trailing = meta.byte()? != 0;
        let has_header = meta.byte()? != 0;
        let delimiter = meta.string()?;
        let columns = meta.unsigned()?;
        if columns > lent.limits.max_columns {
            return Err(Error::from(meta.fault(ErrorKind::ColumnLimit)).needing(columns));
        }
        if index(rows) > modes.bytes.len() {
            return Err(modes.fault(ErrorKind::At1StreamShort, modes.bytes.len()).into());
        }
        let quotes = [quote_modes, quote_bits];
        Ok(Self {
            rows,
            trailing,
            header: has_header.then_some(header.bytes),
            delimiter,
            modes: modes.numbers(),
            field_counts: field_counts.numbers(),
            verbatim: Lines::new(verbatim),
            empty: WorkBudget::default(),
            columns: Columns::open(index(columns), types, lengths, values, quotes, &mut lent.scratch)?,
        })
    }

    #[inline(never)]
    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Verdict<()> {
        if let Some(header) = self.header {
            out.put(header);
            if self.rows > 0 {
                out.byte(b'\n');
            }
        }
        if tuning::BATCHED
            && self.rows > BATCH_FROM
            && let &[delimiter] = self.delimiter
            && self.columns.gain_from_batches()
        {
            return self.append_batches(delimiter, out);
        }
        each_line(self.rows, self.trailing, out, |out| self.line(out))
    }
}

/// Tables of fewer rows are not worth a batch.
const BATCH_FROM: u64 = 64;

/// Fewer rows are appended one by one.
const FEW: usize = 8;

impl Columnar<'_> {
    /// Appends all lines: rows that have all columns in batches, all others one by one.
    #[inline(never)]
    fn append_batches(&mut self, delimiter: u8, out: &mut Output<'_>) -> Verdict<()> {
        let batch = &mut Batch::new(self.columns.len(), delimiter);
        let mut left = index(self.rows);
        let mut is_first = true;
        while left > 0 {
            // The first line has no line feed before it.
            let rows = if is_first { 0 } else { self.full_rows(batch.rows().min(left)) };
            if rows >= FEW && self.columns.append_rows(rows, batch, out) {
                self.modes.skip(rows);
                self.field_counts.skip(rows);
                left = left.saturating_sub(rows);
                continue;
            }
            // Also the line that ended the run.
            for _ in 0..rows.saturating_add(1).min(left) {
                if !core::mem::take(&mut is_first) {
                    out.byte(b'\n');
                }
                self.line(out)?;
                if out.is_full() {
                    return Ok(());
                }
                left = left.saturating_sub(1);
            }
        }
        if self.trailing {
            out.byte(b'\n');
        }
        Ok(())
    }

    /// Returns how many of the next rows have all columns, at most `most`.
    #[inline]
    fn full_rows(&self, most: usize) -> usize {
        let rows = self.modes.rest().iter().zip(self.field_counts.rest()).take(most);
        rows.take_while(|&(&mode, &fields)| mode != 0 && usize::from(fields) == self.columns.len()).count()
    }

    /// Appends the next line.
    #[inline]
    fn line(&mut self, out: &mut Output<'_>) -> Verdict<()> {
        if self.modes.byte()? != 0 {
            return self.row(out);
        }
        // A list that is too short continues with empty lines, as in the reference decoder.
        out.put(self.verbatim.next().unwrap_or_default());
        Ok(())
    }

    #[inline]
    fn row(&mut self, out: &mut Output<'_>) -> Verdict<()> {
        let fields = self.field_counts.index()?;
        if fields > self.columns.len() {
            return Err(self.field_counts.fault(ErrorKind::At1FieldCount));
        }
        // Any other delimiter writes a byte for each field.
        if self.delimiter.is_empty() && self.empty.is_overspent(u64_from(fields), out.written()) {
            return Err(self.field_counts.fault(ErrorKind::At1EmptyGaps));
        }
        for column in 0..fields {
            if column > 0 {
                match self.delimiter {
                    &[byte] => out.byte(byte),
                    delimiter => out.put(delimiter),
                }
            }
            self.columns.field(column, out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::at1::codecs::shared::Codec;
    use crate::at1::header::Container;
    use crate::at1::scratch::{Scratch, Workspace};

    /// A generator of numbers that look random.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }
    }

    fn unsigned(out: &mut Vec<u8>, mut n: u64) {
        while n >= 0x80 {
            out.push(n as u8 | 0x80);
            n >>= 7;
        }
        out.push(n as u8);
    }

    fn signed(out: &mut Vec<u8>, n: i64) {
        unsigned(out, ((n << 1) ^ (n >> 63)) as u64);
    }

    fn string(out: &mut Vec<u8>, bytes: &[u8]) {
        unsigned(out, bytes.len() as u64);
        out.extend(bytes);
    }

    /// Writes the streams of a table with a column of every kind, in an order that `random` picks.
    fn table(random: &mut Random) -> [Vec<u8>; 10] {
        let rows = random.below(400);
        let columns = 1 + random.below(12);
        let mut streams = [(); 10].map(|()| vec![]);
        let [meta, modes, counts, kinds, lengths, values, quotes, bits, verbatim, _] = &mut streams;
        unsigned(meta, rows);
        meta.extend([random.below(2) as u8, 0]);
        string(meta, if random.below(10) > 0 { b"," } else { b"::" });
        unsigned(meta, columns);
        for _ in 0..rows {
            let mode = u8::from(random.below(50) > 0);
            modes.push(mode);
            if mode == 0 {
                verbatim.extend(b"as it is\n");
            } else {
                unsigned(counts, if random.below(60) > 0 { columns } else { random.below(columns + 1) });
            }
        }
        // Columns have more values than rows take.
        let count = rows + 9;
        let text = |random: &mut Random| {
            let len = match random.below(20) {
                0 => random.below(80),
                1..5 => 14 + random.below(20),
                _ => random.below(12),
            };
            (0..len).map(|_| b'a' + random.below(26) as u8).collect::<Vec<u8>>()
        };
        let small = 1i64 << random.below(62);
        let delta = |random: &mut Random| random.below(small as u64 / 64 + 1) as i64 - small / 128;
        for column in 0..columns {
            let mut own = vec![];
            let kind = match random.below(8) {
                4 if column == 0 => 0,
                kind @ 0..7 => kind as u8,
                _ => 2,
            };
            match kind {
                0 => (0..count).for_each(|_| {
                    own.extend(text(random));
                    own.push(b'\n');
                }),
                1 | 2 => {
                    own.extend((kind == 2).then(|| random.below(19) as u8));
                    (0..count).for_each(|_| signed(&mut own, delta(random)));
                }
                3 => {
                    let is_decimal = random.below(2) == 1;
                    own.push(is_decimal.into());
                    own.extend(is_decimal.then(|| random.below(19) as u8));
                    unsigned(&mut own, count);
                    let is_text: Vec<bool> = (0..count).map(|_| random.below(9) == 0).collect();
                    own.extend(
                        is_text.chunks(8).map(|bits| {
                            bits.iter().enumerate().fold(0, |byte, (at, text)| byte | u8::from(!text) << at)
                        }),
                    );
                    unsigned(&mut own, is_text.iter().filter(|text| **text).count() as u64);
                    is_text.iter().filter(|text| **text).for_each(|_| string(&mut own, &text(random)));
                    is_text.iter().filter(|text| !**text).for_each(|_| signed(&mut own, delta(random)));
                }
                4 => {
                    unsigned(&mut own, random.below(column));
                    // Mostly enough strings for all distinct values.
                    let strings = if random.below(9) > 0 { count } else { random.below(9) };
                    unsigned(&mut own, strings);
                    (0..strings).for_each(|_| string(&mut own, &text(random)));
                }
                5 => {
                    let entries = 1 + random.below(300);
                    unsigned(&mut own, count);
                    unsigned(&mut own, entries);
                    (0..entries).for_each(|_| string(&mut own, &text(random)));
                    (0..count).for_each(|_| unsigned(&mut own, random.below(entries)));
                }
                _ => {
                    unsigned(&mut own, count);
                    signed(&mut own, delta(random));
                    let width = 1 + random.below(5);
                    own.push(width as u8);
                    own.extend((0..count * width).map(|_| random.below(256) as u8));
                }
            }
            kinds.push(kind);
            unsigned(lengths, own.len() as u64);
            values.extend(own);
            quotes.push(if random.below(40) > 0 { 0 } else { 2 });
        }
        bits.extend((0..count * columns).map(|_| random.below(256) as u8));
        streams
    }

    /// Appends a table, in batches or row by row. Returns the outcome, the bytes and their count.
    fn appended(streams: &[Vec<u8>; 10], in_batches: bool, space: &mut [u8], kind: u64) -> (String, u64) {
        let mut scratch = vec![0; 1 << 20];
        let header = Header { container: Container::Whole, codec: Codec::Columnar, hash: None, body_end: 0 };
        let set = Set::open(&[0], 0, 1, &Limits::DEFAULT).unwrap();
        let mut workspace = Workspace::new();
        let mut lent =
            Lent { scratch: Scratch::new(&mut scratch), workspace: &mut workspace, limits: &Limits::DEFAULT };
        let streams = streams.each_ref().map(|stream| Stream::new(stream, 0, false));
        let mut sunk = vec![];
        let mut sink = |bytes: &[u8]| {
            sunk.extend_from_slice(bytes);
            Ok(())
        };
        let (outcome, written) = {
            let limits = Limits { max_output: 9000, ..Limits::DEFAULT };
            let mut out = match kind {
                0 => Output::slice(space, true, &Limits::DEFAULT),
                1 => Output::counting(&limits),
                _ => Output::sink(&mut sink, space, true, &limits),
            };
            let outcome = Columnar::open(&streams, &header, &set, &mut lent).map(|mut table| {
                match in_batches && table.delimiter == b"," && table.columns.gain_from_batches() {
                    true => table.append_batches(b',', &mut out),
                    false => each_line(table.rows, table.trailing, &mut out, |out| table.line(out)),
                }
            });
            out.flush();
            (format!("{outcome:?} {:?} {:?}", out.refusal(), out.hash()), out.written())
        };
        if kind > 1 {
            space.fill(0);
            crate::num::copy(&sunk, space);
        }
        (outcome, written)
    }

    #[test]
    fn batches_append_what_rows_append_and_stop_where_rows_stop() {
        let mut random = Random(1);
        let (mut errors, mut files) = (0, 0);
        for round in 0..3000 {
            let mut streams = table(&mut random);
            if round % 3 == 1 {
                let stream = random.below(9) as usize;
                let len = streams[stream].len() as u64;
                if len > 0 {
                    let at = random.below(len) as usize;
                    match random.below(3) {
                        0 => streams[stream].truncate(at),
                        1 => streams[stream][at] ^= 1 << random.below(8),
                        _ => streams[stream][at] = 0xFF,
                    }
                }
            }
            let kind = random.below(3);
            let len = if random.below(3) == 0 { random.below(6000) as usize } else { 1 << 17 };
            let (mut one, mut other) = (vec![0; len], vec![0; len]);
            let rows = appended(&streams, false, &mut one, kind);
            let batches = appended(&streams, true, &mut other, kind);
            assert_eq!(batches, rows, "{round}");
            let written = if kind == 1 { 0 } else { index(rows.1).min(len) };
            assert!(one[..written] == other[..written], "{round}");
            files += usize::from(written > 2000);
            errors += usize::from(rows.0.contains("Err"));
        }
        assert!(files > 500 && errors > 300, "{files} files and {errors} errors");
    }
}
