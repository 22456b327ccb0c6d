import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checkOwnReads, findOwnReads, readByThemselves } from './own-reads.ts';

describe('A read of an own property', () => {
  it.each([
    'const a = Object.hasOwn(table, key) ? table[key] : undefined;',
    'const a = (Object.hasOwn(table.of, key.name) ? table.of[key.name] : undefined) ?? none;',
    'const a = typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;',
    'const a = Object.hasOwn(table, key) ? (table as Table)[key as Key] : undefined;',
    'const a = Object.hasOwn(type.getFields(), name)\n  ? type.getFields()[name]\n  : undefined;',
  ])('is found where it is written out: %s', (text) => {
    expect(findOwnReads('a.ts', text)).toEqual([
      'a.ts:1 reads an own property. Use own of @trellis/runtime/own-property.',
    ]);
  });

  it.each([
    'const a = own(table, key);',
    'const a = Object.hasOwn(table, key) ? table[key] : other;', // a member may be undefined itself
    'const a = Object.hasOwn(table, key) ? key : undefined;',
    'const a = Object.hasOwn(table, key) ? other[key] : undefined;',
    'const a = Object.hasOwn(table, key) || isKnown(key) ? table[key] : undefined;',
    'if (Object.hasOwn(table, key)) read(table[key]);',
  ])('is none: %s', (text) => {
    expect(findOwnReads('a.ts', text)).toEqual([]);
  });

  it('is written out nowhere but where it has to be', () => {
    expect(checkOwnReads(repository)).toEqual([]);
    for (const path of Object.keys(readByThemselves))
      expect(findOwnReads(path, readFileSync(join(repository, path), 'utf8')), path).toHaveLength(1);
  });
});
