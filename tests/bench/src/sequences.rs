//! Writes an RFC 8878 frame with exactly the sequences of a draft frame. A difference in speed then
//! comes from the format, not from the encoder.

use unspool::zstd::{Options, Workspace, inspect};
use unspool::{Name, Part, Symbols, Trace, Value};
use zstd::zstd_safe::{get_error_name, zstd_sys as c};

use crate::Result;

/// Returns the sequences of `frame`, which decodes to `plain`, as the C library writes them.
pub fn as_rfc8878(frame: &[u8], plain: &[u8], level: i32) -> Result<Vec<u8>> {
    let wanted = sequences(frame)?;
    let written = write(&wanted, plain, level)?;
    // The library splits sequences at its block ends and may drop a rest that is too short.
    let (before, after) = (wanted.len(), sequences(&written)?.len());
    if before.abs_diff(after) * 200 > before {
        return Err(format!("of {before} sequences {after} were written").into());
    }
    Ok(written)
}

/// Returns the sequences of a frame, in order.
fn sequences(frame: &[u8]) -> Result<Vec<c::ZSTD_Sequence>> {
    let mut heard = Symbols(Heard::default());
    inspect(frame, &mut Workspace::new(), &Options::DEFAULT, &mut heard)?;
    Ok(heard.0.all)
}

fn write(sequences: &[c::ZSTD_Sequence], plain: &[u8], level: i32) -> Result<Vec<u8>> {
    let mut room = vec![0; zstd::zstd_safe::compress_bound(plain.len())];
    // SAFETY: the context belongs to this function, and each pointer comes with its length. The
    // library checks the sequences: the parameter below asks for it.
    let len = unsafe {
        let context = c::ZSTD_createCCtx();
        for (parameter, value) in [
            (c::ZSTD_cParameter::ZSTD_c_compressionLevel, level),
            (c::ZSTD_cParameter::ZSTD_c_minMatch, 3),
            // `ZSTD_c_validateSequences`, and `ZSTD_c_repcodeResolution`: repeats past offsets as
            // in the draft frame.
            (c::ZSTD_cParameter::ZSTD_c_experimentalParam12, 1),
            (c::ZSTD_cParameter::ZSTD_c_experimentalParam19, 1),
        ] {
            c::ZSTD_CCtx_setParameter(context, parameter, value);
        }
        let len = c::ZSTD_compressSequences(
            context,
            room.as_mut_ptr().cast(),
            room.len(),
            sequences.as_ptr(),
            sequences.len(),
            plain.as_ptr().cast(),
            plain.len(),
        );
        c::ZSTD_freeCCtx(context);
        len
    };
    if len > room.len() {
        return Err(format!("the sequences of a draft frame: {}", get_error_name(len)).into());
    }
    room.truncate(len);
    Ok(room)
}

/// Collects sequences, each with the literals before it, including those at block ends.
#[derive(Default)]
struct Heard {
    all: Vec<c::ZSTD_Sequence>,
    /// Literals without a sequence yet: at the ends of earlier blocks, and of this one.
    before: u32,
    left: u32,
    offset: u32,
    length: u32,
}

impl Trace for Heard {
    fn enter(&mut self, name: Name, value: Value<'_>) {
        if let (Name::Literals, Value::U64(count)) = (name, value) {
            self.before += self.left;
            self.left = u32::try_from(count).unwrap_or(0);
        }
    }

    fn leaf(&mut self, _: Part, name: Name, _: std::ops::Range<u64>, value: Value<'_>) {
        let Value::U64(value) = value else { return };
        let value = u32::try_from(value).unwrap_or(0);
        match name {
            Name::Offset | Name::RepeatedOffset => self.offset = value,
            Name::MatchLength => self.length = value,
            Name::LiteralLength => {
                self.left = self.left.saturating_sub(value);
                let run = std::mem::take(&mut self.before) + value;
                self.all.push(c::ZSTD_Sequence {
                    offset: self.offset,
                    litLength: run,
                    matchLength: self.length,
                    rep: 0,
                });
            }
            _ => {}
        }
    }

    fn leave(&mut self) {}
}
