import type { ExecutionResult, SubgraphCaching } from './execution-result.ts';

const START = '{"data":';
/** Shorter texts go out in one piece with their headers. */
const MIN_CHARACTERS_OF_BYTES = 4_096;

/** What is known of a response beside its data. */
export interface AboutResponse {
  /** As in {@link ExecutionResult}. */
  readonly objects: number;
  readonly caching: SubgraphCaching;
}

/**
 * A result without errors, ready to be sent: its data as text, or the whole response as bytes. The tree is
 * parsed at the first reading.
 */
export class ResponseBody implements ExecutionResult {
  readonly body: Buffer | undefined;
  readonly objects: number;
  readonly caching: SubgraphCaching;
  readonly #text: string | undefined;
  #data: ExecutionResult['data'] | undefined;

  private constructor(
    text: string | undefined,
    body: Buffer | undefined,
    { objects, caching }: AboutResponse,
  ) {
    this.#text = text;
    this.body = body;
    this.objects = objects;
    this.caching = caching;
  }

  /** @param body `{"data":{…}}` in UTF-8 */
  static ofBytes(body: Buffer, about: AboutResponse): ResponseBody {
    return new ResponseBody(undefined, body, about);
  }

  /** @param dataText an object as JSON */
  static ofText(dataText: string, about: AboutResponse): ResponseBody {
    return new ResponseBody(dataText, undefined, about);
  }

  /**
   * Of a text that was just written. A long one becomes bytes before anything else happens: it is a chain of all its pieces,
   * which garbage collection would follow as long as anybody holds it.
   *
   * @param isAscii whether every character is known to be one byte
   */
  static ofWritten(dataText: string, isAscii: boolean, about: AboutResponse): ResponseBody {
    if (dataText.length < MIN_CHARACTERS_OF_BYTES) return ResponseBody.ofText(dataText, about);
    return ResponseBody.ofBytes(Buffer.from(`${START}${dataText}}`, isAscii ? 'latin1' : 'utf8'), about);
  }

  get dataText(): string {
    return this.#text ?? this.body?.toString('utf8', START.length, this.body.length - 1) ?? 'null';
  }

  get data(): ExecutionResult['data'] {
    this.#data ??= JSON.parse(this.dataText) as Readonly<Record<string, unknown>>; // an object: a null would not be here
    return this.#data;
  }
}
