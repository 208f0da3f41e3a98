//! Whole files: members in a row, and zeros behind the last one.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{decompress, inflate_flags};

use super::header::Header;
use super::workspace::Workspace;
use crate::checksum::Crc32;
#[cfg(feature = "alloc")]
use crate::heap::lengthen;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Shifted, Trace, Value};

/// How far a call came that decoded a whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Bytes of the output that are filled.
    pub wrote: usize,
    /// Members, each of whose checksums is right.
    pub members: u64,
}

/// Decodes a file. The output is the only window there is.
pub fn decode(src: &[u8], dst: &mut [u8], ws: &mut Workspace, limits: &Limits) -> Result<Done> {
    decode_traced(src, dst, ws, limits, &mut ())
}

/// [`decode`], heard. Where a member ends only inflating tells, so that nothing less than this can say what is in a file.
pub fn decode_traced(
    src: &[u8],
    dst: &mut [u8],
    ws: &mut Workspace,
    limits: &Limits,
    trace: &mut impl Trace,
) -> Result<Done> {
    run(src, &mut { dst }, ws, limits, &mut Shifted::new(trace, 0))
}

/// Decodes a file to a new vector, which grows with what is decoded and never beyond the limit on output.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], ws: &mut Workspace, limits: &Limits, trace: &mut impl Trace) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let done = run(src, &mut out, ws, limits, &mut Shifted::new(trace, 0))?;
    out.truncate(done.wrote);
    Ok(out)
}

/// Where the bytes go.
trait Output {
    /// All of it, filled or not.
    fn room(&mut self) -> &mut [u8];
    /// Makes more room, up to `most` bytes, of which there is less, or says why not.
    fn grow(&mut self, most: usize) -> core::result::Result<(), ErrorKind>;
}

impl Output for &mut [u8] {
    fn room(&mut self) -> &mut [u8] {
        self
    }
    fn grow(&mut self, _: usize) -> core::result::Result<(), ErrorKind> {
        Err(ErrorKind::OutputTooSmall)
    }
}

#[cfg(feature = "alloc")]
impl Output for Vec<u8> {
    fn room(&mut self) -> &mut [u8] {
        self
    }
    fn grow(&mut self, most: usize) -> core::result::Result<(), ErrorKind> {
        let left = most.saturating_sub(self.len());
        // A quarter more is written to, whatever is reserved besides: memory that is not touched costs nothing.
        let more = (self.len() / 4).max(64 << 10).min(left);
        lengthen(self, more).map_err(|error| error.kind)
    }
}

fn run(src: &[u8], out: &mut dyn Output, ws: &mut Workspace, limits: &Limits, trace: &mut Shifted<'_>) -> Result<Done> {
    let mut done = Done::default();
    let mut at = 0;
    loop {
        trace.enter(Name::Member, Value::U64(done.members));
        at = member(src, at, out, &mut done.wrote, ws, limits, trace)?;
        trace.leave();
        done.members = done.members.saturating_add(1);
        let rest = src.get(at..).unwrap_or_default();
        if rest.iter().all(|&byte| byte == 0) {
            // Tapes and block devices are filled up with zeros.
            if !rest.is_empty() {
                trace.bytes(Part::Padding, Name::Padding, u64_from(at)..u64_from(src.len()), Value::None);
            }
            return Ok(done);
        }
    }
}

/// Decodes the member at `at`, and gives where it ends.
fn member(
    src: &[u8],
    at: usize,
    out: &mut dyn Output,
    wrote: &mut usize,
    ws: &mut Workspace,
    limits: &Limits,
    trace: &mut Shifted<'_>,
) -> Result<usize> {
    let header = Header::read_traced(src, at, limits, trace)?;
    let (begin, start) = (u64_from(at), *wrote);
    let mut at = header.end;
    let inflater = ws.start();
    let most = index(limits.max_output);
    let inflated = loop {
        let input = src.get(at..).unwrap_or_default();
        // What lies before this member is no window of it. What exceeds the limit is no room.
        let room = out.room();
        let room = room.get_mut(..most.min(room.len())).unwrap_or_default();
        let room = room.get_mut(start..).unwrap_or_default();
        let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, read, filled) = decompress(inflater, input, room, wrote.saturating_sub(start), flags);
        at = at.saturating_add(read);
        *wrote = wrote.saturating_add(filled);
        let here = u64_from(at);
        match status {
            TINFLStatus::Done => break Ok(()),
            TINFLStatus::HasMoreOutput if *wrote >= most => {
                let need = limits.max_output.saturating_add(1);
                // The member as a whole is what is too large.
                break Err(Error::new(ErrorKind::OutputLimit, begin).needing(need));
            }
            TINFLStatus::HasMoreOutput => {
                if let Err(kind) = out.grow(most) {
                    break Err(Error::new(kind, here));
                }
            }
            // All input there is was given: what wants more is cut off.
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
                break Err(Error::new(ErrorKind::Truncated, u64_from(src.len())));
            }
            _ => break Err(Error::new(ErrorKind::GzipDeflate, here)),
        }
    };
    let len = wrote.saturating_sub(start);
    // Also of a stream that breaks off.
    trace.bytes(Part::Symbols, Name::Deflate, u64_from(header.end)..u64_from(at), Value::U64(u64_from(len)));
    inflated?;
    let field = |at: usize| {
        let bytes = src.get(at..).and_then(<[u8]>::first_chunk::<4>);
        let need = u64_from(at).saturating_add(4);
        bytes.map(|bytes| u32::from_le_bytes(*bytes)).ok_or(Error::truncated(u64_from(src.len()), need))
    };
    let crc = field(at)?;
    trace.bytes(Part::Checksum, Name::Crc32, u64_from(at)..u64_from(at).saturating_add(4), Value::Hex(crc.into()));
    let mut found = Crc32::new();
    found.update(out.room().get(start..*wrote).unwrap_or_default());
    if found.value() != crc {
        return Err(Error::new(ErrorKind::GzipCrc, u64_from(at)));
    }
    let size_at = at.saturating_add(4);
    let size = field(size_at)?;
    trace.bytes(
        Part::Framing,
        Name::Size,
        u64_from(size_at)..u64_from(size_at).saturating_add(4),
        Value::U64(size.into()),
    );
    // The size is counted modulo 2^32.
    if u64_from(len) & u64::from(u32::MAX) != u64::from(size) {
        return Err(Error::new(ErrorKind::GzipSize, u64_from(size_at)));
    }
    Ok(size_at.saturating_add(4))
}
