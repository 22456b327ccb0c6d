import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A flaw that reviews of security found and that was cured: how it is put back, and the test that then fails. */
export interface PlantedFlaw {
  /** Its number in the reviews: G of the gateway; H, M and L, by severity, of the auth-server and what surrounds it. */
  readonly number: string;
  /** What an attacker could do, a sentence. */
  readonly flaw: string;
  /** The file that has the cure, relative to the repository, as all files here. */
  readonly file: string;
  /** A piece of the file that occurs in it once: without it the flaw is back. */
  readonly cure: string;
  /** What stands in place of the cure while the flaw is planted. */
  readonly planted: string;
  /** The file of the test that must fail then. */
  readonly testFile: string;
  /** The title of the test, as its file spells it: placeholders of `it.each` stand for any text. */
  readonly test: string;
  /** Whether it shows by what never comes, so that the test waits for its time-out. @default false */
  readonly isSlow?: true;
}

const TABLES = ['gateway-flaws.json', 'auth-server-flaws.json'] as const;

/** All numbers of the two reviews, in their order. */
export const FLAW_NUMBERS: readonly string[] = [
  ...numbered('G', 14),
  ...numbered('H', 4),
  ...numbered('M', 12),
  ...numbered('L', 10),
];

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}

/** The rows of both tables, in the order of the reviews. */
export function readPlantedFlaws(): readonly PlantedFlaw[] {
  return TABLES.flatMap((table) => {
    const text = readFileSync(join(import.meta.dirname, table), 'utf8');
    return JSON.parse(text) as readonly PlantedFlaw[]; // of this repository
  });
}

/**
 * Puts a flaw back into the text of its file.
 *
 * @throws Error when the cure does not occur in it exactly once
 */
export function plantFlaw(text: string, { number, file, cure, planted }: PlantedFlaw): string {
  const [before, after, ...more] = text.split(cure);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`The cure of ${number} does not occur exactly once in ${file}: ${cure}`);
  return `${before}${planted}${after}`;
}
