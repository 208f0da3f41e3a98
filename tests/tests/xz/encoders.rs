//! Round-trips of everything that the encoder can write: presets, sizes, properties, filters.

use super::*;

/// Bytes with many instructions that branch filters convert, and many that only look like them.
fn machine_code(len: usize) -> Vec<u8> {
    let mut random = Random(77);
    let mut out = Vec::with_capacity(len + 16);
    while out.len() < len {
        let at = out.len() as u32;
        let word = random.bits() as u32;
        match random.below(14) {
            0 | 1 => {
                out.push(0xE8 | (word & 1) as u8);
                out.extend((word & 0xFFFF).wrapping_sub(if word & 2 == 0 { 0 } else { 0x1_0000 }).to_le_bytes());
            }
            2 => out.extend((word >> 8 | 0xEB00_0000).to_le_bytes()),
            3 => out.extend((0x4800_0001 | word & 0x03FF_FFFC).to_be_bytes()),
            4 => out.extend((0x4000_0000 | word & 0x003F_FFFF).to_be_bytes()),
            5 => out.extend((0x7FC0_0000 | word & 0x003F_FFFF).to_be_bytes()),
            6 => out.extend((0x9400_0000 | word & 0x03FF_FFFF).to_le_bytes()),
            7 => out.extend((0x9000_0000 | word & 0x60FF_FFFF).to_le_bytes()),
            8 => out.extend([
                word as u8,
                0xF0 | (word >> 8 & 7) as u8,
                (word >> 16) as u8,
                0xF8 | (word >> 24 & 7) as u8,
            ]),
            9 => out.extend([0xEF, (word & 0xF2) as u8, (word >> 8) as u8, (word >> 16) as u8]),
            10 => {
                let register = word >> 27;
                out.extend((0x17 | register << 7 | word & 0x00FF_F000).to_le_bytes());
                out.extend((0x67 | register << 15 | word << 20 | (word & 0xE0) << 2).to_le_bytes());
            }
            11 => {
                let bundle = u128::from(random.bits()) << 64 | u128::from(random.bits());
                let bundle = bundle & !31 & !(0x1Eu128 << 41 << 82) | 0x11 | 5u128 << (5 + 82 + 37);
                while out.len() % 16 != 0 {
                    out.push(0);
                }
                out.extend((bundle & !(7u128 << (5 + 82 + 9))).to_le_bytes());
            }
            12 => out.extend(at.to_le_bytes()),
            _ => out.push(word as u8 & 0xE9),
        }
    }
    out.truncate(len);
    out
}

#[test]
fn round_trips_every_preset_and_check() {
    for level in 0..=9 {
        for extreme in [0, 1 << 31] {
            for (number, check) in CHECKS.into_iter().enumerate() {
                let text = mixed(30_000 + level as usize * 1000, u64::from(level));
                // A dictionary of 64 MiB is more than this test lends as a window.
                let file = preset(&text, level | extreme, check);
                let out = decode_to_vec(&file, &Options::DEFAULT);
                assert!(out.as_deref() == Ok(&text), "preset {level}, check {number}: {:?}", out.map(drop));
            }
        }
    }
    holds("preset 6", &preset(&mixed(300_000, 1), 6, Check::Crc64), &mixed(300_000, 1));
}

#[test]
fn round_trips_every_size_at_a_boundary() {
    let edges = [1usize, 4096, 1 << 16, 2 << 20];
    let sizes = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]).chain([2, 3, 5, 31, 300, 5 << 20]);
    let (text, noise) = (mixed(6 << 20, 4), Random(9).noise(6 << 20));
    for size in sizes {
        for (name, bytes) in [("text", &text[..size]), ("noise", &noise[..size]), ("zeros", &vec![0; size])] {
            holds(&format!("{name} of {size}"), &preset(bytes, 1, Check::Crc32), bytes);
        }
    }
}

#[test]
fn round_trips_every_lc_lp_and_pb() {
    let text = mixed(40_000, 12);
    for lc in 0..=4 {
        for lp in 0..=4 - lc {
            for pb in 0..=4 {
                let mut options = options(1 << 16);
                options.literal_context_bits(lc).literal_position_bits(lp).position_bits(pb);
                let file = filtered(&text, Filters::new().lzma2(&options), Check::Sha256);
                holds(&format!("lc {lc} lp {lp} pb {pb}"), &file, &text);
            }
        }
    }
}

type Add = fn(&mut Filters) -> &mut Filters;

