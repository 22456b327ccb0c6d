import type { BlobReference } from './blob.ts';
import type { LogName } from './log-name.ts';

/** The largest record: 256 KB. */
export const MAX_RECORD_BYTES: number = 256 * 1024;

/** The highest sequence of a log: its file names have eight digits. */
export const MAX_SEQUENCE: number = 99_999_999;

/** A text that a store holds. */
export interface StoredBlob {
  readonly digest: string;
  readonly bytes: number;
  /** When it was written, or last published again, by the store's clock. */
  readonly writtenAt: Date;
}

/**
 * Where a registry is. The one promise: `createRecord` succeeds for one caller alone, and what it has written is whole for each
 * reader, or absent. Nothing here judges what is read: signatures, chains and digests are checked by those who read.
 *
 * Every call rejects with the reason of its signal once that is aborted. A write that was aborted may have happened.
 * All throw RegistryError: NO_REGISTRY, STORE_UNAVAILABLE, STORE_READ_ONLY, STORE_FULL, STORE_UNSUITABLE, STORE_LOCKED, NO_RIGHT.
 */
export interface RegistryStore {
  /** For messages: `the folder /srv/registry`. */
  readonly description: string;
  /** Makes an empty registry; one that exists stays as it is. Absent: those who run it do. @returns whether it is new */
  initialize?(signal: AbortSignal): Promise<boolean>;
  /**
   * A text. Undefined: the store has none of that name.
   *
   * @param bytes its length; a longer one need not be read to its end
   */
  readBlob(digest: string, bytes: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Stores a text under its digest. A text that is stored counts as written now. */
  writeBlob(reference: BlobReference, content: Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * The highest sequence of a log; 0: the log is empty.
   *
   * @param atLeast a sequence that is known to exist
   */
  readHead(log: LogName, signal: AbortSignal, atLeast?: number): Promise<number>;
  /** The compact JWS of a record. Undefined: the log has none of that sequence. */
  readRecord(log: LogName, sequence: number, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Creates a record if the log has none of that sequence.
   *
   * @returns whether this call created it; false where another record has the sequence
   */
  createRecord(log: LogName, sequence: number, jws: string, signal: AbortSignal): Promise<boolean>;
  /** Every log that has a record, by name. */
  listLogs(signal: AbortSignal): Promise<readonly LogName[]>;
  /** Every text, in no order. */
  listBlobs(signal: AbortSignal): Promise<readonly StoredBlob[]>;
  /**
   * Deletes a text that was last written before a time.
   *
   * @returns false where it was written again since, or is gone
   */
  deleteBlob(digest: string, writtenBefore: Date, signal: AbortSignal): Promise<boolean>;
  /**
   * Waits until a log has a record beyond a sequence, as long as the store likes. Absent: ask {@link readHead} again.
   *
   * @returns the highest sequence
   */
  waitForRecord?(log: LogName, after: number, signal: AbortSignal): Promise<number>;
}
