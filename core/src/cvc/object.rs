//! Members of the objects in a header.

use super::decimal;
use crate::ErrorKind;
use crate::fault::{Fault, Verdict};
use crate::json::{Node, Text};

/// An object while its members are read.
///
/// What is wrong is remembered rather than given back: the first thing counts, and what is read behind it is 0 or empty. Whoever acts on what
/// was read asks [`check`](Self::check) first. That takes a fraction of the code of asking behind each member.
pub(super) struct Object<'a> {
    node: Node<'a>,
    fault: Option<Fault>,
    /// The first byte after it, once its members were picked.
    pub(super) end: usize,
}

/// Where a member's value starts; 0 if there is no such member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Place {
    /// No member.
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn at(start: usize) -> Self {
        Self(start)
    }

    pub(super) fn of(node: &Node<'_>) -> Self {
        Self(node.start())
    }

    /// The value there, in the text of this one; nothing if there is no such member.
    pub(super) fn node<'a>(self, other: &Node<'a>) -> Option<Node<'a>> {
        (self.0 > 0).then(|| other.elsewhere(self.0))
    }
}

impl<'a> Object<'a> {
    pub(super) fn new(node: Node<'a>) -> Self {
        Self { node, fault: None, end: 0 }
    }

    /// The members of these names. Of equal keys the last one counts, as in Python; other keys are ignored.
    pub(super) fn pick<const N: usize>(&mut self, names: [&str; N]) -> [Place; N] {
        let mut found = [Place::default(); N];
        self.pick_into(&names, &mut found);
        found
    }

    /// The same for any number of names: one copy of the code for all of them.
    #[inline(never)]
    fn pick_into(&mut self, names: &[&str], found: &mut [Place]) {
        let mut members = self.node.members();
        for member in &mut members {
            if let Some((_, place)) = names.iter().zip(&mut *found).find(|(name, _)| member.key.is(name)) {
                *place = Place::of(&member.value);
            }
        }
        self.end = members.end();
    }

    /// The member, if there is one.
    pub(super) fn find(&self, place: Place) -> Option<Node<'a>> {
        place.node(&self.node)
    }

    /// A member that must be there. If it is not, the object stands for it.
    #[inline(never)]
    fn need(&mut self, place: Place) -> Node<'a> {
        self.find(place).unwrap_or_else(|| {
            self.remember(self.node.fault(ErrorKind::CvcMissingKey));
            self.node
        })
    }

    /// A member that is an integer.
    #[inline(never)]
    pub(super) fn integer(&mut self, place: Place) -> u64 {
        let node = self.need(place);
        let kind = if node.is_number() { ErrorKind::JsonNumber } else { ErrorKind::CvcWrongValue };
        self.take(node, kind, node.integer())
    }

    /// A member that is a string.
    #[inline(never)]
    pub(super) fn text(&mut self, place: Place) -> Text<'a> {
        let node = self.need(place);
        self.take(node, ErrorKind::CvcWrongValue, node.string())
    }

    /// A member that is an array.
    pub(super) fn array(&mut self, place: Place) -> Node<'a> {
        let node = self.need(place);
        if !node.is_array() {
            self.remember(node.fault(ErrorKind::CvcWrongValue));
        }
        node
    }

    /// A member that is a number of any kind, as the f32 that Python makes of it.
    pub(super) fn float(&mut self, place: Place) -> f32 {
        let node = self.need(place);
        self.take(node, ErrorKind::CvcWrongValue, decimal::f32_from(node.raw()))
    }

    /// What is wrong is this member; of one that is not there, the object.
    pub(super) fn refuse(&mut self, kind: ErrorKind, place: Place) {
        self.remember(self.find(place).unwrap_or(self.node).fault(kind));
    }

    /// Whether all was well so far.
    pub(super) fn check(&self) -> Verdict<()> {
        self.fault.map_or(Ok(()), Err)
    }

    /// The value of a node. If it has none, the node is what is wrong.
    fn take<T: Default>(&mut self, node: Node<'a>, kind: ErrorKind, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            self.remember(node.fault(kind));
            T::default()
        })
    }

    /// What is wrong first counts.
    #[cold]
    #[inline(never)]
    fn remember(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }
}
