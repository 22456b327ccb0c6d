/** A `multipart/mixed` response, read part by part as it arrives. */
export interface MultipartReader {
  readonly status: number;
  readonly headers: Headers;
  /** The next part as JSON; nothing after the last. @throws when the bytes are not exactly those of RFC 2046 */
  next(): Promise<unknown>;
  /** All parts that are still to come. */
  rest(): Promise<readonly unknown[]>;
}

const PART_HEAD = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';

/** Reads a response with the boundary that its header names, and none of a client library's leniency. */
export function readMultipart(response: Response): MultipartReader {
  const boundary = /boundary="([^"]+)"/.exec(response.headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined || !response.body) throw new Error('The response has no parts.');
  const delimiter = `\r\n--${boundary}`;
  const bytes = response.body.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  let begun = false;

  const until = async (mark: string): Promise<string> => {
    for (;;) {
      const index = buffer.indexOf(mark);
      if (index >= 0) {
        const text = buffer.slice(0, index);
        buffer = buffer.slice(index + mark.length);
        return text;
      }
      const { value, done } = await bytes.read();
      if (done) throw new Error(`The body ended without "${mark}": ${JSON.stringify(buffer)}`);
      buffer += decoder.decode(value, { stream: true });
    }
  };
  const expect = async (mark: string): Promise<void> => {
    const before = await until(mark);
    if (before !== '') throw new Error(`Unexpected before "${mark}": ${JSON.stringify(before)}`);
  };

  const next = async (): Promise<unknown> => {
    if (!begun) await expect(delimiter);
    begun = true;
    while (buffer.length < 2) await pull();
    if (buffer.startsWith('--')) return end();
    await expect(PART_HEAD);
    return JSON.parse(await until(delimiter));
  };
  const pull = async (): Promise<void> => {
    const { value, done } = await bytes.read();
    if (done) throw new Error('The body ended after a delimiter.');
    buffer += decoder.decode(value, { stream: true });
  };
  const end = async (): Promise<undefined> => {
    await expect('--\r\n');
    const { done } = await bytes.read();
    if (!done || buffer !== '') throw new Error('The body goes on after its end.');
    return undefined;
  };

  return {
    status: response.status,
    headers: response.headers,
    next,
    async rest() {
      const parts: unknown[] = [];
      for (let part = await next(); part !== undefined; part = await next()) parts.push(part);
      return parts;
    },
  };
}
