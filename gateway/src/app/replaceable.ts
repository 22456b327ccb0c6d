import { isDeepStrictEqual } from 'node:util';

/** Why a resource ends: the gateway does, a reload has replaced it, or it was opened for settings that did not come into force. */
export type Ending = 'end' | 'replaced' | 'unused';

/** A resource, and what ends it. */
export interface Opened<Value> {
  readonly value: Value;
  /** May be called again while it ends: at the end of the gateway there is less time. */
  close(why: Ending): Promise<void>;
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
  readonly #ending = new Set<Opened<Value>>();
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
      discard: async () => opened?.close('unused'),
    };
  }

  /** Closes the current one, and those that drain or have not ended yet. */
  async close(): Promise<void> {
    const current = this.#held?.opened ? [this.#held.opened] : [];
    const open = [...this.#ending, ...this.#draining.keys(), ...current];
    for (const timer of this.#draining.values()) clearTimeout(timer);
    this.#draining.clear();
    this.#held = undefined;
    await Promise.all(open.map((opened) => opened.close('end')));
  }

  #drain(before: Opened<Value>): void {
    const close = (): void => {
      this.#draining.delete(before);
      this.#ending.add(before);
      void before.close('replaced').finally(() => this.#ending.delete(before));
    };
    this.#draining.set(before, setTimeout(close, this.#options.drainMs()).unref());
  }
}
