//! Reply tokens, which identify the player who answers and the boards that a message is about.
//!
//! A token is part of the address to which the message was sent (`turnpost+TOKEN@domain`). The Message-ID of an
//! answered letter also leads to the token of that letter. The token identifies the player and the board regardless of
//! `From`, because people answer from other addresses. It is rejected only if the message is from the confirmed address
//! of another player. A token is invalid if it is damaged, or belongs to another server or to no player.

use super::addressing::{Addressing, tags};
use super::signed_token::{Found, Signed, find};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{
    BoardEntry, BoardGrant, Confirmation, EventGrant, EventInLetter, MessageGrant, Notice, PuzzleNotice,
    asks_last_word, boards_in_letter, events_in_letter, message_writer, puzzles_in_letter, read_notices,
    writers_in_letter,
};
use crate::store::{self, OutboxId, Player, PlayerId, ProposalKind, Transaction};
use crate::token::{ConfirmationToken, LetterToken, Proposed, Token};

/// The maximum number of boards to list when the server asks a player which board they mean.
const MAX_WAITING: usize = 20;

/// The reply token of a message.
pub(crate) enum ReplyToken {
    Missing,
    /// The message seems to answer a letter, but it contains no valid token.
    Invalid,
    /// The token was issued to one player, and the sender's address is confirmed for another. A player who sees another
    /// player's token cannot use it.
    AnotherPlayers {
        board: BoardNumber,
    },
    /// The token is valid and was issued to this player.
    Valid(Box<BoardReply>),
    /// The message contains no token, but was sent with a chat program by a player with boards awaiting their move. The
    /// server can ask the player which board they mean.
    Unsaid(Box<BoardReply>),
    /// The token of a letter that passed on another player's message.
    OfMessage(Box<MessageReply>),
    /// The token of another letter without boards.
    OfLetter(Box<LetterReply>),
    /// The token of a letter that asks the owner of an address to confirm it.
    OfQuestion(Box<AskedOwner>),
}

/// The owner of an address, whom a letter asked to confirm it.
pub(crate) struct AskedOwner {
    pub(crate) address: String,
    pub(crate) asked: Confirmation,
}

/// The content of a letter, apart from its boards.
#[derive(Clone, Default)]
pub(crate) struct Content {
    /// Whether the letter asked its reader to confirm a message that may end a game.
    asks_last_word: bool,
    pub(crate) puzzles: Vec<PuzzleNotice>,
    pub(crate) events: Vec<EventInLetter>,
    /// The players whose messages the letter passed on.
    pub(crate) writers: Vec<String>,
    /// The writer of the letter's messages, if it contained nothing else.
    pub(crate) message_of: Option<String>,
}

/// A player who received a letter without boards, and the letter's content.
pub(crate) struct LetterReply {
    pub(crate) player: Player,
    pub(crate) content: Content,
}

/// A player who received a message, and the message's writer.
pub(crate) struct MessageReply {
    pub(crate) player: Player,
    pub(crate) writer: String,
}

impl ReplyToken {
    /// Returns the player to whom the token was issued, if the token proves who wrote the message.
    pub(crate) fn player(&self) -> Option<&Player> {
        match self {
            ReplyToken::Valid(answered) => Some(&answered.player),
            ReplyToken::OfMessage(of) => Some(&of.player),
            ReplyToken::OfLetter(of) => Some(&of.player),
            _ => None,
        }
    }

    /// Returns the permission to join or leave the events of the letter. A letter without boards grants it even if the
    /// letter has no events, because the permission includes the reader's own account.
    pub(crate) fn events_granted(&self) -> Option<EventGrant> {
        let (player, content) = match self {
            ReplyToken::Valid(answered) if !answered.content.events.is_empty() => (&answered.player, &answered.content),
            ReplyToken::OfLetter(of) => (&of.player, &of.content),
            _ => return None,
        };
        let events = content.events.iter().map(|event| event.name.clone()).collect();
        Some(EventGrant { userid: player.userid.clone(), events })
    }
}

