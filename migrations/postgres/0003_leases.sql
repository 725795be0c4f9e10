-- Which process does a piece of work that several must not do at a time.
CREATE TABLE leases (
    work       text COLLATE "C" PRIMARY KEY CHECK (work <> ''),
    node       text COLLATE "C" NOT NULL CHECK (node <> ''),
    expires_at text COLLATE "C" NOT NULL CHECK (is_time(expires_at))
) WITH (fillfactor = 50);
COMMENT ON TABLE leases IS 'Which node does what several must not do at a time';
COMMENT ON COLUMN leases.expires_at IS 'From then on another node may take it; a node renews what it has';

-- Other nodes are told that there is something to do. A transaction tells it once, however often it happens.
CREATE FUNCTION tell_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('turnpost', '');
    RETURN NULL;
END $$;
CREATE TRIGGER nodes_mail AFTER INSERT ON inbox FOR EACH STATEMENT EXECUTE FUNCTION tell_nodes();
CREATE TRIGGER nodes_notice AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION tell_nodes();
CREATE TRIGGER nodes_call AFTER INSERT ON calls FOR EACH STATEMENT EXECUTE FUNCTION tell_nodes();
CREATE TRIGGER nodes_change AFTER INSERT OR UPDATE ON changes FOR EACH STATEMENT EXECUTE FUNCTION tell_nodes();

INSERT INTO migrations (version, name) VALUES (3, 'leases');
