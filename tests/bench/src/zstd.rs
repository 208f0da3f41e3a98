//! Zstandard against the C library, which writes the frames, and against two decoders in Rust.

use std::io::Read;

use ruzstd::decoding as ruzstd;
use structured_zstd::decoding as structured;
use unspool::zstd::{Decoder, Dictionary, Flavour, Options as How, Workspace, decode};
use unspool::{End, Status, Verify};

use crate::race::Race;
use crate::sequences::as_rfc8878;
use crate::words::{Words, sentence};
use crate::{Options, Result};

/// A kind of data: its name and a generator of pieces.
pub type Kind = (&'static str, fn(&mut Words, &mut Vec<u8>));

pub const KINDS: [Kind; 5] = [("text", text), ("json", json), ("csv", csv), ("binary", binary), ("letters", letters)];

/// Large data in one frame: the end of the name, bytes, level.
pub const LARGE: [(&str, usize, i32); 3] = [("20M-3", 20_000_000, 3), ("600K-3", 600_000, 3), ("600K-19", 600_000, 19)];

/// Small data in many frames, each decoded on its own.
const SMALL: [(&str, usize); 4] = [("500", 500), ("2K", 2000), ("8K", 8000), ("32K", 32_000)];
/// The bytes of all frames of a case. The processor cannot learn the branches of this many: it
/// learned those of 400 frames of 500 bytes, which no program decodes again and again.
const SMALL_BYTES: usize = 10_000_000;

/// Sizes of the pieces of a stream.
const PIECE: usize = 64 << 10;

/// Vectors of the big set with the same data in the draft's format and in that of the RFC.
const PAIRS: [(&str, &str); 8] = [
    ("text-300000-l1", "text-300000-l1"),
    ("text-300000-l16", "text-300000-l16"),
    ("json-300000-l3", "json-300000-l3"),
    ("json-300000-l13", "json-300000-l13"),
    ("csv-300000-l3", "csv-300000-l3"),
    ("csv-300000-l19", "csv-300000-l19"),
    ("bin-300000-l16", "bin-300000-l16"),
    ("json-20000000-l1", "json-20000000-l3"),
];

/// Runs every case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    for (kind, piece) in KINDS {
        for (end, size, level) in LARGE {
            let [once, stream] = ["", "stream-"].map(|how| format!("zstd/{kind}/{how}{end}"));
            if !options.wants(&once) && !options.wants(&stream) {
                continue;
            }
            let case = Case::new(vec![data(piece, size)], level, &[])?;
            if options.wants(&once) {
                case.race(&once)?;
            }
            if options.wants(&stream) && end != "600K-19" {
                case.race_stream(&stream)?;
            }
        }
        for (end, size) in SMALL {
            for dictionary in [false, true] {
                let name = format!("zstd/{kind}/{}{end}", if dictionary { "dict-" } else { "frames-" });
                if !options.wants(&name) || kind == "letters" || kind == "binary" {
                    continue;
                }
                let all = data(piece, SMALL_BYTES);
                let trained = if dictionary { train(piece)? } else { vec![] };
                Case::new(all.chunks(size).map(<[u8]>::to_vec).collect(), 3, &trained)?.race(&name)?;
            }
        }
    }
    pairs(options)
}

/// Returns pieces of one kind, `size` bytes of them.
pub fn data(piece: fn(&mut Words, &mut Vec<u8>), size: usize) -> Vec<u8> {
    let (mut words, mut all) = (Words::new(), vec![]);
    while all.len() < size {
        piece(&mut words, &mut all);
    }
    all.truncate(size);
    all
}

/// Trains a dictionary for small frames of one kind.
fn train(piece: fn(&mut Words, &mut Vec<u8>)) -> Result<Vec<u8>> {
    let all = data(piece, 4_000_000);
    let samples: Vec<_> = all.chunks(2000).collect();
    Ok(zstd::dict::from_samples(&samples, 32 << 10)?)
}

/// Frames, their contents, and their encoder settings.
struct Case {
    plain: Vec<Vec<u8>>,
    frames: Vec<Vec<u8>>,
    dictionary: Vec<u8>,
}

