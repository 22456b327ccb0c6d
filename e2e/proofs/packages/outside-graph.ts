/** What programs of the proof have set: little is logged, and operations ports are free ones. */
export const SILENT = { OPERATIONS_PORT: '0', LOG_LEVEL: 'warn' };

const RELOAD_DEADLINE_MS = 20_000;

/** Waits until a query has these data. */
export function expectData(port: number, query: string, expected: object): Promise<void> {
  return expectResponse(port, query, (text) => text === JSON.stringify({ data: expected }));
}

/** Waits until a query has a result: a gateway loads what it serves within moments. */
export async function expectResponse(
  port: number,
  query: string,
  isExpected: (text: string) => boolean,
): Promise<void> {
  const until = performance.now() + RELOAD_DEADLINE_MS;
  for (;;) {
    const response = await fetch(`${urlOf(port)}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: AbortSignal.timeout(RELOAD_DEADLINE_MS),
    });
    const text = await response.text();
    if (isExpected(text)) return;
    if (performance.now() > until) throw new Error(`${query} was answered with ${text}`);
  }
}

/** Of a port of this machine. */
export const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
