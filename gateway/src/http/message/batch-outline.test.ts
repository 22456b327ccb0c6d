import { describe, expect, it } from 'vitest';
import { BatchOutline } from './batch-outline.ts';

/** Reads a text in pieces of a length. */
function outlineOf(text: string, pieceBytes = text.length + 1): BatchOutline {
  const outline = new BatchOutline();
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += pieceBytes)
    if (!outline.read(bytes.subarray(start, start + pieceBytes))) break;
  return outline;
}

const ELEMENTS = ['1', '{}', '[]', '{"a":[1,2,{"b":","}]}', '"],[\\""', '"\\\\"', 'null', ' [ [ ] , [ ] ] '];

describe('The outline of a body', () => {
  it('counts the operations of every batch, however it arrives', () => {
    for (let length = 1; length <= 40; length += 1)
      for (const pieceBytes of [1, 2, 3, 7, 10_000]) {
        const elements = Array.from({ length }, (_, index) => ELEMENTS[(index * length) % ELEMENTS.length]);
        const text = ` \n[${elements.join(' ,\t')}] `;
        expect(JSON.parse(text)).toHaveLength(length);
        const { isBatch, operations } = outlineOf(text, pieceBytes);
        expect({ text, isBatch, operations }).toEqual({ text, isBatch: true, operations: length });
      }
  });

  it.each([
    ['', undefined],
    [' \r\n\t', undefined],
    ['{"query":"[1,2]"}', false],
    ['"[1,2]"', false],
    [' [ ] ', true],
    ['[1,2', true],
    ['[{"query":"]', true],
    [`[${Array.from({ length: 101 }, () => 1).join()}]`, true],
    [`[1,"${'x'.repeat(70_000)}"]`, true],
    [`${' '.repeat(70_000)}[1]`, true],
  ])('counts nothing in %.20s', (text, isBatch) => {
    for (const pieceBytes of [1_000, 100_000])
      expect(outlineOf(text, pieceBytes)).toMatchObject({ isBatch, operations: undefined });
  });

  it('asks for no more bytes than it needs', () => {
    expect(new BatchOutline().read(Buffer.from('{'))).toBe(false);
    expect(new BatchOutline().read(Buffer.from('[{'))).toBe(true);
    expect(new BatchOutline().read(Buffer.from('[{}]'))).toBe(false);
    expect(new BatchOutline().read(Buffer.from(`[${'1'.repeat(70_000)}`))).toBe(false);
  });
});
