//! OnPair against its reference, on the same columns in the same process, and against copying the
//! output.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use onpair::{Config, DEFAULT_CONFIG, Dictionary as _, MaxDictBits};
use unspool::Limits;
use unspool::onpair::{Codes, Column, Dictionary, RowOffsets, Search, SearchWorkspace};

use crate::race::Race;
use crate::words::{Words, sentence};
use crate::{Options, Result};

/// Bytes of each column, more than the caches hold.
const SIZE: usize = 16 << 20;
/// Rows read at random in one run: as many as stay in the caches between runs, and more than fit.
const ROWS: [(&str, usize); 2] = [("", 1000), (" far", 200_000)];

/// A kind of strings: its name, a generator of rows, and a needle to search for.
type Kind = (&'static str, fn(&mut Words, &mut String), &'static str);

const KINDS: [Kind; 4] =
    [("urls", url, "?utm_source=news"), ("names", name, "son"), ("logs", log, "timeout"), ("text", sentence, " the ")];

/// Runs every case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    for (kind, row, needle) in KINDS {
        for bits in [12, 16] {
            let start = format!("onpair/{kind}{bits}/");
            let cases = ["plain", "compact", "packed", "row", "equals", "prefix", "contains", "common"];
            let wanted: Vec<_> = cases.into_iter().filter(|case| options.wants(&format!("{start}{case}"))).collect();
            if wanted.is_empty() {
                continue;
            }
            let data = Data::new(row, bits)?;
            println!(
                "{:34} | {} rows, {} tokens, {} bits packed, {:.1} bytes a token",
                start,
                data.theirs.row_offsets.len() - 1,
                data.theirs.dict.num_tokens(),
                data.width,
                data.bytes.len() as f64 / data.theirs.codes.len() as f64,
            );
            for case in wanted {
                data.race(&format!("{start}{case}"), case, needle)?;
            }
        }
    }
    Ok(())
}

/// Views little-endian numbers as bytes, without a copy. All contestants must read the same memory:
/// a copy that fewer of them read would be in the caches less often.
fn bytes_of(numbers: &[u32]) -> &[u8] {
    // SAFETY: all bytes of numbers are bytes.
    unsafe { numbers.align_to().1 }
}

/// Returns the reference's view of an output.
fn uninit(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: the layout is the same, and the reference writes only bytes.
    unsafe { bytes.align_to_mut().1 }
}

/// A column, compressed by the reference.
struct Data {
    bytes: Vec<u8>,
    theirs: onpair::Column<u32>,
    packed: Vec<u8>,
    width: u32,
}

impl Data {
    fn new(row: fn(&mut Words, &mut String), bits: u8) -> Result<Self> {
        let (mut words, mut text, mut starts) = (Words::new(), String::new(), vec![0u32]);
        while text.len() < SIZE {
            row(&mut words, &mut text);
            starts.push(u32::try_from(text.len())?);
        }
        let bytes = text.into_bytes();
        let config =
            Config { max_dict_bits: MaxDictBits::new(bits).map_err(|error| format!("{error:?}"))?, ..DEFAULT_CONFIG };
        let theirs = onpair::compress(&bytes, &starts, config).map_err(|error| format!("{error:?}"))?;
        let width = u32::from(theirs.dict.code_bits());
        let packed = pack(&theirs.codes, width);
        Ok(Self { bytes, theirs, packed, width })
    }

    fn column<'a>(&'a self, codes: Codes<'a>) -> Result<Column<'a>> {
        let dictionary =
            Dictionary::open(self.theirs.dict.bytes(), bytes_of(self.theirs.dict.offsets()))?.conforming()?;
        Ok(Column::open(dictionary, codes, RowOffsets::u32(bytes_of(&self.theirs.row_offsets))?, &Limits::DEFAULT)?)
    }

