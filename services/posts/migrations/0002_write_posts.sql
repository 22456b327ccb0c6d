-- When a draft is to be published by itself.
ALTER TABLE post ADD COLUMN publish_at timestamptz(3) CHECK (publish_at IS NULL OR NOT published);
CREATE INDEX post_due ON post (publish_at) WHERE publish_at IS NOT NULL;

-- What an author must not say twice. The hash finds, the words decide.
CREATE INDEX post_by_content ON post (author_id, hashtextextended(title || E'\n' || body, 0));
