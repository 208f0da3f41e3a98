//! LZMA by itself on arbitrary bytes: no panic, every door returns the same result, and the C
//! library agrees.

use unspool::Limits;
use unspool::lzma::{Architecture, Coder, FilterKind, Header, Options, Raw, Workspace, decode_to_vec, inspect};

use unspool_harness::lzma::agree;
use unspool_harness::{Random, traced_done};

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 16, max_window: 1 << 17, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, raw: None };

/// Decodes arbitrary bytes, as a `.lzma` file and as a raw stream.
pub fn lzma_arbitrary(bytes: &[u8]) {
    let random = &mut Random::of(bytes);
    let _ = agree(bytes, &OPTIONS);
    let _ = agree(bytes, &raw(random));
}

/// Decodes arbitrary bytes after a header that is valid, so that the symbols are read.
pub fn lzma_mutated(bytes: &[u8]) {
    let _ = agree(&repaired(bytes), &OPTIONS);
}

/// Compares with the C library: it must accept the same files, with the same output.
pub fn lzma_differential(bytes: &[u8]) {
    let random = &mut Random::of(bytes);
    for (bytes, options) in [(repaired(bytes), OPTIONS), (bytes.to_vec(), raw(random))] {
        let (ws, mut window) = (&mut Workspace::new(), vec![0; 1 << 17]);
        let _ = traced_done("inspect", &bytes, |leaves| inspect(&bytes, ws, &mut window, &options, leaves));
        let ours = decode_to_vec(&bytes, &options);
        match (reference(&bytes, &options), ours) {
            (None, _) | (Some(Err(())), Err(_)) => {}
            (Some(Ok(reference)), Ok(ours)) => assert!(reference == ours, "other bytes than the reference"),
            (Some(Err(())), Ok(_)) => panic!("the reference refuses this file: {options:?}"),
            // The library keeps a little more history than the header says, and has no limit.
            (Some(Ok(_)), Err(error)) => {
                use unspool::ErrorKind::{OutputLimit, XzDistance};
                let known = [XzDistance, OutputLimit];
                assert!(known.contains(&error.kind), "the reference accepts this file, but: {error}");
            }
        }
    }
}

/// Options of a raw stream: those of the seeds, or others.
fn raw(random: &mut Random) -> Options {
    let header = match random.below(3) {
        0 => Header { dictionary: 1 << 16, ..Header::DEFAULT },
        1 => Header { lc: 1, lp: 3, pb: 4, dictionary: 1 << 16, size: None },
        _ => Header { lc: 0, lp: 2, pb: 0, dictionary: 4096, size: None },
    };
    let coder = if random.below(2) == 0 { Coder::Lzma(header) } else { Coder::Lzma2 { dictionary: header.dictionary } };
    let filters = match random.below(4) {
        0 => [None; 3],
        1 => [Some(FilterKind::Delta(4)), None, None],
        2 => [Some(FilterKind::Branch(Architecture::X86, 0)), None, None],
        _ => [Some(FilterKind::Branch(Architecture::Arm, 0)), Some(FilterKind::Delta(1)), None],
    };
    Options { raw: Some(Raw { coder, filters }), ..OPTIONS }
}

/// Makes the properties and the dictionary valid, and one size of four a small one.
fn repaired(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some((head, _)) = bytes.split_first_chunk_mut::<14>() {
        let (lc, lp, pb) = (head[0] % 5, head[0] / 9 % 5, head[0] / 45 % 5);
        head[0] = (pb * 5 + lp.min(4 - lc)) * 9 + lc;
        head[3..5].copy_from_slice(&[0, 0]);
        if head[12] % 4 == 0 {
            head[7..13].fill(0);
        } else {
            head[5..13].fill(0xFF);
        }
        head[13] = 0;
    }
    bytes
}

/// Decodes with the C library. Returns `None` if that takes more memory or output than a fuzzed
/// file should.
fn reference(bytes: &[u8], options: &Options) -> Option<core::result::Result<Vec<u8>, ()>> {
    use liblzma::stream::{Action, Error, Filters, LzmaOptions, Status, Stream};
    let mut decoder = match options.raw {
        None => Stream::new_lzma_decoder(1 << 26).unwrap(),
        Some(raw) => {
            let mut filters = Filters::new();
            for filter in raw.filters.into_iter().flatten() {
                match filter {
                    FilterKind::Delta(distance) => {
                        filters.delta_properties(&[u8::try_from(distance - 1).unwrap()]).unwrap()
                    }
                    FilterKind::Branch(Architecture::X86, _) => filters.x86(),
                    FilterKind::Branch(Architecture::Arm, _) => filters.arm(),
                    _ => unreachable!("no other filter is made"),
                };
            }
            let mut lzma = LzmaOptions::new_preset(6).unwrap();
            match raw.coder {
                Coder::Lzma(Header { lc, lp, pb, dictionary, .. }) => {
                    lzma.dict_size(dictionary).literal_context_bits(lc.into());
                    lzma.literal_position_bits(lp.into()).position_bits(pb.into());
                    filters.lzma1(&lzma);
                }
                Coder::Lzma2 { dictionary } => {
                    lzma.dict_size(dictionary);
                    filters.lzma2(&lzma);
                }
                _ => unreachable!("no other coder is made"),
            }
            Stream::new_raw_decoder(&filters).unwrap()
        }
    };
    let (mut out, mut rest) = (Vec::with_capacity(1 << 17), bytes);
    loop {
        let (read, wrote) = (decoder.total_in(), out.len());
        match decoder.process_vec(rest, &mut out, Action::Finish) {
            // Nothing may follow.
            Ok(Status::StreamEnd) if decoder.total_in() < bytes.len() as u64 => return Some(Err(())),
            Ok(Status::StreamEnd) => return Some(Ok(out)),
            Ok(_) if out.len() == out.capacity() => return None,
            Ok(_) if decoder.total_in() == read && out.len() == wrote => return Some(Err(())),
            Ok(_) => rest = &rest[usize::try_from(decoder.total_in() - read).unwrap()..],
            Err(Error::MemLimit) => return None,
            Err(_) => return Some(Err(())),
        }
    }
}
