//! Headers that claim more than their file holds. Work and memory depend on the size of the file
//! and of the output, never on the claim.
//!
//! Work is counted in steps: fields that a trace hears, and turns of the loops that count. Memory
//! is counted by an allocator, for which this is a test crate of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use unspool::{Limits, Name, Part, Trace, Value, at1, cvc, gzip, lzma, onpair, pco, steps, xz, zstd};
use unspool_tests::{Random, files_in, read, vector_folders};

struct Counting;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn size(layout: Layout) -> i64 {
    i64::try_from(layout.size()).unwrap_or(i64::MAX)
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches none of its memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + size(layout));
        PEAK.set(PEAK.get().max(HELD.get()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - size(layout));
        // SAFETY: the pointer came from `alloc` above, which is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The limits that callers get: 16 GiB of output.
const LIMITS: Limits = Limits::DEFAULT;

/// Steps and bytes of tables, which have a size of their own: those of Pco have 2^14 entries.
const TABLE_STEPS: u64 = 200_000;
const TABLES: u64 = 4 << 20;

/// The limit of Pco. A chunk of 2^24 equal numbers takes 40 bytes of a file, and much time.
const PCO_OUTPUT: u64 = 1 << 20;

/// Counts what a trace hears, and keeps the fields that may claim something.
#[derive(Default)]
struct Fields {
    heard: u64,
    found: Vec<(Name, Range<u64>)>,
}

impl Trace for Fields {
    fn enter(&mut self, _: Name, _: Value<'_>) {
        self.heard += 1;
    }

    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        self.heard += 1;
        let is_number = matches!(value, Value::U64(_) | Value::I64(_) | Value::Text(_) | Value::None);
        if self.found.len() < 4096 && is_number && matches!(part, Part::Framing | Part::Header | Part::Table) {
            self.found.push((name, bits));
        }
    }

    fn leave(&mut self) {}
}

/// A format: its folder and extension, and doors that read its headers, which return the bytes of
/// the output. `repair` makes checksums and lengths of headers right again.
struct Format {
    name: &'static str,
    extension: &'static str,
    doors: fn(&[u8], &mut Fields) -> usize,
    repair: fn(&mut Vec<u8>),
    /// The kinds of fields that are oversized, at least.
    kinds: usize,
    /// The most memory before anything is decoded: bytes for each byte of a file, and bytes
    /// besides.
    memory: (u64, u64),
}

fn keep(_: &mut Vec<u8>) {}

