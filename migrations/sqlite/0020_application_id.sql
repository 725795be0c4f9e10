-- By this number in its head the file is known as a database of turnpost: "turn" in ASCII. A file that has neither it nor
-- the table `migrations` belongs to another program and is left alone.
PRAGMA application_id = 1953854062;

INSERT INTO migrations (version, name) VALUES (20, 'application_id');
