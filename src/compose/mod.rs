//! Facts → words, by the templates: what a shell prints and what a letter says.
