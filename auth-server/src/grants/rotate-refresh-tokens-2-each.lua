-- Replaces refresh tokens by their successors, each once.
--
-- Of each token:
-- KEYS  1 grant:{grant}  2 revoked:{grant}
-- ARGV  1 seven numbers with a space between: generation of the presented token; when the grant ends, seconds since 1970; now, seconds;
--         seconds until the grant idles out; seconds for which a revocation is remembered; seconds of leeway for a repeated request;
--         1 where the token stays as it is, and only its time is renewed, else 0
--       2 the grant, sealed under the newest key; empty where it is so already
--
-- Returns an outcome for each and, with the first two, behind a space the generation of the token to hand out
--   rotated   the grant has moved on, or was renewed
--   repeated  the direct predecessor came again within the leeway: the same successor, still unused
--   reused    an older token came again: the grant is revoked now
--   gone      the grant has ended, or its record is none of ours
--
-- The record has a line each for: generation, time of the last rotation (s), the sealed grant. Who calls has opened it.
--
-- A generation ahead of the record means that the store has lost its last writes (the token's MAC proves that it was
-- issued). The grant then moves on from it, so that everything older is reuse.

local function rotate(grantKey, revokedKey, numbers, resealed)
  local record = redis.call('GET', grantKey)
  if not record then
    return 'gone'
  end
  local generation, rotatedAt, sealed = string.match(record, '^(%d+)\n(%d+)\n(.*)$')
  if not generation then
    return 'gone' -- and the others of this call are none the worse
  end
  if resealed ~= '' then
    sealed = resealed
  end
  local presented, endsAt, now, idleTtl, revocationTtl, leeway, stays =
    string.match(numbers, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ([01])$')
  generation = tonumber(generation)
  presented = tonumber(presented)
  if presented >= generation then
    local successor = string.format('%d', presented + 1 - tonumber(stays))
    local ttl = math.min(tonumber(idleTtl), tonumber(endsAt) - tonumber(now))
    if ttl <= 0 then
      redis.call('DEL', grantKey)
      return 'gone'
    end
    local moved = table.concat({ successor, now, sealed }, '\n')
    redis.call('SET', grantKey, moved, 'EX', string.format('%d', ttl))
    return 'rotated ' .. successor
  end
  local since = tonumber(now) - tonumber(rotatedAt)
  if presented == generation - 1 and tonumber(leeway) > 0 and since <= tonumber(leeway) then
    return 'repeated ' .. string.format('%d', generation)
  end
  redis.call('DEL', grantKey)
  redis.call('SET', revokedKey, 'refresh_token_reused', 'EX', revocationTtl)
  return 'reused'
end

local outcomes = {}
for token = 1, #KEYS / 2 do
  local last = 2 * token
  outcomes[token] = rotate(KEYS[last - 1], KEYS[last], ARGV[last - 1], ARGV[last])
end
return outcomes
