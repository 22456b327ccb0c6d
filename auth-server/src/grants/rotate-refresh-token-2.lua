-- Replaces a refresh token by its successor, once.
--
-- KEYS  1 grant:{grant}  2 revoked:{grant}
-- ARGV  1 generation of the presented token  2 when the grant ends, seconds since 1970  3 now, seconds  4 seconds until the grant idles out
--       5 seconds for which a revocation is remembered  6 seconds of leeway for a repeated request
--       7 the grant, sealed under the newest key; empty where it is so already
--       8 1 where the token stays as it is, and only its time is renewed; else 0
--
-- Returns an outcome and, with the first two, the generation of the token to hand out
--   rotated   the grant has moved on, or was renewed
--   repeated  the direct predecessor came again within the leeway: the same successor, still unused
--   reused    an older token came again: the grant is revoked now
--   gone      the grant has ended
--
-- The record has a line each for: generation, time of the last rotation (s), the sealed grant. Who calls has opened it.
--
-- A generation ahead of the record means that the store has lost its last writes (the token's MAC proves that it was
-- issued). The grant then moves on from it, so that everything older is reuse.

local record = redis.call('GET', KEYS[1])
if not record then
  return { 'gone' }
end
local generation, rotatedAt, sealed = string.match(record, '^(%d+)\n(%d+)\n(.*)$')
if ARGV[7] ~= '' then
  sealed = ARGV[7]
end
generation = tonumber(generation)
local presented = tonumber(ARGV[1])
local now = tonumber(ARGV[3])
if presented >= generation then
  local successor = string.format('%d', presented + 1 - tonumber(ARGV[8]))
  local ttl = math.min(tonumber(ARGV[4]), tonumber(ARGV[2]) - now)
  if ttl <= 0 then
    redis.call('DEL', KEYS[1])
    return { 'gone' }
  end
  local moved = table.concat({ successor, ARGV[3], sealed }, '\n')
  redis.call('SET', KEYS[1], moved, 'EX', string.format('%d', ttl))
  return { 'rotated', successor }
end
local leeway = tonumber(ARGV[6])
if presented == generation - 1 and leeway > 0 and now - tonumber(rotatedAt) <= leeway then
  return { 'repeated', string.format('%d', generation) }
end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], 'refresh_token_reused', 'EX', ARGV[5])
return { 'reused' }
