-- Lists a grant under its account, or moves its end; forgets the grants that have ended.
--
-- KEYS  1 account-grants:{subject}
-- ARGV  1 grant  2 when it ends, seconds since 1970  3 now, seconds since 1970
--
-- Returns the number of grants that are listed

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('EXPIREAT', KEYS[1], string.format('%d', tonumber(last[2])))
return redis.call('ZCARD', KEYS[1])
