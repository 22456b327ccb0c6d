import { Html, html } from './html.ts';
import { LANDING_STYLE } from './landing-style.ts';
import type { PageTexts } from './texts/page-texts.ts';

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
}

/** The icon, as every page has it: no request is made for it. */
export const ICON: string = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 0v16M8 0v16M13 0v16M0 3h16M0 8h16M0 13h16" stroke="#0b57d0" stroke-width="1.5"/></svg>',
)}`;

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
  { links, issuer }: LandingPage,
  { landing }: PageTexts,
): readonly (readonly [string, string])[] {
  const ofIssuer = issuer === undefined ? [] : [[landing.issuer, issuer] as const];
  return [...Object.entries(links), ...ofIssuer, [landing.health, '/health/ready']];
}
