//! Challenges, open ones too, and what players look for and take.

use crate::clock::Limits;
use crate::command::{BoardAction, Terms};
use crate::rules::{Game, Options, Seat, catalogue};
use crate::store::{self, Comment, NewBoard, OpenChallenge, Player, PlayerRef, Transaction};

use crate::service::board::live::Live;
use crate::service::board::view::Table;
use crate::service::board::views::OfferView;
use crate::service::board::{chain, look, play};
use crate::service::notice::facts::BoardEvent;
use crate::service::{Origin, Request, RequestResult, Response, Service, refuse, refused_by_rules};

/// What of a challenge does not depend on who plays.
struct Agreed {
    number: Option<u32>,
    game: &'static dyn Game,
    options: Options,
    limits: Limits,
    rated: bool,
    private: bool,
}

impl Service<'_> {
    pub(in crate::service) fn challenge(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        game: &'static dyn Game,
        (options, terms): (&Options, &Terms),
        userids: &[Option<String>; 2],
    ) -> RequestResult<Response> {
        let named = |i: usize| userids[i].as_ref().map(|userid| look::active_player(tx, request, userid)).transpose();
        let players = [named(0)?, named(1)?];
        let policy = self.policy.limits();
        let limits = Limits {
            nag: terms.nag.unwrap_or(policy.nag),
            forfeit: terms.forfeit.unwrap_or(policy.forfeit),
            total: terms.total.unwrap_or(policy.total),
        };
        // Options that contradict each other are refused before anything else is looked at.
        game.start(options).map_err(|refusal| refused_by_rules(request, refusal, None))?;
        let challenger = challenger(tx, request, &players)?;
        if challenger.is_none() && players.iter().all(Option::is_some) && !play::said(request).is_empty() {
            let message = "From the shell, nobody in particular makes this challenge and says this; leave --say out.";
            return refuse(request, "--say", message);
        }
        if let Some(challenger) = &challenger
            && tx.unanswered(challenger.id)? >= self.policy.unanswered
        {
            let message = format!(
                "{} challenges of yours are not answered yet; wait for some of them, or withdraw open ones.",
                self.policy.unanswered
            );
            return refuse(request, "challenge", message);
        }
        let agreed = Agreed {
            number: None,
            game,
            options: options.clone(),
            limits,
            rated: !terms.unrated,
            private: terms.private,
        };
        match players {
            [Some(first), Some(second)] => {
                for invited in [&first, &second] {
                    if challenger.as_ref().is_none_or(|challenger| challenger.id != invited.id) {
                        check_limit(tx, request, game, invited)?;
                        found(tx, game, invited)?;
                    }
                }
                self.begin(tx, request, agreed, [first, second], challenger, None)
            }
            [first, second] => {
                let seat = if first.is_some() { Seat::First } else { Seat::Second };
                let owner = first.or(second).expect("the parser lets one of them be anyone");
                let comment = Some(play::said(request)).filter(|said| !said.is_empty());
                let mut offer = OpenChallenge {
                    number: 0,
                    game: game.name().to_owned(),
                    options: agreed.options.to_string(),
                    challenger: PlayerRef { id: owner.id, userid: owner.userid },
                    seat,
                    rated: agreed.rated,
                    private: agreed.private,
                    limits,
                    comment,
                    created_at: request.now,
                    closed_at: None,
                };
                offer.number = tx.add_open_challenge(&offer)?;
                Ok(Response::Offered { offer: offer_view(&offer) })
            }
        }
    }

    /// Makes a board, and tells its players.
    fn begin(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        agreed: Agreed,
        players: [Player; 2],
        challenger: Option<Player>,
        offer: Option<&OpenChallenge>,
    ) -> RequestResult<Response> {
        let [first, second] = &players;
        let names = [first.userid.clone(), second.userid.clone()];
        let options = agreed.options.to_string();
        let table = Table::new(agreed.game, agreed.options, names)
            .map_err(|refusal| refused_by_rules(request, refusal, None))?;
        let number = tx.add_board(&NewBoard {
            number: agreed.number,
            game: agreed.game.name().to_owned(),
            hash: chain::genesis(agreed.game.name(), &options, [&first.userid, &second.userid]),
            options,
            players: [first.id, second.id],
            to_move: table.position().to_move().expect("somebody moves first"),
            challenger: challenger.as_ref().map(|challenger| challenger.id),
            rated: agreed.rated && first.id != second.id,
            private: agreed.private,
            limits: agreed.limits,
            created_at: request.now,
        })?;
        if let Some(OpenChallenge { challenger, comment: Some(text), created_at, .. }) = offer {
            let (player, text, said_at) = (challenger.id, text.clone(), *created_at);
            tx.add_comment(&Comment { board: number, entry: 0, player, text, said_at })?;
        }
        if let Some(challenger) = &challenger {
            play::remark(tx, request, (number, 0), challenger.id)?;
        }
        let mut board = tx.board(number)?.expect("it was made just now");
        crate::service::board::clocks::start(tx, &mut board, request.now)?;
        let mut live = Live::open(tx, board, request.now)?;
        self.notify(tx, request, &mut live, BoardEvent::Challenge)?;
        Ok(Response::Challenged { board: play::view_now(tx, request.now, &live.board, None)? })
    }

    /// What a player does with an open challenge: takes it, or withdraws his own.
    pub(in crate::service) fn act_on_offer(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        game: &str,
        offer: OpenChallenge,
        player: &Player,
        act: &BoardAction,
    ) -> RequestResult<Response> {
        let number = offer.number;
        if game != offer.game {
            return refuse(request, game, format!("Number {number} is not a game of {game}."));
        }
        let own = offer.challenger.id == player.id;
        match act {
            BoardAction::Decline | BoardAction::Resign if own => {
                tx.close_open_challenge(number, request.now)?;
                Ok(Response::Withdrawn { offer: offer_view(&offer) })
            }
            BoardAction::Accept if own => refuse(request, "accept", "This open challenge is your own."),
            BoardAction::Accept => {
                let game = catalogue::find(&offer.game).expect("offers are made of the catalogue's games");
                check_limit(tx, request, game, player)?;
                let owner = look::active_player(tx, request, &offer.challenger.userid)?;
                tx.close_open_challenge(number, request.now)?;
                let players = match offer.seat {
                    Seat::First => [owner.clone(), player.clone()],
                    Seat::Second => [player.clone(), owner.clone()],
                };
                let agreed = Agreed {
                    number: Some(number),
                    game,
                    options: Options::from_canonical(&offer.options),
                    limits: offer.limits,
                    rated: offer.rated,
                    private: offer.private,
                };
                // He took it: it is no board that he could decline.
                self.begin(tx, request, agreed, players, Some(player.clone()), Some(&offer))
            }
            _ => {
                let message = format!(
                    "Number {number} is an open challenge of {}; it is played once somebody accepts it.",
                    offer.challenger.userid
                );
                refuse(request, &number.to_string(), message)
            }
        }
    }
}

