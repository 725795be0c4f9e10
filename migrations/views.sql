-- Views for administrators. A line that is meant for only one of the databases ends with the name of that database.

-- Every entry of every board, with words instead of codes.
CREATE VIEW record AS
SELECT m.board, m.entry, (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind) AS kind, m.ply, m.seat, m.text,
       strftime('%Y-%m-%dT%H:%M:%SZ', m.made_at, 'unixepoch') AS made_at, -- SQLite
       (SELECT c.word FROM entry_channels c WHERE c.code = m.via) AS via, lower(hex(m.hash)) AS hash -- SQLite
       time_text(m.made_at) AS made_at, -- PostgreSQL
       (SELECT c.word FROM entry_channels c WHERE c.code = m.via) AS via, encode(m.hash, 'hex') COLLATE "C" AS hash -- PostgreSQL
FROM entries m;

-- Every board, with its players and its state.
CREATE VIEW games AS
SELECT b.number AS board,
       b.game,
       b.options,
       b.terms,
       p1.userid AS first_player,
       p2.userid AS second_player,
       b.plies,
       CASE b.to_move WHEN 1 THEN p1.userid WHEN 2 THEN p2.userid END AS whose_turn,
       (SELECT m.text FROM entries m WHERE m.board = b.number AND m.ply = b.plies AND m.kind = 0
        ORDER BY m.entry DESC LIMIT 1) AS last_move,
       CASE
           WHEN b.declined_at IS NOT NULL THEN b.no_result
           WHEN b.ended_at IS NULL THEN 'in progress'
           WHEN b.winner = 1 THEN p1.userid || ' won'
           WHEN b.winner = 2 THEN p2.userid || ' won'
           ELSE coalesce(b.no_result, 'draw')
       END AS result,
       b.reason,
       b.rated,
       b.private,
       b.clock_due_at AS clock_asks_next,
       b.created_at AS started,
       max(b.moved_at, coalesce(b.ended_at, ''), coalesce(b.declined_at, '')) AS last_activity -- SQLite
       greatest(b.moved_at, b.ended_at, b.declined_at) AS last_activity -- PostgreSQL
FROM boards b
JOIN seats s1 ON s1.board = b.number AND s1.seat = 1
JOIN players p1 ON p1.id = s1.player
JOIN seats s2 ON s2.board = b.number AND s2.seat = 2
JOIN players p2 ON p2.id = s2.player;

-- Every entry of every board, with the player who made it.
CREATE VIEW game_moves AS
SELECT m.board, m.entry, m.ply, coalesce(p.userid, '(' || m.via || ')') AS player, m.kind, m.text AS move, m.made_at,
       m.via, m.hash
FROM record m
LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
LEFT JOIN players p ON p.id = s.player;

-- The numbers of games that began and ended in each month, without those that are declined, expired or void by now.
CREATE VIEW games_a_month AS
SELECT month, sum(began) AS began, sum(ended) AS ended
FROM (
    SELECT substr(created_at, 1, 7) AS month, 1 AS began, 0 AS ended FROM boards WHERE declined_at IS NULL
    UNION ALL
    SELECT substr(ended_at, 1, 7), 0, 1 FROM boards WHERE ended_at IS NOT NULL
) m
GROUP BY month
ORDER BY month;

-- Everything that happened on every board, in order.
CREATE VIEW board_story AS
SELECT board, at, entry, event, player, what, via, mail
FROM (
    SELECT b.number AS board, b.created_at AS at, 0 AS entry, 'challenge' AS event, p.userid AS player,
           b.game || CASE b.options WHEN '' THEN '' ELSE ' ' || b.options END AS what, NULL AS via,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'board' AND e.item = b.number) AS mail, 0 AS rank, 0 AS number
    FROM boards b LEFT JOIN players p ON p.id = b.challenger
    UNION ALL
    SELECT m.board, m.made_at, m.entry, m.kind, coalesce(p.userid, '(' || m.via || ')'), m.text, m.via,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'entry' AND e.item = m.entry AND e.board = m.board), 1, m.entry
    FROM record m
    LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
    LEFT JOIN players p ON p.id = s.player
    UNION ALL
    SELECT c.board, c.said_at, c.entry, 'comment', p.userid, c.text, NULL,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'comment' AND e.item = c.id), 2, c.id
    FROM comments c JOIN players p ON p.id = c.player
    UNION ALL
    SELECT r.board, r.made_at, r.entry, 'proposal', p.userid,
           r.kind || CASE WHEN r.answer IS NOT NULL THEN ''
                          WHEN b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL OR b.entries > r.entry
                          THEN ', lapsed' ELSE ', open' END, r.via,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'proposal' AND e.item = r.id), 3, r.id
    FROM proposals r
    JOIN boards b ON b.number = r.board
    JOIN seats s ON s.board = r.board AND s.seat = r.seat
    JOIN players p ON p.id = s.player
    UNION ALL
    SELECT r.board, r.answered_at, r.entry, r.answer, p.userid, r.kind, NULL,
           (SELECT e.mail FROM mail_actions e WHERE e.kind = 'answer' AND e.item = r.id), 4, r.id
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
           CASE WHEN b.winner IS NULL THEN coalesce(b.no_result, 'draw') ELSE 'won' END || ' (' || b.reason || ')',
           NULL, NULL, 6, 0
    FROM boards b
    LEFT JOIN seats s ON s.board = b.number AND s.seat = b.winner
    LEFT JOIN players p ON p.id = s.player
    WHERE b.ended_at IS NOT NULL
    UNION ALL
    SELECT b.number, b.declined_at, b.entries, b.no_result, p.userid, '', NULL, NULL, 6, 0
    FROM boards b JOIN players p ON p.id = b.declined_by
) story
ORDER BY board, at, entry, rank, number;

