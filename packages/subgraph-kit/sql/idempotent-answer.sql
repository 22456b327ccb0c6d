-- Answers to mutations that carried an idempotency key; see packages/subgraph-kit/src/idempotency.ts.
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
