//! A season: leagues, a cup and a ladder, in which some players leave, go on vacation or stop answering.

use anyhow::ensure;
use chrono::{DateTime, TimeDelta, Utc};

use crate::acts::Draft;
use crate::agenda::Event;
use crate::letter::address;
use crate::life::Everybody;
use crate::mail::{Intent, Meant, Parts};
use crate::oracle::{Events, Seen};
use crate::players::Received;
use crate::setup::ADDRESS;
use crate::simulation::Simulation;
use crate::world::Random;
use turnpost::numbers::BoardNumber;

/// The minimum number of players for a large season, which has more leagues and editions.
const MANY: usize = 60;
/// The time control of the leagues and the ladder.
const TERMS: &str = "--nagtime=2 --forfeittime=7 --totaltime=20";
/// The time control of the cup. It is shorter, because the rounds are played one after another.
const CUP_TERMS: &str = "--nagtime=1 --forfeittime=4 --totaltime=8";
/// The maximum length of a season.
const LONGEST: TimeDelta = TimeDelta::days(3 * 365);
/// The chance, per thousand, that a player leaves or stops answering.
const LEAVERS: usize = 150;
/// The chance, per thousand, that any other player goes on vacation.
const AWAY: usize = 100;

/// The plan of a season.
pub(crate) struct Season {
    /// The number of editions that each league and cup must complete.
    editions: usize,
}

/// A planned act of a player in a season.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// The player stops reading letters.
    Vanish,
    /// The player leaves all events, and then stops reading letters.
    LeaveEvents,
    /// The player leaves the server.
    SignOff,
    /// The player goes on vacation.
    Away,
    /// The player challenges a player who is higher on the ladder.
    Climb,
}

impl Season {
    /// Plans a season for this many players.
    pub(crate) fn new(players: usize) -> Season {
        Season { editions: if players < MANY { 2 } else { 3 } }
    }

    /// Returns the command lines that create the events, without credentials, and a function that returns the events
    /// that a player joins.
    fn events(players: usize) -> (Vec<String>, impl Fn(usize) -> Vec<String>) {
        let leagues: &[&str] = match players < MANY {
            true => &["league1 hex -size=5 --division=8"],
            false => &[
                "league1 hex -size=5 --division=8",
                "league2 y -size=5 --division=6 --twice",
                "league3 yavalath --division=9",
                "league4 brique -size=5 --division=10",
            ],
        };
        let count = leagues.len();
        let mut lines: Vec<String> =
            leagues.iter().map(|line| format!("event new {line} {TERMS} --kind=league")).collect();
        lines.push(format!("event new cup havannah -size=4 {CUP_TERMS} --kind=cup"));
        lines.push(format!("event new ladder lazo -size=26 {TERMS} --kind=ladder"));
        let of = move |player: usize| {
            let mut names = vec![format!("league{}", player % count + 1)];
            // 14 of 120 players play in the cup, and two of them have no opponent in the first round.
            let plays_cup = match players < MANY {
                true => player.is_multiple_of(2) || player.is_multiple_of(5),
                false => player.is_multiple_of(9),
            };
            names.extend(plays_cup.then(|| "cup".to_owned()));
            names.extend(player.is_multiple_of(3).then(|| "ladder".to_owned()));
            names
        };
        (lines, of)
    }
}

impl Simulation {
    /// Creates the events, and plans the acts of the players.
    pub(crate) fn begin_season(&mut self) -> anyhow::Result<()> {
        let (lines, of) = Season::events(self.players.len());
        for line in lines {
            let userid = self.players[0].userid.clone();
            self.server.say(&userid, &format!("{line} {userid} -"))?;
        }
        let Simulation { server, players, time, .. } = self;
        self.oracle.events = Some(server.read(|tx| Events::new(Seen { tx, now: *time, players }))?);
        for player in 0..self.players.len() {
            let names = of(player);
            if names.contains(&"ladder".to_owned()) {
                self.plan_act(player, Act::Climb, 8..16);
            }
            self.players[player].joins = names;
            // With the slow players of other runs, games would take up to a year, so players answer faster.
            self.players[player].answers_after = *self.random.pick(&[[1, 120], [10, 1_500], [10, 1_500], [60, 4_000]]);
            if player > 0 && self.random.chance(LEAVERS) {
                let act = *self.random.pick(&[Act::Vanish, Act::Vanish, Act::Vanish, Act::LeaveEvents, Act::SignOff]);
                self.plan_act(player, act, 8..100);
            } else if self.random.chance(AWAY) {
                self.plan_act(player, Act::Away, 8..60);
            }
        }
        Ok(())
    }

    fn plan_act(&mut self, player: usize, act: Act, days: std::ops::Range<i64>) {
        let minutes = self.random.between(days.start * 1_440, days.end * 1_440);
        self.plan(TimeDelta::minutes(minutes), Event::Season { player, act });
    }

    /// Runs until each league and cup has completed its editions, and waits until all letters are delivered.
    ///
    /// # Errors
    /// If an invariant was violated, or the season lasts too long.
    pub(crate) fn run_season(&mut self, season: &Season) -> anyhow::Result<()> {
        let latest = self.time + LONGEST;
        while !self.oracle.events.as_ref().is_some_and(|events| events.have_ended(season.editions)) {
            let went_on = self.step(latest)?;
            ensure!(went_on, "the season has not ended by {latest}");
        }
        self.drain(self.time)?;
        let complete = self.oracle.events.as_ref().map_or(0, Events::complete);
        (0..complete).for_each(|_| self.count("editions"));
        Ok(())
    }

