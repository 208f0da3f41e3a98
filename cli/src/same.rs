//! Compares files and streams with the same bytes in memory: any cuts and any number of threads
//! lead to the same output and to the same error. For unit tests and for fuzzing.

use std::io::Write;
use std::sync::{Arc, Mutex};

use unspool::checksum::Xxh64;
use unspool::{Class, Count, Error, ErrorKind, Format, Limits};

use crate::formats::{self, Selection, Stop};
use crate::output::Output;
use crate::source::Source;

/// Everything, as bytes.
pub(crate) const ALL: Selection<'static> =
    Selection { column: None, rows: None, range: None, section: None, text: false, dictionary: None };

/// Everything, as lines.
const TEXT: Selection<'static> = Selection { text: true, ..ALL };

/// A writer that counts and hashes.
#[derive(Clone)]
pub(crate) struct Hasher(Arc<Mutex<(usize, Xxh64)>>);

impl Hasher {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new((0, Xxh64::new()))))
    }

    /// Returns the length and the hash of what was written.
    pub(crate) fn value(&self) -> (usize, u64) {
        let sum = self.0.lock().unwrap();
        (sum.0, sum.1.value())
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut sum = self.0.lock().unwrap();
        sum.0 += bytes.len();
        sum.1.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The outcome of a decode: the length and the hash of what was written, and the error.
pub(crate) type Outcome = (usize, u64, Result<(), String>);

/// Returns the error in words.
pub(crate) fn outcome(stop: Stop) -> String {
    match stop {
        Stop::Refused(Error { kind, at, need }) => format!("{kind:?} at {at}, needs {need}"),
        Stop::Usage(words) => words,
        Stop::Unread(error) => panic!("{error}"),
    }
}

/// Decodes what the selection picks.
pub(crate) fn decode(format: Format, source: &mut Source, selection: &Selection<'_>, limits: &Limits) -> Outcome {
    let hasher = Hasher::new();
    let mut output = Output::to_writer(hasher.clone());
    let decoded = formats::decode(format, source, selection, limits, &mut output);
    output.flush_all();
    let (len, hash) = hasher.value();
    (len, hash, decoded.map_err(outcome))
}

/// The outcome of a check: the checksums and the number of bytes, or the error in words.
pub(crate) type Checked = Result<(String, u64), String>;

/// Decodes everything, and keeps the number of bytes and the checksums.
pub(crate) fn check(format: Format, source: &mut Source, limits: &Limits) -> Checked {
    let mut count = Count::default();
    let checked = formats::check(format, source, None, limits, &mut count);
    checked.map(|checksums| (checksums.to_string(), count.0)).map_err(outcome)
}

/// Decodes everything with one function of the core.
fn in_core(format: Format, bytes: &[u8], limits: &Limits) -> Result<(), Error> {
    use unspool::{at1, cvc, gzip, lzma, onpair, pco, xz, zstd};
    let limits = *limits;
    let zstd = |flavour| {
        let options = zstd::Options { flavour: Some(flavour), limits, ..zstd::Options::DEFAULT };
        zstd::decode_to_vec(bytes, &options).map(drop)
    };
    match format {
        Format::Zstd => zstd(zstd::Flavour::Rfc8878),
        Format::ZstdDraft => zstd(zstd::Flavour::Draft),
        Format::ZstdV07 => zstd(zstd::Flavour::V07),
        Format::Xz => xz::decode_to_vec(bytes, &xz::Options { limits, ..xz::Options::DEFAULT }).map(drop),
        Format::Lzma => lzma::decode_to_vec(bytes, &lzma::Options { limits, ..lzma::Options::DEFAULT }).map(drop),
        Format::Gzip => gzip::decode_to_vec(bytes, &gzip::Options { limits, ..gzip::Options::DEFAULT }).map(drop),
        Format::Pco => {
            // More than any tables need.
            let (mut workspace, mut scratch) = (vec![0; 1 << 20], vec![0; 1 << 20]);
            let options = pco::Options { limits, ..pco::Options::DEFAULT };
            pco::decode_to(bytes, &mut Count::default(), &mut workspace, &mut scratch, &options).map(drop)
        }
        Format::Cvc => {
            let options = cvc::Options { limits, ..cvc::Options::DEFAULT };
            if cvc::File::open(bytes, &limits)?.is_columnar() {
                // Of all columns.
                let mut table = vec![0; 1 << 16];
                cvc::inspect(bytes, &mut cvc::Workspace::with_table(&mut table), &options, &mut ()).map(drop)
            } else {
                cvc::decode_to(bytes, &mut Count::default(), &mut cvc::Workspace::new(), &options).map(drop)
            }
        }
        Format::OnPair => onpair::decode_to_vec(bytes, &onpair::Options { limits }).map(drop),
        Format::At1 => at1::decode_to_vec(bytes, &at1::Options { limits, ..at1::Options::DEFAULT }).map(drop),
        format => panic!("{format:?} is no format to decode"),
    }
}

/// A way to read the same bytes.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The bytes that are known at first.
    pub head: usize,
    /// The most bytes that a stream returns at a time; `None` for a file.
    pub cut: Option<usize>,
    /// The threads that decode.
    pub threads: usize,
}

