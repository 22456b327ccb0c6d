import type { GraphQLError } from 'graphql';
import type { WholeBody } from '@trellis/http1';
import type { CachePolicy } from '../caching/cache-policy.ts';
import type { ForwardedHeaders } from './forwarded-headers.ts';

const START = '{"data":';
/** Shorter texts go out in one piece with their headers. */
const MIN_CHARACTERS_OF_BYTES = 4_096;

/** What is known of a response beside its data. */
interface AboutResponse {
  /** As in {@link ExecutionResult}. */
  readonly objects: number;
  readonly caching: SubgraphCaching;
  /** As in {@link ExecutionResult}. */
  readonly headers: ForwardedHeaders | undefined;
}

/**
 * A result without errors, ready to be sent: its data as text, or the whole response as bytes. The tree is
 * parsed at the first reading.
 */
export class ResponseBody implements ExecutionResult {
  readonly body: WholeBody | undefined;
  readonly objects: number;
  readonly caching: SubgraphCaching;
  readonly headers: ForwardedHeaders | undefined;
  readonly #text: string | undefined;
  #data: ExecutionResult['data'] | undefined;

  private constructor(
    text: string | undefined,
    body: WholeBody | undefined,
    { objects, caching, headers }: AboutResponse,
  ) {
    this.#text = text;
    this.body = body;
    this.objects = objects;
    this.caching = caching;
    this.headers = headers;
  }

  /** @param body `{"data":{…}}` in UTF-8, or in ASCII as text */
  static ofWhole(body: WholeBody, about: AboutResponse): ResponseBody {
    return new ResponseBody(undefined, body, about);
  }

  /** @param dataText an object as JSON */
  static ofText(dataText: string, about: AboutResponse): ResponseBody {
    return new ResponseBody(dataText, undefined, about);
  }

  /**
   * Of a text that was just written. A long one becomes bytes before anything else happens: it is a chain of all its pieces,
   * which garbage collection would follow as long as it is referenced.
   *
   * @param isAscii whether every character is known to be one byte
   */
  static ofWritten(dataText: string, isAscii: boolean, about: AboutResponse): ResponseBody {
    if (dataText.length < MIN_CHARACTERS_OF_BYTES) return ResponseBody.ofText(dataText, about);
    return ResponseBody.ofWhole(Buffer.from(`${START}${dataText}}`, isAscii ? 'latin1' : 'utf8'), about);
  }

  get dataText(): string {
    return this.#text ?? this.body?.toString().slice(START.length, -1) ?? 'null';
  }

  get data(): ExecutionResult['data'] {
    this.#data ??= JSON.parse(this.dataText) as Readonly<Record<string, unknown>>; // an object: a null would not be here
    return this.#data;
  }
}

/** What the responses of subgraphs say of how long they may be stored. */
export interface SubgraphCaching {
  /** The strictest of what they say; absent where none says anything. */
  readonly policy: CachePolicy | undefined;
  /** Whether one of them says nothing. */
  readonly hasUndated: boolean;
}

/** The response to an operation. */
export interface ExecutionResult {
  /** The tree by response keys, to be read by own properties. Parsed at the first reading when the response was written at once. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Absent when there are none. Each has `extensions.code`, and a path where a field is concerned. */
  readonly errors?: readonly GraphQLError[] | undefined;
  /**
   * Objects in the data, itself not counted: what the operation turned out to cost. An object that stands in many places and
   * is written once counts in each of them, what is below it once. A cached response has none.
   */
  readonly objects: number;
  /** Errors beyond those that are reported, and of subgraphs inside what became null because of others: for the log alone. */
  readonly unreported?: readonly GraphQLError[] | undefined;
  /** `data` as JSON, when the fast path made it: write this instead of serializing again. */
  readonly dataText?: string | undefined;
  /** The response `{"data":…}`, in UTF-8 or as text in ASCII, when there are no errors and it is large enough to be better sent so. */
  readonly body?: WholeBody | undefined;
  /** How long the responses of subgraphs may be stored, by what they say. */
  readonly caching?: SubgraphCaching | undefined;
  /** Headers of subgraphs for the client who asked: no other client may get this result. */
  readonly headers?: ForwardedHeaders | undefined;
}
