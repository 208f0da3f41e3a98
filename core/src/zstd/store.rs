//! The door that decodes to a store, which is the window as well.
//!
//! Literals are decoded when a sequence wants them. Neither they nor the block have a buffer: a
//! page is all memory besides the tables.

use super::block::{Frame, FrameHash, HISTORY, Output, Parsed};
use super::detect::flavour;
use super::literals::LiteralReader;
use super::machine::{Machine, Purpose};
use super::options::Options;
use super::sequence::{Act, Sequence};
use super::workspace::Workspace;
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::store::{Pages, Store};
use crate::{Done, ErrorKind, Result, tuning};

/// Decodes a file to a store, page by page.
///
/// The file is in memory or in mapped flash. An older image that a patch of `zstd --patch-from`
/// refers to is a [raw dictionary](super::Dictionary::raw) in the options, or is read with
/// [`Store::read_old`].
///
/// Pages are written before the checksum is known, except the last. After an error, or a loss of
/// power, start again: the same pages come in the same order. Until the call returns, the store
/// must not hold the only working image.
///
/// ```
/// use unspool::SliceStore;
/// use unspool::zstd::{Options, Workspace, decode_to_store};
/// let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
/// let (mut flash, mut page) = ([0; 16], [0; 4]);
/// let mut store = SliceStore::new(&mut flash);
/// let mut workspace = Workspace::new();
/// let done = decode_to_store(file, &mut store, &mut workspace, &mut page, &Options::DEFAULT)?;
/// assert_eq!(&flash[..done.wrote], b"zstdddddd");
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_to_store(
    src: &[u8],
    store: &mut impl Store,
    workspace: &mut Workspace,
    page: &mut [u8],
    options: &Options<'_>,
) -> Result<Done> {
    run(src, &mut Pages::new(store, page)?, workspace, options)
}

/// With all flavours, the frame of a caller would exceed 512 bytes. Without them, a call would only
/// add flash.
#[cfg_attr(feature = "zstd", inline(never))]
fn run<S: Store>(
    src: &[u8],
    pages: &mut Pages<'_, S>,
    workspace: &mut Workspace,
    options: &Options<'_>,
) -> Result<Done> {
    let mut machine = Machine::new(options, flavour(src, options), Purpose::Content, u64_from(pages.room()));
    let mut at = 0;
    while at == 0 || at < src.len() || !machine.frame.walk.is_between_frames() {
        let step = machine.step(src, at, pages, workspace, &mut ());
        at = match step {
            Ok(at) => at,
            Err(fault) => return Err(machine.error(fault, 0)),
        };
        machine.done.read = at;
    }
    if let Err(fault) = pages.finish() {
        return Err(machine.error(fault, 0));
    }
    Ok(machine.done)
}

impl<S: Store> Output for Pages<'_, S> {
    fn compressed(
        &mut self,
        frame: &mut Frame<'_>,
        parsed: &Parsed,
        src: &[u8],
        workspace: &mut Workspace,
    ) -> Verdict<usize> {
        let Parsed { start, literals, sequences } = parsed;
        let (limit, mut too_long) = frame.limit();
        let room = self.room();
        if room < limit {
            too_long = ErrorKind::OutputTooSmall;
        }
        let too_long = Fault::new(too_long, *start);
        let more = limit.min(room).checked_sub(literals.size).ok_or(too_long)?;
        // More than the window is all that matters, and 32 bits can count it.
        let window = index(frame.walk.header.window);
        let produced = index(frame.produced).min(window.saturating_add(1));
        let before = self.len();
        // Other outputs reach no further back than this.
        let oldest = if tuning::WIDE { produced.saturating_sub(HISTORY) } else { 0 };
        let old_len = match frame.prefix.len() {
            _ if oldest > 0 => 0,
            0 => self.old_len(),
            len => len,
        };
        self.set_place(*start);
        let mut writer = StoreWriter {
            pages: self,
            hash: &mut frame.hash,
            literals: literals.reader(src, frame.lent.code().unwrap_or(&workspace.huffman)),
            old: frame.prefix,
            old_len,
            start: before.wrapping_sub(produced),
            oldest,
            window,
            more,
            place: sequences.bits.start,
            too_long,
        };
        let mut history = workspace.history;
        let tables = frame.lent.tables().unwrap_or(workspace);
        let run = sequences.fold(frame.walk.flavour, src, tables, &mut history, (), &mut writer);
        let rest = writer.literals.left;
        let run = run.and_then(|()| append(writer.pages, writer.hash, &mut writer.literals, rest));
        // Other outputs decode all literals first: an error in them precedes one in the sequences.
        writer.literals.finish()?;
        run?;
        workspace.history = history;
        self.hash(|bytes| frame.hash.update(bytes));
        Ok(self.len() - before)
    }

    fn plain(&mut self, frame: &mut Frame<'_>, bytes: &[u8], run: Option<usize>, start: usize) -> Verdict<()> {
        let byte = bytes.first().copied().unwrap_or(0);
        let mut literals = run.map_or(LiteralReader::raw(bytes), |len| LiteralReader::run(byte, len));
        if literals.left > self.room() {
            return Err(Fault::new(ErrorKind::OutputTooSmall, start));
        }
        self.set_place(start);
        let len = literals.left;
        append(self, &mut frame.hash, &mut literals, len)?;
        self.hash(|bytes| frame.hash.update(bytes));
        Ok(())
    }
}

