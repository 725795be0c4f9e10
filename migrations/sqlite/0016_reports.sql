-- Views that answer an administrator's questions. The lists of `turnpost admin` are read from them too.

DROP VIEW incoming_mail;

-- Mail that arrived, whose it was, and what became of it: with the reason of every refusal, and what it did.
CREATE VIEW incoming_mail AS
SELECT i.id,
       i.received_at AS received,
       i.via,
       i.sender,
       -- Who moved by it, or else who was known by a reply token, or else whose address it is.
       coalesce(
           (SELECT p.userid FROM effects e JOIN moves m ON m.board = e.board AND m.entry = e.item AND m.via = 'mail'
            JOIN seats s ON s.board = m.board AND s.seat = m.seat JOIN players p ON p.id = s.player
            WHERE e.mail = i.id AND e.kind = 'entry' ORDER BY e.id LIMIT 1),
           (SELECT p.userid FROM players p WHERE p.id = i.author),
           (SELECT p.userid FROM addresses a JOIN players p ON p.id = a.player
            WHERE a.address = i.sender AND a.confirmed_at IS NOT NULL)
       ) AS player,
       coalesce(i.verdict, 'waits') AS verdict,
       i.commands,
       i.reason || coalesce(' ' || (SELECT group_concat(why, ' ') FROM (
           SELECT CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason AS why
           FROM refusals r WHERE r.mail = i.id ORDER BY r.id)), '') AS reason,
       (SELECT group_concat(what, '; ') FROM (
           SELECT CASE e.kind
                      WHEN 'board' THEN 'board ' || e.board
                      WHEN 'entry' THEN 'board ' || e.board || ' entry ' || e.item
                      WHEN 'comment' THEN 'board ' || e.board || ' comment'
                      WHEN 'proposal' THEN 'board ' || e.board || ' proposal'
                      WHEN 'answer' THEN 'board ' || e.board || ' answer to a proposal'
                      ELSE 'letter ' || coalesce(o.letter, o.id) || ' to ' || coalesce(p.userid, o.address)
                  END AS what
           FROM effects e
           LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
           LEFT JOIN players p ON p.id = o.player
           WHERE e.mail = i.id ORDER BY e.id)) AS effects,
       i.attempts,
       i.closed_at AS dealt_with
FROM inbox i;

-- What each mail did, one row for each effect, and why what it asked for was refused.
CREATE VIEW mail_effects AS
SELECT mail, received, player, sender, effect, board, entry, what, letter
FROM (
    SELECT i.id AS mail, i.received, i.player, i.sender,
           CASE e.kind WHEN 'entry' THEN m.kind WHEN 'notice' THEN 'letter'
                       WHEN 'proposal' THEN 'proposal' WHEN 'answer' THEN coalesce(r.answer, 'answer') ELSE e.kind
           END AS effect,
           e.board,
           CASE e.kind WHEN 'entry' THEN e.item WHEN 'comment' THEN c.entry WHEN 'notice' THEN o.entry
                       WHEN 'board' THEN NULL ELSE r.entry
           END AS entry,
           CASE e.kind WHEN 'board' THEN (SELECT g.game FROM boards g WHERE g.number = e.board)
                       WHEN 'entry' THEN m.text WHEN 'comment' THEN c.text
                       WHEN 'notice' THEN o.kind || ' to ' || coalesce(p.userid, o.address) ELSE r.kind
           END AS what,
           CASE e.kind WHEN 'notice' THEN coalesce(o.letter, o.id) END AS letter,
           1 AS rank, e.id AS number
    FROM effects e
    JOIN incoming_mail i ON i.id = e.mail
    LEFT JOIN moves m ON e.kind = 'entry' AND m.board = e.board AND m.entry = e.item
    LEFT JOIN comments c ON e.kind = 'comment' AND c.id = e.item
    LEFT JOIN proposals r ON e.kind IN ('proposal', 'answer') AND r.id = e.item
    LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
    LEFT JOIN players p ON p.id = o.player
    UNION ALL
    SELECT i.id, i.received, i.player, i.sender, 'refused', NULL, NULL,
           CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, NULL, 0, r.id
    FROM refusals r JOIN incoming_mail i ON i.id = r.mail
)
ORDER BY mail, rank, number;

