-- Maintenance is one more cause of a standstill.
ALTER TABLE standstills DROP CONSTRAINT standstills_cause_check;
ALTER TABLE standstills ADD CONSTRAINT standstills_cause_check CHECK (cause IN ('off', 'held', 'paused', 'maintenance'));

-- An older program cannot read this cause.
INSERT INTO migrations (version, name, usable_from) VALUES (12, 'maintenance', 12);
