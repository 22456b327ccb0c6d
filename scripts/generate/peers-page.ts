import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/gateways-beside-others.md';
const source = 'e2e/compatibility/peers.json';

/** What the documentation of a gateway says: true for ✓, false where nothing was found, else a few words. */
type Said = boolean | string;

/** What one feature is in each gateway. */
interface FeatureRow {
  readonly feature: string;
  /** True or "✓, …" with tests; else why not, and the way round. */
  readonly trellis: true | string;
  readonly proofs?: readonly { readonly test: string; readonly title: string }[];
  readonly apolloRouter: Said;
  readonly hiveRouter: Said;
  readonly hiveGateway: Said;
  readonly cosmoRouter: Said;
}

/** A heading, or a feature. */
type PeerRow = { readonly group: string } | FeatureRow;

const INTRODUCTION = `<!-- Generated from ${source} by "npm run generate". -->

# The gateway beside others

What clients, subgraphs and operators find in Apollo Router, Hive Router, Hive Gateway and Cosmo Router, and here. Each ✓ of ours leads to its tests. Of others we
write what their public documentation and repositories said in the versions below; we have not run them side by side. "–" means that we looked and found
nothing, which may be our mistake. [Compatibility](compatibility.md) has the clients one by one.
`;

const SOURCES = `
## Sources

Read in November 2026, in these versions:

- Apollo Router: <https://www.apollographql.com/docs/graphos/routing>, as of \`docs/source/routing\` in apollographql/router, 27d8f600c5 (April 2026)
- Hive Router: <https://the-guild.dev/graphql/hive/docs/router>, and graphql-hive/router, 8cfc57d3 (August 2026)
- Hive Gateway: <https://the-guild.dev/graphql/hive/docs/gateway>, as of graphql-hive/docs, f156790 (March 2026)
- Cosmo Router: <https://cosmo-docs.wundergraph.com/router>, as of \`docs-website\` in wundergraph/cosmo, 6e0a147f4 (August 2026)
`;

/** docs/gateways-beside-others.md: feature by gateway. */
export async function generatePeersPage(): Promise<GeneratedFile> {
  const rows = JSON.parse(readFileSync(join(repository, source), 'utf8')) as readonly PeerRow[]; // matrix.test.ts checks it
  const text = `${INTRODUCTION}${rows.map(lineOf).join('\n')}\n${reasonsOf(rows)}${SOURCES}`;
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

function lineOf(row: PeerRow): string {
  if ('group' in row)
    return `
## ${row.group}

<!-- prettier-ignore -->
|  | Trellis | Apollo Router | Hive Router | Hive Gateway | Cosmo Router |
| --- | :-: | :-: | :-: | :-: | :-: |`;
  const { feature, apolloRouter, hiveRouter, hiveGateway, cosmoRouter } = row;
  const own = ownOf(row);
  const others = [apolloRouter, hiveRouter, hiveGateway, cosmoRouter].map(signOf);
  return `| ${[feature, own, ...others].join(' | ')} |`;
}

/** Links to its tests; those of one file are one link. */
function ownOf({ trellis, proofs = [] }: FeatureRow): string {
  const [first, ...others] = new Set(proofs.map(({ test }) => test));
  if (first === undefined) return 'no, see below';
  return [`[${signOf(trellis)}](../${first})`, ...others.map((test) => `[✓](../${test})`)].join(' ');
}

function signOf(said: Said): string {
  if (typeof said === 'string') return said;
  return said ? '✓' : '–';
}

function reasonsOf(rows: readonly PeerRow[]): string {
  const reasons = rows.flatMap((row) =>
    'group' in row || row.proofs ? [] : [`- **${row.feature}**: ${row.trellis}`],
  );
  return `\n## What others have and we do not\n\n${reasons.join('\n')}\n`;
}
