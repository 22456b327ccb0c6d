import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatLogName, type LogName, type RegistryRecord, type Variant } from '@trellis/registry';
import { z } from 'zod';

/** Stops that are remembered; the oldest leave. */
const MAX_STOPS = 100;

/** A release that a variant no longer serves here. */
export interface Stop {
  readonly name: string;
  /** Its digest. */
  readonly release: string;
  /** Of the record that served it. */
  readonly sequence: number;
}

const stop: z.ZodType<Stop> = z.object({ name: z.string(), release: z.string(), sequence: z.int() });
const stops = z.array(stop).max(MAX_STOPS);

/**
 * The variants that stopped themselves: records go on naming them until the registry has learned of it, and each change of anything
 * else repeats them. A later record of the action `canary` starts one again.
 */
export class StoppedVariants {
  readonly #file: string | undefined;
  readonly #failed: (error: unknown) => void;
  #stops: readonly Stop[];
  /** By variant, the last record that started it. */
  readonly #startedBy = new Map<string, number>();
  #writes: Promise<void> = Promise.resolve();

  /**
   * @param directory where they outlive the process; absent: they do not
   * @param failed called when the file can't be read or written: stops then hold in memory alone
   * @param known those of before
   */
  constructor(
    directory: string | undefined,
    log: LogName,
    failed: (error: unknown) => void,
    known: readonly Stop[] = [],
  ) {
    this.#stops = known;
    this.#file = directory && join(directory, `${formatLogName(log)}.stopped.json`);
    this.#failed = failed;
  }

  get stops(): readonly Stop[] {
    return this.#stops;
  }

  /** Reads what earlier processes have stopped. A file that can't be read counts as none. */
  async load(): Promise<void> {
    if (this.#file === undefined) return;
    try {
      const read = stops.parse(JSON.parse(await readFile(this.#file, 'utf8')));
      const others = this.#stops.filter((one) => !read.some((other) => isSame(one, other)));
      this.#stops = [...others, ...read].slice(-MAX_STOPS);
    } catch (error) {
      if (!isMissing(error)) this.#failed(error);
    }
  }

  /** Those of a record that may serve. */
  allowedIn({ variants }: RegistryRecord): readonly Variant[] {
    return variants.filter((variant) => !this.has(variant));
  }

  /** Whether a variant has stopped itself with this release. */
  has({ name, release }: Pick<Variant, 'name' | 'release'>): boolean {
    return this.#stops.some((one) => one.name === name && one.release === release.digest);
  }

  /** @param sequence of the record that served it */
  add({ name, release }: Pick<Variant, 'name' | 'release'>, sequence: number): void {
    this.#replace([...this.#stops, { name, release: release.digest, sequence }].slice(-MAX_STOPS));
  }

  /** Takes what another follower of the log has stopped. What a later record started again is not. */
  take(stopped: readonly Stop[]): void {
    const added = stopped.filter(
      (one) =>
        one.sequence >= (this.#startedBy.get(one.name) ?? 0) &&
        !this.#stops.some((known) => isSame(known, one)),
    );
    if (added.length > 0) this.#replace([...this.#stops, ...added].slice(-MAX_STOPS));
  }

  /** A record was verified: where it is an operator's decision over canaries, those of before are stopped no longer. */
  follow({ action, sequence, variants }: RegistryRecord): void {
    if (action !== 'canary') return;
    const names = new Set(variants.map(({ name }) => name));
    for (const name of names) this.#startedBy.set(name, sequence);
    const left = this.#stops.filter((one) => one.sequence >= sequence || !names.has(one.name));
    if (left.length < this.#stops.length) this.#replace(left);
  }

  /** Resolves when all is written. */
  async settled(): Promise<void> {
    await this.#writes;
  }

  #replace(remembered: readonly Stop[]): void {
    this.#stops = remembered;
    const file = this.#file;
    if (file === undefined) return;
    const writing = this.#writes.then(() => replaceFile(file, JSON.stringify(remembered)));
    this.#writes = writing.catch(this.#failed);
  }
}

function isSame(one: Stop, other: Stop): boolean {
  return one.name === other.name && one.release === other.release && one.sequence === other.sequence;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  const temporary = `${file}.${randomUUID()}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, file);
}
