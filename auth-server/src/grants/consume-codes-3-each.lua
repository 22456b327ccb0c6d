-- Consumes authorization codes and begins their grants, each once.
--
-- Of each code:
-- KEYS  1 code:{grant}  2 grant:{grant}  3 revoked:{grant}
-- ARGV  1 hash of the code's secret  2 record of the grant, or what goes before its last line, which lies
--       beside the code then  3 seconds until the grant idles out  4 seconds for which a revocation is remembered
--
-- Returns an outcome for each
--   consumed  the grant has begun; the code stays marked as used for the rest of its lifetime
--   replayed  the code had been used: the grant is revoked now
--   unknown   there is no such code: expired, revoked or never issued, or its record is none of ours

local function consume(codeKey, grantKey, revokedKey, presented, grantRecord, idleTtl, revocationTtl)
  local record = redis.call('GET', codeKey)
  if not record then
    return 'unknown'
  end
  local state, secret, sealed, grant = string.match(record, '^(%a+)\n([^\n]+)\n([^\n]*)\n?([^\n]*)$')
  if secret ~= presented then
    return 'unknown'
  end
  if state ~= 'issued' then
    redis.call('DEL', grantKey)
    redis.call('SET', revokedKey, 'code_replayed', 'EX', revocationTtl)
    return 'replayed'
  end
  local remaining = redis.call('PTTL', codeKey)
  redis.call('SET', codeKey, 'used\n' .. secret .. '\n' .. sealed, 'PX', math.max(remaining, 1))
  local whole = string.sub(grantRecord, -1) == '\n' and grantRecord .. grant or grantRecord
  redis.call('SET', grantKey, whole, 'EX', idleTtl)
  return 'consumed'
end

local outcomes = {}
for code = 1, #KEYS / 3 do
  local key, argument = 3 * code, 4 * code
  outcomes[code] = consume(
    KEYS[key - 2], KEYS[key - 1], KEYS[key],
    ARGV[argument - 3], ARGV[argument - 2], ARGV[argument - 1], ARGV[argument]
  )
end
return outcomes