    fn race(&self, name: &str, case: &str, needle: &str) -> Result<()> {
        let len = self.bytes.len();
        let view = self.theirs.view();
        let wide = self.theirs.dict.to_wide();
        let mut padded = vec![[0; 16]; self.theirs.dict.num_tokens()];
        let mut lens = vec![0; padded.len()];
        let plain = self.column(Codes::plain(&self.theirs.codes))?;
        let packed = self.column(Codes::packed(&self.packed, self.width, self.theirs.codes.len())?)?;
        // One output for all contestants: separate outputs would differ in their pages.
        let out = RefCell::new(vec![0u8; len + 16]);
        let decode = |column: &Column<'_>| {
            let len = column.decode_into(column.rows(), &mut out.borrow_mut())?;
            if len == self.bytes.len() { Ok(()) } else { Err("decoded to another length".into()) }
        };
        // The reference's fastest way: from its own wide dictionary.
        let reference =
            |codes: &[u16]| theirs(onpair::try_decode_into(codes, wide.as_view(), uninit(&mut out.borrow_mut())));
        // A race of its own. In turns with others, it would find the caches full of their data.
        let beside_memcpy = |column: &Column<'_>| {
            let mut copy = vec![0u8; len];
            Race::new(name, len, || decode(column))
                .against("memcpy", || {
                    std::hint::black_box(&mut copy).copy_from_slice(std::hint::black_box(&self.bytes));
                    Ok(())
                })
                .run()
        };
        match case {
            "plain" => {
                let column = plain.widened(&mut padded, &mut lens)?;
                self.right(&column)?;
                Race::new(name, len, || decode(&column))
                    .against("try_decode_into", || reference(&self.theirs.codes))
                    .run()?;
                beside_memcpy(&column)
            }
            "compact" => {
                self.right(&plain)?;
                Race::new(name, len, || decode(&plain))
                    .against("try_decode_into", || {
                        theirs(onpair::try_decode_into(&self.theirs.codes, view.dict, uninit(&mut out.borrow_mut())))
                    })
                    .run()?;
                beside_memcpy(&plain)
            }
            "packed" => {
                let column = packed.widened(&mut padded, &mut lens)?;
                self.right(&column)?;
                let mut codes = vec![0u16; self.theirs.codes.len()];
                Race::new(name, len, || decode(&column))
                    .against("unpack, try_decode_into", || {
                        unpack(&self.packed, self.width, 0, &mut codes);
                        reference(&codes)
                    })
                    .against("plain try_decode_into", || reference(&self.theirs.codes))
                    .run()?;
                beside_memcpy(&column)
            }
            "row" => {
                let wide = plain.widened(&mut padded, &mut lens)?;
                ROWS.iter().try_for_each(|(end, rows)| self.rows(name, end, *rows, [&plain, &packed, &wide]))
            }
            _ => self.search(name, case, needle.as_bytes(), &plain, &packed),
        }
    }

    /// Checks that the column decodes to its source.
    fn right(&self, column: &Column<'_>) -> Result<()> {
        if column.decode_to_vec(column.rows())? == self.bytes { Ok(()) } else { Err("decoded to other bytes".into()) }
    }

    /// Reads rows at random, each into the same small buffer.
    fn rows(&self, name: &str, end: &str, count: usize, [plain, packed, wide]: [&Column<'_>; 3]) -> Result<()> {
        let mut random = Words::new();
        let rows: Vec<usize> = (0..count).map(|_| random.below(self.theirs.row_offsets.len() - 1)).collect();
        let view = self.theirs.view();
        let bytes = rows.iter().map(|&row| view.row_decoded_len(row)).sum();
        let most = (0..self.theirs.row_offsets.len() - 1).map(|row| view.row_decoded_len(row)).max().unwrap_or(0);
        let all = |sum| if sum == bytes { Ok(()) } else { Err("rows of other lengths".into()) };
        let one_by_one = |column: &Column<'_>, line: &mut [u8]| {
            let mut sum = 0;
            for &row in &rows {
                sum += column.row_into(row as u64, line)?;
            }
            all(sum)
        };
        let plainly = |column: &Column<'_>, line: &mut [u8]| {
            let rows_of = column.plain_rows().ok_or("the column is of another form")?;
            let mut sum = 0;
            for &row in &rows {
                sum += rows_of.row_into(row as u64, line)?;
            }
            all(sum)
        };
        let together = |column: &Column<'_>, line: &mut [u8]| {
            let mut sum = 0;
            column.each_row(rows.iter().map(|&row| row as u64), line, |_, row| {
                sum += row.len();
                Ok(())
            })?;
            all(sum)
        };
        let reference = |line: &mut [MaybeUninit<u8>]| {
            // SAFETY: the reference made the column, and the line has room for its longest row and
            // the padding.
            let sum: usize = rows.iter().map(|&row| unsafe { view.decompress_row_into(row, line) }).sum();
            all(sum)
        };
        // As its documentation asks: the length of the row first.
        let sized = |line: &mut [MaybeUninit<u8>]| {
            let mut sum = 0;
            for &row in &rows {
                if line.len() < view.row_decoded_len(row) + onpair::DECODE_PADDING {
                    return Err("a row that is too long".into());
                }
                // SAFETY: the reference made the column, and the buffer has room.
                sum += unsafe { view.decompress_row_into(row, line) };
            }
            all(sum)
        };
        let their_wide = self.theirs.dict.to_wide();
        let reference_wide = |line: &mut [MaybeUninit<u8>]| {
            let (codes, tokens) = (|row: usize| view.row_codes(row), their_wide.as_view());
            // SAFETY: as above.
            let sum: usize = rows.iter().map(|&row| unsafe { onpair::decode_into(codes(row), tokens, line) }).sum();
            all(sum)
        };
        let safe = |line: &mut [MaybeUninit<u8>]| all(safe_rows(&view, &rows, view.dict, line)?);
        let safe_wide = |line: &mut [MaybeUninit<u8>]| all(safe_rows(&view, &rows, their_wide.as_view(), line)?);
        // The reference takes plain codes only, so the caller unpacks those of the row.
        let mut codes = vec![0; most];
        let mut reference_packed = |line: &mut [MaybeUninit<u8>]| {
            let mut sum = 0;
            for &row in &rows {
                let (start, end) = (self.theirs.row_offsets[row] as usize, self.theirs.row_offsets[row + 1] as usize);
                let codes = &mut codes[..end - start];
                unpack(&self.packed, self.width, start, codes);
                // SAFETY: as above.
                sum += unsafe { onpair::decode_into(codes, view.dict, line) };
            }
            all(sum)
        };
        // One line for all contestants: a line of a few bytes may span two pages, which slows every
        // store.
        let line = RefCell::new(vec![0; most + 16]);
        let as_it_is = |name: &str, ours: &dyn Fn(&Column<'_>, &mut [u8]) -> Result<()>| {
            Race::new(name, bytes, || ours(plain, &mut line.borrow_mut()))
                .against("unsafe row", || reference(uninit(&mut line.borrow_mut())))
                .against("sized, unsafe row", || sized(uninit(&mut line.borrow_mut())))
                .against("safe row", || safe(uninit(&mut line.borrow_mut())))
                .run()
        };
        as_it_is(&format!("{name}{end}"), &one_by_one)?;
        as_it_is(&format!("{name}{end}, plain rows"), &plainly)?;
        as_it_is(&format!("{name}s{end}"), &together)?;
        let widened = |name: &str, ours: &dyn Fn(&Column<'_>, &mut [u8]) -> Result<()>| {
            Race::new(&format!("{name}, wide"), bytes, || ours(wide, &mut line.borrow_mut()))
                .against("unsafe row", || reference(uninit(&mut line.borrow_mut())))
                .against("unsafe row, wide", || reference_wide(uninit(&mut line.borrow_mut())))
                .against("safe row, wide", || safe_wide(uninit(&mut line.borrow_mut())))
                .run()
        };
        widened(&format!("{name}{end}"), &one_by_one)?;
        widened(&format!("{name}{end}, plain rows"), &plainly)?;
        widened(&format!("{name}s{end}"), &together)?;
        let mut in_packed = |name: &str, ours: &dyn Fn(&Column<'_>, &mut [u8]) -> Result<()>| {
            Race::new(&format!("{name}, packed"), bytes, || ours(packed, &mut line.borrow_mut()))
                .against("unpack, unsafe row", || reference_packed(uninit(&mut line.borrow_mut())))
                .against("unsafe row, plain", || reference(uninit(&mut line.borrow_mut())))
                .run()
        };
        in_packed(&format!("{name}{end}"), &one_by_one)?;
        in_packed(&format!("{name}s{end}"), &together)
    }

    /// Prepares the needle in each run, as the calls of the reference do.
    fn search(&self, name: &str, case: &str, needle: &[u8], plain: &Column<'_>, packed: &Column<'_>) -> Result<()> {
        let view = self.theirs.view();
        let middle = (self.theirs.row_offsets.len() - 1) / 2;
        let row = plain.decode_to_vec(middle as u64..middle as u64 + 1)?;
        let needle = match case {
            "equals" => &row[..],
            "prefix" => &row[..row.len().min(10)],
            // Most rows contain it.
            "common" => b"o",
            _ => needle,
        };
        let expected = match case {
            "equals" => view.rows_equal_to(needle),
            "prefix" => view.rows_starting_with(needle),
            _ => view.rows_containing(needle),
        };
        // Known before a search, as to the reference: its encoder cut the rows, and the dictionary
        // conforms.
        let (plain, packed) = (&plain.greedy()?, &packed.greedy()?);
        if !plain.is_greedy() {
            return Err("the reference cuts rows otherwise".into());
        }
        let ours = |column: &Column<'_>| {
            let (mut entries, mut tokens) = (vec![0; needle.len()], vec![0; column.dictionary().len()]);
            let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut tokens };
            let search = match case {
                "equals" => Search::equals(column, needle),
                "prefix" => Search::starts_with(column, needle),
                _ => Search::contains(column, needle, workspace)?,
            };
            let found: unspool::Result<Vec<u64>> = search.rows().collect();
            if found?.len() == expected.len() { Ok(()) } else { Err("found other rows".into()) }
        };
        let reference = || {
            let found = match case {
                "equals" => view.rows_equal_to(needle),
                "prefix" => view.rows_starting_with(needle),
                _ => view.rows_containing(needle),
            };
            if found.len() == expected.len() { Ok(()) } else { Err("found other rows".into()) }
        };
        Race::new(name, self.bytes.len(), || ours(plain)).against("reference", reference).run()?;
        let mut codes = vec![0u16; self.theirs.codes.len()];
        Race::new(&format!("{name}, packed"), self.bytes.len(), || ours(packed))
            .against("unpack, reference", || {
                unpack(&self.packed, self.width, 0, &mut codes);
                reference()
            })
            .against("reference, plain", reference)
            .run()
    }
}

