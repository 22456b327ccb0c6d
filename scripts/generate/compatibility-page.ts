import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/compatibility.md';
const folder = 'e2e/compatibility';

/** What is said of one client: true where a test proves it, else a sentence. */
interface ClientRow {
  readonly client: string;
  readonly kind?: 'subgraph';
  readonly package?: string;
  readonly features: Readonly<Record<string, true | string>>;
}

const introduction = `<!-- Generated from ${folder}/matrix.json by "npm run generate". -->

# Compatibility

Each client as it comes: the library's own README, its defaults, no option that is set to please the gateway. Every ✓ is a test in
[${folder}](../${folder}), which runs the library in this version against the whole platform; a test fails where a ✓ has none. Empty:
no test here asks that of the client, mostly because it does not do that by itself; it says nothing against it.

All clients send an access token in \`Authorization\`. How each kind of application gets one: [guides](clients/README.md).
What other gateways serve, feature by feature: [the gateway beside others](gateways-beside-others.md).
`;

/** docs/compatibility.md: client by feature. */
export async function generateCompatibilityPage(): Promise<GeneratedFile> {
  const rows = JSON.parse(readFileSync(join(repository, folder, 'matrix.json'), 'utf8')) as ClientRow[]; // matrix.test.ts holds the tests against it
  const clients = rows.filter(({ kind }) => kind === undefined);
  const subgraphs = rows.filter(({ kind }) => kind === 'subgraph');
  const tables = [tableOf(clients), requestsSection(), subgraphIntroduction, tableOf(subgraphs)].join('\n');
  const text = `${introduction}\n${tables}`;
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

const subgraphIntroduction = `
## Subgraphs

What the public compatibility suite for subgraphs of a federation asks for, each rule shown by a test in [${folder}/subgraphs](../${folder}/subgraphs). The
kit is built on \`@apollo/subgraph\`. GraphQL Yoga, Mercurius, Apollo Server and plain graphql-js are run as they come behind the gateway: queries, entities, the
signed user context, and the subscriptions that each of them serves.
`;

/** A request that standard software sends by default, with the test that it is answered. */
interface KnownRequest {
  readonly from: string;
  readonly request: string;
  readonly test: string;
  readonly title: string;
}

/** Requests that are sent by default, and that a platform of this kind easily rejects. */
function requestsSection(): string {
  const requests = JSON.parse(
    readFileSync(join(repository, folder, 'requests.json'), 'utf8'),
  ) as KnownRequest[]; // matrix.test.ts holds the tests against it
  const lines = requests.map(
    ({ from, request, test, title }) => `| ${from} | ${request} | [${title}](../${test}) |`,
  );
  return `
## Requests that others send by default

Each of them was rejected once, here or elsewhere. The test says that it is answered.

<!-- prettier-ignore -->
| From | Request | Test |
| --- | --- | --- |
${lines.join('\n')}
`;
}

function tableOf(rows: readonly ClientRow[]): string {
  const features = [...new Set(rows.flatMap((row) => Object.keys(row.features)))];
  const table = [
    ['', ...rows.map(({ client }) => client)],
    ['---', ...rows.map(() => ':-:')],
    ...(rows.some((row) => row.package !== undefined) ? [['Version', ...rows.map(versionOf)]] : []),
    ...features.map((feature) => [codeOf(feature), ...rows.map((row) => signOf(row.features[feature]))]),
  ];
  const lines = table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `<!-- prettier-ignore -->\n${lines}\n${sentencesOf(rows)}`;
}

function versionOf({ package: name }: ClientRow): string {
  if (name === undefined) return '';
  const { devDependencies } = JSON.parse(readFileSync(join(repository, 'e2e/package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const version = devDependencies[name];
  if (version === undefined) throw new Error(`${name} is no dependency of e2e.`);
  return version;
}

/** Directives are code. */
function codeOf(feature: string): string {
  return feature.replaceAll(/@\w+/g, '`$&`');
}

function signOf(verdict: true | string | undefined): string {
  if (verdict === undefined) return '';
  return verdict === true ? '✓' : 'see below';
}

function sentencesOf(rows: readonly ClientRow[]): string {
  const sentences = rows.flatMap(({ client, features }) =>
    Object.entries(features)
      .filter(([, verdict]) => verdict !== true)
      .map(([feature, sentence]) => `- **${client}, ${codeOf(feature)}**: ${sentence}`),
  );
  return sentences.length === 0 ? '' : `\n${sentences.join('\n')}\n`;
}
