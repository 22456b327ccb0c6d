import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExampleOperation, ExplorerSettings } from '@trellis/explorer';
import { readAuthorizationRules } from '../../operation/access/authorization-rules.ts';
import type { Supergraph } from '../../supergraph/supergraph.ts';
import { ICON } from './landing-page.ts';
import { html } from './page.ts';
import type { PageTexts } from './page-texts.ts';

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

/** Of a user, and of a session that renews itself. OpenID Connect Core §5.4, §11 */
const SCOPES_OF_SESSION = ['openid', 'profile', 'offline_access'];
const MAX_SCOPES = 100;

/** The scopes that open all of a schema. */
export function explorerScopes({ supergraphSchema }: Supergraph): readonly string[] {
  const { fields, types } = readAuthorizationRules(supergraphSchema);
  const required = [...fields.values(), ...types.values()].flatMap(({ scopes }) => scopes.flat(2));
  return [...new Set([...SCOPES_OF_SESSION, ...required.toSorted()])].slice(0, MAX_SCOPES);
}

const MAX_EXAMPLES = 50;
const MAX_CHARACTERS = 20_000;

interface Log {
  readonly warn: (fields: object, message: string) => void;
}

/** Reads the operations of a folder. A folder that can't be read has none, and is logged. */
export async function readExamples(folder: string, log: Log): Promise<readonly ExampleOperation[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).toSorted();
    const read = names.slice(0, MAX_EXAMPLES).map(async (name) => {
      const query = (await readFile(join(folder, name), 'utf8')).slice(0, MAX_CHARACTERS);
      return { title: titleOf(query) ?? name, query };
    });
    return await Promise.all(read);
  } catch (error) {
    log.warn({ err: error, setting: 'pages.examples' }, 'examples of the explorer cannot be read');
    return [];
  }
}

function titleOf(query: string): string | undefined {
  return /^#\s*(\S.*)/.exec(query)?.[1];
}
