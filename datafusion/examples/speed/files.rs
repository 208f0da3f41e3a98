//! Files to measure with. The rows are made up, in the same way in every run.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use datafusion::arrow::datatypes::{ArrowPrimitiveType, Float16Type};
use unspool::checksum::Crc32;
use unspool_tests::Random;
use unspool_tests::at1::{file, numbers, signed, string};

use crate::Result;

type Half = <Float16Type as ArrowPrimitiveType>::Native;

/// Rows of a group, as in the largest vector of AT-1.
const GROUP: usize = 2000;

/// Names and types of the columns, as AT-1 numbers types.
const COLUMNS: [(&str, u8); 6] = [("id", 1), ("price", 2), ("amount", 2), ("time", 1), ("symbol", 0), ("note", 0)];

const SYMBOLS: [&str; 5] = ["BTCUSDT", "ETHUSDT", "BTC-USD", "ETH-EUR", "XRP"];

/// Makes up trades.
pub struct Trades {
    random: Random,
    words: Vec<String>,
    id: i64,
    price: i64,
    pub time: i64,
}

impl Trades {
    pub fn new() -> Self {
        let mut random = Random(42);
        let parts = ["an", "ber", "co", "da", "el", "fir", "gon", "hi", "ing", "jo", "ka", "lo", "mer", "no", "or"];
        let words = (0..20_000).map(|rank: usize| {
            let count = 1 + (rank + 1).ilog10() as usize / 2 + random.below(3);
            (0..count).map(|_| parts[random.below(parts.len())]).collect()
        });
        let words = words.collect();
        Self { random, words, id: 2_000_000, price: 10_000_000, time: 1_700_000_000_000 }
    }

    /// Appends a row to the texts of its columns.
    fn row(&mut self, columns: &mut [Vec<u8>; 6]) -> Result<()> {
        let random = &mut self.random;
        self.id += 1;
        self.price = (self.price + random.below(201) as i64 - 100).abs();
        self.time += random.below(300) as i64;
        let amount = random.below(3_000_000);
        // The first words are the most frequent.
        let rank = (random.below(1 << 20) as f64 / f64::from(1 << 20)).powi(4) * self.words.len() as f64;
        let [id, price, amounts, time, symbol, note] = columns;
        write!(id, "{}", self.id)?;
        write!(price, "{}.{:02}", self.price / 100, self.price % 100)?;
        write!(amounts, "{}.{:05}", amount / 100_000, amount % 100_000)?;
        write!(time, "{}", self.time)?;
        symbol.extend(SYMBOLS[random.below(SYMBOLS.len())].bytes());
        note.extend(self.words[rank as usize].bytes());
        Ok(())
    }
}

