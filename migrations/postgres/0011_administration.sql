-- Boards that the administrator reopens or voids, challenges that expire, and a log of who changed what.
INSERT INTO entry_kinds (code, word) VALUES (6, 'reopen'), (7, 'void');

ALTER TABLE boards ADD COLUMN no_result text COLLATE "C" CHECK (no_result IN ('declined', 'expired', 'void'));
COMMENT ON COLUMN boards.no_result IS 'Why it ended without a result';
UPDATE boards SET no_result = 'declined' WHERE declined_at IS NOT NULL;

-- The constraints have no names of their own.
DO $$
DECLARE
    old record;
BEGIN
    FOR old IN SELECT conrelid::regclass AS of_table, conname FROM pg_constraint
        WHERE contype = 'c' AND (conrelid = 'moves'::regclass AND pg_get_constraintdef(oid) LIKE '%seat IS NULL) = (kind = 5)%'
            OR conrelid = 'boards'::regclass
                AND pg_get_constraintdef(oid) LIKE '%declined_by IS NULL) = (declined_at IS NULL)%')
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', old.of_table, old.conname);
    END LOOP;
    EXECUTE 'CREATE OR REPLACE VIEW games AS ' || replace(pg_get_viewdef('games'::regclass), '''declined''::text', 'b.no_result');
    EXECUTE 'CREATE OR REPLACE VIEW board_story AS '
        || replace(pg_get_viewdef('board_story'::regclass), '''declined''::text', 'b.no_result');
END $$;
ALTER TABLE moves ADD CHECK ((seat IS NULL) = (kind IN (5, 6, 7)));
ALTER TABLE boards ADD CHECK (declined_by IS NULL OR declined_at IS NOT NULL);

CREATE TABLE acts (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    done_at   text COLLATE "C" NOT NULL CHECK (is_time(done_at)),
    by_player bigint REFERENCES players (id),
    by_user   text COLLATE "C",
    act       text COLLATE "C" NOT NULL,
    board     bigint,
    player    bigint REFERENCES players (id),
    detail    text COLLATE "C" NOT NULL,
    reason    text COLLATE "C" NOT NULL,
    CHECK ((by_player IS NULL) <> (by_user IS NULL))
);
COMMENT ON TABLE acts IS 'What administrators did, and what players changed of their accounts; without secrets';
COMMENT ON COLUMN acts.by_player IS 'NULL: somebody at the server''s shell';
COMMENT ON COLUMN acts.by_user IS 'Their account there';
COMMENT ON COLUMN acts.player IS 'Whom it is about';

-- An older program reads no board that was reopened or voided.
INSERT INTO migrations (version, name, usable_from) VALUES (11, 'administration', 11);
