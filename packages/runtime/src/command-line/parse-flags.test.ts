import { describe, expect, it } from 'vitest';
import { didYouMean, parseFlags } from './parse-flags.ts';

const names = ['start', 'gateway', 'supergraph', 'compose', 'check', 'lint', 'operations', 'completion'];

describe('A mistyped name', () => {
  it.each([
    ['strat', 'start'],
    ['gatway', 'gateway'],
    ['Supergrpah', 'supergraph'],
    ['chekc', 'check'],
    ['lnt', 'lint'],
    ['operation', 'operations'],
    ['compositon', 'completion'],
  ])('%s is taken for %s', (given, meant) => {
    expect(didYouMean(given, names)).toBe(` Did you mean "${meant}"?`);
  });

  it.each(['deploy', 'x', '', 'x'.repeat(100_000)])('of nothing that there is suggests nothing', (given) => {
    expect(didYouMean(given, names)).toBe('');
  });
});

describe('Options of a command line', () => {
  const options = { small: { type: 'boolean' }, seed: { type: 'string' } } as const;

  it('are read as Node reads them', () => {
    const { values, positionals } = parseFlags({
      args: ['a', '--small', '--seed=7'],
      options,
      allowPositionals: true,
    });
    expect({ ...values, positionals }).toEqual({ small: true, seed: '7', positionals: ['a'] });
  });

  it.each([
    [['--smal'], 'There is no option "--smal". Did you mean "--small"?'],
    [['--rounds', '3'], 'There is no option "--rounds".'],
    [['-x'], 'There is no option "-x".'],
    [['--seed'], "Option '--seed <value>' argument missing"],
  ])('are rejected in one sentence: %j', (args, message) => {
    expect(() => parseFlags({ args, options })).toThrow(new Error(message));
  });
});
