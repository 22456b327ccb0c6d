import { StartupError } from '@trellis/runtime';

interface Part {
  close(): Promise<void>;
}

/** What a program has opened so far, one after the other: whenever its end comes, all of it is closed, the newest first. */
export class OpenParts {
  readonly #closing: (() => Promise<void>)[] = [];
  #closed: Promise<void> | undefined;

  /** Takes what is open. @throws StartupError when the end has begun */
  add<T extends Part>(part: T): T {
    if (this.#closed) throw new StartupError(ENDED);
    this.#closing.push(() => part.close());
    return part;
  }

  /**
   * Takes what is being opened: an end that begins meanwhile waits until it is open, and closes it.
   *
   * @throws StartupError when the end has begun, so that nothing is opened behind it; what `opening` rejects with
   */
  async open<T extends Part>(opening: Promise<T>): Promise<T> {
    this.#closing.push(async () => {
      const part = await opening.catch(() => undefined); // it is not open
      await part?.close();
    });
    const part = await opening;
    if (this.#closed) throw new StartupError(ENDED);
    return part;
  }

  /** Closes all, once. */
  close(): Promise<void> {
    return (this.#closed ??= this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    for (const close of this.#closing.splice(0).toReversed()) await close();
  }
}

const ENDED = 'It was asked to end before it was ready.';
