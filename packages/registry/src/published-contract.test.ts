import { describe, expect, it } from 'vitest';
import { findContract, type PublishedContract } from './published-contract.ts';
import { blobsOfRelease, decodeRelease, encodeRelease, type PublishedRelease } from './published-release.ts';

const blob = (digit: string) => ({ digest: digit.repeat(64), bytes: 1 });

function contractOf(name: string, more: Partial<PublishedContract> = {}): PublishedContract {
  return { name, include: [], exclude: ['internal'], supergraph: blob('a'), apiSchema: blob('b'), ...more };
}

function releaseOf(contracts: readonly PublishedContract[]): PublishedRelease {
  const subgraphs = [{ name: 'users', schema: blob('c'), routing: { url: 'http://users.test/' } }];
  return { subgraphs, supergraph: blob('d'), apiSchema: blob('e'), contracts, hints: [], composers: {} };
}

const formatOf = (text: string): unknown => (JSON.parse(text) as { readonly format?: unknown }).format;

describe('A release with contracts', () => {
  it('has a newer format than one without, whose text is as it was before there were contracts', () => {
    const [without, having] = [encodeRelease(releaseOf([])), encodeRelease(releaseOf([contractOf('a')]))];
    expect([formatOf(without), formatOf(having)]).toEqual([
      'trellis-registry-release/1',
      'trellis-registry-release/2',
    ]);
    expect(decodeRelease(without).contracts).toEqual([]);
    expect(without).toContain('"contracts":[],"hints"');
  });

  it('is the same text whatever the order of its contracts and of their tags', () => {
    const one = contractOf('one', { include: ['b', 'a', 'b'] });
    const same = contractOf('one', { include: ['a', 'b'] });
    const text = encodeRelease(releaseOf([contractOf('two'), one]));
    expect(text).toBe(encodeRelease(releaseOf([same, contractOf('two')])));
    expect(decodeRelease(text).contracts).toEqual([same, contractOf('two')]);
  });

  it('names the texts of its contracts: none of them is garbage', () => {
    const digests = blobsOfRelease(releaseOf([contractOf('one')])).map(({ digest }) => digest);
    expect(digests).toEqual(['d', 'e', 'c', 'a', 'b'].map((digit) => digit.repeat(64)));
  });

  it.each<[string, readonly PublishedContract[], RegExp]>([
    ['a name twice', [contractOf('one'), contractOf('one')], /a contract is named twice/],
    ['a name that is none', [contractOf('../../etc')], /contracts\.0\.name/],
    ['an empty tag', [contractOf('one', { include: [''] })], /contracts\.0\.include/],
    ['too many', Array.from({ length: 101 }, (_, index) => contractOf(`c${index}`)), /contracts/],
  ])('is invalid with %s', (_title, contracts, message) => {
    const read = JSON.parse(encodeRelease(releaseOf([contractOf('one')]))) as object;
    const text = JSON.stringify({ ...read, contracts });
    expect(() => decodeRelease(text)).toThrow(message);
    expect(() => encodeRelease(releaseOf(contracts))).toThrow(message);
  });

  it('of a format that comes later names the version that it needs', () => {
    const text = encodeRelease(releaseOf([contractOf('a')]))
      .replace('release/2', 'release/3')
      .replace('"needs":"0.1.0"', '"needs":"9.0.0"');
    expect(() => decodeRelease(text)).toThrow(
      'Written in the format trellis-registry-release/3, this version reads trellis-registry-release/2: needs Trellis 9.0.0.',
    );
  });
});

describe('findContract', () => {
  it('finds a contract by its name, and says which there are', () => {
    const release = releaseOf([contractOf('one'), contractOf('two')]);
    expect(findContract(release, 'two')).toEqual(contractOf('two'));
    const unknown = (name: string) => () => findContract(release, name);
    expect(unknown('constructor')).toThrow('The release has no contract "constructor"; it has: one, two.');
    expect(() => findContract(releaseOf([]), 'one')).toThrow('it has: none.');
  });
});
