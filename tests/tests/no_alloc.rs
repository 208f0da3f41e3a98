//! Decoding allocates nothing: an allocator that counts says so. A test crate of its own, because the allocator is global.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use unspool::cvc::{Decoder, File, Options, Workspace, inspect};
use unspool::{Count, End, Limits, Status, Verify, onpair};
use unspool_tests::{list, manifest, read, text, vector_folders};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory that it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, which is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `work` allocates on this thread.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 10]))), 1);
}

#[test]
fn cvc() {
    let mut files: Vec<(std::path::PathBuf, Vec<u8>)> = vec![];
    for folder in vector_folders("cvc") {
        let mut add = |folder: &Path, key: &str| {
            for entry in list(&manifest(&folder.join("manifest.json")), key) {
                let path = folder.join(text(entry, "file"));
                let bytes = read(&path);
                files.push((path, bytes));
            }
        };
        add(&folder, "entries");
        add(&folder.join("bad"), "variants");
    }
    let mut out = vec![0; 1 << 20];
    let mut floats = vec![0.0; 1 << 18];
    let mut workspace = vec![0; 2 << 20];
    for (path, bytes) in &files {
        let count = allocations(|| {
            let options = Options::DEFAULT;
            let _ = inspect(bytes, &mut Workspace::new(), &options, &mut ());
            let Ok(file) = File::open(bytes, &options.limits) else { return };
            for section in file.sections() {
                let _ = section.map(|section| section.metadata.matches("source", &"wiki".into()));
            }
            for column in file.columns() {
                let Ok(column) = column else { return };
                let _ = column.decode_bytes(bytes, column.rows(), &mut out, &options);
                let _ =
                    column.decode(bytes, column.rows(), &mut floats, &Options { verify: Verify::Report, ..options });
                let _ = column.decode_to(
                    bytes,
                    column.rows(),
                    &mut Count::default(),
                    &Options { verify: Verify::Skip, ..options },
                );
                let Ok(mut plan) = column.plan(column.rows()) else { return };
                while let Some(needed) = plan.needs() {
                    let _ = plan.feed(needed.start, &[0; 4], Verify::Skip);
                }
            }
            let mut decoder = Decoder::new(&mut workspace, &options);
            let mut input = bytes.as_slice();
            while let Ok(step) = decoder.step(input, End::Here, &mut out) {
                input = &input[step.read..];
                if step.status == Status::Done {
                    break;
                }
            }
        });
        assert_eq!(count, 0, "{}", path.display());
    }
    assert!(files.len() > 150);
}

#[test]
fn onpair() {
    let mut files: Vec<Vec<u8>> = vec![];
    for folder in vector_folders("onpair") {
        let entries = manifest(&folder.join("manifest.json"));
        files.extend(list(&entries, "container").iter().map(|entry| read(&folder.join(text(entry, "file")))));
    }
    // Cut and broken ones as well.
    for file in files.clone() {
        files.push(file[..file.len() / 2].to_vec());
        for at in [8, 9, 13, 40, 2000, file.len() / 2, file.len() - 30, file.len() - 1] {
            let mut broken = file.clone();
            if let Some(byte) = broken.get_mut(at) {
                *byte ^= 0x81;
                files.push(broken);
            }
        }
    }
    let mut out = vec![0; 1 << 20];
    let mut offsets = vec![0u32; 1 << 16];
    let (mut cells, mut lens) = (vec![[0; 16]; 1 << 16], vec![0; 1 << 16]);
    let (mut needle, mut tokens) = (vec![0; 16], vec![0; 1 << 16]);
    for bytes in &files {
        let count = allocations(|| {
            let (workspace, options) = (&mut onpair::Workspace::new(), &onpair::Options::DEFAULT);
            let _ = onpair::inspect(bytes, workspace, options, &mut ());
            let _ = onpair::decode(bytes, &mut out, workspace, options, &mut ());
            let _ = onpair::decode_to(bytes, &mut Count::default(), workspace, options);
            let _ = onpair::decoded_len(bytes, workspace, options);
            let _ = onpair::salvage(bytes, &mut out, workspace, options);
            let _ = onpair::File::salvage(bytes, &options.limits);
            let _ = onpair::Header::read(bytes, &options.limits);
            let mut outline = onpair::Outline::new(bytes.len() as u64);
            while let Some(needs) = outline.needs() {
                let [start, end] = [needs.start, needs.end].map(|at| usize::try_from(at).unwrap());
                let _ = outline.feed(needs.start, &bytes[start..end], &mut ());
            }
            let Ok(file) = onpair::File::open(bytes, &Limits::DEFAULT) else { return };
            let plain = *file.column();
            let Ok(wide) = plain.widened(&mut cells, &mut lens) else { return };
            for column in [plain.conforming().unwrap_or(plain), wide] {
                let rows = column.rows();
                let _ = column.decoded_len(rows.clone());
                let _ = column.decode_into(rows.clone(), &mut out);
                let _ = column.decode_to(rows.clone(), &mut Count::default());
                let _ = column.decode_arrow(rows, &mut out, &mut offsets);
                for row in &column {
                    let _ = row.len().and_then(|_| row.decode_into(&mut out));
                    let _ = row.tokens().count();
                }
                let workspace = onpair::SearchWorkspace { needle: &mut needle, tokens: &mut tokens };
                let _ = onpair::Search::contains(&column, b".com/", workspace).map(|search| search.rows().count());
                let _ = onpair::Search::equals(&column, b".com/").rows().count();
                let _ = onpair::Search::starts_with(&column, b"https://").rows().count();
            }
        });
        assert_eq!(count, 0);
    }
    assert!(files.len() > 40);
}

