//! OnPair as a device uses it: decodes one string of a packed column in flash, without copying its
//! dictionary.
#![no_std]
#![no_main]

use firmware::{Test, damage, entry, file};
use unspool::onpair::{
    Codes, Column, Dictionary, File, Header, Options, RowOffsets, Search, SearchWorkspace, WideWorkspace, Workspace,
    decode, decode_to, decoded_len, inspect, salvage,
};
use unspool::{Class, Count, ErrorKind, Limits};

file!(DICTIONARY, "../../../vectors/onpair/cases/names_b12/dict_bytes.bin");
file!(TOKEN_OFFSETS, "../../../vectors/onpair/cases/names_b12/dict_offsets.bin");
file!(CODES, "../../../vectors/onpair/cases/names_b12/codes.bin");
file!(PACKED, "../../../vectors/onpair/cases/names_b12/packed_codes_min.bin");
file!(ROWS, "../../../vectors/onpair/cases/names_b12/code_offsets.bin");
file!(NAMES, "../../../vectors/onpair/data/names.expected.bin");
file!(WIDE_DICTIONARY, "../../../vectors/onpair/cases/syn_u64_offsets_b11/dict_bytes.bin");
file!(WIDE_TOKENS, "../../../vectors/onpair/cases/syn_u64_offsets_b11/dict_offsets.bin");
file!(WIDE_PACKED, "../../../vectors/onpair/cases/syn_u64_offsets_b11/packed_codes.bin");
file!(WIDE_ROWS, "../../../vectors/onpair/cases/syn_u64_offsets_b11/code_offsets.bin");
file!(WIDE_BYTES, "../../../vectors/onpair/data/synth_syn_u64_offsets_b11.expected.bin");
file!(CONTAINER, "../../../vectors/onpair/cpp/utf8_b12.onp");
file!(EMPTIES, "../../../vectors/onpair/cpp/empties_b12.onp");
file!(LINES, "../../../vectors/onpair/data/utf8.expected.bin");

/// Bytes of a row: the longest, and more.
const LINE: usize = 256;
/// Bytes for one bit per code of the names.
const NAME_BITS: u32 = 10;

#[entry]
fn main() -> ! {
    static mut LINE_ROOM: [u8; LINE] = [0; LINE];
    static mut SPACE: WideWorkspace<16> = WideWorkspace::new();
    static mut COPY: [u8; 1713] = [0; 1713];

    let mut test = Test::new("onpair");
    test.case(
        "packed rows",
        || names(true).is_some_and(|column| by_rows(&column, NAMES.get(), LINE_ROOM)),
        NAMES.get().len(),
    );
    test.case(
        "plain rows",
        || names(false).is_some_and(|column| by_rows(&column, NAMES.get(), LINE_ROOM)),
        NAMES.get().len(),
    );
    test.case("wide, 64-bit offsets", || widened(SPACE, LINE_ROOM), WIDE_BYTES.get().len());
    test.case("container", || container(CONTAINER.get(), LINES.get(), LINE_ROOM), LINES.get().len());
    test.case("search", || search(LINE_ROOM), 1);
    test.case("a code too high", || bad_code(LINE_ROOM), 1);
    test.case("wrong bits", || wrong_bits(EMPTIES.get(), COPY) == damage::ONPAIR, 1);
    test.case("every end", || every_end(CONTAINER.get()), 1);
    test.finish()
}

/// Opens a column whose parts stay in flash.
fn names(packed: bool) -> Option<Column<'static>> {
    let dictionary = Dictionary::open(DICTIONARY.get(), TOKEN_OFFSETS.get()).ok()?.conforming().ok()?;
    let rows = RowOffsets::u32(ROWS.get()).ok()?;
    let codes = match packed {
        true => Codes::packed(PACKED.get(), NAME_BITS, usize::try_from(rows.last()).ok()?).ok()?,
        false => Codes::bytes(CODES.get()).ok()?,
    };
    Column::open(dictionary, codes, rows, &Limits::DEFAULT).ok()
}

/// Decodes every row alone, into a buffer of its exact length and into a longer one.
fn by_rows(column: &Column<'_>, expected: &[u8], line: &mut [u8]) -> bool {
    let mut rest = expected;
    for (number, row) in column.rows().zip(column) {
        let Ok(len) = column.row_len(number) else { return false };
        let Some((expected, after)) = usize::try_from(len).ok().and_then(|len| rest.split_at_checked(len)) else {
            return false;
        };
        let Some(exact) = line.get_mut(..expected.len()) else { return false };
        if column.row_into(number, exact) != Ok(expected.len()) || exact != expected {
            return false;
        }
        if row.decode_into(line) != Ok(expected.len()) || line.get(..expected.len()) != Some(expected) {
            return false;
        }
        let mut pieces = expected;
        for token in row.tokens() {
            let Some(more) = token.ok().and_then(|token| pieces.strip_prefix(token)) else { return false };
            pieces = more;
        }
        if !pieces.is_empty() || row.len() != Ok(len) || row.is_empty() != (len == 0) {
            return false;
        }
        rest = after;
    }
    let all = column.rows();
    let mut count = Count::default();
    rest.is_empty()
        && column.check().is_ok()
        && column.decoded_len(all.clone()) == Ok(expected.len() as u64)
        && column.decode_to(all, &mut count) == Ok(expected.len() as u64)
        && count.0 == expected.len() as u64
}

