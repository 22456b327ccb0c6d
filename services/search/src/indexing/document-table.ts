import { applyBatches, type EventHandler, type SequencedEvent } from '@trellis/events';
import { defineStatements, execute, type Transaction } from '@trellis/postgres';
import type { Source } from '../config.ts';
import { statements } from '../generated/statements.ts';

const sql = defineStatements(statements, 'document-table', {
  beginGeneration: 'UPDATE index_generation SET generation = generation + 1 WHERE source = $1',
});

/** The documents of one source. */
export interface Documents {
  readonly source: Source;
  readonly table: string;
  /** What is indexed of a thing, as columns: `body text`. */
  readonly columns: readonly string[];
  /** SQL that writes the documents from a table or a function with these columns. */
  readonly save: (table: string) => string;
}

/** What is indexed about the things of one source. */
export interface SourceEvents<Saved, Deleted> {
  readonly documents: Documents;
  /** Undefined for an event that does not say what a thing is now. */
  readonly readSaved: (event: Pick<SequencedEvent, 'type' | 'payload'>) => Saved | undefined;
  /** Undefined for an event that does not say that a thing is gone. */
  readonly readDeleted: (event: Pick<SequencedEvent, 'type' | 'payload'>) => Deleted | undefined;
  /** Writes the documents. */
  readonly save: (transaction: Transaction, things: readonly Saved[]) => Promise<void>;
  readonly remove: (transaction: Transaction, thing: Deleted) => Promise<void>;
}

/** SQL for the generation that documents of a source are written with. */
export function currentGeneration(source: Source): string {
  return `(SELECT generation FROM index_generation WHERE source = '${source}')`;
}

/**
 * Keeps the documents of one source as its events say. While a snapshot is taken everything can still be found; what it has
 * not shown is removed at its end.
 */
export function createIndexer<Saved, Deleted>(events: SourceEvents<Saved, Deleted>): EventHandler {
  const { readSaved } = events;
  const { source, table } = events.documents;
  const applyAll = (transaction: Transaction, batch: readonly SequencedEvent[]): Promise<void> =>
    applyBatches(batch, {
      readSaved,
      save: (things) => events.save(transaction, things),
      applyOther: async (event) => {
        const deleted = events.readDeleted(event);
        if (deleted !== undefined) await events.remove(transaction, deleted);
      },
    });
  return {
    apply: (transaction, event) => applyAll(transaction, [event]),
    applyAll,
    beginSnapshot: async (transaction) => {
      await execute(transaction, sql.beginGeneration, [source]);
    },
    restore: (transaction, items) =>
      events.save(
        transaction,
        items.map((item) => events.readSaved(item)).filter((saved) => saved !== undefined),
      ),
    endSnapshot: async (transaction) => {
      await transaction.query(`DELETE FROM ${table} WHERE generation < ${currentGeneration(source)}`);
    },
  };
}
