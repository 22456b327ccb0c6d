import { RedisError } from '../errors.ts';
import { errorReply, status, type Reply, type TaggedReply } from '../protocol/reply.ts';
import { formatDouble } from '../values/double.ts';
import { lua, type LuaState } from './fengari.ts';
import { pushBytes, pushTagged, readBytes, readField } from './lua-values.ts';

const MAX_DEPTH = 1_000;
const INTEGER_LIMIT = 2 ** 63;

/**
 * Pushes what a command answered, in RESP2's terms: null is false, a status is `{ok = …}`, an error `{err = …}`.
 *
 * @see https://redis.io/docs/latest/develop/programmability/lua-api/#data-type-conversion
 */
export function pushReply(state: LuaState, reply: Reply): void {
  if (typeof reply === 'string') pushBytes(state, reply);
  else if (typeof reply === 'number' || typeof reply === 'bigint') lua.lua_pushnumber(state, Number(reply));
  else if (reply === null) lua.lua_pushboolean(state, false);
  else if ('kind' in reply) pushTaggedReply(state, reply);
  else pushArray(state, reply);
}

function pushTaggedReply(state: LuaState, reply: TaggedReply): void {
  switch (reply.kind) {
    case 'status':
      return pushTagged(state, 'ok', reply.text);
    case 'error':
      return pushTagged(state, 'err', reply.message);
    case 'double':
      return pushBytes(state, formatDouble(reply.value));
    case 'map':
      return pushArray(state, reply.resp2 === 'flat' ? reply.entries.flat() : reply.entries);
    case 'pairs':
      return pushArray(state, reply.pairs.flat());
    case 'set':
      return pushArray(state, reply.members);
    case 'push':
      return pushArray(state, reply.items);
    case 'several':
      return pushArray(state, reply.replies);
    case 'nullArray':
      return lua.lua_pushboolean(state, false);
    case 'verbatim':
      return pushBytes(state, reply.text);
  }
}

function pushArray(state: LuaState, items: readonly Reply[]): void {
  lua.lua_checkstack(state, 4);
  lua.lua_createtable(state, items.length, 0);
  for (const [index, item] of items.entries()) {
    pushReply(state, item);
    lua.lua_rawseti(state, -2, index + 1);
  }
}

/**
 * The reply that the value on top of the stack stands for. A number loses its fraction, false and nil are null, a table
 * is read up to its first nil.
 */
export function readReply(state: LuaState, depth = 0): Reply {
  switch (lua.lua_type(state, -1)) {
    case lua.LUA_TSTRING:
      return readBytes(state, -1) ?? null;
    case lua.LUA_TNUMBER:
      return toInteger(lua.lua_tonumber(state, -1));
    case lua.LUA_TBOOLEAN:
      return lua.lua_toboolean(state, -1) ? 1 : null;
    case lua.LUA_TTABLE:
      return readTable(state, depth);
    default:
      return null;
  }
}

function readTable(state: LuaState, depth: number): Reply {
  if (depth >= MAX_DEPTH) throw new RedisError('ERR reached lua stack limit');
  const error = readField(state, -1, 'err');
  if (error !== undefined) return errorReply(oneLine(error));
  const ok = readField(state, -1, 'ok');
  if (ok !== undefined) return status(oneLine(ok));
  return readArray(state, depth);
}

function readArray(state: LuaState, depth: number): Reply {
  lua.lua_checkstack(state, 4);
  const items: Reply[] = [];
  while (lua.lua_rawgeti(state, -1, items.length + 1) !== lua.LUA_TNIL) {
    items.push(readReply(state, depth + 1));
    lua.lua_pop(state, 1);
  }
  lua.lua_pop(state, 1);
  return items;
}

/** As the processor casts a double: what does not fit becomes the lowest. */
function toInteger(value: number): number | bigint {
  const fits = value >= -INTEGER_LIMIT && value < INTEGER_LIMIT;
  if (!fits) return -(2n ** 63n);
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole + 0 : BigInt(whole);
}

/** A line break would end the reply. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}
