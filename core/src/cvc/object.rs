//! Members of the objects in a header.

use super::decimal;
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::json::{Node, Text};
use crate::num::Size;

/// An object while its members are read.
///
/// The first fault is kept instead of returned, and every value after it is 0 or empty. Call
/// [`check`](Self::check) before acting on a value. This takes a fraction of the code that a test
/// after each member would.
pub(super) struct Object<'a> {
    node: Node<'a>,
    fault: Option<Fault>,
    /// The position after the object, once its members were picked.
    pub(super) end: usize,
}

/// The position of a member's value in the JSON; 0 if the object has no such member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position(usize);

impl Position {
    /// No member.
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn at(start: usize) -> Self {
        Self(start)
    }

    pub(super) fn of(node: &Node<'_>) -> Self {
        Self(node.start())
    }

    /// Returns the value at this position of the text that `other` is from, or `None` for no
    /// member.
    pub(super) fn node<'a>(self, other: &Node<'a>) -> Option<Node<'a>> {
        (self.0 > 0).then(|| other.elsewhere(self.0))
    }
}

impl<'a> Object<'a> {
    pub(super) fn new(node: Node<'a>) -> Self {
        Self { node, fault: None, end: 0 }
    }

    /// Finds the members of these names. Of equal keys the last one counts, as in Python; other
    /// keys are ignored.
    pub(super) fn pick<const N: usize>(&mut self, names: &[&str; N]) -> [Position; N] {
        let mut found = [Position::NONE; N];
        self.pick_into(names, &mut found);
        found
    }

    /// Does the same for any number of names, so that a program has one copy of the code.
    #[inline(never)]
    fn pick_into(&mut self, names: &[&str], found: &mut [Position]) {
        let mut members = self.node.members();
        for member in &mut members {
            if let Some((_, position)) = names.iter().zip(&mut *found).find(|(name, _)| member.key.is(name)) {
                *position = Position::of(&member.value);
            }
        }
        self.end = members.end();
    }

    /// Returns an optional member.
    pub(super) fn find(&self, position: Position) -> Option<Node<'a>> {
        position.node(&self.node)
    }

    /// Returns the position of a mandatory member. If it is missing, returns that of the object.
    #[inline(never)]
    fn need(&mut self, position: Position) -> usize {
        if position == Position::NONE {
            self.remember(self.node.fault(ErrorKind::CvcMissingKey));
            return self.node.start();
        }
        position.0
    }

    /// Returns a member that is an integer.
    #[inline(never)]
    pub(super) fn integer(&mut self, position: Position) -> Size {
        let start = self.need(position);
        let node = self.node.elsewhere(start);
        let kind = if node.is_number() { ErrorKind::JsonNumber } else { ErrorKind::CvcWrongValue };
        self.or_fault(node, kind, node.integer())
    }

    /// Returns a member that is a string.
    #[inline(never)]
    pub(super) fn text(&mut self, position: Position) -> Text<'a> {
        let start = self.need(position);
        let node = self.node.elsewhere(start);
        self.or_fault(node, ErrorKind::CvcWrongValue, node.string())
    }

    /// Returns the position of a member that is an array.
    pub(super) fn array(&mut self, position: Position) -> usize {
        let start = self.need(position);
        if !self.node.elsewhere(start).is_array() {
            self.remember(Fault::new(ErrorKind::CvcWrongValue, start));
        }
        start
    }

    /// Returns a member that is a number of any kind, as the f32 that Python makes of it.
    pub(super) fn float(&mut self, position: Position) -> f32 {
        let start = self.need(position);
        let node = self.node.elsewhere(start);
        self.or_fault(node, ErrorKind::CvcWrongValue, decimal::f32_from(node.raw()))
    }

    /// Refuses a member. If it is missing, refuses the object.
    pub(super) fn refuse(&mut self, kind: ErrorKind, position: Position) {
        self.remember(self.find(position).unwrap_or(self.node).fault(kind));
    }

    /// Returns the first fault.
    pub(super) fn check(&self) -> Verdict<()> {
        self.fault.map_or(Ok(()), Err)
    }

    /// Returns the value of a node. If it has none, refuses the node.
    fn or_fault<T: Default>(&mut self, node: Node<'a>, kind: ErrorKind, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            self.remember(node.fault(kind));
            T::default()
        })
    }

    #[cold]
    #[inline(never)]
    fn remember(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }
}
