import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './running-program.ts';

/** A test of this repository, as lists of what is promised name it. */
export interface TitledTest {
  /** Its file, relative to the repository. */
  readonly test: string;
  /** To the letter: of a test, of a block of tests, of a cell of the matrix, or the name of a proof. */
  readonly title: string;
}

/** Whether its file has the title as a literal, or with a condition behind it. */
export function hasTest({ test, title }: TitledTest): boolean {
  const source = readFileSync(join(root, test), 'utf8');
  const literals = ["'", '"', '`'].flatMap((quote) => [quote, ' (', '${'].map((end) => quote + title + end));
  return literals.some((literal) => source.includes(literal));
}
