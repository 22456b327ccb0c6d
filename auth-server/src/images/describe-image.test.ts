import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { describeImage } from './describe-image.ts';
import { pngOf } from '../testing/png.ts';

const webp = (chunk: string, rest: string): Buffer =>
  Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'),
    Buffer.from(chunk, 'latin1'),
    Buffer.from(rest, 'hex'),
    Buffer.alloc(30),
  ]);
/** APP0, a table, a frame of 300 × 200. */
const jpeg = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc40004abcdffc0001108 00c8 012c 03012200021101031101'.replaceAll(
    ' ',
    '',
  ),
  'hex',
);

describe('A-252: what the bytes of a picture say', () => {
  it('is its type and its size', () => {
    expect(describeImage(pngOf(40, 30))).toEqual({ type: 'image/png', width: 40, height: 30 });
    expect(describeImage(jpeg)).toEqual({ type: 'image/jpeg', width: 300, height: 200 });
    const lossy = webp('VP8 ', '000000000000009d012a2c01c800');
    expect(describeImage(lossy)).toEqual({ type: 'image/webp', width: 300, height: 200 });
    const lossless = webp('VP8L', '000000002f2bc13100');
    expect(describeImage(lossless)).toEqual({ type: 'image/webp', width: 300, height: 200 });
    const extended = webp('VP8X', '0a000000000000002b0100c70000');
    expect(describeImage(extended)).toEqual({ type: 'image/webp', width: 300, height: 200 });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(3))],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['GIF', Buffer.from('GIF89a'.padEnd(40, '\0'), 'latin1')],
    ['compressed bytes', deflateSync(Buffer.alloc(100))],
    ['a PNG without its head', pngOf(4, 4).subarray(0, 20)],
    ['a JPEG without a frame', jpeg.subarray(0, 28)],
    [
      'a JPEG that goes on for ever',
      Buffer.concat([jpeg.subarray(0, 2), Buffer.from('ffe00000ffe00000ffe0', 'hex')]),
    ],
  ])('is not known of %s', (_what, bytes) => {
    expect(describeImage(bytes)).toBeUndefined();
  });

  it('is read from no byte beyond its end, wherever a picture is cut or changed', () => {
    for (const picture of [pngOf(9, 9), jpeg, webp('VP8X', '00'.repeat(14))]) {
      for (let length = 0; length < picture.length; length += 1) {
        expect(() => describeImage(picture.subarray(0, length))).not.toThrow();
        const changed = Buffer.from(picture);
        changed[length] = 255 - (changed[length] ?? 0);
        expect(() => describeImage(changed)).not.toThrow();
      }
    }
  });
});
