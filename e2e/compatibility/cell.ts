import { readFileSync } from 'node:fs';

/** What the compatibility page says of one client, by feature: true for ✓, else a sentence. */
export interface ClientRow {
  readonly client: string;
  /** A library of subgraphs has a table of its own. */
  readonly kind?: 'subgraph';
  /** The npm package whose version the page shows; absent for what is no package. */
  readonly package?: string;
  readonly features: Readonly<Record<string, true | string>>;
}

/** docs/compatibility.md is made of it. */
export function readMatrix(): readonly ClientRow[] {
  const text = readFileSync(new URL('matrix.json', import.meta.url), 'utf8');
  return JSON.parse(text) as ClientRow[]; // its test checks it
}

/**
 * The title of the test that proves one cell of the matrix; every cell with ✓ has one, which `matrix.test.ts` checks.
 *
 * @param missing the program that the test needs and the machine lacks
 * @throws Error when the matrix has no such cell
 */
export function cell(client: string, feature: string, missing?: string): string {
  const verdict = readMatrix().find((row) => row.client === client)?.features[feature];
  if (verdict === undefined) throw new Error(`The matrix has no cell ${client}: ${feature}.`);
  const sentence = verdict === true ? '' : ` (${verdict})`;
  return `${client}: ${feature}${sentence}${missing === undefined ? '' : ` (left out: ${missing} is not installed)`}`;
}