impl Case {
    fn new(plain: Vec<Vec<u8>>, level: i32, dictionary: &[u8]) -> Result<Self> {
        let mut encoder = zstd::bulk::Compressor::with_dictionary(level, dictionary)?;
        let frames = plain.iter().map(|plain| encoder.compress(plain)).collect::<std::io::Result<_>>()?;
        Ok(Self { plain, frames, dictionary: dictionary.to_vec() })
    }

    fn size(&self) -> usize {
        self.plain.iter().map(Vec::len).sum()
    }

    /// Decodes each frame with `decode`, and compares the output the first time.
    fn each(&self, mut decode: impl FnMut(&[u8], &mut [u8]) -> Result<usize>) -> impl FnMut() -> Result<()> {
        let longest = self.plain.iter().map(Vec::len).max().unwrap_or(0);
        let (mut room, mut first) = (vec![0; longest], true);
        move || {
            for (plain, frame) in self.plain.iter().zip(&self.frames) {
                let out = &mut room[..plain.len()];
                let len = decode(frame, out)?;
                if len != plain.len() || (first && out != plain) {
                    return Err("decoded to something else".into());
                }
            }
            first = false;
            Ok(())
        }
    }

    fn race(&self, name: &str) -> Result<()> {
        let mut workspace = Workspace::new();
        let known = !self.dictionary.is_empty();
        let mut tables = Workspace::new();
        let ours = Dictionary::new(&self.dictionary).prepared(Flavour::Rfc8878, &mut tables)?;
        let how = How { dictionary: known.then_some(ours), ..How::DEFAULT };
        let prepared = zstd::dict::DecoderDictionary::copy(&self.dictionary);
        let mut c = match known {
            true => zstd::bulk::Decompressor::with_prepared_dictionary(&prepared)?,
            false => zstd::bulk::Decompressor::new()?,
        };
        let handle = known.then(|| structured::DictionaryHandle::decode_dict(&self.dictionary)).transpose()?;
        let mut structured = structured::FrameDecoder::new();
        let mut rust = ruzstd::FrameDecoder::new();
        if known {
            rust.add_dict(ruzstd::Dictionary::decode_dict(&self.dictionary)?)?;
        }
        Race::new(
            name,
            self.size(),
            self.each(|frame, out| Ok(decode(frame, out, &mut workspace, &how, &mut ())?.wrote)),
        )
        .against("libzstd", self.each(|frame, out| Ok(c.decompress_to_buffer(frame, out)?)))
        .against(
            "structured-zstd",
            self.each(|frame, out| match &handle {
                Some(handle) => Ok(structured.decode_all_with_dict_handle(frame, out, handle)?),
                None => Ok(structured.decode_all(frame, out)?),
            }),
        )
        .against("ruzstd", self.each(|frame, out| Ok(rust.decode_all(frame, out)?)))
        .run()
    }

    /// Decodes frames from pieces to pieces.
    fn race_stream(&self, name: &str) -> Result<()> {
        let (mut workspace, mut window) = (Workspace::new(), vec![0; 10 << 20]);
        Race::new(
            name,
            self.size(),
            self.each(|frame, out| {
                let mut decoder = Decoder::new(&mut workspace, &mut window, &How::DEFAULT);
                let (mut read, mut wrote) = (0, 0);
                loop {
                    let to = frame.len().min(read + PIECE);
                    let end = if to == frame.len() { End::Here } else { End::NotYet };
                    let room = out.len().min(wrote + PIECE);
                    let step = decoder.step(&frame[read..to], end, &mut out[wrote..room])?;
                    (read, wrote) = (read + step.read, wrote + step.wrote);
                    if step.status == Status::Done {
                        return Ok(wrote);
                    }
                }
            }),
        )
        .against("libzstd", self.each(|frame, out| read_all(zstd::stream::Decoder::with_buffer(frame)?, out)))
        .against("structured-zstd", self.each(|frame, out| read_all(structured::StreamingDecoder::new(frame), out)))
        .against("ruzstd", self.each(|frame, out| read_all(ruzstd::StreamingDecoder::new(frame)?, out)))
        .run()
    }
}

/// Runs a stream piece by piece to its end.
fn read_all(mut from: impl Read, out: &mut [u8]) -> Result<usize> {
    let mut wrote = 0;
    loop {
        let room = out.len().min(wrote + PIECE);
        match from.read(&mut out[wrote..room])? {
            0 => return Ok(wrote),
            len => wrote += len,
        }
    }
}

