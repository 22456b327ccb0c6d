import type { ExecutionResult, SubgraphCaching } from '../plan/execution-result.ts';

const BODY_START = '{"data":';

/** An answer without errors, as the bytes of its response: neither a tree nor a text of it is kept. */
export class WholeBodyResult implements ExecutionResult {
  readonly body: Buffer;
  readonly objects: number;
  readonly caching: SubgraphCaching;
  #data: ExecutionResult['data'] | undefined;

  /** @param body `{"data":{…}}` in UTF-8 */
  constructor(body: Buffer, objects: number, caching: SubgraphCaching) {
    this.body = body;
    this.objects = objects;
    this.caching = caching;
  }

  get data(): ExecutionResult['data'] {
    this.#data ??= JSON.parse(this.dataText) as Readonly<Record<string, unknown>>; // an object: a null would not be here
    return this.#data;
  }

  get dataText(): string {
    return this.body.toString('utf8', BODY_START.length, this.body.length - 1);
  }
}

/** @param isAscii whether every character is known to be one byte */
export function wholeBodyOf(dataText: string, isAscii: boolean): Buffer {
  return Buffer.from(`${BODY_START}${dataText}}`, isAscii ? 'latin1' : 'utf8');
}
