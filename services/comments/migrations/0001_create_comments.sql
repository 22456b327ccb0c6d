-- Comments. The id is a UUID v7: it carries the time of creation, so that its order is the order in time, and a page begins
-- at an id without looking it up. Posts and users live elsewhere.
CREATE TABLE comment (
  id uuid PRIMARY KEY,
  post_id uuid NOT NULL,
  author_id uuid NOT NULL,
  body text NOT NULL,
  edited boolean NOT NULL DEFAULT false
);

-- A post's newest comments, and their number.
CREATE INDEX comment_by_post ON comment (post_id, id DESC);
