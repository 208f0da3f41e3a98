//! The structure of a file: its headers, its leaves, its symbols.

use super::*;

fn is_short(vector: &Vector) -> bool {
    vector.bytes.len() <= 400_000
}

#[test]
fn leaves_tile_every_valid_file() {
    valid_if(is_short, COMPACT, |vector| {
        let mut leaves = Leaves::default();
        let done = inspect(&vector.bytes, &mut Workspace::new(), &vector.options(), &mut leaves);
        assert_eq!(done.map(|done| done.read), Ok(vector.bytes.len()), "{}", vector.name);
        leaves.assert_tile(vector.bytes.len(), &vector.name);
    });
}

/// Compares the headers of a file with an outline that reads only the ranges it asks for.
fn outlined(bytes: &[u8], flavour: Flavour) -> (Leaves, Result<(u64, u64), Error>) {
    let mut leaves = Leaves::default();
    let mut outline = Outline::new(bytes.len() as u64, flavour);
    while let Some(range) = outline.needs() {
        if let Err(error) = outline.feed(range.start, &bytes[range.start as usize..range.end as usize], &mut leaves) {
            assert_eq!(outline.needs(), None);
            return (leaves, Err(error));
        }
    }
    (leaves, Ok((outline.frames(), outline.blocks())))
}

#[test]
fn outlines_find_every_block_from_headers_alone() {
    let at =
        |leaves: &Leaves| leaves.leaves.iter().filter(|leaf| leaf.1 == Name::BlockHeader).cloned().collect::<Vec<_>>();
    valid_if(is_short, COMPACT, |vector| {
        let flavour = vector.flavour;
        let mut all = Leaves::default();
        let done = inspect(&vector.bytes, &mut Workspace::new(), &vector.told(), &mut all).unwrap();
        let frames = all.leaves.iter().filter(|leaf| leaf.1 == Name::MagicNumber).count() as u64;
        let (leaves, counts) = outlined(&vector.bytes, flavour);
        assert_eq!(at(&leaves), at(&all), "{}", vector.name);
        assert_eq!(counts, Ok((frames, done.blocks)), "{}", vector.name);
        assert_eq!(done.blocks, at(&all).len() as u64, "{}", vector.name);
        leaves.assert_tile(vector.bytes.len(), &vector.name);
        // The outline of a truncated file ends where the file does.
        for cut in (1..vector.bytes.len()).filter(|cut| vector.bytes.len() < 700 || cut % 997 == 0) {
            if let Err(error) = outlined(&vector.bytes[..cut], flavour).1 {
                assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{}", vector.name);
            }
        }
    });
    assert_eq!(outlined(b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst!", Flavour::Rfc8878).1.unwrap_err().at, 12);
    assert_eq!(Outline::new(9, Flavour::V07).feed(0, &[0; 8], &mut ()).unwrap_err().class(), Class::Truncated);
}

#[test]
fn a_header_tells_its_variant_and_whether_its_size_is_known() {
    let read = |bytes: &[u8], flavour| Header::read(bytes, &Limits::NONE, flavour).unwrap();
    for variant in 0..16 {
        let bytes = [0x50 | variant, 0x2A, 0x4D, 0x18, 7, 0, 0, 0];
        assert_eq!(read(&bytes, Flavour::Rfc8878), Header::Skippable { variant, size: 7 });
    }
    // Before the RFC, a size of zero means an unknown one, unless the frame is one segment.
    for (flavour, magic, zero) in
        [(Flavour::Rfc8878, 0x28, Some(0)), (Flavour::Draft, 0x28, None), (Flavour::V07, 0x27, None)]
    {
        let size = |header| match header {
            Header::Frame(frame) => frame.content_size,
            Header::Skippable { .. } => panic!("a frame"),
        };
        let windowed = |content| [magic, 0xB5, 0x2F, 0xFD, 0x80, 0, content, 0, 0, 0];
        assert_eq!(size(read(&windowed(0), flavour)), zero, "{flavour:?}");
        assert_eq!(size(read(&windowed(9), flavour)), Some(9), "{flavour:?}");
        assert_eq!(size(read(&[magic, 0xB5, 0x2F, 0xFD, 0xA0, 0, 0, 0, 0], flavour)), Some(0), "{flavour:?}");
    }
}

#[test]
fn inspects_frames_without_their_dictionary() {
    let names_its_dictionary = |vector: &Vector| {
        let id = vector.dictionary.as_deref().map_or(0, |bytes| Dictionary::new(bytes).id());
        let header = Header::read(&vector.bytes, &Limits::NONE, vector.flavour);
        id != 0 && matches!(header, Ok(Header::Frame(frame)) if frame.dictionary_id == id)
    };
    valid_if(names_its_dictionary, 82, |vector| {
        let mut workspace = Workspace::new();
        let (with, without) = (vector.told(), Options { dictionary: None, ..vector.told() });
        let (mut all, mut blind) = (Leaves::default(), Symbols(Leaves::default()));
        let seeing = inspect(&vector.bytes, &mut workspace, &with, &mut all).unwrap();
        let seen = inspect(&vector.bytes, &mut workspace, &without, &mut blind).unwrap();
        // The length of the content is unknown without it.
        assert_eq!(Done { content: 0, ..seen }, Done { content: 0, ..seeing }, "{}", vector.name);
        assert!(blind.0.leaves == all.leaves, "{}", vector.name);
        let size = decoded_len(&vector.bytes, &mut workspace, &without).map_err(|error| error.kind);
        assert_eq!(size, Err(ErrorKind::ZstdDictionaryWanted));
        // Errors in the structure still show.
        broken(vector, |bytes| {
            let _ = inspect(bytes, &mut workspace, &without, &mut Symbols(Leaves::default()));
        });
    });
}

/// Rebuilds the content from the symbols that are emitted.
#[derive(Default)]
struct Rebuilt<'a> {
    src: &'a [u8],
    leaves: Leaves,
    open: Vec<Name>,
    out: Vec<u8>,
    literals: Vec<u8>,
    size: usize,
    sequence: [usize; 3],
    /// The length of a run is not emitted.
    runs: bool,
}

impl Trace for Rebuilt<'_> {
    fn enter(&mut self, name: Name, value: Value<'_>) {
        self.leaves.enter(name, value);
        self.open.push(name);
        if let (Name::Literals, Value::U64(size)) = (name, value) {
            (self.size, self.literals) = (size as usize, vec![]);
        }
    }

    fn leaf(&mut self, part: Part, name: Name, bits: std::ops::Range<u64>, value: Value<'_>) {
        let bytes = &self.src[bits.start as usize / 8..bits.end as usize / 8];
        let number = if let Value::U64(number) = value { number as usize } else { 0 };
        match name {
            Name::RawBytes => self.out.extend(bytes),
            Name::Byte => self.runs = true,
            Name::RawLiterals => self.literals.extend(bytes),
            Name::RepeatedLiteral => self.literals = vec![number as u8; self.size],
            Name::Literal => self.literals.push(number as u8),
            Name::LiteralLength => self.sequence[0] = number,
            Name::MatchLength => self.sequence[1] = number,
            Name::Offset | Name::RepeatedOffset => self.sequence[2] = number,
            _ => {}
        }
        self.leaves.leaf(part, name, bits, value);
    }

    fn leave(&mut self) {
        self.leaves.leave();
        match self.open.pop() {
            Some(Name::Sequence) if !self.runs => {
                let [run, length, offset] = self.sequence;
                self.out.extend(self.literals.drain(..run));
                (0..length).for_each(|_| self.out.push(self.out[self.out.len() - offset]));
            }
            Some(Name::Block) => self.out.append(&mut self.literals),
            _ => {}
        }
    }
}

