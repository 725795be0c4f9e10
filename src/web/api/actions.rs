//! A player's actions other than moves. Each endpoint runs one command of the command language; `POST /commands` runs
//! any command.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boards::{self, BoardAt};
use super::error::ApiError;
use super::request::ApiRequest;
use super::schemas::{GameOptions, ThinkingTime, Userid};
use crate::command::{self, BoardAction, Command, Flags, Password};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{OfferView, ProposalKind, Response};
use crate::text;

/// A new challenge.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewChallenge {
    /// The userid of the opponent; `null` makes an open challenge, which anyone can accept.
    #[serde(default)]
    opponent: Option<Userid>,
    /// Whether the challenger moves first.
    #[serde(default = "yes")]
    first: bool,
    /// The game's options, as on a board: `-size=9`. The default is this server's.
    #[serde(default)]
    options: GameOptions,
    /// The thinking time.
    #[serde(flatten)]
    time: ThinkingTime,
    /// Whether the result changes ratings, and who can see the board.
    #[serde(flatten)]
    flags: Flags,
    /// A comment on the challenge.
    #[serde(default)]
    say: Option<String>,
}

pub(crate) fn yes() -> bool {
    true
}

/// A board or an open challenge. An accepted challenge becomes a board with the same number.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BoardOrOffer {
    /// The number of the board or challenge.
    number: BoardNumber,
    /// The board; `null` for an open challenge.
    board: Option<BoardAt>,
    /// The open challenge; `null` for a board.
    offer: Option<OfferView>,
}

impl BoardOrOffer {
    /// Converts the service's answer to the board or open challenge that it contains.
    fn of(request: &mut ApiRequest<'_>, response: Response) -> Result<BoardOrOffer, ApiError> {
        match response {
            Response::Challenged { board } | Response::Declined { board, .. } => {
                let board = boards::present_board(request, board.number)?;
                Ok(BoardOrOffer { number: board.number(), board: Some(board), offer: None })
            }
            Response::Offered { offer } | Response::Withdrawn { offer } => {
                Ok(BoardOrOffer { number: offer.number, board: None, offer: Some(offer) })
            }
            other => Err(unexpected(&other)),
        }
    }
}

/// `POST /games/GAME/boards`
pub(crate) fn challenge(request: &mut ApiRequest<'_>, new: NewChallenge) -> Result<BoardOrOffer, ApiError> {
    let (player, game) = (request.player()?, request.game()?);
    let mut words = vec![game.name().to_owned(), "challenge".to_owned()];
    words.extend(new.options.words().map(str::to_owned));
    words.extend(new.time.terms(new.flags));
    let opponent = new.opponent.map_or_else(|| "anyone".to_owned(), String::from);
    words.extend(if new.first { [player.userid, opponent] } else { [opponent, player.userid] });
    let line = request.understood(command::parse_words(&words))?;
    let response = request.run(line, new.say)?;
    BoardOrOffer::of(request, response)
}

/// `GET /offers/N`
pub(crate) fn offer(request: &mut ApiRequest<'_>) -> Result<OfferView, ApiError> {
    let number = request.parameters.board_number()?;
    match request.run_words(&["show", &number.to_string()])? {
        Response::Shown { mut offers, .. } if offers.len() == 1 => Ok(offers.remove(0)),
        _ => Err(ApiError::not_there(message!("web.no-open-challenge", number))),
    }
}

/// An optional comment.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saying {
    /// The comment.
    #[serde(default)]
    say: Option<String>,
}

/// The body of a request to accept an open challenge.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Acceptance {
    /// The code of the invitation to a private challenge.
    #[serde(default)]
    invitation: Option<String>,
    /// A comment.
    #[serde(default)]
    say: Option<String>,
}

/// A new comment.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewComment {
    /// The comment.
    #[schemars(length(min = 1))]
    say: String,
}

/// A proposal to make, accept or reject.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalOf {
    /// A draw, an undo of the proposer's last move, or an end without a result.
    kind: ProposalKind,
    /// A comment on the proposal.
    #[serde(default)]
    say: Option<String>,
}

/// `POST /boards/N/accept`
pub(crate) fn accept(request: &mut ApiRequest<'_>, body: Acceptance) -> Result<BoardAt, ApiError> {
    let (number, player) = (request.parameters.board_number()?, request.player()?);
    // This endpoint must not accept a proposal by mistake.
    if request.read(|service, tx| service.is_board_of(tx, number, player.id))? {
        return Err(ApiError::conflict(message!("web.accepts-challenges", number)));
    }
    at_board(request, BoardAction::Accept(body.invitation), body.say)
}

