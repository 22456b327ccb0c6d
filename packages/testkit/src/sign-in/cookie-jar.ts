/** A cookie as the server set it. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** Lower-cased: `httponly`, `samesite=lax`, `path=/`, … */
  readonly attributes: readonly string[];
}

/** The cookies of one browser and one site. Paths and expiry by date are not looked at. */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  /** All that is stored, in the order of their names' first appearance. */
  get cookies(): readonly Cookie[] {
    return [...this.#cookies.values()];
  }

  /** The value of a `Cookie` header; '' when there is nothing to send. */
  get header(): string {
    return this.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** The value of a cookie. */
  get(name: string): string | undefined {
    return this.#cookies.get(name)?.value;
  }

  /** Puts a cookie in, as if the server had set it. */
  set(name: string, value: string): void {
    this.#cookies.set(name, { name, value, attributes: [] });
  }

  /** Stores what a response sets, and removes what it takes back. */
  take(response: Response): void {
    for (const line of response.headers.getSetCookie()) this.#store(parseCookie(line));
  }

  #store(cookie: Cookie): void {
    if (cookie.attributes.includes('max-age=0') || cookie.value === '') this.#cookies.delete(cookie.name);
    else this.#cookies.set(cookie.name, cookie);
  }
}

function parseCookie(line: string): Cookie {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const separator = pair.indexOf('=');
  return {
    name: pair.slice(0, separator),
    value: pair.slice(separator + 1),
    attributes: attributes.map((attribute) => attribute.toLowerCase()),
  };
}
