import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { routeOf, type SiteSection } from '../scripts/docs/site-pages.ts';

/** Navigation of what `make-api.ts` has written: a section a package. */
export function readApiSections(repository: string): readonly SiteSection[] {
  const folder = join(repository, 'docs-site/api');
  if (!existsSync(folder)) return [];
  const page = (file: string, title: string) => ({ file, route: routeOf(file), title });
  const packages = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const sections = packages.map(({ name }) => ({
    title: name === 'trellis' ? name : `@trellis/${name}`,
    pages: readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .toSorted((one, other) => titleOf(one).localeCompare(titleOf(other)))
      .map((file) => page(`docs-site/api/${name}/${file}`, titleOf(file))),
  }));
  return [{ title: 'API', pages: [page('docs-site/api/README.md', 'Packages')] }, ...sections];
}

/** The package's own page stands first; a module is named by its file. */
function titleOf(file: string): string {
  if (file === 'README.md') return 'Contents';
  return file.replace(/\/README\.md$|\.md$/, '').replace(/^.*\//, '');
}