-- Every letter, and how far it has come. Notices that wait to become part of one are listed as if each were a letter.
CREATE VIEW letters AS
SELECT letter, written, player, address, about, mail, attempts,
       CASE
           WHEN held = 1 THEN 'held until the player does something'
           WHEN due_at IS NOT NULL AND error IS NULL THEN 'due'
           WHEN due_at IS NOT NULL THEN 'due again'
           WHEN sent_at IS NULL THEN 'given up'
           WHEN bounced_at IS NOT NULL AND arrived = 0 THEN 'bounced'
           WHEN bounced_at IS NOT NULL THEN 'bounced in part'
           ELSE 'sent'
       END AS state,
       CASE WHEN sent_at IS NOT NULL THEN coalesce(bounced_at, sent_at) ELSE due_at END AS at,
       CASE WHEN sent_at IS NOT NULL AND bounced_at IS NOT NULL THEN
           (SELECT max(d.error) FROM deliveries d WHERE d.letter = l.letter AND d.state = 'bounced')
       ELSE error END AS error
FROM (
    SELECT o.id AS letter,
           o.created_at AS written,
           p.userid AS player,
           coalesce(o.address, (SELECT group_concat(a.address, ', ') FROM addresses a
                                WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
           (SELECT group_concat(about, '; ') FROM (
               SELECT n.kind || CASE WHEN n.board IS NULL THEN '' ELSE ', board ' || n.board END
                             || CASE WHEN n.entry IS NULL THEN '' ELSE ', entry ' || n.entry END AS about
               FROM outbox n WHERE n.id = o.id OR n.letter = o.id ORDER BY n.id)) AS about,
           (SELECT min(e.mail) FROM outbox n CROSS JOIN effects e ON e.kind = 'notice' AND e.item = n.id
            WHERE n.id = o.id OR n.letter = o.id) AS mail,
           (SELECT max(d.at) FROM deliveries d WHERE d.letter = o.id AND d.state = 'bounced') AS bounced_at,
           (SELECT count(*) FROM deliveries d WHERE d.letter = o.id AND d.state = 'sent') AS arrived,
           o.attempts, o.held, o.due_at, o.sent_at, o.error
    FROM outbox o
    LEFT JOIN players p ON p.id = o.player
    WHERE o.letter IS NULL OR o.letter = o.id
) l;

-- Letters that came back, and letters that the receiving side refused for good, at each address.
CREATE VIEW bounces AS
SELECT d.letter, d.address, p.userid AS player, d.state AS how, d.at, d.error, l.about
FROM deliveries d
JOIN letters l ON l.letter = d.letter
JOIN outbox o ON o.id = d.letter
LEFT JOIN players p ON p.id = o.player
WHERE d.state IN ('bounced', 'refused')
ORDER BY d.at DESC, d.letter DESC;

-- Everything that happened at a board, in order: its record, comments, proposals and their answers, reminders, its end.
CREATE VIEW board_story AS
SELECT board, at, entry, event, player, what, via, mail
FROM (
    SELECT b.number AS board, b.created_at AS at, 0 AS entry, 'challenge' AS event, p.userid AS player,
           b.game || CASE b.options WHEN '' THEN '' ELSE ' ' || b.options END AS what, NULL AS via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'board' AND e.item = b.number) AS mail, 0 AS rank, 0 AS number
    FROM boards b LEFT JOIN players p ON p.id = b.challenger
    UNION ALL
    SELECT m.board, m.made_at, m.entry, m.kind, coalesce(p.userid, '(administrator)'), m.text, m.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'entry' AND e.item = m.entry AND e.board = m.board), 1, m.entry
    FROM moves m
    LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
    LEFT JOIN players p ON p.id = s.player
    UNION ALL
    SELECT c.board, c.said_at, c.entry, 'comment', p.userid, c.text, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'comment' AND e.item = c.id), 2, c.id
    FROM comments c JOIN players p ON p.id = c.player
    UNION ALL
    SELECT r.board, r.made_at, r.entry, 'proposal', p.userid,
           r.kind || CASE WHEN r.answer IS NOT NULL THEN ''
                          WHEN b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL OR b.entries > r.entry
                          THEN ', lapsed' ELSE ', open' END, r.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'proposal' AND e.item = r.id), 3, r.id
    FROM proposals r
    JOIN boards b ON b.number = r.board
    JOIN seats s ON s.board = r.board AND s.seat = r.seat
    JOIN players p ON p.id = s.player
    UNION ALL
    SELECT r.board, r.answered_at, r.entry, r.answer, p.userid, r.kind, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'answer' AND e.item = r.id), 4, r.id
    FROM proposals r
    JOIN seats s ON s.board = r.board AND s.seat = CASE r.answer WHEN 'withdrawn' THEN r.seat ELSE 3 - r.seat END
    JOIN players p ON p.id = s.player
    WHERE r.answer IS NOT NULL
    UNION ALL
    SELECT o.board, o.created_at, o.entry, 'reminder', p.userid, 'letter ' || coalesce(o.letter, o.id), NULL, NULL, 5, o.id
    FROM outbox o JOIN players p ON p.id = o.player
    WHERE o.kind = 'reminder'
    UNION ALL
    SELECT b.number, b.ended_at, b.entries, 'end', p.userid,
           CASE WHEN b.winner IS NULL THEN 'draw' ELSE 'won' END || ' (' || b.reason || ')', NULL, NULL, 6, 0
    FROM boards b
    LEFT JOIN seats s ON s.board = b.number AND s.seat = b.winner
    LEFT JOIN players p ON p.id = s.player
    WHERE b.ended_at IS NOT NULL
    UNION ALL
    SELECT b.number, b.declined_at, b.entries, 'declined', p.userid, '', NULL, NULL, 6, 0
    FROM boards b JOIN players p ON p.id = b.declined_by
)
ORDER BY board, at, entry, rank, number;

