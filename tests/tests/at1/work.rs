//! Hostile AT-1 files: small ones that would keep a decoder or a query busy for hours if it visited
//! a part again and again.

use unspool::at1::{Answer, Ask, ColumnRef, Options, Query, Request, Workspace, decode_to_vec, grow, scratch_len};
use unspool::{Class, Error, ErrorKind, Limits, steps};
use unspool_tests::at1::{Payload, deltas, file, numbers, row_groups, set, stored, string, table, unsigned};

/// Packs with zstd.
fn zstd(bytes: &[u8]) -> Payload {
    (1, zstd::bulk::compress(bytes, 3).expect("memory"))
}

/// Runs a closure within `most` steps, as the loops of the decoder count them.
fn within<T>(most: u64, what: &str, run: impl FnOnce() -> T) -> T {
    let _ = steps::take();
    let done = run();
    let taken = steps::take();
    println!("{what}: {taken} steps of {most}");
    assert!((1..=most).contains(&taken), "{what} takes {taken} steps of {most}");
    done
}

/// Returns the results of a query over a file in memory, apart from rows.
fn ask(file: &[u8], ask: Ask<'_>, limits: &Limits) -> Result<(u64, Option<Vec<u8>>), Error> {
    let options = Options { limits: *limits, ..Options::DEFAULT };
    let (mut workspace, mut scratch) = (Workspace::new(), vec![0; scratch_len(file, &options)? as usize]);
    let request = Request { filters: &[], ask, limit: u64::MAX };
    let mut query = loop {
        let mut query = Query::new(request, &options);
        match query.open(file, &mut workspace, &mut scratch) {
            Ok(()) => break query,
            Err(error) => grow(&mut scratch, error)?,
        }
    };
    while query.needs().is_some() {
        if let Err(error) = query.feed(0, file, &mut workspace, &mut scratch, &mut |_| Ok(())) {
            grow(&mut scratch, error)?;
        }
    }
    let Answer { rows, best, .. } = query.answer(&scratch);
    Ok((rows, best.map(<[u8]>::to_vec)))
}

/// Each frame may ask for a little more scratch than the one before, which only decoding shows.
#[test]
fn frames_that_ask_for_more_scratch_each_do_not_start_the_file_over_each_time() {
    let frames = 12_000;
    // A text in one block that repeats a byte, in a stored stream.
    let text = |len: u32| {
        let mut frame = b"\x28\xB5\x2F\xFD\xA0".to_vec();
        frame.extend(len.to_le_bytes());
        frame.extend(&(len << 3 | 0b11).to_le_bytes()[..3]);
        frame.push(b'7');
        (1, frame)
    };
    let mut bytes = b"AT1\x03\x07".to_vec();
    unsigned(&mut bytes, 1);
    for frame in 0..frames {
        let body = set(&row_groups(1, b",", &[vec![text(1000 + frame)]]), stored);
        unsigned(&mut bytes, body.len() as u64 + 1);
        bytes.push(0);
        bytes.extend(body);
    }
    let len =
        within(40 * u64::from(frames), "frames", || decode_to_vec(&bytes, &Options::DEFAULT)).map(|text| text.len());
    assert_eq!(len, Ok((0..frames as usize).map(|frame| 1000 + frame + 1).sum()));
}

/// The best number may be long, and precede many short ones.
#[test]
fn a_long_minimum_is_neither_read_nor_moved_again_for_each_row_and_group() {
    let long = format!("-2{}1", "0".repeat(1 << 20));
    let short = zstd(b"5\n-2");
    let mut groups = vec![vec![zstd(format!("1\n{long}").as_bytes())]];
    groups.resize(100_000, vec![short]);
    let bytes = file(7, &row_groups(2, b",", &groups), stored);
    let found = within(10 << 20, "a minimum", || ask(&bytes, Ask::Min(ColumnRef::Number(0)), &Limits::DEFAULT));
    assert_eq!(found, Ok((200_000, Some(long.into_bytes()))));
}

/// An output that has no room for the rest of a group asks for each line how many rows follow.
#[test]
fn rows_of_a_large_group_are_counted_once() {
    let rows = 200_000;
    let text = zstd("7\n".repeat(rows as usize).trim_end().as_bytes());
    let bytes = file(7, &row_groups(rows, b",", &[vec![text]]), stored);
    let text = within(8 * rows, "a large group", || decode_to_vec(&bytes, &Options::DEFAULT));
    assert_eq!(text.map(|text| text.len() as u64), Ok(2 * rows));
}

/// The columns of a group are adjacent. Each is searched for once.
#[test]
fn adjacent_columns_are_searched_for_once() {
    let columns = 150_000;
    let groups = vec![vec![zstd(b"7"); columns]; 2];
    let bytes = file(7, &row_groups(1, b",", &groups), stored);
    let limits = Limits { max_columns: u64::MAX, ..Limits::DEFAULT };
    let found = within(100 * columns as u64, "all columns", || ask(&bytes, Ask::Rows, &limits));
    assert_eq!(found, Ok((2, None)));
}

