import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pictureFiles, picturesPage } from '../pictures/picture-list.ts';
import { animateWebp } from '../pictures/webp.ts';
import { repository } from './code-blocks.ts';

const MAX_BYTES = 3_000_000;
const folder = join(repository, 'docs/pictures');

describe('docs/pictures.md', () => {
  it('is made from the list of pictures', () => {
    expect(readFileSync(join(repository, 'docs/pictures.md'), 'utf8')).toBe(picturesPage());
  });

  it('shows all files of its folder, light and dark, of less than 3 MB', () => {
    const files = readdirSync(folder);
    expect(files.toSorted()).toEqual(pictureFiles().toSorted());
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });
});

describe('An animated WebP', () => {
  it('has each picture once, in order, each for its time, and begins again', () => {
    const [one, other] = ['sign-in-light.webp', 'sign-in-dark.webp'].map((name) =>
      readFileSync(join(folder, name)),
    ) as [Buffer, Buffer]; // two names
    const file = animateWebp(
      [
        { file: one, durationMs: 100 },
        { file: other, durationMs: 2_000 },
      ],
      1280,
      800,
    );
    const chunks = readChunks(file);
    expect(chunks.map(({ name }) => name)).toEqual(['VP8X', 'ANIM', 'ANMF', 'ANMF']);
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    expect(chunks[1]?.body.readUInt16LE(4)).toBe(0); // for ever
    expect(chunks.slice(2).map(({ body }) => body.readUIntLE(12, 3))).toEqual([100, 2_000]);
    expect(chunks.slice(2).map(({ body }) => [body.readUIntLE(6, 3) + 1, body.readUIntLE(9, 3) + 1])).toEqual(
      [
        [1280, 800],
        [1280, 800],
      ],
    );
  });
});

function readChunks(file: Buffer): readonly { readonly name: string; readonly body: Buffer }[] {
  const chunks: { name: string; body: Buffer }[] = [];
  for (let at = 12; at < file.length;) {
    const length = file.readUInt32LE(at + 4);
    chunks.push({ name: file.toString('latin1', at, at + 4), body: file.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}
