-- Where in the table documents of an age lie: documents are written in about the order of their ids. Together with the index of
-- words this finds the newest matches without reading the others.
CREATE INDEX post_document_by_block ON post_document USING brin (id) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX comment_document_by_block ON comment_document USING brin (id) WITH (pages_per_range = 32, autosummarize = on);
