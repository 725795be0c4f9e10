-- Indexes for statements that SQLite and PostgreSQL share: text is compared without regard to case by lower(), and
-- conditions on booleans have no comparison. Userids and addresses are ASCII, so lower() agrees with NOCASE.
CREATE UNIQUE INDEX players_userid ON players (lower(userid));
CREATE UNIQUE INDEX addresses_of ON addresses (player, lower(address));
DROP INDEX addresses_confirmed;
CREATE UNIQUE INDEX addresses_confirmed ON addresses (lower(address)) WHERE confirmed_at IS NOT NULL;
CREATE UNIQUE INDEX deliveries_of ON deliveries (letter, lower(address));
DROP INDEX deliveries_bounced;
CREATE INDEX deliveries_bounced ON deliveries (lower(address), at) WHERE state = 'bounced';
CREATE UNIQUE INDEX left_addresses_lower ON left_addresses (lower(address));
DROP INDEX letters_to;
CREATE INDEX letters_to ON letters_to_strangers (lower(address), asked_at);
DROP INDEX letters_from;
CREATE INDEX letters_from ON letters_to_strangers (lower(source), asked_at);
DROP INDEX wrong_passwords_of;
CREATE INDEX wrong_passwords_of ON wrong_passwords (lower(source), of, given_at);
DROP INDEX wrong_passwords_from;
CREATE INDEX wrong_passwords_from ON wrong_passwords (lower(source), given_at);
CREATE UNIQUE INDEX refusals_address ON refusals_in_a_row (lower(address));
DROP INDEX outbox_answers;
CREATE INDEX outbox_answers ON outbox (lower(address), created_at) WHERE kind = 'answer';
DROP INDEX outbox_held;
CREATE INDEX outbox_held ON outbox (player) WHERE held;

DROP VIEW player_activity;
DROP INDEX seats_active;
CREATE INDEX seats_active ON seats (player, board, active) WHERE active;
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       CAST(julianday('now') - julianday(last_active) AS INTEGER) AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s INDEXED BY seats_active WHERE s.player = p.id AND s.active) AS boards,
           (SELECT count(*) FROM boards b WHERE b.mover = p.id) AS their_turn,
           (SELECT CAST(julianday('now') - julianday(min(b.moved_at)) AS INTEGER)
            FROM boards b WHERE b.mover = p.id) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s WHERE s.player = p.id AND s.ended) AS finished,
           max(p.created_at, coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', p.acted_at, 'unixepoch'), '')) AS last_active
    FROM players p
)
ORDER BY player;

INSERT INTO migrations (version, name) VALUES (46, 'shared_statements');
