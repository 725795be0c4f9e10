-- A mail of which a part was refused says so, and each effect of a mail names the player who did it: a mail may hold
-- commands of several players. The views are changed in their texts.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'coalesce(i.verdict, ''waits'') AS verdict',
        'CASE WHEN i.verdict = ''done'' AND EXISTS (SELECT 1 FROM refusals r WHERE r.mail = i.id) THEN ''refused in part''
            ELSE coalesce(i.verdict, ''waits'') END AS verdict')
    WHERE type = 'view' AND name = 'incoming_mail';
UPDATE sqlite_schema SET sql = replace(sql, 'SELECT i.id AS mail, i.received, i.player, i.sender,',
        'SELECT i.id AS mail, i.received, coalesce(
            CASE e.kind
                WHEN ''entry'' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                     WHERE s.board = m.board AND s.seat = m.seat)
                WHEN ''comment'' THEN (SELECT w.userid FROM players w WHERE w.id = c.player)
                WHEN ''board'' THEN (SELECT w.userid FROM boards g JOIN players w ON w.id = g.challenger WHERE g.number = e.board)
                WHEN ''proposal'' THEN (SELECT w.userid FROM seats s JOIN players w ON w.id = s.player
                                        WHERE s.board = r.board AND s.seat = r.seat)
            END, i.player) AS player, i.sender,')
    WHERE type = 'view' AND name = 'mail_effects';
PRAGMA writable_schema = RESET;

INSERT INTO migrations (version, name) VALUES (40, 'mail_views');
