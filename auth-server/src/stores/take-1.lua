-- Reads a value and deletes it, so that one caller alone gets it.
--
-- KEYS  1 any string
--
-- Returns the value, or nil

local value = redis.call('GET', KEYS[1])
if value then
  redis.call('DEL', KEYS[1])
end
return value
