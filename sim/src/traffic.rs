//! Carries mail from players to the server and from the server to players, with faults on the way.

use chrono::TimeDelta;

use crate::agenda::Event;
use crate::mail;
use crate::oracle::Seen;
use crate::postbox::{Attempt, SendOutcome, Weather};
use crate::server::Work;
use crate::simulation::Simulation;
use crate::world;

impl Simulation {
    /// Delivers a copy of a message to the server, or lets it wait if the server is down.
    pub(crate) fn arrive(&mut self, mail: usize, hop: usize) -> anyhow::Result<()> {
        if self.down {
            // Most senders deliver the message as soon as the server starts again. The others deliver it later.
            match self.random.chance(750) {
                true => self.waiting.push((mail, hop)),
                false => {
                    let minutes = self.random.between(30, 300);
                    self.plan(TimeDelta::minutes(minutes), Event::Arrive { mail, hop });
                }
            }
            return Ok(());
        }
        self.receive(mail, hop)?;
        // Other messages may arrive before this one is processed.
        if self.random.chance(750) { self.work(false) } else { Ok(()) }
    }

    /// Starts the server. It receives the waiting mail before it processes any.
    pub(crate) fn start(&mut self) -> anyhow::Result<()> {
        if !std::mem::take(&mut self.down) {
            return Ok(());
        }
        for (mail, hop) in std::mem::take(&mut self.waiting) {
            self.receive(mail, hop)?;
        }
        self.work(true)
    }

    /// Passes a copy of a message to the server.
    fn receive(&mut self, mail: usize, hop: usize) -> anyhow::Result<()> {
        if self.faulty && self.random.chance(30) {
            self.server.faults.arm_at_commit(&mut self.random);
        }
        let octets = match hop {
            0 => self.mails[mail].raw.clone(),
            _ => mail::copy(&self.mails[mail].raw, hop),
        };
        self.trace.bytes(&octets);
        let acknowledged = self.server.receive(&octets)?;
        let Simulation { server, oracle, players, .. } = self;
        let now = (world::WORLD.now)();
        server.read(|tx| oracle.stored(Seen { tx, now, players }, mail, acknowledged))?;
        let summary = self.mails[mail].summary.clone();
        self.note(format_args!("mail {mail}.{hop}, {summary}{}", if acknowledged { "" } else { ": not acknowledged" }));
        if !acknowledged || self.faulty && self.random.chance(25) {
            // If the server did not acknowledge the message, the sender delivers it again. Some senders deliver it
            // again even after an acknowledgement.
            let minutes = self.random.between(1, 600);
            self.plan(TimeDelta::minutes(minutes), Event::Arrive { mail, hop: hop + 1 });
        }
        Ok(())
    }

    /// Processes due work, like `turnpost tick`.
    pub(crate) fn tick(&mut self) -> anyhow::Result<()> {
        let minutes = self.random.between(60, 600);
        self.plan(TimeDelta::minutes(minutes), Event::Tick);
        if self.down { Ok(()) } else { self.work(true) }
    }

    /// Processes due work. A fault may interrupt it.
    pub(crate) fn work(&mut self, tick: bool) -> anyhow::Result<()> {
        if self.random.chance(200) {
            self.work_elsewhere()?;
        }
        if self.faulty && self.random.chance(60) {
            self.server.faults.arm(&mut self.random);
        }
        let between = self.random.chance(200).then(|| (self.random.below(6), 1 + self.random.below(3)));
        let (work, elsewhere) = self.server.work(between)?;
        let attempts = self.server.postbox.take_attempts();
        self.note_elsewhere(elsewhere);
        self.note_work("server", &work);
        for attempt in &attempts {
            self.attempt(attempt, work != Work::Done)?;
        }
        let done = work == Work::Done && self.time >= self.unsettled_until;
        let Simulation { server, oracle, players, mails, .. } = self;
        let now = (world::WORLD.now)();
        server.read(|tx| oracle.after(Seen { tx, now, players }, mails, done, tick))?;
        self.learn()
    }

    /// Processes the inbox on the other node. A fault may interrupt it.
    fn work_elsewhere(&mut self) -> anyhow::Result<()> {
        if self.faulty && self.random.chance(100) {
            self.server.faults.arm_at_commit(&mut self.random);
        }
        let (work, closed) = self.server.work_elsewhere(1 + self.random.below(3))?;
        self.note_elsewhere(closed);
        self.note_work("other node", &work);
        let Simulation { server, oracle, players, mails, .. } = self;
        let now = (world::WORLD.now)();
        server.read(|tx| oracle.after(Seen { tx, now, players }, mails, false, false))
    }

    fn note_elsewhere(&mut self, closed: usize) {
        if closed > 0 {
            self.count("mails elsewhere");
            self.note(format_args!("the other node processed {closed} mails"));
        }
    }

