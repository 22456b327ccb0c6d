import { createRequire } from 'node:module';
import type { Bytes } from '../bytes.ts';
import { formatLuaNumber, parseLuaNumber } from './lua-numbers.ts';

/** One Lua state, or coroutine. */
export interface LuaState {
  readonly l_G: object;
}

/** A function of Lua written here: takes its arguments from the stack, pushes results, and returns how many. */
export type LuaFunction = (state: LuaState) => number;

/** Bytes as fengari holds them. */
export type LuaString = Uint8Array;

/** What `lua_getinfo` fills in. */
export interface LuaDebug {
  short_src?: LuaString;
  source?: LuaString;
  what?: LuaString;
  currentline?: number;
}

/** The functions of Lua's C interface that are used here; see the Lua 5.3 manual, §4. */
interface Lua {
  readonly LUA_REGISTRYINDEX: number;
  readonly LUA_RIDX_GLOBALS: number;
  readonly LUA_OK: number;
  readonly LUA_MULTRET: number;
  readonly LUA_MASKCOUNT: number;
  readonly LUA_TNIL: number;
  readonly LUA_TBOOLEAN: number;
  readonly LUA_TLIGHTUSERDATA: number;
  readonly LUA_TNUMBER: number;
  readonly LUA_TSTRING: number;
  readonly LUA_TTABLE: number;
  readonly lua_Debug: new () => LuaDebug;
  lua_absindex(state: LuaState, index: number): number;
  lua_atnativeerror(state: LuaState, handler: LuaFunction): void;
  lua_call(state: LuaState, args: number, results: number): void;
  lua_checkstack(state: LuaState, slots: number): boolean;
  lua_createtable(state: LuaState, items: number, fields: number): void;
  lua_error(state: LuaState): never;
  lua_getinfo(state: LuaState, what: LuaString, info: LuaDebug): number;
  lua_getstack(state: LuaState, level: number, info: LuaDebug): number;
  lua_gettop(state: LuaState): number;
  lua_insert(state: LuaState, index: number): void;
  lua_next(state: LuaState, index: number): number;
  lua_pcall(state: LuaState, args: number, results: number, handler: number): number;
  lua_pop(state: LuaState, count: number): void;
  lua_pushboolean(state: LuaState, value: boolean): void;
  lua_pushcfunction(state: LuaState, value: LuaFunction): void;
  lua_pushlightuserdata(state: LuaState, value: unknown): void;
  lua_pushnil(state: LuaState): void;
  lua_pushnumber(state: LuaState, value: number): void;
  lua_pushstring(state: LuaState, value: LuaString): void;
  lua_pushvalue(state: LuaState, index: number): void;
  lua_rawget(state: LuaState, index: number): number;
  lua_rawgeti(state: LuaState, index: number, position: number): number;
  lua_rawset(state: LuaState, index: number): void;
  lua_rawseti(state: LuaState, index: number, position: number): void;
  lua_remove(state: LuaState, index: number): void;
  lua_sethook(state: LuaState, hook: (state: LuaState) => void, mask: number, count: number): void;
  lua_settop(state: LuaState, index: number): void;
  lua_toboolean(state: LuaState, index: number): boolean;
  lua_tonumber(state: LuaState, index: number): number;
  lua_tostring(state: LuaState, index: number): LuaString | null;
  lua_touserdata(state: LuaState, index: number): unknown;
  lua_type(state: LuaState, index: number): number;
}

/** The functions of Lua's auxiliary library that are used here; see the Lua 5.3 manual, §5. */
interface Auxiliary {
  luaL_newstate(): LuaState;
  luaL_argerror(state: LuaState, argument: number, message: LuaString): never;
  luaL_checknumber(state: LuaState, argument: number): number;
  luaL_checkstring(state: LuaState, argument: number): LuaString;
  luaL_error(state: LuaState, message: LuaString): never;
  luaL_loadbufferx(
    state: LuaState,
    code: LuaString,
    length: number,
    name: LuaString,
    mode: LuaString,
  ): number;
  luaL_ref(state: LuaState, table: number): number;
  luaL_requiref(state: LuaState, name: LuaString, open: LuaFunction, global: number): void;
  luaL_unref(state: LuaState, table: number, reference: number): void;
  luaL_where(state: LuaState, level: number): void;
}

