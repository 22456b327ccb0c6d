import { describe, expect, it } from 'vitest';
import { drawOrder, type OrderPicture } from './draw-order.ts';

const PICTURE: OrderPicture = {
  title: 'Order of deployment',
  counts: [
    { verdict: 'dangerous', text: '1 dangerous' },
    { verdict: 'safe', text: '3 safe' },
  ],
  steps: [
    { kind: 'deploy', text: 'deploy posts' },
    { kind: 'publish', text: 'publish' },
    { kind: 'deploy', text: 'deploy users' },
    { kind: 'any', text: 'deploy search' },
  ],
  more: (steps) => `and ${steps} more`,
};
const textsOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);

describe('The order of deployment as a picture', () => {
  it('has a box for each step, an arrow between stages, and all of it in words', () => {
    const svg = drawOrder(PICTURE, { width: 320 });
    expect(textsOf(svg)).toEqual([
      'Order of deployment',
      '1 dangerous',
      '3 safe',
      'deploy posts',
      'publish',
      'deploy users',
      'deploy search',
    ]);
    expect(svg.match(/<path class="line"/g)).toHaveLength(2);
    expect(svg).toContain(
      '<title>Order of deployment; 1 dangerous; 3 safe; deploy posts; publish; deploy users; deploy search</title>',
    );
    expect(svg).not.toContain('style');
  });

  it('escapes what it is given, and draws no sign that turns text', () => {
    const hostile = '</title><script>alert(1)</script>\u202E\u0000\uD800"';
    const svg = drawOrder(
      { ...PICTURE, title: hostile, steps: [{ kind: 'any', text: hostile }] },
      { width: 900 },
    );
    for (const sign of ['<script', '\u202E', '\u0000', '\uD800']) expect(svg).not.toContain(sign);
    expect(svg).toContain('&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('breaks words that are wider than a line, ideographs as wide as two letters, and ends with … after four lines', () => {
    const steps = [
      { kind: 'deploy', text: 'a'.repeat(64) },
      { kind: 'deploy', text: '部署'.repeat(20) },
      { kind: 'deploy', text: 'word '.repeat(200) },
    ] as const;
    const lines = textsOf(drawOrder({ ...PICTURE, counts: [], steps }, { width: 320 })).slice(1);
    expect(lines.slice(0, 2)).toEqual(['a'.repeat(33), 'a'.repeat(31)]);
    expect(lines.slice(2, 5).join('')).toBe('部署'.repeat(20));
    expect(lines.slice(5)).toHaveLength(4);
    expect(lines.at(-1)).toMatch(/ …$/);
  });

  it('is mirrored from right to left', () => {
    const svg = drawOrder(PICTURE, { width: 320, direction: 'rtl' });
    expect(svg).toContain('direction="rtl"');
    expect(svg).toContain('<text class="text" x="304"');
  });

  it('draws 40 steps, and says how many more there are', () => {
    const steps = Array.from({ length: 100 }, () => ({ kind: 'deploy', text: 'deploy a' }) as const);
    expect(textsOf(drawOrder({ ...PICTURE, counts: [], steps }, { width: 320 })).slice(40)).toEqual([
      'deploy a',
      'and 60 more',
    ]);
  });
});
