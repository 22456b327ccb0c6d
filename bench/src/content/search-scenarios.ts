import type { Pool } from '@trellis/postgres';
import type { Scenario } from './scenario.ts';

/** A word and how many documents it is in. */
interface Word {
  readonly text: string;
  readonly documents: number;
}

/** The shares of all documents in which the words that are looked for occur, about. */
const SHARES = [0.7, 0.3, 0.1, 0.01, 0.001, 0.0001];
const SAMPLE = 100_000;
const PROMISED_MS = { p50: 100, p99: 100 };
const SEARCH = 'query ($text: String!) { search(query: $text) { __typename ... on Post { id } } }';

const ALL = `
  SELECT (SELECT count(*) FROM comment_document)::int AS comments,
    ((SELECT count(*) FROM user_document) + (SELECT count(*) FROM post_document WHERE published))::int AS others`;
// A search for a word that is its own stem finds the documents that are counted here.
const WORDS = `
  SELECT word AS text, ndoc AS documents FROM ts_stat($1)
  WHERE ts_lexize('english_stem', word) = ARRAY[word] ORDER BY abs(ndoc - $2::float8), word LIMIT 1`;
const DOCUMENTS = `
  SELECT ((SELECT count(*) FROM user_document WHERE words @@ websearch_to_tsquery('simple', $1))
    + (SELECT count(*) FROM post_document WHERE published AND words @@ websearch_to_tsquery('english', $1))
    + (SELECT count(*) FROM comment_document WHERE words @@ websearch_to_tsquery('english', $1)))::int AS documents`;

/** Chooses words from rare to frequent, and what is harder than one word: frequent words together, in a row, and left out. */
export async function searchScenarios(search: Pool): Promise<readonly Scenario[]> {
  const { comments, others } = await one<{ comments: number; others: number }>(search, ALL);
  const sampled = Math.min(1, SAMPLE / comments);
  const sample = `SELECT words FROM comment_document TABLESAMPLE SYSTEM (${sampled * 100}) REPEATABLE (1)`;
  const words: Word[] = [];
  for (const share of SHARES) {
    const { text } = await one<Word>(search, WORDS, [sample, share * sampled * comments]);
    if (words.every((word) => word.text !== text)) words.push(await wordOf(search, text));
  }
  const scenarioOf = (what: string, text: string): Scenario => ({
    name: `search for ${what}`,
    service: 'search',
    question: { query: SEARCH, variables: { text } },
    promisedMs: PROMISED_MS,
  });
  const [first = '', second = '', third = ''] = words.map(({ text }) => text);
  return [
    ...words.map(({ text, documents }) =>
      scenarioOf(`a word in ${percent(documents / (comments + others))} of all documents`, text),
    ),
    scenarioOf('the two most frequent of these', `${first} ${second}`),
    scenarioOf('the same in a row', `"${first} ${second}"`),
    scenarioOf('the most frequent, or the third, without the second', `${first} or ${third} -${second}`),
  ];
}

async function wordOf(search: Pool, text: string): Promise<Word> {
  return { text, ...(await one<{ documents: number }>(search, DOCUMENTS, [text])) };
}

/** To two digits. */
function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

async function one<Row extends object>(pool: Pool, sql: string, values: unknown[] = []): Promise<Row> {
  return (await pool.query<Row>(sql, values)).rows[0] as Row; // each of these statements has a row, unless nothing is loaded
}
