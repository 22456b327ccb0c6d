-- Records when users were last seen, and publishes those who were offline before.
--
-- KEYS  1 trellis:{events:presence}:seen, users by when they were seen last  2 trellis:{events:presence}:stream
-- ARGV  1 when they were seen, milliseconds since 1970  2 milliseconds for which that counts
--       3 about how many changes the stream keeps  4 when they were seen, ISO 8601  5… user ids
--
-- Returns how many have come

local time = redis.call('TIME')
local nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(nowUs / 1000)
local seen = tonumber(ARGV[1])
if seen + tonumber(ARGV[2]) <= now then return 0 end

local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local last = newest and tonumber(string.match(newest[1], '^%d+')) or 0
local come = 0
for index = 5, #ARGV do
  local user = ARGV[index]
  local before = redis.call('ZSCORE', KEYS[1], user)
  if not before or tonumber(before) < seen then redis.call('ZADD', KEYS[1], ARGV[1], user) end
  if not before then
    -- Numbers that are microseconds rise even when Redis has forgotten everything.
    last = math.max(last + 1, nowUs)
    local status = string.format('{"userId":"%s","online":true,"lastSeenMs":%.0f}', user, seen)
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], string.format('%.0f-0', last),
      'id', string.format('%.0f', last), 'type', 'user.status', 'subject', user, 'at', ARGV[4], 'payload', status)
    come = come + 1
  end
end
return come
