import { parse, type HTMLElement } from 'node-html-parser';
import { Browser } from './browser.ts';
import type { CookieJar } from './cookie-jar.ts';
import { readForm } from './html-form.ts';

/** A page that the browser shows. */
export interface Page {
  readonly kind: 'page';
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly document: HTMLElement;
  /** Its body is unread. */
  readonly response: Response;
}

/** The browser was redirected from the site that it began with. */
export interface Departure {
  readonly kind: 'departure';
  readonly url: URL;
  /** Status of the response that redirected it. */
  readonly status: number;
  /** That response; its body is unread. */
  readonly response: Response;
}

/** What a browser shows in the end. */
export type Shown = Page | Departure;

/** How a form is filled in. */
export interface FormInput {
  /** Values of fields, by name. Hidden fields keep what they hold. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Matches the text of the button that is pressed. @default the first button */
  readonly button?: RegExp;
}

const MOST_REDIRECTS = 10;

/** A browser without JavaScript: it keeps cookies, follows redirects within one site, and sends forms. */
export class FormBrowser {
  readonly #browser: Browser;

  /** @param browser whose cookies it takes, and adds to. @default a new one */
  constructor(browser: Browser = new Browser()) {
    this.#browser = browser;
  }

  /** Its cookies. */
  get jar(): CookieJar {
    return this.#browser.cookies;
  }

  /** Opens an address as a click on a link elsewhere does. */
  open(url: string | URL): Promise<Shown> {
    return this.#follow(new URL(url), { headers: { 'sec-fetch-site': 'cross-site' } });
  }

  /** Fills in the only form of a page and sends it. */
  submit(page: Page, input: FormInput = {}): Promise<Shown> {
    const { action, fields, visible, pressed } = readForm(page.html, page.url, {
      button: input.button ?? /./,
    });
    return this.send(
      new URL(action),
      { ...visible, ...fields, ...pressed, ...input.fields },
      page.url.origin,
    );
  }

  /** Sends a form's content as a page of the given origin would. */
  send(action: URL, fields: Readonly<Record<string, string>>, origin: string): Promise<Shown> {
    return this.#follow(action, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin, 'sec-fetch-site': origin === action.origin ? 'same-origin' : 'cross-site' },
    });
  }

  /** Goes on from a response that its {@link Browser} has. @param origin of the site */
  async show(response: Response, origin: string): Promise<Shown> {
    const location = response.headers.get('location');
    if (location === null) return readPage(new URL(response.url), response);
    const url = new URL(location, origin);
    if (url.origin !== origin) return { kind: 'departure', url, status: response.status, response };
    return this.#follow(url, REDIRECTED);
  }

  async #follow(start: URL, request: RequestInit): Promise<Shown> {
    let url = start;
    let next = request;
    for (let hop = 0; hop < MOST_REDIRECTS; hop += 1) {
      const response = await this.#browser.send(url, { ...next, headers: headersOf(next) });
      const location = response.headers.get('location');
      if (location === null) return readPage(url, response);
      url = new URL(location, url);
      if (url.origin !== start.origin) return { kind: 'departure', url, status: response.status, response };
      await response.body?.cancel();
      next = afterRedirect(next, response.status);
    }
    throw new Error(`More than ${MOST_REDIRECTS} redirects, beginning at ${start.href}.`);
  }
}

/** The request that a redirect leads to. */
const REDIRECTED: RequestInit = { headers: { 'sec-fetch-site': 'same-origin' } };

function headersOf({ headers }: RequestInit): Headers {
  const all = new Headers({ accept: 'text/html', 'accept-language': 'en' });
  new Headers(headers).forEach((value, name) => all.set(name, value));
  return all;
}

/** Only 307 and 308 send the body on, which is why a server must not answer them to a form with a password. */
function afterRedirect(request: RequestInit, status: number): RequestInit {
  return status === 307 || status === 308 ? request : REDIRECTED;
}

async function readPage(url: URL, response: Response): Promise<Page> {
  const html = await response.clone().text();
  return {
    kind: 'page',
    url,
    status: response.status,
    headers: response.headers,
    html,
    document: parse(html),
    response,
  };
}
