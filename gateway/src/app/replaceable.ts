import { isDeepStrictEqual } from 'node:util';

/** A resource, and what ends it. */
export interface Opened<Value> {
  readonly value: Value;
  close(): Promise<void>;
}

/** A resource that is ready to be put in force. One of the two is to be called. */
export interface Prepared<Value> {
  /** Absent where the settings ask for none. */
  readonly value: Value | undefined;
  /** From now on it is the current one. What it replaces is closed when what uses it has had its time. */
  commit(): void;
  /** It is not needed. */
  discard(): Promise<void>;
}

/** How a {@link Replaceable} is opened. */
export interface ReplaceableOptions<Settings, Value> {
  /** @returns nothing where the settings ask for none */
  readonly open: (settings: Settings) => Promise<Opened<Value> | undefined>;
  /** Milliseconds for which what is replaced is still used: by requests that began before. */
  readonly drainMs: () => number;
}

interface Held<Settings, Value> {
  readonly settings: Settings;
  readonly opened: Opened<Value> | undefined;
}

/**
 * A resource that a reload may replace, such as a connection. The new one is opened before anything changes, so that settings
 * with which it can't be opened change nothing; the old one drains.
 */
export class Replaceable<Settings, Value> {
  readonly #options: ReplaceableOptions<Settings, Value>;
  readonly #draining = new Map<Opened<Value>, NodeJS.Timeout>();
  #held: Held<Settings, Value> | undefined;

  constructor(options: ReplaceableOptions<Settings, Value>) {
    this.#options = options;
  }

  /** The one in force; absent where there is none. */
  get current(): Value | undefined {
    return this.#held?.opened?.value;
  }

  /** Opens the resource for other settings; for the same ones it is the current one. */
  async prepare(settings: Settings): Promise<Prepared<Value>> {
    if (this.#held && isDeepStrictEqual(this.#held.settings, settings))
      return { value: this.current, commit: () => undefined, discard: async () => undefined };
    const opened = await this.#options.open(settings);
    return {
      value: opened?.value,
      commit: () => {
        const before = this.#held?.opened;
        this.#held = { settings, opened };
        if (before) this.#drain(before);
      },
      discard: async () => opened?.close(),
    };
  }

  /** Closes the current one, and those that drain. */
  async close(): Promise<void> {
    const open = [...this.#draining.keys(), ...(this.#held?.opened ? [this.#held.opened] : [])];
    for (const timer of this.#draining.values()) clearTimeout(timer);
    this.#draining.clear();
    this.#held = undefined;
    await Promise.all(open.map((opened) => opened.close()));
  }

  #drain(before: Opened<Value>): void {
    const close = (): void => {
      this.#draining.delete(before);
      void before.close();
    };
    this.#draining.set(before, setTimeout(close, this.#options.drainMs()).unref());
  }
}
