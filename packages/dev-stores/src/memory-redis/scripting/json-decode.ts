import type { Bytes } from '../bytes.ts';
import { auxiliary, fromLuaString, lua, toLuaString, type LuaState } from './fengari.ts';
import { JsonTokens, type JsonToken } from './json-tokens.ts';
import { pushBytes } from './lua-values.ts';

const MAX_DEPTH = 1_000;
const TOKEN_NAMES: Readonly<Record<JsonToken['kind'], string>> = {
  '{': 'T_OBJ_BEGIN',
  '}': 'T_OBJ_END',
  '[': 'T_ARR_BEGIN',
  ']': 'T_ARR_END',
  ':': 'T_COLON',
  ',': 'T_COMMA',
  string: 'T_STRING',
  number: 'T_NUMBER',
  word: 'T_BOOLEAN',
  end: 'T_END',
  error: 'T_ERROR',
};

/** `cjson.decode`; JSON's null becomes `cjson.null`. */
export function decodeJson(state: LuaState): number {
  if (lua.lua_gettop(state) !== 1)
    return auxiliary.luaL_argerror(state, 1, toLuaString('expected 1 argument'));
  const tokens = new JsonTokens(fromLuaString(auxiliary.luaL_checkstring(state, 1)));
  pushValue(state, tokens, tokens.next(), 0);
  const rest = tokens.next();
  return rest.kind === 'end' ? 1 : complain(state, 'the end', rest);
}

/** Pushes `cjson.null`, which is not nil: a table can hold it. */
export function pushJsonNull(state: LuaState): void {
  lua.lua_pushlightuserdata(state, null);
}

function pushValue(state: LuaState, tokens: JsonTokens, token: JsonToken, depth: number): void {
  switch (token.kind) {
    case 'string':
      return pushBytes(state, token.text);
    case 'number':
      return lua.lua_pushnumber(state, token.value);
    case 'word':
      return token.value === null ? pushJsonNull(state) : lua.lua_pushboolean(state, token.value);
    case '{':
      return pushObject(state, tokens, nested(state, token, depth));
    case '[':
      return pushArray(state, tokens, nested(state, token, depth));
    default:
      return complain(state, 'value', token);
  }
}

function nested(state: LuaState, token: JsonToken, depth: number): number {
  if (depth + 1 > MAX_DEPTH)
    return fail(state, `Found too many nested data structures (${depth + 1}) at character ${token.at}`);
  lua.lua_checkstack(state, 4);
  return depth + 1;
}

function pushObject(state: LuaState, tokens: JsonTokens, depth: number): void {
  lua.lua_createtable(state, 0, 0);
  let token = tokens.next();
  if (token.kind === '}') return;
  for (;;) {
    if (token.kind !== 'string') return complain(state, 'object key string', token);
    pushBytes(state, token.text);
    const colon = tokens.next();
    if (colon.kind !== ':') return complain(state, 'colon', colon);
    pushValue(state, tokens, tokens.next(), depth);
    lua.lua_rawset(state, -3);
    const separator = tokens.next();
    if (separator.kind === '}') return;
    if (separator.kind !== ',') return complain(state, 'comma or object end', separator);
    token = tokens.next();
  }
}

function pushArray(state: LuaState, tokens: JsonTokens, depth: number): void {
  lua.lua_createtable(state, 0, 0);
  let token = tokens.next();
  if (token.kind === ']') return;
  for (let index = 1; ; index += 1) {
    pushValue(state, tokens, token, depth);
    lua.lua_rawseti(state, -2, index);
    const separator = tokens.next();
    if (separator.kind === ']') return;
    if (separator.kind !== ',') return complain(state, 'comma or array end', separator);
    token = tokens.next();
  }
}

function complain(state: LuaState, expected: string, token: JsonToken): never {
  return fail(state, `Expected ${expected} but found ${describe(token)} at character ${token.at}`);
}

function describe(token: JsonToken): string {
  if (token.kind === 'error') return token.problem;
  return token.kind === 'word' && token.value === null ? 'T_NULL' : TOKEN_NAMES[token.kind];
}

function fail(state: LuaState, message: Bytes): never {
  return auxiliary.luaL_error(state, toLuaString(message));
}
