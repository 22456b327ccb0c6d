import type { ExecutionResult } from './execution-result.ts';

/** Shorter answers go out in one piece with their headers when they are text. */
const MIN_BODY_CHARACTERS = 4_096;
const BODY_START = '{"data":';

/** An answer without errors, as text. */
export class WrittenResult implements ExecutionResult {
  readonly dataText: string;
  readonly #isAscii: boolean;
  #data: ExecutionResult['data'] | undefined;
  #body: Buffer | undefined;

  /** @param isAscii whether every character is known to be one byte */
  constructor(dataText: string, isAscii: boolean) {
    this.dataText = dataText;
    this.#isAscii = isAscii;
  }

  get data(): ExecutionResult['data'] {
    this.#data ??= JSON.parse(this.dataText) as Readonly<Record<string, unknown>>; // an object: a null would not be here
    return this.#data;
  }

  get body(): Buffer | undefined {
    if (this.dataText.length < MIN_BODY_CHARACTERS) return undefined;
    this.#body ??= Buffer.from(`${BODY_START}${this.dataText}}`, this.#isAscii ? 'latin1' : 'utf8');
    return this.#body;
  }
}