const FORMATS: [Format; 8] = [
    Format {
        name: "zstd",
        extension: "zst",
        doors: |bytes, fields| {
            let options = zstd::Options { limits: LIMITS, ..zstd::Options::DEFAULT };
            let ws = &mut zstd::Workspace::new();
            let _ = zstd::inspect(bytes, ws, &options, fields);
            let _ = zstd::decoded_len(bytes, ws, &options);
            let _ = zstd::stream_buffer(bytes, &options);
            let _ = zstd::File::open(bytes, &LIMITS);
            zstd::decode_to_vec(bytes, &options).map_or(0, |content| content.len())
        },
        repair: keep,
        kinds: 5,
        memory: (64, TABLES),
    },
    Format {
        name: "xz",
        extension: "xz",
        doors: |bytes, fields| {
            let options = xz::Options { limits: LIMITS, ..xz::Options::DEFAULT };
            let ws = &mut xz::Workspace::new();
            let _ = xz::inspect(bytes, ws, &options, fields);
            let _ = xz::decoded_len(bytes, ws, &options);
            xz::decode_to_vec(bytes, &options).map_or(0, |content| content.len())
        },
        repair: |bytes| unspool_harness::xz::repair(bytes),
        kinds: 5,
        memory: (64, TABLES),
    },
    Format {
        name: "lzma",
        extension: "lzma",
        doors: |bytes, fields| {
            let options = lzma::Options { limits: LIMITS, ..lzma::Options::DEFAULT };
            let (ws, window) = (&mut lzma::Workspace::new(), &mut vec![0; 1 << 17]);
            let _ = lzma::inspect(bytes, ws, window, &options, fields);
            lzma::decode_to_vec(bytes, &options).map_or(0, |content| content.len())
        },
        repair: keep,
        kinds: 2,
        memory: (8192, TABLES),
    },
    Format {
        name: "gzip",
        extension: "gz",
        doors: |bytes, fields| {
            let options = gzip::Options { limits: LIMITS, ..gzip::Options::DEFAULT };
            let (ws, window) = (&mut gzip::Workspace::new(), &mut vec![0; 1 << 17]);
            let _ = gzip::inspect(bytes, ws, window, &options, fields);
            gzip::decode_to_vec(bytes, &options).map_or(0, |content| content.len())
        },
        repair: keep,
        kinds: 2,
        memory: (64, TABLES),
    },
    Format {
        name: "pco",
        extension: "pco",
        doors: |bytes, fields| {
            let limits = Limits { max_output: PCO_OUTPUT, ..LIMITS };
            let options = pco::Options { limits, ..pco::Options::DEFAULT };
            let (words, scratch) = (&mut vec![0; 1 << 18], &mut vec![0; pco::SCRATCH_LEN]);
            let _ = pco::inspect(bytes, words, scratch, &options, fields);
            let _ = pco::workspace_len(bytes, &options);
            let _ = pco::decoded_len(bytes, words, &options);
            let mut wrote = 0;
            let _ = pco::decode_chunks(bytes, &limits, &mut (), |_, content| {
                wrote += content.len();
                Ok(())
            });
            wrote
        },
        repair: keep,
        kinds: 5,
        memory: (64, TABLES + PCO_OUTPUT),
    },
    Format {
        name: "onpair",
        extension: "onp",
        doors: |bytes, fields| {
            let (options, ws) = (onpair::Options { limits: LIMITS }, &mut onpair::Workspace::new());
            let _ = onpair::inspect(bytes, ws, &options, fields);
            let _ = onpair::decoded_len(bytes, ws, &options);
            onpair::decode_to_vec(bytes, &options).map_or(0, |content| content.len())
        },
        repair: keep,
        kinds: 4,
        memory: (64, TABLES),
    },
    Format {
        name: "cvc",
        extension: "cvc",
        doors: |bytes, fields| {
            let options = cvc::Options { limits: LIMITS, ..cvc::Options::DEFAULT };
            let ws = &mut cvc::Workspace::new();
            let _ = cvc::inspect(bytes, ws, &options, fields);
            let _ = cvc::decoded_len(bytes, ws, &options);
            cvc::decode_to_vec::<f32>(bytes, &options).map_or(0, |content| content.len() * 4)
        },
        // The length of the head, up to the last bracket.
        repair: |bytes| {
            let end = bytes.iter().position(|&byte| byte == b'\n' || byte == 0x80).unwrap_or(bytes.len());
            if let Some(head) = bytes.get(8..end)
                && let Some(last) = head.iter().rposition(|&byte| byte == b'}')
            {
                let len = u32::try_from(last + 1).unwrap_or(u32::MAX).to_le_bytes();
                bytes[4..8].copy_from_slice(&len);
            }
        },
        kinds: 5,
        memory: (64, TABLES),
    },
    Format {
        name: "at1",
        extension: "at1",
        doors: |bytes, fields| {
            let options = at1::Options { limits: LIMITS, ..at1::Options::DEFAULT };
            let ws = &mut at1::Workspace::new();
            let _ = at1::inspect(bytes, ws, &options, fields);
            let _ = at1::scratch_len(bytes, &options);
            at1::decode_to_vec(bytes, &options).map_or(0, |content| content.len())
        },
        repair: keep,
        kinds: 5,
        memory: (64, TABLES),
    },
];

