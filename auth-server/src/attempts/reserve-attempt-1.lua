-- Counts an attempt before it is made, so that parallel attempts can't pass the limit together.
--
-- KEYS  1 counter
-- ARGV  1 limit  2 seconds of the window, which begins with the first attempt
--
-- Returns 0 when the attempt may be made, else the seconds to wait

local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count >= tonumber(ARGV[1]) then
  return math.max(redis.call('TTL', KEYS[1]), 1)
end
if redis.call('INCR', KEYS[1]) == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 0
