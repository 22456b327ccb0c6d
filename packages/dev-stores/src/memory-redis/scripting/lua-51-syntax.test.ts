import { describe, expect, it } from 'vitest';
import { requireLua51 } from './lua-51-syntax.ts';

describe('Lua 5.1 alone', () => {
  it.each([
    ['return 7 // 2', '//'],
    ['return 7 & 2', '&'],
    ['return 7 | 2', '|'],
    ['return ~7', '~'],
    ['return 7 << 2', '<<'],
    ['goto done', 'goto'],
    ['::done::', '::'],
    ["return '\\x41'", '\\x'],
    ['return "\\u{41}"', '\\u{'],
  ])('takes no %j', (source, found) => {
    expect(() => requireLua51(`-- one\nlocal two\n${source}`)).toThrow(
      `user_script:3: '${found}' is not in Lua 5.1`,
    );
  });

  it.each([
    'return a ~= b',
    "return '// & | << :: goto x \\\\x41'",
    '-- goto x // &',
    '--[[ goto x\n// ]] return 1',
    '--[==[ ]] // ]==] return 1',
    'return [[ // & ]]',
    'return [=[ ]] // ]=]',
    "return t[a[1]], 'it\\'s // fine'",
    'local gotos = 1 return gotos.goto_x',
    'return s:gsub("a|b", "&")',
  ])('takes %j', (source) => {
    expect(() => requireLua51(source)).not.toThrow();
  });
});
