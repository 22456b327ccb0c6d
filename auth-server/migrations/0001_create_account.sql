-- People who can sign in. The subject of tokens is the account's id.
CREATE TABLE account (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  email_verified boolean NOT NULL DEFAULT false,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('ADMIN', 'EDITOR', 'VIEWER')),
  -- PHC string of argon2id
  password_hash text NOT NULL,
  -- further OpenID Connect standard claims (profile, address, phone), by their names
  claims jsonb NOT NULL DEFAULT '{}',
  disabled_at timestamptz(3),
  -- sessions and grants that began before are not honoured any more
  credentials_changed_at timestamptz(3) NOT NULL DEFAULT 'epoch',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX account_email ON account (lower(email));

-- What a person has allowed a client, so that it is asked once.
CREATE TABLE consent (
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  client_id text NOT NULL,
  scopes text[] NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, client_id)
);