/// The outcomes of one thread over bytes in memory.
pub struct Expected<'a> {
    format: Format,
    bytes: &'a [u8],
    limits: &'a Limits,
    outcomes: Vec<String>,
    checked: Checked,
}

impl<'a> Expected<'a> {
    /// Decodes these bytes in memory.
    pub fn new(format: Format, bytes: &'a [u8], limits: &'a Limits) -> Self {
        let mut expected = Self { format, bytes, limits, outcomes: vec![], checked: Ok(Default::default()) };
        (expected.outcomes, expected.checked) = expected.outcomes(Way { head: bytes.len(), cut: None, threads: 1 });
        expected
    }

    /// Decodes to bytes and to text, and checks.
    fn outcomes(&self, way: Way) -> (Vec<String>, Checked) {
        let Self { format, limits, .. } = *self;
        let source = || Source::of(self.bytes, way.head, way.cut, way.threads);
        let mut outcomes = vec![format!("decode: {:?}", decode(format, &mut source(), &ALL, limits))];
        if matches!(format, Format::Cvc | Format::OnPair | Format::Pco) {
            outcomes.push(format!("decode --text: {:?}", decode(format, &mut source(), &TEXT, limits)));
        }
        let checked = check(format, &mut source(), limits);
        outcomes.push(format!("check: {checked:?}"));
        (outcomes, checked)
    }

    /// Returns the error of the check if the core has another one, or none.
    pub fn unlike_core(&self) -> Option<String> {
        if self.format == Format::At1 && formats::at1::is_bundle(self.bytes) {
            // The core decodes it file by file.
            return None;
        }
        let core = in_core(self.format, self.bytes, self.limits);
        let is_alike = match (&self.checked, core) {
            // The core has no window. It decodes columns one by one.
            (Err(words), _) if words.starts_with(&format!("{:?} ", ErrorKind::WindowLimit)) => true,
            (_, Err(error)) if error.class() == Class::Misuse => true,
            // What would have been enough may differ.
            (Err(words), Err(error)) => words.starts_with(&format!("{:?} at {},", error.kind, error.at)),
            (checked, core) => checked.is_ok() && core.is_ok(),
        };
        (!is_alike).then(|| format!("check: {:?} instead of {core:?}", self.checked))
    }

    /// Returns what is different if the bytes are read in this way.
    pub fn differences(&self, way: Way) -> Vec<String> {
        let pairs = self.outcomes(way).0.into_iter().zip(&self.outcomes);
        let different = pairs.filter(|(found, expected)| found != *expected);
        different.map(|(found, expected)| format!("{way:?}: {found} instead of {expected}")).collect()
    }
}
