import { describe, expect, it } from 'vitest';
import { readImports } from './read-imports.ts';

function specifiersOf(text: string): readonly string[] {
  return readImports('file.ts', text).specifiers;
}

describe('Reading imports', () => {
  it.each([
    ["import { a } from './a.ts';", './a.ts'],
    ["import './a.ts';", './a.ts'],
    ["import type { A } from './a.ts';", './a.ts'],
    ["import { type A } from './a.ts';", './a.ts'],
    ["export { a } from './a.ts';", './a.ts'],
    ["export type { A } from './a.ts';", './a.ts'],
    ["export * from './a.ts';", './a.ts'],
    ["export * as a from './a.ts';", './a.ts'],
    ["const a = await import('./a.ts');", './a.ts'],
    ['const a = await import(`./a.ts`);', './a.ts'],
    ["let a: import('./a.ts').A;", './a.ts'],
    ["let a: typeof import('./a.ts');", './a.ts'],
    ["import a = require('./a.cjs');", './a.cjs'],
    ["const a = new URL('./a.lua', import.meta.url);", './a.lua'],
    ['const a = new URL(`./texts/${name}.txt`, import.meta.url);', './texts/'],
    ["const a = import.meta.resolve('./a.ts');", './a.ts'],
    ["const a = require('./a.cjs');", './a.cjs'],
    ["const a = require.resolve('./a.cjs');", './a.cjs'],
  ])('%s', (text, specifier) => {
    expect(specifiersOf(text)).toEqual([specifier]);
  });

  it('leaves out comments, texts, and addresses of something else', () => {
    const text = `
      // import './comment.ts';
      const text = "import './text.ts'";
      const page = new URL('./page', base);
      const port = new URL('./page').port;
      export const a = 1;
    `;
    expect(specifiersOf(text)).toEqual([]);
  });

  it('finds the lines of dynamic imports that are computed', () => {
    expect(readImports('file.ts', "import './a.ts';\n\nawait import(name);").computed).toEqual([3]);
  });

  it('fails for what is no TypeScript', () => {
    expect(() => readImports('file.ts', 'import {')).toThrow(/^file\.ts can't be parsed: /);
  });
});
