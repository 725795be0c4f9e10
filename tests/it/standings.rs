//! Our standings equal those of another program.

// This is not a unit test of the private module, because the published package does not contain the tables.
#[allow(dead_code, reason = "the tables of other modules show more columns")]
#[path = "../../src/event/standings.rs"]
mod computed;

use computed::{Score, standings};

/// Tables as `players; first-second=half points ...; players by rank`, ranked by gacrux 1.11.65 with the tie-breaks
/// PTS, DE, SB and WIN for a tournament with predetermined pairings.
const CROSS_CHECKED: &str = include_str!("../data/crosstables.txt");

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().ok().expect("the text is a number")
}

#[test]
fn standings_equal_cross_checked_tables() {
    let mut tables = 0;
    for line in CROSS_CHECKED.lines() {
        let parts: Vec<&str> = line.split(';').collect();
        let [players, games, ranks] = parts[..] else { panic!("{line}") };
        let game = |text: &str| {
            let (players, half_points) = text.split_once('=').expect("a game has a result");
            let (first, second) = players.split_once('-').expect("a game has two players");
            Score { players: (number(first), number(second)), half_points: number(half_points) }
        };
        let games: Vec<Score> = games.split_whitespace().map(game).collect();
        let expected: Vec<usize> = ranks.split_whitespace().map(number).collect();
        let ranked = standings(number(players), &games).iter().map(|row| row.player).collect::<Vec<_>>();
        assert_eq!(ranked, expected, "{line}");
        tables += 1;
    }
    assert!(tables >= 40, "{tables}");
}
