import type { Bytes } from '../bytes.ts';
import { formatFloat, formatInteger, padText, type NumberStyle } from './c-numbers.ts';
import { auxiliary, fromLuaString, lua, toLuaString, type LuaState } from './fengari.ts';
import { pushBytes } from './lua-values.ts';

const CONVERSION = /%(?:%|([-+ #0]*)(\d{0,2})(?:\.(\d{0,2}))?([^]?))/g;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\\n'],
  ['\r', '\\r'],
  ['\0', '\\000'],
]);

/**
 * `string.format` of Lua 5.1, where a number is cut to an integer for `%d`, whatever its size. Fengari's own goes through
 * UTF-8 and refuses numbers beyond 32 bits.
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
  if ('diouxX'.includes(letter))
    return formatInteger(auxiliary.luaL_checknumber(state, argument), letter, style);
  if ('eEfgG'.includes(letter))
    return formatFloat(auxiliary.luaL_checknumber(state, argument), letter, style);
  if (letter === 's') return formatString(textArgument(state, argument), style);
  if (letter === 'q') return quote(textArgument(state, argument));
  if (letter === 'c') return padText(byteArgument(state, argument), style);
  return invalidOption(state, letter);
}

function invalidOption(state: LuaState, letter: string): never {
  return auxiliary.luaL_error(state, toLuaString(`invalid option '%%${letter}' to 'format'`));
}

function formatString(text: Bytes, style: NumberStyle): Bytes {
  return padText(style.precision === undefined ? text : text.slice(0, style.precision), style);
}

function textArgument(state: LuaState, argument: number): Bytes {
  return fromLuaString(auxiliary.luaL_checkstring(state, argument));
}

function byteArgument(state: LuaState, argument: number): Bytes {
  return String.fromCharCode(auxiliary.luaL_checknumber(state, argument) & 0xff);
}

function quote(text: Bytes): Bytes {
  return `"${text.replace(/["\\\n\r\0]/g, (character) => ESCAPES.get(character) ?? character)}"`;
}
