-- Adds a link to those that are live. One that is sent again is the newest.
--
-- KEYS  1 the live links: their keys, oldest first, a line each
-- ARGV  1 the key of the link  2 seconds for which it lives  3 most links that are live at a time
--
-- Returns the keys of those that are live no more

local live = {}
for key in string.gmatch(redis.call('GET', KEYS[1]) or '', '[^\n]+') do
  if key ~= ARGV[1] then
    table.insert(live, key)
  end
end
table.insert(live, ARGV[1])
local void = {}
while #live > tonumber(ARGV[3]) do
  table.insert(void, table.remove(live, 1))
end
redis.call('SET', KEYS[1], table.concat(live, '\n'), 'EX', ARGV[2])
return void
