//! Challenges, including open ones and invitations to them.

use serde::Serialize;

use super::clocks;
use super::find::{PlayerAtBoard, are_apart};
use super::open::OpenBoard;
use super::robots::is_kept_for_robots;
use super::view::{offer_view, own_offer_view, stored_view};
use super::views::OfferView;
use crate::clock::TimeControl;
use crate::command::{BoardAction, Dmarc, Terms};
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::{Game, Options, Seat, catalogue};
use crate::service::context::{Context, Service};
use crate::service::notice::facts::BoardEvent;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{
    self, Board, Channel, Comment, NewBoard, OpenChallenge, Player, PlayerId, PlayerRef, Transaction, genesis_hash,
};
use crate::token::Invitation;

/// A challenge from a command.
pub(crate) struct Challenge<'a> {
    pub(crate) game: &'static dyn Game,
    pub(crate) options: &'a Options,
    pub(crate) terms: &'a Terms<Option<u32>>,
    /// First seat, second seat; `None` for anyone.
    pub(crate) userids: &'a [Option<String>; 2],
}

/// The part of a challenge that does not depend on its players.
struct Agreed {
    number: Option<BoardNumber>,
    rematch_of: Option<BoardNumber>,
    game: &'static dyn Game,
    options: Options,
    terms: Terms,
}

struct BoardPlayers {
    seats: [Player; 2],
    challenger: Option<Player>,
    accepted: Option<OpenChallenge>,
}

impl Context<'_, '_> {
    pub(crate) fn challenge(&mut self, challenge: &Challenge<'_>) -> RequestResult<Response> {
        let Challenge { game, options: given, terms, userids } = *challenge;
        let options = &self.options_of_challenge(game, given, userids);
        let with_robot = self.invite_robots(game, options, userids)?;
        let named =
            |userid: &Option<String>| userid.as_ref().map(|userid| self.reading().active_player(userid)).transpose();
        let players = [named(&userids[0])?, named(&userids[1])?];
        // Refuse contradictory options before checking the challenger.
        game.start(options).map_err(|refusal| self.request.rejection_by_rules(refusal))?;
        let challenger = self.challenger(&players)?;
        if let (Some(challenger), false) = (&challenger, with_robot) {
            self.check_no_guest(challenger)?;
        }
        let mut terms = self.completed(terms)?;
        terms.flags.rated &= !with_robot;
        let agreed = Agreed { number: None, rematch_of: None, game, options: options.clone(), terms };
        if let Some(response) = self.challenged_again(&agreed, &players, challenger.as_ref())? {
            return Ok(response);
        }
        self.check_challenge(challenger.as_ref())?;
        match players {
            [Some(first), Some(second)] => self.invite(agreed, [first, second], challenger),
            [Some(owner), None] => self.create_open_challenge(agreed, owner, Seat::First),
            [None, Some(owner)] => self.create_open_challenge(agreed, owner, Seat::Second),
            [None, None] => unreachable!("the parser lets one of the two players be anyone"),
        }
    }

    /// Returns `given` as the options of a challenge or, if it is empty, the default options of the game. Omits the
    /// default options if one of the players is an external program that does not support options.
    fn options_of_challenge(&self, game: &dyn Game, given: &Options, userids: &[Option<String>; 2]) -> Options {
        let policy = self.service.policy;
        let mut engines = userids.iter().flatten().filter_map(|userid| policy.engine(userid));
        if engines.any(|engine| !engine.takes_options) { given.clone() } else { policy.options(game, given) }
    }

    /// Responds to a form that was sent twice, with the board or open challenge that the first copy created.
    fn challenged_again(
        &self,
        agreed: &Agreed,
        players: &[Option<Player>; 2],
        challenger: Option<&Player>,
    ) -> RequestResult<Option<Response>> {
        let Some(challenger) = challenger.filter(|_| self.via() == Channel::Web) else { return Ok(None) };
        let (game, options, terms) = (agreed.game.name(), agreed.options.to_string(), agreed.terms);
        let is_seated = |seat: Seat, id: PlayerId| players[seat.index()].as_ref().is_some_and(|player| player.id == id);
        if players.iter().all(Option::is_some) {
            let is_same = |board: &Board| {
                let are_seated = Seat::BOTH.into_iter().all(|seat| is_seated(seat, board.players[seat.index()].id));
                are_seated
                    && (board.options == options && board.terms == terms && board.rematch_of.is_none())
                    && board.challenger == Some(challenger.id)
                    && self.is_form_sent_twice(board.created_at)
            };
            for board in self.tx.boards(Some(game), Some(challenger.id), true)?.into_iter().filter(is_same) {
                if self.unsent_text(board.number, challenger)?.is_empty() {
                    let board = stored_view(&*self.tx, &board, self.now())?;
                    return Ok(Some(Response::Challenged { board }));
                }
            }
            return Ok(None);
        }
        let comment = Some(self.request.comment_text()).filter(|comment| !comment.is_empty());
        let is_same = |challenge: &OpenChallenge| {
            (challenge.challenger.id == challenger.id && is_seated(challenge.seat, challenger.id))
                && (challenge.options == options && challenge.terms == terms && challenge.comment == comment)
                && self.is_form_sent_twice(challenge.created_at)
        };
        let challenge = self.tx.open_challenges(Some(game))?.into_iter().find(is_same);
        let view = challenge.map(|challenge| own_offer_view(&*self.tx, &challenge)).transpose()?;
        Ok(view.map(|view| Response::Offered { offer: view }))
    }