/// Who makes the challenge: one of its players, or `None`, the local shell.
fn challenger(tx: &dyn Transaction, request: &Request, players: &[Option<Player>; 2]) -> RequestResult<Option<Player>> {
    let of = |id: store::PlayerId| players.iter().flatten().find(|player| player.id == id).cloned();
    let names = || players.iter().flatten().map(|player| player.userid.as_str()).collect::<Vec<_>>().join(" nor ");
    match &request.from {
        Origin::Shell { .. } => Ok(None),
        Origin::Mail { sender, .. } => {
            let owner = tx.player_by_address(sender)?;
            match owner.and_then(|owner| of(owner.id)) {
                Some(owner) => Ok(Some(owner)),
                None => refuse(
                    request,
                    "",
                    format!(
                        "A challenge is made from a confirmed address of one of its players; this mail came from \
                         neither {}.",
                        names()
                    ),
                ),
            }
        }
        Origin::Visitor => refuse(request, "", "A challenge is made by one of its players."),
        Origin::Known { userid, .. } => {
            let player = look::player(tx, request, userid)?;
            match of(player.id) {
                Some(player) => Ok(Some(player)),
                None => refuse(request, "", format!("A challenge is made by one of its players: not {}.", names())),
            }
        }
    }
}

/// That a player takes another board of a game.
fn check_limit(tx: &dyn Transaction, request: &Request, game: &dyn Game, player: &Player) -> RequestResult<()> {
    let Some(most) = tx.game_preferences(player.id, game.name())?.most else { return Ok(()) };
    let active = tx.boards(Some(game.name()), Some(player.id), true)?.len();
    if active < most as usize {
        return Ok(());
    }
    let message = match most {
        0 => format!("{} takes no boards of {} at present.", player.userid, game.title()),
        _ => format!("{} takes at most {most} boards of {} at a time, and has them.", player.userid, game.title()),
    };
    refuse(request, &player.userid, message)
}

/// A player who looks for opponents has found one more.
fn found(tx: &mut dyn Transaction, game: &dyn Game, player: &Player) -> store::Result<()> {
    let mut wishes = tx.game_preferences(player.id, game.name())?;
    if wishes.seeks > 0 {
        wishes.seeks -= 1;
        tx.set_game_preferences(player.id, game.name(), &wishes)?;
    }
    Ok(())
}

/// An open challenge for a reader.
pub(in crate::service) fn offer_view(offer: &OpenChallenge) -> OfferView {
    OfferView {
        number: offer.number,
        game: offer.game.clone(),
        title: catalogue::find(&offer.game).map_or_else(|| offer.game.clone(), |game| game.title().to_owned()),
        options: offer.options.clone(),
        challenger: offer.challenger.userid.clone(),
        first: offer.seat == Seat::First,
        rated: offer.rated,
        nag_days: offer.limits.nag,
        forfeit_days: offer.limits.forfeit,
        total_days: offer.limits.total,
        comment: offer.comment.clone(),
        created_at: offer.created_at,
        closed: offer.closed_at.is_some(),
    }
}
