//! Decoding allocates nothing, as a counting allocator proves. A test crate of its own, because the
//! allocator is global.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use serde_json::Value as Json;
use unspool::cvc::{Decoder, File, Options, Workspace, inspect};
use unspool::{Count, End, Limits, Result, Status, Step, Verify, onpair, pco};
use unspool_tests::{assert_ran, list, manifest, read, text, vector_folders};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches none of its memory.
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

/// Returns the number of allocations of `work` on this thread.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// Runs `work` on every file; asserts that it allocates nothing, and the number of files.
fn allocates_nothing(files: &[(String, Vec<u8>)], compact: usize, mut work: impl FnMut(&[u8])) {
    for (name, bytes) in files {
        assert_eq!(allocations(|| work(bytes)), 0, "{name}");
    }
    assert_ran(files.len(), compact);
}

/// Steps through a stream until it ends or fails.
fn stream<T>(bytes: &[u8], out: &mut [T], mut step: impl FnMut(&[u8], &mut [T]) -> Result<Step>) {
    let mut rest = bytes;
    while let Ok(step) = step(rest, out) {
        rest = &rest[step.read..];
        if step.status == Status::Done {
            break;
        }
    }
}

/// Returns name and value of every entry in the manifests of a format. `inside` lists folders, and
/// the key in each manifest.
fn listed_by<T>(format: &str, inside: &[(&str, &str)], each: impl Fn(&Path, &Json) -> T) -> Vec<(String, T)> {
    let mut all = vec![];
    for folder in vector_folders(format) {
        for (inside, key) in inside {
            let folder = folder.join(inside);
            for entry in list(&manifest(&folder.join("manifest.json")), key) {
                let name = entry["file"].as_str().unwrap_or_else(|| text(entry, "name"));
                all.push((format!("{inside}/{name}"), each(&folder, entry)));
            }
        }
    }
    all
}

/// Returns every file that the manifests of a format list.
fn listed(format: &str, inside: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
    listed_by(format, inside, |folder, entry| read(&folder.join(text(entry, "file"))))
}

fn broken(file: &[u8], at: usize) -> Vec<u8> {
    let mut broken = file.to_vec();
    broken[at] ^= 0x41;
    broken
}

/// Returns every file of the compact set of a format, and copies with one of its first bytes
/// broken.
fn with_broken_bytes(format: &str, first: usize) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![];
    for entry in std::fs::read_dir(&vector_folders(format)[0]).unwrap() {
        let path = entry.unwrap().path();
        let (name, file) = (path.display().to_string(), read(&path));
        for at in 0..file.len().min(first) {
            files.push((format!("{name} with byte {at} broken"), broken(&file, at)));
        }
        files.push((name, file));
    }
    files
}

/// The number of files that each test runs with the compact set.
const CVC: usize = 178;
const ONPAIR: usize = 48;
const ZSTD: usize = 1339;
const XZ: usize = 1277;
const LZMA: usize = 741;
const GZIP: usize = 252;
const PCO: usize = 535;
const AT1: usize = 372;

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 10]))), 1);
}

#[test]
fn cvc() {
    let files = listed("cvc", &[("", "entries"), ("bad", "variants")]);
    let mut out = vec![0; 1 << 20];
    let mut floats = vec![0.0; 1 << 18];
    let mut workspace = vec![0; 2 << 20];
    allocates_nothing(&files, CVC, |bytes| {
        let options = Options::DEFAULT;
        let _ = inspect(bytes, &mut Workspace::new(), &options, &mut ());
        let Ok(file) = File::open(bytes, &options.limits) else { return };
        for section in file.sections() {
            let _ = section.map(|section| section.metadata.matches("source", &"wiki".into()));
        }
        for column in file.columns() {
            let Ok(column) = column else { return };
            let _ = column.decode_bytes(bytes, column.rows(), &mut out, &options);
            let _ = column.decode(bytes, column.rows(), &mut floats, &Options { verify: Verify::Report, ..options });
            let _ = column.decode_to(
                bytes,
                column.rows(),
                &mut Count::default(),
                &Options { verify: Verify::Skip, ..options },
            );
            let Ok(mut plan) = column.plan(column.rows()) else { return };
            while let Some(needed) = plan.needs() {
                if plan.feed(needed.start, &[0; 4], Verify::Skip).is_err() {
                    break;
                }
            }
        }
        let mut decoder = Decoder::new(&mut workspace, &options);
        stream(bytes, &mut out, |src, dst| decoder.step(src, End::Here, dst));
    });
}

