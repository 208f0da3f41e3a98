//! Codec 4: a table of delimited text, each column coded by its values.
//!
//! * `meta` holds the number of rows and the delimiter.
//! * `row_modes` has a byte for each row: 0 is a line of `verbatim`.
//! * `fieldcounts` holds the number of fields of each other row.
//! * `values` holds the columns one after the other, with lengths in `col_index` and kinds in
//!   `coltypes`.
//! * `quotemodes` and `quotebits` say which fields have quotes.

use super::column::{self, Columns};
use super::shared::{
    Decode, Entry, Error, ErrorKind, Extra, Header, Lent, Limits, Lines, Numbers, Output, Result, Set, Stream, Verdict,
    each_line,
};
use crate::num::index;

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
            return Err(Error::from(meta.fault(ErrorKind::ElementLimit)).needing(columns));
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
        each_line(self.rows, self.trailing, out, |out| {
            if self.modes.byte()? != 0 {
                return self.row(out);
            }
            // A list that is too short continues with empty lines, as in the reference decoder.
            out.put(self.verbatim.next().unwrap_or_default());
            Ok(())
        })
    }
}

impl Columnar<'_> {
    #[inline]
    fn row(&mut self, out: &mut Output<'_>) -> Verdict<()> {
        let fields = self.field_counts.index()?;
        if fields > self.columns.len() {
            return Err(self.field_counts.fault(ErrorKind::At1FieldCount));
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
