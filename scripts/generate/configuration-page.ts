import { configSchema as authServer } from '@trellis/auth-server';
import { configSchema as comments } from '@trellis/comments';
import { describeConfig, type ConfigVariable } from '@trellis/config';
import { configSchema as gateway } from '@trellis/gateway';
import { configSchema as posts } from '@trellis/posts';
import { configSchema as users } from '@trellis/users';
import { format, resolveConfig } from 'prettier';
import { join } from 'node:path';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/configuration.md';

/** The deployables, in the order of the page. */
const deployables = [
  { title: 'Gateway', prefix: 'GATEWAY', schema: gateway },
  { title: 'Auth-server', prefix: 'AUTH', schema: authServer },
  { title: 'Users subgraph', prefix: 'USERS', schema: users },
  { title: 'Posts subgraph', prefix: 'POSTS', schema: posts },
  { title: 'Comments subgraph', prefix: 'COMMENTS', schema: comments },
] as const;

const introduction = `<!-- Generated from the configuration schemas by "npm run generate". Change a schema's description instead. -->

# Configuration

Every deployable is configured by its environment. It checks all of it before anything else happens: a variable that is
missing, malformed or contradicts another is named, every one of them in one message, and the process ends with status 78
without having opened a port or a connection.

- A variable may carry its deployable's prefix, and then wins over the plain name: \`POSTS_PORT\` over \`PORT\`. So one
  environment configures several deployables that run in one process or on one host.
- A variable that is set to nothing counts as absent.
- Lists are separated by spaces. Flags are \`true\` or \`false\`. A name that ends in \`_S\` is in seconds, in \`_MS\` in
  milliseconds.
- \`NODE_ENV=production\` refuses what is meant for development: the embedded Redis, demo accounts, an http issuer that is
  not loopback, and secrets that are missing.
`;

/** docs/configuration.md, from the schema of every deployable. */
export async function generateConfigurationPage(): Promise<GeneratedFile> {
  const sections = deployables.map(({ title, prefix, schema }) =>
    section(title, prefix, describeConfig(schema)),
  );
  const options = (await resolveConfig(join(repository, path))) ?? {};
  const content = await format([introduction, ...sections].join('\n'), { ...options, parser: 'markdown' });
  return { path, content };
}

function section(title: string, prefix: string, variables: readonly ConfigVariable[]): string {
  const rows = variables.map(
    ({ name, description, required, defaultText }) =>
      `| \`${name}\` | ${required ? 'required' : code(defaultText)} | ${escape(description)} |`,
  );
  return `## ${title}\n\nPrefix: \`${prefix}_\`.\n\n| Variable | Default | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

function code(text: string | undefined): string {
  return text === undefined || text === '' ? 'none' : `\`${escape(text)}\``;
}

/** A vertical bar would end the cell. */
function escape(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}
