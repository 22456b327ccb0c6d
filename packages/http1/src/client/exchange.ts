/** One POST, as it goes to the socket. */
export interface ExchangeRequest {
  /** With its query, percent-encoded. */
  readonly path: string;
  /** Names in lower case. Those that every request has, of the message and of the connection are passed over. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until the deadline, as sent to the server. */
  readonly timeoutMs: number;
  readonly body: string;
}

/** One field of a head. */
export interface HeadField {
  /** In lower case. */
  readonly name: string;
  /** Without the space around it. It ends no line. */
  readonly value: string;
}

/** The fields of a response's head, which are read where someone wants them. */
export interface HeadFields {
  /** Those of these names, in the order in which they came; of a name that came twice both. @param names in lower case */
  pick(names: Pick<ReadonlySet<string>, 'has'>): readonly HeadField[];
}

/** The beginning of a response. */
export interface ResponseStart {
  readonly status: number;
  /** As announced; `undefined` where it is not. */
  readonly length: number | undefined;
  /** In lower case; `undefined` where the body is as it is. */
  readonly encoding: string | undefined;
  /** As the server sent it. */
  readonly cacheControl: string | undefined;
  /** All that came with it. */
  readonly fields: HeadFields;
}

/** Called with the outcome of an exchange: `started` first, then in order, `ended` or `failed` last. */
export interface ExchangeHandler {
  /**
   * The exchange goes to a socket now.
   *
   * @param abort ends it: the socket is closed, and the handler is called no more
   * @returns whether it is still wanted
   */
  started(abort: (reason: Error) => void): boolean;
  responded(start: ResponseStart): void;
  /** @param bytes valid during the call only */
  received(bytes: Buffer): void;
  ended(): void;
  failed(error: Error): void;
}

/** What was to be sent is not a valid request: nothing has been sent, and the server is not at fault. */
export class MalformedRequest extends Error {
  override name = 'MalformedRequest';
}

/** Why an exchange failed though there was a connection. */
export class BrokenResponse extends Error {
  override name = 'BrokenResponse';
}
