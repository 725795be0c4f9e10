//! Lists of players, standings and games.

use std::collections::HashMap;

use crate::player::Level;
use crate::rules::{Options, catalogue};
use crate::store::{self, Player, PlayerId, Seeker, Standing, Tally, Transaction};

use crate::service::board::robots::robot_level;
use crate::service::board::view::game_title;
use crate::service::board::views::{EngineRow, GameRow, PlayerRow, SeekRow, StandingRow};
use crate::service::context::ReadContext;
use crate::service::policy::{EngineRobot, Policy};
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

/// The maximum number of players in `standings` and `list`.
const MOST_PLAYERS: u32 = 1_000;

/// Converts a standing for a reader.
pub(crate) fn standing_row(standing: &Standing) -> StandingRow {
    StandingRow {
        game: game_title(&standing.game).to_owned(),
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

/// Returns these games, or all if none is named.
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
            offers: tx.open_challenges(Some(game.name()))?.iter().filter(|offer| !offer.terms.flags.private).count(),
            seekers: seekers(tx, game.name())?,
        });
    }
    Ok(games)
}

/// Returns the players who look for opponents in a game, by userid, with the number of wanted opponents.
pub(crate) fn seekers(tx: &Transaction<'_>, game: &str) -> store::Result<Vec<(String, u32)>> {
    Ok(tx.seekers(game)?.into_iter().map(|Seeker { player, seeks }| (player.userid, seeks)).collect())
}

/// The games in which players look for opponents.
#[derive(Default)]
struct Seeks(HashMap<PlayerId, Vec<SeekRow>>);

impl Seeks {
    fn read(tx: &Transaction<'_>) -> store::Result<Seeks> {
        let mut seeks = Seeks::default();
        for game in catalogue::GAMES {
            for Seeker { player, seeks: count } in tx.seekers(game.name())? {
                seeks.0.entry(player.id).or_default().push(SeekRow { game: game.title().to_owned(), count });
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

    /// Returns the named games (or all) and the first players of the server by userid.
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
