-- Ends a grant, whatever its state, and remembers that for the access tokens that are about.
--
-- KEYS  1 code:{grant}  2 grant:{grant}  3 device:{grant}  4 revoked:{grant}
-- ARGV  1 reason  2 seconds for which the revocation is remembered
--
-- Returns 1 when a code, a grant or a device was live, else 0

local live = redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SET', KEYS[4], ARGV[1], 'EX', ARGV[2])
return live > 0 and 1 or 0