-- What each rated board did to the ratings of its players, in the order in which they ended.
CREATE VIEW rating_history AS
SELECT p.userid AS player,
       b.game,
       b.ended_at AS ended,
       b.number AS board,
       o.userid AS opponent,
       CASE WHEN b.winner IS NULL THEN 'draw' WHEN b.winner = c.seat THEN 'won' ELSE 'lost' END AS result,
       round(c.rating_before) AS before,
       round(c.rating_after) AS after,
       round(c.deviation_after) AS deviation
FROM rating_changes c
JOIN boards b ON b.number = c.board
JOIN seats s ON s.board = c.board AND s.seat = c.seat
JOIN players p ON p.id = s.player
JOIN seats t ON t.board = c.board AND t.seat = 3 - c.seat
JOIN players o ON o.id = t.player
ORDER BY b.rated_as, c.seat;

-- How many boards each player has, how long others have waited for them, and since when they have done nothing. What a
-- player prepared, and what the clock or the administrator did, is nothing that they did. A board against oneself counts
-- once.
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       CAST(julianday('now') - julianday(last_active) AS INTEGER) AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NULL AND b.declined_at IS NULL) AS boards,
           (SELECT count(*) FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id) AS their_turn,
           (SELECT CAST(julianday('now') - julianday(min(b.moved_at)) AS INTEGER)
            FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat WHERE s.player = p.id) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NOT NULL) AS finished,
           max(p.created_at,
               coalesce((SELECT max(m.made_at) FROM seats s JOIN moves m ON m.board = s.board AND m.seat = s.seat
                         WHERE s.player = p.id AND m.via NOT IN ('plan', 'clock', 'administrator')), ''),
               coalesce((SELECT max(c.said_at) FROM seats s JOIN comments c ON c.board = s.board AND c.player = p.id
                         WHERE s.player = p.id), ''),
               coalesce((SELECT max(b.created_at) FROM seats s JOIN boards b ON b.number = s.board
                         WHERE s.player = p.id AND b.challenger = p.id), ''),
               coalesce((SELECT max(r.made_at) FROM seats s JOIN proposals r ON r.board = s.board AND r.seat = s.seat
                         WHERE s.player = p.id), '')) AS last_active
    FROM players p
)
ORDER BY player;

-- How many games began and ended in each month.
CREATE VIEW games_a_month AS
SELECT month, sum(began) AS began, sum(ended) AS ended
FROM (
    SELECT substr(created_at, 1, 7) AS month, 1 AS began, 0 AS ended FROM boards WHERE declined_at IS NULL
    UNION ALL
    SELECT substr(ended_at, 1, 7), 0, 1 FROM boards WHERE ended_at IS NOT NULL
)
GROUP BY month
ORDER BY month;

INSERT INTO migrations (version, name) VALUES (16, 'reports');