impl MessageReply {
    pub(crate) fn granted(&self) -> MessageGrant {
        MessageGrant { userid: self.player.userid.clone(), writer: self.writer.clone() }
    }
}

/// A reply to a letter about boards: the player to whom its token was issued, and the boards of the letter.
#[derive(Clone)]
pub(crate) struct BoardReply {
    pub(crate) player: Player,
    /// The permission at the board to which a line without a board number refers.
    pub(crate) granted: BoardGrant,
    /// The catalogue name of that board's game.
    pub(crate) game: String,
    /// The boards of the letter on which the player plays or played, and its open challenges, by number. For a chat
    /// program, also the boards awaiting the player's move. If there are none, the boards that the player only follows.
    pub(crate) boards: Vec<LetterBoard>,
    /// Whether the player neither plays nor played on any board in `boards`, nor can accept it.
    pub(crate) follows: bool,
    /// The player's other boards that the message names, if the message is from their confirmed address. Also the
    /// letter's other boards, which the player only follows.
    pub(crate) others: Vec<LetterBoard>,
    pub(crate) content: Content,
}

/// A board or an open challenge that a letter was about, or another board of the player.
#[derive(Clone)]
pub(crate) struct LetterBoard {
    pub(crate) granted: BoardGrant,
    /// The catalogue name of the board's game.
    pub(crate) game: String,
    /// Whether the board now awaits a move of the token's player.
    pub(crate) waits: bool,
}

impl BoardReply {
    /// Creates a reply in which a line without a number refers to the first board that awaits the player's move, or by
    /// default to the first board. Returns `None` if there are no boards.
    fn new(player: Player, boards: Vec<LetterBoard>) -> Option<BoardReply> {
        let meant = boards.iter().find(|board| board.waits).or(boards.first())?;
        let (granted, game) = (meant.granted.clone(), meant.game.clone());
        Some(BoardReply {
            player,
            granted,
            game,
            boards,
            follows: false,
            others: Vec::new(),
            content: Content::default(),
        })
    }

    /// Creates the reply of a player who sent no token, about the boards awaiting their move.
    fn of_waiting(tx: &Transaction<'_>, player: Player) -> store::Result<Option<BoardReply>> {
        let mut boards = Vec::new();
        for number in tx.waiting_for(player.id)?.into_iter().take(MAX_WAITING) {
            boards.extend(LetterBoard::now(tx, &player, number)?);
        }
        Ok(BoardReply::new(player, boards))
    }

    /// Adds the player's boards with these numbers, except those that the letter is about.
    fn add_others(&mut self, tx: &Transaction<'_>, numbers: &[BoardNumber]) -> store::Result<()> {
        for number in numbers {
            if self.numbers().all(|known| known != *number) {
                self.others.extend(LetterBoard::now(tx, &self.player, *number)?);
            }
        }
        Ok(())
    }

    /// Returns the player's boards with these numbers to which the reply cannot refer, because they are not in the
    /// letter, and the sender's address is not confirmed or not verified.
    pub(crate) fn denied(&self, tx: &Transaction<'_>, numbers: &[BoardNumber]) -> store::Result<Vec<BoardNumber>> {
        let mut denied = Vec::new();
        for number in numbers {
            let is_known = self.boards.iter().chain(&self.others).any(|board| board.granted.board == *number);
            if !is_known && LetterBoard::now(tx, &self.player, *number)?.is_some() {
                denied.push(*number);
            }
        }
        Ok(denied)
    }

    /// Returns whether the letter was about several boards.
    pub(crate) fn is_of_several(&self) -> bool {
        self.boards.len() > 1
    }

    /// Returns whether a board of the letter awaits the player's move.
    pub(crate) fn awaits_move(&self) -> bool {
        self.boards.iter().any(|board| board.waits)
    }

