-- Lists a grant under its account, or moves its end; forgets the grants that have ended.
--
-- KEYS  1 account-grants:{subject}
-- ARGV  1 grant  2 client  3 when it ends, seconds since 1970  4 now, seconds since 1970
--       5 grants that one client may have of the account
--
-- Returns the grants of the client, oldest first, where there are more than it may have; else nothing

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[4])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1] .. ' ' .. ARGV[2])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('EXPIREAT', KEYS[1], string.format('%d', tonumber(last[2])))
local most = tonumber(ARGV[5])
local ofClient = {}
if redis.call('ZCARD', KEYS[1]) <= most then
  return ofClient
end
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if string.match(member, '^[^ ]+ (.*)$') == ARGV[2] then
    table.insert(ofClient, member)
  end
end
return #ofClient > most and ofClient or {}
