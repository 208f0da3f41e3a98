//! A small writer of AT-1 files, for cases without a vector. It knows the layouts and does not
//! compress.

/// Appends an unsigned number.
pub fn unsigned(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Appends a signed number.
pub fn signed(out: &mut Vec<u8>, value: i64) {
    unsigned(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

/// Appends bytes after their length.
pub fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    unsigned(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Returns unsigned numbers in a row.
pub fn numbers(values: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut out = vec![];
    values.into_iter().for_each(|value| unsigned(&mut out, value));
    out
}

/// Returns the differences of signed numbers, each to the previous.
pub fn deltas(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let (mut out, mut last) = (vec![], 0i64);
    for value in values {
        signed(&mut out, value.wrapping_sub(last));
        last = value;
    }
    out
}

/// A payload: the number of its backend, and its bytes.
pub type Payload = (u8, Vec<u8>);

/// Returns a stored payload.
pub fn stored(bytes: &[u8]) -> Payload {
    (2, bytes.to_vec())
}

/// Returns the bytes of a set of named streams; `pack` makes each payload.
pub fn set(streams: &[(&str, Vec<u8>)], pack: impl Fn(&[u8]) -> Payload) -> Vec<u8> {
    let mut out = numbers([streams.len() as u64]);
    for (name, bytes) in streams {
        let (backend, payload) = pack(bytes);
        string(&mut out, name.as_bytes());
        out.push(backend);
        string(&mut out, &payload);
    }
    out
}

/// Returns a whole file of one set.
pub fn file(codec: u8, streams: &[(&str, Vec<u8>)], pack: impl Fn(&[u8]) -> Payload) -> Vec<u8> {
    let mut out = b"AT1\x02".to_vec();
    out.push(codec);
    out.extend(set(streams, pack));
    out
}

/// A column of a table: its type, and its part of `values`.
pub type Column = (u8, Vec<u8>);

/// Returns the streams of a table without a header and without quotes, whose rows all have all
/// columns.
pub fn table(rows: u64, delimiter: &[u8], columns: Vec<Column>) -> Vec<(&'static str, Vec<u8>)> {
    let mut meta = numbers([rows]);
    meta.extend([1, 0]);
    string(&mut meta, delimiter);
    let count = columns.len() as u64;
    unsigned(&mut meta, count);
    vec![
        ("meta", meta),
        ("row_modes", (0..rows).map(|_| 1).collect()),
        ("fieldcounts", numbers((0..rows).map(|_| count))),
        ("coltypes", columns.iter().map(|(kind, _)| *kind).collect()),
        ("col_index", numbers(columns.iter().map(|(_, values)| values.len() as u64))),
        ("quotemodes", columns.iter().map(|_| 0).collect()),
        ("values", columns.into_iter().flat_map(|(_, values)| values).collect()),
    ]
}

/// Returns the streams of a table in row groups, all of whose lines are rows: text columns, and for
/// each group their blocks, packed after their tags.
pub fn row_groups(rows_per_group: u64, delimiter: &[u8], groups: &[Vec<Payload>]) -> Vec<(&'static str, Vec<u8>)> {
    let columns = groups.first().map_or(0, Vec::len) as u64;
    let rows = rows_per_group * groups.len() as u64;
    let mut meta = numbers([rows]);
    meta.push(1);
    string(&mut meta, delimiter);
    meta.extend(numbers([columns, rows_per_group, rows, groups.len() as u64]));
    meta.extend((0..columns).map(|_| 0));
    let blocks = groups.iter().flatten();
    vec![
        ("meta", meta),
        ("row_modes", (0..rows).map(|_| 1).collect()),
        ("index", numbers(blocks.clone().map(|(_, payload)| payload.len() as u64 + 1))),
        ("blocks", blocks.flat_map(|(tag, payload)| std::iter::once(tag).chain(payload)).copied().collect()),
    ]
}
