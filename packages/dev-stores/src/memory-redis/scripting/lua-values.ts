import type { Bytes } from '../bytes.ts';
import { fromLuaString, lua, toLuaString, type LuaFunction, type LuaState } from './fengari.ts';

/** Pushes a string. */
export function pushBytes(state: LuaState, bytes: Bytes): void {
  lua.lua_pushstring(state, toLuaString(bytes));
}

/** The string, or the number as a string, at an index; undefined for anything else. */
export function readBytes(state: LuaState, index: number): Bytes | undefined {
  const string = lua.lua_tostring(state, index);
  return string === null ? undefined : fromLuaString(string);
}

/** Pushes a table of strings, counted from 1. */
export function pushList(state: LuaState, items: readonly Bytes[]): void {
  lua.lua_createtable(state, items.length, 0);
  for (const [index, item] of items.entries()) {
    pushBytes(state, item);
    lua.lua_rawseti(state, -2, index + 1);
  }
}

/** Pushes the field of the table at an index, without asking its metatable. */
export function pushField(state: LuaState, index: number, name: Bytes): void {
  const table = lua.lua_absindex(state, index);
  pushBytes(state, name);
  lua.lua_rawget(state, table);
}

/** The string in a field of the table at an index; undefined when there is something else. */
export function readField(state: LuaState, index: number, name: Bytes): Bytes | undefined {
  pushField(state, index, name);
  const value = lua.lua_type(state, -1) === lua.LUA_TSTRING ? readBytes(state, -1) : undefined;
  lua.lua_pop(state, 1);
  return value;
}

/** Pops a value into a field of the table at an index. */
export function setField(state: LuaState, index: number, name: Bytes): void {
  const table = lua.lua_absindex(state, index);
  pushBytes(state, name);
  lua.lua_insert(state, -2);
  lua.lua_rawset(state, table);
}

/** Pushes `{err = message}`, or `{ok = message}`. */
export function pushTagged(state: LuaState, tag: 'err' | 'ok', message: Bytes): void {
  lua.lua_createtable(state, 0, 1);
  pushBytes(state, message);
  setField(state, -2, tag);
}

/** Ends the function with an error as Redis makes it: a table, without a position. */
export function raise(state: LuaState, message: Bytes): never {
  pushTagged(state, 'err', message);
  return lua.lua_error(state);
}

/** Pushes a table of functions. */
export function pushFunctions(state: LuaState, functions: Readonly<Record<string, LuaFunction>>): void {
  const entries = Object.entries(functions);
  lua.lua_createtable(state, 0, entries.length);
  for (const [name, value] of entries) {
    lua.lua_pushcfunction(state, value);
    setField(state, -2, name);
  }
}
