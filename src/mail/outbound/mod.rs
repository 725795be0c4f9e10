//! Notice → letter → transport. The only room that sends.

mod envelope;
mod transport;
mod work;

pub use envelope::envelope;
pub use transport::{SendError, Transport};
pub use work::{DeliveryReport, OutboxContext, retry_at, work_outbox};
