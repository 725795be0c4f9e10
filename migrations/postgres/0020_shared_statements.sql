-- A function of SQLite, so that both databases share their statements.
CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT strpos($1, $2) $$;

INSERT INTO migrations (version, name, usable_from) VALUES (20, 'shared_statements', 12);
