import type { Bytes } from '../bytes.ts';
import { RedisError } from '../errors.ts';

/** Comments, then strings, then what only newer versions of Lua know; whichever begins first is taken. */
const PIECES = new RegExp(
  [
    String.raw`--\[(?<comment>=*)\[[^]*?\]\k<comment>\]`,
    String.raw`--[^\n]*`,
    String.raw`\[(?<long>=*)\[[^]*?\]\k<long>\]`,
    String.raw`(?<quoted>"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')`,
    String.raw`(?<newer>\/\/|<<|>>|::|&|\||~(?!=)|\bgoto\b(?=\s+[A-Za-z_]))`,
  ].join('|'),
  'g',
);
const NEWER_ESCAPE = /\\(?:\\|(x|z|u\{))/g;

/**
 * Rejects what the Lua 5.3 that runs here takes and the Lua 5.1 of Redis does not, or reads another way: a script that
 * works in development has to work in production.
 *
 * @throws RedisError that names it, and its line
 */
export function requireLua51(source: Bytes): void {
  for (const { index, groups } of source.matchAll(PIECES)) {
    const found = groups?.['newer'] ?? newerEscape(groups?.['quoted'] ?? '');
    if (found !== undefined)
      throw new RedisError(
        `ERR Error compiling script (new function): user_script:${lineOf(source, index)}: '${found}' is not in Lua 5.1`,
      );
  }
}

function newerEscape(quoted: Bytes): string | undefined {
  for (const [, code] of quoted.matchAll(NEWER_ESCAPE)) if (code !== undefined) return `\\${code}`;
  return undefined;
}

function lineOf(source: Bytes, index: number): number {
  return source.slice(0, index).split('\n').length;
}
