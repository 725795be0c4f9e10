//! Move lists in, facts out: what `turnpost replay` and `turnpost perft` print.
