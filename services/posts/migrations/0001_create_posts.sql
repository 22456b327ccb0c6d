-- Posts, drafts included. The id is a UUID v7: it carries the time of creation, so that its order is the order in time, and
-- a page begins at an id without looking it up.
CREATE TABLE post (
  id uuid PRIMARY KEY,
  author_id uuid NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  metadata jsonb,
  published boolean NOT NULL,
  updated_at timestamptz(3) NOT NULL
);

-- The public feed. Editors see everything: they read the primary key.
CREATE INDEX post_published ON post (id DESC) WHERE published;

-- An author's posts. Every post is in exactly one of the two, so that nobody reads past what they may not see.
CREATE INDEX post_published_by_author ON post (author_id, id DESC) WHERE published;
CREATE INDEX post_draft_by_author ON post (author_id, id DESC) WHERE NOT published;