/// `POST /boards/N/decline`
pub(crate) fn decline(request: &mut ApiRequest<'_>, body: Saying) -> Result<BoardOrOffer, ApiError> {
    let line = request.board_line(BoardAction::Decline)?;
    let response = request.run(line, body.say)?;
    BoardOrOffer::of(request, response)
}

/// `POST /boards/N/resign`
pub(crate) fn resign(request: &mut ApiRequest<'_>, body: Saying) -> Result<BoardAt, ApiError> {
    let (number, from) = (request.parameters.board_number()?, request.origin());
    if request.read(|service, tx| service.shows_open_challenge(tx, &from, number))? {
        return Err(ApiError::conflict(message!("web.is-open-challenge", number)));
    }
    at_board(request, BoardAction::Resign, body.say)
}

/// `POST /boards/N/rematch`
pub(crate) fn rematch(request: &mut ApiRequest<'_>, body: Saying) -> Result<BoardAt, ApiError> {
    let line = request.board_line(BoardAction::Rematch)?;
    match request.run(line, body.say)? {
        Response::Challenged { board } => boards::present_board(request, board.number),
        other => Err(unexpected(&other)),
    }
}

/// `POST /boards/N/chat`
pub(crate) fn chat(request: &mut ApiRequest<'_>, body: NewComment) -> Result<BoardAt, ApiError> {
    at_board(request, BoardAction::Chat, Some(body.say))
}

/// `POST /boards/N/proposal`
pub(crate) fn propose(request: &mut ApiRequest<'_>, body: ProposalOf) -> Result<BoardAt, ApiError> {
    let action = match body.kind {
        ProposalKind::Draw => BoardAction::Propose,
        ProposalKind::Undo => BoardAction::Undo,
        ProposalKind::Abandon => BoardAction::Abandon,
    };
    at_board(request, action, body.say)
}

/// `POST /boards/N/proposal/accept`
pub(crate) fn accept_proposal(request: &mut ApiRequest<'_>, body: ProposalOf) -> Result<BoardAt, ApiError> {
    answer_proposal(request, BoardAction::Accept(None), body)
}

/// `POST /boards/N/proposal/reject`
pub(crate) fn reject_proposal(request: &mut ApiRequest<'_>, body: ProposalOf) -> Result<BoardAt, ApiError> {
    answer_proposal(request, BoardAction::Reject, body)
}

/// Answers the open proposal if it has the kind that the client names.
fn answer_proposal(request: &mut ApiRequest<'_>, action: BoardAction, body: ProposalOf) -> Result<BoardAt, ApiError> {
    // A client without access to the board must not learn about its proposals.
    let (number, _) = request.board()?;
    let line = request.board_line(action)?;
    request.run_unless(line, body.say, |service, tx| {
        let other = service.open_proposal(tx, number)?.is_some_and(|open| open != body.kind);
        Ok(other.then(|| message!("web.another-proposal", kind = text::word(&body.kind))))
    })?;
    boards::present(request)
}

/// Runs an action on the board; returns the resulting board.
fn at_board(request: &mut ApiRequest<'_>, action: BoardAction, say: Option<String>) -> Result<BoardAt, ApiError> {
    let line = request.board_line(action)?;
    request.run(line, say)?;
    boards::present(request)
}

pub(crate) fn unexpected(response: &Response) -> ApiError {
    anyhow::anyhow!("unexpected answer: {response:?}").into()
}

/// A line to run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLine {
    /// The line, as in a message: `marque resign 12 alice -`. Write `-` as the password; the token authenticates the
    /// player.
    #[schemars(length(min = 1), regex(pattern = r"^[^\n]*$"))]
    line: String,
    /// The text that accompanies the line: a comment, a message or a note.
    say: Option<String>,
}

/// `POST /commands`
pub(crate) fn run(request: &mut ApiRequest<'_>, new: NewLine) -> Result<Response, ApiError> {
    if new.line.contains('\n') {
        return Err(ApiError::malformed(message!("web.one-line")));
    }
    let line = request.understood(command::parse(&new.line))?;
    if request.player.is_none() && line.command.changes() {
        return Err(ApiError::unauthenticated(message!("web.token-needed-to-change")));
    }
    // Require the current password, so that a person with a stolen token cannot lock out the player.
    if let Command::ChangePassword { current: Password::FromContext, .. } = line.command {
        return Err(ApiError::unauthenticated(message!("web.password-needed-to-change-it")));
    }
    let response = request.run(line, new.say)?;
    Ok(request.site.composer.response_for_program(response)?)
}
