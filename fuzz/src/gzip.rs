//! gzip on arbitrary bytes: no panic, and every door returns the same result.

use unspool::checksum::Crc32;
use unspool::gzip::{Options, Workspace, decode};
use unspool::{ErrorKind, Limits};

use unspool_harness::gzip::agree;

const LIMITS: Limits = Limits { max_output: 1 << 16, max_header: 1 << 10, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };

/// Decodes arbitrary bytes.
pub fn gzip_arbitrary(bytes: &[u8]) {
    let _ = agree(bytes, &OPTIONS);
}

/// Decodes the bytes as a deflate stream in a member with the right checksum and size, so that
/// content errors are reached.
pub fn gzip_mutated(bytes: &[u8]) {
    let header = *b"\x1F\x8B\x08\0\0\0\0\0\0\xFF";
    let mut file = [&header, bytes, &[0; 8]].concat();
    let mut out = vec![0; 1 << 17];
    if let Err(error) = decode(&file, &mut out, &mut Workspace::new(), &OPTIONS, &mut ())
        && matches!(error.kind, ErrorKind::GzipCrc)
    {
        // The error does not say how many bytes were decoded before the checksum; trying every
        // length finds it.
        let at = error.at as usize;
        let mut crc = Crc32::new();
        // The stream may have used the bytes of both fields.
        file.resize(file.len().max(at + 8), 0);
        for len in 0..=1024 {
            let size = u32::try_from(len).unwrap_or(0);
            file[at..at + 4].copy_from_slice(&crc.value().to_le_bytes());
            file[at + 4..at + 8].copy_from_slice(&size.to_le_bytes());
            if decode(&file, &mut out, &mut Workspace::new(), &OPTIONS, &mut ()).is_ok_and(|done| done.wrote == len) {
                break;
            }
            crc.update(&out[len..=len]);
        }
    }
    gzip_arbitrary(&file);
}
