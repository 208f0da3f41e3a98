//! What is told of a file: its headers, its leaves, its symbols.

use super::*;

#[test]
fn leaves_tile_every_valid_file() {
    valid(|vector| {
        if vector.bytes.len() > 400_000 {
            return;
        }
        let mut leaves = Leaves::default();
        let done = inspect(&vector.bytes, &mut Workspace::new(), &Limits::DEFAULT, &vector.options(), &mut leaves);
        assert_eq!(done.map(|done| done.read), Ok(vector.bytes.len()), "{}", vector.name);
        leaves.assert_tile(vector.bytes.len(), &vector.name);
    });
}

/// What the headers of a file say that is read where its outline asks.
fn outlined(bytes: &[u8], flavour: Flavour) -> (Leaves, Result<u64, Error>) {
    let mut leaves = Leaves::default();
    let mut outline = Outline::new(bytes.len() as u64, flavour);
    while let Some(range) = outline.needs() {
        if let Err(error) = outline.feed(&bytes[range.start as usize..range.end as usize], &mut leaves) {
            assert_eq!(outline.needs(), None);
            return (leaves, Err(error));
        }
    }
    (leaves, Ok(outline.blocks()))
}

#[test]
fn headers_alone_tell_where_the_blocks_are() {
    let at =
        |leaves: &Leaves| leaves.leaves.iter().filter(|leaf| leaf.1 == Name::BlockHeader).cloned().collect::<Vec<_>>();
    valid(|vector| {
        let options = vector.told();
        let Some(flavour) = options.flavour.filter(|_| !options.magicless && vector.bytes.len() < 400_000) else {
            return;
        };
        let mut all = Leaves::default();
        inspect(&vector.bytes, &mut Workspace::new(), &Limits::DEFAULT, &options, &mut all).unwrap();
        let (leaves, blocks) = outlined(&vector.bytes, flavour);
        assert_eq!(at(&leaves), at(&all), "{}", vector.name);
        assert_eq!(blocks, Ok(at(&all).len() as u64), "{}", vector.name);
        leaves.assert_tile(vector.bytes.len(), &vector.name);
        // Of a file that is cut, no more is said than there is.
        for cut in (1..vector.bytes.len()).filter(|cut| vector.bytes.len() < 700 || cut % 997 == 0) {
            if let Err(error) = outlined(&vector.bytes[..cut], flavour).1 {
                assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{}", vector.name);
            }
        }
    });
    assert_eq!(outlined(b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst!", Flavour::Rfc8878).1.unwrap_err().at, 12);
    assert_eq!(Outline::new(9, Flavour::V07).feed(&[0; 8], &mut ()).unwrap_err().class(), Class::Truncated);
}

#[test]
fn the_structure_shows_without_the_dictionary() {
    let seen = std::cell::Cell::new(0);
    valid(|vector| {
        let Some(bytes) = &vector.dictionary else { return };
        let (mut ws, limits) = (Workspace::new(), Limits::DEFAULT);
        let (with, without) = (vector.told(), Options { dictionary: None, ..vector.told() });
        let id = Dictionary::new(bytes).id();
        let named = matches!(Header::read(&vector.bytes, vector.flavour), Ok(Header::Frame(frame)) if frame.dictionary_id == id);
        if id == 0 || !named {
            return;
        }
        let (mut all, mut blind) = (Leaves::default(), Symbols(Leaves::default()));
        let seeing = inspect(&vector.bytes, &mut ws, &limits, &with, &mut all).unwrap();
        assert_eq!(inspect(&vector.bytes, &mut ws, &limits, &without, &mut blind), Ok(seeing), "{}", vector.name);
        assert!(blind.0.leaves == all.leaves, "{}", vector.name);
        let size = decoded_size(&vector.bytes, &mut ws, &limits, &without).map_err(|error| error.kind);
        assert_eq!(size, Err(ErrorKind::ZstdDictionaryWanted));
        // What is wrong with the structure shows all the same, whatever it is.
        broken(vector, |bytes| {
            let _ = inspect(bytes, &mut ws, &limits, &without, &mut Symbols(Leaves::default()));
        });
        seen.set(seen.get() + 1);
    });
    assert!(seen.get() > 3);
}

/// Makes the content of what an observer of symbols hears.
#[derive(Default)]
struct Rebuilt<'a> {
    src: &'a [u8],
    leaves: Leaves,
    open: Vec<Name>,
    out: Vec<u8>,
    literals: Vec<u8>,
    size: usize,
    sequence: [usize; 3],
    /// The size of a block of one byte is not told.
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
fn symbols_tile_a_file_and_make_its_content() {
    let (mut ws, limits) = (Workspace::new(), Limits::DEFAULT);
    let mut rebuild = |name: &str, bytes: &[u8], options: &Options<'_>, whole: &[u8]| {
        let mut heard = Symbols(Rebuilt { src: bytes, ..Rebuilt::default() });
        inspect(bytes, &mut ws, &limits, options, &mut heard).unwrap_or_else(|error| panic!("{name}: {error}"));
        heard.0.leaves.assert_tile(bytes.len(), name);
        assert!(heard.0.runs || heard.0.out == whole, "{name}");
    };
    let text =
        b"what is heard of every symbol makes the text again, every symbol of the text is heard again ".repeat(40);
    for level in [1, 3, 19] {
        rebuild("text", &zstd::bulk::compress(&text, level).unwrap(), &Options::DEFAULT, &text);
    }
    let rebuild = std::cell::RefCell::new(rebuild);
    let seen = std::cell::Cell::new(0);
    valid(|vector| {
        if vector.bytes.len() > 20_000 || vector.dictionary.is_some() {
            return;
        }
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        rebuild.borrow_mut()(&vector.name, &vector.bytes, &vector.told(), &whole);
        seen.set(seen.get() + 1);
        // A stream that breaks off is an error here as it is for a decoder.
        broken(vector, |bytes| {
            let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
            let heard = inspect(bytes, &mut Workspace::new(), &limits, &vector.told(), &mut Symbols(Leaves::default()));
            let decoded = decode_to_vec(bytes, &mut Workspace::new(), &limits, &vector.told());
            assert!(heard.is_ok() || decoded.is_err(), "{}: {heard:?}", vector.name);
        });
    });
    println!("{} files", seen.get());
    assert!(seen.get() > 100);
}
