//! The names of nodes.

use std::fmt::{self, Display, Formatter};

/// The name of a node: a process that works on a database. Names are never reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName(pub String);

impl Display for NodeName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
