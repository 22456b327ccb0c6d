import type { Random } from '@trellis/demo-data';

/** Made-up words, some frequent and most of them rare, as in any language. */
export interface Vocabulary {
  /** A sentence of some ten words. The same few thousand come again and again. */
  sentence(random: Random): string;
}

/** As many as give the most frequent word to 70 % of all documents, and the rarest to 0.01 %. */
const WORDS = 8_000;
const SENTENCES = 20_000;
const WORDS_EACH = 10;
const CONSONANTS = 'bdfgklmnprstvz';
const VOWELS = 'aeiou';
const SYLLABLES = CONSONANTS.length * VOWELS.length;

/** Makes the vocabulary; the n-th most frequent word occurs about an n-th as often as the first (Zipf's law). */
export function createVocabulary(random: Random): Vocabulary {
  const ranks = cumulativeWeights();
  const sentences = Array.from({ length: SENTENCES }, () => {
    const words = Array.from({ length: WORDS_EACH }, () => wordOfRank(rankAt(ranks, random)));
    return `${words.join(' ')}.`;
  });
  return { sentence: (source) => source.pick(sentences) };
}

/**
 * The word of a rank: three syllables or more, so that no two are alike and none is left out of an index.
 *
 * @param rank from 0, the most frequent
 */
export function wordOfRank(rank: number): string {
  let word = '';
  for (let rest = rank + SYLLABLES ** 2; rest > 0; rest = Math.floor(rest / SYLLABLES))
    word += syllable(rest % SYLLABLES);
  return word;
}

function syllable(number: number): string {
  return (CONSONANTS[Math.floor(number / VOWELS.length)] ?? '') + (VOWELS[number % VOWELS.length] ?? '');
}

function cumulativeWeights(): readonly number[] {
  let sum = 0;
  return Array.from({ length: WORDS }, (_, rank) => (sum += 1 / (rank + 1)));
}

/** The rank in whose share of all a random number falls, by bisection. */
function rankAt(weights: readonly number[], random: Random): number {
  const wanted = (random.below(1_000_000) / 1_000_000) * (weights.at(-1) ?? 0);
  let [low, high] = [0, weights.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((weights[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
