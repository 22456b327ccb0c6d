import { expect } from 'vitest';

/** A browser without JavaScript: keeps cookies, follows nothing by itself, fills in forms. */
export class Browser {
  readonly cookies: Map<string, string> = new Map<string, string>();

  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(url, { headers });
  }

  async post(
    url: string,
    form: Record<string, string> | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.#send(url, { method: 'POST', body: new URLSearchParams(form), headers });
  }

  /** Follows redirects while they stay at this origin; returns the first answer that is none, or leads elsewhere. */
  async follow(response: Response, origin: string): Promise<Response> {
    let current = response;
    for (let hops = 0; hops < 10; hops += 1) {
      const location = current.headers.get('location');
      if (location === null || new URL(location, origin).origin !== origin) return current;
      current = await this.get(new URL(location, origin).href);
    }
    throw new Error('Too many redirects.');
  }

  async #send(
    url: string,
    init: { method?: string; body?: URLSearchParams; headers: Record<string, string> },
  ): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie !== '' && { cookie }), ...init.headers };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    const value = pair.slice(equals + 1);
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The form of a page, as a browser would read it. */
export interface PageForm {
  readonly action: string;
  readonly fields: Record<string, string>;
}

/** Reads the only form of a page: where it goes, and its hidden fields. */
export function readForm(html: string, pageUrl: string): PageForm {
  const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1];
  expect(action, 'the page has a form').toBeDefined();
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const fields = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, unescape(value)]));
  return { action: new URL(unescape(action ?? ''), pageUrl).href, fields };
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
