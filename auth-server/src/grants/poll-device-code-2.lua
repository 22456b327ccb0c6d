-- Answers a device that asks whether the user has decided; begins the grant, once, when the user has allowed it.
--
-- KEYS  1 device:{grant}  2 grant:{grant}
-- ARGV  1 hash of the device code's secret  2 client  3 now, milliseconds  4 seconds until the grant idles out
--       5 seconds that a device has to wait longer after asking too often
--       6 the record of the grant when the caller knows that it was allowed, or empty
--
-- The record has a line each for: state, hash, client, end (ms), interval (ms), time of the last question (ms); then the
-- request while it is pending, the grant once it is allowed, each of them sealed.
--
-- Returns an outcome
--   allowed   the grant has begun
--   again     the user has allowed it meanwhile: the caller has to come again with the record of the grant
--   pending   the user has not decided
--   hasty     the device asked too early; it has to wait longer from now on
--   denied    the user denied
--   expired   the user did not decide in time
--   unknown   there is no such code, it is another client's, or it was used

local record = redis.call('GET', KEYS[1])
if not record then
  return 'unknown'
end
local state, hash, client, expiresAt, interval, askedAt, rest =
  string.match(record, '^(%a+)\n([^\n]*)\n([^\n]*)\n(%d+)\n(%d+)\n(%d+)\n(.*)$')
if hash ~= ARGV[1] or client ~= ARGV[2] or state == 'used' then
  return 'unknown'
end
local function store(newState, newInterval, newRest)
  local lines = { newState, hash, client, expiresAt, newInterval, ARGV[3], newRest }
  redis.call('SET', KEYS[1], table.concat(lines, '\n'), 'PX', math.max(redis.call('PTTL', KEYS[1]), 1))
end
local now = tonumber(ARGV[3])
if state == 'denied' then
  return 'denied'
end
if now > tonumber(expiresAt) then
  return 'expired'
end
if now - tonumber(askedAt) < tonumber(interval) then
  store(state, string.format('%d', tonumber(interval) + tonumber(ARGV[5]) * 1000), rest)
  return 'hasty'
end
if state == 'pending' then
  store(state, interval, rest)
  return 'pending'
end
if ARGV[6] == '' then
  return 'again'
end
store('used', interval, '')
redis.call('SET', KEYS[2], ARGV[6], 'EX', ARGV[4])
return 'allowed'
