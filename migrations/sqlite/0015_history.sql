-- What an administrator looks back at: what became of proposals, and what each mail did.

-- Proposals, and the answers that they got. One without an answer is open, or lapsed when an entry followed it.
CREATE TABLE proposals (
    id          INTEGER PRIMARY KEY,
    board       INTEGER NOT NULL REFERENCES boards (number),
    entry       INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- the length of the record then
    seat        INTEGER NOT NULL CHECK (seat IN (1, 2)), -- the proposer's
    kind        TEXT NOT NULL CHECK (kind IN ('draw', 'undo')),
    via         TEXT NOT NULL,
    made_at     TEXT NOT NULL CHECK (made_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    answer      TEXT CHECK (answer IN ('accepted', 'rejected', 'withdrawn')),
    answered_at TEXT CHECK (answered_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    CHECK ((answer IS NULL) = (answered_at IS NULL))
) STRICT;
CREATE INDEX proposals_on ON proposals (board, id);

-- Who wrote a mail, when that was a player who was known by a reply token or an address.
ALTER TABLE inbox ADD COLUMN author INTEGER REFERENCES players (id);

-- Why the commands of a mail were refused, each in words.
CREATE TABLE refusals (
    id      INTEGER PRIMARY KEY,
    mail    INTEGER NOT NULL REFERENCES inbox (id),
    command TEXT NOT NULL, -- as it was understood, without its password; may be empty
    reason  TEXT NOT NULL
) STRICT;
CREATE INDEX refusals_of ON refusals (mail);

-- What a mail did, in order. `item` is the number of the board or of its entry, or the id of the comment, proposal or
-- notice.
CREATE TABLE effects (
    id    INTEGER PRIMARY KEY,
    mail  INTEGER NOT NULL REFERENCES inbox (id),
    kind  TEXT NOT NULL CHECK (kind IN ('board', 'entry', 'comment', 'proposal', 'answer', 'notice')),
    board INTEGER,
    item  INTEGER NOT NULL
) STRICT;
CREATE INDEX effects_of ON effects (mail);
CREATE INDEX effects_by_item ON effects (kind, item, board);

-- The mail that is being processed: NULL except inside the transaction that processes one. All that is added then is an
-- effect of it.
CREATE TABLE current_mail (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    mail INTEGER REFERENCES inbox (id)
) STRICT;
INSERT INTO current_mail (one) VALUES (1);

CREATE TRIGGER effects_board AFTER INSERT ON boards
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, 'board', NEW.number, NEW.number FROM current_mail WHERE mail IS NOT NULL;
END;

CREATE TRIGGER effects_entry AFTER INSERT ON moves
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, 'entry', NEW.board, NEW.entry FROM current_mail WHERE mail IS NOT NULL;
END;

CREATE TRIGGER effects_comment AFTER INSERT ON comments
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, 'comment', NEW.board, NEW.id FROM current_mail WHERE mail IS NOT NULL;
END;

CREATE TRIGGER effects_proposal AFTER INSERT ON proposals
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, 'proposal', NEW.board, NEW.id FROM current_mail WHERE mail IS NOT NULL;
END;

CREATE TRIGGER effects_answer AFTER UPDATE OF answer ON proposals
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, 'answer', NEW.board, NEW.id FROM current_mail WHERE mail IS NOT NULL;
END;

CREATE TRIGGER effects_notice AFTER INSERT ON outbox
BEGIN
    INSERT INTO effects (mail, kind, board, item)
        SELECT mail, 'notice', NEW.board, NEW.id FROM current_mail WHERE mail IS NOT NULL;
END;

-- How its reader wanted letters when a letter was sent, so that it can be shown as it was.
ALTER TABLE outbox ADD COLUMN sent_form TEXT;
ALTER TABLE outbox ADD COLUMN sent_zone TEXT CHECK ((sent_zone IS NULL) = (sent_form IS NULL));
CREATE TRIGGER outbox_sent_as AFTER UPDATE OF sent_at ON outbox WHEN NEW.sent_at IS NOT NULL AND NEW.player IS NOT NULL
BEGIN
    UPDATE outbox SET (sent_form, sent_zone) = (SELECT mail, zone FROM players WHERE id = NEW.player) WHERE id = NEW.id;
END;

INSERT INTO migrations (version, name) VALUES (15, 'history');
