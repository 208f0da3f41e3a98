//! Stores as the output: patches of `zstd --patch-from` against an image of this project, and xz.
//! The same verdict and the same bytes as in a slice, and as the C library.

use unspool::zstd::{self, Dictionary, Flavour};
use unspool::{Done, Format, Limits, Result, SliceStore, Store, Verify, xz};

use unspool_harness::{Random, tile, traced_done};

use crate::zstd::{compare, unchecked};

/// The image that the seeds turn into another one.
const OLD: &[u8] = include_bytes!("../../tests/vectors/patch/old.bin");

const LIMITS: Limits = Limits { max_output: 1 << 16, max_window: 1 << 18, ..Limits::DEFAULT };
const OPTIONS: zstd::Options<'_> =
    zstd::Options { limits: LIMITS, flavour: Some(Flavour::Rfc8878), ..zstd::Options::DEFAULT };
const ROOM: usize = 1 << 17;

/// A store that has the older image as well.
struct Device<'a>(SliceStore<'a>);

impl Store for Device<'_> {
    fn capacity(&self) -> u64 {
        self.0.capacity()
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        self.0.read(at, into)
    }

    fn write(&mut self, at: u64, page: &[u8]) -> Result<()> {
        self.0.write(at, page)
    }

    fn old_len(&self) -> u64 {
        OLD.len() as u64
    }

    fn read_old(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        into.copy_from_slice(&OLD[at as usize..at as usize + into.len()]);
        Ok(())
    }
}

/// Decodes a patch to a slice, to a store with the old image in memory, and to one that has it.
pub fn patch_mutated(bytes: &[u8]) {
    let mut random = Random::of(bytes);
    let verify = [Verify::Skip, Verify::Skip, Verify::Refuse][random.below(3)];
    let _ = decoded(bytes, verify, &mut random);
}

/// Decodes a patch with every output. Returns what they agree on.
fn decoded(bytes: &[u8], verify: Verify, random: &mut Random) -> Result<Vec<u8>> {
    let unread = zstd::Options { verify, ..OPTIONS };
    let options = zstd::Options { dictionary: Some(Dictionary::raw(OLD)), ..unread };
    let (workspace, mut whole) = (&mut zstd::Workspace::new(), vec![0; ROOM]);
    let _ = traced_done("inspect", bytes, |leaves| zstd::inspect(bytes, workspace, &options, leaves));
    let done = zstd::decode(bytes, &mut whole, workspace, &options, &mut ());
    let mut page = vec![0; 1 + random.below([16, 5000][bytes.len() % 2])];
    let (mut first, mut second) = (vec![0; ROOM], vec![0; ROOM]);
    let in_memory = zstd::decode_to_store(bytes, &mut SliceStore::new(&mut first), workspace, &mut page, &options);
    let in_store =
        zstd::decode_to_store(bytes, &mut Device(SliceStore::new(&mut second)), workspace, &mut page, &unread);
    same(&done, &in_memory, &whole, &first);
    same(&done, &in_store, &whole, &second);
    done.map(|done| whole[..done.wrote].to_vec())
}

fn same(done: &Result<Done>, again: &Result<Done>, whole: &[u8], stored: &[u8]) {
    assert_eq!(done, again, "another verdict in a store");
    if let Ok(done) = done {
        assert!(whole[..done.wrote] == stored[..done.wrote], "other bytes in a store");
    }
}

/// Compares with the C library, which decodes with the old image as a prefix.
pub fn patch_differential(bytes: &[u8]) {
    let mut random = Random::of(bytes);
    // The checksum would reject every change of the content.
    let bytes = &unchecked(bytes);
    let ours = decoded(bytes, Verify::Refuse, &mut random);
    let options = zstd::Options { dictionary: Some(Dictionary::raw(OLD)), ..OPTIONS };
    if let Some(theirs) = by_reference(bytes) {
        compare(bytes, &options, &theirs, &ours);
    }
}

/// Compares patches with their checksums, as `zstd --patch-from` writes them: both accept the same,
/// with the same bytes.
pub fn patch_as_written(bytes: &[u8]) {
    let ours = decoded(bytes, Verify::Refuse, &mut Random::of(bytes));
    let has_checksum = bytes.get(4).is_some_and(|descriptor| descriptor & 4 != 0);
    if let Some(theirs) = by_reference(bytes).filter(|_| has_checksum) {
        assert_eq!(ours.is_ok(), theirs.is_ok(), "ours: {:?}, the reference: {:?}", ours.err(), theirs.err());
        assert!(ours.ok() == theirs.ok(), "other bytes than the reference");
    }
}

/// Decodes a patch with the C library. `None` if it takes more room than there is.
fn by_reference(bytes: &[u8]) -> Option<core::result::Result<Vec<u8>, &'static str>> {
    let mut decoder = zstd_safe::DCtx::create();
    decoder.set_parameter(zstd_safe::DParameter::WindowLogMax(LIMITS.max_window.ilog2())).unwrap();
    decoder.ref_prefix(OLD).unwrap();
    let mut room = vec![0; ROOM];
    let (mut input, mut out) = (zstd_safe::InBuffer::around(bytes), zstd_safe::OutBuffer::around(&mut room[..]));
    let theirs = loop {
        let (read, wrote) = (input.pos(), out.pos());
        match decoder.decompress_stream(&mut out, &mut input) {
            Err(code) => break Err(zstd_safe::get_error_name(code)),
            Ok(0) if input.pos() == bytes.len() => break Ok(()),
            // A prefix is for one frame.
            Ok(0) => decoder.ref_prefix(OLD).map(|_| ()).unwrap(),
            Ok(_) if out.pos() == out.capacity() => return None,
            Ok(_) if input.pos() == read && out.pos() == wrote => break Err("the input ends"),
            Ok(_) => {}
        }
    };
    Some(theirs.map(|()| out.as_slice().to_vec()))
}

/// Decodes xz to a slice and to a store.
pub fn xz_store(bytes: &[u8]) {
    let mut random = Random::of(bytes);
    let verify = [Verify::Refuse, Verify::Report, Verify::Skip][random.below(3)];
    let streams = [xz::Streams::All, xz::Streams::One, xz::Streams::First][random.below(3)];
    let limits = Limits { max_output: 1 << 16, max_header: 1 << 16, ..Limits::DEFAULT };
    let options = xz::Options { limits, verify, streams };
    let (workspace, mut whole, mut stored) = (&mut xz::Workspace::new(), vec![0; 1 << 16], vec![0; 1 << 16]);
    let room = 1 + random.below(1 << 16);
    tile(Format::Xz, bytes, &limits);
    let done = xz::decode(bytes, &mut whole[..room], workspace, &options, &mut ());
    let mut page = vec![0; 1 + random.below([16, 5000][bytes.len() % 2])];
    let mut store = SliceStore::new(&mut stored[..room]);
    let again = xz::decode_to_store(bytes, &mut store, workspace, &mut page, &options);
    // Filters need the bytes of a whole block.
    if again.is_err_and(|error| error.kind == unspool::ErrorKind::XzFilter) {
        return;
    }
    same(&done, &again, &whole, &stored);
}
