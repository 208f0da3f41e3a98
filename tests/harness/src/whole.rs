//! The doors for a whole file of bytes, which Zstandard, xz, LZMA and gzip share.

use unspool::{Class, Done, Error, Result};

use crate::{Leaves, same, traced_done};

/// Decodes to an output, with a workspace and with a trace or none.
type Decode<'d, W> = &'d dyn Fn(&mut [u8], &mut W, Option<&mut Leaves>) -> Result<Done>;
type Salvage<'d, W> = &'d dyn Fn(&mut [u8], &mut W) -> (Done, Option<Error>);

/// The doors of a format whose workspace is `W`, on one file.
pub struct Doors<'d, W> {
    pub decode: Decode<'d, W>,
    pub to_vec: &'d dyn Fn() -> Result<Vec<u8>>,
    pub threaded: &'d dyn Fn(&mut [u8]) -> Result<Done>,
    pub salvage: Salvage<'d, W>,
}

/// What the doors returned.
pub struct Whole {
    pub verdict: Result<Done>,
    /// The output of `decode`: the content, and what an error left.
    pub out: Vec<u8>,
    /// The output of `decode_to_vec`, which a limit of its own may refuse.
    pub vector: Result<Vec<u8>>,
    /// The verdict of `salvage`, the output, and how much of it is content.
    pub salvage: Result<()>,
    pub salvaged: Vec<u8>,
    pub wrote: usize,
}

impl Whole {
    /// Returns the decoded bytes; none after an error.
    pub fn content(&self) -> &[u8] {
        &self.out[..self.verdict.map_or(0, |done| done.wrote)]
    }
}

/// Calls the doors of the module that it is used in, as [`whole`] does.
macro_rules! whole_file {
    ($bytes:expr, $workspace:expr, $room:expr, $options:expr) => {{
        let (bytes, options) = ($bytes, $options);
        let doors = crate::whole::Doors {
            decode: &|out: &mut [u8], workspace: &mut Workspace, leaves: Option<&mut crate::Leaves>| match leaves {
                Some(leaves) => decode(bytes, out, workspace, options, leaves),
                None => decode(bytes, out, workspace, options, &mut ()),
            },
            to_vec: &|| decode_to_vec(bytes, options),
            threaded: &|out: &mut [u8]| decode_threaded(bytes, out, crate::TWO, options),
            salvage: &|out: &mut [u8], workspace: &mut Workspace| salvage(bytes, out, workspace, options),
        };
        crate::whole::whole(bytes, $room, $workspace, &doors)
    }};
}

pub(crate) use whole_file;

/// Calls the doors with an output of `room` bytes, and compares all but the verdicts of
/// `decode_to_vec` and of `salvage`.
pub fn whole<W>(bytes: &[u8], room: usize, ws: &mut W, doors: &Doors<'_, W>) -> Whole {
    let mut out = vec![0xAA; room];
    let verdict = (doors.decode)(&mut out, ws, None);
    let content = &out[..verdict.map_or(0, |done| done.wrote)];
    assert!(!verdict.is_err_and(|error| error.at > bytes.len() as u64), "an error after the end: {verdict:?}");

    let mut again = vec![0x55; room];
    let heard = traced_done("decode", bytes, |leaves| (doors.decode)(&mut again, ws, Some(leaves)));
    assert_eq!(heard, verdict, "a trace changes the verdict");
    let vector = (doors.to_vec)();
    assert!(vector.is_err() || vector.as_deref() == Ok(content), "other bytes to a vector");
    same("decode_threaded", &verdict, &(doors.threaded)(&mut again));
    assert!(verdict.is_err() || again[..content.len()] == *content, "other bytes of threads");
    again.fill(0);
    let (done, error) = (doors.salvage)(&mut again, ws);
    assert!(verdict.is_err() || again[..done.wrote] == *content, "other bytes salvaged");
    // An output of exactly the right size is enough, and one byte less is not.
    if verdict.is_ok() {
        let mut exact = vec![0; content.len()];
        assert_eq!((doors.decode)(&mut exact, ws, None), verdict);
        assert!(exact == content);
        if let Some((_, less)) = exact.split_last_mut() {
            let error = (doors.decode)(less, ws, None).expect_err("there is no room");
            assert!(matches!(error.class(), Class::OutputTooSmall { .. }), "{error:?}");
        }
    }
    Whole { verdict, out, vector, salvage: error.map_or(Ok(()), Err), salvaged: again, wrote: done.wrote }
}
