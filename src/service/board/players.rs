//! Lists of players and games, and players' results and ratings.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::find::shown_to;
use super::robots::robot_level;
use super::view::game_title;
use super::views::{EngineRow, GameRow, PlayerRow, SeekRow, StandingRow};
use crate::player::Level;
use crate::rules::{Options, catalogue};
use crate::service::context::{ReadContext, Service};
use crate::service::policy::{EngineRobot, Policy};
use crate::service::rejection::RequestResult;
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{self, Player, PlayerId, RATING_RANGE, ResultCount, Seeker, Standing, Tally, Transaction};

/// The maximum number of players in `standings` and `list`.
const MOST_PLAYERS: u32 = 1_000;

/// Converts a stored standing to the row that readers see.
pub(crate) fn standing_row(standing: &Standing) -> StandingRow {
    StandingRow {
        game: standing.game.clone(),
        title: game_title(&standing.game).to_owned(),
        userid: standing.player.userid.clone(),
        rating: standing.rating.rating.round() as i64,
        deviation: standing.rating.deviation.round() as i64,
        provisional: standing.rating.provisional(),
        games: standing.wins + standing.losses + standing.draws,
        wins: standing.wins,
        losses: standing.losses,
        draws: standing.draws,
    }
}

/// Returns the games with these names, or all games if `names` is empty.
pub(crate) fn game_rows(tx: &Transaction<'_>, names: &[&'static str], policy: &Policy) -> store::Result<Vec<GameRow>> {
    let mut games = Vec::new();
    for game in catalogue::GAMES.iter().filter(|game| names.is_empty() || names.contains(&game.name())) {
        games.push(GameRow {
            name: game.name().to_owned(),
            title: game.title().to_owned(),
            designer: game.designer().to_owned(),
            options: game.options().iter().map(|option| format!("-{}", option.name)).collect(),
            default_options: policy.options(*game, &Options::default()).to_string(),
            active: tx.active_boards(game.name())? as usize,
            offers: tx
                .open_challenges(Some(game.name()))?
                .iter()
                .filter(|challenge| !challenge.terms.flags.private)
                .count(),
            seekers: seekers(tx, game.name())?,
        });
    }
    Ok(games)
}

/// Returns the players who look for opponents in a game, by userid, with the number of wanted opponents.
pub(crate) fn seekers(tx: &Transaction<'_>, game: &str) -> store::Result<Vec<(String, u32)>> {
    Ok(tx.seekers(game)?.into_iter().map(|Seeker { player, seeks }| (player.userid, seeks)).collect())
}

/// The games in which each player looks for opponents.
#[derive(Default)]
struct Seeks(HashMap<PlayerId, Vec<SeekRow>>);

impl Seeks {
    fn read(tx: &Transaction<'_>) -> store::Result<Seeks> {
        let mut seeks = Seeks::default();
        for game in catalogue::GAMES {
            for Seeker { player, seeks: count } in tx.seekers(game.name())? {
                let (name, title) = (game.name().to_owned(), game.title().to_owned());
                seeks.0.entry(player.id).or_default().push(SeekRow { game: name, title, count });
            }
        }
        Ok(seeks)
    }

    fn of(&self, player: PlayerId) -> Vec<SeekRow> {
        self.0.get(&player).cloned().unwrap_or_default()
    }
}

impl ReadContext<'_> {
    fn player_row(&self, player: &Player, seeks: &Seeks) -> RequestResult<PlayerRow> {
        let now = self.request.now;
        let vacations = self.tx.vacations(player.id)?.into_iter();
        let present = vacations.filter(|span| span.from <= now && now < span.until).map(|span| span.until);
        let Tally { active, next, finished } = self.tx.tally(player.id)?;
        Ok(PlayerRow {
            userid: player.userid.clone(),
            since: player.created_at,
            active: active as usize,
            next: next as usize,
            finished: finished as usize,
            vacation_until: present.max(),
            left_at: player.left_at,
            standings: self.tx.standings_of(player.id)?.iter().map(standing_row).collect(),
            seeks: seeks.of(player.id),
            titles: Vec::new(),
        })
    }

    /// Returns the best players of a game, without those who have left.
    pub(crate) fn standings(&self, game: &'static str) -> RequestResult<Response> {
        let rows: Vec<_> = self.tx.standings_page(game, 0, MOST_PLAYERS)?.iter().map(standing_row).collect();
        let rated: u32 = self.tx.rating_distribution(game)?.iter().map(|(_, players)| players).sum();
        let more = rated.saturating_sub(rows.len() as u32);
        Ok(Response::Standings { game: game_title(game).to_owned(), rows, more, seekers: seekers(self.tx, game)? })
    }

    pub(crate) fn players(&self, userids: &[String]) -> RequestResult<Response> {
        let seeks = Seeks::read(self.tx)?;
        let rows = userids.iter().map(|userid| {
            let player = self.player(userid)?;
            Ok(PlayerRow { titles: self.tx.titles(player.id)?, ..self.player_row(&player, &seeks)? })
        });
        Ok(Response::Players { players: rows.collect::<RequestResult<_>>()? })
    }

    /// Returns the games with these names (all games if `names` is empty), and the first players in order of userid,
    /// without computer players.
    pub(crate) fn list(&self, names: &[&'static str], policy: &Policy) -> RequestResult<Response> {
        let games = game_rows(self.tx, names, policy)?;
        let robots = usize::from(Level::MOST) + policy.engines.len();
        // Read one more than shown, to detect whether there are more.
        let mut people = self.tx.first_players(MOST_PLAYERS + 1 + robots as u32)?;
        people.retain(|player| robot_level(&player.userid).is_none() && policy.engine(&player.userid).is_none());
        let more = people.len() > MOST_PLAYERS as usize;
        people.truncate(MOST_PLAYERS as usize);
        let seeks = Seeks::read(self.tx)?;
        let players = people.iter().map(|player| self.player_row(player, &seeks)).collect::<RequestResult<_>>()?;
        let row = |engine: &EngineRobot| EngineRow { userid: engine.userid.clone(), games: engine.games.clone() };
        let engines = policy.engines.iter().map(row).collect();
        Ok(Response::Listed { games, players, more, robots: policy.robots, engines })
    }
}

/// The maximum number of boards that a player's results cover. Older boards are omitted.
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
    /// The number of newest boards that the results cover; `null` if the results cover all boards.
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
    /// The title of the game: `Marque`.
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
    /// The title of the game: `Marque`.
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
    /// For each range that contains players: its lower end, and the number of players.
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
    /// Returns the results and ratings for a player's page, without private boards that the requester may not see.
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
