-- Turns on different boards are written side by side. What they share must not make one wait for the other until it has
-- committed, as a row does in which both count.

-- Numbers that may have gaps are drawn from sequences. Those of boards, players and links stay without gaps.
CREATE SEQUENCE inbox_numbers OWNED BY inbox.id;
CREATE SEQUENCE outbox_numbers OWNED BY outbox.id;
CREATE SEQUENCE calls_numbers OWNED BY calls.id;
CREATE SEQUENCE changes_numbers OWNED BY changes.seq;
SELECT setval(name || '_numbers', last) FROM last_numbers WHERE name IN ('inbox', 'outbox', 'calls', 'changes') AND last > 0;
DELETE FROM last_numbers WHERE name IN ('inbox', 'outbox', 'calls', 'changes');
ALTER TABLE inbox ALTER COLUMN id SET DEFAULT nextval('inbox_numbers');
ALTER TABLE outbox ALTER COLUMN id SET DEFAULT nextval('outbox_numbers');
ALTER TABLE calls ALTER COLUMN id SET DEFAULT nextval('calls_numbers');
COMMENT ON TABLE last_numbers IS 'The last number that was given to a row of each table whose numbers have no gaps';

-- The current mail is the transaction's own.
CREATE OR REPLACE FUNCTION note_effect() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    added jsonb := to_jsonb(NEW);
    current_mail bigint := nullif(current_setting('turnpost.mail', true), '');
BEGIN
    IF current_mail IS NOT NULL THEN
        INSERT INTO effects (mail, kind, board, item)
            VALUES (current_mail, TG_ARGV[0], (added ->> TG_ARGV[1])::bigint, (added ->> TG_ARGV[2])::bigint);
    END IF;
    RETURN NULL;
END $$;
DROP TABLE current_mail;

-- The numbers of changes become visible in their order: a transaction that writes beside others draws them when it commits,
-- one after the other. One that writes alone draws them at once (SET CONSTRAINTS).
CREATE OR REPLACE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(1953854063);
    INSERT INTO changes (seq, board) VALUES (nextval('changes_numbers'), changed)
        ON CONFLICT (board) DO UPDATE SET seq = excluded.seq;
    RETURN NULL;
END $$;
DROP TRIGGER changes_board_made ON boards;
DROP TRIGGER changes_entry ON boards;
DROP TRIGGER changes_arranged ON boards;
DROP TRIGGER changes_comment ON comments;
DROP TRIGGER changes_offer_made ON offers;
DROP TRIGGER changes_offer_closed ON offers;
DROP TRIGGER changes_analysis_asked ON analyses;
DROP TRIGGER changes_analysis ON analyses;
CREATE CONSTRAINT TRIGGER changes_board_made AFTER INSERT ON boards DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE CONSTRAINT TRIGGER changes_entry AFTER UPDATE OF entries ON boards DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE CONSTRAINT TRIGGER changes_arranged
    AFTER UPDATE OF declined_at, proposal, clock_since, clock_thought, clock_due_at ON boards DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW
    WHEN ((NEW.declined_at, NEW.proposal, NEW.clock_since, NEW.clock_thought, NEW.clock_due_at)
        IS DISTINCT FROM (OLD.declined_at, OLD.proposal, OLD.clock_since, OLD.clock_thought, OLD.clock_due_at))
    EXECUTE FUNCTION note_change('number');
CREATE CONSTRAINT TRIGGER changes_comment AFTER INSERT ON comments DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_change('board');
CREATE CONSTRAINT TRIGGER changes_offer_made AFTER INSERT ON offers DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE CONSTRAINT TRIGGER changes_offer_closed AFTER UPDATE OF closed_at ON offers DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_change('number');
CREATE CONSTRAINT TRIGGER changes_analysis_asked AFTER INSERT ON analyses DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_change('board');
CREATE CONSTRAINT TRIGGER changes_analysis AFTER UPDATE OF analysis ON analyses DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.analysis IS DISTINCT FROM OLD.analysis) EXECUTE FUNCTION note_change('board');

COMMENT ON TABLE writer IS 'Who writes locks it: ROW EXCLUSIVE beside others, EXCLUSIVE alone';

INSERT INTO migrations (version, name, usable_from) VALUES (7, 'side_by_side', 7);