/// Writes the same rows as AT-1, codec 7 with a Zstandard stream for each block, and as CSV of
/// about this size. Returns the number of rows.
pub fn table(trades: &mut Trades, size: u64, at1: &Path, csv: &Path) -> Result<u64> {
    let header = COLUMNS.map(|(name, _)| name).join(",");
    let mut csv = BufWriter::with_capacity(1 << 20, File::create(csv)?);
    writeln!(csv, "{header}")?;
    let (mut written, mut rows) = (0, 0u64);
    let (mut index, mut blocks) = (vec![], vec![]);
    while written < size {
        let mut columns: [Vec<u8>; 6] = Default::default();
        let mut bounds = [(f64::INFINITY, f64::NEG_INFINITY); 6];
        for row in 0..GROUP {
            if row > 0 {
                columns.iter_mut().for_each(|column| column.push(b'\n'));
            }
            let starts = columns.each_ref().map(Vec::len);
            trades.row(&mut columns)?;
            for (number, (column, start)) in columns.iter().zip(starts).enumerate() {
                let text = &column[start..];
                csv.write_all(text)?;
                csv.write_all(if number + 1 < COLUMNS.len() { b"," } else { b"\n" })?;
                written += text.len() as u64 + 1;
                if COLUMNS[number].1 > 0 {
                    let value: f64 = std::str::from_utf8(text)?.parse()?;
                    let (low, high) = &mut bounds[number];
                    (*low, *high) = (low.min(value), high.max(value));
                }
            }
        }
        for ((column, (low, high)), (_, kind)) in columns.iter().zip(bounds).zip(COLUMNS) {
            let block = zstd::bulk::compress(column, 3)?;
            index.extend(numbers([block.len() as u64 + 1]));
            blocks.push(1);
            blocks.extend(block);
            match kind {
                1 => [low, high].iter().for_each(|&bound| signed(&mut index, bound as i64)),
                2 => index.extend([low, high].iter().flat_map(|bound| bound.to_le_bytes())),
                _ => {}
            }
        }
        rows += GROUP as u64;
    }
    csv.flush()?;
    let mut meta = numbers([rows + 1]);
    meta.push(1);
    string(&mut meta, b",");
    meta.extend(numbers([COLUMNS.len() as u64, GROUP as u64, rows, rows / GROUP as u64]));
    meta.extend(COLUMNS.map(|(_, kind)| kind));
    let mut modes = vec![1; rows as usize + 1];
    modes[0] = 0;
    let streams = [("meta", meta), ("row_modes", modes), ("verbatim", header.into_bytes()), ("index", index)];
    let mut head = file(7, &streams, |bytes| (1, zstd::bulk::compress(bytes, 3).unwrap_or_default()));
    // The stream of blocks is the last one of the set, and stored.
    head[5] += 1;
    string(&mut head, b"blocks");
    head.push(2);
    head.extend(numbers([blocks.len() as u64]));
    let mut out = File::create(at1)?;
    out.write_all(&head)?;
    out.write_all(&blocks)?;
    Ok(rows)
}

/// The storage of vectors.
#[derive(Clone, Copy)]
pub enum Vectors {
    Fp16,
    Int8,
}

/// Values of a vector.
pub const DIMENSION: usize = 1024;

/// Writes a file of CVC 1.0 with about this size: components from -1 to 1, 1000 rows a chunk.
/// Returns the number of rows.
pub fn vectors(kind: Vectors, size: u64, path: &Path) -> Result<u64> {
    const ROWS: usize = 1000;
    let (name, width) = match kind {
        Vectors::Fp16 => ("fp16", 2),
        Vectors::Int8 => ("int8", 1),
    };
    let count = (size / (ROWS * DIMENSION * width) as u64).max(1);
    let chunk = match kind {
        Vectors::Fp16 => format!("{{\"compression\":\"fp16\",\"rows\":{ROWS}}}"),
        Vectors::Int8 => {
            format!("{{\"compression\":\"int8\",\"min\":-1.0,\"rows\":{ROWS},\"scale\":0.00784313725490196}}")
        }
    };
    let (chunks, rows) = (vec![chunk; usize::try_from(count)?].join(","), count * ROWS as u64);
    let header = format!(
        "{{\"chunks\":[{chunks}],\"compression\":\"{name}\",\"dimension\":{DIMENSION},\"num_vectors\":{rows}}}"
    );
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(b"CVCF\x01\0\0\0")?;
    out.write_all(&u32::try_from(header.len())?.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    let mut random = Random(1);
    for _ in 0..count {
        let bits = (0..ROWS * DIMENSION).map(|_| random.bits());
        let payload: Vec<u8> = match kind {
            Vectors::Fp16 => {
                bits.flat_map(|n| Half::from_f32((n >> 48) as f32 / 32768.0 - 1.0).to_le_bytes()).collect()
            }
            Vectors::Int8 => bits.map(|n| (n >> 56) as u8).collect(),
        };
        out.write_all(&u32::try_from(payload.len())?.to_le_bytes())?;
        out.write_all(&Crc32::of(&payload).to_le_bytes())?;
        out.write_all(&payload)?;
    }
    out.flush()?;
    Ok(rows)
}