/// Decodes as a caller who does not know the row lengths would, with the same guarantees as ours.
/// Returns the bytes of the rows.
fn safe_rows<D: onpair::DictionaryView>(
    column: &onpair::ColumnView<'_, u32>,
    rows: &[usize],
    dictionary: D,
    line: &mut [MaybeUninit<u8>],
) -> Result<usize> {
    let mut sum = 0;
    for &row in rows {
        sum += onpair::try_decode_into(column.row_codes(row), dictionary, line)?;
    }
    Ok(sum)
}

fn theirs(decoded: std::result::Result<usize, onpair::OutputTooSmall>) -> Result<()> {
    decoded.map(drop).map_err(|error| error.to_string().into())
}

/// Packs from the lowest bit on, without gaps, into 64-bit words as in the container.
fn pack(codes: &[u16], bits: u32) -> Vec<u8> {
    let (mut bytes, mut held, mut count) = (vec![], 0u128, 0);
    for &code in codes {
        held |= u128::from(code) << count;
        count += bits;
        if count >= 64 {
            bytes.extend(held.to_le_bytes().iter().take(8));
            (held, count) = (held >> 64, count - 64);
        }
    }
    bytes.extend(held.to_le_bytes().iter().take(8));
    bytes
}

/// Unpacks without a library: loads eight bytes, shifts, masks. The reference has no unpacker.
fn unpack(bytes: &[u8], bits: u32, first: usize, codes: &mut [u16]) {
    let mask = (1u64 << bits) - 1;
    for (i, code) in (first..).zip(codes) {
        let bit = i * bits as usize;
        let rest = bytes.get(bit / 8..).unwrap_or(&[]);
        let window = match rest.first_chunk() {
            Some(window) => u64::from_le_bytes(*window),
            None => rest.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
        };
        let [low, high, ..] = (window >> (bit % 8) & mask).to_le_bytes();
        *code = u16::from_le_bytes([low, high]);
    }
}

