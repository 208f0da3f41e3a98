//! An A/B update from a patch, and an image restored from xz, in flash. `docs/updates.md` shows
//! `install` word for word: `tests/tests/pages.rs` compares them.
#![no_std]
#![no_main]

use firmware::flash::{Flash, SLOTS};
use firmware::{Test, entry, file};
use unspool::checksum::Xxh64;
use unspool::nor::NorStore;
use unspool::{Done, ErrorKind, Result, xz, zstd};

file!(OLD, "../../../vectors/patch/old.bin");
file!(UPDATE, "../../../vectors/patch/update.zst");
file!(RESTORE, "../../../vectors/patch/restore.xz");

type Tables = xz::Tables<[xz::Literals; 1]>;

/// Installs an update in slot B. Call it again after a loss of power.
fn install(
    patch: &[u8],
    running: &[u8],
    flash: &mut Flash,
    workspace: &mut zstd::Workspace,
    page: &mut [u8],
) -> Result<Done> {
    let options = zstd::Options {
        dictionary: Some(zstd::Dictionary::raw(running)),
        flavour: Some(zstd::Flavour::Rfc8878),
        ..zstd::Options::DEFAULT
    };
    let mut slot = NorStore::new(flash, SLOTS[1].clone());
    zstd::decode_to_store(patch, &mut slot, workspace, page, &options)
}

#[entry]
fn main() -> ! {
    static mut WORKSPACE: zstd::Workspace = zstd::Workspace::new();
    static mut TABLES: Tables = Tables::new();
    static mut PAGE: [u8; 1024] = [0; 1024];

    let mut test = Test::new("update");
    let (mut flash, old, patch) = (Flash::default(), OLD.get(), UPDATE.get());
    test.case(
        "install",
        || matches!(install(patch, old, &mut flash, WORKSPACE, PAGE), Ok(done) if is_new(&flash, &done)),
        LEN,
    );
    test.case("install after a loss of power", || resumes(patch, old, WORKSPACE, PAGE), LEN);
    test.case("broken", || refuses(patch, old, WORKSPACE, PAGE), 1);
    test.case("restore", || restores(RESTORE.get(), TABLES, PAGE), LEN);
    test.case("from slot A", || from_slot(patch, old, WORKSPACE, PAGE), LEN);
    test.finish()
}

/// The length of the new image.
const LEN: usize = 30_404;

/// Returns whether slot B holds the new image, by the checksum at the end of the patch.
fn is_new(flash: &Flash, done: &Done) -> bool {
    let Some(image) = flash.slot(1).get(..LEN) else { return false };
    let stored = UPDATE.get().last_chunk::<4>().copied().map(u32::from_le_bytes);
    done.wrote == LEN && done.checksums.mismatched == 0 && Some(Xxh64::of(image) as u32) == stored
}

/// Fails after some words, and goes on without erasing the pages that are right.
fn resumes(patch: &[u8], old: &[u8], workspace: &mut zstd::Workspace, page: &mut [u8]) -> bool {
    let mut flash = Flash::default();
    // The image before this test is another one.
    let erased = embedded_storage::nor_flash::NorFlash::erase(&mut flash, SLOTS[1].start, SLOTS[1].end);
    flash.power = 5000;
    let failed = install(patch, old, &mut flash, workspace, page).map_err(|error| error.kind);
    (flash.power, flash.erased) = (u32::MAX, 0);
    let done = install(patch, old, &mut flash, workspace, page);
    // 5000 words are 19 sectors and a part, of 30.
    erased.is_ok()
        && failed == Err(ErrorKind::StoreFailed)
        && done.is_ok_and(|done| is_new(&flash, &done))
        && flash.erased == 11
}

/// A patch with a wrong checksum is refused, before its last page is written.
fn refuses(patch: &[u8], old: &[u8], workspace: &mut zstd::Workspace, page: &mut [u8]) -> bool {
    let mut flash = Flash::default();
    let cut = patch.get(..patch.len() - 1).unwrap_or_default();
    let cut = install(cut, old, &mut flash, workspace, page).map_err(|error| error.kind);
    let other = old.get(..old.len() - 1).unwrap_or_default();
    let other = install(patch, other, &mut flash, workspace, page).map_err(|error| error.kind);
    cut == Err(ErrorKind::Truncated) && matches!(other, Err(ErrorKind::ZstdChecksum | ErrorKind::ZstdOffset))
}

/// Restores an image from xz.
fn restores(image: &[u8], tables: &mut Tables, page: &mut [u8]) -> bool {
    let mut flash = Flash::default();
    let erased = embedded_storage::nor_flash::NorFlash::erase(&mut flash, SLOTS[1].start, SLOTS[1].end);
    let mut slot = NorStore::new(&mut flash, SLOTS[1].clone());
    let done = xz::decode_to_store(image, &mut slot, tables, page, &xz::Options::DEFAULT);
    erased.is_ok() && done.is_ok_and(|done| is_new(&flash, &done))
}

/// Updates from slot A, which only the store reads, as if it were not mapped.
fn from_slot(patch: &[u8], old: &[u8], workspace: &mut zstd::Workspace, page: &mut [u8]) -> bool {
    use unspool::Store;
    let mut flash = Flash::default();
    let mut slot = NorStore::new(&mut flash, SLOTS[0].clone());
    let copied = (0..).step_by(1024).zip(old.chunks(1024)).all(|(at, page)| slot.write(at, page).is_ok());
    let end = SLOTS[0].start + old.len() as u32;
    let mut slot = NorStore::new(&mut flash, SLOTS[1].clone()).with_old(SLOTS[0].start..end);
    let options = zstd::Options { flavour: Some(zstd::Flavour::Rfc8878), ..zstd::Options::DEFAULT };
    let done = zstd::decode_to_store(patch, &mut slot, workspace, page, &options);
    copied && done.is_ok_and(|done| is_new(&flash, &done))
}
