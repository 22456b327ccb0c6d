import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const pack = promisify(gzip);

/**
 * A folder in which each process writes a file for each interval: `2026-11-23T08-30-00.000Z.<process>.jsonl.gz`. While a process
 * records, a file `<process>.open` stands beside them: one that no one renews is of a process that was killed, and with it went an
 * interval.
 */
export class UsageFolder {
  readonly #directory: string;
  readonly #process: string;
  readonly #intervalMs: number;

  constructor(directory: string, process: string, intervalMs: number) {
    this.#intervalMs = intervalMs;
    this.#directory = directory;
    this.#process = process;
  }

  /** @throws where nothing can be written there */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await this.renew();
  }

  /** Writes a file whole, or not at all. */
  async write(from: Date, text: string): Promise<void> {
    const name = `${from.toISOString().replaceAll(':', '-')}.${this.#process}.jsonl.gz`;
    const draft = join(this.#directory, `.${name}`);
    try {
      await writeFile(draft, await pack(text));
      await rename(draft, join(this.#directory, name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Says that the process records on. */
  async renew(): Promise<void> {
    await writeFile(this.#mark, JSON.stringify({ intervalMs: this.#intervalMs }));
  }

  /** Says that nothing is missing. */
  async close(): Promise<void> {
    await rm(this.#mark, { force: true });
  }

  get #mark(): string {
    return join(this.#directory, `${this.#process}.open`);
  }
}
