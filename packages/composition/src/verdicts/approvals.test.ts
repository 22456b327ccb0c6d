import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../diagnostic.ts';
import { FileProblems } from '../file-problems.ts';
import { readCheckRules } from './approvals.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checks-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function write(text: string): Promise<string> {
  const file = join(folder, 'checks.yaml');
  await writeFile(file, text);
  return file;
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const error: unknown = await readCheckRules(await write(text)).catch((thrown: unknown) => thrown);
  if (!(error instanceof FileProblems)) throw new Error('It is no FileProblems.', { cause: error });
  return error.problems.map((problem) => formatDiagnostic(problem).replace(`${folder}/`, ''));
}

describe('A checks.yaml', () => {
  it('may be empty, and may have aliases', async () => {
    expect(await readCheckRules(await write(''))).toMatchObject({ approvals: [], contracts: [] });
    const text = 'excludedClients: &names [robot]\ncontracts: { mobile: { include: *names } }\n';
    expect(await readCheckRules(await write(text))).toMatchObject({
      excludedClients: ['robot'],
      contracts: [{ name: 'mobile', include: ['robot'], exclude: [] }],
    });
  });

  it('with an alias without an anchor is rejected with every problem at once, each at its line', async () => {
    expect(await problemsOf('usagePeriodDays: 7\nexcludedClients: [*-robot]\nusagePeriodDays: 8\n')).toEqual([
      'checks.yaml:3:1: INVALID_APPROVAL: Map keys must be unique',
      'checks.yaml:2:19: INVALID_APPROVAL: *-robot is an alias in YAML, and no anchor before it has that name: put a text that begins with * in quotes',
    ]);
  });

  it('with too many aliases is rejected', async () => {
    const text = `excludedClients:\n  - &name robot\n${'  - *name\n'.repeat(100)}`;
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(/^checks\.yaml: INVALID_APPROVAL: too many aliases: /),
    ]);
  });
});
