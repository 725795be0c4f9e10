//! Refuses unknown userids, addresses and games, and suggests the nearest name.

use crate::cli::exit::refused;
use crate::rules::catalogue;
use crate::service::administration;
use crate::store::{self, Transaction};
use crate::text::nearest;

/// Explains that no player has this userid.
pub(crate) fn no_player(tx: &Transaction<'_>, userid: &str) -> store::Result<String> {
    if let Some(owner) = tx.player_by_address(userid)? {
        return Ok(format!("{userid} is an address of {0}. Write the userid {0}", owner.userid));
    }
    let meant = meant(userid, &administration::userids(tx)?);
    Ok(format!("there is no player {userid}.{meant} `turnpost admin players` lists them"))
}

/// Refuses a userid or an address that no player has. Call this only if a list has no rows for the name, because the
/// address of a stranger may have rows.
pub(crate) fn check_known(tx: &Transaction<'_>, name: &str) -> anyhow::Result<()> {
    if administration::player(tx, name)?.is_some() {
        return Ok(());
    }
    if !name.contains('@') {
        return Err(refused(no_player(tx, name)?));
    }
    let addresses = administration::addresses(tx)?;
    if addresses.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let meant = meant(name, &addresses);
    Err(refused(format_args!(
        "nothing was found for {name}, and no player has this address.{meant} `turnpost admin search` finds players by \
         a part of an address"
    )))
}

/// Refuses a word that is not the name of a game.
pub(crate) fn check_game(word: &str) -> anyhow::Result<()> {
    if catalogue::find(word).is_some() {
        return Ok(());
    }
    let names: Vec<String> = catalogue::GAMES.iter().map(|game| game.name().to_owned()).collect();
    let meant = meant(word, &names);
    Err(refused(format_args!("there is no game {word}.{meant} The games are {}", names.join(", "))))
}

/// Suggests the name nearest to a misspelt one. Returns an empty text if no name is near.
pub(crate) fn meant(misspelt: &str, names: &[String]) -> String {
    let nearest = nearest(misspelt, names.iter().map(String::as_str));
    nearest.map_or_else(String::new, |nearest| format!(" Did you mean {nearest}?"))
}