fn widened(space: &mut WideWorkspace<16>, line: &mut [u8]) -> bool {
    let open = || {
        let dictionary = Dictionary::open(WIDE_DICTIONARY.get(), WIDE_TOKENS.get()).ok()?;
        let rows = RowOffsets::u64(WIDE_ROWS.get()).ok()?;
        let codes = Codes::packed(WIDE_PACKED.get(), 11, usize::try_from(rows.last()).ok()?).ok()?;
        Column::open(dictionary, codes, rows, &Limits::NONE).ok()
    };
    let Some(column) = open() else { return false };
    let Ok(wide) = column.widened(&mut space.tokens, &mut space.lens) else { return false };
    let mut bytes = [0; 640];
    let mut starts = [0u32; 80];
    let expected = WIDE_BYTES.get();
    let mut codes = [0; 4];
    by_rows(&wide, expected, &mut bytes)
        && wide.decode_into(wide.rows(), &mut bytes) == Ok(expected.len())
        && bytes.starts_with(expected)
        && wide.decode_arrow(wide.rows(), &mut bytes, &mut starts) == Ok(expected.len())
        && bytes.starts_with(expected)
        && wide
            .decode_into(wide.rows(), line)
            .is_err_and(|error| error.class() == Class::OutputTooSmall { need: expected.len() as u64 })
        && column.codes().unpack_into(1..5, &mut codes) == Ok(4)
        && codes.iter().enumerate().all(|(i, &code)| column.codes().get(i + 1) == Some(code))
}

fn container(bytes: &[u8], expected: &[u8], line: &mut [u8]) -> bool {
    let (workspace, options) = (&mut Workspace::new(), &Options::DEFAULT);
    let Ok(done) = inspect(bytes, workspace, options, &mut ()) else { return false };
    let Ok(file) = File::open(bytes, &options.limits) else { return false };
    let mut count = Count::default();
    done.read == bytes.len()
        && done.content == expected.len() as u64
        && decoded_len(bytes, workspace, options) == Ok(done.content)
        && decode_to(bytes, &mut count, workspace, options).is_ok_and(|done| done.content == count.0)
        && (expected.len() > line.len()
            || decode(bytes, line, workspace, options, &mut ())
                .is_ok_and(|done| line.get(..done.wrote) == Some(expected)))
        && salvage(bytes, line, workspace, options).1.is_none_or(|error| error.kind == ErrorKind::OutputTooSmall)
        && Header::read(bytes, &options.limits).is_ok_and(|header| header.bits == file.column().codes().bits())
        && by_rows(file.column(), expected, line)
}

/// Checks that a search finds the rows that comparing every row finds.
fn search(line: &mut [u8]) -> bool {
    let Some(column) = names(true) else { return false };
    let Ok(len) = column.row_into(1234, line) else { return false };
    let Some(needle) = line.get(..len) else { return false };
    let Some(inside) = needle.get(2..) else { return false };
    let mut row = [0; LINE];
    let (mut whole, mut start, mut anywhere) = (0, 0, 0);
    for number in column.rows() {
        let Ok(len) = column.row_into(number, &mut row) else { return false };
        let Some(row) = row.get(..len) else { return false };
        whole += u32::from(row == needle);
        start += u32::from(row.starts_with(needle));
        anywhere += u32::from(row.windows(inside.len().max(1)).any(|part| part == inside));
    }
    let (mut entries, mut tokens) = ([0; LINE], [0; 1000]);
    let found = |search: Search<'_>| search.rows().take_while(Result::is_ok).count() as u32;
    let workspace = SearchWorkspace { needle: &mut entries, tokens: &mut tokens };
    found(Search::equals(&column, needle)) == whole
        && found(Search::starts_with(&column, needle)) == start
        && Search::contains(&column, inside, workspace).is_ok_and(|search| found(search) == anywhere)
        && whole > 0
        && Search::equals(&column, needle).matches(1234) == Ok(true)
}

/// Decodes the names without the upper half of their dictionary.
fn bad_code(line: &mut [u8]) -> bool {
    let offsets = TOKEN_OFFSETS.get();
    let Some(half) = offsets.get(..offsets.len() / 8 * 4) else { return false };
    let Some(names) = names(true) else { return false };
    let open = || {
        let dictionary = Dictionary::open(DICTIONARY.get(), half).ok()?;
        Column::open(dictionary, *names.codes(), *names.row_offsets(), &Limits::DEFAULT).ok()
    };
    let Some(column) = open() else { return false };
    column.check().is_err_and(|error| error.kind == ErrorKind::OnPairCode)
        && column.rows().any(|row| column.row_into(row, line).is_err_and(|error| error.kind == ErrorKind::OnPairCode))
}

/// Returns the answers to a file with one wrong bit.
fn wrong_bits(file: &[u8], copy: &mut [u8]) -> u32 {
    let (workspace, options) = (&mut Workspace::new(), &Options::DEFAULT);
    damage::answers(file, copy, |bytes, sink| decode_to(bytes, sink, workspace, options).map(drop))
}

/// A file cut at any byte is an error, and the device goes on.
fn every_end(bytes: &[u8]) -> bool {
    (0..bytes.len()).step_by(97).all(|end| {
        let bytes = bytes.get(..end).unwrap_or(&[]);
        File::open(bytes, &Limits::DEFAULT).is_err_and(|error| error.class() == Class::Truncated)
    })
}
