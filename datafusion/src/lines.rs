//! The lines of an AT-1 file that are no rows of its table.

use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{ArrayRef, BinaryViewBuilder, Int64Array, StringViewBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use unspool::ErrorKind;
use unspool::at1::{Backend, HEADER_LEN, Header, Lines, Set, Stream, Workspace};
use unspool_arrow::at1::OnMisfit;
use unspool_arrow::{Error, Misfit, Result};

use crate::options::Options;

/// The lines, with their numbers.
pub(crate) struct OtherLines {
    pub(crate) numbers: ArrayRef,
    pub(crate) texts: ArrayRef,
}

/// Returns the schema: the number of a line in the file, from 0, and its text.
pub(crate) fn schema(options: &Options) -> SchemaRef {
    let text = if options.binary { DataType::BinaryView } else { DataType::Utf8View };
    Arc::new(Schema::new(vec![Field::new("line", DataType::Int64, false), Field::new("text", text, true)]))
}

impl OtherLines {
    /// Reads them from the first bytes of a file. If these are too few, an error of the class
    /// `Truncated` says how many are needed.
    pub(crate) fn read(head: &Bytes, options: &Options) -> Result<Self> {
        let header = Header::read_start(head)?;
        let set = Set::open(head, HEADER_LEN, header.body_end, &options.limits)?;
        let (mut workspace, mut modes, mut verbatim) = (Workspace::new(), None, None);
        for entry in set.entries() {
            let entry = entry?;
            let stream = match entry.name {
                b"row_modes" => &mut modes,
                b"verbatim" => &mut verbatim,
                // Streams after the blocks are in no known file, and would have to be read for it.
                b"blocks" => break,
                _ => continue,
            };
            if stream.is_some() {
                return Err(unspool::Error::new(ErrorKind::At1StreamTwice, entry.at).into());
            }
            let bytes = match entry.backend {
                Backend::Stored => entry.payload()?.to_vec(),
                _ => {
                    let mut bytes = zeros(entry.decoded_size(&options.limits)?, entry.start)?;
                    entry.decode(&mut bytes, &mut workspace, &options.limits)?;
                    bytes
                }
            };
            *stream = Some((bytes, entry.start));
        }
        let ((modes, _), (verbatim, at)) = (modes.unwrap_or_default(), verbatim.unwrap_or_default());
        let mut lines = Lines::new(Stream::new(&verbatim, at, false));
        let numbers: Vec<i64> = (0..).zip(&modes).filter(|(_, mode)| **mode == 0).map(|(line, _)| line).collect();
        let (mut texts, mut bytes) = (StringViewBuilder::new(), BinaryViewBuilder::new());
        for &number in &numbers {
            let line = lines.next().ok_or(unspool::Error::new(ErrorKind::At1ListShort, at))?;
            match (options.binary, std::str::from_utf8(line)) {
                (true, _) => bytes.append_value(line),
                (false, Ok(text)) => texts.append_value(text),
                (false, Err(_)) if options.on_misfit == OnMisfit::Null => texts.append_null(),
                (false, Err(_)) => {
                    let value = line.get(..64).unwrap_or(line).to_vec();
                    let row = number.unsigned_abs();
                    return Err(Error::Misfit(Misfit { column: 1, row, value, data_type: DataType::Utf8View }));
                }
            }
        }
        let texts: ArrayRef = if options.binary { Arc::new(bytes.finish()) } else { Arc::new(texts.finish()) };
        Ok(Self { numbers: Arc::new(Int64Array::from(numbers)), texts })
    }
}

/// Returns zeros, if there is memory for them.
fn zeros(len: u64, at: u64) -> Result<Vec<u8>> {
    let no_memory = unspool::Error::new(ErrorKind::NoMemory, at).needing(len);
    let len = usize::try_from(len).map_err(|_| no_memory)?;
    Vec::<u8>::new().try_reserve_exact(len).map_err(|_| no_memory)?;
    Ok(vec![0; len])
}
