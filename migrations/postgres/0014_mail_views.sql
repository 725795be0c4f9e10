-- A mail of which a part was refused says so, and each effect of a mail names the player who did it: a mail may hold
-- commands of several players.
DO $$
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW incoming_mail AS ' || replace(pg_get_viewdef('incoming_mail'::regclass),
        'COALESCE(i.verdict, ''waits''::text) AS verdict',
        'CASE WHEN i.verdict = ''done'' AND EXISTS (SELECT 1 FROM refusals r WHERE r.mail = i.id) THEN ''refused in part''
            ELSE COALESCE(i.verdict, ''waits'') END AS verdict');
END $$;

CREATE OR REPLACE VIEW mail_effects AS
SELECT mail, received, player, sender, effect, board, entry, what, letter
FROM (
    SELECT i.id AS mail, i.received,
           coalesce(CASE e.kind
                        WHEN 'entry' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                           WHERE s.board = m.board AND s.seat = m.seat)
                        WHEN 'comment' THEN (SELECT w.userid FROM players w WHERE w.id = c.player)
                        WHEN 'board' THEN (SELECT w.userid FROM boards g JOIN players w ON w.id = g.challenger
                                           WHERE g.number = e.board)
                        WHEN 'proposal' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                              WHERE s.board = r.board AND s.seat = r.seat)
                    END, i.player) AS player,
           i.sender,
           CASE e.kind WHEN 'entry' THEN (SELECT k.word FROM entry_kinds k WHERE k.code = m.kind)
                       WHEN 'notice' THEN 'letter' WHEN 'proposal' THEN 'proposal'
                       WHEN 'answer' THEN coalesce(r.answer, 'answer') ELSE e.kind
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
) m
ORDER BY mail, rank, number;

INSERT INTO migrations (version, name, usable_from) VALUES (14, 'mail_views', 12);
