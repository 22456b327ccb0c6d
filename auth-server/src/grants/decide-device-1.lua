-- Keeps what a user decided about a device, once.
--
-- KEYS  1 device:{grant}
-- ARGV  1 new state: allowed or denied  2 the sealed grant, empty when denied
--
-- Returns 1, or 0 when there was nothing to decide any more

local record = redis.call('GET', KEYS[1])
if not record then
  return 0
end
local head = string.match(record, '^pending(\n[^\n]*\n[^\n]*\n%d+\n%d+\n%d+\n)')
if not head then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1] .. head .. ARGV[2], 'PX', math.max(redis.call('PTTL', KEYS[1]), 1))
return 1