/// Returns the bytes with a field oversized, in several ways.
fn oversized(bytes: &[u8], bits: &Range<u64>) -> Vec<Vec<u8>> {
    let (start, end) = (usize::try_from(bits.start).unwrap(), usize::try_from(bits.end).unwrap());
    let with = |chosen: &dyn Fn(usize) -> bool| {
        let mut changed = bytes.to_vec();
        for bit in (start..end.min(start + 128)).filter(|&bit| chosen(bit)) {
            changed[bit / 8] |= 1 << (bit % 8);
        }
        changed
    };
    let mut all = vec![with(&|_| true), with(&|bit| bit + 1 == end), with(&|bit| bit + 8 >= end)];
    if start.is_multiple_of(8) && end.is_multiple_of(8) {
        let splice = |number: &[u8]| [&bytes[..start / 8], number, &bytes[end / 8..]].concat();
        // The largest numbers of LEB128, with 63 bits and with 64, and of JSON.
        all.push(splice(b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"));
        all.push(splice(b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"));
        all.push(splice(b"\xFF\xFF\xFF\xFF\x07"));
        all.push(splice(b"9007199254740991"));
        all.push(splice(b"4294967295"));
    }
    all
}

/// What the doors took.
struct Cost {
    steps: u64,
    /// The most bytes that were allocated at a time.
    peak: u64,
    output: u64,
}

fn measured(format: &Format, bytes: &[u8], fields: &mut Fields) -> Cost {
    let _ = steps::take();
    let before = HELD.get();
    PEAK.set(before);
    let output = (format.doors)(bytes, fields) as u64;
    Cost { steps: steps::take() + fields.heard, peak: u64::try_from(PEAK.get() - before).unwrap_or(0), output }
}

#[test]
fn oversized_headers_cost_no_more_than_the_file_holds() {
    let (mut kinds, mut random) = (BTreeSet::new(), Random(3));
    for format in &FORMATS {
        let files = vector_folders(format.name).into_iter().take(1).flat_map(|folder| files_in(&folder));
        let wanted = files.filter(|path| path.extension().is_some_and(|found| found == format.extension));
        let mut files: Vec<_> = wanted.map(|path| read(&path)).filter(|bytes| bytes.len() <= 2000).collect();
        assert!(files.len() >= 2, "{} files of {}", files.len(), format.name);
        while files.len() > 40 {
            files.swap_remove(random.below(files.len()));
        }
        let (mut tried, mut most) = (0, (0, 0));
        for bytes in files {
            let mut fields = Fields::default();
            let valid = measured(format, &bytes, &mut fields);
            // Two fields of each name, and some others.
            let mut seen: BTreeMap<u16, u32> = BTreeMap::new();
            for (name, bits) in fields.found {
                let count = seen.entry(name as u16).or_default();
                *count += 1;
                if *count > 2 && random.below(30) > 0 {
                    continue;
                }
                kinds.insert((format.name, name as u16));
                for mut claim in oversized(&bytes, &bits) {
                    (format.repair)(&mut claim);
                    let Cost { steps, peak, output } = measured(format, &claim, &mut Fields::default());
                    // A step for each byte of the input, or for 16 bytes of the output, in each
                    // door.
                    let size = claim.len() as u64 + valid.steps + output / 16;
                    assert!(
                        steps <= 4 * size + TABLE_STEPS,
                        "{}, {name:?}: {steps} steps in {claim:02x?}",
                        format.name
                    );
                    let (each, besides) = format.memory;
                    let room = each * claim.len() as u64 + 3 * output + besides;
                    assert!(peak <= room, "{}, {name:?}: {peak} bytes for {claim:02x?}", format.name);
                    (tried, most) = (tried + 1, (steps.max(most.0), peak.max(most.1)));
                }
            }
        }
        println!("{}: {tried} claims, at most {} steps and {} bytes", format.name, most.0, most.1);
        let of_format = kinds.iter().filter(|(owner, _)| *owner == format.name).count();
        assert!(of_format >= format.kinds, "{}: only {of_format} kinds of fields", format.name);
    }
    println!("{} kinds of fields", kinds.len());
    assert!(kinds.len() >= 25, "only {} kinds", kinds.len());
}
