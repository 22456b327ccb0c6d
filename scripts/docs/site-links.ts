import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { routeOf } from './site-pages.ts';

/** Where a link of a page leads on the site. */
export type SiteLink =
  | { readonly kind: 'page'; readonly address: string }
  /** A file, or a folder, of the repository that is no page: the site has a copy. */
  | { readonly kind: 'source'; readonly file: string; readonly address: string }
  | { readonly kind: 'external' }
  | { readonly kind: 'dead'; readonly reason: string };

/** Folder of the site with copies of the repository's files. */
const SOURCE_FOLDER = 'source';

/** Settings of {@link resolveSiteLink}. */
export interface LinkOptions {
  readonly repository: string;
  /** Files of the repository that are pages of the site. */
  readonly pages: ReadonlySet<string>;
  /** The page with the link. */
  readonly page: string;
}

/**
 * Finds what a link in the Markdown of a page means on the site. Links are written for the repository; an anchor is a heading of
 * its page, as GitHub names it, or the id of an element.
 */
export function resolveSiteLink(target: string, options: LinkOptions): SiteLink {
  if (/^(?:[a-z]+:|\/\/)/i.test(target)) return { kind: 'external' };
  const { repository, pages, page } = options;
  const [path = '', anchor] = decodeURI(target).split('#');
  const file = path === '' ? page : posix.join(posix.dirname(page), path).replace(/\/$/, '');
  if (file.startsWith('..') || !existsSync(join(repository, file)))
    return { kind: 'dead', reason: `there is no file ${file}` };
  const found = pages.has(file) ? file : `${file}/README.md`;
  if (!pages.has(found)) return { kind: 'source', file, address: sourceAddress(file) };
  if (anchor !== undefined && !anchorsOf(readFileSync(join(repository, found), 'utf8')).has(anchor))
    return { kind: 'dead', reason: `${found} has no heading #${anchor}` };
  const address = `/${routeOf(found).replace(/\.md$/, '.html')}`.replace(/\/index\.html$/, '/');
  return { kind: 'page', address: anchor === undefined ? address : `${address}#${anchor}` };
}

/** Pictures are served as they are; everything else as a text, whatever its ending. */
function sourceAddress(file: string): string {
  if (/\.(?:png|svg|webp)$/.test(file)) return `/${file}`;
  return `/${SOURCE_FOLDER}/${file === '.' ? 'repository' : file}.txt`;
}

/** What can stand behind `#` in a link to a page: headings outside of code, ids, and the codes of errors in tables. */
function anchorsOf(text: string): ReadonlySet<string> {
  const prose = text.replaceAll(/^```.*\n[^]*?^```$/gm, '');
  const headings = numberRepeated(
    [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => headingAnchor(heading)),
  );
  const ids = [...prose.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id);
  return new Set([...headings, ...ids, ...rowAnchors(prose)]);
}

/** The second heading of the same words has `-1` behind them, the third `-2`. */
function numberRepeated(anchors: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return anchors.map((anchor) => {
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** The anchor of a heading, as GitHub makes it. */
export function headingAnchor(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Rows of tables that begin with the code of an error have it as their anchor: `errors.html#FORBIDDEN`. The explorer and the pages
 * of the auth-server link to it.
 */
export function rowAnchors(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)`/gm)].flatMap(([, cell = '']) => rowAnchor(cell) ?? []);
}

/** The anchor of a row whose first cell is this code; nothing when it is no code of an error. */
export function rowAnchor(cell: string): string | undefined {
  return /^(?:[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:_[a-z]+)+)$/.test(cell) ? cell : undefined;
}