/// Compares draft frames with RFC frames of the same data: by the current encoder, and with the
/// same sequences. Ours decodes all of them. No current encoder writes draft frames.
fn pairs(options: &Options) -> Result<()> {
    let wanted = PAIRS.iter().filter(|(draft, _)| options.wants(&format!("zstd/draft/{draft}")));
    for (draft, rfc) in wanted {
        let Some(vectors) = unspool_tests::big_set() else {
            println!("zstd/draft/{draft}: left out, its file is in the big set of vectors");
            continue;
        };
        let folder = vectors.join("zstd");
        let old = std::fs::read(folder.join(format!("draft/{draft}.zst")))?;
        let new = std::fs::read(folder.join(format!("rfc8878/{rfc}.zst")))?;
        let plain = zstd::stream::decode_all(&new[..])?;
        let decoding = |bytes: Vec<u8>| {
            let (mut workspace, mut out) = (Workspace::new(), vec![0; plain.len()]);
            let plain = &plain;
            let mut first = true;
            move || {
                let how = How { verify: Verify::Skip, ..How::DEFAULT };
                decode(&bytes, &mut out, &mut workspace, &how, &mut ())?;
                let same = !first || out == *plain;
                first = false;
                if same { Ok(()) } else { Err("decoded to something else".into()) }
            }
        };
        let level = draft.rsplit_once("-l").and_then(|(_, level)| level.parse().ok()).unwrap_or(3);
        let alike = as_rfc8878(&old, &plain, level)?;
        Race::new(&format!("zstd/draft/{draft}"), plain.len(), decoding(old))
            .against("RFC 8878", decoding(new))
            .against("the same sequences", decoding(alike))
            .run()?;
    }
    Ok(())
}

fn text(words: &mut Words, out: &mut Vec<u8>) {
    let mut line = String::new();
    sentence(words, &mut line);
    line.push(if words.below(6) == 0 { '\n' } else { ' ' });
    out.extend(line.as_bytes());
}

fn json(words: &mut Words, out: &mut Vec<u8>) {
    let (id, price, stock) = (words.below(1 << 30), words.below(100_000), words.below(500));
    let name = [words.word().to_owned(), words.word().to_owned(), words.word().to_owned()].join(" ");
    let category = words.pick(&["books", "garden", "kitchen", "music", "tools"]);
    let seen = format!(
        "2026-{:02}-{:02}T{:02}:{:02}",
        1 + words.below(12),
        1 + words.below(28),
        words.below(24),
        words.below(60)
    );
    let line = format!(
        "{{\"id\":\"{id:08x}\",\"name\":\"{name}\",\"category\":\"{category}\",\"price\":{}.{:02},\"stock\":{stock},\"seen\":\"{seen}\"}},\n",
        price / 100,
        price % 100,
    );
    out.extend(line.as_bytes());
}

fn csv(words: &mut Words, out: &mut Vec<u8>) {
    let mut line = format!("{},{}", words.below(10_000), words.word());
    for bound in [10, 1000, 1000, 100_000] {
        line += &format!(",{}.{}", words.below(bound), words.below(100));
    }
    out.extend(line.as_bytes());
    out.push(b'\n');
}

/// Returns records as programs keep them: a counter, flags, a few numbers of different sizes, a
/// float.
fn binary(words: &mut Words, out: &mut Vec<u8>) {
    let count = u32::try_from(out.len()).unwrap_or(0) / 32;
    out.extend(count.to_le_bytes());
    let word = |words: &mut Words, bound| u32::try_from(words.below(bound)).unwrap_or(0).to_le_bytes();
    for bound in [4, 300, 70_000] {
        out.extend(word(words, bound));
    }
    let float = words.below(1000) as f64 / 8.0;
    out.extend(float.to_le_bytes());
    let name = words.word().as_bytes();
    out.extend(name.iter().chain(&[0; 8]).take(8));
}

/// Returns independent letters, some more frequent than others: only Huffman coding can shorten
/// them.
fn letters(words: &mut Words, out: &mut Vec<u8>) {
    out.extend((0..1000).map(|_| b"aaaaaaaabbbbbccccdddeeefffgghhiijklmnopqrstu"[words.below(44)]));
}
