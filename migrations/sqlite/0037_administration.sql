-- Boards that the administrator reopens or voids, challenges that expire, and a log of who changed what.
INSERT INTO entry_kinds (code, word) VALUES (6, 'reopen'), (7, 'void');

ALTER TABLE boards ADD COLUMN no_result TEXT CHECK (no_result IN ('declined', 'expired', 'void')); -- NULL: in progress, or with a result
UPDATE boards SET no_result = 'declined' WHERE declined_at IS NOT NULL;

-- Constraints and views are changed in their texts, as https://www.sqlite.org/lang_altertable.html describes: no row changes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK ((seat IS NULL) = (kind = 5))', 'CHECK ((seat IS NULL) = (kind IN (5, 6, 7)))')
    WHERE type = 'table' AND name = 'moves';
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK ((declined_by IS NULL) = (declined_at IS NULL))',
                                            'CHECK (declined_by IS NULL OR declined_at IS NOT NULL)')
    WHERE type = 'table' AND name = 'boards';
UPDATE sqlite_schema SET sql = replace(sql, '''declined''', 'b.no_result')
    WHERE type = 'view' AND name IN ('games', 'board_story');
PRAGMA writable_schema = RESET;

-- What administrators did, and what players changed of their accounts. Secrets are not in it.
CREATE TABLE acts (
    id        INTEGER PRIMARY KEY,
    done_at   TEXT NOT NULL CHECK (done_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    by_player INTEGER REFERENCES players (id), -- NULL: somebody at the server's shell
    by_user   TEXT, -- their account there
    act       TEXT NOT NULL,
    board     INTEGER,
    player    INTEGER REFERENCES players (id), -- whom it is about
    detail    TEXT NOT NULL,
    reason    TEXT NOT NULL,
    CHECK ((by_player IS NULL) <> (by_user IS NULL))
) STRICT;

INSERT INTO migrations (version, name) VALUES (37, 'administration');
