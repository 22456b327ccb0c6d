import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import type { SitePage } from '../scripts/docs/site-pages.ts';
import { resolveSiteLink, rowAnchor, type SiteLink } from '../scripts/docs/site-links.ts';

/** Settings of {@link linkPages}. */
export interface LinkPagesOptions {
  readonly repository: string;
  readonly pages: readonly SitePage[];
  /** Has the pages, by their routes. */
  readonly pagesFolder: string;
  /** Gets copies of the files that pages link to. */
  readonly publicFolder: string;
  /** Gets a sentence for each link that leads nowhere. */
  readonly deadLinks: string[];
}

interface Environment {
  readonly path?: string;
  readonly realPath?: string;
}

/** Leads the links of pages to where the site has what they mean, and gives rows of errors their anchors. */
export function linkPages(markdown: MarkdownRenderer, options: LinkPagesOptions): void {
  const { pages, pagesFolder } = options;
  const fileOf = new Map(pages.map(({ route, file }) => [route, file]));
  const known = { ...options, pages: new Set(fileOf.values()) };
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const { path, realPath } = env as Environment;
    const page = fileOf.get(relative(pagesFolder, realPath ?? path ?? ''));
    if (page === undefined) return; // a part that VitePress renders by itself
    for (const token of tokens.flatMap((each) => [each, ...(each.children ?? [])])) {
      const name = token.type === 'image' ? 'src' : 'href';
      const target = token.attrGet(name);
      if (target) token.attrSet(name, follow(target, page, known));
      if (token.type.startsWith('html_'))
        token.content = token.content.replaceAll(
          /\b(src|srcset|href)="([^"]+)"/g,
          (_all, attribute: string, value: string) => `${attribute}="${follow(value, page, known)}"`,
        );
    }
  });
  markdown.core.ruler.push('aligned-cells', ({ tokens }) => {
    for (const token of tokens) {
      const [, side] = /^text-align:(\w+)/.exec(token.attrGet('style') ?? '') ?? [];
      if (side === undefined) continue;
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style'); // the policy allows none
      token.attrJoin('class', `align-${side}`);
    }
  });
  markdown.core.ruler.push('row-anchors', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'tr_open' || tokens[index + 1]?.type !== 'td_open') continue;
      const [first] = tokens[index + 2]?.children ?? [];
      const anchor = first?.type === 'code_inline' ? rowAnchor(first.content) : undefined;
      if (anchor !== undefined) token.attrSet('id', anchor);
    }
  });
}

type KnownPages = Omit<LinkPagesOptions, 'pages'> & { readonly pages: ReadonlySet<string> };

function follow(target: string, page: string, options: KnownPages): string {
  const link = resolveSiteLink(target, { ...options, page });
  switch (link.kind) {
    case 'dead':
      options.deadLinks.push(`${page}: ${target}: ${link.reason}`);
      return target;
    case 'source':
      copySource(link, options);
      return link.address;
    case 'page':
      return target.startsWith('#') ? target : link.address; // the search finds headings by these
    case 'external':
      return target;
    default:
      return link satisfies never;
  }
}

function copySource(
  { file, address }: SiteLink & { kind: 'source' },
  { repository, publicFolder }: KnownPages,
): void {
  const from = join(repository, file);
  const to = join(publicFolder, address);
  mkdirSync(dirname(to), { recursive: true });
  if (statSync(from).isDirectory())
    writeFileSync(
      to,
      `${file}/\n${readdirSync(from)
        .map((name) => `  ${name}\n`)
        .join('')}`,
    );
  else copyFileSync(from, to);
}