#[test]
fn onpair() {
    let mut files = listed("onpair", &[("", "container")]);
    // Truncated and broken ones as well.
    for (name, file) in files.clone() {
        files.push((format!("half of {name}"), file[..file.len() / 2].to_vec()));
        for at in [8, 9, 13, 40, 2000, file.len() / 2, file.len() - 30, file.len() - 1] {
            if at < file.len() {
                files.push((format!("{name} with byte {at} broken"), broken(&file, at)));
            }
        }
    }
    let mut out = vec![0; 1 << 20];
    let mut offsets = vec![0u32; 1 << 16];
    let (mut padded, mut lens) = (vec![[0; 16]; 1 << 16], vec![0; 1 << 16]);
    let (mut needle, mut tokens) = (vec![0; 16], vec![0; 1 << 16]);
    allocates_nothing(&files, ONPAIR, |bytes| {
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
        let Ok(wide) = plain.widened(&mut padded, &mut lens) else { return };
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
}

#[test]
fn zstd() {
    use unspool::zstd::{Decoder, Dictionary, Options, Workspace, decode, decoded_len, detect, inspect};
    let mut out = vec![0; 4 << 20];
    let mut window = vec![0; 4 << 20];
    let mut workspace = Workspace::new();
    let inside = [("", "files"), ("bad/draft", "entries"), ("bad/rfc8878", "entries")];
    let dictionaries =
        listed_by("zstd", &inside, |folder, entry| entry["dict"].as_str().map(|name| read(&folder.join(name))));
    let mut dictionaries = dictionaries.iter().map(|(_, dictionary)| dictionary.as_deref().map(Dictionary::new));
    allocates_nothing(&listed("zstd", &inside), ZSTD, |bytes| {
        let limits = Limits { max_output: 4 << 20, ..Limits::DEFAULT };
        let dictionary = dictionaries.next().unwrap();
        let options = Options { limits, flavour: detect(bytes), dictionary, ..Options::DEFAULT };
        let _ = inspect(bytes, &mut workspace, &options, &mut ());
        let _ = decoded_len(bytes, &mut workspace, &options);
        let _ = decode(bytes, &mut out, &mut workspace, &options, &mut ());
        let mut decoder = Decoder::new(&mut workspace, &mut window, &options);
        stream(bytes, &mut out, |src, dst| decoder.step(src, End::Here, dst));
    });
}

#[test]
fn xz() {
    use unspool::xz::{
        Decoder, File, IndexReader, Options, Workspace, decode, decode_to, decoded_len, inspect, salvage,
    };
    let files = with_broken_bytes("xz", 300);
    let (mut out, mut window, mut workspace) = (vec![0; 1 << 16], vec![0; 9 << 20], Workspace::new());
    allocates_nothing(&files, XZ, |bytes| {
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
        stream(bytes, &mut out, |src, dst| decoder.step(src, End::Here, dst));
    });
}

/// Each file runs with every set of options that one of them needs.
#[test]
fn lzma() {
    use unspool::lzma::{
        Architecture, Coder, Decoder, FilterKind, Header, LzmaWish, Options, Raw, SymbolReader, Workspace, decode,
        decode_to, decoded_len, inspect, salvage,
    };
    let files = with_broken_bytes("lzma", 100);
    let raw = |coder, filters| Options { raw: Some(Raw { coder, filters }), ..Options::DEFAULT };
    let lzma = |lc, lp, pb| Coder::Lzma(Header { lc, lp, pb, dictionary: 1 << 18, size: None });
    let lzma2 = Coder::Lzma2 { dictionary: 1 << 18 };
    let [arm, delta, delta_4] =
        [FilterKind::Branch(Architecture::Arm, 0), FilterKind::Delta(1), FilterKind::Delta(4)].map(Some);
    let options = [
        Options::DEFAULT,
        raw(lzma(3, 0, 2), [None; 3]),
        raw(lzma(1, 3, 4), [delta_4, None, None]),
        raw(lzma2, [None; 3]),
        raw(lzma2, [arm, delta, None]),
    ];
    let (mut out, mut window, mut workspace) = (vec![0; 1 << 16], vec![0; 9 << 20], Workspace::new());
    let mut decoded = [0; 5];
    allocates_nothing(&files, LZMA, |bytes| {
        for (options, decoded) in options.iter().zip(&mut decoded) {
            let _ = inspect(bytes, &mut workspace, &mut window, options, &mut ());
            let _ = decoded_len(bytes, &mut workspace, &mut window, options);
            *decoded += usize::from(decode(bytes, &mut out, &mut workspace, options, &mut ()).is_ok());
            let _ = salvage(bytes, &mut out, &mut workspace, options);
            let _ = decode_to(bytes, &mut Count::default(), &mut workspace, &mut window, options);
            let mut decoder = Decoder::new(&mut workspace, &mut window, options);
            stream(bytes, &mut out, |src, dst| decoder.step(src, End::Here, dst));
        }
        let mut reader = SymbolReader::new(&Limits::DEFAULT);
        let _ = reader.feed(bytes, End::Here, &mut workspace, &mut window, |_| LzmaWish::Symbols);
    });
    assert!(decoded.iter().all(|&files| files > 0), "{decoded:?}");
}

#[test]
fn gzip() {
    use unspool::gzip::{Decoder, Options, WINDOW_SIZE, Workspace, decode, decode_to, inspect, salvage};
    let files = with_broken_bytes("gzip", 100);
    let (mut out, mut window, mut workspace) = (vec![0; 1 << 16], vec![0; WINDOW_SIZE], Workspace::new());
    allocates_nothing(&files, GZIP, |bytes| {
        let _ = inspect(bytes, &mut workspace, &mut window, &Options::DEFAULT, &mut ());
        let _ = decode(bytes, &mut out, &mut workspace, &Options::DEFAULT, &mut ());
        let _ = salvage(bytes, &mut out, &mut workspace, &Options::DEFAULT);
        let _ = decode_to(bytes, &mut Count::default(), &mut workspace, &mut window, &Options::DEFAULT);
        let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
        stream(bytes, &mut out, |src, dst| decoder.step(src, End::Here, dst));
    });
}

/// Decodes a page of Pco in batches.
fn batches<L: pco::Latent>(chunk: &pco::Chunk<'_>, plan: pco::Plan, words: &mut [u64], numbers: &mut [L]) {
    let mut decoder = pco::Decoder::<L>::new(&chunk.meta, chunk.len, plan);
    if decoder.open(words).is_ok() && decoder.start(chunk.len, chunk.page_at).is_ok() {
        stream(chunk.page(), numbers, |src, dst| decoder.step(src, End::Here, dst));
        let _ = decoder.skip(chunk.page(), chunk.len, chunk.page_at);
    }
}

#[test]
fn pco() {
    use unspool::pco::{
        File, Options, Outline, Plan, SCRATCH_LEN, decode, decode_bytes, decode_to, decoded_len, inspect, salvage,
        workspace_len,
    };
    let folders = ["", "synth", "old", "assets", "bad"].map(|folder| (folder, "files"));
    let (mut out, mut words, mut scratch) = (vec![0; 1 << 20], vec![0; 1 << 18], [0; SCRATCH_LEN]);
    let mut numbers = ([0u8; 300], [0u16; 300], [0u32; 300], [0u64; 300], vec![0u32; 1 << 18]);
    let mut pages = [0; 4];
    allocates_nothing(&listed("pco", &folders), PCO, |bytes| {
        let mut outline = Outline::new(bytes.len() as u64, &Limits::DEFAULT);
        while let Some(needs) = outline.needs() {
            let [start, end] = [needs.start, needs.end].map(|at| usize::try_from(at).unwrap());
            if outline.feed(needs.start, &bytes[start..end], &mut words, &mut ()).is_err() {
                break;
            }
        }
        for plan in [Plan::Batches, Plan::CompactBatches] {
            let options = &Options { plan, ..Options::DEFAULT };
            let _ = workspace_len(bytes, options);
            let _ = inspect(bytes, &mut words, &mut scratch, options, &mut ());
            let _ = decoded_len(bytes, &mut words, options);
            let _ = decode_bytes(bytes, &mut out, &mut words, options, &mut ());
            let _ = decode_to(bytes, &mut Count::default(), &mut words, &mut scratch, options);
            let _ = decode(bytes, &mut numbers.4, &mut words, options, &mut ());
            let _ = salvage(bytes, &mut numbers.4, &mut words, options);
            let Ok(file) = File::open(bytes, &options.limits) else { return };
            let mut at = file.first();
            while let Ok(Some(chunk)) = file.chunk(at, &mut ()) {
                let log = chunk.number_type().bits().ilog2() - 3;
                match log {
                    0 => batches(&chunk, plan, &mut words, &mut numbers.0),
                    1 => batches(&chunk, plan, &mut words, &mut numbers.1),
                    2 => batches(&chunk, plan, &mut words, &mut numbers.2),
                    _ => batches(&chunk, plan, &mut words, &mut numbers.3),
                }
                pages[log as usize] += 1;
                let Ok(next) = chunk.skip(&mut words) else { break };
                at = next;
            }
        }
    });
    assert!(pages.iter().all(|&pages| pages > 50), "{pages:?}");
}

#[test]
fn at1() {
    let files = listed_by("at1", &[("", "vectors"), ("bad", "vectors")], |folder, entry| {
        read(&folder.join(text(entry, "name")).with_added_extension("at1"))
    });
    let limits = Limits { max_output: 16 << 20, ..Limits::DEFAULT };
    let options = unspool::at1::Options { limits, ..unspool::at1::Options::DEFAULT };
    let mut out = vec![0; 16 << 20];
    let mut scratch = vec![0; 32 << 20];
    let mut ws = Box::new(unspool::at1::Workspace::new());
    allocates_nothing(&files, AT1, |bytes| {
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
}

#[test]
fn at1_queries() {
    use unspool::at1::{Ask, ColumnRef, Filter, Options, Query, Request, Test, Workspace};
    let low_and_high = Test::Range { low: Some(b"5"), high: Some(b"1e9") };
    let filters = [Filter { column: ColumnRef::Number(0), test: low_and_high }];
    let requests = [
        Request { filters: &[], ask: Ask::Rows, limit: u64::MAX },
        Request { filters: &filters, ask: Ask::Columns(&[ColumnRef::Number(0), ColumnRef::Name(b"id")]), limit: 50 },
        Request { filters: &filters, ask: Ask::Sum(ColumnRef::Number(0)), limit: u64::MAX },
        Request { filters: &[], ask: Ask::Max(ColumnRef::Number(0)), limit: u64::MAX },
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
                            .try_for_each(|value| if value.len() > 1 << 30 { Err(too_long()) } else { Ok(()) })?;
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

fn too_long() -> unspool::Error {
    unspool::Error::new(unspool::ErrorKind::SinkFull, 0)
}