const FILTERS: [(&str, Add); 9] = [
    ("x86", Filters::x86),
    ("powerpc", Filters::powerpc),
    ("ia64", Filters::ia64),
    ("arm", Filters::arm),
    ("arm64", Filters::arm64),
    ("riscv", Filters::riscv),
    ("arm_thumb", Filters::arm_thumb),
    ("sparc", Filters::sparc),
    ("delta", |filters| filters.delta_properties(&[3]).unwrap()),
];

#[test]
fn round_trips_every_filter_and_chain() {
    let lzma = options(1 << 16);
    for len in [0, 1, 4, 5, 7, 8, 15, 16, 17, 100, 1000, 200_001] {
        let code = machine_code(len);
        for (name, add) in FILTERS {
            let file = filtered(&code, add(&mut Filters::new()).lzma2(&lzma), Check::Crc64);
            holds(&format!("{name} of {len}"), &file, &code);
        }
    }
    let code = machine_code(50_000);
    for (first, add_first) in FILTERS {
        for (second, add_second) in FILTERS {
            let mut filters = Filters::new();
            add_second(add_first(&mut filters)).lzma2(&lzma);
            holds(&format!("{first} {second}"), &filtered(&code, &filters, Check::Crc32), &code);
            let mut filters = Filters::new();
            add_first(add_second(add_first(&mut filters))).lzma2(&lzma);
            holds(&format!("{first} {second} {first}"), &filtered(&code, &filters, Check::Crc32), &code);
        }
    }
    for distance in [0, 1, 2, 3, 15, 127, 254, 255] {
        let mut filters = Filters::new();
        filters.delta_properties(&[distance]).unwrap().lzma2(&lzma);
        holds(&format!("delta {distance}"), &filtered(&code, &filters, Check::Crc32), &code);
    }
    for start in [0u32, 16, 0x1000_0000, 0xFFFF_FFF0] {
        let mut filters = Filters::new();
        filters.x86_properties(&start.to_le_bytes()).unwrap().lzma2(&lzma);
        holds(&format!("x86 from {start}"), &filtered(&code, &filters, Check::Crc32), &code);
        let mut filters = Filters::new();
        filters.riscv_properties(&start.to_le_bytes()).unwrap().lzma2(&lzma);
        holds(&format!("riscv from {start}"), &filtered(&code, &filters, Check::Crc32), &code);
    }
}

#[test]
fn round_trips_instructions_in_and_next_to_each_other() {
    let lzma = options(1 << 16);
    for seed in 0..30 {
        let mut random = Random(seed);
        // Opcodes and signs of x86, and bytes next to signs.
        let x86 = (0..3000).map(|_| [0xE8, 0xE9, 0, 0xFF, 1, 0xFE][random.below(6)]).collect();
        // `AUIPC` of x2 as the filter of RISC-V writes it, with a bit flipped in every other one.
        let risc_v = (0..1000).flat_map(|_| {
            let word = 0x3117 | (random.below(8) as u32) << 27;
            (word ^ (random.below(2) as u32) << random.below(32)).to_le_bytes()
        });
        let risc_v = risc_v.collect();
        for (name, code) in [("x86", x86), ("riscv", risc_v)] {
            let code: Vec<u8> = code;
            for (filter, add) in FILTERS {
                let file = filtered(&code, add(&mut Filters::new()).lzma2(&lzma), Check::Crc64);
                assert!(decoded(&file).as_ref() == Ok(&code), "{filter} of {name}, seed {seed}");
                if seed < 3 {
                    let (out, end) = streamed(&file, SMALL, || (1 + random.below(9), 1 + random.below(9)));
                    assert!(end == Ok(()) && out == code, "{filter} of {name} in pieces, seed {seed}");
                }
            }
        }
    }
    // A block does not depend on the one before it: here the only opcode of that is at its start.
    let pieces: [&[u8]; 2] = [&[0xE8, 1, 1, 1, 1], &[0xE8, 0, 0, 0, 0]];
    let encoder = Stream::new_stream_encoder(Filters::new().x86().lzma2(&lzma), Check::Crc32).unwrap();
    holds("blocks of x86", &run(encoder, &pieces, Action::FullFlush), &pieces.concat());
}

#[test]
fn decodes_files_of_the_xz_program() {
    let folder = &vector_folders("xz")[0];
    let page = read(&folder.join("page.csv"));
    holds("page.xz", &read(&folder.join("page.xz")), &page);
    holds("blocks.xz", &read(&folder.join("blocks.xz")), &page);
    holds("unspool.xz", &read(&folder.join("unspool.xz")), b"unspool unspool unspool");
}
