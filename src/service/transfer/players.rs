//! Exports and imports players.

use chrono::{DateTime, Utc};
use serde::de::IgnoredAny;

use super::Result;
use super::fault::{Fault, Read, fault};
use super::lines::{
    AccountLine, AddressLine, BlockedLine, CodeLine, FollowLine, PlayerLine, SettingsLine, SolvedLine, TokenLine,
    VacationLine, WebhookLine, WishLine,
};
use super::seal::{Seal, Secret, opened, sealed};
use crate::clock::{Span, Zone};
use crate::command::{ChatReaders, Dmarc, Hints, OwnLetters, UnsolicitedLetters};
use crate::draw::Theme;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::catalogue;
use crate::service::account::blocked::sender_name;
use crate::store::{
    Address, AwaitedCode, BlockedSender, Followed, Following, GamePreferences, PersonalToken, Player, PlayerId,
    Settings, SolvedPuzzle, Transaction, Webhook, WebhookPause,
};
use crate::text::{hex, unhex};
use crate::world::World;

/// Returns a player's line without secrets.
pub(super) fn player_line(tx: &Transaction<'_>, player: &Player) -> Result<PlayerLine> {
    let mut wishes = std::collections::BTreeMap::new();
    for game in catalogue::GAMES {
        let GamePreferences { seeks, most } = tx.game_preferences(player.id, game.name())?;
        if (seeks, most) != (0, None) {
            wishes.insert(game.name().to_owned(), WishLine { seeks, most });
        }
    }
    let addresses = tx.addresses(player.id)?.into_iter();
    let vacations = tx.vacations(player.id)?.into_iter();
    let follows = tx.following(player.id)?.into_iter().map(|Following { what, ends_only }| match what {
        Followed::Board(board) => FollowLine { board: Some(board), game: None, ends_only },
        Followed::Game(game) => FollowLine { board: None, game: Some(game), ends_only },
    });
    let solved = tx.solved_puzzles(player.id)?.into_iter();
    let solved = solved.map(|SolvedPuzzle { game, number, day, found }| SolvedLine { game, number, day, found });
    let settings = &player.settings;
    Ok(PlayerLine {
        userid: player.userid.clone(),
        password_hash: None,
        created_at: player.created_at,
        left_at: player.left_at,
        addresses: addresses
            .map(|Address { address, confirmed_at, paused }| AddressLine {
                address,
                confirmed_at,
                paused: paused.map(|pause| (pause.since, pause.why)),
            })
            .collect(),
        settings: SettingsLine {
            mail: settings.mail.to_string(),
            rhythm: settings.rhythm.to_string(),
            reminders: settings.reminders.to_string(),
            zone: settings.zone.clone(),
            weekend: settings.weekend.to_string(),
            letters: Some(settings.letters.to_string()),
            dmarc: Some(settings.dmarc.to_string()),
            theme: Some(settings.theme.to_string()),
            own: Some(settings.own.to_string()),
            hints: Some(settings.hints.to_string()),
            chat: Some(settings.chat.to_string()),
        },
        _told: IgnoredAny,
        blocked_at: player.blocked_at,
        muted: tx.muted_boards(player.id)?,
        vacations: vacations.map(|span| VacationLine { from: span.from, until: span.until }).collect(),
        wishes,
        follows: follows.collect(),
        puzzles: tx.gets_puzzles_of(player.id)?,
        solved: solved.collect(),
        account: None,
    })
}

/// Returns a player's line with everything that is needed to continue elsewhere.
pub(super) fn whole_player_line(tx: &Transaction<'_>, player: &Player, seal: Option<&Seal>) -> Result<PlayerLine> {
    let codes = tx.awaited_codes(player.id)?.into_iter();
    let tokens = tx.tokens(player.id)?.into_iter();
    let webhook = tx.webhook(player.id)?.map(|webhook| WebhookLine {
        url: webhook.url,
        secret: sealed(seal, Secret::Webhook(player.id.0), webhook.secret.as_bytes()),
        created_at: webhook.created_at,
        failures: webhook.failures,
        paused: webhook.paused.map(|pause| (pause.since, pause.why)),
    });
    let account = AccountLine {
        number: player.id.0,
        back_in_reach_at: player.back_in_reach_at,
        codes: codes.map(|AwaitedCode { address, code, added_at }| CodeLine { address, code, added_at }).collect(),
        signoff: player.signoff.clone().map(|asked| (asked.code, asked.given_at)),
        turn_letters: tx.turn_letters(player.id)?,
        tokens: tokens
            .map(|PersonalToken { hash, label, created_at, used_at, .. }| TokenLine {
                hash: hex(&hash),
                label,
                created_at,
                used_at,
            })
            .collect(),
        webhook,
    };
    let password_hash = Some(player.password_hash.clone());
    Ok(PlayerLine { password_hash, account: Some(account), ..player_line(tx, player)? })
}

/// A restored player, with data that waits until the boards are imported.
pub(super) struct Restored {
    pub(super) player: PlayerId,
    pub(super) muted: Vec<BoardNumber>,
    pub(super) follows: Vec<FollowLine>,
    pub(super) turn_letters: Vec<(BoardNumber, EntryNumber)>,
}

