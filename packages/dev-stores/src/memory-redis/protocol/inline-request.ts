import type { Bytes } from '../bytes.ts';
import { ProtocolError } from '../errors.ts';

/** One word: bare, in double quotes with escapes, or in single quotes; a quote may open inside a word. */
const PIECE = /"((?:[^"\\]|\\[^])*)"(?=\s|$)|'((?:[^'\\]|\\[^])*)'(?=\s|$)|([^\s"']+)/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['a', '\x07'],
]);

/**
 * Splits a request that a user typed: words between blanks, quoted where they hold some.
 *
 * @throws ProtocolError for quotes that don't match
 */
export function splitInlineRequest(line: Bytes): Bytes[] {
  const words: Bytes[] = [];
  let position = skipBlanks(line, 0);
  while (position < line.length) {
    const word = readWord(line, position);
    words.push(word.text);
    position = skipBlanks(line, word.end);
  }
  return words;
}

function skipBlanks(line: Bytes, from: number): number {
  let position = from;
  while (position < line.length && line.charAt(position).trim() === '') position += 1;
  return position;
}

function readWord(line: Bytes, from: number): { text: Bytes; end: number } {
  let text = '';
  let position = from;
  while (position < line.length && line.charAt(position).trim() !== '') {
    PIECE.lastIndex = position;
    const match = PIECE.exec(line);
    if (match === null) throw new ProtocolError('ERR Protocol error: unbalanced quotes in request');
    text += unquote(match);
    position = PIECE.lastIndex;
  }
  return { text, end: position };
}

function unquote([, double, single, bare]: RegExpExecArray): Bytes {
  if (double !== undefined)
    return double.replace(/\\(x[0-9a-f]{2}|[^])/gi, (_, code: string) => unescape(code));
  return single?.replaceAll("\\'", "'") ?? bare ?? '';
}

function unescape(code: string): Bytes {
  if (code.length === 3) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return ESCAPES.get(code) ?? code;
}
