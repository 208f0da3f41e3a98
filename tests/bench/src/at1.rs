//! AT-1 against the reference decoder in C: on a table of 50 MB as columns and as row groups, on
//! the largest vector, and on derived columns of distinct values.
//!
//! The reference needs the feature `at1-reference`, which `cargo xtask bench` turns on if the C
//! compiler takes header folders from the environment. The other peer copies the output.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the table that is made here has fewer than 2^31 rows"
)]

use std::cell::LazyCell;

use liblzma::stream::{Action, Check, Status, Stream};
use unspool::at1::{Workspace, decode, decode_to_vec, scratch_len};
use unspool_tests::at1::{Payload, deltas, file, numbers, signed, stored, string, table, unsigned};

use crate::race::Race;
use crate::words::Words;
use crate::{Options, Result};

/// Rows of the table, of about 60 bytes each.
const ROWS: u64 = 830_000;
/// Rows of a group.
const GROUP: usize = 2000;
/// Distinct values of the derived column that the reference decodes in reasonable time.
const FEW: u64 = 10_000;

/// A case: its name, and a function that makes its file if its source is available.
type Case<'a> = (&'static str, &'a dyn Fn() -> Result<Option<Vec<u8>>>);

/// Runs every case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    let trades = LazyCell::new(Trades::new);
    let columns = |pack: fn(&[u8]) -> Payload| Ok(Some(file(4, &trades.columns(), pack)));
    let cases: [Case<'_>; 8] = [
        ("at1/columnar/stored", &|| columns(stored)),
        ("at1/columnar/zstd", &|| columns(zstd)),
        ("at1/columnar/xz", &|| columns(xz)),
        ("at1/qcolumnar/zstd", &|| Ok(Some(trades.groups(zstd)))),
        ("at1/qcolumnar/xz", &|| Ok(Some(trades.groups(xz)))),
        ("at1/qcolumnar/vector", &|| {
            let path = unspool_tests::big_set().map(|folder| folder.join("at1/big_c7_trades.at1"));
            Ok(path.map(std::fs::read).transpose()?)
        }),
        ("at1/derived/10k", &|| Ok(Some(derived(FEW)))),
        ("at1/derived/1M", &|| Ok(Some(derived(100 * FEW)))),
    ];
    for (case, make) in cases {
        if options.wants(case) {
            match make()? {
                Some(bytes) => race(case, &bytes)?,
                None => println!("{case}: left out, its file is in the big set of vectors"),
            }
        }
    }
    Ok(())
}

fn race(case: &str, bytes: &[u8]) -> Result<()> {
    let options = unspool::at1::Options::DEFAULT;
    let mut ws = Workspace::new();
    let original = decode_to_vec(bytes, &options)?;
    let mut scratch = vec![0; usize::try_from(scratch_len(bytes, &options)?)?];
    let mut out = vec![0; original.len()];
    while let Err(error) = decode(bytes, &mut out, &mut ws, &mut scratch, &options, &mut ()) {
        scratch = vec![0; usize::try_from(error.need)?];
    }
    println!("{case:34} | {} bytes from {}, {} of scratch", original.len(), bytes.len(), scratch.len());
    let mut copy = vec![0; original.len()];
    let race = Race::new(case, original.len(), || {
        decode(bytes, &mut out, &mut ws, &mut scratch, &options, &mut ())?;
        Ok(())
    })
    .against("copying the output", || {
        copy.copy_from_slice(std::hint::black_box(&original));
        Ok(())
    });
    // With a million distinct values, the reference would take twenty minutes.
    #[cfg(feature = "at1-reference")]
    if case != "at1/derived/1M" {
        return crate::at1_reference::join(race, bytes, &original);
    }
    race.run()
}

fn zstd(bytes: &[u8]) -> Payload {
    (1, zstd::bulk::compress(bytes, 3).expect("zstd compresses anything"))
}

fn xz(bytes: &[u8]) -> Payload {
    let mut file = Vec::with_capacity(bytes.len() + 1024);
    let encoder =
        Stream::new_easy_encoder(6, Check::Crc64).and_then(|mut it| it.process_vec(bytes, &mut file, Action::Finish));
    assert!(matches!(encoder, Ok(Status::StreamEnd)), "liblzma compresses anything");
    (0, file)
}

/// A column of distinct numbers, and one derived from it.
fn derived(rows: u64) -> Vec<u8> {
    let mut map = numbers([0, rows]);
    (0..rows).for_each(|row| string(&mut map, format!("item {row}").as_bytes()));
    let columns = vec![(1, deltas((0..rows as i64).map(|row| row * 7919))), (4, map)];
    file(4, &table(rows, b",", columns), stored)
}

/// A generated table of trades.
struct Trades {
    price: Vec<i64>,
    amount: Vec<i64>,
    time: Vec<i64>,
    symbol: Vec<u64>,
    note: Vec<String>,
}

const SYMBOLS: [(&str, &str); 5] =
    [("BTCUSDT", "binance"), ("ETHUSDT", "binance"), ("BTC-USD", "coinbase"), ("ETH-EUR", "kraken"), ("XRP", "kraken")];

