//! Works the inbox and the outbox off, once or until stopped.