    fn note_work(&mut self, who: &str, work: &Work) {
        match work {
            Work::Done => return,
            Work::Died => {
                self.count("crashes");
                self.note(format_args!("the {who} died and started again"));
            }
            Work::Failed(error) => {
                self.count("errors");
                self.note(format_args!("the {who} failed: {error}"));
            }
        }
        // The server retries a message after a minute if the database failed while it was processed.
        self.unsettled_until = self.unsettled_until.max(self.time + TimeDelta::minutes(2));
    }

    /// Processes the result of an attempt to send a letter.
    fn attempt(&mut self, attempt: &Attempt, failed: bool) -> anyhow::Result<()> {
        self.trace.bytes(&attempt.mail);
        self.trace.bytes(attempt.sender.as_bytes());
        let Simulation { server, oracle, players, .. } = self;
        let now = (world::WORLD.now)();
        let received = server.read(|tx| oracle.letter(Seen { tx, now, players }, attempt, failed))?;
        let about = received.as_ref().map_or_else(String::new, |(_, received)| {
            format!("{}, {}", received.letter.number.0, received.letter.subject)
        });
        self.note(format_args!("letter to {}, {:?}: {about}", attempt.address, attempt.outcome));
        self.count(if attempt.outcome.is_taken() { "letters" } else { "letters refused" });
        if let SendOutcome::ComesBack { gone } = attempt.outcome {
            self.come_back(attempt, gone);
        } else if let Some((player, received)) = received {
            let [least, most] = self.players[player].answers_after;
            let minutes = self.random.between(least, most);
            self.plan(TimeDelta::minutes(minutes), Event::Read { player, letter: received.letter.number });
            self.players[player].keep(received);
        }
        Ok(())
    }

    /// Sends a bounce of a letter to the letter's envelope sender.
    fn come_back(&mut self, attempt: &Attempt, gone: bool) {
        let (status, said) = if gone { ("5.1.1", "550 5.1.1 no such user") } else { ("5.2.2", "552 5.2.2 full") };
        let text = format!(
            "--b\nContent-Type: text/plain\n\nIt could not be delivered.\n\n\
             --b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.players.example\n\n\
             Final-Recipient: rfc822; {}\nAction: failed\nStatus: {status}\nDiagnostic-Code: smtp; {said}\n\n--b--\n",
            attempt.address
        );
        let number = self.mails.len();
        let raw = format!(
            "Return-Path: <>\nFrom: MAILER-DAEMON@mx.players.example\nTo: {}\nSubject: Undelivered Mail\n\
             Auto-Submitted: auto-replied\nMIME-Version: 1.0\nMessage-Id: <{number}@mx.players.example>\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n{text}",
            attempt.sender
        );
        let summary = format!("a bounce from {}", attempt.address);
        let (intents, password, queues, remark, author) = (Vec::new(), None, Vec::new(), None, None);
        self.mails.push(mail::SentMail { intents, password, queues, remark, author, raw: raw.into_bytes(), summary });
        let minutes = self.random.between(1, 2_000);
        self.plan(TimeDelta::minutes(minutes), Event::Arrive { mail: number, hop: 0 });
    }

    pub(crate) fn set_weather(&mut self, weather: Weather) {
        self.weather = weather;
        self.server.postbox.set_weather(weather);
    }

    /// Changes the behaviour of the mail server.
    pub(crate) fn change_weather(&mut self) {
        let (weather, hours) = match self.random.below(10) {
            0..6 => (Weather::Mixed, self.random.between(20, 200)),
            6..9 => (Weather::Good, self.random.between(10, 100)),
            _ => (Weather::Away, self.random.between(1, 150)),
        };
        self.set_weather(weather);
        self.note(format_args!("the mail server: {weather:?}"));
        self.plan(TimeDelta::hours(hours), Event::Weather);
    }

    /// Sets the server's clock to a wrong time for a while or, if it is wrong, to the true time.
    pub(crate) fn set_clock_wrong(&mut self) {
        let hours = if self.clock_off.is_zero() {
            self.clock_off = match self.random.below(4) {
                0 => TimeDelta::seconds(self.random.between(-50, 50)),
                1 => -TimeDelta::minutes(self.random.between(2, 3_000)),
                _ => TimeDelta::hours(self.random.between(1, 1_000)),
            };
            self.random.between(1, 60)
        } else {
            self.clock_off = TimeDelta::zero();
            self.random.between(300, 900)
        };
        self.note(format_args!("the server's clock is off by {} seconds", self.clock_off.num_seconds()));
        self.set_time(self.time);
        self.oracle.clock_set(self.time);
        self.unsettled_until = self.time + TimeDelta::days(50);
        self.plan(TimeDelta::hours(hours), Event::Clock);
    }
}
