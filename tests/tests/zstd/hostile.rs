//! Files that are cut, changed, or claim too much.

use super::*;

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    valid(|vector| {
        let step = 1 + vector.bytes.len() / 400;
        let mut room = vec![0; number(&vector.entry, "orig_size") as usize];
        if room.len() > 1 << 20 {
            return;
        }
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        let mut ws = Workspace::new();
        for cut in (0..vector.bytes.len()).step_by(step) {
            let limits = Limits::DEFAULT;
            let out = decode_with(&vector.bytes[..cut], &mut room, &mut ws, &limits, &vector.told(), &mut ());
            match out {
                // Between frames.
                Ok(done) => {
                    assert!(
                        done.wrote < whole.len() || list(&vector.entry, "frames").len() != 1,
                        "{} {cut}",
                        vector.name
                    );
                }
                Err(error) => {
                    assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{} {cut}", vector.name);
                }
            }
        }
    });
}

#[test]
fn mutated_files_never_panic_and_never_decode_wrong_past_a_checksum() {
    let (mut tried, mut found) = (0u64, 0u64);
    let counters = std::cell::RefCell::new((&mut tried, &mut found));
    valid(|vector| {
        let size = number(&vector.entry, "orig_size") as usize;
        if vector.bytes.len() > 20_000 || size > 1 << 20 {
            return;
        }
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        let mut random = Random(vector.name.len() as u64 * 1000 + vector.bytes.len() as u64);
        let mut ws = Workspace::new();
        let mut room = vec![0; size + 40];
        for _ in 0..60 {
            let mut mutated = vector.bytes.clone();
            for _ in 0..=random.below(3) {
                if mutated.is_empty() {
                    break;
                }
                let bound = if random.below(2) == 0 { mutated.len() } else { mutated.len().min(40) };
                let at = random.below(bound);
                match random.below(6) {
                    0 => mutated[at] = random.bits() as u8,
                    1 => mutated[at] ^= 1 << random.below(8),
                    2 => mutated[at] = 0xFF,
                    3 => drop(mutated.remove(at)),
                    4 => mutated.insert(at, random.bits() as u8),
                    _ => mutated.truncate(at.max(1)),
                }
            }
            for options in [vector.told(), vector.options()] {
                let limits = Limits { max_output: 1 << 24, ..Limits::DEFAULT };
                let done = decode_with(&mutated, &mut room, &mut ws, &limits, &options, &mut Leaves::default());
                let counted = decoded_size(&mutated, &mut ws, &limits, &options);
                *counters.borrow_mut().0 += 1;
                match done {
                    Ok(done) => {
                        assert_eq!(counted, Ok(done.wrote as u64), "{}", vector.name);
                        // Every frame was checked: these are the bytes that were written, or fewer frames of them.
                        let checked = done.checksums == done.frames && vector.flavour == Flavour::Rfc8878;
                        assert!(
                            !checked || done.frames != 1 || room[..done.wrote] == whole || done.wrote != whole.len(),
                            "{}",
                            vector.name
                        );
                    }
                    Err(_) => *counters.borrow_mut().1 += 1,
                }
            }
        }
    });
    println!("{tried} mutations, {found} refused");
    assert!(found * 2 > tried);
}

#[test]
fn claims_are_not_believed() {
    // A content size of 2^62, a window of 2^41, and a bomb of runs.
    let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
    let mut ws = Workspace::new();
    let huge = b"\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\0\0\x40\x01\0\0";
    let error =
        |bytes: &[u8], ws: &mut Workspace| decode_to_vec(bytes, ws, &limits, &Options::DEFAULT).unwrap_err().kind;
    assert_eq!(error(huge, &mut ws), ErrorKind::OutputLimit);
    assert_eq!(error(b"\x28\xB5\x2F\xFD\x00\xFF\x01\0\0", &mut ws), ErrorKind::WindowLimit);
    let mut bomb = b"\x28\xB5\x2F\xFD\x00\x58".to_vec();
    bomb.extend(b"\x02\0\x10\0".repeat(100));
    bomb.extend(b"\x03\0\x10\0");
    assert_eq!(error(&bomb, &mut ws), ErrorKind::OutputLimit);
    assert_eq!(decoded_size(&bomb, &mut ws, &Limits::DEFAULT, &Options::DEFAULT), Ok(101 << 17));
    // Where that is allowed the vector grows with it.
    let grown = decode_to_vec(&bomb, &mut ws, &Limits::DEFAULT, &Options::DEFAULT);
    assert_eq!(grown.map(|grown| (grown.len(), grown.iter().all(|&byte| byte == 0))), Ok((101 << 17, true)));
    // A file that breaks off behind its claim gets nothing for it.
    let cut = decode_to_vec(huge.get(..14).unwrap(), &mut ws, &Limits::NONE, &Options::DEFAULT);
    assert_eq!(cut.map_err(|error| error.kind), Err(ErrorKind::Truncated));
    // Two million empty frames are two million frames, no more.
    let many = b"\x28\xB5\x2F\xFD\x20\0\x01\0\0".repeat(200_000);
    assert_eq!(decode_to_vec(&many, &mut ws, &limits, &Options::DEFAULT), Ok(vec![]));
}
