-- Takes back an attempt that turned out to be no failure.
--
-- KEYS  1 counter
--
-- Returns the count that is left

local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count > 1 then
  return redis.call('DECR', KEYS[1])
end
redis.call('DEL', KEYS[1]) -- nothing of what succeeds stays
return 0
