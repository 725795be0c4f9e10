//! The mail's face: `in_` reads, `out` sends.
pub mod in_;
pub mod out;
