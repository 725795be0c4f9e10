//! Verbs of accounts: `signup userid password`, `set userid password key=value`.

use crate::command::args::{Args, PasswordRole, is_address};
use crate::command::args::{after_password, is_userid, userid};
use crate::command::error::WordError;
use crate::command::options::ServerOption;
use crate::command::settings::{InvalidValue, SETTING_KEYS, Setting, setting};
use crate::command::spec::{VerbSpec, form};
use crate::command::types::{AccountAction, CalendarAction, Command, Day};
use crate::command::words::{excerpt, number};
use crate::message;
use crate::text::nearest;

/// The text that is shown instead of the code for a forgotten password, because the code is as secret as a password.
const MASKED: &str = "***";
/// The maximum number of recipients of one message.
const MOST_RECIPIENTS: usize = 20;

pub(crate) const VERBS: &[VerbSpec] = &[
    VerbSpec {
        passwords: &[1],
        examples: &["signup alice s3cret a@b.org"],
        ..VerbSpec::server(
            "signup",
            "signup userid password [address...]",
            form!(
                |args| {
                    let (userid, password) = (args.userid()?, args.new_password(PasswordRole::Only)?);
                    args.needs_password(is_address)?;
                    Ok(Command::Signup { userid, password, addresses: args.addresses()? })
                },
                Command::Signup { userid, password, addresses } => {
                    let mut words = vec![userid.clone(), format!("{password:?}")];
                    words.extend(addresses.iter().cloned());
                    words
                }
            ),
        )
    },
    VerbSpec {
        examples: &["confirm alice c0de"],
        is_meant: |args| args.len() <= 3,
        ..VerbSpec::server(
            "confirm",
            "confirm userid code",
            form!(confirm_address, Command::ConfirmAddress { userid, code } => vec![userid.clone(), code.clone()]),
        )
    },
    VerbSpec {
        passwords: &[1, 2],
        examples: &["change password alice s3cret s3cret"],
        ..VerbSpec::server(
            "change password",
            "change password userid current new",
            form!(
                |args| {
                    let userid = args.userid()?;
                    let current = args.password(PasswordRole::Current)?;
                    let new = args.new_password(PasswordRole::New)?;
                    args.finish()?;
                    Ok(Command::ChangePassword { userid, current, new })
                },
                Command::ChangePassword { userid, current, new } => {
                    vec![userid.clone(), format!("{current:?}"), format!("{new:?}")]
                }
            ),
        )
    },
    VerbSpec {
        passwords: &[1, 2],
        examples: &["password", "password alice", "password alice s3cret s3cret"],
        is_meant: |args| args.is_empty() || matches!(args.len(), 1 | 3) && is_userid(args[0]),
        ..VerbSpec::server(
            "password",
            "password [userid [code new]]",
            form!(
                forgotten_password,
                Command::ForgottenPassword { userid } => userid.iter().cloned().collect(),
                Command::NewPassword { userid, new, .. } => vec![userid.clone(), MASKED.to_owned(), format!("{new:?}")],
            ),
        )
    },
    VerbSpec {
        examples: &["change address alice s3cret a@b.org c@d.org"],
        ..VerbSpec::account(
            "change address",
            "change address userid password address...",
            form!(
                |args| match args.addresses()? {
                    none if none.is_empty() => Err(args.missing(message!("command.missing-address"), is_address)),
                    addresses => Ok(AccountAction::Addresses(addresses)),
                },
                AccountAction::Addresses(addresses) => addresses.clone(),
            ),
        )
    },
    VerbSpec {
        examples: &["vacation alice s3cret", "vacation alice s3cret until 2026-12-24", "vacation alice s3cret off"],
        is_meant: |args| {
            let meant =
                |word: &&str| word.contains(|c: char| c.is_ascii_digit()) || nearest(word, ["until", "off"]).is_some();
            after_password(args).is_some_and(|rest| rest.is_empty() || rest.iter().any(meant))
        },
        ..VerbSpec::account(
            "vacation",
            "vacation userid password [until YYYY-MM-DD|off]",
            form!(
                vacation,
                AccountAction::VacationUntil(day) => vec!["until".to_owned(), day.to_string()],
                AccountAction::VacationOff => vec!["off".to_owned()],
                AccountAction::Vacation => Vec::new(),
            ),
        )
    },
    VerbSpec {
        examples: &["set alice s3cret", "set alice s3cret mail=text weekend=sat,sun zone=Europe/Berlin"],
        is_meant: |args| {
            let setting = |word: &&str| word.contains('=') || nearest(word, SETTING_KEYS).is_some();
            after_password(args).is_some_and(|rest| rest.is_empty() || rest.iter().any(setting))
        },
        ..VerbSpec::account(
            "set",
            "set userid password [key=value...]",
            form!(
                |args| settings(args).map(AccountAction::Set),
                AccountAction::Set(settings) => settings.iter().map(ToString::to_string).collect(),
            ),
        )
    },
    VerbSpec {
        examples: &["signoff alice s3cret", "signoff alice s3cret c0de"],
        is_meant: |args| after_password(args).is_some(),
        ..VerbSpec::account(
            "signoff",
            "signoff userid password [code]",
            form!(
                |args| {
                    let code = args.next()?.map(|i| args.code(i)).transpose()?;
                    args.finish()?;
                    Ok(AccountAction::Signoff(code))
                },
                AccountAction::Signoff(code) => code.iter().cloned().collect(),
            ),
        )
    },
    VerbSpec {
        options: &[ServerOption::Say],
        examples: &["message alice s3cret bob carl --say=\"On my way\""],
        is_meant: |args| {
            let to = |word: &&str| word.split(',').next().is_some_and(is_userid);
            after_password(args).is_some_and(|rest| rest.first().is_none_or(to))
        },
        ..VerbSpec::account(
            "message",
            "message userid password to... [--say=\"...\"]",
            form!(|args| recipients(args).map(AccountAction::Message), AccountAction::Message(to) => to.clone()),
        )
    },
    VerbSpec {
        examples: &["block alice s3cret bob", "block alice s3cret"],
        is_meant: names_at_most_one_player,
        ..VerbSpec::account(
            "block",
            "block userid password [other]",
            form!(
                |args| {
                    let other = args.next()?.map(|i| userid(i, args.word(i))).transpose()?;
                    args.finish()?;
                    Ok(AccountAction::Block(other))
                },
                AccountAction::Block(other) => other.iter().cloned().collect(),
            ),
        )
    },
    VerbSpec {
        examples: &["unblock alice s3cret bob"],
        is_meant: names_at_most_one_player,
        ..VerbSpec::account(
            "unblock",
            "unblock userid password other",
            form!(
                |args| other_player(args).map(AccountAction::Unblock),
                AccountAction::Unblock(other) => vec![other.clone()],
            ),
        )
    },
    VerbSpec {
        options: &[ServerOption::Say],
        examples: &["report alice s3cret bob --say=\"Insults me\""],
        is_meant: names_at_most_one_player,
        ..VerbSpec::account(
            "report",
            "report userid password other [--say=\"...\"]",
            form!(
                |args| other_player(args).map(AccountAction::Report),
                AccountAction::Report(other) => vec![other.clone()],
            ),
        )
    },
    VerbSpec {
        examples: &["calendar alice s3cret", "calendar alice s3cret new", "calendar alice s3cret off"],
        is_meant: |args| after_password(args).is_some_and(|rest| rest.len() < 2),
        ..VerbSpec::account(
            "calendar",
            "calendar userid password [new|off]",
            form!(
                calendar,
                AccountAction::Calendar(CalendarAction::Show) => Vec::new(),
                AccountAction::Calendar(CalendarAction::New) => vec!["new".to_owned()],
                AccountAction::Calendar(CalendarAction::Off) => vec!["off".to_owned()],
            ),
        )
    },
    VerbSpec {
        options: &[ServerOption::Say],
        examples: &["broadcast root s3cret --say=\"Down at nine\""],
        is_meant: |args| after_password(args).is_some(),
        ..VerbSpec::account(
            "broadcast",
            "broadcast userid password [--say=\"...\"]",
            form!(|args| args.finish().map(|()| AccountAction::Broadcast), AccountAction::Broadcast => Vec::new()),
        )
    },
];

