-- The contracts that an attempt sets or removes.
ALTER TABLE audit ADD COLUMN contracts text[] NOT NULL DEFAULT '{}';