fn url(words: &mut Words, out: &mut String) {
    *out += words.pick(&["https://www.", "https://", "http://", "https://shop.", "https://en."]);
    *out += words.word();
    *out += words.pick(&[".com/", ".org/", ".net/", ".example/", ".co.uk/"]);
    for _ in 0..1 + words.below(3) {
        *out += words.word();
        *out += words.pick(&["/", "-", "/index/", "_"]);
    }
    *out += words.pick(&["", "index.html", "?utm_source=news", "?id="]);
    if out.ends_with('=') {
        *out += &words.below(100_000).to_string();
    }
}

fn name(words: &mut Words, out: &mut String) {
    for part in 0..2 {
        let word = words.word().to_owned();
        let (first, rest) = word.split_at(1);
        *out += &first.to_uppercase();
        *out += rest;
        *out += if part == 0 { " " } else { words.pick(&["", "son", "er", "ova"]) };
    }
}

fn log(words: &mut Words, out: &mut String) {
    let (hour, minute, second, milli) = (words.below(24), words.below(60), words.below(60), words.below(1000));
    *out += &format!("2026-11-{:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z ", 1 + words.below(30));
    *out += words.pick(&["INFO ", "INFO ", "INFO ", "WARN ", "ERROR "]);
    *out += words.pick(&["worker", "http", "db", "cache"]);
    *out += &format!("[{}] ", words.below(64));
    *out += words.pick(&["request finished in ", "timeout after ", "connected to ", "retrying in "]);
    *out += &format!("{} ms user={} id={:08x}", words.below(5000), words.below(100_000), words.below(1 << 30));
}
