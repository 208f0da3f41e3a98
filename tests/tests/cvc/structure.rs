//! The trace of a whole file and of an outline.

use std::cell::RefCell;

use unspool::cvc::{Outline, Workspace, inspect};
use unspool::tree::{Node, Tree};
use unspool::{Limits, Name, Part};
use unspool_tests::{Leaves, list, number};

use crate::{OPTIONS, outlined, valid};

#[test]
fn leaves_tile_every_valid_file_and_name_the_offsets_of_chunks() {
    valid(|name, bytes, entry, _| {
        let mut leaves = Leaves::default();
        inspect(bytes, &mut Workspace::new(), &OPTIONS, &mut leaves).unwrap_or_else(|error| panic!("{name}: {error}"));
        let lengths: Vec<u64> = leaves
            .leaves
            .iter()
            .filter(|(_, name)| *name == Name::PayloadLength)
            .map(|(bits, _)| bits.start / 8)
            .collect();
        let chunks: Vec<u64> = list(entry, "chunks")
            .iter()
            .filter(|chunk| chunk.is_object())
            .map(|chunk| number(chunk, "prefix_offset"))
            .collect();
        assert_eq!(lengths[..chunks.len()], chunks, "{name}");
        leaves.assert_tile(bytes.len(), name);
        // Bytes after the end are emitted, and nothing else changes.
        let longer = [bytes, b"trailing"].concat();
        let mut leaves = Leaves::default();
        inspect(&longer, &mut Workspace::new(), &OPTIONS, &mut leaves).unwrap();
        leaves.assert_tile(longer.len(), name);
    });
}

/// Returns the nodes of a file, with each payload as one node.
fn without_payloads(tree: &Tree) -> Vec<Node> {
    let mut nodes: Vec<Node> = vec![];
    for node in tree.nodes() {
        match nodes.last() {
            Some(Node { value, depth, .. }) if value == "lossless" && *depth < node.depth => {}
            _ if node.name == Name::Lossless => {
                let (value, part) = ("lossless".to_owned(), Some(Part::Data));
                nodes.push(Node { name: Name::Values, value, part, ..node.clone() });
            }
            _ => nodes.push(node.clone()),
        }
    }
    nodes
}

#[test]
fn outline_emits_the_structure_of_a_file_from_its_ranges() {
    let lossless = RefCell::new(0);
    valid(|name, bytes, entry, _| {
        for bytes in [bytes, &[bytes, b"trailing"].concat()] {
            let mut all = Tree::new(usize::MAX);
            inspect(bytes, &mut Workspace::new(), &OPTIONS, &mut all).unwrap();
            let (tree, asked) = outlined(bytes, &Limits::DEFAULT);
            assert_eq!(asked, Ok(number(entry, "num_chunks")), "{name}");
            assert!(tree.nodes() == without_payloads(&all), "{name}");
            let mut leaves = Leaves::default();
            for node in tree.nodes().iter().filter(|node| node.part.is_some()) {
                leaves.leaves.push((node.bits.clone(), node.name));
            }
            *lossless.borrow_mut() +=
                tree.nodes().iter().filter(|node| node.value == "lossless" && node.name == Name::Values).count();
            leaves.assert_tile(bytes.len(), name);
        }
        // The trace of a truncated file ends with it.
        let step = 1 + bytes.len() / 2000;
        for cut in (0..bytes.len()).step_by(step).map(|cut| &bytes[..cut]) {
            let mut all = Leaves::default();
            let inspected = inspect(cut, &mut Workspace::new(), &OPTIONS, &mut all).map(|done| done.parts);
            assert_eq!(outlined(cut, &Limits::DEFAULT).1, inspected, "{name} cut at {}", cut.len());
        }
    });
    assert!(lossless.into_inner() > 0);
    let file = b"CVCF\x0B\0\0\0{\"chunks\":0";
    assert_eq!(
        Outline::open(file, 18, &Limits::DEFAULT, &mut ()).unwrap_err(),
        outlined(file, &Limits::DEFAULT).1.unwrap_err()
    );
}
