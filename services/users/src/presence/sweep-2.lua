-- Deletes users who have not been seen for a while, and publishes that they are offline. A concurrent sweep finds them
-- deleted already.
--
-- KEYS  1 trellis:{events:presence}:seen, users by when they were seen last  2 trellis:{events:presence}:stream
-- ARGV  1 milliseconds for which having been seen counts  2 about how many changes the stream keeps
--       3 now, ISO 8601  4 how many users at most
--
-- Returns how many have gone

local time = redis.call('TIME')
local nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(nowUs / 1000)
local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[1])),
  'WITHSCORES', 'LIMIT', 0, tonumber(ARGV[4]))
if #gone == 0 then return 0 end

local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local last = newest and tonumber(string.match(newest[1], '^%d+')) or 0
for index = 1, #gone, 2 do
  local user = gone[index]
  last = math.max(last + 1, nowUs)
  redis.call('ZREM', KEYS[1], user)
  local status = string.format('{"userId":"%s","online":false,"lastSeenMs":%.0f}', user, tonumber(gone[index + 1]))
  redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], string.format('%.0f-0', last),
    'id', string.format('%.0f', last), 'type', 'user.status', 'subject', user, 'at', ARGV[3], 'payload', status)
end
return #gone / 2
