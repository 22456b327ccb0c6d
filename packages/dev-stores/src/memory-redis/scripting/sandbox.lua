-- Makes the world that scripts live in: the libraries of Lua 5.1 as Redis offers them, all of it read-only.
-- Runs once, with a table of what is written outside of Lua: redis, cjson, format.
-- Returns the table for globals, which only the server writes to, and what scripts see of it.
local host = ...
local error, next, type, tostring, select = error, next, type, tostring, select
local getmetatable, setmetatable, rawget, rawset, rawequal = getmetatable, setmetatable, rawget, rawset, rawequal
local pcall, load = pcall, load

-- What each read-only table stands for.
local contents = {}

local function refuse()
  error('Attempt to modify a readonly table', 2)
end

local function readonly(content)
  local front = {}
  contents[front] = content
  return setmetatable(front, {
    __index = content,
    __newindex = refuse,
    __len = function() return #content end,
    __pairs = function() return next, content, nil end,
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

globals._G = world
globals._VERSION = 'Lua 5.1'
for _, name in ipairs({ 'assert', 'getmetatable', 'ipairs', 'pairs', 'rawequal', 'select', 'tonumber', 'tostring',
  'type', 'xpcall' }) do
  globals[name] = _G[name]
end

-- A number gets the place in front of it, too.
function globals.error(message, level)
  level = level or 1
  if type(message) == 'number' then message = tostring(message) end
  error(message, level > 0 and level + 1 or 0)
end

function globals.rawget(target, key)
  return rawget(contents[target] or target, key)
end

function globals.rawset(target, key, value)
  if contents[target] then error('Attempt to modify a readonly table', 0) end
  return rawset(target, key, value)
end

function globals.setmetatable(target, metatable)
  if contents[target] then error('Attempt to modify a readonly table', 0) end
  return setmetatable(target, metatable)
end

function globals.next(target, key)
  return next(contents[target] or target, key)
end

-- An error of redis.call is a table; pcall hands out its text alone.
local function settle(succeeded, ...)
  if succeeded then return true, ... end
  local problem = ...
  if type(problem) == 'table' and type(rawget(problem, 'err')) == 'string' then return false, rawget(problem, 'err') end
  return false, problem
end

function globals.pcall(...)
  return settle(pcall(...))
end

-- Source text only: what was compiled elsewhere could do anything. Globals are those of scripts.
function globals.load(chunk, name)
  return load(chunk, name, 't', world)
end

function globals.loadstring(chunk, name)
  return load(tostring(chunk), name, 't', world)
end

-- JavaScript collects garbage as it likes.
function globals.collectgarbage(option)
  if option == 'count' then return 1 end
  return 0
end

function globals.gcinfo()
  return 1
end

globals.unpack = table.unpack

local function select_fields(source, names)
  local chosen = {}
  for _, name in ipairs(names) do chosen[name] = source[name] end
  return chosen
end

local strings = select_fields(string, { 'byte', 'char', 'find', 'gmatch', 'gsub', 'len', 'lower', 'match', 'rep', 'reverse',
  'sub', 'upper' })
strings.format = host.format
strings.gfind = string.gmatch
globals.string = readonly(strings)

-- ('x'):rep(3) looks here.
local string_metatable = getmetatable('')
string_metatable.__index = strings
string_metatable.__metatable = readonly({ __index = globals.string })

local tables = select_fields(table, { 'concat', 'insert', 'remove', 'sort' })
globals.table = readonly(tables)

function tables.getn(list)
  return #list
end

function tables.maxn(list)
  local highest = 0
  for key in next, list do
    if type(key) == 'number' and key > highest then highest = key end
  end
  return highest
end

function tables.foreach(list, visit)
  for key, value in next, list do
    local result = visit(key, value)
    if result ~= nil then return result end
  end
end

function tables.foreachi(list, visit)
  for index = 1, #list do
    local result = visit(index, list[index])
    if result ~= nil then return result end
  end
end

local maths = select_fields(math, { 'abs', 'acos', 'asin', 'atan', 'ceil', 'cos', 'deg', 'exp', 'floor', 'fmod', 'huge',
  'max', 'min', 'modf', 'pi', 'rad', 'random', 'randomseed', 'sin', 'sqrt', 'tan' })
globals.math = readonly(maths)
maths.mod = math.fmod

function maths.atan2(y, x)
  return math.atan(y, x)
end

function maths.log(x)
  return math.log(x)
end

function maths.log10(x)
  return math.log(x, 10)
end

function maths.pow(x, y)
  return x ^ y
end

globals.coroutine = readonly(select_fields(coroutine, { 'create', 'resume', 'running', 'status', 'wrap', 'yield' }))
globals.redis = readonly(host.redis)
globals.cjson = readonly(host.cjson)

return globals, world
