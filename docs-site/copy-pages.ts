import { copyFileSync, mkdirSync, rmSync, watchFile } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vitepress';
import type { SitePage } from '../scripts/docs/site-pages.ts';

const WATCH_MS = 300;

/** Copies the pages of the repository to where the site is made of them; while they are served, each change again. */
export function copyPages(
  pages: readonly SitePage[],
  { repository, pagesFolder }: { readonly repository: string; readonly pagesFolder: string },
): { readonly plugin: Plugin } {
  rmSync(pagesFolder, { recursive: true, force: true });
  const copy = ({ file, route }: SitePage): void => {
    mkdirSync(dirname(join(pagesFolder, route)), { recursive: true });
    copyFileSync(join(repository, file), join(pagesFolder, route));
  };
  for (const page of pages) copy(page);
  // Node's own watchFile: a project outside the workspace can't import @trellis/runtime by its name.
  const watch = (): void => {
    for (const page of pages)
      watchFile(join(repository, page.file), { interval: WATCH_MS }, () => copy(page));
  };
  return { plugin: { name: 'copy-pages', configureServer: watch } };
}