    /// Lets a player perform the act that the season plans for them.
    pub(crate) fn act_in_season(&mut self, player: usize, act: Act) {
        if act == Act::Climb {
            self.plan_act(player, Act::Climb, 2..14);
        }
        if !self.players[player].answers(self.time) {
            return;
        }
        match act {
            Act::Vanish => {
                self.players[player].vanished = true;
                let summary = format!("{} vanishes", self.players[player].userid);
                self.note(summary);
            }
            Act::LeaveEvents => {
                for name in std::mem::take(&mut self.players[player].joins) {
                    self.leave_event(player, &name);
                }
                self.plan_act(player, Act::Vanish, 1..10);
            }
            Act::SignOff => {
                let draft = self.draft(|everybody, random| everybody.leave(random, player, None));
                self.send(Some(player), draft);
            }
            Act::Away => {
                let until = self.time + TimeDelta::days(self.random.between(8, 25));
                let draft = self.draft(|everybody, random| everybody.vacation(random, player, until));
                self.send(Some(player), draft);
                self.players[player].away_until = Some(until);
            }
            Act::Climb => self.climb(player),
        }
    }

    fn leave_event(&mut self, player: usize, name: &str) {
        let meant = Meant::LeaveEvent(name.to_owned());
        let draft = self.draft(|everybody, random| everybody.membership(random, player, "leave", name, meant));
        self.send(Some(player), draft);
    }

    fn climb(&mut self, player: usize) {
        let Some(events) = &self.oracle.events else { return };
        let own = &self.players[player].userid;
        let found = events.ladders().find_map(|(name, view)| {
            let place = view.shown.as_ref()?.places.iter().find(|place| place.userid == *own)?;
            Some((name.to_owned(), place.may_challenge.clone()))
        });
        let Some((name, above)) = found.filter(|(_, above)| !above.is_empty()) else { return };
        let opponent = self.random.pick(&above).clone();
        let draft = self.draft(|everybody, random| everybody.climb(random, player, &name, &opponent));
        self.send(Some(player), draft);
    }

    /// Lets a player send a message that no letter caused. The player joins an event, leaves an event after enough
    /// editions, looks at their boards, or sends anything else.
    pub(crate) fn live_in_season(&mut self, player: usize) {
        let events = self.oracle.events.as_ref();
        let editions = Season::new(self.players.len()).editions;
        let enough = |name: &String| events.is_some_and(|events| events.complete_of(name) >= editions);
        if let Some(at) = self.players[player].joins.iter().position(enough) {
            let name = self.players[player].joins.remove(at);
            return self.leave_event(player, &name);
        }
        let missing = |name: &&String| events.is_some_and(|events| !events.has_entered(name, player));
        let missing = self.players[player].joins.iter().find(missing).cloned();
        if let Some(name) = missing {
            let hours = self.random.between(1, 10);
            self.plan(TimeDelta::hours(hours), Event::Live(player));
            let meant = Meant::Join(name.clone());
            let draft = self.draft(|everybody, random| everybody.membership(random, player, "join", &name, meant));
            return self.send(Some(player), draft);
        }
        if self.random.chance(80) {
            let draft = self.draft(|everybody, random| everybody.anything(random, player));
            return self.send(Some(player), draft);
        }
        self.look_around(player);
    }

    /// If a letter tells a player that an event withdrew them, the player ignores it or joins the event again. Returns
    /// whether the letter was about a withdrawal.
    pub(crate) fn come_back_to_event(&mut self, player: usize, received: &Received) -> bool {
        let Some(name) = event_to_join(&received.letter.text) else { return false };
        if self.random.chance(700) {
            let draft = answer_with_join(&self.players[player].address, player, received, &name);
            self.send(Some(player), draft);
        }
        true
    }
}

/// Returns the event that the player can join again by replying to a letter.
fn event_to_join(text: &str) -> Option<String> {
    let name = text.lines().find_map(|line| line.strip_prefix("    join "))?;
    (!name.contains(' ')).then(|| name.to_owned())
}

fn answer_with_join(from: &str, player: usize, received: &Received, name: &str) -> Draft {
    let to = received.letter.reply_to.clone().unwrap_or_else(|| ADDRESS.to_owned());
    let parts = Parts {
        from: from.to_owned(),
        to: address(&to).to_owned(),
        subject: format!("Re: {}", received.letter.subject),
        body: format!("join {name}\n"),
        answers: Some(received.letter.message_id.clone()),
        headers: String::new(),
    };
    let intent = Intent { player, board: BoardNumber(0), meant: Meant::Join(name.to_owned()), token_of: None };
    let boards = received.about.iter().map(|about| about.board).collect();
    let summary = format!("{from}: join {name} again");
    Draft { parts, intents: vec![intent], password: None, boards, remark: None, summary }
}

impl Everybody<'_> {
    /// Writes a message to join or leave an event.
    fn membership(&self, random: &mut Random, by: usize, verb: &str, name: &str, meant: Meant) -> Draft {
        let (userid, password) = self.shown(random, by);
        let draft = self.with_password(random, by, format!("{verb} {name} {userid} {password}"), password);
        Draft { intents: vec![Intent { player: by, board: BoardNumber(0), meant, token_of: None }], ..draft }
    }

    fn climb(&self, random: &mut Random, by: usize, name: &str, opponent: &str) -> Draft {
        let (userid, password) = self.shown(random, by);
        let line = format!("event challenge {name} {opponent} {userid} {password}");
        let draft = self.with_password(random, by, line, password);
        Draft {
            intents: vec![Intent { player: by, board: BoardNumber(0), meant: Meant::Begin, token_of: None }],
            ..draft
        }
    }

    fn vacation(&self, random: &mut Random, by: usize, until: DateTime<Utc>) -> Draft {
        let (userid, password) = self.shown(random, by);
        let line = format!("vacation {userid} {password} until {}", until.format("%Y-%m-%d"));
        self.with_password(random, by, line, password)
    }
}
