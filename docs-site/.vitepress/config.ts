import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { readApiSections } from '../api-sections.ts';
import { codeTheme, withClasses } from '../code-theme.ts';
import { copyPages } from '../copy-pages.ts';
import { drawDiagrams } from '../draw-diagrams.ts';
import { linkPages } from '../link-pages.ts';
import { siteSections, type SiteSection } from '../../scripts/docs/site-pages.ts';
import { headingAnchor } from '../../scripts/docs/site-links.ts';

const siteFolder = fileURLToPath(new URL('..', import.meta.url));
const repository = fileURLToPath(new URL('../..', import.meta.url));
/** Copies of sources and diagrams, made while pages are rendered. */
const publicFolder = fileURLToPath(new URL('public', import.meta.url));
rmSync(publicFolder, { recursive: true, force: true });

const sections = siteSections(repository);
const api = readApiSections(repository);
const pages = [...sections, ...api].flatMap((section) => section.pages);
const deadLinks: string[] = [];
/** Sections that are too long to stand beside the others: each has a navigation of its own. */
const MAX_PAGES = 18;
const folders = sections.filter((section) => section.pages.length > MAX_PAGES);
const BACK = { text: 'All pages', link: '/' };
const entrances = {
  text: 'References',
  items: folders.map(({ title, pages: [first] }) => ({ text: title, link: linkTo(first?.route ?? '') })),
};
/** Copies of pages, where they find the packages of this project. */
const pagesFolder = fileURLToPath(new URL('../pages', import.meta.url));
const copied = copyPages(pages, { repository, pagesFolder });

/** As on the pages of the gateway; no request is made for it. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 0v16M8 0v16M13 0v16M0 3h16M0 8h16M0 13h16" stroke="#0b57d0" stroke-width="1.5"/></svg>',
)}`;

export default defineConfig({
  title: 'Trellis',
  description: 'An open GraphQL federation platform in TypeScript.',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  ignoreDeadLinks: 'localhostLinks', // all others are found, by ourselves and once more here
  metaChunk: true,
  appearance: { disableTransition: false }, // it would put a style into the page
  head: [['link', { rel: 'icon', href: ICON }]],
  vite: {
    publicDir: publicFolder,
    plugins: [copied.plugin],
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4_000 },
  },
  // Pages with wide tables have the room of the outline, too.
  transformPageData: ({ filePath }) => {
    const hasWideTable = /^\|.{250}/m.test(readFileSync(join(pagesFolder, filePath), 'utf8'));
    return hasWideTable ? { frontmatter: { aside: false } } : {};
  },
  markdown: {
    theme: codeTheme,
    attrs: { disable: true },
    anchor: { slugify: headingAnchor },
    codeTransformers: [withClasses],
    config: (markdown) => {
      markdown.disable('emoji', true);
      markdown.use(linkPages, { repository, pagesFolder, pages, publicFolder, deadLinks });
      markdown.use(drawDiagrams, { publicFolder });
    },
  },
  buildEnd: () => {
    if (deadLinks.length > 0) throw new Error(`Dead links:\n${[...new Set(deadLinks)].join('\n')}`);
    requireSearch();
  },
  themeConfig: {
    nav: [
      { text: 'Why Trellis', link: '/why-trellis' },
      { text: 'Tutorial', link: '/tutorial/' },
      { text: 'Errors', link: '/errors' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: {
      '/api/': api.map(navigation),
      ...Object.fromEntries(
        folders.map((section) => [`/${folderOf(section)}/`, [BACK, navigation(section)]]),
      ),
      '/': [...sections.filter((section) => !folders.includes(section)).map(navigation), entrances],
    },
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: false } },
    externalLinkIcon: true,
  },
});

const MIN_BYTES_OF_PAGE = 500;

/** @throws Error when the search would find nothing: its index is made of headings as VitePress writes them */
function requireSearch(): void {
  const chunks = join(siteFolder, 'dist/assets/chunks');
  const index = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'));
  const bytes = index === undefined ? 0 : statSync(join(chunks, index)).size;
  if (bytes < pages.length * MIN_BYTES_OF_PAGE) throw new Error(`The search index has ${bytes} bytes only.`);
}

function navigation(section: SiteSection): DefaultTheme.SidebarItem {
  return {
    text: section.title,
    items: section.pages.map(({ title, route }) => ({ text: title, link: linkTo(route) })),
  };
}

function linkTo(route: string): string {
  return `/${route.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`;
}

/** The folder that the last page of a section is in. */
function folderOf({ pages: [...all] }: SiteSection): string {
  return all.at(-1)?.route.split('/')[0] ?? '';
}
