import { readTextBlob, type BlobReference, type RegistryRecord, type RegistryStore } from '@trellis/registry';
import { decodeVerdict, MAX_VERDICT_BYTES, type ReleaseVerdict } from '@trellis/release-verdict';

/** What was judged of a record when it was written, or why that is not known. */
export type RecordVerdict =
  | { readonly kind: 'found'; readonly verdict: ReleaseVerdict }
  /** It was written without one. */
  | { readonly kind: 'none' }
  /** The registry can't be read, no longer has the text, or has another one. */
  | { readonly kind: 'unreadable' }
  /** No such record was followed here, or one that is older than those that are remembered. */
  | { readonly kind: 'unknown record' };

/** Records that are remembered: as many as the history shows, and some. */
const MAX_RECORDS = 32;
/** Verdicts in memory: they never change. */
const MAX_VERDICTS = 8;

/** The verdicts of the newest records of a log. They are read when they are asked for. */
export class RecordVerdicts {
  readonly #store: RegistryStore;
  readonly #failed: (sequence: number, error: unknown) => void;
  /** By sequence. */
  readonly #references = new Map<number, BlobReference | undefined>();
  /** Records that were reported. */
  readonly #unreadable = new Set<number>();
  /** By digest, those that were asked for last at the end. */
  readonly #read = new Map<string, ReleaseVerdict>();

  /** @param failed called when a verdict can't be read; once, until it could be */
  constructor(store: RegistryStore, failed: (sequence: number, error: unknown) => void) {
    this.#store = store;
    this.#failed = failed;
  }

  /** Remembers a record that was verified, in the order of the log. */
  follow({ sequence, verdict }: RegistryRecord): void {
    this.#references.set(sequence, verdict);
    for (const known of this.#references.keys()) {
      if (this.#references.size <= MAX_RECORDS) break;
      this.#references.delete(known);
      this.#unreadable.delete(known);
    }
  }

  /** Does not reject. */
  async find(sequence: number, signal: AbortSignal): Promise<RecordVerdict> {
    if (!this.#references.has(sequence)) return { kind: 'unknown record' };
    const reference = this.#references.get(sequence);
    if (!reference) return { kind: 'none' };
    try {
      const verdict = await this.#load(reference, signal);
      this.#unreadable.delete(sequence);
      return { kind: 'found', verdict };
    } catch (error) {
      this.#report(sequence, error);
      return { kind: 'unreadable' };
    }
  }

  /** One that was forgotten meanwhile is remembered no longer. */
  #report(sequence: number, error: unknown): void {
    if (this.#unreadable.has(sequence) || !this.#references.has(sequence)) return;
    this.#unreadable.add(sequence);
    this.#failed(sequence, error);
  }

  async #load(reference: BlobReference, signal: AbortSignal): Promise<ReleaseVerdict> {
    const { digest, bytes } = reference;
    if (bytes > MAX_VERDICT_BYTES)
      throw new RangeError(`The verdict has ${bytes} bytes, ${MAX_VERDICT_BYTES} at most are read.`);
    const verdict =
      this.#read.get(digest) ?? decodeVerdict(await readTextBlob(this.#store, reference, signal));
    this.#read.delete(digest);
    this.#read.set(digest, verdict);
    for (const oldest of this.#read.keys()) {
      if (this.#read.size <= MAX_VERDICTS) break;
      this.#read.delete(oldest);
    }
    return verdict;
  }
}
