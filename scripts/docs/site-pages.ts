import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the documentation site. */
export interface SitePage {
  /** Relative to the repository. */
  readonly file: string;
  /** Where it is served, relative to the site: `errors.md` becomes `/errors.html`. */
  readonly route: string;
  readonly title: string;
}

/** A part of the site's navigation. */
export interface SiteSection {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

/** Names below docs/; one that ends with `/` is a folder. A page that stands nowhere here comes into the last section. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Begin: [
    '../README.md',
    'why-trellis.md',
    'pictures.md',
    'pages-beside-others.md',
    'gateways-beside-others.md',
    'packages.md',
    'explorer.md',
  ],
  Tutorial: ['tutorial/'],
  'Use the graph': [
    'contract.md',
    'errors.md',
    'command-line.md',
    'command-line-registry.md',
    'command-line-errors.md',
    'incremental-delivery.md',
    'subscriptions.md',
    'uploads.md',
    'compatibility.md',
    'relay.md',
    'clients/',
  ],
  'Build a graph': [
    'composition.md',
    'add-a-subgraph.md',
    'user-context.md',
    'changes.md',
    'deployment-orders.md',
    'extending/',
  ],
  'Sign users in': [
    'pages.md',
    'console.md',
    'client-registration.md',
    'token-exchange.md',
    'trusted-issuers.md',
    'what-ends-what.md',
  ],
  Operate: [
    'operations.md',
    'operate-the-registry.md',
    'recorded-operations.md',
    'auth-operations.md',
    'logs-and-metrics.md',
    'glossary.md',
    'response-cache.md',
    'shares.md',
    'cured-flaws.md',
    'performance.md',
  ],
  Configuration: ['configuration.md', 'configuration/'],
  Inside: ['lifecycle.md', 'architecture.md', '../CONTRIBUTING.md'],
  Changes: ['../CHANGELOG.md', 'changelog/'],
  'Authorization behaviours': ['authorization-behaviours.md', 'authorization-behaviours/'],
  Decisions: ['adr/'],
};

/** The navigation: every page of docs/, and those at the root of the repository, each in one section. */
export function siteSections(repository: string): readonly SiteSection[] {
  const remaining = new Set(markdownFiles(repository));
  const sections = Object.entries(SECTIONS).map(([title, names]) => {
    const files = names.flatMap((name) => filesOf(join('docs', name), remaining));
    for (const file of files) remaining.delete(file);
    return { title, pages: files.map((file) => toPage(repository, file)) };
  });
  const others = [...remaining].map((file) => toPage(repository, file));
  return others.length === 0 ? sections : [...sections, { title: 'More', pages: others }];
}

function markdownFiles(repository: string): readonly string[] {
  const docs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = docs
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`);
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages.toSorted()].filter((file) =>
    existsSync(join(repository, file)),
  );
}

function filesOf(name: string, files: ReadonlySet<string>): readonly string[] {
  if (!name.endsWith('/')) return files.has(name) ? [name] : [];
  const inside = [...files].filter((file) => file.startsWith(name));
  return inside.toSorted((one, other) => Number(isReadme(other)) - Number(isReadme(one)));
}

function isReadme(file: string): boolean {
  return file.endsWith('README.md');
}

function toPage(repository: string, file: string): SitePage {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(join(repository, file), 'utf8')) ?? [];
  return { file, route: routeOf(file), title: title.replaceAll('`', '') };
}

/** Where the site serves a page of the repository. */
export function routeOf(file: string): string {
  return file.replace(/^(?:docs|docs-site)\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}
