//! The handlers of the commands about events.

use super::advance::WEEK;
use super::boards::{NewEventBoard, Organizer};
use super::ladder::{Ladder, ONLY};
use super::views::seat_of;
use crate::clock::TimeControl;
use crate::command::{EventKind, EventPlan};
use crate::event::in_reach;
use crate::message;
use crate::rules::catalogue;
use crate::service::board::open::OpenBoard;
use crate::service::context::Context;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{BoardPlace, Event, NewEvent, Player, PlayerRef};

/// Days of thinking time on all moves of a board, if neither the event nor the server sets a limit. A limit is
/// necessary, because each edition must end.
const ALL_DAYS: u32 = 60;
/// The only edition of a ladder.
const LADDER_EDITION: u32 = 1;
/// The default maximum number of players of a division.
const DIVISION: u32 = 10;

impl<'t> Context<'_, 't> {
    pub(crate) fn new_event(&mut self, player: &Player, plan: &EventPlan) -> RequestResult<Response> {
        let policy = self.service.policy;
        let is_shell = matches!(self.request.from, Origin::Shell { .. });
        if !(is_shell || policy.player_events || policy.is_administrator(&player.userid)) {
            let rejection = self.rejection(&player.userid, message!("service.no-events-of-players"));
            return Err(rejection.because(Reason::NotYours).into());
        }
        self.check_new_name(&plan.name)?;
        if let Some(event) = self.tx.event(&plan.name)? {
            return self.refuse(&plan.name, message!("service.event-exists", name = event.what.name));
        }
        let game = catalogue::find(plan.game).expect("the parser knows only games of the catalogue");
        let options = policy.options(game, &plan.options);
        game.start(&options).map_err(|refusal| self.request.rejection_by_rules(refusal))?;
        let mut terms = self.completed(&plan.terms)?;
        let TimeControl { total, fischer, .. } = &mut terms.time_control;
        if *total == 0 && fischer.is_none() {
            *total = ALL_DAYS;
        }
        let new = NewEvent {
            name: plan.name.clone(),
            kind: plan.kind,
            game: game.name().to_owned(),
            options: options.to_string(),
            terms,
            size: plan.division.unwrap_or(DIVISION),
            twice: plan.twice,
            once: plan.once,
            created_at: self.now(),
        };
        let id = self.tx.add_event(&new, self.now() + WEEK)?;
        if new.kind == EventKind::Ladder {
            let event = Event { id, what: new, due_at: None };
            self.organizer(&event).open_edition(LADDER_EDITION, None)?;
        }
        let event = self.service.event_view(self.tx, &plan.name, None)?;
        Ok(Response::EventCreated { event: Box::new(event.expect("it was created just now")) })
    }

    /// Adds a player to an event.
    pub(crate) fn join_event(&mut self, player: &Player, name: &str) -> RequestResult<Response> {
        self.check_no_guest(player)?;
        let event = self.event_named(name)?;
        let editions = self.tx.editions(event.id)?;
        let running = editions.last().is_some_and(|edition| edition.ended_at.is_none());
        if event.due_at.is_none() || (running && event.what.once) {
            return self.refuse(name, message!("service.event-over", name = &event.what.name));
        }
        self.tx.join_event(event.id, player.id, self.request.now)?;
        let ladder = self.ladder(&event)?;
        let place = ladder.and_then(|ladder| ladder.place(player.id)).map(|at| at + 1);
        let players = self.tx.entrants(event.id)?.iter().filter(|of| !of.absent).count();
        let next_at = event.due_at.filter(|_| !running);
        let (userid, NewEvent { name, once, .. }) = (player.userid.clone(), event.what);
        Ok(Response::EventJoined { userid, name, next_at, players, place, once })
    }

    /// Removes a player from an event, and withdraws them from its current edition.
    pub(crate) fn leave_event(&mut self, player: &Player, name: &str) -> RequestResult<Response> {
        let event = self.event_named(name)?;
        if !self.tx.leave_event(event.id, player.id)? {
            return self.refuse(name, message!("service.not-in-event", name = &event.what.name));
        }
        let (mut playing, mut withdrawn) = (false, None);
        if let Some(edition) = self.tx.editions(event.id)?.last().filter(|edition| edition.ended_at.is_none()) {
            let boards = self.tx.event_boards(event.id, edition.number)?;
            playing = boards.iter().any(|board| board.ended_at.is_none() && seat_of(board, player.id).is_some());
            self.service.advance_event(self.tx, event.id, self.request.now)?;
            let participants = self.tx.participants(event.id, edition.number)?;
            withdrawn = participants.iter().find(|of| of.player.id == player.id).and_then(|of| of.withdrawn);
        }
        let (userid, NewEvent { name, kind, .. }) = (player.userid.clone(), event.what);
        Ok(Response::EventLeft { userid, name, kind, playing, withdrawn })
    }

    /// Updates a ladder from the latest results, and returns it; `None` if the event is not a ladder.
    fn ladder(&mut self, event: &Event) -> RequestResult<Option<Ladder>> {
        if event.what.kind != EventKind::Ladder {
            return Ok(None);
        }
        self.service.advance_event(self.tx, event.id, self.request.now)?;
        let edition = self.tx.editions(event.id)?.into_iter().next_back();
        Ok(edition.map(|edition| Ladder::read(self.tx, event, &edition)).transpose()?)
    }

    /// Challenges a player for their place in a ladder.
    pub(crate) fn challenge_in_event(
        &mut self,
        player: &Player,
        name: &str,
        opponent: &str,
    ) -> RequestResult<Response> {
        let event = self.event_named(name)?;
        let (name, kind) = (&event.what.name, event.what.kind);
        let Some(ladder) = self.ladder(&event)? else {
            return self.refuse(name, message!("service.not-a-ladder", name, kind = kind.name()));
        };
        let opponent = self.reading().active_player(opponent)?;
        let userid = &opponent.userid;
        if opponent.id == player.id {
            return self.refuse(userid, message!("service.not-yourself"));
        }
        let Some(own) = ladder.place(player.id) else {
            return self.refuse(name, message!("service.not-in-event", name));
        };
        let Some(theirs) = ladder.place(opponent.id) else {
            return self.refuse(userid, message!("service.other-not-in-event", name, userid));
        };
        let reach = in_reach(own);
        if !reach.contains(&theirs) {
            let (first, own, theirs) = (reach.start + 1, own + 1, theirs + 1);
            return self.refuse(userid, message!("service.out-of-reach", name, userid, first, own, theirs));
        }
        for of in [player, &opponent] {
            if let Some(board) = ladder.playing(of.id) {
                let (userid, is_own) = (&of.userid, of.id == player.id);
                let message = message!("service.playing-in-ladder", name, userid, is_own, number = board.number);
                return self.refuse(userid, message);
            }
        }
        let seats = [&opponent, player].map(|of| PlayerRef { id: of.id, userid: of.userid.clone() });
        let place = BoardPlace { division: ONLY, round: 1, slot: theirs as u32 + 1 };
        let comment = self.request.comment_text();
        let new = NewEventBoard { place, players: seats.each_ref(), comment };
        let number = self.organizer(&event).begin_event_board(LADDER_EDITION, new)?;
        let board = self.tx.board(number)?.expect("it was created just now");
        Ok(Response::Challenged { board: OpenBoard::open(self.tx, board, self.request.now)?.view(self.tx)? })
    }

    fn organizer<'a>(&'a mut self, event: &'a Event) -> Organizer<'a, 't> {
        Organizer { service: self.service, tx: self.tx, event, now: self.request.now }
    }

    fn event_named(&self, name: &str) -> RequestResult<Event> {
        match self.tx.event(name)? {
            Some(event) => Ok(event),
            None => {
                let rejection = self.rejection(name, message!("service.no-such-event", name));
                Err(rejection.because(Reason::NotThere).into())
            }
        }
    }

    pub(crate) fn show_event(&self, name: &str, edition: Option<u32>) -> RequestResult<Response> {
        match self.service.event_view(self.tx, name, edition)? {
            Some(event) => Ok(Response::EventShown { event: Box::new(event) }),
            None => {
                self.event_named(name)?;
                let edition = edition.unwrap_or_default();
                let message = message!("service.no-such-edition", name, edition);
                Err(self.rejection(&edition.to_string(), message).because(Reason::NotThere).into())
            }
        }
    }
}
