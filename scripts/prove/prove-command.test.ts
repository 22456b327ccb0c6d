import { proofEnvironment, readProofOptions } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { formatFigures } from './proof-reporter.ts';
import { parseProveCommand } from './prove-command.ts';

const proofs = [
  { name: 'code-race', path: '/code-race.ts' },
  { name: 'fuzz', path: '/fuzz.ts' },
];
const parse = (...args: readonly string[]) => parseProveCommand(args, proofs, 4_711);

describe('npm run prove', () => {
  it('runs all proofs in full, from a seed that it prints', () => {
    expect(parse()).toEqual({
      kind: 'prove',
      selection: { names: [], seed: 4_711, size: 'full', json: false },
    });
  });

  it('runs the named ones, small, and from a given seed', () => {
    expect(parse('fuzz', '--seed', '7', '--small')).toEqual({
      kind: 'prove',
      selection: { names: ['fuzz'], seed: 7, size: 'small', json: false },
    });
  });

  it('begins none after the minutes that it is given', () => {
    const { selection } = parseProveCommand(['--minutes', '3'], proofs, 1, 1_000) as { selection: object };
    expect(selection).toMatchObject({ until: 181_000 });
    expect(readProofOptions(proofEnvironment({ seed: 1, size: 'small', until: 181_000 })).until).toBe(
      181_000,
    );
  });

  it('runs the long tests by their name', () => {
    expect(parse('long')).toMatchObject({ kind: 'prove', selection: { names: ['long'] } });
  });

  it('rejects names that there are not, and lists those that there are', () => {
    expect(parse('fuzz', 'nothing')).toEqual({
      kind: 'wrong',
      problem: expect.stringMatching(
        /^There is no proof nothing\.[^]*There are: code-race, fuzz, long/,
      ) as string,
    });
  });

  it.each([
    ['--seed', '-1'],
    ['--seed', 'x'],
    ['--minutes', '1.5'],
    ['--rounds', '3'],
  ])('rejects %s %s', (...args) => {
    expect(parse(...args).kind).toBe('wrong');
  });
});

describe('Size and seed', () => {
  it('reach the tests by the environment', () => {
    const options = { seed: 7, size: 'full' } as const;
    expect(readProofOptions(proofEnvironment(options))).toEqual(options);
  });

  it('are small and 1 when there is none', () => {
    expect(readProofOptions({})).toEqual({ seed: 1, size: 'small' });
  });
});

it('figures are printed in one line', () => {
  expect(formatFigures({ rounds: 100, p99Ms: 12.5, store: 'redis' })).toBe(
    'rounds 100, p99Ms 12.5, store redis',
  );
});