-- The boards that await a move, and for how long.
CREATE VIEW waiting AS
SELECT p.userid AS player,
       b.number AS board,
       b.game,
       o.userid AS opponent,
       b.moved_at AS since,
       round(julianday('now') - julianday(b.moved_at), 1) AS days_waiting, -- SQLite
       round(days_since(b.moved_at)::numeric, 1)::double precision AS days_waiting, -- PostgreSQL
       b.clock_reminded AS reminders,
       b.clock_due_at AS clock_asks_next
FROM boards b
JOIN players p ON p.id = b.player_to_move
JOIN seats t ON t.board = b.number AND t.seat = 3 - b.to_move
JOIN players o ON o.id = t.player
WHERE b.player_to_move IS NOT NULL;

-- Challenges that can still be accepted.
CREATE VIEW open_challenges AS
SELECT o.number, o.game, o.options, o.terms, p.userid AS challenger, o.rated, o.created_at AS made
FROM challenges o JOIN players p ON p.id = o.challenger
WHERE o.closed_at IS NULL;

-- Every player, with the numbers of their boards and their last activity: a challenge, entry, comment or proposal.
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       CAST(julianday('now') - julianday(last_active) AS INTEGER) AS idle_days, -- SQLite
       trunc(days_since(last_active))::bigint AS idle_days, -- PostgreSQL
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s INDEXED BY seats_active WHERE s.player = p.id AND s.active) AS boards, -- SQLite
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.active) AS boards, -- PostgreSQL
           (SELECT count(*) FROM boards b WHERE b.player_to_move = p.id) AS their_turn,
           (SELECT CAST(julianday('now') - julianday(min(b.moved_at)) AS INTEGER) FROM boards b WHERE b.player_to_move = p.id) AS waiting_days, -- SQLite
           (SELECT trunc(days_since(min(b.moved_at)))::bigint FROM boards b WHERE b.player_to_move = p.id) AS waiting_days, -- PostgreSQL
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.ended) AS finished,
           -- A computer player has no last activity.
           CASE WHEN p.password_hash <> '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA'
                OR lower(p.userid) NOT LIKE 'robot-%' AND rtrim(lower(p.userid), '0123456789') <> 'robot' THEN
           max(p.created_at, -- SQLite
               coalesce((SELECT max(b.created_at) FROM seats s JOIN boards b ON b.number = s.board AND b.challenger = p.id -- SQLite
                WHERE s.player = p.id), ''), -- SQLite
               coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%SZ', max(m.made_at), 'unixepoch') -- SQLite
           greatest(p.created_at, -- PostgreSQL
               (SELECT max(b.created_at) FROM seats s JOIN boards b ON b.number = s.board AND b.challenger = p.id -- PostgreSQL
                WHERE s.player = p.id), -- PostgreSQL
               (SELECT time_text(max(m.made_at)) -- PostgreSQL
                FROM seats s JOIN entries m ON m.board = s.board AND m.seat = s.seat
                WHERE s.player = p.id AND m.via NOT IN (5, 6, 7)), ''), -- SQLite
               coalesce((SELECT max(c.said_at) FROM comments c WHERE c.player = p.id), ''), -- SQLite
               coalesce((SELECT max(r.made_at) FROM seats s JOIN proposals r ON r.board = s.board AND r.seat = s.seat -- SQLite
                WHERE s.player = p.id), '')) -- SQLite
                WHERE s.player = p.id AND m.via NOT IN (5, 6, 7)), -- PostgreSQL
               (SELECT max(c.said_at) FROM comments c WHERE c.player = p.id), -- PostgreSQL
               (SELECT max(r.made_at) FROM seats s JOIN proposals r ON r.board = s.board AND r.seat = s.seat -- PostgreSQL
                WHERE s.player = p.id)) -- PostgreSQL
           END AS last_active
    FROM players p
) a
ORDER BY lower(userid);

