//! gzip on arbitrary bytes: no panic, and every door returns the same result.

use unspool::checksum::Crc32;
use unspool::gzip::{Options, Workspace, decode};
use unspool::{Class, ErrorKind, Format, Limits, Verify};

use unspool_harness::gzip::{agree, symbols};
use unspool_harness::{Random, tile};

const LIMITS: Limits = Limits { max_output: 1 << 16, max_header: 1 << 10, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };

/// Decodes arbitrary bytes.
pub fn gzip_arbitrary(bytes: &[u8]) {
    let _ = agree(bytes, &OPTIONS);
}

/// Decodes the bytes as a deflate stream in a member with the right checksum and size, so that
/// content errors are reached.
pub fn gzip_mutated(bytes: &[u8]) {
    let mut file = member(bytes);
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

/// Puts a deflate stream into a member.
fn member(stream: &[u8]) -> Vec<u8> {
    [b"\x1F\x8B\x08\0\0\0\0\0\0\xFF", stream, &[0; 8]].concat()
}

/// Reads the symbols of a file and of a deflate stream, at once and in pieces. Both return the
/// same, and the content is as long as the decoded one.
pub fn gzip_symbols(bytes: &[u8]) {
    let random = &mut Random::of(bytes);
    let options = Options { verify: Verify::Skip, ..OPTIONS };
    let mut out = vec![0; 1 << 16];
    for file in [bytes, &member(bytes)] {
        tile(Format::Gzip, file, &LIMITS);
        let whole = symbols(file, file.len(), &LIMITS);
        assert_eq!(symbols(file, 1 + random.below(40), &LIMITS), whole, "other symbols in pieces");
        match (decode(file, &mut out, &mut Workspace::new(), &options, &mut ()), whole) {
            (Ok(done), Ok(symbols)) => assert_eq!(symbols.last().map_or(0, |last| last.content.end), done.wrote as u64),
            // The size after a member and what follows zeros are for `decode` to look at.
            (Err(error), Ok(_)) => assert!(
                matches!(error.kind, ErrorKind::GzipSize | ErrorKind::GzipMagic)
                    || matches!(error.class(), Class::Limit | Class::OutputTooSmall { .. }),
                "{error:?}"
            ),
            (Ok(_), Err(error)) => panic!("a file that decodes has wrong symbols: {error:?}"),
            (Err(_), Err(_)) => {}
        }
    }
}
