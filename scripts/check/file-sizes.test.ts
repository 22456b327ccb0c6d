import { describe, expect, it } from 'vitest';
import { checks } from '../checks.ts';
import { judgeFileSizes, sizesOf } from './file-sizes.ts';

const BOUND = { folder: 'house', medianAtLeast: 90, medianAtMost: 110, shortAtMost: 1 };

describe('The sizes of files', () => {
  it('of the gateway are within their bounds, and printed by npm run check', async () => {
    const check = checks.find(({ name }) => name === 'sizes of files');
    expect(await check?.run()).toEqual({
      passed: true,
      output: '',
      figures: expect.stringMatching(
        /^gateway\/src: \d{3} files, median \d{2,3} lines, \d{1,2} shorter than 30; longer than 300: .+$/,
      ) as string,
    });
  });

  it.each([
    ['within them', [29, 95, 300], []],
    ['with too small a median', [40, 41, 300], ['house: the median file has 41 lines.']],
    ['with too large a median', [40, 141, 300], ['house: the median file has 141 lines.']],
    ['with too many short ones', [4, 29, 95, 100, 101], ['house: 2 files have fewer than 30 lines.']],
  ])('%s', (_kind, lines, problems) => {
    const { passed, output } = judgeFileSizes([sizesOf(BOUND, lines)], []);
    expect([passed, output]).toEqual([problems.length === 0, problems.join('\n')]);
  });

  it('are judged by how many ask to be two', () => {
    const long = Array.from({ length: 3 }, (_, index) => `file-${index}.ts (301)`);
    expect(judgeFileSizes([], long.slice(1)).passed).toBe(true);
    expect(judgeFileSizes([], long).output).toContain('3 files have more than 300 lines: file-0.ts (301)');
  });
});
