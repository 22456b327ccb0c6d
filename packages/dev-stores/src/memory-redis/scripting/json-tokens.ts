import { encodeText, type Bytes } from '../bytes.ts';

/** A piece of JSON, and where it begins, counted from 1. */
export type JsonToken = { readonly at: number } & (
  | { readonly kind: 'string'; readonly text: Bytes }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'word'; readonly value: boolean | null }
  | { readonly kind: '{' | '}' | '[' | ']' | ':' | ',' | 'end' }
  | { readonly kind: 'error'; readonly problem: string }
);

const NUMBER = /-?(?:0x[0-9a-f]+|inf(?:inity)?|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/iy;
const NUMBER_START = /[-+0-9inIN.]/;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const SIGNS = ['{', '}', '[', ']', ':', ','] as const;
const PLAIN_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const UNICODE_PAIR = /u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/iy;
const UNICODE = /u([0-9a-f]{4})/iy;
const SURROGATE = /^d[89a-f]/i;

/** Cuts JSON into tokens as lua-cjson does: it also takes NaN, infinities, hexadecimal numbers and leading zeros. */
export class JsonTokens {
  readonly #text: Bytes;
  #position = 0;

  constructor(text: Bytes) {
    this.#text = text;
  }

  next(): JsonToken {
    while (/[ \t\r\n]/.test(this.#text.charAt(this.#position))) this.#position += 1;
    const at = this.#position + 1;
    if (this.#position >= this.#text.length) return { kind: 'end', at };
    const first = this.#text.charAt(this.#position);
    const sign = SIGNS.find((known) => known === first);
    if (sign !== undefined) {
      this.#position += 1;
      return { kind: sign, at };
    }
    if (first === '"') return this.#string(at);
    return this.#word(at) ?? this.#number(at, first);
  }

  #word(at: number): JsonToken | undefined {
    const found = [...WORDS].find(([word]) => this.#text.startsWith(word, this.#position));
    if (found === undefined) return undefined;
    this.#position += found[0].length;
    return { kind: 'word', value: found[1], at };
  }

  #number(at: number, first: string): JsonToken {
    const text = this.#match(NUMBER)?.[0];
    if (text !== undefined) return { kind: 'number', value: toNumber(text.toLowerCase()), at };
    const likeNumber = NUMBER_START.test(first) && !/[nNiI+.]/.test(first);
    return { kind: 'error', problem: likeNumber ? 'invalid number' : 'invalid token', at };
  }

  #string(at: number): JsonToken {
    let text = '';
    this.#position += 1;
    for (;;) {
      const next = this.#text.charAt(this.#position);
      if (next === '') return { kind: 'error', problem: 'unexpected end of string', at: this.#position + 1 };
      if (next === '"') {
        this.#position += 1;
        return { kind: 'string', text, at };
      }
      const piece = next === '\\' ? this.#escape() : this.#plainText();
      if (typeof piece !== 'string') return piece;
      text += piece;
    }
  }

  #plainText(): Bytes {
    const from = this.#position;
    while (!['"', '\\', ''].includes(this.#text.charAt(this.#position))) this.#position += 1;
    return this.#text.slice(from, this.#position);
  }

  #escape(): Bytes | JsonToken {
    const at = this.#position + 1;
    this.#position += 1;
    const code = this.#text.charAt(this.#position);
    if (code === 'u') return this.#unicode() ?? { kind: 'error', problem: 'invalid unicode escape code', at };
    const character = PLAIN_ESCAPES.get(code);
    if (character === undefined) return { kind: 'error', problem: 'invalid escape code', at };
    this.#position += 1;
    return character;
  }

  #unicode(): Bytes | undefined {
    const pair = this.#match(UNICODE_PAIR);
    if (pair !== undefined) return encodeUnits(pair.slice(1));
    const single = this.#match(UNICODE);
    if (single === undefined || SURROGATE.test(single[1] ?? '')) return undefined;
    return encodeUnits(single.slice(1));
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match !== undefined) this.#position = pattern.lastIndex;
    return match;
  }
}

function toNumber(text: string): number {
  const negative = text.startsWith('-');
  const size = negative ? text.slice(1) : text;
  const value = size === 'nan' ? Number.NaN : size.startsWith('inf') ? Infinity : Number(size);
  return negative ? -value : value;
}

function encodeUnits(units: readonly string[]): Bytes {
  return encodeText(String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))));
}