/** The libraries that a script may have some of. */
interface Libraries {
  luaopen_base: LuaFunction;
  luaopen_coroutine: LuaFunction;
  luaopen_math: LuaFunction;
  luaopen_string: LuaFunction;
  luaopen_table: LuaFunction;
}

interface Fengari {
  readonly lua: Lua;
  readonly lauxlib: Auxiliary;
  readonly lualib: Libraries;
}

/** A value on the stack of fengari. */
interface TaggedValue {
  readonly value: unknown;
  ttnov(): number;
  svalue(): LuaString;
  setfltvalue(value: number): void;
}

interface StringObject {
  hash: string | null;
  readonly realstring: LuaString;
}

/** What is changed inside fengari. */
interface Internals {
  readonly definitions: {
    constant_types: Record<'LUA_TNUMINT' | 'LUA_TNUMFLT' | 'LUA_TNUMBER' | 'LUA_TSTRING', number>;
  };
  readonly configuration: {
    LUA_COMPAT_FLOATSTRING: boolean;
    lua_number2str: (value: number) => string;
    lua_numbertointeger: (value: number) => number | false;
  };
  readonly strings: {
    luaS_hash: (bytes: LuaString) => string;
    luaS_hashlongstr: (string: StringObject) => string;
  };
}

const load = createRequire(import.meta.url);

/**
 * Loads fengari with the numbers of Lua 5.1, which Redis runs: one type, doubles. Fengari is a Lua 5.3 with integers of 32
 * bits, in which 1700000000 * 1000, milliseconds, comes out negative. Its modules take each other's exports when they are
 * first loaded; so the constants at the bottom are changed before the rest is loaded, as one would edit luaconf.h. Also
 * changed: the hash of strings, which takes "\1\35" for "\18\3".
 */
function loadFengari(): Fengari {
  const definitions = load('fengari/src/defs.js') as Internals['definitions'];
  const configuration = load('fengari/src/luaconf.js') as Internals['configuration'];
  const strings = load('fengari/src/lstring.js') as Internals['strings'];
  definitions.constant_types.LUA_TNUMINT = definitions.constant_types.LUA_TNUMFLT;
  configuration.LUA_COMPAT_FLOATSTRING = true;
  configuration.lua_number2str = formatLuaNumber;
  configuration.lua_numbertointeger = () => false;
  strings.luaS_hash = hashOf;
  strings.luaS_hashlongstr = (string) => (string.hash ??= hashOf(string.realstring));
  const fengari = load('fengari') as Fengari;
  adaptConversions(definitions.constant_types);
  return fengari;
}

function adaptConversions(types: Internals['definitions']['constant_types']): void {
  const objects = load('fengari/src/lobject.js') as {
    TValue: { prototype: { ttisinteger: () => boolean } };
    luaO_str2num: (bytes: LuaString, into: TaggedValue) => number;
  };
  const machine = load('fengari/src/lvm.js') as { tointeger: (value: TaggedValue) => number | false };
  objects.TValue.prototype.ttisinteger = () => false;
  objects.luaO_str2num = (bytes, into) => {
    const number = parseLuaNumber(fromLuaString(bytes));
    if (number !== undefined) into.setfltvalue(number);
    return number === undefined ? 0 : bytes.length + 1;
  };
  machine.tointeger = (value) => {
    const kind = value.ttnov();
    if (kind === types.LUA_TNUMBER) return truncate(Number(value.value));
    const number = kind === types.LUA_TSTRING ? parseLuaNumber(fromLuaString(value.svalue())) : undefined;
    return number === undefined ? false : truncate(number);
  };
}

/** What C makes of it: infinity has no integer. */
function truncate(value: number): number {
  return Number.isFinite(value) ? Math.trunc(value) : Number.MIN_SAFE_INTEGER;
}

/** The sign keeps it apart from the keys that are no strings; fengari compares strings by it, too. */
function hashOf(bytes: LuaString): string {
  return `|${fromLuaString(bytes)}`;
}

/** The bytes of a string of Lua. */
export function fromLuaString(string: LuaString): Bytes {
  return Buffer.from(string.buffer, string.byteOffset, string.length).toString('latin1');
}

/** A string of Lua with these bytes. */
export function toLuaString(bytes: Bytes): LuaString {
  return Buffer.from(bytes, 'latin1');
}

const fengari = loadFengari();

export const lua: Lua = fengari.lua;
export const auxiliary: Auxiliary = fengari.lauxlib;
export const libraries: Libraries = fengari.lualib;
