//! Text that any layer may need: messages, and what can be shown safely. Pure; it uses no other module.

mod message;

pub use message::{Fact, Message};