    /// Completes the terms of a challenge or an event with the server's defaults. Refuses a given `nagtime` that is not
    /// less than the default `forfeittime`. The parser refuses one that is not less than a given `forfeittime`.
    pub(crate) fn completed(&self, given: &Terms<Option<u32>>) -> RequestResult<Terms> {
        let terms = given.or(self.service.policy.time_control());
        let TimeControl { nag, forfeit, .. } = terms.time_control;
        if given.time_control.nag.is_some() && (1..=nag).contains(&forfeit) {
            return self.refuse(&format!("--nagtime={nag}"), message!("service.late-reminder", nag, forfeit));
        }
        Ok(terms)
    }

    /// Refuses a challenger who has too many unanswered challenges.
    fn check_challenge(&self, challenger: Option<&Player>) -> RequestResult<()> {
        let Some(challenger) = challenger else { return Ok(()) };
        let most = self.service.policy.unanswered;
        if self.tx.unanswered(challenger.id)? >= most {
            return self.refuse("challenge", message!("service.too-many-challenges", most));
        }
        Ok(())
    }

    /// Creates a board with named players.
    fn invite(&mut self, agreed: Agreed, seats: [Player; 2], challenger: Option<Player>) -> RequestResult<Response> {
        match &challenger {
            // The shell pairs two players, neither of whom is the challenger, so check blocks in both directions.
            None => {
                self.check_unblocked(&seats[0], &seats[1])?;
                self.check_unblocked(&seats[1], &seats[0])?;
            }
            Some(challenger) => {
                let is_robot = |player: &Player| is_kept_for_robots(&player.userid);
                for invited in seats.iter().filter(|invited| invited.id != challenger.id && !is_robot(invited)) {
                    self.check_welcome(agreed.game, challenger, invited)?;
                }
            }
        }
        let invited = seats.iter().filter(|seat| challenger.as_ref().is_none_or(|challenger| challenger.id != seat.id));
        for invited in invited.clone() {
            self.check_limit(agreed.game, invited)?;
        }
        for invited in invited {
            self.count_opponent_found(agreed.game, invited.id)?;
        }
        self.begin(agreed, BoardPlayers { seats, challenger, accepted: None })
    }

    /// Creates the board of a rematch, with the terms of a finished board and swapped sides. The opponent plays or
    /// declines, as after a challenge.
    pub(crate) fn rematch(&mut self, at: &PlayerAtBoard) -> RequestResult<Response> {
        let board = at.board();
        if board.to_move.is_some() {
            return self.refuse_at(at, "rematch", message!("service.rematch-in-progress", number = board.number));
        }
        let later = self.tx.rematch(board.number)?.map(|number| self.tx.board(number)).transpose()?.flatten();
        if let Some(later) = later.filter(|later| later.to_move.is_some()) {
            if let Some(response) = self.rematched_again(at, &later)? {
                return Ok(response);
            }
            return self.refuse_at(at, "rematch", message!("service.rematch-exists", number = later.number));
        }
        let [first, second] = &board.players;
        let game = catalogue::find(&board.game).expect("the game of every board is in the catalogue");
        let seats = [self.reading().active_player(&second.userid)?, self.reading().active_player(&first.userid)?];
        self.check_challenge(Some(&at.player))?;
        let options = Options::from_canonical(&board.options);
        self.invite_robots(game, &options, &seats.clone().map(|player| Some(player.userid)))?;
        let agreed = Agreed { number: None, rematch_of: Some(board.number), game, options, terms: board.terms };
        self.invite(agreed, seats, Some(at.player.clone()))
    }

