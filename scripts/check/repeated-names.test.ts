import { describe, expect, it } from 'vitest';
import { checks } from '../checks.ts';
import { findRepeatedNames } from './repeated-names.ts';

/** Names that these two files both export. */
function repeated(one: string, other: string): readonly string[] {
  const files = new Map([
    ['one.ts', one],
    ['folder/other.ts', other],
  ]);
  return findRepeatedNames(files).map((problem) => problem.slice(0, problem.indexOf(' ')));
}

describe('A name that two files of a deployable export', () => {
  it.each([
    ['export function path() {}', 'export const path = 1;'],
    ['export type path = string;', 'export interface path {}'],
    ['export class path {}', 'export async function* path() {}'],
    ['const path = 1; export { path };', 'export const other = 1, path = 2;'],
    ["import { other } from './other.ts'; export const path = other;", 'export abstract class path {}'],
  ])('is found: %s %s', (one, other) => {
    expect(repeated(one, other)).toEqual(['path']);
  });

  it.each([
    ['export function path() {}', 'function path() {}'],
    ["export { path } from './other.ts';", 'export const path = 1;'],
    ["import { path } from './other.ts'; export { path };", 'export const path = 1;'],
    ["export * from './other.ts';", 'export const path = 1;'],
    ['export interface path {} export const path: path = {};', 'export const other = 1;'],
    ['export function path(a: string): void; export function path(a: number): void {}', ''],
  ])('may be one thing: %s %s', (one, other) => {
    expect(repeated(one, other)).toEqual([]);
  });

  it('is named with its files', () => {
    expect(
      findRepeatedNames(
        new Map([
          ['a.ts', 'export const path = 1;'],
          ['b.ts', 'export const path = 2;'],
        ]),
      ),
    ).toEqual(['path is exported by a.ts and b.ts. Give each thing its own name.']);
  });

  it('is nowhere, as npm run check holds', async () => {
    const check = checks.find(({ name }) => name === 'repeated names');
    expect(await check?.run()).toEqual({ passed: true, output: '' });
  });
});
