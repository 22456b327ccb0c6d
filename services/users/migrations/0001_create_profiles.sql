-- A profile for everybody who has shown a token, and for those whom an administrator has created.
CREATE TABLE profile (
  id uuid PRIMARY KEY,
  -- Null until a token or an administrator tells.
  name text,
  email text,
  role text NOT NULL CHECK (role IN ('ADMIN', 'EDITOR', 'VIEWER')),
  created_at timestamptz(3) NOT NULL,
  -- Seconds since 1970 of the newest token whose claims are in this row; 0 for a profile that no token has touched.
  token_issued_at bigint NOT NULL DEFAULT 0
);

-- users(limit, offset): oldest first, skipped over in the index alone.
CREATE INDEX profile_by_age ON profile (created_at, id);
