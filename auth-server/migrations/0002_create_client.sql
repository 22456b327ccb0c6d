-- Registered clients: RFC 7591 metadata without the secret.
CREATE TABLE client (
  client_id text PRIMARY KEY,
  metadata jsonb NOT NULL,
  -- HMAC-SHA-256 under a key derived from KEY_ENCRYPTION_SECRET
  secret_hash bytea,
  -- who owns the record: a clients file is authoritative for the records it made
  source text NOT NULL CHECK (source IN ('file', 'command', 'demo')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
