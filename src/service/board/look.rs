//! Looking: nothing here changes anything.

use crate::command::{BoardFilter, PreviewFrom};
use crate::rules::catalogue;
use crate::store::{self, Board, Player, Seat, ShownTo, Standing, Tally, Transaction};
use crate::text;

use crate::service::board::challenge::offer_view;
use crate::service::board::clocks;
use crate::service::board::record::record;
use crate::service::board::view::{self, Moment, Table, board_view};
use crate::service::board::views::{BoardRow, GameRow, PlayerRow, StandingRow};
use crate::service::notice::notices;
use crate::service::{Origin, Reason, Request, RequestResult, Response, refusal, refuse, refused_by_rules};

/// The pages of the help, beside one for each game.
pub const HELP_PAGES: &[&str] = &["overview", "commands", "mail", "plans", "clocks", "settings", "ratings"];

/// What a player wrote, as it is kept: at most 2,000 characters, without blanks at the ends of its lines.
pub(in crate::service) fn clean(text: &str) -> String {
    let text: String = text::lines(text).chars().take(2_000).collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The player of this userid.
pub(in crate::service) fn player(tx: &dyn Transaction, request: &Request, userid: &str) -> RequestResult<Player> {
    if let Some(player) = tx.player(userid)? {
        return Ok(player);
    }
    let players = tx.players()?;
    let nearest = text::nearest(userid, players.iter().map(|player| player.userid.as_str())).map(str::to_owned);
    Err(refusal(request, userid, format!("There is no player \"{userid}\"."), nearest).of(Reason::NotThere))
}

/// The player of this userid, who has not left.
pub(in crate::service) fn active_player(
    tx: &dyn Transaction,
    request: &Request,
    userid: &str,
) -> RequestResult<Player> {
    let player = player(tx, request, userid)?;
    match player.left_at {
        None => Ok(player),
        Some(_) => refuse(request, userid, format!("{} has left this server.", player.userid)),
    }
}

/// Whose private boards who asks may see. A mail's `From` is enough: the answer goes to that address, and whoever forged
/// it does not read it.
pub(in crate::service) fn shown_to(tx: &dyn Transaction, from: &Origin) -> store::Result<ShownTo> {
    let asker = match from {
        Origin::Shell { .. } => return Ok(ShownTo::Administrator),
        // The answer goes to whom the token was given, whatever the `From` says.
        Origin::Mail { token: Some(granted), .. } => tx.player(&granted.userid)?,
        Origin::Mail { sender, .. } => tx.player_by_address(sender)?,
        Origin::Visitor => None,
        Origin::Known { userid, .. } => tx.player(userid)?,
    };
    Ok(asker.map_or(ShownTo::Everybody, |asker| ShownTo::Player(asker.id)))
}

pub(in crate::service) fn may_see(tx: &dyn Transaction, from: &Origin, board: &Board) -> store::Result<bool> {
    if !board.private {
        return Ok(true);
    }
    Ok(match shown_to(tx, from)? {
        ShownTo::Everybody => false,
        ShownTo::Player(asker) => board.players.iter().any(|seated| seated.id == asker),
        ShownTo::Administrator => true,
    })
}

/// The board of this number, of this game if one is named, which who asks may see.
pub(in crate::service) fn board(
    tx: &dyn Transaction,
    request: &Request,
    game: Option<&str>,
    number: u32,
) -> RequestResult<Board> {
    let word = number.to_string();
    if let Some(offer) = tx.open_challenge(number)?.filter(|offer| offer.closed_at.is_none()) {
        let message = format!("Number {number} is an open challenge of {}.", offer.challenger.userid);
        return Err(refusal(request, &word, message, None).of(Reason::NotThere));
    }
    let Some(board) = tx.board(number)? else {
        return Err(refusal(request, &word, format!("There is no board {number}."), None).of(Reason::NotThere));
    };
    if let Some(game) = game.filter(|game| *game != board.game) {
        let nearest = Some(format!("{} board {number}", board.game));
        return Err(refusal(request, game, format!("Board {number} is not a game of {game}."), nearest));
    }
    if !may_see(tx, &request.from, &board)? {
        return Err(refusal(request, &word, format!("Board {number} is private."), None).of(Reason::NotYours));
    }
    Ok(board)
}

pub(in crate::service) fn show(
    tx: &dyn Transaction,
    request: &Request,
    game: Option<&str>,
    numbers: &[(u32, Option<u32>)],
    plain: bool,
) -> RequestResult<Response> {
    let (mut boards, mut offers) = (Vec::new(), Vec::new());
    for (number, ply) in numbers {
        let offer = tx.open_challenge(*number)?.filter(|offer| offer.closed_at.is_none());
        if let Some(offer) = offer.filter(|offer| game.is_none_or(|game| game == offer.game)) {
            offers.push(offer_view(&offer));
            continue;
        }
        let found = board(tx, request, game, *number)?;
        let moment = ply.map_or(Moment::Now, Moment::Ply);
        let Some(mut view) = board_view(tx, *number, moment, None, plain)? else {
            let word = format!("{number}#{}", ply.unwrap_or_default());
            let message = format!("Board {number} has {} moves so far.", found.plies);
            return Err(refusal(request, &word, message, None).of(Reason::NotThere));
        };
        if moment == Moment::Now {
            view.clock = clocks::view(tx, &found, request.now)?;
            view.proposal = notices::proposal(&found);
        }
        boards.push(view);
    }
    Ok(Response::Shown { boards, offers })
}

/// Whether a list that shows `which` has this board; `next` means boards that wait for one of these players.
fn listed(board: &Board, which: BoardFilter, players: &[Player]) -> bool {
    match which {
        BoardFilter::All => true,
        BoardFilter::Active => board.to_move.is_some(),
        BoardFilter::Next => board.to_move.is_some_and(|seat| {
            let waits_for = board.players[seat.index()].id;
            players.is_empty() || players.iter().any(|player| player.id == waits_for)
        }),
    }
}

pub(in crate::service) fn games(
    tx: &dyn Transaction,
    request: &Request,
    game: Option<&str>,
    userids: &[String],
    which: BoardFilter,
) -> RequestResult<Response> {
    let players = userids.iter().map(|userid| player(tx, request, userid)).collect::<RequestResult<Vec<_>>>()?;
    let mut found: Vec<Board> = Vec::new();
    let active_only = which != BoardFilter::All;
    if players.is_empty() {
        found = tx.boards(game, None, active_only)?;
    }
    for player in &players {
        found.extend(tx.boards(game, Some(player.id), active_only)?);
    }
    found.retain(|board| listed(board, which, &players));
    found.sort_by_key(|board| board.number);
    found.dedup_by_key(|board| board.number);
    let mut boards: Vec<BoardRow> = Vec::new();
    for board in found {
        if may_see(tx, &request.from, &board)? {
            boards.push(view::row(tx, &board)?);
        }
    }
    let mut offers = tx.open_challenges(game)?;
    offers.retain(|offer| players.is_empty() || players.iter().any(|player| player.id == offer.challenger.id));
    let offers = offers.iter().map(offer_view).collect();
    let game = game.and_then(catalogue::find).map_or("", |game| game.title());
    Ok(Response::Games { game: game.to_owned(), boards, offers })
}

pub(in crate::service) fn history(
    tx: &dyn Transaction,
    request: &Request,
    game: &str,
    number: u32,
    json: bool,
) -> RequestResult<Response> {
    let board = board(tx, request, Some(game), number)?;
    let record = record(tx, &board)?;
    let board = board_view(tx, number, Moment::Now, Some(0), true)?.expect("the board was found just before");
    Ok(Response::History { record, board, json })
}

pub(in crate::service) fn preview(
    tx: &dyn Transaction,
    request: &Request,
    game: &'static str,
    from: &PreviewFrom,
    moves: &[String],
    plain: bool,
) -> RequestResult<Response> {
    let (number, mut table) = match from {
        PreviewFrom::New(options) => {
            let game = catalogue::find(game).expect("the parser knows the catalogue's games only");
            let sides = game.start(options).map_err(|refusal| refused_by_rules(request, refusal, None))?;
            // Nobody plays it, so its players are called what their pieces are.
            let names = Seat::BOTH.map(|seat| sides.side(seat).to_owned());
            let table = Table::new(game, options.clone(), names);
            (0, table.map_err(|refusal| refused_by_rules(request, refusal, None))?)
        }
        PreviewFrom::Board(number, ply) => {
            let board = board(tx, request, Some(game), *number)?;
            let ply = ply.unwrap_or(board.plies);
            if ply > board.plies {
                let message = format!("Board {number} has {} moves so far.", board.plies);
                return Err(refusal(request, &format!("{number}#{ply}"), message, None).of(Reason::NotThere));
            }
            let entries = tx.entries(*number)?;
            let line = view::standing(&entries);
            (*number, Table::after(&board, line.into_iter().take(ply as usize))?)
        }
    };
    for text in moves {
        if let Err(refusal) = table.play(text) {
            return Err(refused_by_rules(request, refusal, Some(table.view(plain))));
        }
    }
    if matches!(from, PreviewFrom::New(_)) {
        table.name_by_sides();
    }
    let mut board = table.view(plain);
    board.number = number;
    Ok(Response::Previewed { board })
}

fn player_row(tx: &dyn Transaction, request: &Request, player: &Player) -> RequestResult<PlayerRow> {
    let vacation = tx.vacations(player.id)?.into_iter();
    let present = vacation.filter(|span| span.from <= request.now && request.now < span.until).map(|span| span.until);
    let Tally { active, next, finished } = tx.tally(player.id)?;
    Ok(PlayerRow {
        userid: player.userid.clone(),
        since: player.created_at,
        active: active as usize,
        next: next as usize,
        finished: finished as usize,
        vacation_until: present.max(),
        left_at: player.left_at,
        standings: tx.standings_of(player.id)?.iter().map(standing_row).collect(),
    })
}

pub(in crate::service) fn standing_row(standing: &Standing) -> StandingRow {
    let game = catalogue::find(&standing.game).map_or(standing.game.as_str(), |game| game.title());
    StandingRow {
        game: game.to_owned(),
        userid: standing.player.userid.clone(),
        rating: standing.rating.rating.round() as i64,
        deviation: standing.rating.deviation.round() as i64,
        provisional: standing.rating.provisional(),
        games: standing.wins + standing.losses + standing.draws,
        wins: standing.wins,
        losses: standing.losses,
        draws: standing.draws,
    }
}

/// How strong the players of a game are, without those who have left.
pub(in crate::service) fn standings(tx: &dyn Transaction, game: &'static str) -> RequestResult<Response> {
    let mut rows = Vec::new();
    for standing in tx.standings(game)? {
        if tx.player_by_id(standing.player.id)?.is_some_and(|player| player.left_at.is_none()) {
            rows.push(standing_row(&standing));
        }
    }
    let seekers = tx.seekers(game)?.into_iter().map(|seeker| (seeker.player.userid, seeker.seeks)).collect();
    let title = catalogue::find(game).map_or(game, |game| game.title());
    Ok(Response::Standings { game: title.to_owned(), rows, seekers })
}

pub(in crate::service) fn players(
    tx: &dyn Transaction,
    request: &Request,
    userids: &[String],
) -> RequestResult<Response> {
    let rows = userids.iter().map(|userid| player_row(tx, request, &player(tx, request, userid)?));
    Ok(Response::Players { players: rows.collect::<RequestResult<_>>()? })
}

/// These games; all, when none is named.
pub(in crate::service) fn game_rows(tx: &dyn Transaction, names: &[&'static str]) -> store::Result<Vec<GameRow>> {
    let mut games = Vec::new();
    for game in catalogue::GAMES.iter().filter(|game| names.is_empty() || names.contains(&game.name())) {
        games.push(GameRow {
            name: game.name().to_owned(),
            title: game.title().to_owned(),
            designer: game.designer().to_owned(),
            options: game.options().iter().map(|option| format!("-{}", option.name)).collect(),
            active: tx.boards(Some(game.name()), None, true)?.len(),
            offers: tx.open_challenges(Some(game.name()))?.len(),
        });
    }
    Ok(games)
}

pub(in crate::service) fn list(
    tx: &dyn Transaction,
    request: &Request,
    names: &[&'static str],
) -> RequestResult<Response> {
    let games = game_rows(tx, names)?;
    let players = tx.players()?;
    let players = players.iter().filter(|player| player.left_at.is_none());
    let players = players.map(|player| player_row(tx, request, player)).collect::<RequestResult<_>>()?;
    Ok(Response::Listed { games, players })
}

/// What there is help on.
pub fn help_topics() -> Vec<&'static str> {
    HELP_PAGES.iter().copied().chain(catalogue::GAMES.iter().map(|game| game.name())).collect()
}

pub(in crate::service) fn help(request: &Request, topics: &[String]) -> RequestResult<Response> {
    let names = help_topics();
    let page = |topic: &String| {
        if names.contains(&topic.as_str()) {
            return Ok(topic.clone());
        }
        let nearest = text::nearest(topic, names.iter().copied()).or(Some("commands")).map(str::to_owned);
        Err(refusal(request, topic, format!("There is no help on \"{topic}\"."), nearest))
    };
    let pages = topics.iter().map(page).collect::<RequestResult<Vec<_>>>()?;
    Ok(Response::Help { pages: if pages.is_empty() { vec!["overview".to_owned()] } else { pages } })
}
