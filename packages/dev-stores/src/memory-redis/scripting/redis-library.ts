import { createHash } from 'node:crypto';
import type { Bytes } from '../bytes.ts';
import { RedisError } from '../errors.ts';
import type { Reply } from '../protocol/reply.ts';
import { formatDouble } from '../values/double.ts';
import { SERVER_VERSION } from '../server/version.ts';
import { lua, type LuaFunction, type LuaState } from './fengari.ts';
import { pushBytes, pushFunctions, pushTagged, raise, readBytes, setField } from './lua-values.ts';
import { pushReply } from './reply-conversion.ts';

/** What `redis.call` and `redis.log` reach outside of Lua. */
export interface ScriptHost {
  /** @throws RedisError with what the script gets as its error */
  readonly call: (request: readonly Bytes[]) => Reply;
  readonly log: (level: number, message: Bytes) => void;
  /** Told of what should not happen in `call`. */
  readonly reportFailure: (error: unknown) => void;
}

const CONSTANTS: Readonly<Record<string, number>> = {
  LOG_DEBUG: 0,
  LOG_VERBOSE: 1,
  LOG_NOTICE: 2,
  LOG_WARNING: 3,
  REPL_NONE: 0,
  REPL_AOF: 1,
  REPL_SLAVE: 2,
  REPL_REPLICA: 2,
  REPL_ALL: 3,
  REDIS_VERSION_NUM: versionNumber(SERVER_VERSION),
};

/** Pushes the table that scripts know as `redis`. */
export function pushRedisLibrary(state: LuaState, host: ScriptHost): void {
  pushFunctions(state, {
    call: (current) => call(current, host, true),
    pcall: (current) => call(current, host, false),
    error_reply: replyError,
    status_reply: (current) => replyTagged(current, 'ok', (text) => text),
    sha1hex,
    log: (current) => log(current, host),
    setresp,
    replicate_commands: pushTrue,
    set_repl: () => 0,
  });
  for (const [name, value] of Object.entries(CONSTANTS)) {
    lua.lua_pushnumber(state, value);
    setField(state, -2, name);
  }
  pushBytes(state, SERVER_VERSION);
  setField(state, -2, 'REDIS_VERSION');
}

function versionNumber(version: string): number {
  return version.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

function call(state: LuaState, host: ScriptHost, raises: boolean): number {
  const { reply, error } = attempt(state, host);
  if (error === undefined && !isError(reply)) {
    pushReply(state, reply);
    return 1;
  }
  const message = error ?? (isError(reply) ? reply.message : '');
  if (raises) return raise(state, message);
  pushTagged(state, 'err', message);
  return 1;
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

function replyError(state: LuaState): number {
  return replyTagged(state, 'err', (text) => {
    if (text.startsWith('-')) return text.slice(1);
    return text.includes(' ') ? text : `ERR ${text}`;
  });
}

function replyTagged(state: LuaState, tag: 'err' | 'ok', complete: (text: Bytes) => Bytes): number {
  if (lua.lua_gettop(state) !== 1 || lua.lua_type(state, 1) !== lua.LUA_TSTRING) {
    pushTagged(state, 'err', 'ERR wrong number or type of arguments');
    return 1;
  }
  pushTagged(state, tag, complete(readBytes(state, 1) ?? ''));
  return 1;
}

function sha1hex(state: LuaState): number {
  if (lua.lua_gettop(state) !== 1) return raise(state, 'ERR wrong number of arguments');
  const digest = createHash('sha1')
    .update(readBytes(state, 1) ?? '', 'latin1')
    .digest('hex');
  pushBytes(state, digest);
  return 1;
}

function log(state: LuaState, host: ScriptHost): number {
  const count = lua.lua_gettop(state);
  if (count < 2) return raise(state, 'ERR redis.log() requires two arguments or more.');
  if (lua.lua_type(state, 1) !== lua.LUA_TNUMBER)
    return raise(state, 'ERR First argument must be a number (log level).');
  const level = Math.trunc(lua.lua_tonumber(state, 1));
  if (level < 0 || level > 3) return raise(state, 'ERR Invalid debug level.');
  const words = Array.from({ length: count - 1 }, (_, index) => readBytes(state, index + 2) ?? '');
  host.log(level, words.join(' '));
  return 0;
}

/** Replies come in RESP2's terms only. */
function setresp(state: LuaState): number {
  if (lua.lua_gettop(state) !== 1) return raise(state, 'ERR redis.setresp() requires one argument.');
  const version = lua.lua_tonumber(state, 1);
  if (version === 3) return raise(state, 'ERR redis.setresp(3) is not supported by the in-memory server.');
  if (version !== 2) return raise(state, 'ERR RESP version must be 2 or 3.');
  return 0;
}

const pushTrue: LuaFunction = (state) => {
  lua.lua_pushboolean(state, true);
  return 1;
};
