import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { programArguments, PROGRAMS_VARIABLE } from './program-arguments.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const source = join(repository, 'gateway/src/main.ts');

afterEach(() => void vi.unstubAllEnvs());

describe('The arguments of a program', () => {
  it('name its source, and what runs it', () => {
    vi.stubEnv(PROGRAMS_VARIABLE, undefined);
    const [condition, , loader = '', program] = programArguments(source);
    expect([condition, program]).toEqual(['--conditions=trellis-source', source]);
    expect(existsSync(fileURLToPath(loader))).toBe(true);
  });

  it('name its compiled file alone where the run of tests has compiled it', () => {
    vi.stubEnv(PROGRAMS_VARIABLE, 'compiled');
    expect(programArguments(source).at(-1)).toBe(
      source.replace('gateway/src/main.ts', 'gateway/dist/main.js'),
    );
    expect(programArguments('/src/app/gateway/src/app/worker.ts').at(-1)).toBe(
      '/src/app/gateway/dist/app/worker.js',
    );
  });
});
