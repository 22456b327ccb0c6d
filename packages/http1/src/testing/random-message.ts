import type { Random } from '@trellis/testkit/random';

/** A message, or several behind one another, as Latin-1. */
export interface RandomMessage {
  readonly text: string;
  /** Whether nothing about it is odd: both readers must accept it. */
  readonly isOrdinary: boolean;
}

/** Of 100 places at which something odd can stand, in so many it does. */
const ODD_PERCENT = 3;
/** Of 100 messages, in so many some bytes are changed afterwards. */
const MUTATED_PERCENT = 25;

/** Chooses what is written, and remembers whether any of it was odd. */
export class Writer {
  readonly random: Random;
  isOrdinary = true;

  constructor(random: Random) {
    this.random = random;
  }

  /** One of the ordinary ones, and now and then an odd one. */
  pick(ordinary: readonly string[], odd: readonly string[]): string {
    if (!this.random.chance(ODD_PERCENT)) return this.random.pick(ordinary);
    this.isOrdinary = false;
    return this.random.pick(odd);
  }

  /** Some of the items, in any order. */
  some<T>(items: readonly T[], atMost: number): readonly T[] {
    return Array.from({ length: this.random.below(atMost + 1) }, () => this.random.pick(items));
  }

  get lineEnd(): string {
    return this.pick(['\r\n'], ['\n', '\r', '\r\r\n', '\n\r\n', '\r\n ', '\r\n\t', '\0\r\n', ' \r\n']);
  }

  field(name: string, value: string): string {
    const said = this.pick(
      [name, name.toLowerCase(), name.toUpperCase()],
      [`${name} `, ` ${name}`, `${name}\0`, ''],
    );
    const colon = this.pick([': ', ':'], [':\t', ' : ', ':  ', ':\v', '', ':\0']);
    return `${said}${colon}${value}${this.lineEnd}`;
  }

  chunkedBody(body: string): string {
    const { random } = this;
    let text = '';
    for (let at = 0; at < body.length;) {
      const size = 1 + random.below(body.length - at);
      text += `${this.#chunkSize(size)}${this.#extension()}${this.lineEnd}${body.slice(at, at + size)}${this.lineEnd}`;
      at += size;
    }
    const trailers = this.some(['x-sum', 'etag'], 1).map((name) => this.field(name, 'abc'));
    const odd = this.pick(
      [''],
      ['none\r\n', 'content-length: 2\r\n', 'transfer-encoding: chunked\r\n', ': a\r\n', 'a\0: b\r\n'],
    );
    return `${text}${this.pick(['0', '000'], ['', '0x0', '-0'])}${this.#extension()}${this.lineEnd}${trailers.join('')}${odd}${this.lineEnd}`;
  }

  #chunkSize(size: number): string {
    const digits = size.toString(16);
    const odd = [
      `0x${digits}`,
      `+${digits}`,
      `${digits} `,
      ` ${digits}`,
      `${digits}\t`,
      `${size + 1}`,
      `${'0'.repeat(20)}${digits}`,
      `f${'f'.repeat(15)}`,
    ];
    return this.pick([digits, digits.toUpperCase(), `00${digits}`], odd);
  }

  #extension(): string {
    const odd = [
      ' ;a',
      ';',
      '; a',
      ';a ',
      ';a=',
      ';a="b',
      ';a\0b',
      ';a=b"c"',
      ';a="\x7f"',
      ';a=\x80',
      ';a="\\""',
      ';;a',
      ';a=\nb',
      ';\r\n',
    ];
    return this.pick(['', '', '', '', ';a', ';a=b', ';a="b c";d'], odd);
  }

  /** What has been written, changed in a few places now and then. */
  finish(text: string): RandomMessage {
    const isMutated = this.random.chance(MUTATED_PERCENT);
    return { text: isMutated ? mutate(text, this.random) : text, isOrdinary: this.isOrdinary && !isMutated };
  }
}

const BYTES = '\0\t\n\v\f\r "(),/0123456789:;<=>?@AZ[\\]_az{}\x7f\x80\x85\xa0\xff';
const PIECES = [
  '\r\n',
  '\r\n\r\n',
  '\n\n',
  ' ',
  '0\r\n\r\n',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'HTTP/1.1 200 OK\r\n',
];

function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const at = random.below(mutated.length + 1);
    const [before, behind] = [mutated.slice(0, at), mutated.slice(at)];
    const byte = BYTES.charAt(random.below(BYTES.length));
    const length = 1 + random.below(8);
    mutated = random.pick([
      before + byte + behind.slice(1),
      before + byte + behind,
      before + behind.slice(1),
      before + behind.slice(length),
      before + behind.slice(0, length) + behind,
      before + random.pick(PIECES) + behind,
      before,
    ]);
  }
  return mutated;
}

/** Pieces of bytes, as they might arrive. */
export function cutAtRandom(bytes: Buffer, random: Random): readonly Buffer[] {
  const pieces: Buffer[] = [];
  const most = random.pick([1, 4, 30, 400, 100_000]);
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random.below(most);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
