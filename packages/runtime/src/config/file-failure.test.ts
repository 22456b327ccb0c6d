import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileFailure, isFileFailure } from './file-failure.ts';

const failed = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: raw`), { code, path, syscall: 'open' });

describe('A file that can not be read', () => {
  it.each([
    ['There is no file or directory for a.yaml.', failed('ENOENT', 'a.yaml'), undefined],
    ['There is no file or directory for b.yaml.', failed('ENOENT', '/work/b.yaml'), 'b.yaml'],
    ['There is no file or directory for a name.', failed('ENOENT', ''), undefined],
    ['a is a directory, not a file.', failed('EISDIR'), 'a'],
    ['This process has no right to read or write a.', failed('EACCES', 'a'), undefined],
    ['EMFILE: raw', failed('EMFILE', 'a'), undefined],
    ['It is empty.', new Error('It is empty.'), 'a'],
  ])('is a sentence: %s', (sentence, error, file) => expect(fileFailure(error, file)).toBe(sentence));

  it('is another error than one of content', () => {
    expect(() => readFileSync('/nowhere')).toThrow(expect.toSatisfy(isFileFailure) as Error);
    expect(isFileFailure(new Error('It is empty.'))).toBe(false);
  });
});
