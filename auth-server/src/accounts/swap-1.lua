-- Puts a value in the place of another.
--
-- KEYS  1 any string
-- ARGV  1 the value  2 seconds for which it stays
--
-- Returns the value before, or nil

local before = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return before
