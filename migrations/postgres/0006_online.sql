-- Which programs can go on using the database after a migration. One that only adds lets the programs before it work on; one
-- that removes or changes what older programs use names its own version, or that of the first program that did without.
ALTER TABLE migrations ADD COLUMN usable_from integer CHECK (usable_from BETWEEN 1 AND version);
UPDATE migrations SET usable_from = version;
ALTER TABLE migrations ALTER COLUMN usable_from SET NOT NULL;
COMMENT ON COLUMN migrations.usable_from IS
    'The version of the oldest programs that can use the database from this migration on';

-- A program says in the name of its connections which version it knows. What an older program at work cannot do without is
-- not removed.
CREATE FUNCTION refuse_while_older_programs_work() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    older bigint;
BEGIN
    SELECT count(*) INTO older FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user
          AND substring(application_name FROM '^turnpost, version ([0-9]{1,9})$')::bigint < NEW.usable_from;
    IF older > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'TPOLD', MESSAGE = older;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_while_older_programs_work BEFORE INSERT ON migrations
    FOR EACH ROW EXECUTE FUNCTION refuse_while_older_programs_work();

INSERT INTO migrations (version, name, usable_from) VALUES (6, 'online', 6);
