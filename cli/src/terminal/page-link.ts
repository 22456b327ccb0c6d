import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@trellis/runtime';

/** In a checkout pages stand beside cli/; a published package has a copy of its own. */
const own = new URL('../../', import.meta.url);
const isCheckout = existsSync(new URL('../pnpm-workspace.yaml', own));
const folder = fileURLToPath(new URL(isCheckout ? '../docs/' : 'docs/', own));

/** A page of docs/ with what may stand behind its `#`. */
export interface PageReference {
  /** `composition.md`. */
  readonly page: string;
  /** A heading, or the code of an error. */
  readonly anchor?: string;
}

/**
 * Where a page of the documentation can be read: on the site that TRELLIS_DOCS_URL names, else in the folder of this installation,
 * seen from the current directory. A value that is no http or https URL counts as none.
 *
 * @example node_modules/trellis/docs/composition.md
 */
export function pageLink({ page, anchor }: PageReference, environment: Environment = process.env): string {
  const end = anchor === undefined ? '' : `#${anchor}`;
  const site = siteOf(environment['TRELLIS_DOCS_URL']);
  if (site) return new URL(`${page.replace(/\.md$/, '.html')}${end}`, site).href;
  const file = join(folder, page);
  const path = relative(process.cwd(), file);
  return `${path.startsWith('..') || isAbsolute(path) ? file : path}${end}`;
}

function siteOf(text: string | undefined): URL | undefined {
  if (!text || !/^https?:/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text.endsWith('/') ? text : `${text}/`);
}
