//! How strong players are: Glicko-2. Pure.
//!
//! Source: Mark E. Glickman, "Example of the Glicko-2 system" (<http://www.glicko.net/glicko/glicko2.pdf>), computed by
//! the crate `skillratings`.

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};

use crate::rules::Seat;

/// How much volatility changes with time: the system constant tau, 0.3 to 1.2 by the source, which uses this value.
const TAU: f64 = 0.5;
/// The deviation of a player of whom nothing is known, in rating points. No game can make it less certain than that.
const UNKNOWN: f64 = 350.0;
/// The deviation above which a rating is provisional, in rating points.
const PROVISIONAL: f64 = 110.0;

/// A player's rating on Glicko's scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The strength: 1500 for a new player.
    pub rating: f64,
    /// How uncertain that is, as a standard deviation in rating points: 350 for a new player, and never more.
    pub deviation: f64,
    /// How erratic the results are: 0.06 for a new player.
    pub volatility: f64,
}

impl Default for Rating {
    fn default() -> Rating {
        Rating { rating: 1500.0, deviation: UNKNOWN, volatility: 0.06 }
    }
}

impl Rating {
    /// The deviation is above 110: too few or too old games to say much.
    pub fn provisional(&self) -> bool {
        self.deviation > PROVISIONAL
    }

    fn glicko(self) -> Glicko2Rating {
        Glicko2Rating { rating: self.rating, deviation: self.deviation, volatility: self.volatility }
    }
}

/// The ratings of both seats after a game between them; without a winner it was a draw. Each rated board is a rating
/// period of its own for its two players, and both new ratings come from both old ones.
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