    /// Creates an open challenge whose creator takes this seat.
    fn create_open_challenge(&mut self, agreed: Agreed, owner: Player, seat: Seat) -> RequestResult<Response> {
        let mut challenge = OpenChallenge {
            number: BoardNumber(0),
            game: agreed.game.name().to_owned(),
            options: agreed.options.to_string(),
            terms: agreed.terms,
            challenger: PlayerRef { id: owner.id, userid: owner.userid },
            seat,
            comment: Some(self.request.comment_text()).filter(|comment| !comment.is_empty()),
            created_at: self.now(),
            closed_at: None,
        };
        challenge.number = self.tx.add_open_challenge(&challenge)?;
        Ok(Response::Offered { offer: own_offer_view(self.tx, &challenge)? })
    }

    /// Creates a board and notifies its players.
    fn begin(&mut self, agreed: Agreed, players: BoardPlayers) -> RequestResult<Response> {
        let Agreed { number, rematch_of, game, options, mut terms } = agreed;
        let BoardPlayers { seats: [first, second], challenger, accepted } = players;
        terms.flags.rated &= first.id != second.id;
        let start = game.start(&options).map_err(|refusal| self.request.rejection_by_rules(refusal))?;
        let options = options.to_string();
        let number = self.tx.add_board(&NewBoard {
            number,
            game: game.name().to_owned(),
            hash: genesis_hash(game.name(), &options, [&first.userid, &second.userid]),
            options,
            terms,
            players: [first.id, second.id],
            to_move: start.to_move().expect("somebody moves first"),
            challenger: challenger.as_ref().map(|challenger| challenger.id),
            rematch_of,
            created_at: self.now(),
        })?;
        if let Some(OpenChallenge {
            challenger: PlayerRef { id: player, .. },
            comment: Some(text),
            created_at: said_at,
            ..
        }) = accepted
        {
            self.tx.add_comment(&Comment { board: number, entry: EntryNumber::START, player, text, said_at })?;
        }
        let mut board = self.tx.board(number)?.expect("it was just created");
        // A comment from the shell is recorded as the first player's.
        self.record_comment(&board, challenger.as_ref().map_or(first.id, |challenger| challenger.id))?;
        clocks::start(self.tx, &mut board, self.request.now)?;
        let mut open = OpenBoard::open(self.tx, board, self.request.now)?;
        self.service.notify(self.tx, self.request, &mut open, BoardEvent::Challenge)?;
        Ok(Response::Challenged { board: open.view(self.tx)? })
    }

    /// Accepts an open challenge, or withdraws it if the player created it.
    pub(crate) fn act_on_challenge(
        &mut self,
        game: &str,
        challenge: OpenChallenge,
        player: &Player,
        action: &BoardAction,
    ) -> RequestResult<Response> {
        let number = challenge.number;
        let own = challenge.challenger.id == player.id;
        let is_private = challenge.terms.flags.private && !own;
        if are_apart(self.tx, player.id, &challenge)? || (is_private && !matches!(action, BoardAction::Accept(_))) {
            let rejection = self.rejection(&number.to_string(), message!("service.no-such-board", number));
            return Err(rejection.because(Reason::NotThere).into());
        }
        match action {
            BoardAction::Accept(Some(text))
                if is_private
                    && Invitation::verify(text, &self.tx.reply_key()?) != Some(Invitation { challenge: number }) =>
            {
                self.refuse("accept", message!("service.wrong-invitation", number))
            }
            BoardAction::Accept(None) if is_private => {
                self.refuse("accept", message!("service.needs-invitation", number))
            }
            _ if game != challenge.game => self.refuse(game, message!("service.number-of-another-game", number, game)),
            BoardAction::Decline | BoardAction::Resign if own => {
                self.tx.close_open_challenge(number, self.request.now)?;
                Ok(Response::Withdrawn { offer: offer_view(&challenge) })
            }
            BoardAction::Accept(_) if own => self.refuse("accept", message!("service.own-open-challenge")),
            BoardAction::Accept(_) => self.take(challenge, player),
            _ => {
                let message =
                    message!("service.open-challenge-not-taken", number, challenger = challenge.challenger.userid);
                self.refuse(&number.to_string(), message)
            }
        }
    }

    /// Creates the board of an open challenge that a player accepts.
    fn take(&mut self, challenge: OpenChallenge, player: &Player) -> RequestResult<Response> {
        let game = catalogue::find(&challenge.game).expect("open challenges have games of the catalogue");
        self.check_no_guest(player)?;
        self.check_limit(game, player)?;
        let owner = self.reading().active_player(&challenge.challenger.userid)?;
        self.tx.close_open_challenge(challenge.number, self.request.now)?;
        let seats = match challenge.seat {
            Seat::First => [owner, player.clone()],
            Seat::Second => [player.clone(), owner],
        };
        let agreed = Agreed {
            number: Some(challenge.number),
            rematch_of: None,
            game,
            options: Options::from_canonical(&challenge.options),
            terms: challenge.terms,
        };
        // The accepting player is treated as the challenger, because they cannot decline this board.
        self.begin(agreed, BoardPlayers { seats, challenger: Some(player.clone()), accepted: Some(challenge) })
    }

