-- Keys that sign tokens. One is active per algorithm; the next is published before it signs; retired ones stay published
-- until the last token that they signed has expired.
CREATE TABLE signing_key (
  kid text PRIMARY KEY,
  algorithm text NOT NULL CHECK (algorithm IN ('ES256', 'RS256')),
  state text NOT NULL CHECK (state IN ('next', 'active', 'retired')),
  public_jwk jsonb NOT NULL,
  -- compact JWE (dir, A256GCM) of the private JWK under a key derived from KEY_ENCRYPTION_SECRET
  private_jwe text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  activated_at timestamptz(3),
  retired_at timestamptz(3)
);

CREATE UNIQUE INDEX signing_key_role ON signing_key (algorithm, state) WHERE state IN ('next', 'active');
