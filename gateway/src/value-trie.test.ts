import { describe, expect, it } from 'vitest';
import { ValueTrie } from './value-trie.ts';

describe('A trie over values', () => {
  it('leads the same values to the same leaf, and others to others', () => {
    const trie = new ValueTrie<number>();
    trie.at('a').at(1).leaf = 1;
    trie.at('a').at('1').leaf = 2;
    trie.at('a').leaf = 3;
    expect([trie.at('a').at(1).leaf, trie.at('a').at('1').leaf, trie.at('a').leaf]).toEqual([1, 2, 3]);
    expect(trie.at('b').at(1).leaf).toBeUndefined();
    trie.at(null).at(Number.NaN).leaf = 4;
    expect(trie.at(null).at(Number.NaN).leaf).toBe(4);
  });

  it('forgets what is below a value, or everything', () => {
    const trie = new ValueTrie<number>();
    trie.at('a').at('b').leaf = 1;
    trie.at('c').leaf = 2;
    trie.cutAt('a');
    expect([trie.at('a').at('b').leaf, trie.at('c').leaf]).toEqual([undefined, 2]);
    trie.clear();
    expect(trie.at('c').leaf).toBeUndefined();
  });
});
