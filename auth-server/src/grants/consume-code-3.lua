-- Consumes an authorization code and begins its grant, once.
--
-- KEYS  1 code:{grant}  2 grant:{grant}  3 revoked:{grant}
-- ARGV  1 hash of the code's secret  2 record of the grant, or what goes before its last line, which lies
--       beside the code then  3 seconds until the grant idles out  4 seconds for which a revocation is remembered
--
-- Returns
--   consumed  the grant has begun; the code stays marked as used for the rest of its lifetime
--   replayed  the code had been used: the grant is revoked now
--   unknown   there is no such code: expired, revoked or never issued

local record = redis.call('GET', KEYS[1])
if not record then
  return 'unknown'
end
local state, secret, sealed, grant = string.match(record, '^(%a+)\n([^\n]+)\n([^\n]*)\n?([^\n]*)$')
if secret ~= ARGV[1] then
  return 'unknown'
end
if state ~= 'issued' then
  redis.call('DEL', KEYS[2])
  redis.call('SET', KEYS[3], 'code_replayed', 'EX', ARGV[4])
  return 'replayed'
end
local remaining = redis.call('PTTL', KEYS[1])
redis.call('SET', KEYS[1], 'used\n' .. secret .. '\n' .. sealed, 'PX', math.max(remaining, 1))
redis.call('SET', KEYS[2], string.sub(ARGV[2], -1) == '\n' and ARGV[2] .. grant or ARGV[2], 'EX', ARGV[3])
return 'consumed'
