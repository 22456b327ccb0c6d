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
