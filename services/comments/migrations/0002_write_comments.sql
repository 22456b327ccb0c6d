-- What this service has heard of posts. A post that is gone leaves a mark, so that a comment that is being written while it
-- goes is not left behind.
CREATE TABLE known_post (
  id uuid PRIMARY KEY,
  author_id uuid NOT NULL,
  published boolean NOT NULL,
  deleted boolean NOT NULL DEFAULT false,
  -- Not yet confirmed by the snapshot that is being taken.
  stale boolean NOT NULL DEFAULT false
);

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

-- What happened, in the order in which it happened to each subject; see packages/events/README.md. The relay numbers the
-- rows once they are committed, and makes a partition for each day.
CREATE SEQUENCE outbox_position;
CREATE TABLE outbox (
  position bigint NOT NULL DEFAULT nextval('outbox_position'),
  id uuid NOT NULL,
  type text NOT NULL,
  subject uuid NOT NULL,
  payload json NOT NULL,
  occurred_at timestamptz(3) NOT NULL DEFAULT now(),
  seq bigint
) PARTITION BY RANGE (occurred_at);
CREATE TABLE outbox_rest PARTITION OF outbox DEFAULT;
CREATE INDEX outbox_unnumbered ON outbox (position) WHERE seq IS NULL;
CREATE INDEX outbox_by_seq ON outbox (seq);
CREATE TABLE outbox_head (seq bigint NOT NULL);
INSERT INTO outbox_head VALUES (0);

-- How far a consumer has come with each source, moved in the transaction of what the events have done; see
-- packages/events/README.md.
CREATE TABLE event_cursor (
  source text PRIMARY KEY,
  seq bigint NOT NULL
);

-- Events that could not be applied.
CREATE TABLE dead_letter (
  source text NOT NULL,
  seq bigint NOT NULL,
  event json NOT NULL,
  error text NOT NULL,
  buried_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (source, seq)
);
