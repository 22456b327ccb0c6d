-- The index: for each thing that can be found its words, and nothing else. The things themselves are with their owners.
--
-- A document carries the generation of its source in which it was last told of. A snapshot begins a new generation; what has
-- not been told of when it ends is there no more.
CREATE TABLE index_generation (
  source text PRIMARY KEY,
  generation integer NOT NULL
);
INSERT INTO index_generation VALUES ('users', 1), ('posts', 1), ('comments', 1);

CREATE TABLE user_document (
  id uuid PRIMARY KEY,
  words tsvector NOT NULL,
  generation integer NOT NULL
);
CREATE INDEX user_document_by_word ON user_document USING gin (words);

-- A post that is not published has no words here. One that is deleted leaves a mark, so that a comment on it that is told of
-- later does not come back.
CREATE TABLE post_document (
  id uuid PRIMARY KEY,
  published boolean NOT NULL,
  deleted boolean NOT NULL DEFAULT false,
  words tsvector NOT NULL,
  generation integer NOT NULL
);
CREATE INDEX post_document_by_word ON post_document USING gin (words) WHERE published;
CREATE INDEX post_document_by_age ON post_document (id DESC) WHERE published;

CREATE TABLE comment_document (
  id uuid PRIMARY KEY,
  post_id uuid NOT NULL,
  words tsvector NOT NULL,
  generation integer NOT NULL
);
CREATE INDEX comment_document_by_word ON comment_document USING gin (words);
CREATE INDEX comment_document_by_post ON comment_document (post_id);
