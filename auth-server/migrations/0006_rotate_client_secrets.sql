-- The secret before the present one, which still works for a while after a rotation.
ALTER TABLE client
  ADD COLUMN previous_secret_hash bytea,
  ADD COLUMN previous_secret_expires_at timestamptz(3);

ALTER TABLE client DROP CONSTRAINT client_source_check;
ALTER TABLE client ADD CONSTRAINT client_source_check
  CHECK (source IN ('file', 'command', 'demo', 'administration', 'registration'));
