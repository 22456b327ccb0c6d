-- What a user has said, page by page.
CREATE INDEX comment_by_author ON comment (author_id, id DESC);