/// Names are split out of the first line at its delimiters.
#[test]
fn a_line_of_names_is_cut_in_time_whatever_the_delimiter() {
    let line = vec![b'-'; 4 << 20];
    for (len, expected) in
        [(1 << 21, Err(ErrorKind::At1NoNames)), (65, Err(ErrorKind::At1NoNames)), (64, Ok((2, None)))]
    {
        let mut delimiter = vec![b'-'; len];
        delimiter[len - 1] = b'+';
        let mut streams = row_groups(2, &delimiter, &[vec![zstd(b"7\n8"); 2]]);
        let names = [&line[..], &delimiter, b"second"].concat();
        let [meta, modes, index, blocks] = &mut streams[..] else { panic!("four streams") };
        // One line more, which is no row.
        meta.1[0] = 3;
        modes.1.insert(0, 0);
        let streams = [meta.clone(), modes.clone(), ("verbatim", names), index.clone(), blocks.clone()];
        let bytes = file(7, &streams, stored);
        let column = [ColumnRef::Name(b"second")];
        let found = within(600 << 20, "names", || ask(&bytes, Ask::Columns(&column), &Limits::DEFAULT));
        assert_eq!(found.map_err(|error| error.kind), expected, "a delimiter of {len} bytes");
    }
}

/// A column that maps one value of its source.
fn derived(source: u64) -> (u8, Vec<u8>) {
    (4, numbers([source, 1, 0]))
}

/// A column that repeats one text.
fn dictionary(rows: u64, text: &[u8]) -> (u8, Vec<u8>) {
    let mut column = numbers([rows, 1]);
    string(&mut column, text);
    column.extend((0..rows).map(|_| 0));
    (5, column)
}

fn decoded(file: &[u8]) -> Result<Vec<u8>, Error> {
    decode_to_vec(file, &super::with(Limits { max_columns: u64::MAX, ..Limits::DEFAULT }))
}

/// A long value is looked up once, however many columns are derived from it.
#[test]
fn many_columns_derived_from_a_long_value() {
    let (rows, count) = (60, 4000);
    let text = vec![b'x'; 1 << 20];
    let mut columns = vec![dictionary(rows, &text)];
    columns.extend((0..count).map(|_| derived(0)));
    let mut streams = table(rows, b"", columns);
    let bytes = file(4, &streams, zstd);
    let out = within(200 << 20, "derived columns", || decoded(&bytes)).expect("a good file");
    assert!(out == [&text[..], b"\n"].concat().repeat(rows as usize));
    // If the first row ends before them, each column reads its source on its own.
    for (_, stream) in streams.iter_mut().filter(|(name, _)| *name == "fieldcounts") {
        *stream = numbers(std::iter::once(1).chain((1..rows).map(|_| count + 1)));
    }
    let bytes = file(4, &streams, zstd);
    let error = within(400 << 20, "derived columns that lag behind", || decoded(&bytes)).map(|out| out.len());
    assert_eq!(error.map_err(|error| error.kind), Err(ErrorKind::At1DerivedAhead));
}

/// A chain is not followed from each of its columns to its root.
#[test]
fn a_long_chain_of_derived_columns() {
    let count = 300_000;
    let mut columns = vec![dictionary(1, b"x")];
    columns.extend((0..count).map(derived));
    let bytes = file(4, &table(1, b",", columns), zstd);
    let out = within(20 * count, "a chain", || decoded(&bytes)).expect("a good file");
    assert!(out == [&b"x"[..], &vec![b','; count as usize], b"\n"].concat());
}

/// The values of the root are not counted again for each column.
#[test]
fn the_values_of_derived_columns_are_counted_once() {
    let mut columns = vec![(0, vec![b'\n'; 64 << 20])];
    columns.extend((0..16_000).map(derived));
    let mut streams = table(1, b",", columns);
    for (_, stream) in streams.iter_mut().filter(|(name, _)| *name == "quotemodes") {
        stream.fill(2);
    }
    let bytes = file(4, &streams, zstd);
    let error = within(100 << 20, "counting", || decoded(&bytes)).map(|out| out.len());
    assert_eq!(error.map_err(|error| error.kind), Err(ErrorKind::At1StreamShort));
}

/// Adds the shortest possible streams that no codec reads, as newer writers may.
fn with_others(codec: u8, count: usize, streams: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let others = vec![("", vec![]); count];
    file(codec, &[&others, streams].concat(), stored)
}

/// One walk over a set finds all streams, for any number of shapes.
#[test]
fn the_streams_of_a_large_set_are_found_in_one_walk() {
    let shapes = 64;
    let mut streams =
        vec![("meta".to_owned(), numbers([shapes, 1, shapes])), ("line_map".to_owned(), numbers(1..=shapes))];
    for shape in 0..shapes {
        // One line each, which is no row.
        let own =
            [("meta", vec![1, 0, 0, 1, 0, 0]), ("row_modes", vec![0]), ("verbatim", shape.to_string().into_bytes())];
        streams.extend(own.map(|(name, bytes)| (format!("t{shape}:{name}"), bytes)));
    }
    let streams: Vec<_> = streams.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let bytes = with_others(11, 4 << 20, &streams);
    let out = within(40 << 20, "a large set", || decoded(&bytes)).expect("a good file");
    let lines: String = (0..shapes).map(|shape| format!("{shape}\n")).collect();
    assert_eq!(String::from_utf8(out), Ok(lines));
    let [first, .., twice] = &streams[..] else { panic!("many streams") };
    let twice = [first.clone(), twice.clone(), twice.clone()];
    assert_eq!(decoded(&with_others(11, 0, &twice)).map_err(|error| error.kind), Err(ErrorKind::At1StreamTwice));
}

