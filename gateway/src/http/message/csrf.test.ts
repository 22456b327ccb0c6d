import { describe, expect, it } from 'vitest';
import { preventCsrf } from './cross-origin.ts';

type Headers = Readonly<Record<string, string>>;

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
/** What goes with an operation that is asked for by GET. */
const OPERATION: Headers = {
  host: 'api.example',
  accept: 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed',
};
const TOKEN: Headers = { authorization: 'Bearer a.b.c' };
const from = (origin: string): Headers => ({ origin });
const fetchedBy = (mode: string, site: string): Headers => ({
  'user-agent': CHROME,
  'sec-fetch-mode': mode,
  'sec-fetch-site': site,
});

function isLetIn(headers: Headers): boolean {
  try {
    preventCsrf({ ...OPERATION, ...headers }, false, (origin) => origin === 'https://app.example');
    return true;
  } catch {
    return false;
  }
}

/** Each sender of a GET, with what it sends alone, with a token, and with a header that has to be asked for. */
const CELLS: readonly (readonly [
  sender: string,
  headers: Headers,
  alone: boolean,
  token: boolean,
  marked: boolean,
])[] = [
  // no browser: a page can make none of them send anything
  [
    'urql in Node: its fetch names a mode, and no site',
    { 'user-agent': 'node', 'sec-fetch-mode': 'cors' },
    true,
    true,
    true,
  ],
  ['curl', { 'user-agent': 'curl/8.0.1' }, true, true, true],
  ['a program that does not say its name', {}, true, true, true],
  // a browser, which says from where
  ["a page of the gateway's own origin", fetchedBy('cors', 'same-origin'), true, true, true],
  ['the address bar, a bookmark', fetchedBy('navigate', 'none'), true, true, true],
  [
    'a page that http.cors allows',
    { ...fetchedBy('cors', 'cross-site'), ...from('https://app.example') },
    true,
    true,
    true,
  ],
  [
    'a page of another origin, by CORS',
    { ...fetchedBy('cors', 'cross-site'), ...from('https://evil.example') },
    false,
    true,
    true,
  ],
  [
    'a page of a sibling domain, by CORS',
    { ...fetchedBy('cors', 'same-site'), ...from('https://x.example') },
    false,
    true,
    true,
  ],
  ['a frame without an origin', { ...fetchedBy('cors', 'cross-site'), ...from('null') }, false, true, true],
  // there a page cannot set headers: a proxy added them, such as one that makes a token of a cookie
  ['an image, a script, a silent fetch', fetchedBy('no-cors', 'cross-site'), false, false, false],
  ['the same of a sibling domain', fetchedBy('no-cors', 'same-site'), false, false, false],
  ['a link of another page', fetchedBy('navigate', 'cross-site'), false, false, false],
  // a browser at a plain http address of another machine, or of before 2023: it says its name, and an origin by CORS alone
  ['an old browser, by CORS', { 'user-agent': CHROME, ...from('https://evil.example') }, false, true, true],
  [
    'an old browser, from a page that http.cors allows',
    { 'user-agent': CHROME, ...from('https://app.example') },
    true,
    true,
    true,
  ],
  [
    "an old browser, from a page of the gateway's own origin",
    { 'user-agent': CHROME, ...from('http://api.example') },
    true,
    true,
    true,
  ],
  ['an old browser, silently', { 'user-agent': CHROME }, false, true, true],
];

describe('S-050 A GET that a page could have made a browser send without asking', () => {
  it.each(CELLS)('A3: %s', (_sender, headers, alone, token, marked) => {
    const verdicts = [{}, TOKEN, { 'apollo-require-preflight': '1' }].map((more) =>
      isLetIn({ ...headers, ...more }),
    );
    expect(verdicts).toEqual([alone, token, marked]);
  });

  it.each(['Basic dTpw', 'Negotiate YII', 'Digest username="u"', 'Bearer', '', 'NTLM x'])(
    'is rejected with credentials that browsers add by themselves: %j',
    (authorization) => {
      expect(isLetIn({ 'user-agent': CHROME, authorization })).toBe(false);
    },
  );

  it('may carry a token that is bound to a key', () => {
    expect(isLetIn({ 'user-agent': CHROME, authorization: 'DPoP a.b.c' })).toBe(true);
  });
});
