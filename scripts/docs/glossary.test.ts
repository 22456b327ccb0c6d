import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../programs/files-below.ts';
import { repository } from '../programs/run-program.ts';
import { hasOldWord } from '../check/find-old-words.ts';
import { replacedWords } from '../check/replaced-words.ts';

const PRODUCTS = ['gateway/src', 'auth-server/src', 'packages', 'services', 'cli/src'];
const PRODUCT = /^(?!.*(?:^|\/)(?:testing|generated|dist|node_modules|proofs)\/).*(?<!\.test)\.ts$/;

/** Verbs, and headings of tables, which are no terms. */
const WITHOUT_A_ROW = [
  'return, send',
  'log, notify, return',
  'leadership',
  'Error codes',
  'a page of docs/, with its section',
  'Action',
  'present time, and what exists',
];

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const sources = PRODUCTS.flatMap((folder) => filesBelow(repository, folder))
  .filter((file) => PRODUCT.test(file))
  .map(read)
  .join('\n');

/** A row of docs/glossary.md. */
interface Row {
  readonly term: string;
  /** Words that are not used for it. */
  readonly replaced: readonly string[];
  readonly messages: readonly string[];
  readonly series: readonly string[];
  /** Relative to docs/. */
  readonly page: string;
}

const quoted = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

const rows: readonly Row[] = [...read('docs/glossary.md').matchAll(/^\|(.*)\|$/gm)]
  .map(([, row = '']) => row.split('|').map((cell) => cell.trim()))
  .filter(([term = '']) => term !== 'Term' && !term.startsWith('-'))
  .map(([term = '', , replaced = '', log = '', series = '', link = '']) => ({
    term,
    replaced: quoted(replaced),
    messages: quoted(log),
    series: quoted(series),
    page: /\]\(([^)]+)\)/.exec(link)?.[1] ?? '',
  }));

/** Words may stand on two lines, or have a hyphen between them. */
const asPattern = (term: string): RegExp => new RegExp(term.replaceAll(/[ -]/g, String.raw`[\s-]+`), 'i');
const metricsPage = read('docs/logs-and-metrics.md');

describe('The glossary', () => {
  it('has a row for each term', () => {
    expect(rows.length).toBeGreaterThan(35);
    expect(new Set(rows.map(({ term }) => term)).size).toBe(rows.length);
  });

  it('names words that the check finds, for the terms that replace them', () => {
    expect(rows.flatMap(({ replaced }) => replaced).filter((word) => !hasOldWord(word))).toEqual([]);
    const terms = new Set(rows.map(({ term }) => term));
    const inCode = replacedWords.map(({ term }) => term).filter((term) => !terms.has(term));
    expect(inCode).toEqual(WITHOUT_A_ROW);
  });

  it.each(rows)(
    '$term is found in docs, logs and metrics where it says',
    ({ term, messages, series, page }) => {
      expect(read(`docs/${page}`)).toMatch(asPattern(term));
      expect(messages.filter((message) => !sources.includes(`'${message}'`))).toEqual([]);
      expect(series.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
    },
  );
});

describe('The page of metrics', () => {
  const named = new Set(
    [...sources.matchAll(/(?:name: |NAME = |metrics, )'(trellis_\w+)'/g)].map(([, name = '']) => name),
  );

  it('has every series that any program registers, and no other', () => {
    const documented = [...metricsPage.matchAll(/^\| `(trellis_\w+)`/gm)].map(([, name = '']) => name);
    expect(named.size).toBeGreaterThan(60);
    expect(documented.toSorted()).toEqual([...named].toSorted());
  });

  it('says what the help of each series says', () => {
    const helps = [...sources.matchAll(/\bhelp(?::| =)\s*'([^']+\.)'/g)].map(([, text = '']) => text);
    expect(helps.length).toBeGreaterThan(60);
    expect(helps.filter((help) => !metricsPage.includes(help) || hasOldWord(help))).toEqual([]);
  });
});
