import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { FLAW_NUMBERS, plantFlaw, readPlantedFlaws } from './planted-flaw.ts';

const flaws = readPlantedFlaws();

function textOf(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}

describe('The flaws that can be planted', () => {
  it('have each their cure once in its file, and another text in its place', () => {
    for (const flaw of flaws) {
      const text = textOf(flaw.file);
      expect(plantFlaw(text, flaw), `${flaw.number}: ${flaw.flaw}`).not.toBe(text);
    }
  });

  it('name each one test that is in its file', () => {
    const missing = flaws.filter(({ testFile, test }) => textOf(testFile).split(test).length !== 2);
    expect(missing.map(({ number, test }) => `${number}: ${test}`)).toEqual([]);
  });

  it('are of all numbers of the reviews, in their order', () => {
    const numbers = flaws.map(({ number }) => number);
    expect([...new Set(numbers)]).toEqual(FLAW_NUMBERS);
  });

  it('differ', () => {
    const rows = flaws.map(({ file, cure, planted, test }) => JSON.stringify([file, cure, planted, test]));
    expect(new Set(rows).size).toBe(rows.length);
    for (const { flaw } of flaws) expect(flaw).toMatch(/^\S.*\.$/);
  });
});
