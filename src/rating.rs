//! Ratings of players' strength, by Glicko-2. Pure.
//!
//! Source: Mark E. Glickman, "Example of the Glicko-2 system" (<http://www.glicko.net/glicko/glicko2.pdf>), computed by
//! the crate `skillratings`.

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};

use crate::rules::Seat;

/// The system constant tau, which limits changes of volatility. The source recommends 0.3 to 1.2 and uses this value.
const TAU: f64 = 0.5;
/// The deviation of a new player, in rating points. It is also the maximum.
const UNKNOWN: f64 = 350.0;
/// The deviation above which a rating is provisional, in rating points.
const PROVISIONAL: f64 = 110.0;

/// A player's rating on Glicko's scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The strength; a new player has 1500.
    pub rating: f64,
    /// The uncertainty, as a standard deviation in rating points; a new player has 350, the maximum.
    pub deviation: f64,
    /// The volatility of the results; a new player has 0.06.
    pub volatility: f64,
}

impl Default for Rating {
    fn default() -> Rating {
        Rating { rating: 1500.0, deviation: UNKNOWN, volatility: 0.06 }
    }
}

impl Rating {
    /// Returns whether the rating is provisional: the player has too few games, so the deviation is above 110.
    pub fn provisional(&self) -> bool {
        self.deviation > PROVISIONAL
    }

    fn glicko(self) -> Glicko2Rating {
        Glicko2Rating { rating: self.rating, deviation: self.deviation, volatility: self.volatility }
    }
}

/// Returns the ratings of both seats after a game. A game without a winner is a draw. Each rated board is a separate
/// rating period for its two players, and both new ratings are computed from both old ones.
pub fn rate(before: [Rating; 2], winner: Option<Seat>) -> [Rating; 2] {
    let outcome = match winner {
        Some(Seat::First) => Outcomes::WIN,
        Some(Seat::Second) => Outcomes::LOSS,
        None => Outcomes::DRAW,
    };
    let [first, second] = before.map(Rating::glicko);
    let (first, second) = glicko2(&first, &second, &outcome, &Glicko2Config { tau: TAU, ..Glicko2Config::new() });
    [first, second].map(|new| Rating {
        rating: new.rating,
        deviation: new.deviation.min(UNKNOWN),
        volatility: new.volatility,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(rating: f64, deviation: f64) -> Rating {
        Rating { rating, deviation, volatility: 0.06 }
    }

    fn bits(ratings: [Rating; 2]) -> [[u64; 3]; 2] {
        ratings.map(|r| [r.rating, r.deviation, r.volatility].map(f64::to_bits))
    }

    /// The example in the source, game by game: a player rated 1500 with deviation 200. The values of g and E are from
    /// its table. In the source, all three games form one period, so steps 3, 6, 7 and 8 are repeated here for each
    /// game. Step 5 keeps the volatility at 0.06 to four places.
    #[test]
    fn ratings_equal_the_example_of_the_paper() {
        let player = known(1500.0, 200.0);
        for (opponent, winner, score, g, e) in [
            (known(1400.0, 30.0), Seat::First, 1.0, 0.9955_f64, 0.639),
            (known(1550.0, 100.0), Seat::Second, 0.0, 0.9531, 0.432),
            (known(1700.0, 300.0), Seat::Second, 0.0, 0.7242, 0.303),
        ] {
            let v = 1.0 / (g * g * e * (1.0 - e));
            let phi_star = 1.1513_f64.hypot(0.06);
            let phi = 1.0 / (1.0 / (phi_star * phi_star) + 1.0 / v).sqrt();
            let mu = phi * phi * g * (score - e);
            let [new, _] = rate([player, opponent], Some(winner));
            assert!((new.rating - (173.7178 * mu + 1500.0)).abs() < 0.2, "{new:?}");
            assert!((new.deviation - 173.7178 * phi).abs() < 0.05, "{new:?}");
            assert!((new.volatility - 0.06).abs() < 0.000_05, "{new:?}");
        }
    }

    #[test]
    fn a_first_game_changes_both_ratings_equally() {
        let [winner, loser] = rate([Rating::default(); 2], Some(Seat::First));
        assert_eq!([winner.rating.round(), loser.rating.round()], [1662.0, 1338.0]);
        assert_eq!([winner.deviation.round(), loser.deviation.round()], [290.0, 290.0]);
        assert!(winner.provisional());
        assert!(!known(1500.0, 110.0).provisional());
    }

    #[test]
    fn a_draw_between_equals_only_lowers_their_deviations() {
        for before in [Rating::default(), known(1873.0, 80.0)] {
            for new in rate([before; 2], None) {
                assert!((new.rating - before.rating).abs() < 1e-9, "{new:?}");
                assert!((new.volatility - before.volatility).abs() < 1e-5, "{new:?}");
                assert!(new.deviation < before.deviation, "{new:?}");
            }
        }
    }

    #[test]
    fn an_uninformative_game_does_not_raise_the_deviation() {
        let [strong, weak] = rate([known(4000.0, 350.0), known(1000.0, 30.0)], Some(Seat::First));
        assert_eq!(strong.deviation.to_bits(), UNKNOWN.to_bits());
        assert!(weak.deviation < UNKNOWN);
    }

    fn ratings() -> impl Strategy<Value = Rating> {
        (-500.0..4500.0, 10.0..=UNKNOWN, 0.01..0.2).prop_map(|(rating, deviation, volatility)| Rating {
            rating,
            deviation,
            volatility,
        })
    }

    proptest! {
        #[test]
        fn seats_do_not_matter(
            first in ratings(), second in ratings(),
            winner in prop::sample::select(vec![None, Some(Seat::First), Some(Seat::Second)]),
        ) {
            let [a, b] = rate([first, second], winner);
            let swapped = rate([second, first], winner.map(Seat::other));
            prop_assert_eq!(bits([b, a]), bits(swapped));
            prop_assert_eq!(bits([a, b]), bits(rate([first, second], winner)));
        }

        #[test]
        fn winners_rise_and_losers_fall(first in ratings(), second in ratings()) {
            let [winner, loser] = rate([first, second], Some(Seat::First));
            prop_assert!(winner.rating >= first.rating && loser.rating <= second.rating);
        }

        #[test]
        fn ratings_stay_within_their_bounds(results in prop::collection::vec(0..3_usize, 1..200)) {
            let mut ratings = [Rating::default(); 2];
            for result in results {
                ratings = rate(ratings, [None, Some(Seat::First), Some(Seat::Second)][result]);
                for rating in ratings {
                    prop_assert!((0.0..4000.0).contains(&rating.rating), "{rating:?}");
                    prop_assert!((1.0..=UNKNOWN).contains(&rating.deviation), "{rating:?}");
                    prop_assert!((0.01..0.1).contains(&rating.volatility), "{rating:?}");
                }
            }
        }
    }
}
