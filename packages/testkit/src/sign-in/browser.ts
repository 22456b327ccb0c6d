import { CookieJar } from './cookie-jar.ts';

/** How a {@link Browser} behaves. */
export interface BrowserOptions {
  /** For each response. @default 60_000 */
  readonly timeoutMs?: number;
}

const MOST_REDIRECTS = 10;

/** A browser without JavaScript: it keeps the cookies of one site, and follows nothing by itself. */
export class Browser {
  readonly cookies: CookieJar = new CookieJar();
  readonly #timeoutMs: number;

  constructor({ timeoutMs = 60_000 }: BrowserOptions = {}) {
    this.#timeoutMs = timeoutMs;
  }

  get(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send(url, { headers });
  }

  post(
    url: string | URL,
    form: Readonly<Record<string, string>> | URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.send(url, { method: 'POST', body: new URLSearchParams(form), headers });
  }

  /** Sends any request with the cookies, and stores those of the response. */
  async send(url: string | URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookies.header !== '' && !headers.has('cookie')) headers.set('cookie', this.cookies.header);
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const response = await fetch(url, { ...init, headers, signal, redirect: 'manual' });
    this.cookies.take(response);
    return response;
  }

  /** Follows redirects while they stay at this origin; returns the first response that is none, or leads elsewhere. */
  async follow(response: Response, origin: string): Promise<Response> {
    let current = response;
    for (let hops = 0; hops < MOST_REDIRECTS; hops += 1) {
      const location = current.headers.get('location');
      if (location === null || new URL(location, origin).origin !== origin) return current;
      current = await this.get(new URL(location, origin).href);
    }
    throw new Error('Too many redirects.');
  }
}