-- The ratings of each game, best first.
CREATE VIEW ratings AS
SELECT s.game, p.userid AS player, round(s.rating) AS rating, round(s.deviation) AS deviation, s.wins, s.losses, s.draws
FROM standings s JOIN players p ON p.id = s.player
ORDER BY s.game, s.rating DESC;

-- The rating changes of each rated board.
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

-- Every message, with its sender, its commands and its result.
CREATE VIEW incoming_mail AS
SELECT i.id,
       i.received_at AS received,
       i.via,
       i.sender,
       -- The player who made a move with the message. If there is none, the author; if the author is unknown, the owner
       -- of the sender's address.
       coalesce(
           (SELECT p.userid FROM mail_actions e JOIN entries m ON m.board = e.board AND m.entry = e.item AND m.via = 0
            JOIN seats s ON s.board = m.board AND s.seat = m.seat JOIN players p ON p.id = s.player
            WHERE e.mail = i.id AND e.kind = 'entry' ORDER BY e.id LIMIT 1),
           (SELECT p.userid FROM players p WHERE p.id = i.author),
           (SELECT p.userid FROM addresses a JOIN players p ON p.id = a.player
            WHERE lower(a.address) = lower(i.sender) AND a.confirmed_at IS NOT NULL)
       ) AS player,
       CASE WHEN i.verdict = 'done' AND EXISTS (SELECT 1 FROM refusals r WHERE r.mail = i.id) THEN 'refused in part'
            ELSE coalesce(i.verdict, 'waits') END AS verdict,
       i.commands,
       i.reason || coalesce(' ' || (SELECT group_concat(line, ' ') FROM (SELECT CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason AS line -- SQLite
            FROM refusals r WHERE r.mail = i.id ORDER BY r.id)), '') AS reason, -- SQLite
       (SELECT group_concat(line, '; ') FROM (SELECT CASE e.kind -- SQLite
       i.reason || coalesce(' ' || (SELECT string_agg(CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, ' ' ORDER BY r.id) -- PostgreSQL
            FROM refusals r WHERE r.mail = i.id), '') AS reason, -- PostgreSQL
       (SELECT string_agg(CASE e.kind -- PostgreSQL
                WHEN 'board' THEN 'board ' || e.board
                WHEN 'entry' THEN 'board ' || e.board || ' entry ' || e.item
                WHEN 'comment' THEN 'board ' || e.board || ' comment'
                WHEN 'proposal' THEN 'board ' || e.board || ' proposal'
                WHEN 'answer' THEN 'board ' || e.board || ' answer to a proposal'
                ELSE 'letter ' || coalesce(o.letter, o.id) || ' to ' || coalesce(p.userid, o.address)
            END AS line -- SQLite
            END, '; ' ORDER BY e.id) -- PostgreSQL
            FROM mail_actions e
            LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
            LEFT JOIN players p ON p.id = o.player
            WHERE e.mail = i.id ORDER BY e.id)) AS actions, -- SQLite
            WHERE e.mail = i.id) AS actions, -- PostgreSQL
       i.attempts,
       i.closed_at AS dealt_with
FROM inbox i;

-- The effects and the refused commands of every message.
CREATE VIEW mail_log AS
SELECT mail, received, player, sender, action, board, entry, what, letter
FROM (
    SELECT i.id AS mail, i.received, coalesce(
            CASE e.kind
                WHEN 'entry' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                     WHERE s.board = m.board AND s.seat = m.seat)
                WHEN 'comment' THEN (SELECT w.userid FROM players w WHERE w.id = c.player)
                WHEN 'board' THEN (SELECT w.userid FROM boards g JOIN players w ON w.id = g.challenger WHERE g.number = e.board)
                WHEN 'proposal' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                        WHERE s.board = r.board AND s.seat = r.seat)
            END, i.player) AS player, i.sender,
           CASE e.kind WHEN 'entry' THEN (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind)
                       WHEN 'notice' THEN 'letter' WHEN 'proposal' THEN 'proposal'
                       WHEN 'answer' THEN coalesce(r.answer, 'answer') ELSE e.kind
           END AS action,
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
    FROM mail_actions e
    JOIN incoming_mail i ON i.id = e.mail
    LEFT JOIN entries m ON e.kind = 'entry' AND m.board = e.board AND m.entry = e.item
    LEFT JOIN comments c ON e.kind = 'comment' AND c.id = e.item
    LEFT JOIN proposals r ON e.kind IN ('proposal', 'answer') AND r.id = e.item
    LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
    LEFT JOIN players p ON p.id = o.player
    UNION ALL
    SELECT i.id, i.received, i.player, i.sender, 'refused', NULL, NULL,
           CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, NULL, 0, r.id
    FROM refusals r JOIN incoming_mail i ON i.id = r.mail
) m
ORDER BY mail, rank, number;

