import type { ActivityStream } from '@trellis/subgraph-protocol';

/** Tells who is there, many users in one write. */
export interface ActivityPublisher {
  /** The user has just shown themselves. Costs a look-up. */
  touch(userId: string): void;
  /**
   * The user is there until the function that is returned is called; that is a sign as well.
   *
   * @returns may be called more than once
   */
  hold(userId: string): () => void;
  /** Tells what is still to be told. */
  close(): Promise<void>;
}

/** Settings of {@link startActivityPublisher}. */
export interface ActivityPublisherOptions {
  readonly stream: Pick<ActivityStream, 'add'>;
  /** Milliseconds after which it is told again that a user is there. */
  readonly intervalMs: number;
  /** Milliseconds between two writes. @default 500 */
  readonly flushMs?: number;
  /** Told when a write fails. What it would have told is told the next time that the user shows themselves. */
  readonly onError: (error: Error) => void;
}

/** No one is told anything. */
export const NO_ACTIVITY: ActivityPublisher = Object.freeze({
  touch: () => {},
  hold: () => () => {},
  close: () => Promise.resolve(),
});

/** Users whose last telling is remembered. One who is forgotten is told of once more than needed. */
const MAX_REMEMBERED = 100_000;
/** Users that wait to be told of; further ones are told of the next time. */
const MAX_WAITING = 50_000;

/**
 * Begins to tell. However many requests users send, a write goes to Redis at most every `flushMs`, and names a user at most
 * once every `intervalMs`. Where Redis is away, it is told later.
 */
export function startActivityPublisher(options: ActivityPublisherOptions): ActivityPublisher {
  const publisher = new Publisher(options);
  publisher.start();
  return publisher;
}

class Publisher implements ActivityPublisher {
  readonly #options: ActivityPublisherOptions;
  /** When each was told of last, the longest ago first. */
  readonly #toldAtMs = new Map<string, number>();
  readonly #waiting = new Set<string>();
  /** How many connections each has open. */
  readonly #held = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ActivityPublisherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#flush(), this.#options.flushMs ?? 500);
    this.#timer.unref();
  }

  touch(userId: string): void {
    if (this.#isDue(userId)) this.#enqueue(userId);
  }

  hold(userId: string): () => void {
    this.#held.set(userId, (this.#held.get(userId) ?? 0) + 1);
    this.touch(userId);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(userId);
      isHeld = false;
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#held.clear();
    this.#flush();
    await this.#writing;
  }

  /** From this moment on the user is there for as long as after an operation. */
  #release(userId: string): void {
    const others = (this.#held.get(userId) ?? 1) - 1;
    if (others > 0) {
      this.#held.set(userId, others);
      return;
    }
    this.#held.delete(userId);
    this.#enqueue(userId);
  }

  #isDue(userId: string): boolean {
    const toldAtMs = this.#toldAtMs.get(userId);
    return toldAtMs === undefined || Date.now() - toldAtMs >= this.#options.intervalMs;
  }

  #enqueue(userId: string): void {
    if (this.#waiting.size < MAX_WAITING) this.#waiting.add(userId);
  }

  #flush(): void {
    for (const userId of this.#held.keys()) if (this.#isDue(userId)) this.#enqueue(userId);
    if (this.#waiting.size === 0) return;
    const userIds = [...this.#waiting];
    this.#waiting.clear();
    for (const userId of userIds) this.#remember(userId);
    this.#writing = this.#options.stream.add(userIds).catch((error: unknown) => {
      for (const userId of userIds) this.#toldAtMs.delete(userId);
      this.#options.onError(error as Error); // ioredis rejects with Errors
    });
  }

  #remember(userId: string): void {
    this.#toldAtMs.delete(userId);
    this.#toldAtMs.set(userId, Date.now());
    if (this.#toldAtMs.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#toldAtMs.keys();
    if (oldest !== undefined) this.#toldAtMs.delete(oldest);
  }
}
