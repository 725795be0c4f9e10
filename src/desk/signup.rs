//! Accounts: signing up, confirming an address, changing what was given.

use crate::command::Password;
use crate::store::{Address, Ledger, Player, PlayerId};

use super::{Answer, Desk, Done, Origin, Request, refuse};
use super::{clocks, identity, reach};

/// Addresses a player can have.
const MOST_ADDRESSES: usize = 5;

impl Desk<'_> {
    pub(super) fn signup(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        userid: &str,
        password: &Password,
        addresses: &[String],
    ) -> Done<Answer> {
        let password = new_password(request, password)?;
        if ledger.player(userid)?.is_some() {
            return refuse(request, userid, format!("The userid \"{userid}\" is taken; choose another one."));
        }
        let mut addresses = addresses.to_vec();
        if let (true, Origin::Mail { sender, .. }) = (addresses.is_empty(), &request.from) {
            addresses.push(sender.clone());
        }
        check_addresses(ledger, request, None, &addresses)?;
        let player = ledger.add_player(userid, &identity::hash(self.world, password), request.now)?;
        let (addresses, awaiting) = self.add_addresses(ledger, request, (player, userid), &addresses)?;
        Ok(Answer::SignedUp { userid: userid.to_owned(), addresses, awaiting })
    }

    pub(super) fn confirm_address(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        userid: &str,
        code: &str,
    ) -> Done<Answer> {
        let confirmed = match ledger.player(userid)? {
            Some(player) => {
                let waiting = clocks::count_up(ledger, &player, request.now)?;
                let address = ledger.confirm_address(player.id, code, request.now)?;
                reach::rewind(ledger, &player, waiting, request.now)?;
                address.map(|address| (player, address))
            }
            None => None,
        };
        match confirmed {
            Some((player, address)) => Ok(Answer::AddressConfirmed { userid: player.userid, address }),
            None => refuse(request, code, "No address of this player waits for this code."),
        }
    }

    pub(super) fn change_password(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        userid: &str,
        current: &Password,
        new: &Password,
    ) -> Done<Answer> {
        let player = identity::player_with_password(ledger, request, userid, current)?;
        let new = new_password(request, new)?;
        ledger.set_password(player.id, &identity::hash(self.world, new))?;
        ledger.end_sessions(player.id)?;
        Ok(Answer::PasswordChanged { userid: player.userid })
    }

    pub(super) fn change_address(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        player: Player,
        wanted: &[String],
    ) -> Done<Answer> {
        check_addresses(ledger, request, Some(player.id), wanted)?;
        let waiting = clocks::count_up(ledger, &player, request.now)?;
        let present = ledger.addresses(player.id)?;
        let added: Vec<String> = wanted
            .iter()
            .filter(|address| !present.iter().any(|known| known.confirmed_at.is_some() && known_as(known, address)))
            .cloned()
            .collect();
        // He says himself that it works again.
        for paused in present.iter().filter(|known| known.paused.is_some()) {
            if wanted.iter().any(|address| known_as(paused, address)) {
                ledger.resume_address(player.id, &paused.address)?;
            }
        }
        // An address that waited for its confirmation is asked anew.
        for known in present.iter().filter(|known| added.iter().any(|address| known_as(known, address))) {
            ledger.remove_address(player.id, &known.address)?;
        }
        self.add_addresses(ledger, request, (player.id, &player.userid), &added)?;
        // Nobody is cut off: the old addresses stay as long as none of the wanted ones is confirmed.
        let now = ledger.addresses(player.id)?;
        let wanted_one = |address: &str| wanted.iter().any(|other| other.eq_ignore_ascii_case(address));
        if now.iter().any(|known| known.confirmed_at.is_some() && wanted_one(&known.address)) {
            for known in now.iter().filter(|known| !wanted_one(&known.address)) {
                ledger.remove_address(player.id, &known.address)?;
            }
        }
        reach::rewind(ledger, &player, waiting, request.now)?;
        let (addresses, awaiting): (Vec<_>, Vec<_>) =
            ledger.addresses(player.id)?.into_iter().partition(|known| known.confirmed_at.is_some());
        let texts = |known: Vec<Address>| known.into_iter().map(|known| known.address).collect();
        Ok(Answer::AddressesChanged { userid: player.userid, addresses: texts(addresses), awaiting: texts(awaiting) })
    }

    /// Adds addresses: from the administrator's shell at once, else when their owners have confirmed them.
    fn add_addresses(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        player: (PlayerId, &str),
        addresses: &[String],
    ) -> Done<(Vec<String>, Vec<String>)> {
        let trusted = matches!(request.from, Origin::Shell { .. });
        for address in addresses {
            if trusted {
                ledger.add_address(player.0, address, None, request.now)?;
            } else {
                self.ask_to_confirm(ledger, request, player, address)?;
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
fn new_password<'a>(request: &'a Request, password: &'a Password) -> Done<&'a str> {
    match (password, &request.from) {
        (Password::Given(password), _) => Ok(password),
        (Password::FromContext, Origin::Shell { password: Some(password) }) => Ok(password),
        _ => refuse(request, "-", "A new password has to be given; \"-\" stands for one that is known."),
    }
}

fn check_addresses(ledger: &dyn Ledger, request: &Request, player: Option<PlayerId>, addresses: &[String]) -> Done<()> {
    for (i, address) in addresses.iter().enumerate() {
        if address.parse::<lettre::Address>().is_err() {
            return refuse(request, address, format!("\"{address}\" is not a mail address."));
        }
        if addresses[..i].iter().any(|other| other.eq_ignore_ascii_case(address)) {
            return refuse(request, address, format!("The address {address} stands here twice."));
        }
        if ledger.player_by_address(address)?.is_some_and(|owner| Some(owner.id) != player) {
            return refuse(request, address, format!("The address {address} belongs to another player."));
        }
    }
    match addresses.get(MOST_ADDRESSES) {
        Some(address) => refuse(request, address, format!("A player has at most {MOST_ADDRESSES} addresses.")),
        None => Ok(()),
    }
}
