/** Bits of randomness that a secret of its length and alphabet has to have room for. */
const MIN_BITS = 128;
/** Bits that must be left when repeats, sequences and well-known words are not counted; random secrets have far more. */
const MIN_UNPREDICTABLE_BITS = 48;
/** Shortest piece of a secret that is taken for a repeat or a known word: shorter ones come by chance. */
const SHORTEST_KNOWN = 3;

/** Alphabets in which secrets are written, the smallest first, each with the number of its characters. */
const ALPHABETS: readonly (readonly [pattern: RegExp, size: number])[] = [
  [/^[0-9]*$/, 10],
  [/^([0-9a-f]*|[0-9A-F]*)$/, 16],
  [/^([0-9a-z]*|[0-9A-Z]*)$/, 36],
  [/^[\w+/=-]*$/, 64],
];
const PRINTABLE = 95;

/** What users type for a secret: rows of keys, the alphabet, placeholders, and texts that stand in this repository. */
const WELL_KNOWN = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
  'passwordpassphrase',
  'changemechangeit',
  'pleasereplacethis',
  'thisisnotasecret',
  'supersecretkeytoken',
  'development',
  'production',
  'example',
  'placeholder',
  'insecure',
  'testing',
  'default',
  'trellis',
  'cookie',
  'encryption',
  'client',
  'for development only: not a secret at all',
  'correct horse battery staple',
  'change-this-to-43-random-characters-of-your-own',
].join('\n');

/** Both ways round, as sequences are typed. */
const KNOWN = `${WELL_KNOWN}\n${WELL_KNOWN.split('').toReversed().join('')}`;

/**
 * Why a text is too weak for a secret; undefined when it may be random.
 *
 * @returns an end of a sentence that begins with the name of the secret: `must …`
 */
export function weaknessOf(secret: string): string | undefined {
  if (capacityOf(secret) < MIN_BITS) {
    return `must have at least ${MIN_BITS} bits: 22 random characters of base64url, or 32 hexadecimal digits`;
  }
  if (unpredictableBitsOf(secret) < MIN_UNPREDICTABLE_BITS) {
    return 'must be random; it consists of repeats, sequences or well-known words';
  }
  return undefined;
}

/**
 * The secrets of a text, separated by spaces, the newest first. Where its parts are not all good secrets, its blanks belong to
 * one secret, so that a passphrase of before goes on working.
 */
export function parseSecrets(text: string): readonly string[] {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  return parts.every((part) => weaknessOf(part) === undefined) ? parts : [text];
}

/** Bits of a random text of this length over the alphabet that this one seems to be of. */
function capacityOf(text: string): number {
  const [, size = PRINTABLE] = ALPHABETS.find(([pattern]) => pattern.test(text)) ?? [];
  return text.length * Math.log2(size);
}

/** Bits that are left when whatever came before, or is well known, counts as one character. */
function unpredictableBitsOf(text: string): number {
  const lower = text.toLowerCase();
  let unpredictable = 0;
  for (let index = 0; index < lower.length; unpredictable += 1) index += knownLengthAt(lower, index);
  return unpredictable * Math.log2(new Set(text).size);
}

/** Length of what begins here and is known already, at least one character. */
function knownLengthAt(text: string, index: number): number {
  let length = SHORTEST_KNOWN;
  if (!isKnown(text, index, length)) return 1;
  while (index + length < text.length && isKnown(text, index, length + 1)) length += 1;
  return length;
}

function isKnown(text: string, index: number, length: number): boolean {
  const piece = text.slice(index, index + length);
  if (piece.length < length) return false;
  // A repeat may overlap what it repeats: "aaaa" is an "a" and three more.
  const earlier = text.indexOf(piece);
  return (earlier >= 0 && earlier < index) || KNOWN.includes(piece);
}
