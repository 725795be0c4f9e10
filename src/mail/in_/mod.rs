//! Raw mail → new text → command → desk.
