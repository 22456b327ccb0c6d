import type { ActivityStream } from '@trellis/subgraph-protocol';

/** Publishes which users are online, many users in one write. */
export interface ActivityPublisher {
  /** The user has just shown themselves. Costs a look-up. */
  touch(userId: string): void;
  /**
   * The user is online until the returned function is called; that is a sign as well.
   *
   * @returns may be called more than once
   */
  hold(userId: string): () => void;
  /** Publishes what is still waiting. */
  close(): Promise<void>;
}

/** Settings of {@link startActivityPublisher}. */
export interface ActivityPublisherOptions {
  readonly stream: Pick<ActivityStream, 'add'>;
  /** Milliseconds between two publications of one user. */
  readonly intervalMs: number;
  /** Milliseconds between two writes. @default 500 */
  readonly flushMs?: number;
  /** Called when a write fails. Its users are published again at their next sign. */
  readonly onError: (error: Error) => void;
}

/** Publishes nothing. */
export const NO_ACTIVITY: ActivityPublisher = Object.freeze({
  touch: () => {},
  hold: () => () => {},
  close: () => Promise.resolve(),
});

/** Users whose last publication is remembered. One that is evicted is published once more than needed. */
const MAX_REMEMBERED = 100_000;
/** Users that wait to be published; further ones wait for their next sign. */
const MAX_WAITING = 50_000;

/**
 * Begins to publish. However many requests users send, a write goes to Redis at most every `flushMs`, and names a user at most
 * once every `intervalMs`. While Redis is unavailable, users are published later.
 */
export function startActivityPublisher(options: ActivityPublisherOptions): ActivityPublisher {
  const publisher = new Publisher(options);
  publisher.start();
  return publisher;
}

class Publisher implements ActivityPublisher {
  readonly #options: ActivityPublisherOptions;
  /** When each was published last, the oldest first. */
  readonly #publishedAtMs = new Map<string, number>();
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

  /** From this moment on the user stays online for as long as after an operation. */
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
    const publishedAtMs = this.#publishedAtMs.get(userId);
    return publishedAtMs === undefined || Date.now() - publishedAtMs >= this.#options.intervalMs;
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
      for (const userId of userIds) this.#publishedAtMs.delete(userId);
      this.#options.onError(error as Error); // ioredis rejects with Errors
    });
  }

  #remember(userId: string): void {
    this.#publishedAtMs.delete(userId);
    this.#publishedAtMs.set(userId, Date.now());
    if (this.#publishedAtMs.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#publishedAtMs.keys();
    if (oldest !== undefined) this.#publishedAtMs.delete(oldest);
  }
}
