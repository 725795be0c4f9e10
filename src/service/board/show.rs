//! Shows single boards, lists of boards, records, previews and the help.

use super::find::{may_see_challenge, shown_to};
use super::record::record;
use super::replay::ReplayedBoard;
use super::robots::hint_for;
use super::view::{self, AsOf, board_view, own_offer_view};
use crate::command::{self, BoardFilter, BoardPosition, PreviewFrom, VerbSpec};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::catalogue;
use crate::service::context::ReadContext;
use crate::service::policy::Policy;
use crate::service::rejection::{RequestError, RequestResult};
use crate::service::response::Response;
use crate::store::{self, Board, BoardList, BoardsOf, Cursor, Player, ShownTo};
use crate::{message, text};

pub(crate) struct Preview<'a> {
    pub(crate) game: &'static str,
    pub(crate) from: &'a PreviewFrom,
    pub(crate) moves: &'a [String],
    pub(crate) plain: bool,
}

/// The maximum number of boards in a list.
const MOST_BOARDS: usize = 1_000;

impl ReadContext<'_> {
    pub(crate) fn show(&self, game: Option<&str>, positions: &[BoardPosition], plain: bool) -> RequestResult<Response> {
        let (mut boards, mut offers) = (Vec::new(), Vec::new());
        let asker = shown_to(self.tx, &self.request.from)?;
        let reader = match asker {
            ShownTo::Player(player) => self.tx.player_by_id(player)?,
            ShownTo::Everybody | ShownTo::Administrator => None,
        };
        for &BoardPosition { board: number, ply } in positions {
            let challenge = self.tx.open_challenge(number)?.filter(|challenge| challenge.closed_at.is_none());
            let challenge = challenge.filter(|challenge| game.is_none_or(|game| game == challenge.game));
            if let Some(challenge) = challenge
                && may_see_challenge(self.tx, asker, &challenge)?
            {
                offers.push(own_offer_view(self.tx, &challenge)?);
                continue;
            }
            let board = self.board(game, number)?;
            let as_of = ply.map_or(AsOf::Now, AsOf::Ply);
            let Some(mut view) = board_view(self.tx, number, as_of, None, plain)? else {
                return self.refuse_ply(&board, ply.unwrap_or_default());
            };
            if as_of == AsOf::Now {
                view::add_present(self.tx, &board, &mut view, self.request.now)?;
                if let Some(reader) = &reader {
                    view.hint = hint_for(self.tx, number, reader)?;
                }
            }
            view::hide_comments(self.tx, &board, asker, &mut view.comments)?;
            boards.push(view);
        }
        Ok(Response::Shown { boards, offers })
    }

    pub(crate) fn games(&self, game: Option<&str>, userids: &[String], filter: BoardFilter) -> RequestResult<Response> {
        let players = userids.iter().map(|userid| self.player(userid)).collect::<RequestResult<Vec<_>>>()?;
        let asker = shown_to(self.tx, &self.request.from)?;
        let mut found: Vec<Board> = Vec::new();
        if filter == BoardFilter::Next && !players.is_empty() {
            for player in &players {
                found.extend(self.waiting(game, player)?);
            }
        } else {
            let lists: Vec<BoardsOf<'_>> = match players.as_slice() {
                [] => game.map(BoardsOf::Game).into_iter().collect(),
                players => players.iter().map(|player| BoardsOf::Player(player.id, game)).collect(),
            };
            for of in lists {
                found.extend(self.newest(of, false, asker)?);
                if filter == BoardFilter::All {
                    found.extend(self.newest(of, true, asker)?);
                }
            }
        }
        found.sort_by_key(|board| board.number);
        found.dedup_by_key(|board| board.number);
        let older = found.len().saturating_sub(MOST_BOARDS);
        let boards = found[older..].iter().map(|board| view::row(self.tx, board)).collect::<store::Result<_>>()?;
        let mut offers = Vec::new();
        for challenge in self.tx.open_challenges(game)? {
            let is_asked_for = players.is_empty() || players.iter().any(|player| player.id == challenge.challenger.id);
            if is_asked_for && may_see_challenge(self.tx, asker, &challenge)? {
                offers.push(own_offer_view(self.tx, &challenge)?);
            }
        }
        let game = game.and_then(catalogue::find).map_or("", |game| game.title());
        Ok(Response::Games { game: game.to_owned(), boards, more: older > 0, offers })
    }

    /// Returns the newest boards of a list, and one more than shown if there are more.
    fn newest(&self, of: BoardsOf<'_>, over: bool, shown_to: ShownTo) -> store::Result<Vec<Board>> {
        self.tx.board_page(&BoardList { of, over, shown_to }, Cursor::Newest, MOST_BOARDS as u32 + 1)
    }

    /// Returns the boards on which it is a player's turn and that the requester may see, optionally only of one game.
    fn waiting(&self, game: Option<&str>, player: &Player) -> RequestResult<Vec<Board>> {
        let mut boards = Vec::new();
        for number in self.tx.waiting_for(player.id)? {
            let board = self.tx.board(number)?.filter(|board| game.is_none_or(|game| game == board.game));
            if let Some(board) = board
                && self.may_see(&board)?
            {
                boards.push(board);
            }
        }
        Ok(boards)
    }

    pub(crate) fn history(&self, game: &str, number: BoardNumber, json: bool) -> RequestResult<Response> {
        let board = self.board(Some(game), number)?;
        let mut record = record(self.tx, &board)?;
        let hidden = view::hidden_writers(self.tx, &board, shown_to(self.tx, &self.request.from)?)?;
        let mut board = board_view(self.tx, number, AsOf::Now, Some(EntryNumber::START), true)?
            .expect("the board was found just before");
        record.explain(&board.news);
        record.comments.retain(|comment| !hidden.contains(&comment.player));
        board.comments.retain(|comment| !hidden.contains(&comment.userid));
        Ok(Response::History { record, board, json })
    }

    pub(crate) fn preview(&self, preview: &Preview<'_>) -> RequestResult<Response> {
        let (number, mut replayed) = self.preview_start(preview)?;
        for text in preview.moves {
            if let Err(refusal) = replayed.try_move(text) {
                return Err(self.request.rejection_by_rules(refusal).at_board(replayed.view(preview.plain)).into());
            }
        }
        if matches!(preview.from, PreviewFrom::New(_)) {
            replayed.name_players_by_marks();
        }
        let mut board = replayed.view(preview.plain);
        board.number = number;
        Ok(Response::Previewed { board })
    }

    /// Returns the number and the position of the board from which a preview starts. A new game has the number 0.
    fn preview_start(&self, preview: &Preview<'_>) -> RequestResult<(BoardNumber, ReplayedBoard)> {
        let (number, ply) = match preview.from {
            PreviewFrom::New(options) => {
                let game = catalogue::find(preview.game).expect("the parser knows only games of the catalogue");
                let by_rules = |refusal| RequestError::from(self.request.rejection_by_rules(refusal));
                let mut board = ReplayedBoard::new(game, options.clone(), Default::default()).map_err(by_rules)?;
                board.name_players_by_marks();
                return Ok((BoardNumber(0), board));
            }
            PreviewFrom::Board(BoardPosition { board, ply }) => (*board, *ply),
        };
        let board = self.board(Some(preview.game), number)?;
        let ply = ply.unwrap_or(board.plies);
        if ply > board.plies {
            return self.refuse_ply(&board, ply);
        }
        Ok((number, ReplayedBoard::after_plies(&board, &self.tx.entries(number)?, ply)?))
    }
}

