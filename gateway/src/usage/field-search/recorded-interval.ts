import { z } from 'zod';

/** A client of a recorded operation, as far as a search reads it. */
export interface RecordedClient {
  readonly name: string;
  readonly version?: string | undefined;
  readonly requests: number;
  readonly lastUsed?: string | undefined;
}

/** An operation of an interval, as far as a search reads it. */
export interface RecordedOperation {
  readonly id: string;
  readonly clients: readonly RecordedClient[];
}

/** A window of time of one process. */
export interface ReadInterval {
  readonly from: Date;
  readonly to: Date;
  /** Whether nothing is missing in it. */
  readonly isComplete: boolean;
  readonly operations: readonly RecordedOperation[];
  /** Texts of operations, by id. Asked for at the first sight of an id. */
  documents(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What a place of recorded usage gives: `missing` where something that was recorded can't be read, or was never written. */
export type ReadUsage = ReadInterval | 'missing';

/** Clients of an operation. */
export const clientsSchema: z.ZodType<readonly RecordedClient[]> = z.array(
  z.object({
    name: z.string(),
    version: z.string().optional(),
    requests: z.number().min(0),
    lastUsed: z.iso.datetime({ offset: true }).optional(),
  }),
);
