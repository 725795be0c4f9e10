-- Views for a person with the sqlite3 shell, as the tables are now. The program itself reads none of them.

-- Every game, its players and its state.
CREATE VIEW games AS
SELECT b.number AS board,
       b.game,
       b.options,
       p1.userid AS first_player,
       p2.userid AS second_player,
       b.plies,
       CASE b.to_move WHEN 1 THEN p1.userid WHEN 2 THEN p2.userid END AS whose_turn,
       (SELECT m.text FROM moves m WHERE m.board = b.number AND m.ply = b.plies AND m.kind = 'move'
        ORDER BY m.entry DESC LIMIT 1) AS last_move,
       CASE
           WHEN b.declined_at IS NOT NULL THEN 'declined'
           WHEN b.ended_at IS NULL THEN 'in progress'
           WHEN b.winner = 1 THEN p1.userid || ' won'
           WHEN b.winner = 2 THEN p2.userid || ' won'
           ELSE 'draw'
       END AS result,
       b.reason,
       b.rated,
       b.private,
       b.clock_due_at AS clock_asks_next,
       b.created_at AS started,
       max(b.moved_at, coalesce(b.ended_at, ''), coalesce(b.declined_at, '')) AS last_activity
FROM boards b
JOIN seats s1 ON s1.board = b.number AND s1.seat = 1
JOIN players p1 ON p1.id = s1.player
JOIN seats s2 ON s2.board = b.number AND s2.seat = 2
JOIN players p2 ON p2.id = s2.player;

-- Every entry of every game's record, in order: moves, moves taken back, and ends outside the rules.
CREATE VIEW game_moves AS
SELECT m.board, m.entry, m.ply, coalesce(p.userid, '(administrator)') AS player, m.kind, m.text AS move, m.made_at,
       m.via, m.hash
FROM moves m
LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
LEFT JOIN players p ON p.id = s.player;

-- Whose turn it is in each game, and since when.
CREATE VIEW waiting AS
SELECT p.userid AS player,
       b.number AS board,
       b.game,
       o.userid AS opponent,
       b.moved_at AS since,
       round(julianday('now') - julianday(b.moved_at), 1) AS days_waiting,
       b.clock_reminded AS reminders,
       b.clock_due_at AS clock_asks_next
FROM boards b
JOIN seats s ON s.board = b.number AND s.seat = b.to_move
JOIN players p ON p.id = s.player
JOIN seats t ON t.board = b.number AND t.seat = 3 - b.to_move
JOIN players o ON o.id = t.player
WHERE b.ended_at IS NULL AND b.declined_at IS NULL;

-- Open challenges.
CREATE VIEW open_challenges AS
SELECT o.number, o.game, o.options, p.userid AS challenger, o.rated, o.created_at AS made
FROM offers o JOIN players p ON p.id = o.challenger
WHERE o.closed_at IS NULL;

-- Ratings, best first.
CREATE VIEW ratings AS
SELECT s.game, p.userid AS player, round(s.rating) AS rating, round(s.deviation) AS deviation, s.wins, s.losses, s.draws
FROM standings s JOIN players p ON p.id = s.player
ORDER BY s.game, s.rating DESC;

-- Letters not sent yet, held, or given up.
CREATE VIEW undelivered_mail AS
SELECT o.id,
       p.userid AS player,
       coalesce(o.address, (SELECT group_concat(a.address, ', ') FROM addresses a
                            WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
       o.kind || CASE WHEN o.board IS NULL THEN '' ELSE ', board ' || o.board END
              || CASE WHEN o.entry IS NULL THEN '' ELSE ', entry ' || o.entry END AS about,
       o.created_at AS written,
       o.attempts,
       o.error AS last_error,
       CASE WHEN o.held = 1 THEN 'kept until the player answers' ELSE coalesce(o.due_at, 'given up') END AS next_attempt
FROM outbox o
LEFT JOIN players p ON p.id = o.player
WHERE o.sent_at IS NULL;

INSERT INTO migrations (version, name) VALUES (6, 'views');
