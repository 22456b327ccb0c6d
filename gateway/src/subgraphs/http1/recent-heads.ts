import { parseHead, type ResponseHead } from './response-head.ts';

const MAX_HEADS = 4;
/** Characters. Larger heads are rare, and are read each time. */
const MAX_LENGTH = 1_024;

interface CachedHead {
  readonly text: string;
  readonly head: ResponseHead;
}

/**
 * Reads the heads of one subgraph's responses. Those that come one after the other are often the same to the letter: such a
 * head is not read again. What is said of one depends on nothing but its text.
 */
export class RecentHeads {
  readonly #heads: CachedHead[] = [];
  #oldest = 0;

  /**
   * @param text as of {@link parseHead}
   * @throws BrokenResponse
   */
  read(text: string): ResponseHead {
    for (let index = 0; index < this.#heads.length; index += 1) {
      const recent = this.#heads[index];
      if (recent?.text === text) return recent.head;
    }
    const head = parseHead(text);
    if (text.length <= MAX_LENGTH) this.#keep(text, head);
    return head;
  }

  #keep(text: string, head: ResponseHead): void {
    this.#heads[this.#oldest] = { text, head };
    this.#oldest = (this.#oldest + 1) % MAX_HEADS;
  }
}
