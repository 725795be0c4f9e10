//! A run of the simulation with one seed: schedules and processes events.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::agenda::{Agenda, Event};
use crate::life::ZONES;
use crate::mail::SentMail;
use crate::oracle::{Oracle, Seen};
use crate::players::Player;
use crate::postbox::Weather;
use crate::run::Options;
use crate::season::Season;
use crate::server::Server;
use crate::trace::Trace;
use crate::world;
use crate::world::Random;
use turnpost::command::{MailForm, Settings, ZoneName};
use turnpost::compose::Composer;
use turnpost::store::Transaction;

/// The maximum number of boards in progress.
pub(crate) const BOARDS: usize = 60;
/// The run continues for this long after players and faults have stopped. The server abandons a letter after five days,
/// so no letter is pending at the end.
const DRAIN: TimeDelta = TimeDelta::days(7);

pub(crate) struct Simulation {
    pub(crate) seed: u64,
    pub(crate) trace: Trace,
    pub(crate) random: Random,
    pub(crate) server: Server,
    pub(crate) oracle: Oracle,
    agenda: Agenda,
    pub(crate) players: Vec<Player>,
    pub(crate) mails: Vec<SentMail>,
    composer: Composer,
    /// The true time.
    pub(crate) time: DateTime<Utc>,
    /// The offset of the server's clock from the true time.
    pub(crate) clock_off: TimeDelta,
    pub(crate) down: bool,
    /// The messages that mail servers deliver when the server starts again: the index of each message, and the number
    /// of earlier copies.
    pub(crate) waiting: Vec<(usize, usize)>,
    /// Until this time, a fault may delay due work.
    pub(crate) unsettled_until: DateTime<Utc>,
    pub(crate) weather: Weather,
    /// Whether faults occur, and whether players still act.
    pub(crate) faulty: bool,
    acting: bool,
    pub(crate) remarks: u32,
    season: Option<Season>,
    counts: BTreeMap<&'static str, u32>,
}

impl Simulation {
    /// Creates a server with players, but without boards.
    pub(crate) fn new(seed: u64, options: &Options) -> anyhow::Result<Simulation> {
        let mut random = Random::new(seed, 3);
        let start = "2027-01-04T09:00:00Z".parse::<DateTime<Utc>>()? + TimeDelta::hours(random.between(0, 9_000));
        world::begin(seed, start);
        let mut server = Server::new(seed, options.postgres.as_ref())?;
        let mut players: Vec<Player> =
            (0..options.players).map(|number| Player::new(seed, number, &mut random)).collect();
        server.write(|tx| players.iter_mut().try_for_each(|player| sign_up(tx, player, start, &mut random)))?;
        let mut simulation = Simulation {
            seed,
            trace: Trace::new(options.all_events),
            random,
            server,
            oracle: Oracle::default(),
            agenda: Agenda::default(),
            players,
            mails: Vec::new(),
            composer: Composer::new(None, None)?,
            time: start,
            clock_off: TimeDelta::zero(),
            down: false,
            waiting: Vec::new(),
            unsettled_until: start,
            weather: Weather::Mixed,
            faulty: true,
            acting: true,
            remarks: 0,
            season: options.season.then(|| Season::new(options.players)),
            counts: BTreeMap::new(),
        };
        simulation.plan_the_first(seed);
        if simulation.season.is_some() {
            simulation.begin_season()?;
        }
        let Simulation { server, oracle, players, .. } = &mut simulation;
        server.read(|tx| oracle.calendars(Seen { tx, now: start, players }, |_| true))?;
        Ok(simulation)
    }

    fn plan_the_first(&mut self, seed: u64) {
        let after = |minutes: i64| TimeDelta::minutes(minutes);
        if self.season.is_none() {
            for number in 0..self.players.len() as i64 {
                self.plan(after(20 * number), Event::Challenge);
            }
        }
        for player in 0..self.players.len() {
            let minutes = self.random.between(60, 6_000);
            self.plan(after(minutes), Event::Live(player));
        }
        for event in [Event::Tick, Event::Weather, Event::Forge] {
            self.plan(after(7), event);
        }
        let days = self.random.between(1, 20);
        self.plan(TimeDelta::days(days), Event::Outage);
        // While the server's clock is wrong, the model cannot check much, so only every fourth seed has wrong clocks.
        if seed % 4 == 3 && self.season.is_none() {
            self.plan(TimeDelta::days(20), Event::Clock);
        }
    }

