//! A [`Trace`] that stores the structure of a file as a flat list of nodes, for inspectors.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::ops::Range;

use crate::{Name, Part, Trace, Value};

/// A group or a field of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name of the group or field.
    pub name: Name,
    /// The value, or a text that distinguishes it from its siblings. Empty if the bits have no
    /// value.
    pub value: String,
    /// The purpose of the bits; `None` for a group.
    pub part: Option<Part>,
    /// Its bits in the input. A group extends from its first leaf to its last.
    pub bits: Range<u64>,
    /// The number of groups that contain it.
    pub depth: u32,
}

/// The structure of a file in the order in which the parser read it: each node precedes the nodes
/// within it.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    open: Vec<usize>,
    /// The end of the last leaf.
    end: u64,
    max_nodes: usize,
    /// The number of nodes that did not fit.
    pub left_out: u64,
}

/// Longer byte values are cut.
const MAX_BYTES: usize = 32;

/// Returns the number of hexadecimal digits that a field of these bits can have.
pub fn hex_digits(bits: &Range<u64>) -> usize {
    usize::try_from(bits.end.saturating_sub(bits.start).min(64).div_ceil(4)).unwrap_or(0)
}

impl Tree {
    /// Returns an empty tree. It keeps at most `max_nodes` nodes and counts the rest.
    pub const fn new(max_nodes: usize) -> Self {
        Self { nodes: Vec::new(), open: Vec::new(), end: 0, max_nodes, left_out: 0 }
    }

    /// Returns the nodes. After an error they are the part of the file that was understood.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn push(&mut self, name: Name, value: String, part: Option<Part>, bits: Range<u64>, depth: usize) {
        if self.nodes.len() < self.max_nodes {
            let depth = u32::try_from(depth).unwrap_or(u32::MAX);
            self.nodes.push(Node { name, value, part, bits, depth });
        } else {
            self.left_out += 1;
        }
    }

    /// Writes the nodes as a JSON array of
    /// `{"id","name","value"?,"part"?,"start","end","children"?}`, with bits as numbers.
    pub fn write_json(&self, out: &mut impl Write) -> fmt::Result {
        out.write_char('[')?;
        for (at, node) in self.nodes.iter().enumerate() {
            write!(out, "{{\"id\":\"{}\",\"name\":\"{}\"", node.name.id(), node.name.label())?;
            if !node.value.is_empty() {
                out.write_str(",\"value\":")?;
                write_json_string(out, &node.value)?;
            }
            if let Some(part) = node.part {
                write!(out, ",\"part\":\"{}\"", part.name())?;
            }
            write!(out, ",\"start\":{},\"end\":{}", node.bits.start, node.bits.end)?;
            let next = self.nodes.get(at + 1).map_or(0, |next| next.depth);
            if next > node.depth {
                out.write_str(",\"children\":[")?;
                continue;
            }
            out.write_char('}')?;
            for _ in next..node.depth {
                out.write_str("]}")?;
            }
            if self.nodes.len() > at + 1 {
                out.write_char(',')?;
            }
        }
        out.write_char(']')
    }
}

/// Writes a string in quotes, escaped as JSON requires.
pub fn write_json_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            c if c < ' ' || c == '\u{7f}' => {
                // `write!` would link everything that formats numbers.
                out.write_str("\\u00")?;
                let digits = [u32::from(c) / 16, u32::from(c) % 16].map(|digit| char::from_digit(digit, 16));
                digits.into_iter().flatten().try_for_each(|digit| out.write_char(digit))?;
            }
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

impl fmt::Display for Value<'_> {
    /// The width of the format is the number of hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::None => Ok(()),
            Value::U64(n) => write!(f, "{n}"),
            Value::I64(n) => write!(f, "{n}"),
            Value::F64(n) => write!(f, "{n}"),
            Value::Word(word) => f.write_str(word),
            Value::Text(text) => f.write_str(text),
            Value::Hex(n) => write!(f, "0x{n:0digits$x}", digits = f.width().unwrap_or(0)),
            Value::Bytes(bytes) => {
                for byte in bytes.iter().take(MAX_BYTES) {
                    write!(f, "{byte:02x}")?;
                }
                f.write_str(if bytes.len() > MAX_BYTES { "…" } else { "" })
            }
        }
    }
}

impl Trace for Tree {
    fn enter(&mut self, name: Name, value: Value<'_>) {
        let depth = self.open.len();
        self.open.push(self.nodes.len());
        // An empty group is at the place where it was entered.
        self.push(name, value.to_string(), None, self.end..self.end, depth);
    }

    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        for &group in &self.open {
            if let Some(group) = self.nodes.get_mut(group) {
                if group.bits.is_empty() {
                    group.bits = bits.clone();
                } else if !bits.is_empty() {
                    group.bits = group.bits.start.min(bits.start)..group.bits.end.max(bits.end);
                }
            }
        }
        self.end = bits.end;
        let value = format!("{value:digits$}", digits = hex_digits(&bits));
        self.push(name, value, Some(part), bits, self.open.len());
    }

    fn leave(&mut self) {
        self.open.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_reach_over_their_leaves_and_json_nests() {
        let mut tree = Tree::new(100);
        tree.enter(Name::Frame, Value::None);
        tree.bytes(Part::Framing, Name::Magic, 0..4, Value::Hex(0xAB));
        tree.enter(Name::Chunk, Value::U64(0));
        tree.leaf(Part::Data, Name::Bits, 32..35, Value::Text("say \"hi\"\n"));
        tree.leave();
        tree.leave();
        tree.bytes(Part::Padding, Name::TrailingBytes, 5..6, Value::None);
        let mut json = String::new();
        tree.write_json(&mut json).unwrap();
        assert_eq!(
            json,
            concat!(
                r#"[{"id":"Frame","name":"frame","start":0,"end":35,"children":["#,
                r#"{"id":"Magic","name":"magic","value":"0x000000ab","part":"framing","start":0,"end":32},"#,
                r#"{"id":"Chunk","name":"chunk","value":"0","start":32,"end":35,"children":["#,
                r#"{"id":"Bits","name":"bits","value":"say \"hi\"\n","part":"data","start":32,"end":35}]}]},"#,
                r#"{"id":"TrailingBytes","name":"trailing bytes","part":"padding","start":40,"end":48}]"#
            )
        );
    }

    #[test]
    fn a_full_tree_counts_what_it_leaves_out() {
        let mut tree = Tree::new(2);
        tree.enter(Name::Block, Value::None);
        tree.leaf(Part::Data, Name::Byte, 0..1, Value::None);
        tree.leaf(Part::Data, Name::Byte, 1..2, Value::None);
        tree.leave();
        assert_eq!((tree.nodes().len(), tree.left_out), (2, 1));
        assert_eq!(tree.nodes()[0].bits, 0..2, "groups know of leaves that were left out");
    }
}
