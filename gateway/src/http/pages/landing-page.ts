import { Html, html } from './page.ts';
import type { PageTexts } from './page-texts.ts';

/** What the landing page shows. */
export interface LandingPage {
  readonly title: string;
  /** Of the gateway. */
  readonly version: string;
  /** Where the graph is, as the browser came here. */
  readonly endpoint: string;
  /** Of the supergraph that is served now, shortened. */
  readonly graphHash: string;
  readonly types: number;
  readonly subgraphs: readonly string[];
  /** Whose tokens are accepted first. */
  readonly issuer: string | undefined;
  readonly links: Readonly<Record<string, string>>;
  /** Page that describes codes of errors. */
  readonly errorReference: string | undefined;
}

/** The icon, as every page has it: no request is made for it. */
export const ICON: string = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 0v16M8 0v16M13 0v16M0 3h16M0 8h16M0 13h16" stroke="#0b57d0" stroke-width="1.5"/></svg>',
)}`;

/** The style of the landing page, in the colours of the sign-in pages. */
export const LANDING_STYLE: Html = new Html(`
:root {
  color-scheme: light dark;
  --text: #1b1f24;
  --page: #f5f6f8;
  --card: #fff;
  --muted: #5f6773;
  --accent: #0b57d0;
  --on-accent: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6e9ee;
    --page: #14171b;
    --card: #1f2329;
    --muted: #aab3c0;
    --accent: #a8c7fa;
    --on-accent: #062e6f;
  }
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  min-height: 100vh;
  display: grid;
  place-items: center;
  padding: 1rem;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%;
  max-width: 44rem;
  padding: clamp(1rem, 5vw, 2.5rem);
  background: var(--card);
  border-radius: 0.75rem;
  overflow-wrap: anywhere;
}
h1 {
  margin: 0;
  font-size: 2rem;
}
h2 {
  margin: 2rem 0 0.5rem;
  font-size: 1.125rem;
}
a {
  color: var(--accent);
}
.action {
  display: inline-block;
  padding: 0.6rem 1.25rem;
  color: var(--on-accent);
  background: var(--accent);
  border-radius: 0.375rem;
  text-decoration: none;
}
pre {
  margin: 0;
  padding: 1rem;
  background: var(--page);
  border-radius: 0.375rem;
  white-space: pre-wrap;
}
.detail,
dt {
  color: var(--muted);
  font-size: 0.875rem;
}
dl {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr));
  gap: 1rem;
  margin: 2rem 0 0;
}
dd {
  margin: 0;
}
/* Code is read from the left in every language. */
pre,
code {
  direction: ltr;
  unicode-bidi: isolate;
}
ul {
  margin: 0;
  padding-inline-start: 1.25rem;
}
:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}
`);

/** To the letter: its digest stands in the policy. */
const STYLE = new Html(`<style>${LANDING_STYLE.text}</style>`);

/** The page at `/`: what is served here, and how to begin. */
export function renderLanding(page: LandingPage, texts: PageTexts): string {
  const { landing } = texts;
  const { title, endpoint, issuer } = page;
  return html`<!doctype html>
    <html lang="${texts.language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="${ICON}" />
        <title>${title}</title>
        ${STYLE}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p>${landing.intro}</p>
          <p><a class="action" href="/explorer">${landing.explore}</a></p>
          <h2>${landing.tryIt}</h2>
          <pre tabindex="0"><code>${commandOf(endpoint)}</code></pre>
          ${issuer === undefined ? undefined : html`<p class="detail">${landing.token}</p>`}
          <dl>
            ${factsOf(page, texts).map(
              ([name, fact]) =>
                html`<div>
                  <dt>${name}</dt>
                  <dd>${fact}</dd>
                </div>`,
            )}
          </dl>
          <h2>${landing.links}</h2>
          <ul>
            ${linksOf(page, texts).map(([name, address]) => html`<li><a href="${address}">${name}</a></li>`)}
          </ul>
        </main>
      </body>
    </html> `.text;
}

/** The page for browsers at an address where nothing is. */
export function renderMissing({ language, direction, missing, landing }: PageTexts): string {
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${ICON}" />
        <title>${missing.title}</title>
        ${STYLE}
      </head>
      <body>
        <main>
          <h1>${missing.title}</h1>
          <p>${missing.text}</p>
          <ul>
            <li><a href="/">${missing.home}</a></li>
            <li><a href="/explorer">${landing.explore}</a></li>
          </ul>
        </main>
      </body>
    </html> `.text;
}

/** Runs as it is in any POSIX shell: an address has no quote. */
function commandOf(endpoint: string): string {
  return `curl ${endpoint} -H 'content-type: application/json' \\\n  -d '{"query":"{ __schema { queryType { fields { name } } } }"}'`;
}

function factsOf(
  { version, endpoint, graphHash, types, subgraphs }: LandingPage,
  { landing }: PageTexts,
): readonly (readonly [string, string | Html])[] {
  return [
    [landing.endpoint, html`<code>${endpoint}</code>`],
    [landing.version, version],
    [landing.graph, html`<code>${graphHash}</code>, ${landing.types(types)}`],
    [landing.subgraphs, subgraphs.join(', ')],
  ];
}

function linksOf(
  { links, issuer, errorReference }: LandingPage,
  { landing }: PageTexts,
): readonly (readonly [string, string])[] {
  const ofIssuer = issuer === undefined ? [] : [[landing.issuer, issuer] as const];
  const ofErrors = errorReference === undefined ? [] : [[landing.errors, errorReference] as const];
  return [...Object.entries(links), ...ofIssuer, ...ofErrors, [landing.health, '/health/ready']];
}
