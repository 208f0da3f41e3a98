//! The leaves of a file of any format.

use unspool::{Error, ErrorKind, Format, Limits, at1, cvc, gzip, lzma, onpair, pco, xz, zstd};

use crate::traced;

/// The most bytes of a window and of a workspace that a file gets.
const MOST: u64 = 1 << 21;

/// Inspects a file and asserts that its leaves tile it, up to its end or to where an error ended
/// them.
pub fn tile(format: Format, bytes: &[u8], limits: &Limits) {
    let limits = *limits;
    let door = format!("inspect {}", format.name());
    let read = |done: &unspool::Done| done.read;
    // Bytes after a file belong to a leaf of their own.
    let all = |_: &unspool::Done| bytes.len();
    let _ = match format {
        Format::Zstd | Format::ZstdV07 | Format::ZstdSkippable | Format::ZstdDraft => {
            let options = &zstd::Options { limits, ..zstd::Options::DEFAULT };
            traced(&door, bytes, |leaves| zstd::inspect(bytes, &mut zstd::Workspace::new(), options, leaves), read)
        }
        Format::Xz => {
            let options = &xz::Options { limits, ..xz::Options::DEFAULT };
            traced(&door, bytes, |leaves| xz::inspect(bytes, &mut xz::Workspace::new(), options, leaves), read)
        }
        Format::Lzma => {
            let options = &lzma::Options { limits, ..lzma::Options::DEFAULT };
            let (workspace, mut window) = (&mut lzma::Workspace::new(), vec![0; MOST.min(limits.max_window) as usize]);
            traced(&door, bytes, |leaves| lzma::inspect(bytes, workspace, &mut window, options, leaves), read)
        }
        Format::Gzip => {
            let options = &gzip::Options { limits, ..gzip::Options::DEFAULT };
            let (workspace, mut window) = (&mut gzip::Workspace::new(), vec![0; gzip::WINDOW_SIZE]);
            traced(&door, bytes, |leaves| gzip::inspect(bytes, workspace, &mut window, options, leaves), read)
        }
        Format::Pco => {
            let options = &pco::Options { limits, ..pco::Options::DEFAULT };
            let (mut scratch, mut words) = ([0; pco::SCRATCH_LEN], vec![0; 1 << 12]);
            loop {
                let inspect = |leaves: &mut _| pco::inspect(bytes, &mut words, &mut scratch, options, leaves);
                match traced(&door, bytes, inspect, all) {
                    Err(Error { kind: ErrorKind::WorkspaceTooSmall, need, .. }) if need <= MOST / 8 => {
                        words.resize(need as usize, 0);
                    }
                    done => break done,
                }
            }
        }
        Format::OnPair => {
            let options = &onpair::Options { limits };
            traced(&door, bytes, |leaves| onpair::inspect(bytes, &mut onpair::Workspace, options, leaves), all)
        }
        Format::Cvc => {
            let options = &cvc::Options { limits, ..cvc::Options::DEFAULT };
            traced(&door, bytes, |leaves| cvc::inspect(bytes, &mut cvc::Workspace::new(), options, leaves), all)
        }
        Format::At1 => {
            let options = &at1::Options { limits, ..at1::Options::DEFAULT };
            traced(&door, bytes, |leaves| at1::inspect(bytes, &mut at1::Workspace::new(), options, leaves), read)
        }
        _ => unreachable!("{format:?} is not listed here"),
    };
}