#[test]
fn symbols_tile_a_file_and_rebuild_its_content() {
    let mut workspace = Workspace::new();
    let mut rebuild = |name: &str, bytes: &[u8], options: &Options<'_>, whole: &[u8]| {
        let mut heard = Symbols(Rebuilt { src: bytes, ..Rebuilt::default() });
        inspect(bytes, &mut workspace, options, &mut heard).unwrap_or_else(|error| panic!("{name}: {error}"));
        heard.0.leaves.assert_tile(bytes.len(), name);
        assert!(heard.0.runs || heard.0.out == whole, "{name}");
    };
    let text =
        b"what is heard of every symbol makes the text again, every symbol of the text is heard again ".repeat(40);
    for level in [1, 3, 19] {
        rebuild("text", &zstd::bulk::compress(&text, level).unwrap(), &Options::DEFAULT, &text);
    }
    let is_small = |vector: &Vector| vector.bytes.len() <= 20_000 && vector.dictionary.is_none();
    valid_if(is_small, 527, |vector| {
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        rebuild(&vector.name, &vector.bytes, &vector.told(), &whole);
        // A truncated stream is the same error as in a decoder.
        broken(vector, |bytes| {
            let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
            let options = Options { limits, ..vector.told() };
            let heard = inspect(bytes, &mut Workspace::new(), &options, &mut Symbols(Leaves::default()));
            let decoded = decode_to_vec(bytes, &options);
            assert!(heard.is_ok() || decoded.is_err(), "{}: {heard:?}", vector.name);
        });
    });
}
