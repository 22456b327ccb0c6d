import type { Bytes } from '../bytes.ts';
import { RedisError } from '../errors.ts';
import type { Reply } from '../protocol/reply.ts';
import { formatDouble } from '../values/double.ts';
import { lua, type LuaState } from './fengari.ts';
import { pushFunctions, raise, readBytes } from './lua-values.ts';
import { pushReply } from './reply-conversion.ts';

/** What `redis.call` reaches outside of Lua. */
export interface ScriptHost {
  /** @throws RedisError with what the script gets as its error */
  readonly call: (request: readonly Bytes[]) => Reply;
  /** Called with unexpected errors in `call`. */
  readonly reportFailure: (error: unknown) => void;
}

/** Pushes the table that scripts know as `redis`. */
export function pushRedisLibrary(state: LuaState, host: ScriptHost): void {
  pushFunctions(state, { call: (current) => call(current, host) });
}

function call(state: LuaState, host: ScriptHost): number {
  const { reply, error } = attempt(state, host);
  if (error === undefined && !isError(reply)) {
    pushReply(state, reply);
    return 1;
  }
  return raise(state, error ?? (isError(reply) ? reply.message : ''));
}

function isError(reply: Reply): reply is { kind: 'error'; message: Bytes } {
  return typeof reply === 'object' && reply !== null && 'kind' in reply && reply.kind === 'error';
}

/** JavaScript's exceptions stay on this side: Lua would not understand them. */
function attempt(state: LuaState, host: ScriptHost): { reply: Reply; error?: Bytes } {
  try {
    return { reply: host.call(readRequest(state)) };
  } catch (error) {
    if (error instanceof RedisError) return { reply: null, error: error.message };
    host.reportFailure(error);
    return { reply: null, error: 'ERR internal error of the in-memory server' };
  }
}

function readRequest(state: LuaState): Bytes[] {
  const count = lua.lua_gettop(state);
  if (count === 0) throw new RedisError('ERR Please specify at least one argument for this redis lib call');
  return Array.from({ length: count }, (_, index) => readArgument(state, index + 1));
}

function readArgument(state: LuaState, index: number): Bytes {
  const type = lua.lua_type(state, index);
  if (type === lua.LUA_TNUMBER) return formatArgument(lua.lua_tonumber(state, index));
  const bytes = type === lua.LUA_TSTRING ? readBytes(state, index) : undefined;
  if (bytes === undefined)
    throw new RedisError('ERR Lua redis lib command arguments must be strings or integers');
  return bytes;
}

/** 0/0 is a negative NaN where Redis runs. */
function formatArgument(value: number): Bytes {
  return Number.isNaN(value) ? '-nan' : formatDouble(value);
}
