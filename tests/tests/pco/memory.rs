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
    let need = Class::WorkspaceTooSmall { need: words.len() as u64 };
    assert_eq!((error.class(), error.at), (need, 0), "{name} {plan:?}");
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
    assert_eq!(decoder.left(), chunk.len);
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

        for (max_output, refused) in [(size as u64 - 1, true), (size as u64, false)] {
            let file = File::open(bytes, &Limits { max_output, ..Limits::DEFAULT }).unwrap();
            let error = file.chunk(file.first(), &mut ()).err().map(|error| (error.kind, error.need));
            assert_eq!(error, refused.then_some((ErrorKind::OutputLimit, size as u64)), "{name}");
        }

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

/// The words are exact. Machines of 32 bits and of the other byte order need others.
#[test]
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
fn knows_the_words_of_each_plan() {
    let known = [
        ("k_u32_arange.pco", [34, 34, 4, 4]),
        ("k_u8_cycle.pco", [704, 832, 263, 775]),
        ("n_f32_513.pco", [288, 288, 36, 36]),
        ("m_u64_dict_lookback.pco", [3616, 3616, 2572, 2572]),
        ("nl_u16_classic_lb_255.pco", [736, 800, 135, 263]),
        ("nl_i64_classic_lb_2.pco", [292, 294, 6, 8]),
        ("x_f32_extreme_fmult-0.1_lb.pco", [1440, 1440, 653, 653]),
        ("assets/v0_0_0_delta_float_mult.pco", [1440, 1440, 582, 582]),
        ("assets/v1_0_0_conv1.pco", [1200, 1200, 276, 276]),
    ];
    let words = known.map(|(name, _)| {
        let bytes = read(&vector_folders("pco")[0].join(name));
        let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
        let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
        let plans = [Plan::Whole, Plan::Batches, Plan::CompactWhole, Plan::CompactBatches];
        (name, plans.map(|plan| chunk.workspace_len(plan)))
    });
    assert_eq!(words, known);
    // The entries of a table have two words of 32 bits, and a batch is read to 32 words.
    for (log, entries) in
        [(1, 1 << 8), (8, 1 << 8), (9, 1 << 10), (11, 1 << 12), (12, 1 << 12), (13, 1 << 14), (14, 1 << 14)]
    {
        let mut bits = Bits::of(1);
        bits.put(0, 8).put(log, 4).put(2, 15).pad().0.extend([0; 64]);
        let file = File::open(&bits.0, &Limits::NONE).unwrap();
        let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
        assert_eq!(chunk.workspace_len(Plan::Whole), entries + 32, "{log}");
    }
}

#[test]
fn judges_metadata_at_its_bounds() {
    let verdict = |limits: &Limits, rest: &dyn Fn(&mut Bits)| {
        let mut bits = Bits::of(1);
        rest(&mut bits);
        bits.pad().0.extend([0; 64]);
        let file = File::open(&bits.0, limits).unwrap();
        file.chunk(file.first(), &mut ()).map(drop).map_err(|error| (error.kind, error.at, error.need))
    };
    // The metadata starts at byte 13. The window is at its second nibble.
    for (window_log, state_log, fits) in [(24, 0, true), (25, 0, false), (3, 3, true), (3, 4, false)] {
        let window = verdict(&Limits::NONE, &|bits| {
            bits.put(0, 4).put(2, 4).put(window_log - 1, 5).put(state_log, 4).put(0, 1);
            bits.variable(32, &[(1, 0)]).variable(32, &[(0, 0)]);
        });
        assert_eq!(
            window.map_err(|(kind, at, _)| (kind, at)),
            if fits { Ok(()) } else { Err((ErrorKind::PcoWindow, 13)) }
        );
    }
    // The logarithm of the table size, and the number of bins.
    for (log, bins, expected) in [
        (14, 2, Ok(())),
        (15, 2, Err(ErrorKind::PcoTableSize)),
        (0, 1, Ok(())),
        (1, 1, Err(ErrorKind::PcoTableSize)),
        (1, 3, Err(ErrorKind::PcoBinCount)),
    ] {
        let table = verdict(&Limits::NONE, &|bits| {
            bits.put(0, 8).put(log, 4).put(bins, 15);
        });
        assert_eq!(table, expected.map_err(|kind| (kind, 14, 0)), "{log} {bins}");
    }
    for (max_elements, expected) in [(3, Err((ErrorKind::ElementLimit, 14, 4))), (4, Ok(())), (5, Ok(()))] {
        let bins = verdict(&Limits { max_elements, ..Limits::NONE }, &|bits| {
            bits.put(0, 8).put(2, 4).put(4, 15);
        });
        assert_eq!(bins, expected, "{max_elements}");
    }
    // The entries of a dictionary, of four bytes each.
    for (max_elements, max_header, expected) in
        [(2, 20, Ok(())), (1, 20, Err((ErrorKind::ElementLimit, 13, 2))), (2, 7, Err((ErrorKind::HeaderLimit, 13, 8)))]
    {
        let dict = verdict(&Limits { max_elements, max_header, ..Limits::NONE }, &|bits| {
            bits.put(4, 4).put(2, 25).pad().put(0, 64).put(0, 4).variable(32, &[(0, 0)]);
        });
        assert_eq!(dict, expected, "{max_elements} {max_header}");
    }
    // More offset bits than a latent has, in the third of four bins.
    let mut bits = Bits::of(1);
    bits.put(0, 8).variable(32, &[(0, 32), (0, 32), (0, 33), (0, 0)]).pad().0.extend([0; 8]);
    let kind = |bytes: &[u8]| {
        let file = File::open(bytes, &Limits::NONE).unwrap();
        let chunk = file.chunk(file.first(), &mut ()).and_then(|chunk| {
            let chunk = chunk.unwrap();
            chunk.decode::<u32>(&mut [0], &mut workspace(&chunk, Plan::Whole), &mut ()).map(drop)
        });
        chunk.map_err(|error| (error.kind, error.at))
    };
    // 13 bytes, a byte of modes, 19 bits, and 40 bits for each bin.
    assert_eq!(kind(&bits.0), Err((ErrorKind::PcoOffsetBits, 13 + 1 + (19 + 2 * 40) / 8)));
    assert_eq!(kind(&bits.0[..14 + (19 + 3 * 40_usize).div_ceil(8)]), Err((ErrorKind::PcoOffsetBits, 26)));
    // The header of the first version is one byte, and a uniform type that is none.
    assert!(File::open(b"pco!\x01", &Limits::NONE).is_ok());
    let error = File::open(b"pco!\x03\x63\0\x04\x01", &Limits::NONE).map(drop).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::PcoNumberType, 5));
}
