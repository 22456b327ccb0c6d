/** What a stream began with. */
export interface FirstEvent {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

const DEADLINE_MS = 30_000;

/**
 * Subscribes over server-sent events for several users, one after the other, until each has an event: those of before stay.
 *
 * @param tokens of each user; undefined for one without
 * @returns the first event of each; an error where the stream ends without one
 */
export async function subscribeAll(
  url: string,
  body: object,
  tokens: readonly (string | undefined)[],
): Promise<readonly FirstEvent[]> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(DEADLINE_MS)]);
  try {
    const events: FirstEvent[] = [];
    for (const token of tokens) events.push(await firstEvent(url, body, token, signal));
    return events;
  } finally {
    leaving.abort();
  }
}

async function firstEvent(
  url: string,
  body: object,
  token: string | undefined,
  signal: AbortSignal,
): Promise<FirstEvent> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return (await response.json()) as FirstEvent; // rejected before it began
  const reader = response.body?.getReader(); // a loop over the body would end the stream with the first event
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    text += Buffer.from((value ?? new Uint8Array()) as Uint8Array).toString('utf8'); // of bytes, and all of it ASCII
    const [, data] = /^event: next\ndata: (.+)\n/m.exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data) as FirstEvent; // of the gateway
    if (done) break;
  }
  return { errors: [{ message: 'The stream ended without an event.' }] };
}
