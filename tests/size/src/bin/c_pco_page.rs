//! Pco from C, a page of integers
//!
//! The only page of the same file through `unspool_pco_step_32`, which takes it in pieces as well.
#![no_std]
#![no_main]

use size::c::{null, null_mut};
use unspool_capi::common::UnspoolStep;
use unspool_capi::pco::{
    UNSPOOL_PCO_DECODER_WORDS, UNSPOOL_PCO_FILE_WORDS, UNSPOOL_PCO_META_WORDS, UNSPOOL_PCO_WHOLE, UnspoolPcoChunk,
    UnspoolPcoDecoder, UnspoolPcoFile, UnspoolPcoInfo, UnspoolPcoMeta, unspool_pco_chunk, unspool_pco_info,
    unspool_pco_init_int_32, unspool_pco_open, unspool_pco_start_32, unspool_pco_step_32,
};

size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, room| {
    static mut FILE: UnspoolPcoFile = UnspoolPcoFile { opaque: [0; UNSPOOL_PCO_FILE_WORDS] };
    static mut META: UnspoolPcoMeta = UnspoolPcoMeta { opaque: [0; UNSPOOL_PCO_META_WORDS] };
    static mut DECODER: UnspoolPcoDecoder = UnspoolPcoDecoder { opaque: [0; UNSPOOL_PCO_DECODER_WORDS] };
    let (opened, meta, decoder) = (&raw mut FILE, &raw mut META, &raw mut DECODER);
    let (mut info, mut chunk) = (UnspoolPcoInfo::default(), UnspoolPcoChunk::default());
    let (words, words_len) = (room.words.as_mut_ptr().cast(), 8 * room.words.len());
    // SAFETY: the memory is valid, and called once.
    unsafe {
        if unspool_pco_open(opened, file.as_ptr().cast(), file.len(), null(), null_mut()) != 0
            || unspool_pco_info(opened, &raw mut info, null_mut()) != 0
            || unspool_pco_chunk(opened, info.first_chunk, &raw mut chunk, meta, null_mut()) != 0
            || unspool_pco_init_int_32(decoder, meta, chunk.len, UNSPOOL_PCO_WHOLE, words, words_len, null_mut()) != 0
            || unspool_pco_start_32(decoder, chunk.len, chunk.page_at, null_mut()) != 0
        {
            return 0;
        }
        let page = file.get(chunk.page_at as usize..).unwrap_or_default();
        let mut step = UnspoolStep {
            src: page.as_ptr().cast(),
            src_len: page.len(),
            dst: room.numbers.as_mut_ptr().cast(),
            dst_len: 4 * room.numbers.len(),
            read: 0,
            wrote: 0,
            end: 1,
            status: 0,
        };
        match unspool_pco_step_32(decoder, &raw mut step, null_mut()) {
            0 => step.wrote,
            _ => 0,
        }
    }
});
