//! Notice → letter → transport. The only room that sends.