-- Every letter, with its state.
CREATE VIEW letters AS
SELECT letter, written, player, address, about, mail, attempts,
       CASE
           WHEN held THEN 'held until the player does something'
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
           coalesce(o.address, (SELECT group_concat(line, ', ') FROM (SELECT a.address AS line -- SQLite
            FROM addresses a WHERE a.player = o.player AND a.confirmed_at IS NOT NULL ORDER BY lower(a.address)))) AS address, -- SQLite
           (SELECT group_concat(line, '; ') FROM (SELECT n.kind || CASE WHEN n.board IS NULL THEN '' ELSE ', board ' || n.board END -- SQLite
                || CASE WHEN n.entry IS NULL THEN '' ELSE ', entry ' || n.entry END AS line -- SQLite
            FROM outbox n WHERE n.id = o.id OR n.letter = o.id ORDER BY n.id)) AS about, -- SQLite
           (SELECT min(e.mail) FROM outbox n CROSS JOIN mail_actions e ON e.kind = 'notice' AND e.item = n.id -- SQLite
           coalesce(o.address, (SELECT string_agg(a.address, ', ' ORDER BY lower(a.address)) -- PostgreSQL
            FROM addresses a WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address, -- PostgreSQL
           (SELECT string_agg(n.kind || CASE WHEN n.board IS NULL THEN '' ELSE ', board ' || n.board END -- PostgreSQL
                || CASE WHEN n.entry IS NULL THEN '' ELSE ', entry ' || n.entry END, '; ' ORDER BY n.id) -- PostgreSQL
            FROM outbox n WHERE n.id = o.id OR n.letter = o.id) AS about, -- PostgreSQL
           (SELECT min(e.mail) FROM outbox n JOIN mail_actions e ON e.kind = 'notice' AND e.item = n.id -- PostgreSQL
            WHERE n.id = o.id OR n.letter = o.id) AS mail,
           (SELECT max(d.at) FROM deliveries d WHERE d.letter = o.id AND d.state = 'bounced') AS bounced_at,
           (SELECT count(*) FROM deliveries d WHERE d.letter = o.id AND d.state = 'sent') AS arrived,
           o.attempts, o.held, o.due_at, o.sent_at, o.error
    FROM outbox o
    LEFT JOIN players p ON p.id = o.player
    WHERE o.letter IS NULL OR o.letter = o.id
) l;

-- Letters that bounced or were refused, newest first.
CREATE VIEW bounces AS
SELECT d.letter, d.address, p.userid AS player, d.state AS how, d.at, d.error, l.about
FROM deliveries d
JOIN letters l ON l.letter = d.letter
JOIN outbox o ON o.id = d.letter
LEFT JOIN players p ON p.id = o.player
WHERE d.state IN ('bounced', 'refused')
ORDER BY d.at DESC, d.letter DESC;

-- Notices that have not been delivered yet.
CREATE VIEW undelivered_mail AS
SELECT o.id,
       p.userid AS player,
       coalesce(o.address, (SELECT group_concat(line, ', ') FROM (SELECT a.address AS line -- SQLite
            FROM addresses a WHERE a.player = o.player AND a.confirmed_at IS NOT NULL ORDER BY lower(a.address)))) AS address, -- SQLite
       coalesce(o.address, (SELECT string_agg(a.address, ', ' ORDER BY lower(a.address)) -- PostgreSQL
            FROM addresses a WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address, -- PostgreSQL
       o.kind || CASE WHEN o.board IS NULL THEN '' ELSE ', board ' || o.board END
                || CASE WHEN o.entry IS NULL THEN '' ELSE ', entry ' || o.entry END AS about,
       o.created_at AS written,
       o.attempts,
       o.error AS last_error,
       CASE WHEN o.held THEN 'kept until the player answers' ELSE coalesce(o.due_at, 'given up') END AS next_attempt
FROM outbox o
LEFT JOIN players p ON p.id = o.player
WHERE o.sent_at IS NULL;

-- Addresses to which no letters are sent at present.
CREATE VIEW paused_addresses AS
SELECT p.userid AS player, a.address, a.paused_at AS since, a.paused_why AS why
FROM addresses a JOIN players p ON p.id = a.player
WHERE a.paused_at IS NOT NULL;
