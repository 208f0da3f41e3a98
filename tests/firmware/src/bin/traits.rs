//! The traits of other crates as a device uses them: decodes from a reader of `embedded-io`, to one
//! of its writers, and to vectors of `heapless`. A sink gets pages through a small window.
#![no_std]
#![no_main]

use core::convert::Infallible;

use embedded_io::{BufRead, ErrorType, Read};
use firmware::{Test, entry, file};
use unspool::embedded_io::{Reader, Writer};
use unspool::{ErrorKind, SinkStore, xz, zstd};

file!(ZSTD, "../../../vectors/zstd/page.zst");
file!(XZ, "../../../vectors/xz/page.xz");
file!(CSV, "../../../vectors/xz/page.csv");

/// Bytes of the window of a stream: the page, and what the decoder asks for besides.
const WINDOW: usize = 16 << 10;

type Page = heapless::Vec<u8, 4096>;
type Tables = xz::Tables<[xz::Literals; 8]>;

#[entry]
fn main() -> ! {
    static mut WORKSPACE: zstd::Workspace = zstd::Workspace::new();
    static mut TABLES: Tables = Tables::new();
    static mut WINDOW_ROOM: [u8; WINDOW] = [0; WINDOW];
    static mut PAGE: Page = Page::new();
    static mut OUT: [u8; 4096] = [0; 4096];

    let mut test = Test::new("traits");
    let csv = CSV.get();
    test.case("a vector", || to_vector(csv, PAGE, WORKSPACE, WINDOW_ROOM), csv.len());
    test.case("a vector that is too small", || too_small(WORKSPACE, WINDOW_ROOM), 1);
    test.case("a writer", || to_writer(csv, OUT, WORKSPACE, WINDOW_ROOM), csv.len());
    test.case("a reader", || from_reader(csv, OUT, WORKSPACE, WINDOW_ROOM), csv.len());
    test.case("a sink and a window", || to_sink(csv, PAGE, TABLES, WINDOW_ROOM), csv.len());
    test.finish()
}

fn to_vector(expected: &[u8], page: &mut Page, workspace: &mut zstd::Workspace, window: &mut [u8]) -> bool {
    page.clear();
    let done = zstd::decode_to(ZSTD.get(), page, workspace, window, &zstd::Options::DEFAULT);
    done.is_ok_and(|done| done.wrote == expected.len()) && page.as_slice() == expected
}

fn too_small(workspace: &mut zstd::Workspace, window: &mut [u8]) -> bool {
    let mut short = heapless::Vec::<u8, 100>::new();
    let done = zstd::decode_to(ZSTD.get(), &mut short, workspace, window, &zstd::Options::DEFAULT);
    done.is_err_and(|error| error.kind == ErrorKind::SinkFull)
}

fn to_writer(expected: &[u8], out: &mut [u8], workspace: &mut zstd::Workspace, window: &mut [u8]) -> bool {
    out.fill(0);
    let mut writer = Writer::new(&mut *out);
    let done = zstd::decode_to(ZSTD.get(), &mut writer, workspace, window, &zstd::Options::DEFAULT);
    done.is_ok() && writer.failure().is_none() && out == expected
}

/// A serial port that delivers 50 bytes at a time. The reader of slices in `embedded-io` can panic.
struct Port<'a>(&'a [u8]);

impl ErrorType for Port<'_> {
    type Error = Infallible;
}

impl Read for Port<'_> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Infallible> {
        let piece = self.fill_buf()?;
        room.iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
        let len = room.len().min(piece.len());
        self.consume(len);
        Ok(len)
    }
}

impl BufRead for Port<'_> {
    fn fill_buf(&mut self) -> Result<&[u8], Infallible> {
        Ok(self.0.get(..50).unwrap_or(self.0))
    }

    fn consume(&mut self, len: usize) {
        self.0 = self.0.get(len..).unwrap_or_default();
    }
}

/// Reads 100 bytes at a time.
fn from_reader(expected: &[u8], out: &mut [u8], workspace: &mut zstd::Workspace, window: &mut [u8]) -> bool {
    out.fill(0);
    let mut decoder = zstd::Decoder::new(workspace, window, &zstd::Options::DEFAULT);
    let mut reader = Reader::new(Port(ZSTD.get()), |src, end, dst| decoder.step(src, end, dst));
    let (mut at, mut part) = (0, [0; 100]);
    loop {
        let Ok(len) = reader.read(&mut part) else { return false };
        if len == 0 {
            return out == expected;
        }
        let Some(room) = out.get_mut(at..) else { return false };
        room.iter_mut().zip(part.iter().take(len)).for_each(|(to, from)| *to = *from);
        at += len;
    }
}

fn to_sink(expected: &[u8], page: &mut Page, tables: &mut Tables, window: &mut [u8]) -> bool {
    page.clear();
    let mut store = SinkStore::new(window, |bytes: &[u8]| unspool::Sink::write(page, bytes));
    let done = xz::decode_to_store(XZ.get(), &mut store, tables, &mut [0; 256], &xz::Options::DEFAULT);
    done.is_ok() && page.as_slice() == expected
}
