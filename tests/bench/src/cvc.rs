//! CVC against numpy, converting as the reference loader does, and against copying the output.

use std::cell::RefCell;
use std::io::{Read, Seek, SeekFrom};

use unspool::checksum::Crc32;
use unspool::cvc::{self, File, Header, Workspace};
use unspool::{Limits, Verify};

use crate::beside::Waiting;
use crate::race::Race;
use crate::scratch::Folder;
use crate::{Options, Result, numpy};

/// The storage of a file's values.
#[derive(Clone, Copy)]
enum Kind {
    Fp16,
    Int8,
}

/// Runs every case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    // The large files have 10 MB each. A small file and its output fit the cache of a core
    // together.
    let cases = [
        ("cvc/fp16/file-10MB", Kind::Fp16, 5000, 1024, false),
        ("cvc/fp16/cached", Kind::Fp16, 256, 384, true),
        ("cvc/int8/file-10MB", Kind::Int8, 10_000, 1024, false),
        ("cvc/int8/cached", Kind::Int8, 256, 384, true),
    ];
    let mut wanted = cases.iter().filter(|case| options.wants(case.0));
    wanted.try_for_each(|&(name, kind, rows, dimension, cached)| one(options, name, kind, rows, dimension, cached))
}

fn one(options: &Options, case: &str, kind: Kind, rows: usize, dimension: usize, cached: bool) -> Result<()> {
    let bytes = write(kind, rows, dimension);
    let folder = Folder::new()?;
    let path = folder.write("file.cvc", &bytes)?;
    let numpy = RefCell::new(numpy::start(&options.python, &path, cached, false)?);
    let thrifty = RefCell::new(numpy::start(&options.python, &path, cached, true)?);
    let mut values = vec![0.0f32; rows * dimension];
    // As the loader in Python: one chunk at a time is in memory, in pages that were touched before.
    let ours = |values: &mut [f32], buffer: &mut Vec<u8>| {
        if cached { decode(&bytes, values) } else { decode_file(&std::fs::File::open(&path)?, buffer, values) }
    };

    let mut buffer = vec![];
    ours(&mut values, &mut buffer)?;
    let decoded: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    for numpy in [&numpy, &thrifty] {
        numpy.borrow_mut().check("numpy", &decoded)?;
    }

    let mut copy = vec![0u8; decoded.len()];
    Race::new(case, decoded.len(), || ours(&mut values, &mut buffer))
        .against_other("numpy", Waiting { program: &numpy, who: "numpy" })
        .against_other("numpy, pages kept", Waiting { program: &thrifty, who: "numpy" })
        .against("memcpy", || {
            std::hint::black_box(&mut copy).copy_from_slice(std::hint::black_box(&decoded));
            Ok(())
        })
        .run()
}

fn decode(bytes: &[u8], values: &mut [f32]) -> Result<()> {
    cvc::decode(bytes, values, &mut Workspace::new(), &cvc::Options::DEFAULT, &mut ())?;
    Ok(())
}

/// Reads each chunk of the plan into the same buffer.
fn decode_file(mut source: &std::fs::File, buffer: &mut Vec<u8>, values: &mut [f32]) -> Result<()> {
    let mut head = [0; Header::LEN];
    source.read_exact(&mut head)?;
    let mut head = head.to_vec();
    head.resize(usize::try_from(Header::read(&head, &Limits::DEFAULT)?.head_len())?, 0);
    source.read_exact(head.get_mut(Header::LEN..).unwrap_or(&mut []))?;
    let file = File::open(&head, &Limits::DEFAULT)?;
    let column = file.only_column()?;
    let (mut plan, mut rest) = (column.plan(column.rows())?, values);
    while let Some(range) = plan.needs() {
        buffer.resize(usize::try_from(range.end - range.start)?, 0);
        source.seek(SeekFrom::Start(range.start))?;
        source.read_exact(buffer)?;
        let payload = plan.feed(range.start, buffer, Verify::Refuse)?;
        let payload = payload.ok_or("the header does not tell how long a chunk is")?;
        let (values, after) = rest.split_at_mut_checked(payload.len()).ok_or("more values than expected")?;
        payload.decode(values)?;
        rest = after;
    }
    if rest.is_empty() { Ok(()) } else { Err("fewer values than expected".into()) }
}

/// Writes a CVC 1.0 file of vectors as models make them: components from -1 to 1, 1000 rows a
/// chunk.
fn write(kind: Kind, rows: usize, dimension: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, _, low, high] = state.to_le_bytes();
        u16::from_le_bytes([low, high])
    };
    let (mut chunks, mut payloads) = (vec![], vec![]);
    for first in (0..rows).step_by(1000) {
        let rows = (rows - first).min(1000);
        let values = (0..rows * dimension).map(|_| random());
        let payload: Vec<u8> = match kind {
            Kind::Fp16 => {
                values.flat_map(|n| half::f16::from_f32(f32::from(n) / 32768.0 - 1.0).to_le_bytes()).collect()
            }
            // From -1 to 1 in 255 steps.
            Kind::Int8 => values.map(|n| n.to_be_bytes()[0]).collect(),
        };
        chunks.push(match kind {
            Kind::Fp16 => format!("{{\"compression\":\"fp16\",\"rows\":{rows}}}"),
            Kind::Int8 => {
                format!("{{\"compression\":\"int8\",\"min\":-1.0,\"rows\":{rows},\"scale\":0.00784313725490196}}")
            }
        });
        payloads.extend(u32::try_from(payload.len()).unwrap_or(0).to_le_bytes());
        payloads.extend(Crc32::of(&payload).to_le_bytes());
        payloads.extend(payload);
    }
    let name = match kind {
        Kind::Fp16 => "fp16",
        Kind::Int8 => "int8",
    };
    let chunks = chunks.join(",");
    let header = format!(
        "{{\"chunks\":[{chunks}],\"compression\":\"{name}\",\"dimension\":{dimension},\"num_vectors\":{rows}}}"
    );
    let mut file = b"CVCF\x01\0\0\0".to_vec();
    file.extend(u32::try_from(header.len()).unwrap_or(0).to_le_bytes());
    file.extend(header.bytes());
    file.extend(payloads);
    file
}
