import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { usageFile, type RecordedInterval } from './usage-lines.ts';
import type { UsageSink } from './usage-queue.ts';

const pack = promisify(gzip);

/**
 * A folder in which each process writes a file for each interval: `2026-11-23T08-30-00.000Z.<process>.jsonl.gz`. While a process
 * records, a file `<process>.open` stands beside them: one that is not renewed is of a process that was killed, and with it went an
 * interval.
 */
export class UsageFolder implements UsageSink {
  readonly name = 'folder';
  readonly #directory: string;
  readonly #process: string;
  readonly #intervalMs: number;
  /** Names the drafts: what a folder that hung does late does not meet the next attempt. */
  #attempts = 0;

  constructor(directory: string, process: string, intervalMs: number) {
    this.#intervalMs = intervalMs;
    this.#directory = directory;
    this.#process = process;
  }

  /** @throws where nothing can be written there */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await this.#renew();
  }

  /** Writes a file whole, or not at all. */
  async write(interval: RecordedInterval, signal: AbortSignal): Promise<number> {
    const name = `${interval.from.toISOString().replaceAll(':', '-')}.${this.#process}.jsonl.gz`;
    const draft = join(this.#directory, `.${name}.${(this.#attempts += 1)}`);
    try {
      const packed = await pack(usageFile(interval));
      await this.#renew(signal);
      await writeFile(draft, packed, { signal });
      signal.throwIfAborted();
      await rename(draft, join(this.#directory, name));
      return 0;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Says that nothing is missing. */
  async close(): Promise<void> {
    await rm(this.#mark, { force: true }).catch(() => undefined); // then the mark says that something is
  }

  /** Says that the process records on. */
  async #renew(signal?: AbortSignal): Promise<void> {
    await writeFile(this.#mark, JSON.stringify({ intervalMs: this.#intervalMs }), { signal });
  }

  get #mark(): string {
    return join(this.#directory, `${this.#process}.open`);
  }
}