    /// Returns whether a board of the letter awaits the player's move, or may have awaited it when the letter was
    /// composed.
    pub(crate) fn awaited_move(&self, tx: &Transaction<'_>) -> store::Result<bool> {
        for LetterBoard { granted, waits, .. } in &self.boards {
            let has_changed = tx.board(granted.board)?.is_some_and(|board| board.entries != granted.entry);
            if *waits || (has_changed && !self.follows) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a move without a board number is unambiguous.
    pub(crate) fn knows_where_to_move(&self) -> bool {
        !self.is_of_several() || self.boards.iter().filter(|board| board.waits).count() == 1
    }

    /// Returns a reply about this board only; `None` if neither the letter nor the message mentions that board.
    pub(crate) fn at(&self, number: BoardNumber) -> Option<BoardReply> {
        let mut known = self.boards.iter().chain(&self.others);
        let board = known.find(|board| board.granted.board == number)?.clone();
        BoardReply::new(self.player.clone(), vec![board])
    }

    /// Returns the numbers of the letter's boards.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = BoardNumber> {
        self.boards.iter().map(|board| board.granted.board)
    }
}

impl LetterBoard {
    /// Returns the current state of a player's board. Returns `None` unless the player plays or played on a board with
    /// this number.
    fn now(tx: &Transaction<'_>, player: &Player, number: BoardNumber) -> store::Result<Option<LetterBoard>> {
        let Some(board) = tx.board(number)? else { return Ok(None) };
        let waits = board.to_move.is_some_and(|to_move| board.players[to_move.index()].id == player.id);
        let seated = board.plays(player.id);
        let userid = player.userid.clone();
        // The letter showed no proposal at this board, so the reply cannot accept one.
        let granted = BoardGrant { userid, board: number, entry: board.entries, proposal: None, agreed: false };
        Ok(seated.then_some(LetterBoard { granted, game: board.game, waits }))
    }
}

/// Returns the boards of the letter that a message answers, regardless of its sender; `None` if the message contains no
/// token.
pub(crate) fn answered_boards(
    tx: &Transaction<'_>,
    addressing: &Addressing,
    own_address: &str,
) -> store::Result<Option<Vec<BoardNumber>>> {
    match find(tx, addressing, own_address)? {
        Found::Nothing | Found::NoToken => Ok(None),
        Found::Token(token) => {
            let letter = read_letter(tx, token)?;
            Ok(Some(letter.into_iter().flat_map(|(boards, _)| boards).map(|entry| entry.board).collect()))
        }
    }
}

/// Reads the token of a message from this sender.
pub(crate) fn reply_token(
    tx: &Transaction<'_>,
    addressing: &Addressing,
    sender: &str,
    own_address: &str,
) -> store::Result<ReplyToken> {
    let token = match find(tx, addressing, own_address)? {
        Found::Nothing => return Ok(ReplyToken::Missing),
        Found::NoToken => return Ok(ReplyToken::Invalid),
        Found::Token(Signed::Confirmation(token)) => {
            let asked = asked_owner(tx, token)?;
            return Ok(asked.map_or(ReplyToken::Invalid, |asked| ReplyToken::OfQuestion(Box::new(asked))));
        }
        Found::Token(token) => token,
    };
    let by_address = tx.player_by_address(sender)?;
    let (Signed::Board(Token { player, .. }) | Signed::Letter(LetterToken { player, .. })) = token else {
        return Ok(ReplyToken::Invalid);
    };
    let Some((entries, content)) = read_letter(tx, token)? else { return Ok(ReplyToken::Invalid) };
    let id = PlayerId(player.into());
    tx.read_ahead(|tx| drop((tx.player_by_id(id), tx.addresses(id), tx.waiting_for(id))))?;
    let player = tx.player_by_id(id)?.filter(|player| player.left_at.is_none());
    let Some(player) = player else { return Ok(ReplyToken::Invalid) };
    let is_anothers = by_address.is_some_and(|by| by.id != player.id);
    Ok(match (board_reply(tx, &player, entries, content.asks_last_word)?, content.message_of.clone()) {
        (Some(answered), _) if is_anothers => ReplyToken::AnotherPlayers { board: answered.granted.board },
        (Some(answered), _) => ReplyToken::Valid(Box::new(BoardReply { content, ..answered })),
        (None, _) if is_anothers || matches!(token, Signed::Board(_)) => ReplyToken::Invalid,
        (None, Some(writer)) => ReplyToken::OfMessage(Box::new(MessageReply { player, writer })),
        (None, None) => ReplyToken::OfLetter(Box::new(LetterReply { player, content })),
    })
}

/// If a message is from a confirmed address of the player, adds the other boards to which it can refer: the boards in
/// `names`, which occur in its text. If a chat program sent the message to an address that is not the reply address of
/// a letter, also adds all boards awaiting the player's move.
pub(crate) fn with_boards(
    tx: &Transaction<'_>,
    token: ReplyToken,
    sender: &str,
    addressing: &Addressing,
    own_address: &str,
    names: &[BoardNumber],
) -> store::Result<ReplyToken> {
    let of_chat = || addressing.is_chat && addressing.recipients.iter().all(|to| tags(to, own_address, "").is_empty());
    match token {
        ReplyToken::Missing if of_chat() => {
            let waiting = tx.player_by_address(sender)?.map(|player| BoardReply::of_waiting(tx, player)).transpose()?;
            Ok(waiting.flatten().map_or(ReplyToken::Missing, |answered| ReplyToken::Unsaid(Box::new(answered))))
        }
        // The answered letter is only the last one of the conversation. A puzzle in it is answered by a move.
        ReplyToken::OfLetter(of) if of.content.puzzles.is_empty() && of_chat() => {
            let player = tx.player_by_address(sender)?.filter(|player| player.id == of.player.id);
            let waiting = player.map(|player| BoardReply::of_waiting(tx, player)).transpose()?.flatten();
            let Some(mut answered) = waiting else { return Ok(ReplyToken::OfLetter(of)) };
            answered.add_others(tx, names)?;
            Ok(ReplyToken::Valid(Box::new(BoardReply { content: of.content, ..answered })))
        }
        ReplyToken::Valid(mut answered) if !names.is_empty() || of_chat() => {
            if tx.player_by_address(sender)?.is_none_or(|player| player.id != answered.player.id) {
                return Ok(ReplyToken::Valid(answered));
            }
            if of_chat() {
                let waiting = BoardReply::of_waiting(tx, answered.player.clone())?;
                let waiting = waiting.map_or_else(Vec::new, |all| all.boards);
                let known: Vec<BoardNumber> = answered.numbers().collect();
                let new: Vec<LetterBoard> =
                    waiting.into_iter().filter(|board| !known.contains(&board.granted.board)).collect();
                let follows = answered.follows && new.is_empty();
                let mut boards: Vec<LetterBoard> = answered.boards.iter().cloned().chain(new).collect();
                boards.sort_by_key(|board| board.granted.board);
                if let Some(wider) = BoardReply::new(answered.player.clone(), boards) {
                    let BoardReply { others, content, .. } = (*answered).clone();
                    *answered = BoardReply { follows, others, content, ..wider };
                }
            }
            answered.add_others(tx, names)?;
            Ok(ReplyToken::Valid(answered))
        }
        token => Ok(token),
    }
}

/// Returns the boards of a token's letter, in the state that the letter showed, and its other content; `None` if the
/// letter is no longer stored.
fn read_letter(tx: &Transaction<'_>, token: Signed) -> store::Result<Option<(Vec<BoardEntry>, Content)>> {
    match token {
        Signed::Board(Token { board, entry, proposal, .. }) => {
            let proposal = proposal.map(|proposal| match proposal {
                Proposed::Draw => ProposalKind::Draw,
                Proposed::Undo => ProposalKind::Undo,
                Proposed::Abandon => ProposalKind::Abandon,
            });
            Ok(Some((vec![BoardEntry { board, entry, proposal }], Content::default())))
        }
        Signed::Letter(LetterToken { letter, .. }) => {
            let rows = tx.letter(OutboxId(letter.into()))?;
            let notices = read_notices(&rows)?;
            let content = Content {
                asks_last_word: asks_last_word(&notices),
                puzzles: puzzles_in_letter(&notices),
                events: events_in_letter(&notices),
                writers: writers_in_letter(&notices),
                message_of: message_writer(&notices).map(str::to_owned),
            };
            Ok((!rows.is_empty()).then(|| (boards_in_letter(&notices), content)))
        }
        Signed::Confirmation(_) => Ok(None),
    }
}

/// Returns the reply of a player to a letter about these boards. `agreed` states whether the letter asked for
/// confirmation. Returns `None` if there are no boards.
fn board_reply(
    tx: &Transaction<'_>,
    player: &Player,
    entries: Vec<BoardEntry>,
    agreed: bool,
) -> store::Result<Option<BoardReply>> {
    let waiting = tx.waiting_for(player.id)?;
    let (mut boards, mut followed, mut follows) = (Vec::new(), Vec::new(), true);
    for BoardEntry { board: number, entry, proposal } in entries {
        let (board, challenge) = (tx.board(number)?, tx.open_challenge(number)?);
        let plays = board.as_ref().is_some_and(|board| board.plays(player.id));
        let can_act = plays || board.is_none();
        // The letter may have offered a challenge that was accepted since: the service explains this to the player.
        let is_answerable = can_act || (challenge.is_some() && entry == EntryNumber::START);
        let game = board.map(|board| board.game).or_else(|| challenge.map(|challenge| challenge.game));
        let Some(game) = game else { continue };
        follows &= !can_act;
        let userid = player.userid.clone();
        let granted = BoardGrant { userid, board: number, entry, proposal, agreed };
        let list = if is_answerable { &mut boards } else { &mut followed };
        list.push(LetterBoard { granted, game, waits: waiting.contains(&number) });
    }
    let (boards, others) = if boards.is_empty() { (followed, Vec::new()) } else { (boards, followed) };
    let answered = BoardReply::new(player.clone(), boards);
    Ok(answered.map(|answered| BoardReply { follows, others, ..answered }))
}

/// Returns the reply to a letter without boards as a reply about the player's board with this number, and about the
/// other boards of the player that the message names. The message must be from a confirmed address of the player.
pub(crate) fn about_board(
    tx: &Transaction<'_>,
    token: ReplyToken,
    sender: &str,
    number: BoardNumber,
    names: &[BoardNumber],
) -> store::Result<ReplyToken> {
    let by_address = tx.player_by_address(sender)?;
    let own = by_address.filter(|by| token.player().is_some_and(|player| player.id == by.id));
    let Some(player) = own else { return Ok(token) };
    let Some(board) = LetterBoard::now(tx, &player, number)? else { return Ok(token) };
    let Some(mut answered) = BoardReply::new(player, vec![board]) else { return Ok(token) };
    match token {
        ReplyToken::OfLetter(of) => answered.content = of.content,
        ReplyToken::OfMessage(of) => answered.content.message_of = Some(of.writer),
        _ => {}
    }
    answered.add_others(tx, names)?;
    Ok(ReplyToken::Valid(Box::new(answered)))
}

/// Returns the owner whom the letter with this token asked to confirm an address.
fn asked_owner(tx: &Transaction<'_>, token: ConfirmationToken) -> store::Result<Option<AskedOwner>> {
    let notices = tx.letter(OutboxId(token.letter.into()))?;
    let Some(leading) = notices.first() else { return Ok(None) };
    let Notice::Confirm(asked) = Notice::read(leading)? else { return Ok(None) };
    Ok(leading.address.clone().map(|address| AskedOwner { address, asked }))
}

/// Returns the owner whom an earlier version of this program asked to confirm an address. The subject of its letter
/// contained this userid and code.
pub(crate) fn owner_asked_earlier(tx: &Transaction<'_>, userid: &str, code: &str) -> store::Result<Option<AskedOwner>> {
    let Some(player) = tx.player(userid)? else { return Ok(None) };
    let awaited = tx.awaited_codes(player.id)?.into_iter().find(|awaited| awaited.code == code);
    let asked = Confirmation { userid: player.userid, code: code.to_owned(), owner: None, replied: None };
    Ok(awaited.map(|awaited| AskedOwner { address: awaited.address, asked }))
}
