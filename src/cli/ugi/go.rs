//! `go`: the time limits of a search.

use std::time::Duration;

use crate::player::Effort;
use crate::rules::Seat;

/// The share of the remaining time for one move. Games have about thirty moves per side.
const PART: u32 = 30;

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) effort: Effort,
    /// The maximum time. `None` means that only `stop` or the effort ends the search.
    pub(crate) time: Option<Duration>,
}

/// Reads the words after `go`, for the player to move, with this number of threads. Without words, the level
/// determines the effort.
///
/// # Errors
/// A sentence that describes the fault.
pub(crate) fn limits(words: &[&str], to_move: Seat, of_level: Effort, threads: usize) -> Result<Limits, String> {
    let endless = Effort { playouts: u32::MAX, tactics: true, threads, memory: Effort::MEMORY };
    let mut limits = Limits { effort: if words.is_empty() { of_level } else { endless }, time: None };
    let (mut left, mut increment) = (None, 0);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "infinite" {
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
        let number: u64 = value.parse().map_err(|_| format!("{value} is not a number, which {word} needs"))?;
        match (*word, to_move) {
            ("movetime", _) => limits.time = Some(Duration::from_millis(number)),
            ("nodes", _) => limits.effort.playouts = u32::try_from(number.max(1)).unwrap_or(u32::MAX),
            ("p1time", Seat::First) | ("p2time", Seat::Second) => left = Some(number),
            ("p1inc", Seat::First) | ("p2inc", Seat::Second) => increment = number,
            ("p1time" | "p2time" | "p1inc" | "p2inc", _) => {}
            _ => {
                return Err(format!(
                    "{word} is no limit here: movetime, nodes, infinite, p1time, p2time, p1inc, p2inc"
                ));
            }
        }
    }
    if let Some(left) = left {
        let left = Duration::from_millis(left);
        // In any case, a part of the time remains.
        limits.time = Some((left / PART + Duration::from_millis(increment) * 4 / 5).min(left / 2));
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_among_the_moves_to_come() {
        let of_level = Effort { playouts: 300, tactics: true, threads: 1, memory: Effort::MEMORY };
        let read = |line: &str, seat| limits(&line.split_whitespace().collect::<Vec<_>>(), seat, of_level, 2);
        let time = |line, seat| read(line, seat).unwrap().time;
        assert_eq!(read("", Seat::First).unwrap(), Limits { effort: of_level, time: None });
        assert_eq!(time("movetime 250", Seat::First), Some(Duration::from_millis(250)));
        let clocks = "p1time 60000 p2time 3000 p1inc 0 p2inc 1000";
        assert_eq!(time(clocks, Seat::First), Some(Duration::from_secs(2)));
        assert_eq!(time(clocks, Seat::Second), Some(Duration::from_millis(900)));
        assert_eq!(time("p1time 100 p1inc 1000", Seat::First), Some(Duration::from_millis(50)));
        let nodes = read("nodes 500", Seat::First).unwrap().effort;
        assert_eq!((nodes.playouts, nodes.threads), (500, 2));
        assert_eq!(time("infinite", Seat::First), None);
        for (line, wrong) in [("movetime", "needs a number"), ("movetime soon", "soon"), ("depth 3", "depth")] {
            assert!(read(line, Seat::First).unwrap_err().contains(wrong), "{line}");
        }
    }
}
