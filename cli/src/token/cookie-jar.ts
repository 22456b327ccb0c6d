/** The cookies of one sign-in with one server: names and values; the attributes don't matter for a minute's life. */
export class CookieJar {
  readonly #values = new Map<string, string>();

  /** Takes what an answer sets; an empty value or `Max-Age=0` removes. */
  keep(setCookies: readonly string[]): void {
    for (const setCookie of setCookies) {
      const [pair = '', ...attributes] = setCookie.split(';');
      const name = pair.slice(0, pair.indexOf('=')).trim();
      const value = pair.slice(pair.indexOf('=') + 1).trim();
      const isRemoved = value === '' || attributes.some((attribute) => /^\s*max-age=0\s*$/i.test(attribute));
      if (isRemoved) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  /** The Cookie header of the next request. */
  header(): string {
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