    /// Refuses to accept an open challenge that another player has accepted.
    pub(crate) fn check_not_taken(&self, game: &str, number: BoardNumber, player: &Player) -> RequestResult<()> {
        let board = self.reading().board(Some(game), number)?;
        if board.plays(player.id) || self.tx.open_challenge(number)?.is_none() {
            return Ok(());
        }
        let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
        self.refuse(&number.to_string(), message!("service.challenge-taken", number, first, second))
    }

    /// Returns the challenger, who must be one of the players; `None` for the local shell.
    fn challenger(&self, players: &[Option<Player>; 2]) -> RequestResult<Option<Player>> {
        let of = |id: PlayerId| players.iter().flatten().find(|player| player.id == id).cloned();
        let userids = || players.iter().flatten().map(|player| player.userid.clone()).collect::<Vec<_>>();
        match &self.request.from {
            Origin::Shell { .. } => Ok(None),
            Origin::Mail { sender, dmarc_passed, .. } => {
                match self.tx.player_by_address(sender)?.and_then(|owner| of(owner.id)) {
                    Some(owner) if owner.settings.dmarc == Dmarc::Required && !dmarc_passed => {
                        self.refuse("", message!("service.dmarc-required", userid = owner.userid))
                    }
                    Some(owner) => Ok(Some(owner)),
                    None => self.refuse("", message!("service.challenge-from-unknown-address", players = userids())),
                }
            }
            Origin::Visitor => self.refuse("", message!("service.challenge-of-visitor")),
            Origin::Known { userid, .. } => match of(self.reading().player(userid)?.id) {
                Some(player) => Ok(Some(player)),
                None => self.refuse("", message!("service.challenge-of-others", players = userids())),
            },
        }
    }

    /// Refuses another board of a game if the player already plays the maximum number that they set for it.
    fn check_limit(&self, game: &dyn Game, player: &Player) -> RequestResult<()> {
        let Some(most) = self.tx.game_preferences(player.id, game.name())?.most else { return Ok(()) };
        let active = self.tx.boards(Some(game.name()), Some(player.id), true)?.len();
        if active < most as usize {
            return Ok(());
        }
        let message = message!("service.player-takes-no-more", userid = &player.userid, most, game = game.title());
        self.refuse(&player.userid, message)
    }

    fn count_opponent_found(&mut self, game: &dyn Game, player: PlayerId) -> RequestResult<()> {
        let mut preferences = self.tx.game_preferences(player, game.name())?;
        if preferences.seeks > 0 {
            preferences.seeks -= 1;
            self.tx.set_game_preferences(player, game.name(), &preferences)?;
        }
        Ok(())
    }
}

/// The state of the challenge to which an invitation belongs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum InvitationView {
    /// The challenge can be accepted.
    Open {
        /// The challenge.
        offer: Box<OfferView>,
    },
    /// The challenge was accepted.
    Taken {
        /// The number of the resulting board.
        number: BoardNumber,
        /// Whether the reader plays on the board.
        plays: bool,
    },
    /// The creator withdrew the challenge, or a block hides it from the reader.
    Withdrawn,
}

impl Service<'_> {
    /// Returns the state of the challenge to which an invitation belongs, for a player or visitor; `None` if the text
    /// is not an invitation, or the challenge does not exist.
    ///
    /// # Errors
    /// If the store fails.
    pub fn invitation(
        &self,
        tx: &Transaction<'_>,
        text: &str,
        reader: Option<&Player>,
    ) -> store::Result<Option<InvitationView>> {
        let Some(Invitation { challenge: number }) = Invitation::verify(text, &tx.reply_key()?) else {
            return Ok(None);
        };
        let Some(challenge) = tx.open_challenge(number)? else { return Ok(None) };
        let plays = |board: &Board| reader.is_some_and(|reader| board.plays(reader.id));
        let is_hidden = reader.map_or(Ok(false), |reader| are_apart(tx, reader.id, &challenge))?;
        Ok(Some(match tx.board(number)? {
            Some(board) => InvitationView::Taken { number, plays: plays(&board) },
            None if challenge.closed_at.is_some() || is_hidden => InvitationView::Withdrawn,
            None => InvitationView::Open { offer: Box::new(offer_view(&challenge)) },
        }))
    }
}