/// Returns whether at most one player's userid follows the password.
fn names_at_most_one_player(args: &[&str]) -> bool {
    after_password(args).is_some_and(|rest| rest.len() < 2 && rest.iter().all(|word| is_userid(word)))
}

fn calendar(args: &mut Args<'_>) -> Result<AccountAction, WordError> {
    args.needs_password(|word| ["new", "off"].iter().any(|known| known.eq_ignore_ascii_case(word)))?;
    let Some(i) = args.next()? else { return Ok(AccountAction::Calendar(CalendarAction::Show)) };
    let action = match args.word(i).to_ascii_lowercase().as_str() {
        "new" => CalendarAction::New,
        "off" => CalendarAction::Off,
        word => {
            let near = nearest(word, ["new", "off"]);
            return Err(WordError::at(i, message!("command.not-a-calendar", word = excerpt(word))).near(near));
        }
    };
    args.finish()?;
    Ok(AccountAction::Calendar(action))
}

fn other_player(args: &mut Args<'_>) -> Result<String, WordError> {
    let (i, word) = args.need(message!("command.missing-player"))?;
    let other = userid(i, word)?;
    args.finish()?;
    Ok(other)
}

fn confirm_address(args: &mut Args<'_>) -> Result<Command, WordError> {
    let userid = args.userid()?;
    let (i, _) = args.need(message!("command.missing-code"))?;
    let code = args.code(i)?;
    args.finish()?;
    Ok(Command::ConfirmAddress { userid, code })
}

