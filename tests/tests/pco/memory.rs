//! Workspace, output and limits: the need of a chunk is known beforehand, and claims are bounded
//! before any work.

use super::*;

/// Decodes the page of a chunk with exactly the words that `plan` needs, and fails with one less.
fn exactly<L: Latent>(chunk: &Chunk<'_>, plan: Plan, expected: &[u8], name: &str) -> usize {
    let mut words = workspace(chunk, plan);
    let last = words.len() - 1;
    let Err(error) = opened::<L>(&chunk.meta, chunk.len, plan, &mut words[..last]) else {
        panic!("{name} {plan:?}: a word less is enough");
    };
    assert_eq!(error.class(), Class::WorkspaceTooSmall { need: words.len() as u64 }, "{name} {plan:?}");
    let mut decoder =
        opened::<L>(&chunk.meta, chunk.len, plan, &mut words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut out = vec![L::ZERO; chunk.len];
    let mut leaves = Leaves::default();
    let read = decoder.page(chunk.page(), 0, &mut out, &mut leaves).unwrap();
    leaves.assert_tile(read, name);
    assert!(out.iter().copied().eq(expected.chunks(size_of::<L>()).map(L::get)), "{name} {plan:?}: other numbers");
    assert_eq!(decoder.left(), 0);
    assert_eq!(decoder.skip(chunk.page(), chunk.len, 0), Ok(read), "{name} {plan:?}");
    // A page that was started is given up.
    decoder.start(chunk.len, 0).unwrap();
    assert_eq!(decoder.skip(chunk.page(), chunk.len, 0), Ok(read), "{name} {plan:?}");
    let step = decoder.step(chunk.page(), End::Here, &mut out);
    assert_eq!(step, Ok(Step { read: 0, wrote: 0, status: Status::Done }), "{name} {plan:?}");
    read
}

#[test]
fn needs_exactly_the_words_of_each_plan() {
    let all = Cell::new((0, 0));
    valid(|name, bytes, expected, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let (mut at, mut start) = (file.first(), 0);
        while let Some(chunk) = file.chunk(at, &mut ()).unwrap() {
            let size = chunk.len * chunk.number_type().size();
            let expected = &expected[start..start + size];
            let plans = [Plan::Whole, Plan::Batches, Plan::CompactWhole, Plan::CompactBatches];
            let read = plans.map(|plan| match chunk.number_type().bits() {
                8 => exactly::<u8>(&chunk, plan, expected, name),
                16 => exactly::<u16>(&chunk, plan, expected, name),
                32 => exactly::<u32>(&chunk, plan, expected, name),
                _ => exactly::<u64>(&chunk, plan, expected, name),
            });
            assert_eq!(read, [read[0]; 4], "{name}");
            let len = |plan| chunk.workspace_len(plan);
            all.set((all.get().0 + len(Plan::CompactBatches), all.get().1 + len(Plan::Batches)));
            (at, start) = (chunk.page_at + read[0] as u64, start + size);
        }
    });
    // Not for every type: latents of 8 bits take 32 there.
    let (compact, fast) = all.get();
    assert!(compact <= fast, "{compact} {fast}");
}

#[test]
fn reports_the_need_of_an_output_or_workspace_one_too_small() {
    small(|name, bytes| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let Some(chunk) = file.chunk(file.first(), &mut ()).unwrap() else { return };
        let mut words = workspace(&chunk, Plan::Batches);
        let size = chunk.number_type().size() * chunk.len;
        let mut out = vec![0; size - 1];
        let error = chunk.decode_bytes(&mut out, &mut words, &mut ()).unwrap_err();
        assert_eq!(error.class(), Class::OutputTooSmall { need: size as u64 }, "{name}");

        let mut whole = workspace(&chunk, Plan::Whole);
        let last = whole.len() - 1;
        let error = chunk.skip(&mut whole[..last]).unwrap_err();
        assert_eq!(error.class(), Class::WorkspaceTooSmall { need: whole.len() as u64 }, "{name}");
    });
}

#[test]
fn bounds_the_claims_of_small_files_before_any_work() {
    // u64, 2^24 numbers, classic, no delta, one bin without offsets: 2^24 times 0 in 30 bytes.
    let mut bytes = b"pco!\x03\x02\x00\x04\x01\x02\xFF\xFF\xFF".to_vec();
    let meta = [0u8, 1 << 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend(meta);
    bytes.push(0);
    let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
    let file = File::open(&bytes, &limits).unwrap();
    assert_eq!(file.chunk(file.first(), &mut ()).unwrap_err().class(), Class::Limit);
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
    assert_eq!(chunk.len, 1 << 24);
    let mut few = [0u64; 10];
    let error = chunk.decode(&mut few, &mut workspace(&chunk, Plan::Whole), &mut ()).unwrap_err();
    assert_eq!(error.class(), Class::OutputTooSmall { need: 1 << 24 });

    // A dictionary that claims 2^25 - 1 entries and has none.
    let mut bytes = b"pco!\x03\x02\x00\x04\x01\x02\xFF\xFF\xFF".to_vec();
    bytes.extend([0xF4, 0xFF, 0xFF, 0x1F, 0, 0, 0]);
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    assert_eq!(file.chunk(file.first(), &mut ()).unwrap_err().class(), Class::Limit);
    let file = File::open(&bytes, &Limits::NONE).unwrap();
    let error = file.chunk(file.first(), &mut ()).unwrap_err();
    assert_eq!((error.class(), error.need), (Class::Truncated, 17 + 8 * ((1 << 25) - 1)));

    // A lookback window is history that a decoder may have to keep: 2^n numbers of 32 bits here,
    // for indexes of a dictionary.
    let bytes = read(&vector_folders("pco")[0].join("m_u64_dict_lookback.pco"));
    let chunk = |max_window| {
        let file = File::open(&bytes, &Limits { max_window, ..Limits::DEFAULT }).unwrap();
        file.chunk(file.first(), &mut ()).map(drop).map_err(|error| (error.kind, error.need))
    };
    let (kind, need) = chunk(0).unwrap_err();
    assert!(kind == ErrorKind::WindowLimit && need.is_power_of_two());
    assert_eq!(chunk(need - 1), Err((ErrorKind::WindowLimit, need)));
    assert_eq!(chunk(need), Ok(()));
}

#[test]
fn counts_a_window_for_each_variable_that_looks_back() {
    for (mode, secondary, variables) in [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 2)] {
        let mut bits = Bits::of(5);
        bits.put(mode, 4).put(3, if mode == 1 { 32 } else { 0 });
        bits.put(2, 4).put(19, 5).put(0, 4).put(secondary, 1).variable(32, &[(1, 0)]).variable(32, &[(0, 0)]);
        if mode == 1 {
            bits.variable(32, &[(0, 0)]);
        }
        bits.pad();
        let need = variables * (4 << 20);
        let chunk = |max_window| {
            let file = File::open(&bits.0, &Limits { max_window, ..Limits::DEFAULT }).unwrap();
            file.chunk(file.first(), &mut ()).map(drop).map_err(|error| (error.kind, error.need))
        };
        assert_eq!(chunk(need - 1), Err((ErrorKind::WindowLimit, need)), "{mode} {secondary}");
        assert_eq!(chunk(need), Ok(()), "{mode} {secondary}");
    }
}
