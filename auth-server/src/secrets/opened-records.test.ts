import { describe, expect, it } from 'vitest';
import { createOpenedRecords } from './opened-records.ts';

describe('Records that were opened', () => {
  it('are opened once while their text is the same, and again when it is another', () => {
    const records = createOpenedRecords<string>();
    const opened: string[] = [];
    const read = (key: string, sealed: string): string | undefined =>
      records.read(key, sealed, () => {
        opened.push(`${key} ${sealed}`);
        return sealed.startsWith('x') ? undefined : `of ${key} ${sealed}`;
      });
    expect([read('a', '1'), read('a', '1'), read('a', '2'), read('a', '1')]).toEqual([
      'of a 1',
      'of a 1',
      'of a 2',
      'of a 1',
    ]);
    expect(opened).toEqual(['a 1', 'a 2', 'a 1']);
  });

  it('are of one key: the same text under another is opened for that', () => {
    const records = createOpenedRecords<string>();
    records.read('a', 'sealed', () => 'mine');
    expect(records.read('b', 'sealed', () => undefined)).toBeUndefined();
  });

  it('are not remembered when they do not open, nor when they are gone', () => {
    const records = createOpenedRecords<string>();
    expect(records.read('a', 'forged', () => undefined)).toBeUndefined();
    expect(records.read('a', 'forged', () => 'asked again')).toBe('asked again');
    records.forget('a');
    expect(records.read('a', 'forged', () => undefined)).toBeUndefined();
  });

  it('are so many at most', () => {
    const records = createOpenedRecords<number>(2);
    for (const key of ['a', 'b', 'b', 'c']) records.read(key, key, () => 1);
    expect(records.read('a', 'a', () => 2)).toBe(2); // the first had gone
    expect(records.read('c', 'c', () => 2)).toBe(1);
  });

  it('are those that were sealed here too, until another text lies there', () => {
    const records = createOpenedRecords<string>(1);
    records.remember('a', 'sealed', 'mine');
    expect(records.read('a', 'sealed', () => undefined)).toBe('mine');
    expect(records.read('a', 'other', () => undefined)).toBeUndefined();
    records.remember('b', 'sealed', 'next');
    expect(records.read('a', 'sealed', () => undefined)).toBeUndefined(); // one was the limit
  });
});
