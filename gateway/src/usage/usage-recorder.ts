import { randomUUID } from 'node:crypto';
import type { Logger } from '@trellis/runtime';
import type { OperationResult, PipelineResult } from '../pipeline/operation-result.ts';
import type { UsageRecording } from '../pipeline/services.ts';
import type { RequestContext } from '../request/context.ts';
import { clientSoftwareOf } from '../identity/caller.ts';
import { UsageCounts, type UsageBounds } from './usage-counts.ts';
import { UsageFolder } from './usage-folder.ts';
import { usageLines } from './usage-lines.ts';

/** Settings of {@link openUsageRecorder}. */
export interface UsageRecorderOptions extends UsageBounds {
  /** Where files are written; it is made where it is missing. */
  readonly directory: string;
  /** Milliseconds from file to file. */
  readonly intervalMs: number;
  readonly logger: Logger;
  /** Called with how many operations could not be written, for metrics. */
  readonly onLost: (operations: number) => void;
}

/** Counts operations, and writes what was counted. */
export interface UsageRecorder extends UsageRecording {
  /** Writes the rest. Does not reject. */
  close(): Promise<void>;
}

/** Intervals that are merged into the next when they can't be written; then they are lost. */
const MAX_FAILURES = 10;

/**
 * Begins to record.
 *
 * @throws where nothing can be written to the folder
 */
export async function openUsageRecorder(options: UsageRecorderOptions): Promise<UsageRecorder> {
  const process = randomUUID();
  const folder = new UsageFolder(options.directory, process, options.intervalMs);
  await folder.open();
  return new FolderRecorder(options, folder, process);
}

class FolderRecorder implements UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #folder: UsageFolder;
  readonly #process: string;
  readonly #timer: NodeJS.Timeout;
  #counts: UsageCounts;
  #from = new Date();
  #failures = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: UsageRecorderOptions, folder: UsageFolder, process: string) {
    this.#options = options;
    this.#folder = folder;
    this.#process = process;
    this.#counts = new UsageCounts(options);
    this.#timer = setInterval(() => this.#writeNext(), options.intervalMs).unref();
  }

  async record(context: RequestContext, responding: Promise<PipelineResult>): Promise<PipelineResult> {
    const beganMs = performance.now();
    const response = await responding;
    const { admitted } = firstOf(response);
    if (!admitted) return response;
    this.#counts.count({
      admitted,
      client: clientSoftwareOf(context),
      errorCode: codeOf(response),
      durationMs: performance.now() - beganMs,
    });
    return response;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#writeNext();
    await this.#writing;
    if (this.#failures === 0) await this.#folder.close().catch(() => undefined);
  }

  #writeNext(): void {
    this.#writing = this.#writing.then(() => this.#write());
  }

  /** What can't be written is counted on, so that it is in the next file. */
  async #write(): Promise<void> {
    const [counts, from, to] = [this.#counts, this.#from, new Date()];
    this.#counts = new UsageCounts(this.#options);
    this.#from = to;
    try {
      const text = await usageLines(counts, { from, to, process: this.#process });
      await this.#folder.renew();
      await this.#folder.write(from, text); // last: what fails before it is counted on, and in no file yet
      this.#failures = 0;
    } catch (err) {
      this.#lose(counts, from, err);
    }
  }

  #lose(counts: UsageCounts, from: Date, err: unknown): void {
    const { logger, directory, onLost } = this.#options;
    this.#failures += 1;
    if (this.#failures === 1) logger.error({ err, directory }, 'usage cannot be written');
    if (this.#failures > MAX_FAILURES) {
      this.#counts.isIncomplete = true; // the next file has a gap before it
      return onLost(counts.operations.length);
    }
    counts.addAll(this.#counts);
    this.#counts = counts;
    this.#from = from;
  }
}

function firstOf(response: PipelineResult): Pick<OperationResult, 'admitted'> {
  return response.kind === 'parts' ? response.initial : response;
}

function codeOf(response: PipelineResult): string | undefined {
  if (response.kind === 'stream') return undefined;
  const { errors } = response.kind === 'parts' ? response.initial : response;
  const code = errors[0]?.extensions?.['code'];
  return typeof code === 'string' ? code : undefined;
}