    /// Runs for this many days or, with a season, until it ends. Then waits until all letters are delivered.
    ///
    /// # Errors
    /// If an invariant was violated.
    pub(crate) fn run(&mut self, days: u32) -> anyhow::Result<()> {
        if let Some(season) = self.season.take() {
            return self.run_season(&season);
        }
        let end = self.time + TimeDelta::days(days.into());
        self.go_on(end)?;
        self.drain(end)
    }

    /// Stops players and faults, waits until all letters are delivered, and checks everything.
    pub(crate) fn drain(&mut self, end: DateTime<Utc>) -> anyhow::Result<()> {
        self.acting = false;
        self.faulty = false;
        self.start()?;
        if !self.clock_off.is_zero() {
            self.clock_off = TimeDelta::zero();
            self.oracle.clock_set(end);
        }
        self.set_weather(Weather::Good);
        self.go_on(end + DRAIN)?;
        self.set_time(end + DRAIN);
        self.work(true)?;
        let Simulation { server, oracle, players, mails, composer, .. } = self;
        let now = (world::WORLD.now)();
        server.read(|tx| oracle.finish(Seen { tx, now, players }, mails, composer))
    }

    fn go_on(&mut self, until: DateTime<Utc>) -> anyhow::Result<()> {
        while self.step(until)? {}
        Ok(())
    }

    /// Processes the next event before this time. Returns whether there was one.
    pub(crate) fn step(&mut self, until: DateTime<Utc>) -> anyhow::Result<bool> {
        let Some((at, event)) = self.agenda.next(until) else { return Ok(false) };
        self.set_time(at);
        self.happen(event)?;
        Ok(true)
    }

    fn happen(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Arrive { mail, hop } => self.arrive(mail, hop)?,
            Event::Read { player, letter } => {
                let found = self.players[player].letters.iter().rfind(|received| received.letter.number == letter);
                if let Some(received) = found.cloned().filter(|_| self.acting) {
                    self.read(player, &received);
                }
            }
            Event::Live(player) if self.acting => self.live(player),
            Event::Look { player, board } if self.acting => self.act(player, board, None),
            Event::Season { player, act } if self.acting => self.act_in_season(player, act),
            Event::Challenge if self.acting => self.challenge(),
            Event::Forge if self.acting => self.forge(),
            Event::Tick => self.tick()?,
            Event::Weather if self.faulty => self.change_weather(),
            Event::Outage if self.faulty => {
                let hours = if self.random.chance(200) { 7 * 24 } else { self.random.between(1, 70) };
                let down = TimeDelta::hours(hours);
                self.down = true;
                self.note(format_args!("the server is down for {} hours", down.num_hours()));
                self.plan(down, Event::Start);
                let days = self.random.between(10, 40);
                self.plan(down + TimeDelta::days(days), Event::Outage);
            }
            Event::Start => self.start()?,
            Event::Clock if self.faulty => self.set_clock_wrong(),
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn plan(&mut self, after: TimeDelta, event: Event) {
        self.agenda.plan(self.time + after, event);
    }

    pub(crate) fn set_time(&mut self, time: DateTime<Utc>) {
        self.time = time;
        world::set_now(time + self.clock_off);
    }

    pub(crate) fn note(&mut self, what: impl std::fmt::Display) {
        self.trace.event(self.time, what);
    }

    pub(crate) fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Returns the true time as text.
    pub(crate) fn clock(&self) -> String {
        self.time.format("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// Returns a line with the number of events of each kind.
    pub(crate) fn counts(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
        counts.join(", ")
    }

    /// Returns the total time that boards were open, in years.
    pub(crate) fn game_years(&self) -> f64 {
        self.oracle.open_time(self.time).num_minutes() as f64 / (365.25 * 1_440.0)
    }
}

/// Adds a player to the database, with a random time zone.
fn sign_up(
    tx: &mut Transaction<'_>,
    player: &mut Player,
    now: DateTime<Utc>,
    random: &mut Random,
) -> anyhow::Result<()> {
    player.id = tx.add_player(&player.userid, &player.hash(random)?, now)?;
    tx.add_address(player.id, &player.address, None, now)?;
    let mut settings = Settings { mail: MailForm::Text, ..Settings::default() };
    settings.zone = ZoneName((*random.pick(&ZONES)).to_owned());
    Ok(tx.set_settings(player.id, &settings)?)
}
