PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations (
    version INTEGER PRIMARY KEY CHECK (version > 0),
    name    TEXT NOT NULL
) STRICT;
INSERT INTO migrations VALUES(1,'tables');
INSERT INTO migrations VALUES(2,'views');
INSERT INTO migrations VALUES(3,'record');
INSERT INTO migrations VALUES(4,'life');
INSERT INTO migrations VALUES(5,'ratings');
INSERT INTO migrations VALUES(6,'views');
INSERT INTO migrations VALUES(7,'reply_key');
INSERT INTO migrations VALUES(8,'delivery');
INSERT INTO migrations VALUES(9,'sessions');
INSERT INTO migrations VALUES(10,'programs');
INSERT INTO migrations VALUES(11,'lists');
INSERT INTO migrations VALUES(12,'limits');
INSERT INTO migrations VALUES(13,'turn_letters');
INSERT INTO migrations VALUES(14,'administered_players');
INSERT INTO migrations VALUES(15,'history');
INSERT INTO migrations VALUES(16,'reports');
CREATE TABLE server (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    server_id TEXT NOT NULL CHECK (server_id <> '')
, reply_key BLOB CHECK (length(reply_key) = 32)) STRICT;
INSERT INTO server VALUES(1,'d3e094c486',X'10ee88bf7dbc445f5fc99d1624f05965042acb049461b0fba5ecb0d617e7ff6a');
CREATE TABLE players (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    userid        TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (userid <> ''),
    password_hash TEXT NOT NULL,
    created_at    TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
, mail TEXT NOT NULL DEFAULT 'text', rhythm TEXT NOT NULL DEFAULT 'each', reminders TEXT NOT NULL DEFAULT 'all', zone TEXT NOT NULL DEFAULT 'UTC', weekend TEXT NOT NULL DEFAULT 'none', signoff_code TEXT, signoff_at TEXT CHECK (signoff_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
    CHECK ((signoff_at IS NULL) = (signoff_code IS NULL)), left_at TEXT CHECK (left_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), letters TEXT NOT NULL DEFAULT 'all', dmarc TEXT NOT NULL DEFAULT 'off', blocked_at TEXT CHECK (blocked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')) STRICT;
INSERT INTO players VALUES(1,'alice','$argon2id$v=19$m=19456,t=2,p=1$wZ+KEd8Jbtyv4Rj9DiZKLg$jW6zENaS7TTC56jly+Cj9aIx+ccfNJ5dKWkIsYEnZrI','2026-11-22T22:14:58Z','html','each','all','UTC','none',NULL,NULL,NULL,'all','off',NULL);
INSERT INTO players VALUES(2,'bob','$argon2id$v=19$m=19456,t=2,p=1$dTsqXwsYM0cVoh1KfBkb0A$YmY540HQXvvirmtMvS47Ehcnlt+tXAkibCZCB5w1oyo','2026-11-22T22:14:58Z','html','each','all','UTC','none',NULL,NULL,NULL,'all','off',NULL);
INSERT INTO players VALUES(3,'carol','$argon2id$v=19$m=19456,t=2,p=1$O8sk7gTlytIXzxW82tVUWw$QGhLIw4Hif6kFMt0Q4eFiPEOkD5OENheGRoEMnU8DhA','2026-11-22T22:14:58Z','html','each','all','UTC','none',NULL,NULL,NULL,'all','off',NULL);
INSERT INTO players VALUES(4,'dave','$argon2id$v=19$m=19456,t=2,p=1$D2hQ9bcpweqplBQxPvI+Zg$EsGA+EGkbr6DbXX3xn9FIzSe6RfCs7RewtnluZoVctk','2026-11-22T22:14:58Z','accessible','daily@18','all','Europe/Vienna','none',NULL,NULL,NULL,'all','off',NULL);
CREATE TABLE addresses (
    id           INTEGER PRIMARY KEY,
    player       INTEGER NOT NULL REFERENCES players (id),
    address      TEXT NOT NULL COLLATE NOCASE CHECK (address <> ''),
    code         TEXT, -- what its owner must send back; NULL once confirmed
    added_at     TEXT NOT NULL CHECK (added_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    confirmed_at TEXT CHECK (confirmed_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), paused_at TEXT CHECK (paused_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), paused_why TEXT CHECK ((paused_why IS NULL) = (paused_at IS NULL)),
    UNIQUE (player, address),
    CHECK ((code IS NULL) = (confirmed_at IS NOT NULL))
) STRICT;
INSERT INTO addresses VALUES(1,1,'alice@example.org',NULL,'2026-11-22T22:14:58Z','2026-11-22T22:14:58Z',NULL,NULL);
INSERT INTO addresses VALUES(2,2,'bob@example.org',NULL,'2026-11-22T22:14:58Z','2026-11-22T22:14:58Z',NULL,NULL);
INSERT INTO addresses VALUES(3,3,'carol@example.org',NULL,'2026-11-22T22:14:58Z','2026-11-22T22:14:58Z',NULL,NULL);
INSERT INTO addresses VALUES(4,4,'dave@example.org',NULL,'2026-11-22T22:14:58Z','2026-11-22T22:14:58Z',NULL,NULL);
CREATE TABLE boards (
    number      INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number BETWEEN 1 AND 4294967295),
    game        TEXT NOT NULL,
    options     TEXT NOT NULL,
    challenger  INTEGER REFERENCES players (id), -- NULL: the administrator's shell
    to_move     INTEGER CHECK (to_move IN (1, 2)),
    plies       INTEGER NOT NULL DEFAULT 0 CHECK (plies BETWEEN 0 AND 4294967295),
    genesis     TEXT NOT NULL,
    head        TEXT NOT NULL,
    created_at  TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    moved_at    TEXT NOT NULL CHECK (moved_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    winner      INTEGER CHECK (winner IN (1, 2)), -- NULL with ended_at: a draw
    reason      TEXT,
    ended_at    TEXT CHECK (ended_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    declined_by INTEGER REFERENCES players (id),
    declined_at TEXT CHECK (declined_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), entries INTEGER NOT NULL DEFAULT 0 CHECK (entries BETWEEN 0 AND 4294967295), rated INTEGER NOT NULL DEFAULT 0 CHECK (rated IN (0, 1)), private INTEGER NOT NULL DEFAULT 0 CHECK (private IN (0, 1)), nag_days INTEGER NOT NULL DEFAULT 0 CHECK (nag_days >= 0), forfeit_days INTEGER NOT NULL DEFAULT 0 CHECK (forfeit_days >= 0), total_days INTEGER NOT NULL DEFAULT 0 CHECK (total_days >= 0), clock_since TEXT CHECK (clock_since GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
    CHECK (clock_since IS NULL OR (ended_at IS NULL AND declined_at IS NULL)), clock_thought INTEGER NOT NULL DEFAULT 0 CHECK (clock_thought >= 0), clock_reminded INTEGER NOT NULL DEFAULT 0 CHECK (clock_reminded >= 0), clock_due_at TEXT CHECK (clock_due_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
    CHECK (clock_due_at IS NULL OR clock_since IS NOT NULL), proposal TEXT CHECK (proposal IN ('draw', 'undo'))
    CHECK (proposal IS NULL OR (ended_at IS NULL AND declined_at IS NULL)), proposed_by INTEGER CHECK (proposed_by IN (1, 2))
    CHECK ((proposed_by IS NULL) = (proposal IS NULL)), rated_as INTEGER CHECK (rated_as >= 1)
    CHECK (rated_as IS NULL OR (rated = 1 AND ended_at IS NOT NULL)),
    CHECK ((reason IS NULL) = (ended_at IS NULL)),
    CHECK (winner IS NULL OR ended_at IS NOT NULL),
    CHECK ((declined_by IS NULL) = (declined_at IS NULL)),
    CHECK (ended_at IS NULL OR declined_at IS NULL),
    CHECK ((ended_at IS NULL AND declined_at IS NULL) OR to_move IS NULL)
) STRICT;
INSERT INTO boards VALUES(1,'marque','-any_2',NULL,NULL,11,'8a39dec2311c1a3bc1fb88394b76b8c093a105566863098efdb533ce13bbdd92','b5457914791dc7cd5cc435bdb37a2770258b5ab44dea549fa1720b4fb6d8ccce','2026-11-22T22:14:58Z','2026-11-22T22:14:59Z',1,'formation','2026-11-22T22:14:59Z',NULL,NULL,11,1,0,7,21,0,NULL,0,0,NULL,NULL,NULL,1);
INSERT INTO boards VALUES(2,'brique','-size=5',NULL,NULL,15,'32c81046549c3dbed3a4a313c132a7875479a43cc421e8f7be82d97f56175073','c7a52abf9133bfcba841a11d8298ca138762df43db8104e5e52cdef4d847825a','2026-11-22T22:14:59Z','2026-11-22T22:15:01Z',1,'chain','2026-11-22T22:15:01Z',NULL,NULL,15,1,0,7,21,0,NULL,0,0,NULL,NULL,NULL,2);
INSERT INTO boards VALUES(3,'tessella','',NULL,NULL,13,'d64f2ec86e33e68280d4ab682ac8aec888cc9d25860fc16f33f04d6ff8f3c8f9','8fedca61c43a0c19d66988ac3c204ba5e79e3a0496e8f2948e04c02bfd72dce2','2026-11-22T22:15:01Z','2026-11-22T22:15:02Z',1,'captures','2026-11-22T22:15:02Z',NULL,NULL,13,1,0,7,21,0,NULL,0,0,NULL,NULL,NULL,3);
INSERT INTO boards VALUES(4,'lazo','-size=26',NULL,NULL,25,'9b6487d39a6709d3223609ad3da186d1bf7ffaf54f23b8089f7bea06e60d9db2','13857c73f8aee2b3765b5ae86224ab20706253264312d75d28a8aa9429609e06','2026-11-22T22:15:02Z','2026-11-22T22:15:04Z',1,'arch','2026-11-22T22:15:04Z',NULL,NULL,25,1,0,7,21,0,NULL,0,0,NULL,NULL,NULL,4);
INSERT INTO boards VALUES(5,'marque','-any_2',NULL,2,5,'8a39dec2311c1a3bc1fb88394b76b8c093a105566863098efdb533ce13bbdd92','85fe77209a19be2fcffe4941e9841ded999027bf78170df06de2ba4b623f8602','2026-11-22T22:15:05Z','2026-11-22T22:15:07Z',NULL,NULL,NULL,NULL,NULL,5,1,0,7,21,0,'2026-11-22T22:15:07Z',0,0,'2026-11-29T22:15:07Z',NULL,NULL,NULL);
INSERT INTO boards VALUES(6,'brique','-size=5',NULL,2,5,'32c81046549c3dbed3a4a313c132a7875479a43cc421e8f7be82d97f56175073','6380ef87240a8283111496d8c37f40cffa8572686b9de633cfe2464693d3e00e','2026-11-22T22:15:07Z','2026-11-22T22:15:09Z',NULL,NULL,NULL,NULL,NULL,5,1,0,7,21,0,'2026-11-22T22:15:09Z',0,0,'2026-11-29T22:15:09Z',NULL,NULL,NULL);
INSERT INTO boards VALUES(7,'tessella','',NULL,2,5,'d64f2ec86e33e68280d4ab682ac8aec888cc9d25860fc16f33f04d6ff8f3c8f9','6c9671fa8053fd5a7ebcc3146c99490d8c50d5622739f07c1c3f9388f4e58010','2026-11-22T22:15:09Z','2026-11-22T22:15:10Z',NULL,NULL,NULL,NULL,NULL,5,1,0,7,21,0,'2026-11-22T22:15:10Z',0,0,'2026-11-29T22:15:10Z',NULL,NULL,NULL);
INSERT INTO boards VALUES(8,'lazo','-size=26',NULL,2,5,'9b6487d39a6709d3223609ad3da186d1bf7ffaf54f23b8089f7bea06e60d9db2','c2d79b1f749dfea7a89da311eee0969c176c40f6e678f82852740f0449658b90','2026-11-22T22:15:10Z','2026-11-22T22:15:11Z',NULL,NULL,NULL,NULL,NULL,5,1,0,7,21,0,'2026-11-22T22:15:11Z',0,0,'2026-11-29T22:15:11Z',NULL,NULL,NULL);
INSERT INTO boards VALUES(9,'marque','',NULL,NULL,1,'b8ab90fe5f98858a4a9a12719390031ae53200cb958619d52b11e087fbbfc4ab','66f5d86075d4a1800b8c9d1e90a96e806c64e2f5726d6626aad84a66ba7fb34f','2026-11-22T22:15:12Z','2026-11-22T22:15:12Z',NULL,NULL,NULL,4,'2026-11-22T22:15:12Z',1,1,0,7,21,0,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO boards VALUES(10,'marque','',NULL,NULL,0,'b38510d6b1bbe2bacc4c9272bdf6360f24e09297af099af146f4a5f39c9d049e','b38510d6b1bbe2bacc4c9272bdf6360f24e09297af099af146f4a5f39c9d049e','2026-11-22T22:15:12Z','2026-11-22T22:15:12Z',NULL,NULL,NULL,1,'2026-11-22T22:15:13Z',0,1,0,7,21,0,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO boards VALUES(11,'brique','',NULL,2,1,'c9e8a159d6e5a5b708838475a13acff6a451a8a568c3fd5868399500a749600f','7ed581b343316eb7a3cfa78ae5c1a15904f9824d2aea0077305ebc4fd7e968de','2026-11-22T22:15:13Z','2026-11-22T22:15:13Z',NULL,NULL,NULL,NULL,NULL,1,1,0,7,21,0,'2026-11-22T22:15:13Z',0,0,'2026-11-29T22:15:13Z','draw',1,NULL);
CREATE TABLE seats (
    board  INTEGER NOT NULL REFERENCES boards (number),
    seat   INTEGER NOT NULL CHECK (seat IN (1, 2)),
    player INTEGER NOT NULL REFERENCES players (id), used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0), plan TEXT, submitted TEXT, submitted_after INTEGER CHECK (submitted_after >= 0)
    CHECK ((submitted_after IS NULL) = (submitted IS NULL)), resigns INTEGER NOT NULL DEFAULT 0 CHECK (resigns IN (0, 1)), began_as TEXT,
    PRIMARY KEY (board, seat)
) STRICT, WITHOUT ROWID;
INSERT INTO seats VALUES(1,1,1,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(1,2,2,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(2,1,1,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(2,2,2,2,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(3,1,1,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(3,2,2,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(4,1,1,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(4,2,2,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(5,1,1,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(5,2,2,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(6,1,1,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(6,2,2,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(7,1,1,1,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(7,2,2,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(8,1,1,1,'else d2',NULL,NULL,0,NULL);
INSERT INTO seats VALUES(8,2,2,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(9,1,3,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(9,2,4,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(10,1,3,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(10,2,1,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(11,1,3,0,NULL,NULL,NULL,0,NULL);
INSERT INTO seats VALUES(11,2,2,0,NULL,NULL,NULL,0,NULL);
CREATE TABLE comments (
    id      INTEGER PRIMARY KEY,
    board   INTEGER NOT NULL REFERENCES boards (number),
    entry     INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- 0: with the challenge
    player  INTEGER NOT NULL REFERENCES players (id),
    text    TEXT NOT NULL,
    said_at TEXT NOT NULL CHECK (said_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
INSERT INTO comments VALUES(1,1,1,1,'move 0 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(2,1,2,2,'move 1 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(3,1,3,1,'move 2 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(4,1,4,2,'move 3 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(5,1,5,1,'move 4 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(6,1,6,2,'move 5 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(7,1,7,1,'move 6 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(8,1,8,2,'move 7 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(9,1,9,1,'move 8 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(10,1,10,2,'move 9 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(11,1,11,1,'move 10 of board 1','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(12,2,1,1,'move 0 of board 2','2026-11-22T22:14:59Z');
INSERT INTO comments VALUES(13,2,2,2,'move 1 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(14,2,3,1,'move 2 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(15,2,4,2,'move 3 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(16,2,5,1,'move 4 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(17,2,6,2,'move 5 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(18,2,7,1,'move 6 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(19,2,8,2,'move 7 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(20,2,9,1,'move 8 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(21,2,10,2,'move 9 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(22,2,11,1,'move 10 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(23,2,12,2,'move 11 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(24,2,13,1,'move 12 of board 2','2026-11-22T22:15:00Z');
INSERT INTO comments VALUES(25,2,14,2,'move 13 of board 2','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(26,2,15,1,'move 14 of board 2','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(27,3,1,1,'move 0 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(28,3,2,2,'move 1 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(29,3,3,1,'move 2 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(30,3,4,2,'move 3 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(31,3,5,1,'move 4 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(32,3,6,2,'move 5 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(33,3,7,1,'move 6 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(34,3,8,2,'move 7 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(35,3,9,1,'move 8 of board 3','2026-11-22T22:15:01Z');
INSERT INTO comments VALUES(36,3,10,2,'move 9 of board 3','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(37,3,11,1,'move 10 of board 3','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(38,3,12,2,'move 11 of board 3','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(39,3,13,1,'move 12 of board 3','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(40,4,1,1,'move 0 of board 4','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(41,4,2,2,'move 1 of board 4','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(42,4,3,1,'move 2 of board 4','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(43,4,4,2,'move 3 of board 4','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(44,4,5,1,'move 4 of board 4','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(45,4,6,2,'move 5 of board 4','2026-11-22T22:15:02Z');
INSERT INTO comments VALUES(46,4,7,1,'move 6 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(47,4,8,2,'move 7 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(48,4,9,1,'move 8 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(49,4,10,2,'move 9 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(50,4,11,1,'move 10 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(51,4,12,2,'move 11 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(52,4,13,1,'move 12 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(53,4,14,2,'move 13 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(54,4,15,1,'move 14 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(55,4,16,2,'move 15 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(56,4,17,1,'move 16 of board 4','2026-11-22T22:15:03Z');
INSERT INTO comments VALUES(57,4,18,2,'move 17 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(58,4,19,1,'move 18 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(59,4,20,2,'move 19 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(60,4,21,1,'move 20 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(61,4,22,2,'move 21 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(62,4,23,1,'move 22 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(63,4,24,2,'move 23 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(64,4,25,1,'move 24 of board 4','2026-11-22T22:15:04Z');
INSERT INTO comments VALUES(65,5,1,1,'move 0 of board 5','2026-11-22T22:15:06Z');
INSERT INTO comments VALUES(66,5,2,2,'move 1 of board 5','2026-11-22T22:15:06Z');
INSERT INTO comments VALUES(67,5,3,1,'move 2 of board 5','2026-11-22T22:15:06Z');
INSERT INTO comments VALUES(68,5,4,2,'move 3 of board 5','2026-11-22T22:15:07Z');
INSERT INTO comments VALUES(69,5,5,1,'move 4 of board 5','2026-11-22T22:15:07Z');
INSERT INTO comments VALUES(70,6,1,1,'move 0 of board 6','2026-11-22T22:15:07Z');
INSERT INTO comments VALUES(71,6,2,2,'move 1 of board 6','2026-11-22T22:15:08Z');
INSERT INTO comments VALUES(72,6,3,1,'move 2 of board 6','2026-11-22T22:15:08Z');
INSERT INTO comments VALUES(73,6,4,2,'move 3 of board 6','2026-11-22T22:15:08Z');
INSERT INTO comments VALUES(74,6,5,1,'move 4 of board 6','2026-11-22T22:15:09Z');
INSERT INTO comments VALUES(75,7,1,1,'move 0 of board 7','2026-11-22T22:15:09Z');
INSERT INTO comments VALUES(76,7,2,2,'move 1 of board 7','2026-11-22T22:15:09Z');
INSERT INTO comments VALUES(77,7,3,1,'move 2 of board 7','2026-11-22T22:15:10Z');
INSERT INTO comments VALUES(78,7,4,2,'move 3 of board 7','2026-11-22T22:15:10Z');
INSERT INTO comments VALUES(79,7,5,1,'move 4 of board 7','2026-11-22T22:15:10Z');
INSERT INTO comments VALUES(80,8,1,1,'move 0 of board 8','2026-11-22T22:15:11Z');
INSERT INTO comments VALUES(81,8,2,2,'move 1 of board 8','2026-11-22T22:15:11Z');
INSERT INTO comments VALUES(82,8,3,1,'move 2 of board 8','2026-11-22T22:15:11Z');
INSERT INTO comments VALUES(83,8,4,2,'move 3 of board 8','2026-11-22T22:15:11Z');
INSERT INTO comments VALUES(84,8,5,1,'move 4 of board 8','2026-11-22T22:15:11Z');
INSERT INTO comments VALUES(85,11,1,3,'A draw?','2026-11-22T22:15:13Z');
INSERT INTO comments VALUES(86,5,5,2,'good luck','2026-11-22T22:15:14Z');
CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at TEXT NOT NULL CHECK (received_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    via         TEXT NOT NULL,
    truncated   INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    verdict     TEXT CHECK (verdict IN ('done', 'refused', 'repeated', 'ignored', 'poison')), -- NULL: it waits
    sender      TEXT,
    identity    TEXT,
    commands    TEXT,
    reason      TEXT,
    closed_at   TEXT CHECK (closed_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    raw         BLOB, author INTEGER REFERENCES players (id), -- last, because it is long; erased when the mail is closed, because it may hold a password
    CHECK ((verdict IS NULL) = (closed_at IS NULL)),
    CHECK ((verdict IS NULL) = (raw IS NOT NULL))
) STRICT;
INSERT INTO inbox VALUES(1,'2026-11-22T22:15:14Z','pipe',0,0,NULL,NULL,NULL,NULL,NULL,NULL,X'46726f6d3a20626f62406578616d706c652e6f72670a546f3a207475726e706f7374406c6f63616c686f73740a4d6573736167652d49443a203c39383734313137406578616d706c652e6f72673e0a5375626a6563743a206272697175652073686f7720320a0a',NULL);
INSERT INTO inbox VALUES(2,'2026-11-22T22:15:14Z','pipe',0,0,NULL,NULL,NULL,NULL,NULL,NULL,X'46726f6d3a20626f62406578616d706c652e6f72670a546f3a207475726e706f7374406c6f63616c686f73740a4d6573736167652d49443a203c383837313136333530406578616d706c652e6f72673e0a5375626a6563743a206d6172717565206d6f7665203520626f6220627269636b6c617965722062320a0a',NULL);
CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: it is part of the Message-ID
    player      INTEGER REFERENCES players (id),
    address     TEXT, -- the one address, when it does not go to all of the player's
    kind        TEXT NOT NULL,
    board       INTEGER REFERENCES boards (number),
    entry         INTEGER CHECK (entry BETWEEN 0 AND 4294967295),
    facts       TEXT NOT NULL,
    in_reply_to TEXT,
    domain      TEXT NOT NULL,
    created_at  TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at      TEXT CHECK (due_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    sent_at     TEXT CHECK (sent_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    error       TEXT, letter INTEGER REFERENCES outbox (id), held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1))
    CHECK (held = 0 OR (due_at IS NULL AND sent_at IS NULL)), bound_at TEXT CHECK (bound_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'), sent_form TEXT, sent_zone TEXT CHECK ((sent_zone IS NULL) = (sent_form IS NULL)),
    CHECK (sent_at IS NULL OR due_at IS NULL),
    CHECK (player IS NOT NULL OR address IS NOT NULL)
) STRICT;
INSERT INTO outbox VALUES(1,1,NULL,'challenge',1,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:58Z","deadline":"2026-12-13T22:14:58Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:58Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(2,2,NULL,'challenge',1,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:58Z","deadline":"2026-12-13T22:14:58Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:58Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(3,1,NULL,'move',1,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(4,2,NULL,'move',1,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(5,1,NULL,'move',1,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(6,2,NULL,'move',1,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(7,1,NULL,'move',1,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(8,2,NULL,'move',1,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(9,1,NULL,'move',1,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(10,2,NULL,'move',1,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(11,1,NULL,'move',1,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(12,2,NULL,'move',1,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(13,1,NULL,'move',1,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(14,2,NULL,'move',1,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(15,1,NULL,'move',1,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(16,2,NULL,'move',1,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(17,1,NULL,'move',1,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(18,2,NULL,'move',1,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(19,1,NULL,'move',1,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(20,2,NULL,'move',1,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(21,1,NULL,'move',1,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(22,2,NULL,'move',1,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(23,1,NULL,'end',1,11,'{"since":10,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(24,2,NULL,'end',1,11,'{"since":10,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 1"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(25,1,NULL,'challenge',2,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(26,2,NULL,'challenge',2,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(27,1,NULL,'move',2,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(28,2,NULL,'move',2,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:14:59Z","deadline":"2026-12-13T22:14:59Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:14:59Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(29,1,NULL,'move',2,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(30,2,NULL,'move',2,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(31,1,NULL,'move',2,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(32,2,NULL,'move',2,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(33,1,NULL,'move',2,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(34,2,NULL,'move',2,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(35,1,NULL,'move',2,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(36,2,NULL,'move',2,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(37,1,NULL,'move',2,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(38,2,NULL,'move',2,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(39,1,NULL,'move',2,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(40,2,NULL,'move',2,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(41,1,NULL,'move',2,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(42,2,NULL,'move',2,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(43,1,NULL,'move',2,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(44,2,NULL,'move',2,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(45,1,NULL,'move',2,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(46,2,NULL,'move',2,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(47,1,NULL,'move',2,11,'{"since":10,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(48,2,NULL,'move',2,11,'{"since":10,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(49,1,NULL,'move',2,12,'{"since":11,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 11 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(50,2,NULL,'move',2,12,'{"since":11,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 11 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(51,1,NULL,'move',2,13,'{"since":12,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 12 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(52,2,NULL,'move',2,13,'{"since":12,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:00Z","deadline":"2026-12-13T22:15:00Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 12 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:00Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(53,1,NULL,'move',2,14,'{"since":13,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 13 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(54,2,NULL,'move',2,14,'{"since":13,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 13 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(55,1,NULL,'end',2,15,'{"since":14,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 14 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(56,2,NULL,'end',2,15,'{"since":14,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 14 of board 2"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(57,1,NULL,'challenge',3,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(58,2,NULL,'challenge',3,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(59,1,NULL,'move',3,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(60,2,NULL,'move',3,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(61,1,NULL,'move',3,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(62,2,NULL,'move',3,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(63,1,NULL,'move',3,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(64,2,NULL,'move',3,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(65,1,NULL,'move',3,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(66,2,NULL,'move',3,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(67,1,NULL,'move',3,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(68,2,NULL,'move',3,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(69,1,NULL,'move',3,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(70,2,NULL,'move',3,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(71,1,NULL,'move',3,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(72,2,NULL,'move',3,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(73,1,NULL,'move',3,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(74,2,NULL,'move',3,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(75,1,NULL,'move',3,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(76,2,NULL,'move',3,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:01Z","deadline":"2026-12-13T22:15:01Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:01Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(77,1,NULL,'move',3,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(78,2,NULL,'move',3,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(79,1,NULL,'move',3,11,'{"since":10,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,1,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(80,2,NULL,'move',3,11,'{"since":10,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,2,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(81,1,NULL,'move',3,12,'{"since":11,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 11 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(82,2,NULL,'move',3,12,'{"since":11,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 11 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(83,1,NULL,'end',3,13,'{"since":12,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 12 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(84,2,NULL,'end',3,13,'{"since":12,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 12 of board 3"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(85,1,NULL,'challenge',4,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(86,2,NULL,'challenge',4,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(87,1,NULL,'move',4,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(88,2,NULL,'move',4,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(89,1,NULL,'move',4,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(90,2,NULL,'move',4,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(91,1,NULL,'move',4,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(92,2,NULL,'move',4,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(93,1,NULL,'move',4,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(94,2,NULL,'move',4,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(95,1,NULL,'move',4,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(96,2,NULL,'move',4,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(97,1,NULL,'move',4,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(98,2,NULL,'move',4,6,'{"since":5,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:02Z","deadline":"2026-12-13T22:15:02Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 5 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:02Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(99,1,NULL,'move',4,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(100,2,NULL,'move',4,7,'{"since":6,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 6 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(101,1,NULL,'move',4,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(102,2,NULL,'move',4,8,'{"since":7,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 7 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(103,1,NULL,'move',4,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(104,2,NULL,'move',4,9,'{"since":8,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 8 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(105,1,NULL,'move',4,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(106,2,NULL,'move',4,10,'{"since":9,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 9 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(107,1,NULL,'move',4,11,'{"since":10,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(108,2,NULL,'move',4,11,'{"since":10,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 10 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(109,1,NULL,'move',4,12,'{"since":11,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 11 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(110,2,NULL,'move',4,12,'{"since":11,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 11 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(111,1,NULL,'move',4,13,'{"since":12,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 12 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(112,2,NULL,'move',4,13,'{"since":12,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 12 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(113,1,NULL,'move',4,14,'{"since":13,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 13 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(114,2,NULL,'move',4,14,'{"since":13,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 13 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(115,1,NULL,'move',4,15,'{"since":14,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 14 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(116,2,NULL,'move',4,15,'{"since":14,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 14 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(117,1,NULL,'move',4,16,'{"since":15,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 15 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(118,2,NULL,'move',4,16,'{"since":15,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 15 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(119,1,NULL,'move',4,17,'{"since":16,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 16 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(120,2,NULL,'move',4,17,'{"since":16,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:03Z","deadline":"2026-12-13T22:15:03Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 16 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:03Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(121,1,NULL,'move',4,18,'{"since":17,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 17 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(122,2,NULL,'move',4,18,'{"since":17,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 17 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(123,1,NULL,'move',4,19,'{"since":18,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 18 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(124,2,NULL,'move',4,19,'{"since":18,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 18 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(125,1,NULL,'move',4,20,'{"since":19,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 19 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(126,2,NULL,'move',4,20,'{"since":19,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 19 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(127,1,NULL,'move',4,21,'{"since":20,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 20 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(128,2,NULL,'move',4,21,'{"since":20,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 20 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(129,1,NULL,'move',4,22,'{"since":21,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 21 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(130,2,NULL,'move',4,22,'{"since":21,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 21 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(131,1,NULL,'move',4,23,'{"since":22,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 22 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(132,2,NULL,'move',4,23,'{"since":22,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 22 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(133,1,NULL,'move',4,24,'{"since":23,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 23 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(134,2,NULL,'move',4,24,'{"since":23,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:04Z","deadline":"2026-12-13T22:15:04Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":true,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 23 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(135,1,NULL,'end',4,25,'{"since":24,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 24 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,81,0,'2026-11-22T22:15:04Z','html','UTC');
INSERT INTO outbox VALUES(136,2,NULL,'end',4,25,'{"since":24,"clock":null,"proposal":null,"comments":[{"userid":"alice","text":"move 24 of board 4"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:04Z',1,NULL,'2026-11-22T22:15:05Z',NULL,82,0,'2026-11-22T22:15:05Z','html','UTC');
INSERT INTO outbox VALUES(137,1,NULL,'challenge',5,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:05Z","deadline":"2026-12-13T22:15:05Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:05Z',1,NULL,'2026-11-22T22:15:06Z',NULL,137,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(138,2,NULL,'challenge',5,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:05Z","deadline":"2026-12-13T22:15:05Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:05Z',1,NULL,'2026-11-22T22:15:06Z',NULL,138,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(139,1,NULL,'move',5,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:06Z","deadline":"2026-12-13T22:15:06Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:06Z',1,NULL,'2026-11-22T22:15:06Z',NULL,139,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(140,2,NULL,'move',5,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:06Z","deadline":"2026-12-13T22:15:06Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:06Z',1,NULL,'2026-11-22T22:15:06Z',NULL,140,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(141,1,NULL,'move',5,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:06Z","deadline":"2026-12-13T22:15:06Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:06Z',1,NULL,'2026-11-22T22:15:06Z',NULL,141,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(142,2,NULL,'move',5,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:06Z","deadline":"2026-12-13T22:15:06Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:06Z',1,NULL,'2026-11-22T22:15:06Z',NULL,142,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(143,1,NULL,'move',5,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:06Z","deadline":"2026-12-13T22:15:06Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:06Z',1,NULL,'2026-11-22T22:15:07Z',NULL,143,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(144,2,NULL,'move',5,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:06Z","deadline":"2026-12-13T22:15:06Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:06Z',1,NULL,'2026-11-22T22:15:07Z',NULL,144,0,'2026-11-22T22:15:06Z','html','UTC');
INSERT INTO outbox VALUES(145,1,NULL,'move',5,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:07Z',NULL,145,0,'2026-11-22T22:15:07Z','html','UTC');
INSERT INTO outbox VALUES(146,2,NULL,'move',5,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:07Z',NULL,146,0,'2026-11-22T22:15:07Z','html','UTC');
INSERT INTO outbox VALUES(147,1,NULL,'move',5,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:07Z',NULL,147,0,'2026-11-22T22:15:07Z','html','UTC');
INSERT INTO outbox VALUES(148,2,NULL,'move',5,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 5"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:07Z',NULL,148,0,'2026-11-22T22:15:07Z','html','UTC');
INSERT INTO outbox VALUES(149,1,NULL,'challenge',6,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:07Z',NULL,149,0,'2026-11-22T22:15:07Z','html','UTC');
INSERT INTO outbox VALUES(150,2,NULL,'challenge',6,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:07Z',NULL,150,0,'2026-11-22T22:15:07Z','html','UTC');
INSERT INTO outbox VALUES(151,1,NULL,'move',6,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:08Z',NULL,151,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(152,2,NULL,'move',6,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:07Z',1,NULL,'2026-11-22T22:15:08Z',NULL,152,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(153,1,NULL,'move',6,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:08Z","deadline":"2026-12-13T22:15:08Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:08Z',1,NULL,'2026-11-22T22:15:08Z',NULL,153,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(154,2,NULL,'move',6,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:08Z","deadline":"2026-12-13T22:15:08Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:08Z',1,NULL,'2026-11-22T22:15:08Z',NULL,154,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(155,1,NULL,'move',6,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:08Z","deadline":"2026-12-13T22:15:08Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:08Z',1,NULL,'2026-11-22T22:15:08Z',NULL,155,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(156,2,NULL,'move',6,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:08Z","deadline":"2026-12-13T22:15:08Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:08Z',1,NULL,'2026-11-22T22:15:08Z',NULL,156,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(157,1,NULL,'move',6,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:08Z","deadline":"2026-12-13T22:15:08Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:08Z',1,NULL,'2026-11-22T22:15:08Z',NULL,157,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(158,2,NULL,'move',6,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:08Z","deadline":"2026-12-13T22:15:08Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:08Z',1,NULL,'2026-11-22T22:15:09Z',NULL,158,0,'2026-11-22T22:15:08Z','html','UTC');
INSERT INTO outbox VALUES(159,1,NULL,'move',6,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:09Z',NULL,159,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(160,2,NULL,'move',6,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 6"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:09Z',NULL,160,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(161,1,NULL,'challenge',7,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:09Z',NULL,161,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(162,2,NULL,'challenge',7,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:09Z',NULL,162,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(163,1,NULL,'move',7,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:09Z',NULL,163,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(164,2,NULL,'move',7,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:09Z',NULL,164,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(165,1,NULL,'move',7,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:10Z',NULL,165,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(166,2,NULL,'move',7,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:09Z","deadline":"2026-12-13T22:15:09Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:09Z',1,NULL,'2026-11-22T22:15:10Z',NULL,166,0,'2026-11-22T22:15:09Z','html','UTC');
INSERT INTO outbox VALUES(167,1,NULL,'move',7,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,167,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(168,2,NULL,'move',7,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,168,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(169,1,NULL,'move',7,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,169,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(170,2,NULL,'move',7,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,170,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(171,1,NULL,'move',7,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,171,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(172,2,NULL,'move',7,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 7"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,172,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(173,1,NULL,'challenge',8,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,173,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(174,2,NULL,'challenge',8,0,'{"since":0,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:10Z","deadline":"2026-12-13T22:15:10Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:10Z',1,NULL,'2026-11-22T22:15:10Z',NULL,174,0,'2026-11-22T22:15:10Z','html','UTC');
INSERT INTO outbox VALUES(175,1,NULL,'move',8,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,175,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(176,2,NULL,'move',8,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 0 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,176,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(177,1,NULL,'move',8,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,177,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(178,2,NULL,'move',8,2,'{"since":1,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 1 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,178,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(179,1,NULL,'move',8,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,179,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(180,2,NULL,'move',8,3,'{"since":2,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 2 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,180,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(181,1,NULL,'move',8,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,181,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(182,2,NULL,'move',8,4,'{"since":3,"clock":{"userid":"alice","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"move 3 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:11Z',NULL,182,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(183,1,NULL,'move',8,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:12Z',NULL,183,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(184,2,NULL,'move',8,5,'{"since":4,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:11Z","deadline":"2026-12-13T22:15:11Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"alice","text":"move 4 of board 8"}],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:11Z',1,NULL,'2026-11-22T22:15:12Z',NULL,184,0,'2026-11-22T22:15:11Z','html','UTC');
INSERT INTO outbox VALUES(185,3,NULL,'challenge',9,0,'{"since":0,"clock":{"userid":"carol","reminder_at":"2026-11-29T22:15:12Z","deadline":"2026-12-13T22:15:12Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:12Z',NULL,185,0,'2026-11-22T22:15:12Z','html','UTC');
INSERT INTO outbox VALUES(186,4,NULL,'challenge',9,0,'{"since":0,"clock":{"userid":"carol","reminder_at":"2026-11-29T22:15:12Z","deadline":"2026-12-13T22:15:12Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:12Z',NULL,186,0,'2026-11-22T22:15:12Z','html','UTC');
INSERT INTO outbox VALUES(187,3,NULL,'move',9,1,'{"since":0,"clock":{"userid":"dave","reminder_at":"2026-11-29T22:15:12Z","deadline":"2026-12-13T22:15:12Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:12Z',NULL,187,0,'2026-11-22T22:15:12Z','html','UTC');
INSERT INTO outbox VALUES(188,4,NULL,'move',9,1,'{"since":0,"clock":{"userid":"dave","reminder_at":"2026-11-29T22:15:12Z","deadline":"2026-12-13T22:15:12Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:12Z',NULL,188,0,'2026-11-22T22:15:12Z','html','UTC');
INSERT INTO outbox VALUES(189,3,NULL,'decline',9,1,'{"since":1,"clock":null,"proposal":null,"comments":[],"note":null,"dropped":null,"by":"dave","reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:12Z',NULL,189,0,'2026-11-22T22:15:12Z','html','UTC');
INSERT INTO outbox VALUES(190,4,NULL,'decline',9,1,'{"since":1,"clock":null,"proposal":null,"comments":[],"note":null,"dropped":null,"by":"dave","reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:12Z',NULL,190,0,'2026-11-22T22:15:12Z','html','UTC');
INSERT INTO outbox VALUES(191,3,NULL,'challenge',10,0,'{"since":0,"clock":{"userid":"carol","reminder_at":"2026-11-29T22:15:12Z","deadline":"2026-12-13T22:15:12Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:13Z',NULL,191,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(192,1,NULL,'challenge',10,0,'{"since":0,"clock":{"userid":"carol","reminder_at":"2026-11-29T22:15:12Z","deadline":"2026-12-13T22:15:12Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:12Z',1,NULL,'2026-11-22T22:15:13Z',NULL,192,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(193,3,NULL,'decline',10,0,'{"since":0,"clock":null,"proposal":null,"comments":[],"note":null,"dropped":null,"by":"alice","reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:13Z',NULL,193,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(194,1,NULL,'decline',10,0,'{"since":0,"clock":null,"proposal":null,"comments":[],"note":null,"dropped":null,"by":"alice","reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:13Z',NULL,194,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(195,3,NULL,'challenge',11,0,'{"since":0,"clock":{"userid":"carol","reminder_at":"2026-11-29T22:15:13Z","deadline":"2026-12-13T22:15:13Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:13Z',NULL,195,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(196,2,NULL,'challenge',11,0,'{"since":0,"clock":{"userid":"carol","reminder_at":"2026-11-29T22:15:13Z","deadline":"2026-12-13T22:15:13Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:13Z',NULL,196,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(197,3,NULL,'move',11,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:13Z","deadline":"2026-12-13T22:15:13Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:13Z',NULL,197,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(198,2,NULL,'move',11,1,'{"since":0,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:13Z","deadline":"2026-12-13T22:15:13Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[],"note":null,"dropped":null,"by":null,"reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:13Z',NULL,198,0,'2026-11-22T22:15:13Z','html','UTC');
INSERT INTO outbox VALUES(199,3,NULL,'propose',11,1,'{"since":1,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:13Z","deadline":"2026-12-13T22:15:13Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":{"kind":"draw","by":"carol"},"comments":[{"userid":"carol","text":"A draw?"}],"note":null,"dropped":null,"by":"carol","reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:14Z',NULL,199,0,'2026-11-22T22:15:14Z','html','UTC');
INSERT INTO outbox VALUES(200,2,NULL,'propose',11,1,'{"since":1,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:13Z","deadline":"2026-12-13T22:15:13Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":{"kind":"draw","by":"carol"},"comments":[{"userid":"carol","text":"A draw?"}],"note":null,"dropped":null,"by":"carol","reminders":0}',NULL,'localhost','2026-11-22T22:15:13Z',1,NULL,'2026-11-22T22:15:14Z',NULL,200,0,'2026-11-22T22:15:14Z','html','UTC');
INSERT INTO outbox VALUES(201,1,NULL,'chat',5,5,'{"since":5,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"good luck"}],"note":null,"dropped":null,"by":"bob","reminders":0}',NULL,'localhost','2026-11-22T22:15:14Z',1,NULL,'2026-11-22T22:15:14Z',NULL,201,0,'2026-11-22T22:15:14Z','html','UTC');
INSERT INTO outbox VALUES(202,2,NULL,'chat',5,5,'{"since":5,"clock":{"userid":"bob","reminder_at":"2026-11-29T22:15:07Z","deadline":"2026-12-13T22:15:07Z","left_days":21.0,"stands_until":null,"out_of_reach":false,"letters_stopped":false,"total_days":0,"used_days":[0.0,0.0]},"proposal":null,"comments":[{"userid":"bob","text":"good luck"}],"note":"the corner is weak","dropped":null,"by":"bob","reminders":0}',NULL,'localhost','2026-11-22T22:15:14Z',1,NULL,'2026-11-22T22:15:14Z',NULL,202,0,'2026-11-22T22:15:14Z','html','UTC');
INSERT INTO outbox VALUES(203,4,NULL,'message',NULL,NULL,'{"by":"carol","text":"good morning"}',NULL,'localhost','2026-11-22T22:15:14Z',1,'2026-11-22T22:20:14Z',NULL,'Connection error: Connection refused (os error 111)',203,0,'2026-11-22T22:15:14Z',NULL,NULL);
CREATE TABLE IF NOT EXISTS "moves" (
    board         INTEGER NOT NULL REFERENCES boards (number),
    entry         INTEGER NOT NULL CHECK (entry BETWEEN 1 AND 4294967295),
    kind          TEXT NOT NULL CHECK (kind IN ('move', 'undo', 'resign', 'draw', 'forfeit', 'adjudge')),
    ply           INTEGER NOT NULL CHECK (ply BETWEEN 0 AND 4294967295),
    seat          INTEGER CHECK (seat IN (1, 2)), -- NULL: the administrator's entry
    text          TEXT NOT NULL CHECK (text <> ''),
    made_at       TEXT NOT NULL CHECK (made_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    via           TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash          TEXT NOT NULL CHECK (hash <> previous_hash),
    PRIMARY KEY (board, entry),
    CHECK ((seat IS NULL) = (kind = 'adjudge'))
) STRICT, WITHOUT ROWID;
INSERT INTO moves VALUES(1,1,'move',1,1,'d1','2026-11-22T22:14:59Z','shell','8a39dec2311c1a3bc1fb88394b76b8c093a105566863098efdb533ce13bbdd92','ce7d7bee7db8e8b5fcad59e55596789245f216af92f618cb1d9037b5733cf2f7');
INSERT INTO moves VALUES(1,2,'move',2,2,'a2','2026-11-22T22:14:59Z','shell','ce7d7bee7db8e8b5fcad59e55596789245f216af92f618cb1d9037b5733cf2f7','41903a1be69dda5f942439b26153161a3ad02fdcb0e60e4e2bf3452cb4a0dbe2');
INSERT INTO moves VALUES(1,3,'move',3,1,'a1','2026-11-22T22:14:59Z','shell','41903a1be69dda5f942439b26153161a3ad02fdcb0e60e4e2bf3452cb4a0dbe2','8d4cc9a24c4f6ed870bf681090ab4cc721699eff685cc8aee0039f5e6339cab9');
INSERT INTO moves VALUES(1,4,'move',4,2,'b1','2026-11-22T22:14:59Z','shell','8d4cc9a24c4f6ed870bf681090ab4cc721699eff685cc8aee0039f5e6339cab9','7533bfc321fff7df9f788f128d3f01b775b13fa10325d6af880049cb5e5d8a49');
INSERT INTO moves VALUES(1,5,'move',5,1,'e2,f1','2026-11-22T22:14:59Z','shell','7533bfc321fff7df9f788f128d3f01b775b13fa10325d6af880049cb5e5d8a49','85fe77209a19be2fcffe4941e9841ded999027bf78170df06de2ba4b623f8602');
INSERT INTO moves VALUES(1,6,'move',6,2,'b2','2026-11-22T22:14:59Z','shell','85fe77209a19be2fcffe4941e9841ded999027bf78170df06de2ba4b623f8602','a80fa405b4f1ac8395dc12348c84de08f797843071aa5f3bbb723937523ebc60');
INSERT INTO moves VALUES(1,7,'move',7,1,'j2','2026-11-22T22:14:59Z','shell','a80fa405b4f1ac8395dc12348c84de08f797843071aa5f3bbb723937523ebc60','68d862482e4312dfbc77eea89cc1c20f00b5df06c3a90dc024d48b86f9dfda35');
INSERT INTO moves VALUES(1,8,'move',8,2,'d2','2026-11-22T22:14:59Z','shell','68d862482e4312dfbc77eea89cc1c20f00b5df06c3a90dc024d48b86f9dfda35','392f39ddb8ead881f4294570274af8a7c7baa64733aad16fb30adcf592ec0237');
INSERT INTO moves VALUES(1,9,'move',9,1,'j1,k2','2026-11-22T22:14:59Z','shell','392f39ddb8ead881f4294570274af8a7c7baa64733aad16fb30adcf592ec0237','fcd567935b703ab16a7f4a8d7fc7917f9af4ccf7129a9a5131ef185cf7dc11f4');
INSERT INTO moves VALUES(1,10,'move',10,2,'u2','2026-11-22T22:14:59Z','shell','fcd567935b703ab16a7f4a8d7fc7917f9af4ccf7129a9a5131ef185cf7dc11f4','7e29d6f78438ee745b3a928edaffcdeddc8436bfaf12f4714607e90ee8ddba38');
INSERT INTO moves VALUES(1,11,'move',11,1,'h2','2026-11-22T22:14:59Z','shell','7e29d6f78438ee745b3a928edaffcdeddc8436bfaf12f4714607e90ee8ddba38','b5457914791dc7cd5cc435bdb37a2770258b5ab44dea549fa1720b4fb6d8ccce');
INSERT INTO moves VALUES(2,1,'move',1,1,'b1','2026-11-22T22:14:59Z','shell','32c81046549c3dbed3a4a313c132a7875479a43cc421e8f7be82d97f56175073','8534b709f4b3c761305459a89eee86bc9655847225204244bd5e6bc3c86a593b');
INSERT INTO moves VALUES(2,2,'move',2,2,'swap','2026-11-22T22:15:00Z','shell','8534b709f4b3c761305459a89eee86bc9655847225204244bd5e6bc3c86a593b','b1e9f827f458b2dba490b37e97c1ed00158f550c567cd090102bc7c5a92d40fd');
INSERT INTO moves VALUES(2,3,'move',3,1,'e5','2026-11-22T22:15:00Z','shell','b1e9f827f458b2dba490b37e97c1ed00158f550c567cd090102bc7c5a92d40fd','56b6d5a6c489d2884430b5fe597692c3a2e13ffddd8ac695a3fd2168fef1f0af');
INSERT INTO moves VALUES(2,4,'move',4,2,'a4','2026-11-22T22:15:00Z','shell','56b6d5a6c489d2884430b5fe597692c3a2e13ffddd8ac695a3fd2168fef1f0af','7018382d85116a95099bcc838fb4c85459ede2e1467d765af6700aa2e34b456a');
INSERT INTO moves VALUES(2,5,'move',5,1,'b4','2026-11-22T22:15:00Z','shell','7018382d85116a95099bcc838fb4c85459ede2e1467d765af6700aa2e34b456a','6380ef87240a8283111496d8c37f40cffa8572686b9de633cfe2464693d3e00e');
INSERT INTO moves VALUES(2,6,'move',6,2,'d1','2026-11-22T22:15:00Z','shell','6380ef87240a8283111496d8c37f40cffa8572686b9de633cfe2464693d3e00e','5b6d9497ab4b6588355984654459422f268e7209e659e2c51b4daa61f4a0fcca');
INSERT INTO moves VALUES(2,7,'move',7,1,'c4','2026-11-22T22:15:00Z','shell','5b6d9497ab4b6588355984654459422f268e7209e659e2c51b4daa61f4a0fcca','642647178aba3e5d552629d3e7f5bb20d554f89f672c222be79d04204bd39ff4');
INSERT INTO moves VALUES(2,8,'move',8,2,'a5','2026-11-22T22:15:00Z','shell','642647178aba3e5d552629d3e7f5bb20d554f89f672c222be79d04204bd39ff4','c30ee8ee720a12dd1b7e6882a805a924c1f3267beee4f02d66fd947c40bf8b68');
INSERT INTO moves VALUES(2,9,'move',9,1,'e1','2026-11-22T22:15:00Z','shell','c30ee8ee720a12dd1b7e6882a805a924c1f3267beee4f02d66fd947c40bf8b68','902f0ca0f2cf07bc017d8cceb7eddad6d8765f0b2c67ec7d7eef5ea44fff170d');
INSERT INTO moves VALUES(2,10,'move',10,2,'d2','2026-11-22T22:15:00Z','shell','902f0ca0f2cf07bc017d8cceb7eddad6d8765f0b2c67ec7d7eef5ea44fff170d','f846e63825065d462b4ed57d24431fcb39d317f529b821c4f184e96113689e5e');
INSERT INTO moves VALUES(2,11,'move',11,1,'a3','2026-11-22T22:15:00Z','shell','f846e63825065d462b4ed57d24431fcb39d317f529b821c4f184e96113689e5e','39028afdd64cf01bed848fb2de58b23bea3359eeb0b9bd6421e28e7839a93c39');
INSERT INTO moves VALUES(2,12,'move',12,2,'c3','2026-11-22T22:15:00Z','shell','39028afdd64cf01bed848fb2de58b23bea3359eeb0b9bd6421e28e7839a93c39','24b9e4259b62d0bee30f921f3715efc7e6c4187fd5a1214da8d0094fb01f8fb3');
INSERT INTO moves VALUES(2,13,'move',13,1,'c2','2026-11-22T22:15:00Z','shell','24b9e4259b62d0bee30f921f3715efc7e6c4187fd5a1214da8d0094fb01f8fb3','4c421a79ec1d6d8661c68242efc72a19038981ec7b56ba48e185a3d4a363bea3');
INSERT INTO moves VALUES(2,14,'move',14,2,'c1','2026-11-22T22:15:01Z','shell','4c421a79ec1d6d8661c68242efc72a19038981ec7b56ba48e185a3d4a363bea3','61a80028942e5762b005ceb794c524b3c55de32e4173da5f7bfc6e89b0bb1751');
INSERT INTO moves VALUES(2,15,'move',15,1,'d4','2026-11-22T22:15:01Z','shell','61a80028942e5762b005ceb794c524b3c55de32e4173da5f7bfc6e89b0bb1751','c7a52abf9133bfcba841a11d8298ca138762df43db8104e5e52cdef4d847825a');
INSERT INTO moves VALUES(3,1,'move',1,1,'f2-e2','2026-11-22T22:15:01Z','shell','d64f2ec86e33e68280d4ab682ac8aec888cc9d25860fc16f33f04d6ff8f3c8f9','e47d9d3c7aeb9e09d109b2671dbf96948571cb035bd163ccbb645d69d603f334');
INSERT INTO moves VALUES(3,2,'move',2,2,'b6-a5','2026-11-22T22:15:01Z','shell','e47d9d3c7aeb9e09d109b2671dbf96948571cb035bd163ccbb645d69d603f334','fb9e783cee5e01332961e3734ba653c0a62792d68c9a7e021e834c1fae7e8864');
INSERT INTO moves VALUES(3,3,'move',3,1,'b4xa5','2026-11-22T22:15:01Z','shell','fb9e783cee5e01332961e3734ba653c0a62792d68c9a7e021e834c1fae7e8864','1ed994f5cc3b5ddd3116269c19a66032bfd556b3b1e286b06a8307ff03454454');
INSERT INTO moves VALUES(3,4,'move',4,2,'g7-f7','2026-11-22T22:15:01Z','shell','1ed994f5cc3b5ddd3116269c19a66032bfd556b3b1e286b06a8307ff03454454','eab731e8214fb7e6846a5379c4f9570f2a4124b1f672e382564dd63b281ca860');
INSERT INTO moves VALUES(3,5,'move',5,1,'h4-g5','2026-11-22T22:15:01Z','shell','eab731e8214fb7e6846a5379c4f9570f2a4124b1f672e382564dd63b281ca860','6c9671fa8053fd5a7ebcc3146c99490d8c50d5622739f07c1c3f9388f4e58010');
INSERT INTO moves VALUES(3,6,'move',6,2,'f7-g7','2026-11-22T22:15:01Z','shell','6c9671fa8053fd5a7ebcc3146c99490d8c50d5622739f07c1c3f9388f4e58010','ba1a87b77581c20216d9a4999c37d9445f2099428be260d8cf69e6f3b8cddf83');
INSERT INTO moves VALUES(3,7,'move',7,1,'g5xh6','2026-11-22T22:15:01Z','shell','ba1a87b77581c20216d9a4999c37d9445f2099428be260d8cf69e6f3b8cddf83','d460ed9425d65f5dbb04ef7ff959fd48ede749ae85dd5db457778531dc8cb8d4');
INSERT INTO moves VALUES(3,8,'move',8,2,'g7xh6','2026-11-22T22:15:01Z','shell','d460ed9425d65f5dbb04ef7ff959fd48ede749ae85dd5db457778531dc8cb8d4','9dfb0904580db1a76c9e87ff861dd56eb8e8d1dc33c4c519cb75acd79dc03867');
INSERT INTO moves VALUES(3,9,'move',9,1,'g3-f2','2026-11-22T22:15:01Z','shell','9dfb0904580db1a76c9e87ff861dd56eb8e8d1dc33c4c519cb75acd79dc03867','e34cd06ab2341ee25dc0463a2cda177f4eb94121e806677bbbd4db32a89874ad');
INSERT INTO moves VALUES(3,10,'move',10,2,'c7xa5','2026-11-22T22:15:02Z','shell','e34cd06ab2341ee25dc0463a2cda177f4eb94121e806677bbbd4db32a89874ad','8da619b736b6b9f38faba478ebb1f406e688fc5c439e1434f0d263f22014512f');
INSERT INTO moves VALUES(3,11,'move',11,1,'e2xe9','2026-11-22T22:15:02Z','shell','8da619b736b6b9f38faba478ebb1f406e688fc5c439e1434f0d263f22014512f','c28b62c69c3669a7edd18417497ae5adb7334cf2528b43ff224d549811338a23');
INSERT INTO moves VALUES(3,12,'move',12,2,'f8-e8','2026-11-22T22:15:02Z','shell','c28b62c69c3669a7edd18417497ae5adb7334cf2528b43ff224d549811338a23','15b53af78f281797c82e9e46114bd6588107ee6149383bab07daf6c56371aaca');
INSERT INTO moves VALUES(3,13,'move',13,1,'c3xa5','2026-11-22T22:15:02Z','shell','15b53af78f281797c82e9e46114bd6588107ee6149383bab07daf6c56371aaca','8fedca61c43a0c19d66988ac3c204ba5e79e3a0496e8f2948e04c02bfd72dce2');
INSERT INTO moves VALUES(4,1,'move',1,1,'d8','2026-11-22T22:15:02Z','shell','9b6487d39a6709d3223609ad3da186d1bf7ffaf54f23b8089f7bea06e60d9db2','40045c6c0b6c12e3ffd6a296e3e2a42e57210adddff5b081425a9bf3347a1714');
INSERT INTO moves VALUES(4,2,'move',2,2,'d7','2026-11-22T22:15:02Z','shell','40045c6c0b6c12e3ffd6a296e3e2a42e57210adddff5b081425a9bf3347a1714','5c6f1b2793af22035a80b97484c2c0c05aa22462b57361c7dfa4830155043e27');
INSERT INTO moves VALUES(4,3,'move',3,1,'d6','2026-11-22T22:15:02Z','shell','5c6f1b2793af22035a80b97484c2c0c05aa22462b57361c7dfa4830155043e27','a434d79c6d62199483cccabea8d7da35e9dd5901aea9a6ba3173286fa5d1c7d3');
INSERT INTO moves VALUES(4,4,'move',4,2,'d5','2026-11-22T22:15:02Z','shell','a434d79c6d62199483cccabea8d7da35e9dd5901aea9a6ba3173286fa5d1c7d3','73e0db5b944308758164564209918f030242b4d6de5356567072f67288a53272');
INSERT INTO moves VALUES(4,5,'move',5,1,'d4','2026-11-22T22:15:02Z','shell','73e0db5b944308758164564209918f030242b4d6de5356567072f67288a53272','c2d79b1f749dfea7a89da311eee0969c176c40f6e678f82852740f0449658b90');
INSERT INTO moves VALUES(4,6,'move',6,2,'d3','2026-11-22T22:15:02Z','shell','c2d79b1f749dfea7a89da311eee0969c176c40f6e678f82852740f0449658b90','d4a12624b3d672fd9caa9c378494249fd3bc26c0d5962c46040a98662eb45722');
INSERT INTO moves VALUES(4,7,'move',7,1,'d2','2026-11-22T22:15:03Z','shell','d4a12624b3d672fd9caa9c378494249fd3bc26c0d5962c46040a98662eb45722','08a7a353797773d42895f6cafbec226d3dab9a3857ecc55315e2b1eb8305d8aa');
INSERT INTO moves VALUES(4,8,'move',8,2,'d1','2026-11-22T22:15:03Z','shell','08a7a353797773d42895f6cafbec226d3dab9a3857ecc55315e2b1eb8305d8aa','83d286bf333177f23f0fdbba65b0e82f6b405bddcd6df98cdef7dacd57aa1f4d');
INSERT INTO moves VALUES(4,9,'move',9,1,'b5','2026-11-22T22:15:03Z','shell','83d286bf333177f23f0fdbba65b0e82f6b405bddcd6df98cdef7dacd57aa1f4d','bd336f6e128ac42330a3a3af72d5e0d6ebde2a68b2ed8766896bc0516f60d7c0');
INSERT INTO moves VALUES(4,10,'move',10,2,'c7','2026-11-22T22:15:03Z','shell','bd336f6e128ac42330a3a3af72d5e0d6ebde2a68b2ed8766896bc0516f60d7c0','25cfdde77a9a625030a74167804a2ac375861032532b72e90033be73b775eddc');
INSERT INTO moves VALUES(4,11,'move',11,1,'c7','2026-11-22T22:15:03Z','shell','25cfdde77a9a625030a74167804a2ac375861032532b72e90033be73b775eddc','2f92790567237aabbcfd44125678cee236bf74fc2ea9aadb0e57dc8951f68e97');
INSERT INTO moves VALUES(4,12,'move',12,2,'c3','2026-11-22T22:15:03Z','shell','2f92790567237aabbcfd44125678cee236bf74fc2ea9aadb0e57dc8951f68e97','41feed2536ba64f95b07a5c98e25bc08011faf3c85a66a248246adb5a86a3410');
INSERT INTO moves VALUES(4,13,'move',13,1,'c3','2026-11-22T22:15:03Z','shell','41feed2536ba64f95b07a5c98e25bc08011faf3c85a66a248246adb5a86a3410','587ca5f689e4e0576bfccafa1c93921c0e466075678d7133389b2dfab56894f7');
INSERT INTO moves VALUES(4,14,'move',14,2,'c6','2026-11-22T22:15:03Z','shell','587ca5f689e4e0576bfccafa1c93921c0e466075678d7133389b2dfab56894f7','58091b7482035bc0028499c28a59a226591e3b2101ac04c9d19ef05c45441291');
INSERT INTO moves VALUES(4,15,'move',15,1,'b6','2026-11-22T22:15:03Z','shell','58091b7482035bc0028499c28a59a226591e3b2101ac04c9d19ef05c45441291','c0e61a7511c5c6cf9ef5c5f8e14882a345c0056917779367fb982124eb04882a');
INSERT INTO moves VALUES(4,16,'move',16,2,'c6','2026-11-22T22:15:03Z','shell','c0e61a7511c5c6cf9ef5c5f8e14882a345c0056917779367fb982124eb04882a','0cb35d5fced0c9bad48ac71504c122fe2a40b4332a5b534e1c3b88f33d760acc');
INSERT INTO moves VALUES(4,17,'move',17,1,'a5','2026-11-22T22:15:03Z','shell','0cb35d5fced0c9bad48ac71504c122fe2a40b4332a5b534e1c3b88f33d760acc','ed87a5827414a0a7a69e3193cf6b383cbb86e524701f3c0aebba8b0626c2d39f');
INSERT INTO moves VALUES(4,18,'move',18,2,'b6','2026-11-22T22:15:04Z','shell','ed87a5827414a0a7a69e3193cf6b383cbb86e524701f3c0aebba8b0626c2d39f','abc5582bb82eb61a774c97dfbc9e6f708b35493dca8c0215fcbb09874714eea0');
INSERT INTO moves VALUES(4,19,'move',19,1,'b6','2026-11-22T22:15:04Z','shell','abc5582bb82eb61a774c97dfbc9e6f708b35493dca8c0215fcbb09874714eea0','0e9c69f7b547a9cf0900a3ece51d836da10ddb528c870e7b530a6ca8bd4421c9');
INSERT INTO moves VALUES(4,20,'move',20,2,'a5','2026-11-22T22:15:04Z','shell','0e9c69f7b547a9cf0900a3ece51d836da10ddb528c870e7b530a6ca8bd4421c9','33407c78d9e9c31d2933aef4573b3975889228f7a545ba0ee29cc9fe61e0c411');
INSERT INTO moves VALUES(4,21,'move',21,1,'c5','2026-11-22T22:15:04Z','shell','33407c78d9e9c31d2933aef4573b3975889228f7a545ba0ee29cc9fe61e0c411','697fa3d7963227d36798eb7c1c2e08f53d99e36fdd4ed3dd92f017d64da0146e');
INSERT INTO moves VALUES(4,22,'move',22,2,'b4','2026-11-22T22:15:04Z','shell','697fa3d7963227d36798eb7c1c2e08f53d99e36fdd4ed3dd92f017d64da0146e','61eb29aafd068b6671c3d12426505c63e3c3451130ee0a00926dc7e69973c4a0');
INSERT INTO moves VALUES(4,23,'move',23,1,'c5','2026-11-22T22:15:04Z','shell','61eb29aafd068b6671c3d12426505c63e3c3451130ee0a00926dc7e69973c4a0','aafc656b7e1cace74fc32d922b002a5dce4fc30436e4f9c60afe99e6b7e049ea');
INSERT INTO moves VALUES(4,24,'move',24,2,'b5','2026-11-22T22:15:04Z','shell','aafc656b7e1cace74fc32d922b002a5dce4fc30436e4f9c60afe99e6b7e049ea','6da6f6cfc1a6d1fdc129505f34ff25146540e43fa9beaddb4ef5a35c4a2043f6');
INSERT INTO moves VALUES(4,25,'move',25,1,'b5','2026-11-22T22:15:04Z','shell','6da6f6cfc1a6d1fdc129505f34ff25146540e43fa9beaddb4ef5a35c4a2043f6','13857c73f8aee2b3765b5ae86224ab20706253264312d75d28a8aa9429609e06');
INSERT INTO moves VALUES(5,1,'move',1,1,'d1','2026-11-22T22:15:06Z','shell','8a39dec2311c1a3bc1fb88394b76b8c093a105566863098efdb533ce13bbdd92','ce7d7bee7db8e8b5fcad59e55596789245f216af92f618cb1d9037b5733cf2f7');
INSERT INTO moves VALUES(5,2,'move',2,2,'a2','2026-11-22T22:15:06Z','shell','ce7d7bee7db8e8b5fcad59e55596789245f216af92f618cb1d9037b5733cf2f7','41903a1be69dda5f942439b26153161a3ad02fdcb0e60e4e2bf3452cb4a0dbe2');
INSERT INTO moves VALUES(5,3,'move',3,1,'a1','2026-11-22T22:15:06Z','shell','41903a1be69dda5f942439b26153161a3ad02fdcb0e60e4e2bf3452cb4a0dbe2','8d4cc9a24c4f6ed870bf681090ab4cc721699eff685cc8aee0039f5e6339cab9');
INSERT INTO moves VALUES(5,4,'move',4,2,'b1','2026-11-22T22:15:07Z','shell','8d4cc9a24c4f6ed870bf681090ab4cc721699eff685cc8aee0039f5e6339cab9','7533bfc321fff7df9f788f128d3f01b775b13fa10325d6af880049cb5e5d8a49');
INSERT INTO moves VALUES(5,5,'move',5,1,'e2,f1','2026-11-22T22:15:07Z','shell','7533bfc321fff7df9f788f128d3f01b775b13fa10325d6af880049cb5e5d8a49','85fe77209a19be2fcffe4941e9841ded999027bf78170df06de2ba4b623f8602');
INSERT INTO moves VALUES(6,1,'move',1,1,'b1','2026-11-22T22:15:07Z','shell','32c81046549c3dbed3a4a313c132a7875479a43cc421e8f7be82d97f56175073','8534b709f4b3c761305459a89eee86bc9655847225204244bd5e6bc3c86a593b');
INSERT INTO moves VALUES(6,2,'move',2,2,'swap','2026-11-22T22:15:08Z','shell','8534b709f4b3c761305459a89eee86bc9655847225204244bd5e6bc3c86a593b','b1e9f827f458b2dba490b37e97c1ed00158f550c567cd090102bc7c5a92d40fd');
INSERT INTO moves VALUES(6,3,'move',3,1,'e5','2026-11-22T22:15:08Z','shell','b1e9f827f458b2dba490b37e97c1ed00158f550c567cd090102bc7c5a92d40fd','56b6d5a6c489d2884430b5fe597692c3a2e13ffddd8ac695a3fd2168fef1f0af');
INSERT INTO moves VALUES(6,4,'move',4,2,'a4','2026-11-22T22:15:08Z','shell','56b6d5a6c489d2884430b5fe597692c3a2e13ffddd8ac695a3fd2168fef1f0af','7018382d85116a95099bcc838fb4c85459ede2e1467d765af6700aa2e34b456a');
INSERT INTO moves VALUES(6,5,'move',5,1,'b4','2026-11-22T22:15:09Z','shell','7018382d85116a95099bcc838fb4c85459ede2e1467d765af6700aa2e34b456a','6380ef87240a8283111496d8c37f40cffa8572686b9de633cfe2464693d3e00e');
INSERT INTO moves VALUES(7,1,'move',1,1,'f2-e2','2026-11-22T22:15:09Z','shell','d64f2ec86e33e68280d4ab682ac8aec888cc9d25860fc16f33f04d6ff8f3c8f9','e47d9d3c7aeb9e09d109b2671dbf96948571cb035bd163ccbb645d69d603f334');
INSERT INTO moves VALUES(7,2,'move',2,2,'b6-a5','2026-11-22T22:15:09Z','shell','e47d9d3c7aeb9e09d109b2671dbf96948571cb035bd163ccbb645d69d603f334','fb9e783cee5e01332961e3734ba653c0a62792d68c9a7e021e834c1fae7e8864');
INSERT INTO moves VALUES(7,3,'move',3,1,'b4xa5','2026-11-22T22:15:10Z','shell','fb9e783cee5e01332961e3734ba653c0a62792d68c9a7e021e834c1fae7e8864','1ed994f5cc3b5ddd3116269c19a66032bfd556b3b1e286b06a8307ff03454454');
INSERT INTO moves VALUES(7,4,'move',4,2,'g7-f7','2026-11-22T22:15:10Z','shell','1ed994f5cc3b5ddd3116269c19a66032bfd556b3b1e286b06a8307ff03454454','eab731e8214fb7e6846a5379c4f9570f2a4124b1f672e382564dd63b281ca860');
INSERT INTO moves VALUES(7,5,'move',5,1,'h4-g5','2026-11-22T22:15:10Z','shell','eab731e8214fb7e6846a5379c4f9570f2a4124b1f672e382564dd63b281ca860','6c9671fa8053fd5a7ebcc3146c99490d8c50d5622739f07c1c3f9388f4e58010');
INSERT INTO moves VALUES(8,1,'move',1,1,'d8','2026-11-22T22:15:11Z','shell','9b6487d39a6709d3223609ad3da186d1bf7ffaf54f23b8089f7bea06e60d9db2','40045c6c0b6c12e3ffd6a296e3e2a42e57210adddff5b081425a9bf3347a1714');
INSERT INTO moves VALUES(8,2,'move',2,2,'d7','2026-11-22T22:15:11Z','shell','40045c6c0b6c12e3ffd6a296e3e2a42e57210adddff5b081425a9bf3347a1714','5c6f1b2793af22035a80b97484c2c0c05aa22462b57361c7dfa4830155043e27');
INSERT INTO moves VALUES(8,3,'move',3,1,'d6','2026-11-22T22:15:11Z','shell','5c6f1b2793af22035a80b97484c2c0c05aa22462b57361c7dfa4830155043e27','a434d79c6d62199483cccabea8d7da35e9dd5901aea9a6ba3173286fa5d1c7d3');
INSERT INTO moves VALUES(8,4,'move',4,2,'d5','2026-11-22T22:15:11Z','shell','a434d79c6d62199483cccabea8d7da35e9dd5901aea9a6ba3173286fa5d1c7d3','73e0db5b944308758164564209918f030242b4d6de5356567072f67288a53272');
INSERT INTO moves VALUES(8,5,'move',5,1,'d4','2026-11-22T22:15:11Z','shell','73e0db5b944308758164564209918f030242b4d6de5356567072f67288a53272','c2d79b1f749dfea7a89da311eee0969c176c40f6e678f82852740f0449658b90');
INSERT INTO moves VALUES(9,1,'move',1,1,'f3','2026-11-22T22:15:12Z','shell','b8ab90fe5f98858a4a9a12719390031ae53200cb958619d52b11e087fbbfc4ab','66f5d86075d4a1800b8c9d1e90a96e806c64e2f5726d6626aad84a66ba7fb34f');
INSERT INTO moves VALUES(11,1,'move',1,1,'c3','2026-11-22T22:15:13Z','shell','c9e8a159d6e5a5b708838475a13acff6a451a8a568c3fd5868399500a749600f','7ed581b343316eb7a3cfa78ae5c1a15904f9824d2aea0077305ebc4fd7e968de');
CREATE TABLE vacations (
    player   INTEGER NOT NULL REFERENCES players (id),
    from_at  TEXT NOT NULL CHECK (from_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    until_at TEXT NOT NULL CHECK (until_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    PRIMARY KEY (player, from_at),
    CHECK (from_at < until_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE wishes (
    player INTEGER NOT NULL REFERENCES players (id),
    game   TEXT NOT NULL,
    seeks  INTEGER NOT NULL DEFAULT 0 CHECK (seeks >= 0), -- opponents
    most   INTEGER CHECK (most >= 0), -- boards at a time; NULL: any
    PRIMARY KEY (player, game)
) STRICT, WITHOUT ROWID;
CREATE TABLE offers (
    number       INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 4294967295),
    game         TEXT NOT NULL,
    options      TEXT NOT NULL,
    challenger   INTEGER NOT NULL REFERENCES players (id),
    seat         INTEGER NOT NULL CHECK (seat IN (1, 2)), -- the challenger's
    rated        INTEGER NOT NULL CHECK (rated IN (0, 1)),
    private      INTEGER NOT NULL CHECK (private IN (0, 1)),
    nag_days     INTEGER NOT NULL CHECK (nag_days >= 0),
    forfeit_days INTEGER NOT NULL CHECK (forfeit_days >= 0),
    total_days   INTEGER NOT NULL CHECK (total_days >= 0),
    comment      TEXT,
    created_at   TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    closed_at    TEXT CHECK (closed_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
INSERT INTO offers VALUES(12,'tessella','',4,1,1,0,7,21,0,NULL,'2026-11-22T22:15:14Z',NULL);
CREATE TABLE followers (
    id        INTEGER PRIMARY KEY,
    player    INTEGER NOT NULL REFERENCES players (id),
    board     INTEGER REFERENCES boards (number),
    game      TEXT,
    ends_only INTEGER NOT NULL CHECK (ends_only IN (0, 1)),
    CHECK ((board IS NULL) <> (game IS NULL))
) STRICT;
INSERT INTO followers VALUES(1,3,5,NULL,1);
CREATE TABLE notes (
    board      INTEGER NOT NULL REFERENCES boards (number),
    player     INTEGER NOT NULL REFERENCES players (id),
    text       TEXT NOT NULL CHECK (text <> ''),
    written_at TEXT NOT NULL CHECK (written_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    PRIMARY KEY (board, player)
) STRICT, WITHOUT ROWID;
INSERT INTO notes VALUES(5,2,'the corner is weak','2026-11-22T22:15:14Z');
CREATE TABLE standings (
    game       TEXT NOT NULL,
    player     INTEGER NOT NULL REFERENCES players (id),
    rating     REAL NOT NULL,
    deviation  REAL NOT NULL CHECK (deviation > 0),
    volatility REAL NOT NULL CHECK (volatility > 0),
    wins       INTEGER NOT NULL CHECK (wins >= 0),
    losses     INTEGER NOT NULL CHECK (losses >= 0),
    draws      INTEGER NOT NULL CHECK (draws >= 0),
    PRIMARY KEY (game, player)
) STRICT, WITHOUT ROWID;
INSERT INTO standings VALUES('brique',1,1662.3108939062976787,290.31896371798040945,0.059999675372338141798,1,0,0);
INSERT INTO standings VALUES('brique',2,1337.6891060937023212,290.31896371798040945,0.059999675372338141798,0,1,0);
INSERT INTO standings VALUES('lazo',1,1662.3108939062976787,290.31896371798040945,0.059999675372338141798,1,0,0);
INSERT INTO standings VALUES('lazo',2,1337.6891060937023212,290.31896371798040945,0.059999675372338141798,0,1,0);
INSERT INTO standings VALUES('marque',1,1662.3108939062976787,290.31896371798040945,0.059999675372338141798,1,0,0);
INSERT INTO standings VALUES('marque',2,1337.6891060937023212,290.31896371798040945,0.059999675372338141798,0,1,0);
INSERT INTO standings VALUES('tessella',1,1662.3108939062976787,290.31896371798040945,0.059999675372338141798,1,0,0);
INSERT INTO standings VALUES('tessella',2,1337.6891060937023212,290.31896371798040945,0.059999675372338141798,0,1,0);
CREATE TABLE rating_changes (
    board             INTEGER NOT NULL REFERENCES boards (number),
    seat              INTEGER NOT NULL CHECK (seat IN (1, 2)),
    rating_before     REAL NOT NULL,
    deviation_before  REAL NOT NULL,
    volatility_before REAL NOT NULL,
    rating_after      REAL NOT NULL,
    deviation_after   REAL NOT NULL,
    volatility_after  REAL NOT NULL,
    PRIMARY KEY (board, seat)
) STRICT, WITHOUT ROWID;
INSERT INTO rating_changes VALUES(1,1,1500.0,350.0,0.059999999999999997779,1662.3108939062976787,290.31896371798040945,0.059999675372338141798);
INSERT INTO rating_changes VALUES(1,2,1500.0,350.0,0.059999999999999997779,1337.6891060937023212,290.31896371798040945,0.059999675372338141798);
INSERT INTO rating_changes VALUES(2,1,1500.0,350.0,0.059999999999999997779,1662.3108939062976787,290.31896371798040945,0.059999675372338141798);
INSERT INTO rating_changes VALUES(2,2,1500.0,350.0,0.059999999999999997779,1337.6891060937023212,290.31896371798040945,0.059999675372338141798);
INSERT INTO rating_changes VALUES(3,1,1500.0,350.0,0.059999999999999997779,1662.3108939062976787,290.31896371798040945,0.059999675372338141798);
INSERT INTO rating_changes VALUES(3,2,1500.0,350.0,0.059999999999999997779,1337.6891060937023212,290.31896371798040945,0.059999675372338141798);
INSERT INTO rating_changes VALUES(4,1,1500.0,350.0,0.059999999999999997779,1662.3108939062976787,290.31896371798040945,0.059999675372338141798);
INSERT INTO rating_changes VALUES(4,2,1500.0,350.0,0.059999999999999997779,1337.6891060937023212,290.31896371798040945,0.059999675372338141798);
CREATE TABLE deliveries (
    letter     INTEGER NOT NULL REFERENCES outbox (id),
    address    TEXT NOT NULL COLLATE NOCASE CHECK (address <> ''),
    -- The transport did not take it yet, took it, will never take it; or it was taken and came back.
    state      TEXT NOT NULL CHECK (state IN ('failed', 'sent', 'refused', 'bounced')),
    at         TEXT NOT NULL CHECK (at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    error      TEXT, -- what the receiving side said
    PRIMARY KEY (letter, address)
) STRICT, WITHOUT ROWID;
INSERT INTO deliveries VALUES(1,'alice@example.org','sent','2026-11-22T22:15:05Z',NULL);
INSERT INTO deliveries VALUES(2,'bob@example.org','sent','2026-11-22T22:15:05Z',NULL);
INSERT INTO deliveries VALUES(81,'alice@example.org','sent','2026-11-22T22:15:05Z',NULL);
INSERT INTO deliveries VALUES(82,'bob@example.org','sent','2026-11-22T22:15:05Z',NULL);
INSERT INTO deliveries VALUES(137,'alice@example.org','sent','2026-11-22T22:15:06Z',NULL);
INSERT INTO deliveries VALUES(138,'bob@example.org','sent','2026-11-22T22:15:06Z',NULL);
INSERT INTO deliveries VALUES(139,'alice@example.org','sent','2026-11-22T22:15:06Z',NULL);
INSERT INTO deliveries VALUES(140,'bob@example.org','sent','2026-11-22T22:15:06Z',NULL);
INSERT INTO deliveries VALUES(141,'alice@example.org','sent','2026-11-22T22:15:06Z',NULL);
INSERT INTO deliveries VALUES(142,'bob@example.org','sent','2026-11-22T22:15:06Z',NULL);
INSERT INTO deliveries VALUES(143,'alice@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(144,'bob@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(145,'alice@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(146,'bob@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(147,'alice@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(148,'bob@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(149,'alice@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(150,'bob@example.org','sent','2026-11-22T22:15:07Z',NULL);
INSERT INTO deliveries VALUES(151,'alice@example.org','sent','2026-11-22T22:15:08Z',NULL);
INSERT INTO deliveries VALUES(152,'bob@example.org','sent','2026-11-22T22:15:08Z',NULL);
INSERT INTO deliveries VALUES(153,'alice@example.org','sent','2026-11-22T22:15:08Z',NULL);
INSERT INTO deliveries VALUES(154,'bob@example.org','sent','2026-11-22T22:15:08Z',NULL);
INSERT INTO deliveries VALUES(155,'alice@example.org','sent','2026-11-22T22:15:08Z',NULL);
INSERT INTO deliveries VALUES(156,'bob@example.org','sent','2026-11-22T22:15:08Z',NULL);
INSERT INTO deliveries VALUES(157,'alice@example.org','sent','2026-11-22T22:15:08Z',NULL);
INSERT INTO deliveries VALUES(158,'bob@example.org','sent','2026-11-22T22:15:09Z',NULL);
INSERT INTO deliveries VALUES(159,'alice@example.org','sent','2026-11-22T22:15:09Z',NULL);
INSERT INTO deliveries VALUES(160,'bob@example.org','sent','2026-11-22T22:15:09Z',NULL);
INSERT INTO deliveries VALUES(161,'alice@example.org','sent','2026-11-22T22:15:09Z',NULL);
INSERT INTO deliveries VALUES(162,'bob@example.org','sent','2026-11-22T22:15:09Z',NULL);
INSERT INTO deliveries VALUES(163,'alice@example.org','sent','2026-11-22T22:15:09Z',NULL);
INSERT INTO deliveries VALUES(164,'bob@example.org','sent','2026-11-22T22:15:09Z',NULL);
INSERT INTO deliveries VALUES(165,'alice@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(166,'bob@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(167,'alice@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(168,'bob@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(169,'alice@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(170,'bob@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(171,'alice@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(172,'bob@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(173,'alice@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(174,'bob@example.org','sent','2026-11-22T22:15:10Z',NULL);
INSERT INTO deliveries VALUES(175,'alice@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(176,'bob@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(177,'alice@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(178,'bob@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(179,'alice@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(180,'bob@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(181,'alice@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(182,'bob@example.org','sent','2026-11-22T22:15:11Z',NULL);
INSERT INTO deliveries VALUES(183,'alice@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(184,'bob@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(185,'carol@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(186,'dave@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(187,'carol@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(188,'dave@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(189,'carol@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(190,'dave@example.org','sent','2026-11-22T22:15:12Z',NULL);
INSERT INTO deliveries VALUES(191,'carol@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(192,'alice@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(193,'carol@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(194,'alice@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(195,'carol@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(196,'bob@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(197,'carol@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(198,'bob@example.org','sent','2026-11-22T22:15:13Z',NULL);
INSERT INTO deliveries VALUES(199,'carol@example.org','sent','2026-11-22T22:15:14Z',NULL);
INSERT INTO deliveries VALUES(200,'bob@example.org','sent','2026-11-22T22:15:14Z',NULL);
INSERT INTO deliveries VALUES(201,'alice@example.org','sent','2026-11-22T22:15:14Z',NULL);
INSERT INTO deliveries VALUES(202,'bob@example.org','sent','2026-11-22T22:15:14Z',NULL);
INSERT INTO deliveries VALUES(203,'dave@example.org','failed','2026-11-22T22:15:14Z','Connection error: Connection refused (os error 111)');
CREATE TABLE sessions (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
    player     INTEGER NOT NULL REFERENCES players (id),
    begun_at   TEXT NOT NULL CHECK (begun_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT, WITHOUT ROWID;
CREATE TABLE login_links (
    id       INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: it is what is signed
    player   INTEGER NOT NULL REFERENCES players (id),
    asked_at TEXT NOT NULL CHECK (asked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    used     INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1))
, purpose TEXT NOT NULL DEFAULT 'login' CHECK (purpose IN ('login', 'password'))) STRICT;
CREATE TABLE changes (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: programs continue after the last one they have seen
    board INTEGER NOT NULL UNIQUE
) STRICT;
INSERT INTO changes VALUES(26,1);
INSERT INTO changes VALUES(61,2);
INSERT INTO changes VALUES(91,3);
INSERT INTO changes VALUES(146,4);
INSERT INTO changes VALUES(174,6);
INSERT INTO changes VALUES(187,7);
INSERT INTO changes VALUES(200,8);
INSERT INTO changes VALUES(204,9);
INSERT INTO changes VALUES(207,10);
INSERT INTO changes VALUES(212,11);
INSERT INTO changes VALUES(213,12);
INSERT INTO changes VALUES(214,5);
CREATE TABLE tokens (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of its text
    player     INTEGER NOT NULL REFERENCES players (id),
    label      TEXT NOT NULL CHECK (label <> ''),
    created_at TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    used_at    TEXT CHECK (used_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT, WITHOUT ROWID;
CREATE TABLE hooks (
    player     INTEGER PRIMARY KEY REFERENCES players (id),
    url        TEXT NOT NULL CHECK (url <> ''),
    secret     TEXT NOT NULL CHECK (secret <> ''), -- the key that signs what is sent
    created_at TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    failures   INTEGER NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 4294967295), -- in a row
    paused_at  TEXT CHECK (paused_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    paused_why TEXT,
    CHECK ((paused_why IS NULL) = (paused_at IS NULL))
) STRICT;
CREATE TABLE calls (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: the program recognizes a second copy by it
    player     INTEGER NOT NULL REFERENCES hooks (player) ON DELETE CASCADE,
    board      INTEGER NOT NULL REFERENCES boards (number),
    entry      INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- the length of the record then
    created_at TEXT NOT NULL CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'),
    attempts   INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 4294967295),
    due_at     TEXT NOT NULL CHECK (due_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE TABLE wrong_passwords (
    of       TEXT NOT NULL, -- a player's userid, or the bucket of a userid that is nobody's
    source   TEXT NOT NULL COLLATE NOCASE, -- the shell, the address of a mail's sender, a client's address
    given_at TEXT NOT NULL CHECK (given_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE TABLE letters_to_strangers (
    address  TEXT NOT NULL COLLATE NOCASE,
    source   TEXT NOT NULL COLLATE NOCASE, -- who caused it
    asked_at TEXT NOT NULL CHECK (asked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE TABLE refusals_in_a_row (
    address     TEXT PRIMARY KEY COLLATE NOCASE,
    in_a_row    INTEGER NOT NULL CHECK (in_a_row BETWEEN 1 AND 4294967295),
    answered_at TEXT NOT NULL CHECK (answered_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
CREATE TABLE turn_letters (
    player INTEGER NOT NULL REFERENCES players (id),
    board  INTEGER NOT NULL REFERENCES boards (number),
    entry  INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 4294967295), -- the length of the record then
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;
CREATE TABLE muted_boards (
    player INTEGER NOT NULL REFERENCES players (id),
    board  INTEGER NOT NULL REFERENCES boards (number),
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;
CREATE TABLE password_requests (
    source   TEXT NOT NULL CHECK (source <> ''),
    asked_at TEXT NOT NULL CHECK (asked_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z')
) STRICT;
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
INSERT INTO proposals VALUES(1,11,1,1,'draw','shell','2026-11-22T22:15:13Z',NULL,NULL);
CREATE TABLE refusals (
    id      INTEGER PRIMARY KEY,
    mail    INTEGER NOT NULL REFERENCES inbox (id),
    command TEXT NOT NULL, -- as it was understood, without its password; may be empty
    reason  TEXT NOT NULL
) STRICT;
CREATE TABLE effects (
    id    INTEGER PRIMARY KEY,
    mail  INTEGER NOT NULL REFERENCES inbox (id),
    kind  TEXT NOT NULL CHECK (kind IN ('board', 'entry', 'comment', 'proposal', 'answer', 'notice')),
    board INTEGER,
    item  INTEGER NOT NULL
) STRICT;
CREATE TABLE current_mail (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    mail INTEGER REFERENCES inbox (id)
) STRICT;
INSERT INTO current_mail VALUES(1,NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('players',4);
INSERT INTO sqlite_sequence VALUES('changes',214);
INSERT INTO sqlite_sequence VALUES('boards',12);
INSERT INTO sqlite_sequence VALUES('outbox',203);
INSERT INTO sqlite_sequence VALUES('inbox',2);
CREATE UNIQUE INDEX addresses_confirmed ON addresses (address) WHERE confirmed_at IS NOT NULL;
CREATE INDEX boards_active ON boards (number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_of_game ON boards (game, number);
CREATE INDEX seats_of ON seats (player, board);
CREATE INDEX comments_on ON comments (board, id);
CREATE INDEX inbox_waiting ON inbox (id) WHERE verdict IS NULL;
CREATE UNIQUE INDEX inbox_identity ON inbox (identity) WHERE identity IS NOT NULL AND verdict <> 'repeated';
CREATE INDEX outbox_due ON outbox (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_undelivered ON outbox (id) WHERE sent_at IS NULL;
CREATE TRIGGER moves_never_change BEFORE UPDATE ON moves
BEGIN
    SELECT RAISE(ABORT, 'a move once made is never changed');
END;
CREATE TRIGGER moves_never_go BEFORE DELETE ON moves
BEGIN
    SELECT RAISE(ABORT, 'a move once made is never taken away');
END;
CREATE TRIGGER moves_in_order BEFORE INSERT ON moves
BEGIN
    SELECT RAISE(ABORT, 'a move was made on a board that is over, declined or not there')
        WHERE NOT EXISTS (SELECT 1 FROM boards
                          WHERE number = NEW.board AND ended_at IS NULL AND declined_at IS NULL);
    SELECT RAISE(ABORT, 'an entry must be the next one of its board')
        FROM boards WHERE number = NEW.board AND NEW.entry <> entries + 1;
    SELECT RAISE(ABORT, 'a move must be the next ply of its board')
        FROM boards WHERE number = NEW.board AND NEW.kind = 'move' AND NEW.ply <> plies + 1;
    SELECT RAISE(ABORT, 'an undo must go back')
        FROM boards WHERE number = NEW.board AND NEW.kind = 'undo' AND NEW.ply >= plies;
    SELECT RAISE(ABORT, 'an end is no ply')
        FROM boards WHERE number = NEW.board AND NEW.kind NOT IN ('move', 'undo') AND NEW.ply <> plies;
    SELECT RAISE(ABORT, 'a move must be made by the player whose turn it is')
        FROM boards WHERE number = NEW.board AND NEW.kind = 'move' AND NEW.seat IS NOT to_move;
    SELECT RAISE(ABORT, 'a move must be chained to the hash of the move before it')
        FROM boards WHERE number = NEW.board AND NEW.previous_hash <> head;
END;
CREATE TRIGGER moves_count AFTER INSERT ON moves
BEGIN
    UPDATE boards SET entries = NEW.entry, plies = NEW.ply, head = NEW.hash, moved_at = NEW.made_at
        WHERE number = NEW.board;
END;
CREATE INDEX wishes_seeking ON wishes (game) WHERE seeks > 0;
CREATE INDEX boards_clock_due ON boards (clock_due_at, number) WHERE clock_due_at IS NOT NULL;
CREATE INDEX boards_challenger ON boards (challenger) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX offers_open ON offers (number) WHERE closed_at IS NULL;
CREATE INDEX offers_of ON offers (challenger) WHERE closed_at IS NULL;
CREATE UNIQUE INDEX followers_of_board ON followers (board, player) WHERE board IS NOT NULL;
CREATE UNIQUE INDEX followers_of_game ON followers (game, player) WHERE game IS NOT NULL;
CREATE INDEX followers_player ON followers (player);
CREATE INDEX outbox_letter ON outbox (letter) WHERE letter IS NOT NULL;
CREATE INDEX outbox_loose ON outbox (due_at, id) WHERE letter IS NULL AND due_at IS NOT NULL;
CREATE INDEX outbox_held ON outbox (player) WHERE held = 1;
CREATE INDEX outbox_reminders ON outbox (board, entry) WHERE kind = 'reminder';
CREATE INDEX outbox_answers ON outbox (address COLLATE NOCASE, created_at) WHERE kind = 'answer';
CREATE UNIQUE INDEX boards_rated_as ON boards (rated_as) WHERE rated_as IS NOT NULL;
CREATE INDEX standings_of ON standings (player);
CREATE VIEW games AS
SELECT b.number AS board,
       b.game,
       b.options,
       p1.userid AS first_player,
       p2.userid AS second_player,
       b.plies,
       CASE b.to_move WHEN 1 THEN p1.userid WHEN 2 THEN p2.userid END AS whose_turn,
       (SELECT m.text FROM moves m WHERE m.board = b.number AND m.ply = b.plies AND m.kind = 'move'
        ORDER BY m.entry DESC LIMIT 1) AS last_move,
       CASE
           WHEN b.declined_at IS NOT NULL THEN 'declined'
           WHEN b.ended_at IS NULL THEN 'in progress'
           WHEN b.winner = 1 THEN p1.userid || ' won'
           WHEN b.winner = 2 THEN p2.userid || ' won'
           ELSE 'draw'
       END AS result,
       b.reason,
       b.rated,
       b.private,
       b.clock_due_at AS clock_asks_next,
       b.created_at AS started,
       max(b.moved_at, coalesce(b.ended_at, ''), coalesce(b.declined_at, '')) AS last_activity
FROM boards b
JOIN seats s1 ON s1.board = b.number AND s1.seat = 1
JOIN players p1 ON p1.id = s1.player
JOIN seats s2 ON s2.board = b.number AND s2.seat = 2
JOIN players p2 ON p2.id = s2.player;
CREATE VIEW game_moves AS
SELECT m.board, m.entry, m.ply, coalesce(p.userid, '(administrator)') AS player, m.kind, m.text AS move, m.made_at,
       m.via, m.hash
FROM moves m
LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
LEFT JOIN players p ON p.id = s.player;
CREATE VIEW waiting AS
SELECT p.userid AS player,
       b.number AS board,
       b.game,
       o.userid AS opponent,
       b.moved_at AS since,
       round(julianday('now') - julianday(b.moved_at), 1) AS days_waiting,
       b.clock_reminded AS reminders,
       b.clock_due_at AS clock_asks_next
FROM boards b
JOIN seats s ON s.board = b.number AND s.seat = b.to_move
JOIN players p ON p.id = s.player
JOIN seats t ON t.board = b.number AND t.seat = 3 - b.to_move
JOIN players o ON o.id = t.player
WHERE b.ended_at IS NULL AND b.declined_at IS NULL;
CREATE VIEW open_challenges AS
SELECT o.number, o.game, o.options, p.userid AS challenger, o.rated, o.created_at AS made
FROM offers o JOIN players p ON p.id = o.challenger
WHERE o.closed_at IS NULL;
CREATE VIEW ratings AS
SELECT s.game, p.userid AS player, round(s.rating) AS rating, round(s.deviation) AS deviation, s.wins, s.losses, s.draws
FROM standings s JOIN players p ON p.id = s.player
ORDER BY s.game, s.rating DESC;
CREATE VIEW undelivered_mail AS
SELECT o.id,
       p.userid AS player,
       coalesce(o.address, (SELECT group_concat(a.address, ', ') FROM addresses a
                            WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
       o.kind || CASE WHEN o.board IS NULL THEN '' ELSE ', board ' || o.board END
              || CASE WHEN o.entry IS NULL THEN '' ELSE ', entry ' || o.entry END AS about,
       o.created_at AS written,
       o.attempts,
       o.error AS last_error,
       CASE WHEN o.held = 1 THEN 'kept until the player answers' ELSE coalesce(o.due_at, 'given up') END AS next_attempt
FROM outbox o
LEFT JOIN players p ON p.id = o.player
WHERE o.sent_at IS NULL;
CREATE INDEX deliveries_bounced ON deliveries (address, at) WHERE state = 'bounced';
CREATE VIEW paused_addresses AS
SELECT p.userid AS player, a.address, a.paused_at AS since, a.paused_why AS why
FROM addresses a JOIN players p ON p.id = a.player
WHERE a.paused_at IS NOT NULL;
CREATE INDEX sessions_of ON sessions (player);
CREATE INDEX sessions_old ON sessions (begun_at);
CREATE INDEX login_links_of ON login_links (player, asked_at);
CREATE INDEX login_links_old ON login_links (asked_at);
CREATE TRIGGER changes_board_made AFTER INSERT ON boards
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_entry AFTER UPDATE OF entries ON boards
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_arranged AFTER UPDATE OF declined_at, proposal, clock_since, clock_thought, clock_due_at ON boards
WHEN NEW.declined_at IS NOT OLD.declined_at OR NEW.proposal IS NOT OLD.proposal
    OR NEW.clock_since IS NOT OLD.clock_since OR NEW.clock_thought IS NOT OLD.clock_thought
    OR NEW.clock_due_at IS NOT OLD.clock_due_at
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_comment AFTER INSERT ON comments
BEGIN
    DELETE FROM changes WHERE board = NEW.board;
    INSERT INTO changes (board) VALUES (NEW.board);
END;
CREATE TRIGGER changes_offer_made AFTER INSERT ON offers
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE TRIGGER changes_offer_closed AFTER UPDATE OF closed_at ON offers
BEGIN
    DELETE FROM changes WHERE board = NEW.number;
    INSERT INTO changes (board) VALUES (NEW.number);
END;
CREATE INDEX tokens_of ON tokens (player, created_at);
CREATE INDEX calls_due ON calls (due_at, id);
CREATE INDEX calls_of ON calls (player);
CREATE INDEX boards_of_game_active ON boards (game, number) WHERE ended_at IS NULL AND declined_at IS NULL;
CREATE INDEX boards_of_game_over ON boards (game, number) WHERE ended_at IS NOT NULL;
CREATE INDEX standings_by_rating ON standings (game, rating DESC);
CREATE INDEX wrong_passwords_of ON wrong_passwords (source, of, given_at);
CREATE INDEX wrong_passwords_from ON wrong_passwords (source, given_at);
CREATE INDEX wrong_passwords_old ON wrong_passwords (given_at);
CREATE INDEX letters_to ON letters_to_strangers (address, asked_at);
CREATE INDEX letters_from ON letters_to_strangers (source, asked_at);
CREATE INDEX letters_old ON letters_to_strangers (asked_at);
CREATE INDEX addresses_unconfirmed ON addresses (added_at) WHERE confirmed_at IS NULL;
CREATE INDEX password_requests_of ON password_requests (source, asked_at);
CREATE INDEX password_requests_old ON password_requests (asked_at);
CREATE INDEX proposals_on ON proposals (board, id);
CREATE INDEX refusals_of ON refusals (mail);
CREATE INDEX effects_of ON effects (mail);
CREATE INDEX effects_by_item ON effects (kind, item, board);
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
CREATE TRIGGER outbox_sent_as AFTER UPDATE OF sent_at ON outbox WHEN NEW.sent_at IS NOT NULL AND NEW.player IS NOT NULL
BEGIN
    UPDATE outbox SET (sent_form, sent_zone) = (SELECT mail, zone FROM players WHERE id = NEW.player) WHERE id = NEW.id;
END;
CREATE VIEW incoming_mail AS
SELECT i.id,
       i.received_at AS received,
       i.via,
       i.sender,
       -- Who moved by it, or else who was known by a reply token, or else whose address it is.
       coalesce(
           (SELECT p.userid FROM effects e JOIN moves m ON m.board = e.board AND m.entry = e.item AND m.via = 'mail'
            JOIN seats s ON s.board = m.board AND s.seat = m.seat JOIN players p ON p.id = s.player
            WHERE e.mail = i.id AND e.kind = 'entry' ORDER BY e.id LIMIT 1),
           (SELECT p.userid FROM players p WHERE p.id = i.author),
           (SELECT p.userid FROM addresses a JOIN players p ON p.id = a.player
            WHERE a.address = i.sender AND a.confirmed_at IS NOT NULL)
       ) AS player,
       coalesce(i.verdict, 'waits') AS verdict,
       i.commands,
       i.reason || coalesce(' ' || (SELECT group_concat(why, ' ') FROM (
           SELECT CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason AS why
           FROM refusals r WHERE r.mail = i.id ORDER BY r.id)), '') AS reason,
       (SELECT group_concat(what, '; ') FROM (
           SELECT CASE e.kind
                      WHEN 'board' THEN 'board ' || e.board
                      WHEN 'entry' THEN 'board ' || e.board || ' entry ' || e.item
                      WHEN 'comment' THEN 'board ' || e.board || ' comment'
                      WHEN 'proposal' THEN 'board ' || e.board || ' proposal'
                      WHEN 'answer' THEN 'board ' || e.board || ' answer to a proposal'
                      ELSE 'letter ' || coalesce(o.letter, o.id) || ' to ' || coalesce(p.userid, o.address)
                  END AS what
           FROM effects e
           LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
           LEFT JOIN players p ON p.id = o.player
           WHERE e.mail = i.id ORDER BY e.id)) AS effects,
       i.attempts,
       i.closed_at AS dealt_with
FROM inbox i
;
CREATE VIEW mail_effects AS
SELECT mail, received, player, sender, effect, board, entry, what, letter
FROM (
    SELECT i.id AS mail, i.received, i.player, i.sender,
           CASE e.kind WHEN 'entry' THEN m.kind WHEN 'notice' THEN 'letter'
                       WHEN 'proposal' THEN 'proposal' WHEN 'answer' THEN coalesce(r.answer, 'answer') ELSE e.kind
           END AS effect,
           e.board,
           CASE e.kind WHEN 'entry' THEN e.item WHEN 'comment' THEN c.entry WHEN 'notice' THEN o.entry
                       WHEN 'board' THEN NULL ELSE r.entry
           END AS entry,
           CASE e.kind WHEN 'board' THEN (SELECT g.game FROM boards g WHERE g.number = e.board)
                       WHEN 'entry' THEN m.text WHEN 'comment' THEN c.text
                       WHEN 'notice' THEN o.kind || ' to ' || coalesce(p.userid, o.address) ELSE r.kind
           END AS what,
           CASE e.kind WHEN 'notice' THEN coalesce(o.letter, o.id) END AS letter,
           1 AS rank, e.id AS number
    FROM effects e
    JOIN incoming_mail i ON i.id = e.mail
    LEFT JOIN moves m ON e.kind = 'entry' AND m.board = e.board AND m.entry = e.item
    LEFT JOIN comments c ON e.kind = 'comment' AND c.id = e.item
    LEFT JOIN proposals r ON e.kind IN ('proposal', 'answer') AND r.id = e.item
    LEFT JOIN outbox o ON e.kind = 'notice' AND o.id = e.item
    LEFT JOIN players p ON p.id = o.player
    UNION ALL
    SELECT i.id, i.received, i.player, i.sender, 'refused', NULL, NULL,
           CASE r.command WHEN '' THEN '' ELSE r.command || ': ' END || r.reason, NULL, 0, r.id
    FROM refusals r JOIN incoming_mail i ON i.id = r.mail
)
ORDER BY mail, rank, number;
CREATE VIEW letters AS
SELECT letter, written, player, address, about, mail, attempts,
       CASE
           WHEN held = 1 THEN 'held until the player does something'
           WHEN due_at IS NOT NULL AND error IS NULL THEN 'due'
           WHEN due_at IS NOT NULL THEN 'due again'
           WHEN sent_at IS NULL THEN 'given up'
           WHEN bounced_at IS NOT NULL AND arrived = 0 THEN 'bounced'
           WHEN bounced_at IS NOT NULL THEN 'bounced in part'
           ELSE 'sent'
       END AS state,
       CASE WHEN sent_at IS NOT NULL THEN coalesce(bounced_at, sent_at) ELSE due_at END AS at,
       CASE WHEN sent_at IS NOT NULL AND bounced_at IS NOT NULL THEN
           (SELECT max(d.error) FROM deliveries d WHERE d.letter = l.letter AND d.state = 'bounced')
       ELSE error END AS error
FROM (
    SELECT o.id AS letter,
           o.created_at AS written,
           p.userid AS player,
           coalesce(o.address, (SELECT group_concat(a.address, ', ') FROM addresses a
                                WHERE a.player = o.player AND a.confirmed_at IS NOT NULL)) AS address,
           (SELECT group_concat(about, '; ') FROM (
               SELECT n.kind || CASE WHEN n.board IS NULL THEN '' ELSE ', board ' || n.board END
                             || CASE WHEN n.entry IS NULL THEN '' ELSE ', entry ' || n.entry END AS about
               FROM outbox n WHERE n.id = o.id OR n.letter = o.id ORDER BY n.id)) AS about,
           (SELECT min(e.mail) FROM outbox n CROSS JOIN effects e ON e.kind = 'notice' AND e.item = n.id
            WHERE n.id = o.id OR n.letter = o.id) AS mail,
           (SELECT max(d.at) FROM deliveries d WHERE d.letter = o.id AND d.state = 'bounced') AS bounced_at,
           (SELECT count(*) FROM deliveries d WHERE d.letter = o.id AND d.state = 'sent') AS arrived,
           o.attempts, o.held, o.due_at, o.sent_at, o.error
    FROM outbox o
    LEFT JOIN players p ON p.id = o.player
    WHERE o.letter IS NULL OR o.letter = o.id
) l;
CREATE VIEW bounces AS
SELECT d.letter, d.address, p.userid AS player, d.state AS how, d.at, d.error, l.about
FROM deliveries d
JOIN letters l ON l.letter = d.letter
JOIN outbox o ON o.id = d.letter
LEFT JOIN players p ON p.id = o.player
WHERE d.state IN ('bounced', 'refused')
ORDER BY d.at DESC, d.letter DESC;
CREATE VIEW board_story AS
SELECT board, at, entry, event, player, what, via, mail
FROM (
    SELECT b.number AS board, b.created_at AS at, 0 AS entry, 'challenge' AS event, p.userid AS player,
           b.game || CASE b.options WHEN '' THEN '' ELSE ' ' || b.options END AS what, NULL AS via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'board' AND e.item = b.number) AS mail, 0 AS rank, 0 AS number
    FROM boards b LEFT JOIN players p ON p.id = b.challenger
    UNION ALL
    SELECT m.board, m.made_at, m.entry, m.kind, coalesce(p.userid, '(administrator)'), m.text, m.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'entry' AND e.item = m.entry AND e.board = m.board), 1, m.entry
    FROM moves m
    LEFT JOIN seats s ON s.board = m.board AND s.seat = m.seat
    LEFT JOIN players p ON p.id = s.player
    UNION ALL
    SELECT c.board, c.said_at, c.entry, 'comment', p.userid, c.text, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'comment' AND e.item = c.id), 2, c.id
    FROM comments c JOIN players p ON p.id = c.player
    UNION ALL
    SELECT r.board, r.made_at, r.entry, 'proposal', p.userid,
           r.kind || CASE WHEN r.answer IS NOT NULL THEN ''
                          WHEN b.ended_at IS NOT NULL OR b.declined_at IS NOT NULL OR b.entries > r.entry
                          THEN ', lapsed' ELSE ', open' END, r.via,
           (SELECT e.mail FROM effects e WHERE e.kind = 'proposal' AND e.item = r.id), 3, r.id
    FROM proposals r
    JOIN boards b ON b.number = r.board
    JOIN seats s ON s.board = r.board AND s.seat = r.seat
    JOIN players p ON p.id = s.player
    UNION ALL
    SELECT r.board, r.answered_at, r.entry, r.answer, p.userid, r.kind, NULL,
           (SELECT e.mail FROM effects e WHERE e.kind = 'answer' AND e.item = r.id), 4, r.id
    FROM proposals r
    JOIN seats s ON s.board = r.board AND s.seat = CASE r.answer WHEN 'withdrawn' THEN r.seat ELSE 3 - r.seat END
    JOIN players p ON p.id = s.player
    WHERE r.answer IS NOT NULL
    UNION ALL
    SELECT o.board, o.created_at, o.entry, 'reminder', p.userid, 'letter ' || coalesce(o.letter, o.id), NULL, NULL, 5, o.id
    FROM outbox o JOIN players p ON p.id = o.player
    WHERE o.kind = 'reminder'
    UNION ALL
    SELECT b.number, b.ended_at, b.entries, 'end', p.userid,
           CASE WHEN b.winner IS NULL THEN 'draw' ELSE 'won' END || ' (' || b.reason || ')', NULL, NULL, 6, 0
    FROM boards b
    LEFT JOIN seats s ON s.board = b.number AND s.seat = b.winner
    LEFT JOIN players p ON p.id = s.player
    WHERE b.ended_at IS NOT NULL
    UNION ALL
    SELECT b.number, b.declined_at, b.entries, 'declined', p.userid, '', NULL, NULL, 6, 0
    FROM boards b JOIN players p ON p.id = b.declined_by
)
ORDER BY board, at, entry, rank, number;
CREATE VIEW rating_history AS
SELECT p.userid AS player,
       b.game,
       b.ended_at AS ended,
       b.number AS board,
       o.userid AS opponent,
       CASE WHEN b.winner IS NULL THEN 'draw' WHEN b.winner = c.seat THEN 'won' ELSE 'lost' END AS result,
       round(c.rating_before) AS before,
       round(c.rating_after) AS after,
       round(c.deviation_after) AS deviation
FROM rating_changes c
JOIN boards b ON b.number = c.board
JOIN seats s ON s.board = c.board AND s.seat = c.seat
JOIN players p ON p.id = s.player
JOIN seats t ON t.board = c.board AND t.seat = 3 - c.seat
JOIN players o ON o.id = t.player
ORDER BY b.rated_as, c.seat;
CREATE VIEW player_activity AS
SELECT userid AS player, boards, their_turn, waiting_days, finished, last_active,
       CAST(julianday('now') - julianday(last_active) AS INTEGER) AS idle_days,
       joined, blocked, gone AS "left"
FROM (
    SELECT p.userid, p.created_at AS joined, p.blocked_at AS blocked, p.left_at AS gone,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NULL AND b.declined_at IS NULL) AS boards,
           (SELECT count(*) FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat
            WHERE s.player = p.id) AS their_turn,
           (SELECT CAST(julianday('now') - julianday(min(b.moved_at)) AS INTEGER)
            FROM seats s JOIN boards b ON b.number = s.board AND b.to_move = s.seat WHERE s.player = p.id) AS waiting_days,
           (SELECT count(DISTINCT s.board) FROM seats s JOIN boards b ON b.number = s.board
            WHERE s.player = p.id AND b.ended_at IS NOT NULL) AS finished,
           max(p.created_at,
               coalesce((SELECT max(m.made_at) FROM seats s JOIN moves m ON m.board = s.board AND m.seat = s.seat
                         WHERE s.player = p.id AND m.via NOT IN ('plan', 'clock', 'administrator')), ''),
               coalesce((SELECT max(c.said_at) FROM seats s JOIN comments c ON c.board = s.board AND c.player = p.id
                         WHERE s.player = p.id), ''),
               coalesce((SELECT max(b.created_at) FROM seats s JOIN boards b ON b.number = s.board
                         WHERE s.player = p.id AND b.challenger = p.id), ''),
               coalesce((SELECT max(r.made_at) FROM seats s JOIN proposals r ON r.board = s.board AND r.seat = s.seat
                         WHERE s.player = p.id), '')) AS last_active
    FROM players p
)
ORDER BY player;
CREATE VIEW games_a_month AS
SELECT month, sum(began) AS began, sum(ended) AS ended
FROM (
    SELECT substr(created_at, 1, 7) AS month, 1 AS began, 0 AS ended FROM boards WHERE declined_at IS NULL
    UNION ALL
    SELECT substr(ended_at, 1, 7), 0, 1 FROM boards WHERE ended_at IS NOT NULL
)
GROUP BY month
ORDER BY month;
COMMIT;
PRAGMA user_version = 16;
PRAGMA application_id = 0;
