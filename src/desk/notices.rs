//! Whom to tell what: notices, written in the transaction of the change they tell.

use crate::store::{self, Ledger, NewNotice, PlayerId};

use super::{Desk, Origin, Request};

impl Desk<'_> {
    /// Tells both players of a board; the one whose mail this is, as an answer to it.
    pub(super) fn tell_players(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        kind: &str,
        (board, ply): (u32, u32),
        players: [PlayerId; 2],
    ) -> store::Result<()> {
        let [first, second] = players;
        let both = [first, second];
        for player in if first == second { &both[..1] } else { &both[..] } {
            // Somebody who plays from the shell and has no address is told there.
            if ledger.addresses(*player)?.is_empty() {
                continue;
            }
            ledger.add_notice(&NewNotice {
                player: Some(*player),
                address: None,
                kind: kind.to_owned(),
                board: Some(board),
                entry: Some(ply),
                due_at: Some(request.now),
                facts: "{}".to_owned(),
                in_reply_to: asked_by(ledger, request, *player)?,
                domain: self.domain.to_owned(),
                created_at: request.now,
            })?;
        }
        Ok(())
    }

    /// Asks the owner of an address to confirm it.
    pub(super) fn ask_to_confirm(
        &self,
        ledger: &mut dyn Ledger,
        request: &Request,
        (player, userid): (PlayerId, &str),
        address: &str,
    ) -> store::Result<()> {
        let code = self.world.letters(12);
        ledger.add_address(player, address, Some(&code), request.now)?;
        let in_reply_to = match &request.from {
            Origin::Mail { sender, message_id } if sender.eq_ignore_ascii_case(address) => message_id.clone(),
            _ => None,
        };
        ledger.add_notice(&NewNotice {
            player: None,
            address: Some(address.to_owned()),
            kind: "confirm".to_owned(),
            board: None,
            entry: None,
            due_at: Some(request.now),
            facts: serde_json::json!({ "userid": userid, "code": code }).to_string(),
            in_reply_to,
            domain: self.domain.to_owned(),
            created_at: request.now,
        })?;
        Ok(())
    }
}

/// The Message-ID of this request's mail, if it came from a confirmed address of this player.
fn asked_by(ledger: &dyn Ledger, request: &Request, player: PlayerId) -> store::Result<Option<String>> {
    let Origin::Mail { sender, message_id } = &request.from else { return Ok(None) };
    let owner = ledger.player_by_address(sender)?;
    Ok(owner.filter(|owner| owner.id == player).and(message_id.clone()))
}
