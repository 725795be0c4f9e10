//! Players' results and ratings, for their pages.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::rules::catalogue;
use crate::service::board::find::shown_to;
use crate::service::context::Service;
use crate::service::request::Origin;
use crate::store::{self, PlayerId, RATING_RANGE, ResultCount, Transaction};

/// The maximum number of a player's newest boards to evaluate.
const BOARDS: u32 = 1_000;
/// The maximum number of listed opponents.
const OPPONENTS: usize = 10;

/// A player's results, limited to boards that the requester may see.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerResults {
    /// The results by game, in the order of the catalogue.
    pub games: Vec<GameScore>,
    /// The most frequent opponents, in descending order.
    pub opponents: Vec<OpponentScore>,
    /// The results against the requester.
    pub against_asker: Option<OpponentScore>,
    /// The ratings after each rated board, by game.
    pub ratings: Vec<RatingCurve>,
    /// The number of evaluated newest boards if there are more; otherwise `null`.
    pub newest_only: Option<u32>,
}

/// Boards won, lost and drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Boards won.
    pub won: u32,
    /// Boards lost.
    pub lost: u32,
    /// Boards drawn.
    pub drawn: u32,
}

/// A player's results in one game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameScore {
    /// The catalogue's name of the game.
    pub game: String,
    /// `Marque`
    pub title: String,
    /// The results.
    pub score: Score,
}

/// A player's results against one other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpponentScore {
    /// The userid of the other player.
    pub userid: String,
    /// The results.
    pub score: Score,
}

/// The history of a player's rating in a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RatingCurve {
    /// `Marque`
    pub title: String,
    /// The rating after each rated board, in the order in which they ended.
    pub points: Vec<CurvePoint>,
}

/// A rating after a board.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CurvePoint {
    /// When the board ended.
    pub at: DateTime<Utc>,
    /// The rating.
    pub rating: f64,
    /// The deviation at that time.
    pub deviation: f64,
}

/// The distribution of ratings in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// The width of a range in points.
    pub width: u32,
    /// The lower end of each range with players, and the number of players.
    pub ranges: Vec<(i64, u32)>,
    /// The requester's own rating.
    pub own: Option<i64>,
}

impl Score {
    fn add(&mut self, count: &ResultCount) {
        self.won += count.won;
        self.lost += count.lost;
        self.drawn += count.drawn;
    }

    fn total(self) -> u32 {
        self.won + self.lost + self.drawn
    }
}

impl Service<'_> {
    /// Returns the results and ratings for a player's page, without private boards that this origin may not see.
    ///
    /// # Errors
    /// If the store fails.
    pub fn player_results(
        &self,
        tx: &Transaction<'_>,
        from: &Origin,
        player: PlayerId,
    ) -> store::Result<PlayerResults> {
        let shown_to = shown_to(tx, from)?;
        let asker = if let store::ShownTo::Player(asker) = shown_to { Some(asker) } else { None };
        let counts = tx.results(player, shown_to, BOARDS)?;
        let points = tx.rating_points(player, shown_to, BOARDS)?;
        let store::Tally { active, finished, .. } = tx.tally(player)?;
        let mut games = Vec::new();
        let mut ratings = Vec::new();
        for game in catalogue::GAMES {
            let mut score = Score::default();
            counts.iter().filter(|count| count.game == game.name()).for_each(|count| score.add(count));
            let (name, title) = (game.name().to_owned(), game.title().to_owned());
            if score.total() > 0 {
                games.push(GameScore { game: name, title: title.clone(), score });
            }
            let of_game = points.iter().filter(|point| point.game == game.name());
            let of_game = of_game.map(|point| CurvePoint {
                at: point.ended_at,
                rating: point.rating,
                deviation: point.deviation,
            });
            ratings.push(RatingCurve { title, points: of_game.collect() });
        }
        let mut opponents: Vec<(PlayerId, OpponentScore)> = Vec::new();
        for count in &counts {
            let at = opponents.iter().position(|(id, _)| *id == count.opponent.id).unwrap_or_else(|| {
                let userid = count.opponent.userid.clone();
                opponents.push((count.opponent.id, OpponentScore { userid, score: Score::default() }));
                opponents.len() - 1
            });
            opponents[at].1.score.add(count);
        }
        let against = opponents.iter().find(|(id, _)| Some(*id) == asker).map(|(_, score)| score.clone());
        opponents.sort_by(|(_, a), (_, b)| (b.score.total(), &a.userid).cmp(&(a.score.total(), &b.userid)));
        ratings.retain(|curve| !curve.points.is_empty());
        Ok(PlayerResults {
            games,
            opponents: opponents.into_iter().take(OPPONENTS).map(|(_, score)| score).collect(),
            against_asker: against,
            ratings,
            newest_only: (active + finished > BOARDS).then_some(BOARDS),
        })
    }

    /// Returns the distribution of ratings in a game, without players who have left, and the requester's rating.
    ///
    /// # Errors
    /// If the store fails.
    pub fn rating_distribution(
        &self,
        tx: &Transaction<'_>,
        game: &str,
        asker: Option<PlayerId>,
    ) -> store::Result<Distribution> {
        let own = asker.map(|asker| tx.standing(game, asker)).transpose()?.flatten();
        Ok(Distribution {
            width: RATING_RANGE,
            ranges: tx.rating_distribution(game)?,
            own: own.map(|standing| standing.rating.rating.round() as i64),
        })
    }
}
