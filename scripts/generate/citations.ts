import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test or proof whose title cites a number. */
export interface Citation {
  /** The title, without its numbers. */
  readonly title: string;
  /** Relative to the repository, with `/`. */
  readonly file: string;
}

const NUMBER = /\b[AFS]-\d{2,3}\b/g;
/** A string literal; titles are never put together from parts. */
const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Numbers such as A-012 or F-07 by the tests and proofs that cite them in their titles, in the order of the files. */
export function readCitations(directory: string): ReadonlyMap<string, readonly Citation[]> {
  const citations = new Map<string, Citation[]>();
  for (const file of filesIn(directory)) {
    for (const literal of literalsOf(readFileSync(join(directory, file), 'utf8'))) {
      for (const id of new Set(literal.match(NUMBER)))
        citations.set(id, [...(citations.get(id) ?? []), { title: titleOf(literal), file }]);
    }
  }
  return citations;
}

const ROOTS = ['auth-server', 'e2e', 'gateway', 'packages', 'scripts', 'services'];
const NOT_OURS = new Set(['node_modules', 'dist', 'generated']);

function filesIn(directory: string): readonly string[] {
  return ROOTS.flatMap((root) => walk(directory, root)).toSorted();
}

function walk(directory: string, folder: string): readonly string[] {
  return readdirSync(join(directory, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : walk(directory, path);
    return /\.test\.ts$|\/proofs\/[^/]+\.ts$/.test(path) ? [path] : [];
  });
}

/** Literals with a number, of lines that are no comment. */
function literalsOf(source: string): readonly string[] {
  const code = source.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
  return (code.match(LITERAL) ?? []).filter((literal) => literal.match(NUMBER) !== null);
}

function titleOf(literal: string): string {
  return literal
    .slice(1, -1)
    .replaceAll(/\s*\((?:[AFS]-\d{2,3}[, ]*)+\)/g, '')
    .replaceAll(/(?:[AFS]-\d{2,3}[,:]?\s*)+/g, '')
    .replaceAll(/\\(['"`])/g, '$1')
    .trim();
}
