-- Messages that wait to be handed over. What they say is sealed, because it may open an account.
CREATE TABLE mail_message (
  id uuid PRIMARY KEY,
  sealed text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL,
  -- afterwards it is of no use to its reader
  expires_at timestamptz(3) NOT NULL
);

CREATE INDEX mail_message_next_attempt_at ON mail_message (next_attempt_at);