#[test]
fn zstd() {
    use unspool::zstd::{Decoder, Dictionary, Options, Workspace, decode, decoded_len, detect, inspect};
    let mut out = vec![0; 4 << 20];
    let mut window = vec![0; 4 << 20];
    let mut workspace = Workspace::new();
    let mut count = 0;
    for folder in vector_folders("zstd") {
        let mut files: Vec<(std::path::PathBuf, Option<Vec<u8>>)> = vec![];
        for (inside, key) in [("", "files"), ("bad/draft", "entries"), ("bad/rfc8878", "entries")] {
            let folder = folder.join(inside);
            for entry in list(&manifest(&folder.join("manifest.json")), key) {
                let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
                files.push((folder.join(text(entry, "file")), dictionary));
            }
        }
        for (path, dictionary) in files {
            let bytes = read(&path);
            let allocated = allocations(|| {
                let limits = Limits { max_output: 4 << 20, ..Limits::DEFAULT };
                let dictionary = dictionary.as_deref().map(Dictionary::new);
                let options = Options { limits, flavour: detect(&bytes), dictionary, ..Options::DEFAULT };
                let _ = inspect(&bytes, &mut workspace, &options, &mut ());
                let _ = decoded_len(&bytes, &mut workspace, &options);
                let _ = decode(&bytes, &mut out, &mut workspace, &options, &mut ());
                let mut decoder = Decoder::new(&mut workspace, &mut window, &options);
                let mut input = bytes.as_slice();
                while let Ok(step) = decoder.step(input, End::Here, &mut out) {
                    input = &input[step.read..];
                    if step.status == Status::Done {
                        break;
                    }
                }
            });
            assert_eq!(allocated, 0, "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 1000);
}

#[test]
fn xz() {
    use unspool::xz::{
        Decoder, File, IndexReader, Options, Workspace, decode, decode_to, decoded_len, inspect, salvage,
    };
    let mut files: Vec<Vec<u8>> = vec![];
    for entry in std::fs::read_dir(&vector_folders("xz")[0]).unwrap() {
        files.push(read(&entry.unwrap().path()));
    }
    for file in files.clone() {
        for at in 0..file.len().min(300) {
            let mut broken = file.clone();
            broken[at] ^= 0x41;
            files.push(broken);
        }
    }
    let (mut out, mut window, mut workspace) = (vec![0; 1 << 16], vec![0; 9 << 20], Workspace::new());
    for bytes in &files {
        let count = allocations(|| {
            let limits = Limits::DEFAULT;
            let _ = inspect(bytes, &mut workspace, &Options::DEFAULT, &mut ());
            let _ = decoded_len(bytes, &mut workspace, &Options::DEFAULT);
            let _ = decode(bytes, &mut out, &mut workspace, &Options::DEFAULT, &mut ());
            let _ = salvage(bytes, &mut out, &mut workspace, &Options::DEFAULT);
            let _ = decode_to(bytes, &mut Count::default(), &mut workspace, &mut window, &Options::DEFAULT);
            if let Ok(file) = File::open(bytes, &limits)
                && let Ok(Some(block)) = file.locate(1600)
            {
                let _ = file.decode_block(&block, &mut out, &mut workspace, &Options::DEFAULT);
            }
            let mut reader = IndexReader::new(bytes.len() as u64, 3, &limits);
            while let Some(range) = reader.needs() {
                let (start, end) = (usize::try_from(range.start).unwrap(), usize::try_from(range.end).unwrap());
                let bytes = bytes.get(start..end).unwrap_or_default();
                if reader.feed(range.start, bytes).is_err() {
                    break;
                }
            }
            let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
            let mut input = bytes.as_slice();
            while let Ok(step) = decoder.step(input, End::Here, &mut out) {
                input = &input[step.read..];
                if step.status == Status::Done {
                    break;
                }
            }
        });
        assert_eq!(count, 0);
    }
    assert!(files.len() > 500);
}

#[test]
fn gzip() {
    use unspool::gzip::{Decoder, Options, WINDOW_SIZE, Workspace, decode, decode_to, inspect, salvage};
    let mut files: Vec<Vec<u8>> = vec![];
    for entry in std::fs::read_dir(&vector_folders("gzip")[0]).unwrap() {
        files.push(read(&entry.unwrap().path()));
    }
    for file in files.clone() {
        for at in 0..file.len().min(100) {
            let mut broken = file.clone();
            broken[at] ^= 0x41;
            files.push(broken);
        }
    }
    let (mut out, mut window, mut workspace) = (vec![0; 1 << 16], vec![0; WINDOW_SIZE], Workspace::new());
    for bytes in &files {
        let count = allocations(|| {
            let _ = inspect(bytes, &mut workspace, &mut window, &Options::DEFAULT, &mut ());
            let _ = decode(bytes, &mut out, &mut workspace, &Options::DEFAULT, &mut ());
            let _ = salvage(bytes, &mut out, &mut workspace, &Options::DEFAULT);
            let _ = decode_to(bytes, &mut Count::default(), &mut workspace, &mut window, &Options::DEFAULT);
            let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
            let mut input = bytes.as_slice();
            while let Ok(step) = decoder.step(input, End::Here, &mut out) {
                input = &input[step.read..];
                if step.status == Status::Done {
                    break;
                }
            }
        });
        assert_eq!(count, 0);
    }
    assert!(files.len() > 200);
}

#[test]
fn at1() {
    let mut files = vec![];
    for folder in vector_folders("at1") {
        for (folder, kind) in [(folder.clone(), "valid"), (folder.join("bad"), "bad")] {
            for entry in list(&manifest(&folder.join("manifest.json")), "vectors") {
                let name = text(entry, "name").to_owned();
                files.push((format!("{kind} {name}"), read(&folder.join(format!("{name}.at1")))));
            }
        }
    }
    let limits = Limits { max_output: 16 << 20, ..Limits::DEFAULT };
    let options = unspool::at1::Options { limits, ..unspool::at1::Options::DEFAULT };
    let mut out = vec![0; 16 << 20];
    let mut scratch = vec![0; 32 << 20];
    let mut ws = Box::new(unspool::at1::Workspace::new());
    for (name, bytes) in &files {
        let count = allocations(|| {
            let _ = unspool::at1::scratch_len(bytes, &options);
            let _ = unspool::at1::scratch_len_to(bytes, &options);
            let _ = unspool::at1::inspect(bytes, &mut ws, &options, &mut ());
            let _ = unspool::at1::decoded_len(bytes, &mut ws, &mut scratch, &options);
            let _ = unspool::at1::decode(bytes, &mut out, &mut ws, &mut scratch, &options, &mut ());
            let _ = unspool::at1::decode_to(bytes, &mut Count::default(), &mut ws, &mut scratch, &options);
            let _ = unspool::at1::salvage(bytes, &mut out, &mut ws, &mut scratch, &options);
            let bundle = unspool::at1::Bundle::open(bytes, &mut ws, &mut scratch, &options);
            let _ = bundle.map(|files| files.flatten().count());
        });
        assert_eq!(count, 0, "{name}");
    }
    assert!(files.len() > 100);
}

#[test]
fn at1_queries() {
    use unspool::at1::{Ask, Column, Filter, Options, Query, Request, Test, Workspace};
    let low_and_high = Test::Range { low: Some(b"5"), high: Some(b"1e9") };
    let filters = [Filter { column: Column::Number(0), test: low_and_high }];
    let requests = [
        Request { filters: &[], ask: Ask::Rows, limit: u64::MAX },
        Request { filters: &filters, ask: Ask::Columns(&[Column::Number(0), Column::Name(b"id")]), limit: 50 },
        Request { filters: &filters, ask: Ask::Sum(Column::Number(0)), limit: u64::MAX },
        Request { filters: &[], ask: Ask::Max(Column::Number(0)), limit: u64::MAX },
    ];
    let mut scratch = vec![0; 4 << 20];
    let mut ws = Box::new(Workspace::new());
    let mut rows = 0u64;
    for folder in vector_folders("at1") {
        for entry in std::fs::read_dir(&folder).expect("the folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "at1") {
                continue;
            }
            let bytes = read(&path);
            for request in requests {
                let count = allocations(|| {
                    let mut query = Query::new(request, &Options::DEFAULT);
                    if query.open(&bytes, &mut ws, &mut scratch).is_err() {
                        return;
                    }
                    let _ = query.feed(0, &bytes, &mut ws, &mut scratch, &mut |row| {
                        rows += 1;
                        row.values()
                            .try_for_each(|value| if value.len() > 1 << 30 { Err(broken()) } else { Ok(()) })?;
                        if request.ask == Ask::Rows { row.write_line(&mut Count::default()) } else { Ok(()) }
                    });
                    std::hint::black_box(query.answer(&scratch));
                });
                assert_eq!(count, 0, "{}", path.display());
            }
        }
    }
    assert!(rows > 5_000);
}

fn broken() -> unspool::Error {
    unspool::Error::new(unspool::ErrorKind::SinkFull, 0)
}
