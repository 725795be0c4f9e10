-- Where the server has moved to: what is written here from then on would be lost.
ALTER TABLE server ADD COLUMN moved_to text COLLATE "C";
COMMENT ON COLUMN server.moved_to IS 'The database that the server has moved to, after which nothing is written to this one';

-- A writer calls it when it has its turn: the server may have moved while it waited.
CREATE FUNCTION refuse_when_moved() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    there text;
BEGIN
    SELECT moved_to INTO there FROM server;
    IF there IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'TPMVD', MESSAGE = there;
    END IF;
END $$;

INSERT INTO migrations (version, name) VALUES (4, 'moved');
