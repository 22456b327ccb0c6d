-- Created the outbox and the table of idempotency records, which the migrations of packages/events and packages/subgraph-kit
-- create now. It stays because existing databases list it as applied.
SELECT 1;
