-- Ends a session, and says what hung on it.
--
-- KEYS  1 session:{session}  2 session-clients:{session}  3 session-grants:{session}  4 session-seen:{session}
--
-- Returns the clients that knew of the session, and the grants that end with it

local clients = redis.call('SMEMBERS', KEYS[2])
local grants = redis.call('SMEMBERS', KEYS[3])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
return { clients, grants }