/// The head of a file is not fetched stream by stream.
#[test]
fn the_head_of_a_large_set_is_asked_for_in_few_steps() {
    let bytes = with_others(7, 300_000, &row_groups(1, b",", &[vec![zstd(b"7")]]));
    let request = Request { filters: &[], ask: Ask::Count, limit: u64::MAX };
    let (mut workspace, mut scratch) = (Workspace::new(), vec![0; 1 << 20]);
    let (mut have, mut steps) = (5, 0);
    let rows = within(40 * 300_000, "a head", || {
        loop {
            let mut query = Query::new(request, &Options::DEFAULT);
            match query.open(&bytes[..have], &mut workspace, &mut scratch) {
                Ok(()) => break query.answer(&scratch).rows,
                Err(error) => {
                    assert_eq!((error.class(), error.need > have as u64), (Class::Truncated, true));
                    (have, steps) = (bytes.len().min(error.need as usize), steps + 1);
                }
            }
        }
    });
    assert!(rows == 1 && steps < 10, "{steps} steps");
}

#[test]
fn a_derived_column_of_many_values_is_not_quadratic() {
    let count = 300_000u64;
    let source = deltas((0..count).map(|n| (n as i64).wrapping_mul(7919) % 1_000_003));
    let mut map = numbers([0, count]);
    for n in 0..count {
        string(&mut map, format!("v{n}").as_bytes());
    }
    let mut chained = numbers([1, count]);
    for n in 0..count {
        string(&mut chained, format!("w{n}").as_bytes());
    }
    let bytes = file(4, &table(count, b",", vec![(1, source), (4, map), (4, chained)]), zstd);
    let out = within(60 * count, "distinct values", || decoded(&bytes)).unwrap();
    let mut expected = String::new();
    for n in 0..count {
        expected += &format!("{},v{n},w{n}\n", (n as i64).wrapping_mul(7919) % 1_000_003);
    }
    assert!(out == expected.into_bytes());
}

#[test]
fn gaps_that_stay_empty_do_not_keep_the_decoder_busy() {
    // A template of 300,000 gaps, used by 100,000 lines that fill none of them.
    let (lines, gaps) = (100_000u64, 300_000);
    let feeds = |text: &str| vec![text; lines as usize].join("\n").into_bytes();
    let mut meta = numbers([lines]);
    meta.push(1);
    let ssh = [
        ("meta", meta.clone()),
        ("flags", vec![2; lines as usize]),
        ("months", feeds("")),
        ("days", feeds("")),
        ("times", feeds("")),
        ("hosts", feeds("")),
        ("pids", vec![0; lines as usize]),
        ("template_ids", vec![0; lines as usize]),
        ("templates", "<*>".repeat(gaps).into_bytes()),
        ("vars", feeds("")),
    ];
    let mut rules = numbers([1, gaps as u64 + 1]);
    rules.extend(vec![0; gaps + 1]);
    unsigned(&mut rules, gaps as u64);
    rules.extend(vec![0; gaps]);
    let json = [
        ("meta", meta),
        ("flags", vec![1; lines as usize]),
        ("value_index", vec![1, 0]),
        ("rules", rules),
        ("tape", [3, 0].repeat(lines as usize)),
    ];
    for bytes in [file(0, &ssh, zstd), file(1, &json, zstd)] {
        let out = within(10 << 20, "gaps", || decoded(&bytes));
        assert_eq!(out.map(|out| out.len()).map_err(|error| error.kind), Err(ErrorKind::At1EmptyGaps));
    }
}

/// Rows of thousands of fields, which write nothing between them either.
#[test]
fn fields_that_stay_empty_do_not_keep_the_decoder_busy() {
    let (rows, columns) = (1 << 16, 4000);
    let mut meta = numbers([rows, 0, 0, 0]);
    unsigned(&mut meta, columns);
    let texts = vec![b'\n'; rows as usize - 1];
    let others = columns as usize - 1;
    let table = [
        ("meta", meta),
        ("row_modes", vec![1; rows as usize]),
        ("fieldcounts", numbers([columns]).repeat(rows as usize)),
        ("coltypes", [vec![0], vec![4; others]].concat()),
        ("col_index", [numbers([texts.len() as u64]), numbers([3]).repeat(others)].concat()),
        ("values", [texts, [0, 1, 0].repeat(others)].concat()),
        ("quotemodes", vec![0; columns as usize]),
    ];
    let bytes = file(4, &table, zstd);
    let out = within(10 << 20, "fields", || decoded(&bytes));
    assert_eq!(out.map(|out| out.len()).map_err(|error| error.kind), Err(ErrorKind::At1EmptyGaps));
}
