-- A rotation that was asked for before the next key had been published long enough: it happens as soon as it has.
ALTER TABLE signing_key ADD COLUMN rotation_requested_at timestamptz(3);
