import { readFileSync } from 'node:fs';
import { auxiliary, libraries, lua, toLuaString, type LuaFunction, type LuaState } from './fengari.ts';
import { pushFunctions, readBytes, setField } from './lua-values.ts';
import { pushRedisLibrary, type ScriptHost } from './redis-library.ts';
import { stringFormat } from './string-format.ts';

const SOURCE = new URL('../../../src/memory-redis/scripting/sandbox.lua', import.meta.url);

/** What `sandbox.lua` chooses from. Neither files nor the system nor the debugger are among it. */
const LIBRARIES: readonly (readonly [name: string, open: LuaFunction])[] = [
  ['_G', libraries.luaopen_base],
  ['string', libraries.luaopen_string],
  ['table', libraries.luaopen_table],
  ['math', libraries.luaopen_math],
];

/** A state of Lua in which scripts can run. */
export interface Sandbox {
  readonly state: LuaState;
  /** Where the table of globals is stored in the registry. */
  readonly globals: number;
}

/** Opens a state of Lua with what Redis offers to scripts, and nothing else. */
export function createSandbox(host: ScriptHost): Sandbox {
  const state = auxiliary.luaL_newstate();
  lua.lua_atnativeerror(state, describeNativeError);
  for (const [name, open] of LIBRARIES) {
    auxiliary.luaL_requiref(state, toLuaString(name), open, 1);
    lua.lua_pop(state, 1);
  }
  loadSource(state);
  pushHost(state, host);
  lua.lua_call(state, 1, 2);
  lua.lua_rawseti(state, lua.LUA_REGISTRYINDEX, lua.LUA_RIDX_GLOBALS); // what chunks are compiled with
  return { state, globals: auxiliary.luaL_ref(state, lua.LUA_REGISTRYINDEX) };
}

function loadSource(state: LuaState): void {
  const source = readFileSync(SOURCE);
  const status = auxiliary.luaL_loadbufferx(
    state,
    source,
    source.length,
    toLuaString('@sandbox'),
    toLuaString('t'),
  );
  if (status !== lua.LUA_OK) throw new Error(readBytes(state, -1) ?? 'sandbox.lua does not compile');
}

function pushHost(state: LuaState, host: ScriptHost): void {
  pushFunctions(state, { format: stringFormat });
  pushRedisLibrary(state, host);
  setField(state, -2, 'redis');
}

/** An exception of JavaScript, as when a string outgrows what it can hold, becomes an error of the script. */
const describeNativeError: LuaFunction = (state) => {
  const error = lua.lua_touserdata(state, 1);
  lua.lua_pushstring(state, toLuaString(error instanceof Error ? error.message : 'native error'));
  return 1;
};
