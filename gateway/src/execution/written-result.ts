import type { ExecutionResult, SubgraphCaching } from '../plan/execution-result.ts';
import { WholeBodyResult, wholeBodyOf } from './whole-body-result.ts';

/** Shorter answers go out in one piece with their headers when they are text. */
const MIN_BODY_CHARACTERS = 4_096;

/**
 * The result of an answer that was written at once. A long text becomes bytes before anything else happens: it is a chain of
 * all its pieces, which garbage collection would follow as long as anybody holds it.
 *
 * @param isAscii whether every character is known to be one byte
 */
export function writtenResult(
  { dataText, objects }: WrittenAnswer,
  isAscii: boolean,
  caching: SubgraphCaching,
): ExecutionResult {
  return dataText.length < MIN_BODY_CHARACTERS
    ? new WrittenResult(dataText, objects, caching)
    : new WholeBodyResult(wholeBodyOf(dataText, isAscii), objects, caching);
}

/** What a writer made. */
interface WrittenAnswer {
  readonly dataText: string;
  /** As in {@link ExecutionResult}. */
  readonly objects: number;
}

class WrittenResult implements ExecutionResult {
  readonly dataText: string;
  readonly objects: number;
  readonly caching: SubgraphCaching;
  #data: ExecutionResult['data'] | undefined;

  constructor(dataText: string, objects: number, caching: SubgraphCaching) {
    this.dataText = dataText;
    this.objects = objects;
    this.caching = caching;
  }

  get data(): ExecutionResult['data'] {
    this.#data ??= JSON.parse(this.dataText) as Readonly<Record<string, unknown>>; // an object: a null would not be here
    return this.#data;
  }
}
