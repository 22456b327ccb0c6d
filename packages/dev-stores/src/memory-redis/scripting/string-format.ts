import type { Bytes } from '../bytes.ts';
import { formatFloat, formatInteger, padText, type NumberStyle } from './c-numbers.ts';
import { auxiliary, fromLuaString, lua, toLuaString, type LuaState } from './fengari.ts';
import { pushBytes } from './lua-values.ts';

const CONVERSION = /%(?:%|([-+ #0]*)(\d{0,2})(?:\.(\d{0,2}))?([^]?))/g;
/**
 * `string.format` of Lua 5.1, where a number is cut to an integer for `%d`, whatever its size. Of the conversions there are those that scripts of the product use. Fengari's own goes through
 * UTF-8 and rejects numbers beyond 32 bits.
 *
 * @see https://www.lua.org/manual/5.1/manual.html#pdf-string.format
 */
export function stringFormat(state: LuaState): number {
  const template = fromLuaString(auxiliary.luaL_checkstring(state, 1));
  let argument = 1;
  const text = template.replace(
    CONVERSION,
    (whole, flags: string, width: string, precision: string, letter: string) => {
      if (whole === '%%') return '%';
      argument += 1;
      return convert(state, argument, letter, {
        flags,
        width: Number(width),
        precision: precision === undefined ? undefined : Number(precision),
      });
    },
  );
  pushBytes(state, text);
  return 1;
}

function convert(state: LuaState, argument: number, letter: string, style: NumberStyle): Bytes {
  if (argument > lua.lua_gettop(state))
    return auxiliary.luaL_argerror(state, argument, toLuaString('no value'));
  if (letter === '') return invalidOption(state, letter);
  if (letter === 'd') return formatInteger(auxiliary.luaL_checknumber(state, argument), style);
  if (letter === 's') return padText(fromLuaString(auxiliary.luaL_checkstring(state, argument)), style);
  if (letter === 'f') return formatFloat(auxiliary.luaL_checknumber(state, argument), letter, style);
  return invalidOption(state, letter);
}

function invalidOption(state: LuaState, letter: string): never {
  return auxiliary.luaL_error(state, toLuaString(`invalid option '%%${letter}' to 'format'`));
}
