-- Takes back an attempt that turned out to be no failure.
--
-- KEYS  1 counter
--
-- Returns the count that is left

local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count > 0 then
  return redis.call('DECR', KEYS[1])
end
return 0