/// Reads the arguments of `password`. The code replaces a forgotten password for an hour, so it is hidden like a
/// password.
fn forgotten_password(args: &mut Args<'_>) -> Result<Command, WordError> {
    let Some(i) = args.next()? else { return Ok(Command::ForgottenPassword { userid: None }) };
    let userid = userid(i, args.word(i))?;
    let Some(i) = args.next()? else { return Ok(Command::ForgottenPassword { userid: Some(userid) }) };
    let code = args.word(i).to_owned();
    let new = args.new_password(PasswordRole::New)?;
    args.finish()?;
    Ok(Command::NewPassword { userid, code, new })
}

fn vacation(args: &mut Args<'_>) -> Result<AccountAction, WordError> {
    args.needs_password(|word| ["until", "off"].iter().any(|known| known.eq_ignore_ascii_case(word)))?;
    let Some(i) = args.next()? else { return Ok(AccountAction::Vacation) };
    let word = args.word(i).to_ascii_lowercase();
    let action = if word == "off" {
        AccountAction::VacationOff
    } else if word == "until" {
        let (i, word) = args.need(message!("command.missing-day"))?;
        AccountAction::VacationUntil(day(i, word)?)
    } else if word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('-') {
        AccountAction::VacationUntil(day(i, &word)?)
    } else {
        let near = nearest(&word, ["until", "off"]);
        return Err(WordError::at(i, message!("command.not-a-vacation", word = excerpt(&word))).near(near));
    };
    args.finish()?;
    Ok(action)
}

/// Reads `2026-12-24`.
fn day(i: usize, word: &str) -> Result<Day, WordError> {
    let mut parts = word.split('-');
    let mut part = |digits: usize| parts.next().filter(|part| part.len() == digits).and_then(number);
    let (year, month, day) = (part(4), part(2), part(2));
    if let (Some(year), Some(month @ 1..=12), Some(day @ 1..=31), None) = (year, month, day, parts.next()) {
        return Ok(Day { year: year.cast_signed(), month, day });
    }
    Err(WordError::at(i, message!("command.not-a-day", word = excerpt(word))))
}

/// Returns the assignment with the nearest key, if that key accepts the value.
fn near_setting(key: &str, value: Option<&str>) -> Option<String> {
    let (near, read) = setting(key).or_else(|| setting(nearest(key, SETTING_KEYS)?))?;
    value.filter(|value| read(value).is_ok()).map(|value| format!("{near}={value}"))
}

/// Returns whether a word assigns a valid value to a setting: `mail=text`.
fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, value)| setting(key).is_some_and(|(_, read)| read(value).is_ok()))
}

fn settings(args: &mut Args<'_>) -> Result<Vec<Setting>, WordError> {
    args.needs_password(is_setting)?;
    let (mut settings, mut keys) = (Vec::new(), Vec::new());
    while let Some(i) = args.next()? {
        let word = args.word(i);
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (word, None),
        };
        let (Some((key, read)), Some(value)) = (setting(key), value) else {
            let keys: Vec<String> = SETTING_KEYS.map(str::to_owned).into();
            let message = message!("command.not-a-setting", word = excerpt(word), keys);
            return Err(WordError::at(i, message).near(near_setting(key, value)));
        };
        if keys.contains(&key) {
            return Err(WordError::at(i, message!("command.setting-twice", key)));
        }
        keys.push(key);
        let setting = read(value).map_err(|InvalidValue(valid)| {
            WordError::at(i, message!("command.invalid-setting", value = excerpt(value), key, valid))
        })?;
        settings.push(setting);
    }
    Ok(settings)
}

fn recipients(args: &mut Args<'_>) -> Result<Vec<String>, WordError> {
    let mut to = Vec::new();
    while let Some(i) = args.next()? {
        if to.len() == MOST_RECIPIENTS {
            return Err(WordError::at(i, message!("command.many-recipients", most = MOST_RECIPIENTS)));
        }
        to.push(userid(i, args.word(i))?);
    }
    if to.is_empty() { Err(WordError::missing(message!("command.missing-recipient"))) } else { Ok(to) }
}