/// Adds the player of a line. The userid must be free, and the games of the player's boards must be known.
pub(super) fn restore(
    tx: &mut Transaction<'_>,
    world: World,
    seal: Option<&Seal>,
    line: PlayerLine,
    exported_at: DateTime<Utc>,
) -> Read<Restored> {
    let userid = line.userid;
    let Some(password_hash) = line.password_hash else {
        return fault(message!("import.no-password-hash", userid));
    };
    let player = match &line.account {
        Some(account) => {
            let player = PlayerId(account.number);
            tx.restore_player(player, &userid, &password_hash, line.created_at)?;
            player
        }
        None => tx.add_player(&userid, &password_hash, line.created_at)?,
    };
    if let Some(at) = line.account.as_ref().and_then(|account| account.back_in_reach_at) {
        tx.set_back_in_reach(player, at)?;
    }
    let codes = line.account.as_ref().map_or(&[][..], |account| &account.codes);
    for known in line.addresses {
        match (known.confirmed_at, codes.iter().find(|code| code.address == known.address)) {
            (Some(at), _) => tx.add_address(player, &known.address, None, at)?,
            (None, Some(code)) => tx.add_address(player, &known.address, Some(&code.code), code.added_at)?,
            // The new code is unknown, so the address must be added again.
            (None, None) => tx.add_address(player, &known.address, Some(&world.letters(12)), exported_at)?,
        }
        if let (Some((since, why)), Some(_)) = (&known.paused, known.confirmed_at) {
            tx.pause_address(player, &known.address, why, *since)?;
        }
    }
    tx.set_settings(player, &settings(&userid, line.settings)?)?;
    tx.set_blocked(player, line.blocked_at)?;
    for vacation in line.vacations {
        tx.add_vacation(player, &Span { from: vacation.from, until: vacation.until })?;
    }
    if let Some(left_at) = line.left_at {
        tx.leave(player, left_at)?;
    }
    for game in &line.puzzles {
        tx.set_gets_puzzles(player, game, true)?;
    }
    for SolvedLine { game, number, day, found } in line.solved {
        tx.add_solved_puzzle(player, &SolvedPuzzle { game, number, day, found })?;
    }
    for (game, wish) in line.wishes {
        tx.set_game_preferences(player, &game, &GamePreferences { seeks: wish.seeks, most: wish.most })?;
    }
    let turn_letters = match line.account {
        Some(account) => restore_account(tx, seal, player, account)?,
        None => Vec::new(),
    };
    Ok(Restored { player, muted: line.muted, follows: line.follows, turn_letters })
}

/// Adds data that a player's letters and programs refer to. Returns the letters about turns.
fn restore_account(
    tx: &mut Transaction<'_>,
    seal: Option<&Seal>,
    player: PlayerId,
    account: AccountLine,
) -> Read<Vec<(BoardNumber, EntryNumber)>> {
    if let Some((code, given_at)) = account.signoff {
        tx.begin_signoff(player, &code, given_at)?;
    }
    for TokenLine { hash, label, created_at, used_at } in account.tokens {
        let hash = unhex(&hash).and_then(|hash| hash.try_into().ok());
        let Some(hash) = hash else { return fault(message!("import.token")) };
        tx.add_token(&PersonalToken { hash, player, label, created_at, used_at })?;
    }
    if let Some(WebhookLine { url, secret, created_at, failures, paused }) = account.webhook {
        let secret = opened(seal, Secret::Webhook(player.0), &secret)?;
        let secret = String::from_utf8(secret).map_err(|_| Fault::What(message!("import.sealed")))?;
        let paused = paused.map(|(since, why)| WebhookPause { since, why });
        tx.set_webhook(&Webhook { player, url, secret, created_at, failures, paused })?;
    }
    Ok(account.turn_letters)
}

fn settings(userid: &str, line: SettingsLine) -> Read<Settings> {
    let word = |key: &str, value: &str| Fault::What(message!("import.no-setting", key, value, userid));
    if !Zone::names().any(|name| name == line.zone) {
        return Err(word("zone", &line.zone));
    }
    Ok(Settings {
        mail: line.mail.parse().map_err(|_| word("mail", &line.mail))?,
        rhythm: line.rhythm.parse().map_err(|_| word("rhythm", &line.rhythm))?,
        reminders: line.reminders.parse().map_err(|_| word("reminders", &line.reminders))?,
        weekend: line.weekend.parse().map_err(|_| word("weekend", &line.weekend))?,
        // Exports of older servers lack the other values.
        letters: match line.letters {
            Some(letters) => letters.parse().map_err(|_| word("letters", &letters))?,
            None => UnsolicitedLetters::default(),
        },
        own: match line.own {
            Some(own) => own.parse().map_err(|_| word("own", &own))?,
            None => OwnLetters::default(),
        },
        dmarc: match line.dmarc {
            Some(dmarc) => dmarc.parse().map_err(|_| word("dmarc", &dmarc))?,
            None => Dmarc::default(),
        },
        theme: match line.theme {
            Some(theme) => theme.parse().map_err(|_| word("theme", &theme))?,
            None => Theme::default(),
        },
        hints: match line.hints {
            Some(hints) => hints.parse().map_err(|_| word("hints", &hints))?,
            None => Hints::default(),
        },
        chat: match line.chat {
            Some(chat) => chat.parse().map_err(|_| word("chat", &chat))?,
            None => ChatReaders::default(),
        },
        zone: line.zone,
    })
}

/// Restores the block of an address or a domain.
pub(super) fn block(tx: &mut Transaction<'_>, line: BlockedLine) -> Read<()> {
    let BlockedLine { sender, blocked_at, reason } = line;
    let Some(sender) = sender_name(&sender) else { return fault(message!("import.no-sender", sender)) };
    Ok(tx.block_sender(&BlockedSender { sender, blocked_at, reason })?)
}
