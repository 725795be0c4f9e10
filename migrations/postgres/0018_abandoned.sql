-- Boards that their players abandon: they end by agreement, have no result, and stay in the lists of finished boards.
INSERT INTO entry_kinds (code, word) VALUES (8, 'abandon');

-- The constraints have no names of their own.
DO $$
DECLARE
    old record;
    changed text;
BEGIN
    FOR old IN SELECT conrelid::regclass AS of_table, conname FROM pg_constraint
        WHERE contype = 'c' AND conrelid IN ('boards'::regclass, 'proposals'::regclass)
            AND (pg_get_constraintdef(oid) LIKE '%undo%' OR pg_get_constraintdef(oid) LIKE '%expired%')
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', old.of_table, old.conname);
    END LOOP;
    FOREACH changed IN ARRAY ARRAY['games', 'board_story'] LOOP
        EXECUTE 'CREATE OR REPLACE VIEW ' || changed || ' AS ' || replace(pg_get_viewdef(changed::regclass), '''draw''::text',
            'CASE WHEN b.no_result IS NULL THEN ''draw''::text ELSE b.no_result END');
    END LOOP;
END $$;
ALTER TABLE boards ADD CHECK (proposal IN ('draw', 'undo', 'abandon'));
ALTER TABLE boards ADD CHECK (no_result IN ('declined', 'expired', 'void', 'abandoned'));
ALTER TABLE proposals ADD CHECK (kind IN ('draw', 'undo', 'abandon'));

-- An older program reads no board that was abandoned.
INSERT INTO migrations (version, name, usable_from) VALUES (18, 'abandoned', 18);
