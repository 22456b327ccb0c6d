-- What mutations that carried an idempotency key returned; see packages/subgraph-kit/src/idempotency.ts.
--
-- Services created this table by a copy of this text before the package had migrations. Theirs is adopted as it is.
DO $$
BEGIN
  IF to_regclass('idempotent_answer') IS NULL THEN
    CREATE TABLE idempotent_answer (
      user_id uuid NOT NULL,
      key text NOT NULL,
      path text NOT NULL,
      fingerprint bytea NOT NULL,
      answer jsonb,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, key, path)
    );
    CREATE INDEX idempotent_answer_by_age ON idempotent_answer (created_at);
  END IF;
END
$$;

-- A table of this name that holds something else fails here, and not at the first mutation.
DO $$
BEGIN
  PERFORM user_id, key, path, fingerprint, answer, created_at FROM idempotent_answer LIMIT 0;
END
$$;
