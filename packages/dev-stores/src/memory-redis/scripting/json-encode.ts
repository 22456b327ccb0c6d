import type { Bytes } from '../bytes.ts';
import { auxiliary, lua, toLuaString, type LuaState } from './fengari.ts';
import { formatLuaNumber } from './lua-numbers.ts';
import { pushBytes, readBytes } from './lua-values.ts';

const MAX_DEPTH = 1_000;
/** An array may have holes up to this index, or while at least every second place is taken. */
const SAFE_ARRAY_LENGTH = 10;
const MAX_SPARSENESS = 2;
/** Quotes and slashes, and what is neither printable ASCII nor part of a longer character. */
const ESCAPED = /["\\/]|[^ -~\u0080-\u00ff]/g;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['/', '\\/'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** `cjson.encode`, with the defaults of Redis: numbers in 14 digits, an empty table is an object. */
export function encodeJson(state: LuaState): number {
  if (lua.lua_gettop(state) !== 1)
    return auxiliary.luaL_argerror(state, 1, toLuaString('expected 1 argument'));
  pushBytes(state, encodeTop(state, 0));
  return 1;
}

/** Encodes the value on top of the stack, and leaves it there. */
function encodeTop(state: LuaState, depth: number): Bytes {
  switch (lua.lua_type(state, -1)) {
    case lua.LUA_TSTRING:
      return encodeString(readBytes(state, -1) ?? '');
    case lua.LUA_TNUMBER:
      return encodeNumber(state);
    case lua.LUA_TBOOLEAN:
      return String(lua.lua_toboolean(state, -1));
    case lua.LUA_TNIL:
      return 'null';
    case lua.LUA_TTABLE:
      return encodeTable(state, depth + 1);
    case lua.LUA_TLIGHTUSERDATA:
      return lua.lua_touserdata(state, -1) === null ? 'null' : refuse(state, 'type not supported');
    default:
      return refuse(state, 'type not supported');
  }
}

function refuse(state: LuaState, reason: string): never {
  return auxiliary.luaL_error(state, toLuaString(`Cannot serialise ${typeName(state, -1)}: ${reason}`));
}

function typeName(state: LuaState, index: number): string {
  switch (lua.lua_type(state, index)) {
    case lua.LUA_TBOOLEAN:
      return 'boolean';
    case lua.LUA_TNUMBER:
      return 'number';
    case lua.LUA_TSTRING:
      return 'string';
    case lua.LUA_TTABLE:
      return 'table';
    case lua.LUA_TLIGHTUSERDATA:
      return 'userdata';
    default:
      return 'function';
  }
}

function encodeString(bytes: Bytes): Bytes {
  return `"${bytes.replace(ESCAPED, escape)}"`;
}

function escape(character: string): string {
  return ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function encodeNumber(state: LuaState): Bytes {
  const value = lua.lua_tonumber(state, -1);
  return Number.isFinite(value) ? formatLuaNumber(value) : refuse(state, 'must not be NaN or Inf');
}

function encodeTable(state: LuaState, depth: number): Bytes {
  if (depth > MAX_DEPTH)
    return auxiliary.luaL_error(state, toLuaString(`Cannot serialise, excessive nesting (${depth})`));
  lua.lua_checkstack(state, 4);
  const length = arrayLength(state);
  return length > 0 ? encodeArray(state, length, depth) : encodeObject(state, depth);
}

/** The highest index when all keys are whole numbers from 1 on; 0 for an object and for an empty table. */
function arrayLength(state: LuaState): number {
  let highest = 0;
  let items = 0;
  lua.lua_pushnil(state);
  while (lua.lua_next(state, -2) !== 0) {
    lua.lua_pop(state, 1);
    const index = lua.lua_type(state, -1) === lua.LUA_TNUMBER ? lua.lua_tonumber(state, -1) : 0;
    if (!Number.isInteger(index) || index < 1) {
      lua.lua_pop(state, 1);
      return 0;
    }
    highest = Math.max(highest, index);
    items += 1;
  }
  if (highest > SAFE_ARRAY_LENGTH && highest > items * MAX_SPARSENESS)
    return refuse(state, 'excessively sparse array');
  return highest;
}

function encodeArray(state: LuaState, length: number, depth: number): Bytes {
  const items: Bytes[] = [];
  for (let index = 1; index <= length; index += 1) {
    lua.lua_rawgeti(state, -1, index);
    items.push(encodeTop(state, depth));
    lua.lua_pop(state, 1);
  }
  return `[${items.join(',')}]`;
}

function encodeObject(state: LuaState, depth: number): Bytes {
  const members: Bytes[] = [];
  lua.lua_pushnil(state);
  while (lua.lua_next(state, -2) !== 0) {
    const value = encodeTop(state, depth);
    lua.lua_pop(state, 1);
    members.push(`${encodeKey(state)}:${value}`);
  }
  return `{${members.join(',')}}`;
}

/** A number is not turned into a string where it is: the traversal goes on from it. */
function encodeKey(state: LuaState): Bytes {
  const type = lua.lua_type(state, -1);
  if (type === lua.LUA_TNUMBER) return `"${formatLuaNumber(lua.lua_tonumber(state, -1))}"`;
  if (type === lua.LUA_TSTRING) return encodeString(readBytes(state, -1) ?? '');
  return refuse(state, 'table key must be a number or string');
}