/// The help pages, in addition to one for each game.
pub const HELP_PAGES: &[&str] =
    &["overview", "commands", "mail", "plans", "clocks", "settings", "stop", "ratings", "puzzle", "events", "block"];

/// Returns the names of all help pages.
pub fn help_topics() -> Vec<&'static str> {
    HELP_PAGES.iter().copied().chain(catalogue::GAMES.iter().map(|game| game.name())).collect()
}

/// The help pages that explain verbs, each with its verbs. [`COMMANDS`] explains the other verbs.
const VERB_PAGES: [(&str, &[&str]); 8] = [
    ("overview", &["signup"]),
    ("plans", &["submit", "confirm", "queue", "if"]),
    ("clocks", &["vacation"]),
    ("settings", &["set"]),
    ("stop", &["unsubscribe", "signoff"]),
    ("ratings", &["standings"]),
    ("events", &["event", "join", "leave"]),
    ("block", &["unblock", "report"]),
];
const COMMANDS: &str = "commands";

/// Returns the help page with this name, or the page about a verb whose name contains this word; `None` if neither
/// exists.
pub fn help_page_about(topic: &str) -> Option<&'static str> {
    if let Some(page) = help_topics().into_iter().find(|page| *page == topic) {
        return Some(page);
    }
    let has_word = |spec: &&VerbSpec| spec.names().any(|name| name.split(' ').any(|word| word == topic));
    let verb = command::verbs().find(has_word)?.name.split(' ').next()?;
    Some(VERB_PAGES.iter().find(|(_, verbs)| verbs.contains(&verb)).map_or(COMMANDS, |(page, _)| page))
}

impl ReadContext<'_> {
    pub(crate) fn help(&self, topics: &[String], policy: &Policy) -> RequestResult<Response> {
        let names = help_topics();
        let page = |topic: &String| {
            if let Some(page) = help_page_about(topic) {
                return Ok(page.to_owned());
            }
            let verbs = command::verbs().flat_map(VerbSpec::names);
            let nearest = text::nearest(topic, names.iter().copied().chain(verbs));
            let nearest = nearest.or_else(|| catalogue::titled(topic)).or(Some(COMMANDS)).map(str::to_owned);
            let rejection = self.request.rejection(topic, message!("service.no-help", topic));
            Err(rejection.near(nearest).into())
        };
        let pages = topics.iter().map(page).collect::<RequestResult<Vec<_>>>()?;
        let pages = if pages.is_empty() { vec!["overview".to_owned()] } else { pages };
        let default = |page: &String| Some((page.clone(), policy.default_options.get(page.as_str())?.to_string()));
        Ok(Response::Help { default_options: pages.iter().filter_map(default).collect(), pages, text: None })
    }
}
