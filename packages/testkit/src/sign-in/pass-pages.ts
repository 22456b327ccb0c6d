import type { FormBrowser, Shown } from './form-browser.ts';

/** Who signs in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The pages of a sign-in come in circles. */
export class TooManyPages extends Error {
  override readonly name = 'TooManyPages';
}

/** Sign-in, consent, and a few more; circles end here. */
const MOST_PAGES = 6;

/**
 * Goes through the pages of a sign-in as a user does: signs in where the auth-server asks for it, and allows what the client asks
 * for.
 *
 * @param shown what the browser shows at first
 * @returns where the browser leaves the site, or the page that is neither: an error, the sign-in page again because it rejected
 * @throws TooManyPages when they come in circles
 */
export async function passPages(
  browser: FormBrowser,
  shown: Shown,
  credentials: Credentials,
): Promise<Shown> {
  let current = shown;
  let isSignedIn = false;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const step = stepOf(current);
    if (current.kind === 'departure' || !step || (step === 'login' && isSignedIn)) return current;
    isSignedIn ||= step === 'login';
    current = await browser.submit(current, { fields: step === 'login' ? { ...credentials } : ALLOWED });
  }
  throw new TooManyPages(`More than ${MOST_PAGES} pages; the last one is ${current.url.href}.`);
}

/** What the first button of the consent page adds, in whatever language it is written. */
const ALLOWED = { decision: 'allow' } as const;

/** Which page of a sign-in is shown, by where its form is sent. */
function stepOf(shown: Shown): 'login' | 'consent' | undefined {
  if (shown.kind === 'departure') return undefined;
  const actions = shown.document
    .querySelectorAll('form')
    .map((form) => new URL(form.getAttribute('action') ?? '', shown.url))
    .filter(({ origin }) => origin === shown.url.origin)
    .map(({ pathname }) => pathname);
  if (actions.some((path) => path.endsWith('/login'))) return 'login';
  return actions.some((path) => path.endsWith('/consent')) ? 'consent' : undefined;
}
