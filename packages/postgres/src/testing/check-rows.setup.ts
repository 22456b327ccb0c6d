import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll } from 'vitest';
import { findRowMismatch } from '../sql-types.ts';
import { ROWS_RETURNED, type RowsReturned } from '../statements.ts';

// Every row that a statement returns in a test must be what the generated types say.
const mismatches = new Set<string>();

function check(message: unknown): void {
  const { statement, rows } = message as RowsReturned; // of this channel
  for (const row of rows) {
    const problem = findRowMismatch(statement.description.row, row);
    if (problem !== undefined) mismatches.add(`${statement.id}: ${problem}`);
  }
}

beforeAll(() => subscribe(ROWS_RETURNED, check));

afterAll(() => {
  unsubscribe(ROWS_RETURNED, check);
  if (mismatches.size > 0)
    throw new Error(`Rows that are not of the type of their statement: ${[...mismatches].join('; ')}`);
});