/// Adds this many literals.
#[inline(never)]
fn append<S: Store>(
    pages: &mut Pages<'_, S>,
    hash: &mut FrameHash,
    literals: &mut LiteralReader<'_>,
    mut len: usize,
) -> Verdict<()> {
    while len > 0 {
        pages.make_room(|bytes| hash.update(bytes));
        let free = pages.free();
        let many = len.min(free.len());
        literals.fill(free.get_mut(..many).unwrap_or_default())?;
        pages.add(many);
        len -= many;
    }
    pages.verdict()
}

/// Carries out the sequences of a block.
struct StoreWriter<'a, 'b, S> {
    pages: &'a mut Pages<'b, S>,
    hash: &'a mut FrameHash,
    literals: LiteralReader<'a>,
    /// The bytes before the frame. If there are none in memory, they are in the store.
    old: &'a [u8],
    old_len: usize,
    /// Bytes of content before the frame, and those of the frame that are out of reach.
    start: usize,
    oldest: usize,
    window: usize,
    /// The most bytes that the matches of the block may still add.
    more: usize,
    /// The byte of faults in sequences.
    place: usize,
    /// The fault of a block that does not fit.
    too_long: Fault,
}

impl<S: Store> Act for StoreWriter<'_, '_, S> {
    type SoFar = ();

    #[inline(never)]
    fn act(&mut self, (): (), sequence: Sequence) -> Verdict<()> {
        // One by one: at level z, `map` is two loops.
        let (literals, offset) = (sequence.literals as usize, sequence.offset as usize);
        let mut length = sequence.length as usize;
        if literals > self.literals.left {
            return Err(Fault::new(ErrorKind::ZstdLiteralsUsedUp, self.place));
        }
        self.more = self.more.checked_sub(length).ok_or(self.too_long)?;
        let produced = self.pages.len().wrapping_sub(self.start) + literals;
        let far = offset > self.window && produced > self.window;
        let oldest = if tuning::WIDE { self.oldest } else { 0 };
        if far || offset > (produced - oldest).saturating_add(self.old_len) {
            return Err(Fault::new(ErrorKind::ZstdOffset, self.place));
        }
        if literals > 0 {
            append(self.pages, self.hash, &mut self.literals, literals)?;
        }
        while length > 0 {
            self.pages.make_room(|bytes| self.hash.update(bytes));
            let before = self.pages.len();
            match offset.checked_sub(before.wrapping_sub(self.start)) {
                None | Some(0) => self.pages.repeat(offset, length),
                Some(back) => self.pages.add_old(self.old, back, length),
            }
            length -= self.pages.len() - before;
        }
        self.pages.verdict()
    }

    fn quick<const NEAR: bool>(&mut self, (): (), _: Sequence) -> Option<()> {
        None
    }
}