impl Trades {
    fn new() -> Self {
        let mut words = Words::new();
        let (mut price, mut time) = (4_200_000i64, 1_704_067_200_000i64);
        let mut trades = Self { price: vec![], amount: vec![], time: vec![], symbol: vec![], note: vec![] };
        for _ in 0..ROWS {
            price += words.below(201) as i64 - 100;
            time += words.below(300) as i64;
            trades.price.push(price);
            trades.amount.push(words.below(3_000_000) as i64);
            trades.time.push(time);
            trades.symbol.push(words.below(5) as u64);
            trades.note.push(words.word().to_owned());
        }
        trades
    }

    /// Writes columns: integers, decimals, a dictionary, a derived column, text, and numbers with
    /// exceptions.
    fn columns(&self) -> Vec<(&'static str, Vec<u8>)> {
        let decimal = |scale: u8, values: &[i64]| [vec![scale], deltas(values.iter().copied())].concat();
        let mut symbols = numbers([ROWS, 5]);
        SYMBOLS.iter().for_each(|(symbol, _)| string(&mut symbols, symbol.as_bytes()));
        symbols.extend(numbers(self.symbol.iter().copied()));
        let mut venues = numbers([4]);
        let mut order: Vec<usize> = vec![];
        for &symbol in &self.symbol {
            if !order.contains(&(symbol as usize)) {
                order.push(symbol as usize);
            }
        }
        unsigned(&mut venues, order.len() as u64);
        order.iter().for_each(|&symbol| string(&mut venues, SYMBOLS[symbol].1.as_bytes()));
        let mut ranks = vec![0];
        unsigned(&mut ranks, ROWS);
        let missing = |row: usize| row.is_multiple_of(10);
        let rows = 0..ROWS as usize;
        ranks.extend(
            (0..ROWS.div_ceil(8) as usize)
                .map(|byte| (0..8).filter(|bit| !missing(byte * 8 + bit)).fold(0u8, |bits, bit| bits | 1 << bit)),
        );
        unsigned(&mut ranks, rows.clone().filter(|&row| missing(row)).count() as u64);
        rows.clone().filter(|&row| missing(row)).for_each(|_| string(&mut ranks, b"NULL"));
        rows.filter(|&row| !missing(row)).for_each(|row| signed(&mut ranks, (row % 7) as i64 - 3));
        table(
            ROWS,
            b",",
            vec![
                (1, deltas(2_000_000..2_000_000 + ROWS as i64)),
                (2, decimal(2, &self.price)),
                (2, decimal(5, &self.amount)),
                (1, deltas(self.time.iter().copied())),
                (5, symbols),
                (4, venues),
                (0, self.note.join("\n").into_bytes()),
                (3, ranks),
            ],
        )
    }

    /// Writes row groups: the text of an integer, two decimals, an integer and two texts.
    fn groups(&self, pack: fn(&[u8]) -> Payload) -> Vec<u8> {
        let fixed =
            |n: i64, scale: u32| format!("{}.{:0w$}", n / 10i64.pow(scale), n % 10i64.pow(scale), w = scale as usize);
        let mut meta = numbers([ROWS]);
        meta.push(1);
        string(&mut meta, b",");
        let groups = ROWS.div_ceil(GROUP as u64);
        meta.extend(numbers([6, GROUP as u64, ROWS, groups]));
        meta.extend([1, 2, 2, 1, 0, 0]);
        let (mut index, mut blocks) = (vec![], vec![]);
        for group in 0..groups as usize {
            let rows = group * GROUP..((group + 1) * GROUP).min(ROWS as usize);
            for column in 0..6 {
                let texts: Vec<String> = rows
                    .clone()
                    .map(|row| match column {
                        0 => (2_000_000 + row).to_string(),
                        1 => fixed(self.price[row], 2),
                        2 => fixed(self.amount[row], 5),
                        3 => self.time[row].to_string(),
                        4 => SYMBOLS[self.symbol[row] as usize].0.to_owned(),
                        _ => self.note[row].clone(),
                    })
                    .collect();
                let (tag, payload) = pack(texts.join("\n").as_bytes());
                unsigned(&mut index, payload.len() as u64 + 1);
                match column {
                    0 | 3 => [i64::MIN, i64::MAX].into_iter().for_each(|bound| signed(&mut index, bound)),
                    1 | 2 => index.extend([f64::MIN, f64::MAX].into_iter().flat_map(f64::to_le_bytes)),
                    _ => {}
                }
                blocks.push(tag);
                blocks.extend(payload);
            }
        }
        let streams = [("meta", meta), ("row_modes", vec![1; ROWS as usize]), ("verbatim", vec![]), ("index", index)];
        let mut bytes = file(7, &streams, pack);
        // The blocks are stored verbatim, as another stream of the set.
        bytes[5] += 1;
        string(&mut bytes, b"blocks");
        bytes.push(2);
        string(&mut bytes, &blocks);
        bytes
    }
}
