-- Makes the world that scripts live in: the libraries of Lua 5.1 as Redis offers them, all of it read-only.
-- Runs once, with a table of what is written outside of Lua: redis, format.
-- Returns the table for globals, which only the server writes to, and what scripts see of it.
local host = ...
local error, tostring, getmetatable, setmetatable = error, tostring, getmetatable, setmetatable

local function reject()
  error('Attempt to modify a readonly table', 2)
end

local function readonly(content)
  local front = {}
  return setmetatable(front, {
    __index = content,
    __newindex = reject,
    __metatable = false,
  })
end

local globals = {}
local world = readonly(globals)
setmetatable(globals, {
  __index = function(_, name)
    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
  end,
})

local function select_fields(source, names)
  local chosen = {}
  for _, name in ipairs(names) do chosen[name] = source[name] end
  return chosen
end

-- A function of Lua is here when a script of the product calls it.
for _, name in ipairs({ 'ipairs', 'tonumber' }) do
  globals[name] = _G[name]
end
globals.unpack = table.unpack

local strings = select_fields(string, { 'gmatch', 'match', 'sub' })
strings.format = host.format
globals.string = readonly(strings)

-- ('x'):sub(3) looks here.
local string_metatable = getmetatable('')
string_metatable.__index = strings
string_metatable.__metatable = readonly({ __index = globals.string })

globals.table = readonly(select_fields(table, { 'concat', 'insert', 'remove' }))
globals.math = readonly(select_fields(math, { 'floor', 'max', 'min' }))
globals.redis = readonly(host.redis)

return globals, world
