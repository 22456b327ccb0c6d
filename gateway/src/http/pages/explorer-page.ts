import type { ExplorerSettings } from '@trellis/explorer';
import { html } from './html.ts';
import { ICON } from './landing-page.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** What the explorer's page is made of. */
export interface ExplorerPage {
  readonly settings: ExplorerSettings;
  /** Lets styles in that a script makes. */
  readonly nonce: string;
  /** Addresses. */
  readonly script: string;
  readonly style: string;
}

/** The page that the explorer is drawn into. */
export function renderExplorer({ settings, nonce, script, style }: ExplorerPage, texts: PageTexts): string {
  return html`<!doctype html>
    <html lang="${texts.language}" dir="${texts.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${style}" />
        <script type="module" src="${script}"></script>
        <title>${settings.title}: ${texts.explorer.title}</title>
      </head>
      <body>
        <div id="explorer" data-settings="${JSON.stringify(settings)}" data-nonce="${nonce}">
          <noscript>${texts.explorer.needsScript}</noscript>
        </div>
      </body>
    </html> `.text;
}
