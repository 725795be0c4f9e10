//! Accounts: signing up, confirming an address, changing what was given.

use crate::command::Password;
use crate::store::{Address, Player, PlayerId, Transaction};

use crate::service::account::identity;
use crate::service::board::clocks;
use crate::service::notice::reach;
use crate::service::{Origin, Request, RequestResult, Response, Service, refuse};

/// Addresses a player can have.
const MOST_ADDRESSES: usize = 5;

impl Service<'_> {
    pub(in crate::service) fn signup(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        userid: &str,
        password: &Password,
        addresses: &[String],
    ) -> RequestResult<Response> {
        let password = new_password(request, password)?;
        if tx.player(userid)?.is_some() {
            return refuse(request, userid, format!("The userid \"{userid}\" is taken; choose another one."));
        }
        let mut addresses = addresses.to_vec();
        if let (true, Origin::Mail { sender, .. }) = (addresses.is_empty(), &request.from) {
            addresses.push(sender.clone());
        }
        check_addresses(tx, request, None, &addresses)?;
        let player = tx.add_player(userid, &identity::hash(self.world, password), request.now)?;
        let (addresses, awaiting) = self.add_addresses(tx, request, (player, userid), &addresses)?;
        Ok(Response::SignedUp { userid: userid.to_owned(), addresses, awaiting })
    }

    pub(in crate::service) fn confirm_address(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        userid: &str,
        code: &str,
    ) -> RequestResult<Response> {
        let confirmed = match tx.player(userid)? {
            Some(player) => {
                let waiting = clocks::count_up(tx, &player, request.now)?;
                let address = tx.confirm_address(player.id, code, request.now)?;
                reach::rewind(tx, &player, waiting, request.now)?;
                address.map(|address| (player, address))
            }
            None => None,
        };
        match confirmed {
            Some((player, address)) => Ok(Response::AddressConfirmed { userid: player.userid, address }),
            None => refuse(request, code, "No address of this player waits for this code."),
        }
    }

    pub(in crate::service) fn change_password(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        userid: &str,
        current: &Password,
        new: &Password,
    ) -> RequestResult<Response> {
        let player = identity::player_with_password(tx, request, userid, current)?;
        let new = new_password(request, new)?;
        tx.set_password(player.id, &identity::hash(self.world, new))?;
        tx.end_sessions(player.id)?;
        Ok(Response::PasswordChanged { userid: player.userid })
    }

    pub(in crate::service) fn change_address(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        player: Player,
        wanted: &[String],
    ) -> RequestResult<Response> {
        check_addresses(tx, request, Some(player.id), wanted)?;
        let waiting = clocks::count_up(tx, &player, request.now)?;
        let present = tx.addresses(player.id)?;
        let added: Vec<String> = wanted
            .iter()
            .filter(|address| !present.iter().any(|known| known.confirmed_at.is_some() && known_as(known, address)))
            .cloned()
            .collect();
        // He says himself that it works again.
        for paused in present.iter().filter(|known| known.paused.is_some()) {
            if wanted.iter().any(|address| known_as(paused, address)) {
                tx.resume_address(player.id, &paused.address)?;
            }
        }
        // An address that waited for its confirmation is asked anew.
        for known in present.iter().filter(|known| added.iter().any(|address| known_as(known, address))) {
            tx.remove_address(player.id, &known.address)?;
        }
        self.add_addresses(tx, request, (player.id, &player.userid), &added)?;
        // Nobody is cut off: the old addresses stay as long as none of the wanted ones is confirmed.
        let now = tx.addresses(player.id)?;
        let wanted_one = |address: &str| wanted.iter().any(|other| other.eq_ignore_ascii_case(address));
        if now.iter().any(|known| known.confirmed_at.is_some() && wanted_one(&known.address)) {
            for known in now.iter().filter(|known| !wanted_one(&known.address)) {
                tx.remove_address(player.id, &known.address)?;
            }
        }
        reach::rewind(tx, &player, waiting, request.now)?;
        let (addresses, awaiting): (Vec<_>, Vec<_>) =
            tx.addresses(player.id)?.into_iter().partition(|known| known.confirmed_at.is_some());
        let texts = |known: Vec<Address>| known.into_iter().map(|known| known.address).collect();
        Ok(Response::AddressesChanged { userid: player.userid, addresses: texts(addresses), awaiting: texts(awaiting) })
    }

    /// Adds addresses: from the administrator's shell at once, else when their owners have confirmed them.
    fn add_addresses(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        player: (PlayerId, &str),
        addresses: &[String],
    ) -> RequestResult<(Vec<String>, Vec<String>)> {
        let trusted = matches!(request.from, Origin::Shell { .. });
        for address in addresses {
            if trusted {
                tx.add_address(player.0, address, None, request.now)?;
            } else {
                self.ask_to_confirm(tx, request, player, address)?;
            }
        }
        let (confirmed, awaiting) = if trusted { (addresses, &[][..]) } else { (&[][..], addresses) };
        Ok((confirmed.to_vec(), awaiting.to_vec()))
    }
}

fn known_as(known: &Address, address: &str) -> bool {
    known.address.eq_ignore_ascii_case(address)
}

/// A new password must be typed (or come from the shell's environment or prompt).
fn new_password<'a>(request: &'a Request, password: &'a Password) -> RequestResult<&'a str> {
    match (password, &request.from) {
        (Password::Given(password), _) => Ok(password),
        (Password::FromContext, Origin::Shell { password: Some(password) }) => Ok(password),
        _ => refuse(request, "-", "A new password has to be given; \"-\" stands for one that is known."),
    }
}

fn check_addresses(
    tx: &dyn Transaction,
    request: &Request,
    player: Option<PlayerId>,
    addresses: &[String],
) -> RequestResult<()> {
    for (i, address) in addresses.iter().enumerate() {
        if address.parse::<lettre::Address>().is_err() {
            return refuse(request, address, format!("\"{address}\" is not a mail address."));
        }
        if addresses[..i].iter().any(|other| other.eq_ignore_ascii_case(address)) {
            return refuse(request, address, format!("The address {address} stands here twice."));
        }
        if tx.player_by_address(address)?.is_some_and(|owner| Some(owner.id) != player) {
            return refuse(request, address, format!("The address {address} belongs to another player."));
        }
    }
    match addresses.get(MOST_ADDRESSES) {
        Some(address) => refuse(request, address, format!("A player has at most {MOST_ADDRESSES} addresses.")),
        None => Ok(()),
    }
}
