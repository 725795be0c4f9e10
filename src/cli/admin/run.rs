//! Runs the subcommands of `turnpost admin`.

use std::path::Path;

use crate::cli::exit::{Exit, not_understood, refused};
use crate::cli::streams;
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{Act, ActKind, InboxId, Report, ReportPage};
use crate::world::World;

use super::table::Page;
use super::table::act;
use super::task::Task;
use super::transfer::Exported;
use super::{blocked, board, letter, mailbox, maintenance, move_store, overview, player, reports, transfer};

// Long, because it has one arm for each subcommand.
pub(crate) fn run(data: &Path, task: Task, as_json: bool) -> anyhow::Result<Exit> {
    streams::start(streams::Level::Warn, false);
    // A restore creates the data directory, so there is no instance to open.
    if let Task::Restore { file } = &task {
        return transfer::restore(file, data, as_json);
    }
    // An import creates the database if there is none.
    if let Task::Import { file, passphrase_file } = &task {
        return transfer::import(data, file, passphrase_file.as_deref(), as_json);
    }
    if let Task::AuthorizeMailbox { in_browser } = task {
        return mailbox::authorize(data, in_browser, as_json);
    }
    let mut instance = Instance::open(data, World::REAL)?;
    let now = (instance.world.now)();
    let mut show = |report: &Report<'_>, page: &Page| reports::show(&instance.store.read()?, report, page, as_json);
    match task {
        Task::Overview => overview::show(&mut instance, as_json),
        Task::Search { text } => reports::search(&instance.store.read()?, &text, as_json),
        Task::Players { suspicious: true, page, .. } => {
            let rows = administration::suspicion_rows(&instance.store.read()?)?;
            reports::list(page.of(rows), &page, as_json)
        }
        Task::Players { idle, paused, by_boards, page, .. } => {
            show(&Report::Players { named: None, idle_days: idle, paused, by_boards }, &page)
        }
        Task::Boards { player, pair, game, active, page } => {
            let player = player.as_deref().or(pair.first().map(String::as_str));
            let against = pair.get(1).map(String::as_str);
            show(&Report::Boards { player, against, game: game.as_deref(), active }, &page)
        }
        Task::Inbox { from, on, refused, quarantined, page } => {
            show(&Report::Inbox { from: from.as_deref(), on, refused, quarantined }, &page)
        }
        Task::Outbox { undelivered, to, page } => show(&Report::Letters { to: to.as_deref(), undelivered }, &page),
        Task::Bounces { page } => show(&Report::Bounces, &page),
        Task::Ratings { userid, page } => show(&Report::RatingHistory(&userid), &page),
        Task::Months { games, page } => show(&Report::Months { by_game: games }, &page),
        Task::Analyse { number } => maintenance::analyse(&mut instance, number, as_json),
        Task::Mail { number } => reports::mail(&instance.store.read()?, InboxId(number), as_json),
        Task::Retry { number } => retry(&mut instance, number, as_json),
        Task::Letter { number } => letter::show(&mut instance, number, as_json),
        Task::Clocks { page } => {
            let rows = overview::clocks(&instance.store.read()?, now, page.to_read())?;
            reports::list(rows, &page, as_json)
        }
        Task::Resend { since: Some(since), to, yes, .. } => {
            letter::resend_since(&mut instance, since, to.as_deref(), yes, as_json)
        }
        Task::Resend { letters, undelivered, .. } => letter::resend(&mut instance, &letters, undelivered, as_json),
        Task::Broadcast { say, yes } => blocked::broadcast(&mut instance, &say, yes, as_json),
        Task::Maintenance { task } => maintenance::run(&mut instance, task.as_ref(), as_json),
        Task::Block { sender, reason } => blocked::block(&mut instance, &sender, &reason, as_json),
        Task::Unblock { sender } => blocked::unblock(&mut instance, &sender, as_json),
        Task::Blocked { page } => {
            let rows = administration::blocked_rows(&instance.store.read()?)?;
            reports::list(page.of(rows), &page, as_json)
        }
        Task::Limits { who: Some(who), lift: true } => blocked::lift(&mut instance, &who, as_json),
        Task::Limits { who, .. } => blocked::show(&mut instance, who.as_deref(), as_json),
        Task::Hold => letter::hold(&mut instance, as_json),
        Task::Release => letter::release(&mut instance, as_json),
        Task::Pause { reason } => maintenance::pause(&mut instance, &reason, as_json),
        Task::Resume => maintenance::resume(&mut instance, as_json),
        Task::Extend { board, days, .. } => maintenance::extend(&mut instance, board, days, as_json),
        Task::Drop { letters } => letter::drop_letters(&mut instance, &letters, as_json),
        Task::Adjudicate { board, winner, reason } => {
            board::adjudicate(&mut instance, board, &winner, &reason, as_json)
        }
        Task::Reopen { board, days, reason } => board::reopen(&mut instance, board, days, &reason, as_json),
        Task::Void { board, reason } => board::void(&mut instance, board, &reason, as_json),
        Task::Acts { of, page } => show(&Report::Acts { of: of.as_deref() }, &page),
        Task::Export { userid, passphrase_file, without_key, output } => {
            let what = match (userid, passphrase_file) {
                (Some(userid), _) => Exported::Player(userid),
                (None, Some(file)) => Exported::WithKey(file),
                (None, None) if without_key => Exported::WithoutKey,
                (None, None) => return Err(not_understood(transfer::WITH_OR_WITHOUT_KEY)),
            };
            transfer::export(&mut instance, &what, output.as_deref())
        }
        Task::Import { file, passphrase_file } => transfer::import(data, &file, passphrase_file.as_deref(), as_json),
        Task::Move { to } => move_store::run(&mut instance, &to, as_json),
        Task::Backup { file } => transfer::make(&mut instance, &file, as_json),
        Task::Restore { file } => transfer::restore(&file, data, as_json),
        Task::RestoreBoard { file, board } => transfer::restore_board(&mut instance, &file, board, as_json),
        Task::AuthorizeMailbox { in_browser } => mailbox::authorize(data, in_browser, as_json),
        Task::LogLevel { level } => maintenance::set_log_level(&instance, level, as_json),
        Task::Check => maintenance::check(&mut instance, as_json),
        Task::Board { number } => board::show(&instance.composer, &instance.store.read()?, number, now, as_json),
        Task::Comment { task } => board::run(&mut instance, &task, as_json),
        Task::Player { reason, task } => player::run(&mut instance, &task, &reason, as_json),
    }
}

fn retry(instance: &mut Instance, mail: i64, as_json: bool) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    if administration::report(&tx, &Report::Mail(InboxId(mail)), ReportPage { skip: 0, most: 1 })?.is_empty() {
        return Err(refused(reports::no_message(InboxId(mail))));
    }
    if !administration::put_mail_back(&mut tx, InboxId(mail))? {
        return Err(refused(format_args!(
            "message {mail} was not quarantined; `turnpost admin inbox --quarantined` lists them"
        )));
    }
    tx.add_act(&Act { detail: format!("mail {mail}"), ..act(ActKind::Retry, now) })?;
    tx.commit()?;
    instance.process_or_wake()?;
    reports::mail(&instance.store.read()?, InboxId(mail), as_json)
}
