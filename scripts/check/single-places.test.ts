import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checkSinglePlaces, findSecond, singlePlaces } from './single-places.ts';

describe('A fact that is written in one place', () => {
  it.each([
    ['EXIT_USAGE = 64', 'const one = 1;\nconst EXIT_USAGE = 64;\n'],
    ['the data directory', "const one = 1;\nopen(process.env['DATA_DIR'] ?? '.data');\n"],
    ['a quality', "const one = 1;\nconst quality = parameters.get('q');\n"],
    ['a watcher of files', "import one from 'one';\nimport { stat, watchFile } from 'node:fs';\n"],
    ['certificates in PEM', 'const one = 1;\nconst PEM = /-----BEGIN CERTIFICATE-----[A-Z]+/;\n'],
    ['a generator', 'const one = 1;\nstate += 0x6D2B79F5;\n'],
    ['a port', "const one = 1;\nask(`http://localhost:${process.env['AUTH_PORT'] || '4001'}`);\n"],
  ])('is found where it is written again: %s', (_, text) => {
    expect(singlePlaces.flatMap((fact) => findSecond(text, fact))).toEqual([2]);
  });

  it('is written nowhere else in the repository, and each exception is needed', () => {
    expect(checkSinglePlaces(repository)).toEqual([]);
  });
});
