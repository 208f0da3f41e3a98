//! AT-1 streams: frame by frame if the file has frames, else all at once at its end.

use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;

use unspool::at1::{Container, HEADER_LEN, Header, Options, TRAILER_LEN, decode_to_vec};
use unspool::bits::{MAX_VARINT_LEN, read_varint};
use unspool::checksum::Sha256;
use unspool::{End, Error, ErrorKind, Result, Status};
use wasm_bindgen::prelude::*;

use crate::number;
use crate::stream::{Desk, PIECE, Stream};

/// Opens a stream that decodes a file that is not a bundle.
#[wasm_bindgen]
pub fn at1_stream(limits: &[f64]) -> Stream {
    let options = Options { limits: crate::limits(limits), ..Options::DEFAULT };
    Stream::new(|desk| run(desk, options))
}

/// An empty frame. After other frames, it keeps their last bytes from being read as a trailer.
const EMPTY: [u8; 3] = [2, 1, 2];

async fn run(desk: Desk, mut options: Options) -> Result<Infallible> {
    let (mut file, mut end) = (vec![], End::NotYet);
    let head = number::index(HEADER_LEN);
    let trailer = number::index(TRAILER_LEN);
    while end == End::NotYet && file.len() < head + MAX_VARINT_LEN + trailer {
        end = more(&desk, &mut file).await;
    }
    if Header::read_start(&file)?.container == Container::Whole {
        while end == End::NotYet {
            end = more(&desk, &mut file).await;
        }
    }
    if end == End::Here {
        emit(&desk, decode_to_vec(&file, &options)?).await;
    } else {
        let (_, len) =
            read_varint(file.get(head..).unwrap_or_default()).map_err(|error| error.offset_by(HEADER_LEN))?;
        // Each frame is decoded as a small file of its own that starts with this prefix.
        // `gone` counts the frame bytes already removed from `file`.
        let prefix: Vec<u8> = file.drain(..head + len).collect();
        let (mut gone, mut hash) = (0u64, Sha256::new());
        loop {
            // The last bytes may be the trailer.
            let (mut frames, mut stored) = (file.len().saturating_sub(trailer), None);
            if end == End::Here {
                let header = Header::read(&[&prefix[..], &file].concat(), &options.limits)?;
                (frames, stored) = (number::index(header.body_end).saturating_sub(prefix.len()), header.hash);
            }
            let mut at = 0;
            // Decode frame by frame: everything before a corrupt frame must be emitted.
            loop {
                let rest = file.get(at..frames).unwrap_or_default();
                let whole = first_frame(rest);
                let len = match whole {
                    Some(len) => len,
                    // At the end, let the decoder report what is wrong with the rest.
                    None if end == End::Here && (!rest.is_empty() || gone == 0) => rest.len(),
                    None => break,
                };
                let mut small = [&prefix[..], rest.get(..len).unwrap_or_default()].concat();
                if whole.is_some() || len == 0 {
                    small.extend(EMPTY);
                }
                let output =
                    decode_to_vec(&small, &options).map_err(|error| match error.at < u64_from(prefix.len()) {
                        true => error,
                        false => error.offset_by(gone),
                    })?;
                at += len;
                gone += u64_from(len);
                options.limits.max_output = options.limits.max_output.saturating_sub(u64_from(output.len()));
                hash.update(&output);
                emit(&desk, output).await;
                if len == 0 {
                    break;
                }
            }
            file.drain(..at);
            if stored.is_some_and(|stored| stored != hash.value()) {
                return Err(Error::new(ErrorKind::At1Hash, gone + u64_from(prefix.len())));
            }
            if end == End::Here {
                break;
            }
            end = more(&desk, &mut file).await;
        }
    }
    loop {
        desk.answer(vec![], 0, Status::Done);
        desk.input().await;
    }
}

/// Returns the end of the first frame if it is complete.
fn first_frame(bytes: &[u8]) -> Option<usize> {
    let (len, start) = read_varint(bytes).ok()?;
    number::index(len).checked_add(start).filter(|&end| end <= bytes.len())
}

/// Waits for more input.
async fn more(desk: &Desk, file: &mut Vec<u8>) -> End {
    let (bytes, end) = desk.input().await;
    desk.answer(vec![], bytes.len(), Status::NeedInput);
    file.extend_from_slice(&bytes);
    end
}

/// Emits decoded bytes in pieces. Each step passes its input again.
async fn emit(desk: &Desk, output: Vec<u8>) {
    for piece in output.chunks(PIECE) {
        desk.emit(piece.to_vec());
        desk.input().await;
        desk.answer(vec![], 0, Status::NeedInput);
    }
}

fn u64_from(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
