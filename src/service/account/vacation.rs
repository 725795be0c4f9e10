//! Vacations.

use chrono::{Datelike, NaiveDate, TimeDelta};

use crate::clock::{Calendar, Span, vacation_in};
use crate::command::Day;
use crate::message;
use crate::store::Player;

use crate::service::board::clocks;
use crate::service::context::Context;
use crate::service::rejection::RequestResult;
use crate::service::response::Response;

impl Context<'_, '_> {
    pub(crate) fn begin_vacation(&mut self, player: &Player, day: Day) -> RequestResult<Response> {
        let span = self.vacation_until(player, day)?;
        let waiting = clocks::count_up(self.tx, player, self.request.now)?;
        self.tx.cut_vacation(player.id, self.request.now)?;
        self.tx.add_vacation(player.id, &span)?;
        clocks::rewind(self.tx, waiting)?;
        self.vacation(player)
    }

    pub(crate) fn end_vacation(&mut self, player: &Player) -> RequestResult<Response> {
        let waiting = clocks::count_up(self.tx, player, self.request.now)?;
        self.tx.cut_vacation(player.id, self.request.now)?;
        clocks::rewind(self.tx, waiting)?;
        self.vacation(player)
    }

    /// Shows a player's vacation.
    pub(crate) fn vacation(&self, player: &Player) -> RequestResult<Response> {
        let (calendar, now) = (clocks::calendar(self.tx, player)?, self.now());
        let year = calendar.zone.shown(now).year();
        let present = calendar.vacations.iter().find(|span| span.from <= now && now < span.until);
        Ok(Response::Vacation {
            userid: player.userid.clone(),
            until: present.map(|span| span.until),
            used_days: clocks::days(vacation_in(&calendar, year)),
            budget_days: self.service.policy.vacation_days,
            zone: player.settings.zone.to_string(),
        })
    }

    /// Returns a vacation from now until a day, if the player may take it.
    fn vacation_until(&self, player: &Player, day: Day) -> RequestResult<Span> {
        let now = self.now();
        let date = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
        let Some(day) = NaiveDate::from_ymd_opt(day.year, day.month, day.day) else {
            return self.refuse(&date, message!("service.no-such-day", date = &date));
        };
        let mut calendar = clocks::calendar(self.tx, player)?;
        let until = calendar.day_begins(day);
        if until <= now {
            return self.refuse(&date, message!("service.vacation-in-the-past", date = &date));
        }
        if until - now > TimeDelta::days(366) {
            return self.refuse(&date, message!("service.vacation-too-long"));
        }
        // The future state: the current vacation ends now, and this one begins.
        for span in &mut calendar.vacations {
            span.until = span.until.min(now);
        }
        let span = Span { from: now, until };
        calendar.vacations.push(span);
        self.check_budget(&calendar, &date, day.year())?;
        Ok(span)
    }

    /// Refuses vacations that exceed the budget in any year up to the last one.
    fn check_budget(&self, calendar: &Calendar, date: &str, last: i32) -> RequestResult<()> {
        let budget = self.service.policy.vacation_days;
        for year in calendar.zone.shown(self.now()).year()..=last {
            let taken = vacation_in(calendar, year);
            if taken > TimeDelta::days(i64::from(budget)) {
                let days = clocks::days(taken).to_string();
                return self.refuse(date, message!("service.vacation-over-budget", days, year, budget));
            }
        }
        Ok(())
    }
}
