import { proof } from '@trellis/testkit';
import { compareReaders } from '../src/testing/compare-many.ts';

/** Small, because `npm test` compares 2,000 of them. */
const TOTAL = { small: 500, full: 500_000 };

/** Random requests and responses, ordinary and odd, against the parser of Node itself. */
proof({
  name: 'http-readers',
  description:
    'What the own reader of requests and the own HTTP/1 client accept, llhttp accepts too and reads as the same, ' +
    'however it is cut and whatever comes behind it.',
  async run({ size, seed }) {
    const { differences, isMeaningful, ...counts } = await compareReaders(TOTAL[size], seed);
    const [first] = differences;
    return {
      passed: differences.length === 0 && isMeaningful,
      figures: { seed, ...counts, differences: differences.length, ...(first !== undefined && { first }) },
    };
  },
});
