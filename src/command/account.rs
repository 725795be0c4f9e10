//! What a player does with his own account: the words after `set userid password`.

use std::fmt;

use super::args::{Args, Fault};
use super::values::{number, userid};
use super::words::said;
use super::{Account, Command, Day, NoValue, SETTING_KEYS, Setting};
use crate::text::nearest;

/// The most players that one message goes to.
const MOST_RECIPIENTS: usize = 20;
/// The longest name of a time zone.
const LONGEST_ZONE: usize = 40;

/// Reads what follows the command's own words, which are one of the table's names.
pub(super) fn read(name: &str, args: &mut Args<'_>) -> Result<Command, Fault> {
    let (userid, password) = (args.userid("userid")?, args.password("password")?);
    let what = match name {
        "change address" => {
            let addresses = args.addresses()?;
            if addresses.is_empty() {
                return Err(Fault::missing("address"));
            }
            Account::Addresses(addresses)
        }
        "vacation" => vacation(args)?,
        "set" => Account::Set(settings(args)?),
        "signoff" => {
            let code = args.next()?.map(|i| args.code(i)).transpose()?;
            Account::Signoff(code)
        }
        "message" => Account::Message(recipients(args)?),
        _ => Account::Broadcast,
    };
    args.finish()?;
    Ok(Command::Account { userid, password, what })
}

fn vacation(args: &mut Args<'_>) -> Result<Account, Fault> {
    let Some(i) = args.next()? else { return Ok(Account::Vacation) };
    let word = args.word(i).to_ascii_lowercase();
    if word == "off" {
        return Ok(Account::VacationOff);
    }
    if word == "until" {
        let (i, word) = args.need_word("day (2026-12-24)")?;
        return Ok(Account::VacationUntil(day(word).ok_or_else(|| no_day(i, word))?));
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('-') {
        return Ok(Account::VacationUntil(day(&word).ok_or_else(|| no_day(i, &word))?));
    }
    let near = nearest(&word, ["until", "off"]);
    Err(args.wrong(i, near, "\"until\" with a day, nor \"off\""))
}

fn no_day(i: usize, word: &str) -> Fault {
    Fault::at(i, format!("{} is not a day; write year, month and day: 2026-12-24.", said(word)))
}

/// `2026-12-24`
fn day(word: &str) -> Option<Day> {
    let mut parts = word.split('-');
    let mut part = |digits: usize| parts.next().filter(|part| part.len() == digits).and_then(number);
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let fits = (1..=12).contains(&month) && (1..=31).contains(&day) && parts.next().is_none();
    fits.then_some(Day { year: year.cast_signed(), month, day })
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn settings(args: &mut Args<'_>) -> Result<Vec<Setting>, Fault> {
    let (mut settings, mut keys) = (Vec::new(), Vec::new());
    while let Some(i) = args.next()? {
        let word = args.word(i);
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (word, None),
        };
        let known = SETTING_KEYS.iter().copied().find(|known| known.eq_ignore_ascii_case(key));
        let near = known.or_else(|| nearest(key, SETTING_KEYS.iter().copied()));
        let (Some(key), Some(value)) = (known, value) else {
            let near = near.map(|near| format!("{near}={}", value.unwrap_or_default()));
            let expected = format!("a setting, KEY=VALUE; the keys are {}", SETTING_KEYS.join(", "));
            return Err(args.wrong(i, near.as_deref(), &expected));
        };
        if keys.contains(&key) {
            return Err(Fault::at(i, format!("{key} is set twice.")));
        }
        keys.push(key);
        let setting = setting(key, value).map_err(|NoValue(right)| {
            Fault::at(i, format!("{} is no value of {key}, which is {right}.", said(value)))
        })?;
        settings.push(setting);
    }
    Ok(settings)
}

fn setting(key: &str, value: &str) -> Result<Setting, NoValue> {
    match key {
        "mail" => value.parse().map(Setting::Mail),
        "rhythm" => value.parse().map(Setting::Rhythm),
        "reminders" => value.parse().map(Setting::Reminders),
        "letters" => value.parse().map(Setting::Letters),
        "dmarc" => value.parse().map(Setting::Dmarc),
        "weekend" => value.parse().map(Setting::Weekend),
        _ => {
            let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-');
            let fits = (1..=LONGEST_ZONE).contains(&value.len()) && value.chars().all(letter);
            fits.then(|| Setting::Zone(value.to_owned())).ok_or(NoValue("a time zone's name: Europe/Berlin"))
        }
    }
}

fn recipients(args: &mut Args<'_>) -> Result<Vec<String>, Fault> {
    let mut to = Vec::new();
    while let Some(i) = args.next()? {
        if to.len() == MOST_RECIPIENTS {
            return Err(Fault::at(i, format!("A message goes to {MOST_RECIPIENTS} players at most.")));
        }
        to.push(userid(i, args.word(i)).map_err(|fault| match args.is_after_password() {
            true => args.wrong(i, None, "a userid"),
            false => fault,
        })?);
    }
    if to.is_empty() { Err(Fault::missing("userid to write to")) } else { Ok(to) }
}
