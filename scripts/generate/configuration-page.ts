import { join } from 'node:path';
import { describeConfig, type ConfigVariable, type VariableTable } from '@trellis/runtime';
import { environmentTable as platform } from 'trellis/platform';
import { variablesOf } from 'trellis/programs';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';
import { gatewayYamlPages } from './gateway-yaml-pages.ts';

/** One page of docs/configuration/. */
interface Page {
  /** File name without its extension. */
  readonly name: string;
  readonly title: string;
  readonly introduction: string;
  readonly sections: readonly Section[];
}

interface Section {
  /** Absent where the page has one section. */
  readonly title?: string;
  readonly introduction?: string;
  readonly variables: VariableTable;
}

const pages: readonly Page[] = [
  {
    name: 'gateway',
    title: 'Environment of the gateway',
    introduction:
      'Prefix `GATEWAY_`. What goes beyond single values stands in [gateway.yaml](gateway-yaml.md).',
    sections: [{ variables: variablesOf('gateway') }],
  },
  {
    name: 'auth-server',
    title: 'Environment of the auth-server',
    introduction: 'Prefix `AUTH_`.',
    sections: [{ variables: variablesOf('auth-server') }],
  },
  {
    name: 'subgraphs',
    title: 'Environment of the subgraphs',
    introduction: 'Of the content graph: users, posts and comments.',
    sections: [
      { title: 'Users', introduction: 'Prefix `USERS_`.', variables: variablesOf('users') },
      { title: 'Posts', introduction: 'Prefix `POSTS_`.', variables: variablesOf('posts') },
      { title: 'Comments', introduction: 'Prefix `COMMENTS_`.', variables: variablesOf('comments') },
    ],
  },
  {
    name: 'search',
    title: 'Environment of the search',
    introduction: 'The subgraph that finds what the others publish. Prefix `SEARCH_`.',
    sections: [{ variables: variablesOf('search') }],
  },
  {
    name: 'platform',
    title: 'Environment of the platform in one process',
    introduction:
      '`npm start` reads these, hands every deployable the rest of its environment, and fills in what is absent: addresses of one another, embedded stores, generated secrets.',
    sections: [{ variables: platform }],
  },
];

const GENERATED =
  '<!-- Generated from the tables of variables and settings by "npm run generate". Change a row there instead. -->\n';

const index = `${GENERATED}
# Configuration

Every deployable is configured by its environment. It checks all of it before anything else happens: a variable that is
missing, malformed or contradicts another is named, every one of them in one message, and the process ends with status 78
without having opened a port or a connection.

${pages.map(({ name, title }) => `- [${title}](configuration/${name}.md)`).join('\n')}
${gatewayYamlPages.map(({ name, summary }) => `- [gateway.yaml](configuration/${name}.md): ${summary}`).join('\n')}

Rules for all variables:

- A variable may carry its deployable's prefix, and then wins over the plain name: \`POSTS_PORT\` over \`PORT\`. So one
  environment configures several deployables that run in one process or on one host.
- A variable that is set to nothing counts as absent.
- A variable that holds a secret may stand in a file, as Docker and Kubernetes mount secrets: \`DATABASE_URL_FILE=/run/secrets/database-url\`
  in the place of \`DATABASE_URL\`. White space around the content does not count. A file that is missing or empty, or a variable
  that is set as well, is reported like any other problem. The pages say where this is so; prefixes apply: \`POSTS_DATABASE_URL_FILE\`.
- Lists are separated by spaces. Flags are \`true\` or \`false\`. A name that ends in \`_S\` is in seconds, in \`_MS\` in
  milliseconds.
- What is meant for development (the embedded Redis, demo accounts, generated secrets, an implied issuer, mail in the log) needs
  an issuer and a listening address on a loopback address. \`NODE_ENV=production\` rejects it there, too. No secret has a
  default.
`;

/** docs/configuration.md and the pages below docs/configuration/, from the tables of all that is configured. */
export async function generateConfigurationPages(): Promise<readonly GeneratedFile[]> {
  return Promise.all([
    formatPage('docs/configuration.md', index),
    ...gatewayYamlPages.map(({ name, text }) =>
      formatPage(`docs/configuration/${name}.md`, GENERATED + text()),
    ),
    ...pages.map((page) => formatPage(`docs/configuration/${page.name}.md`, writePage(page))),
  ]);
}

async function formatPage(path: string, text: string): Promise<GeneratedFile> {
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

function writePage({ title, introduction, sections }: Page): string {
  return [GENERATED, `# ${title}\n`, `${introduction}\n`, ...sections.map(writeSection)].join('\n');
}

function writeSection({ title, introduction, variables: table }: Section): string {
  const head = title === undefined ? [] : [`## ${title}\n`];
  const words = introduction === undefined ? [] : [`${introduction}\n`];
  const variables = describeConfig(table);
  const hasRanges = variables.some(({ rangeText }) => rangeText !== undefined);
  const columns = ['Variable', 'Default', ...(hasRanges ? ['Unit and range'] : []), 'Meaning'];
  const lines = [columns, columns.map(() => '---'), ...variables.map((one) => cellsOf(one, hasRanges))];
  return [...head, ...words, ...lines.map((cells) => `| ${cells.join(' | ')} |`), ''].join('\n');
}

function cellsOf(
  { name, description, required, defaultText, rangeText = '', mayBeInFile }: ConfigVariable,
  hasRanges: boolean,
): readonly string[] {
  const inFile = mayBeInFile ? ` \`${name}_FILE\` may name a file with it.` : '';
  const byDefault = required ? 'required' : code(defaultText);
  return [`\`${name}\``, byDefault, ...(hasRanges ? [rangeText] : []), escape(description) + inFile];
}

function code(text: string | undefined): string {
  return text === undefined || text === '' ? 'none' : `\`${escape(text)}\``;
}

/** A vertical bar would end the cell. */
function escape(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}
