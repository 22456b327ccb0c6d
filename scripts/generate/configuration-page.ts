import { join } from 'node:path';
import { configSchema as authServer } from '@trellis/auth-server';
import { configSchema as comments } from '@trellis/comments';
import { describeConfig, type ConfigVariable } from '@trellis/config';
import { configSchema as gateway } from '@trellis/gateway';
import { configSchema as platform } from '@trellis/platform';
import { configSchema as posts } from '@trellis/posts';
import { configSchema as search } from '@trellis/search';
import { configSchema as users } from '@trellis/users';
import { format, resolveConfig } from 'prettier';
import type { z } from 'zod';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';
import { settingsTable } from './settings-section.ts';

const path = 'docs/configuration.md';

interface Section {
  readonly title: string;
  readonly introduction: string;
  readonly schema: z.ZodObject;
}

/** In the order of the page. */
const sections: readonly Section[] = [
  {
    title: 'Gateway',
    introduction: 'Prefix `GATEWAY_`. What goes beyond single values stands in [gateway.yaml](#gatewayyaml).',
    schema: gateway,
  },
  { title: 'Auth-server', introduction: 'Prefix `AUTH_`.', schema: authServer },
  { title: 'Users subgraph', introduction: 'Prefix `USERS_`.', schema: users },
  { title: 'Posts subgraph', introduction: 'Prefix `POSTS_`.', schema: posts },
  { title: 'Comments subgraph', introduction: 'Prefix `COMMENTS_`.', schema: comments },
  { title: 'Search subgraph', introduction: 'Prefix `SEARCH_`.', schema: search },
  {
    title: 'The platform in one process',
    introduction:
      '`npm start` reads these, hands every deployable the rest of its environment, and fills in what is absent: addresses of one another, embedded stores, generated secrets.',
    schema: platform,
  },
];

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
- What is meant for development (the embedded Redis, demo accounts, generated secrets, an implied issuer, mail in the log) needs
  an issuer and a listening address on a loopback address. \`NODE_ENV=production\` refuses it there, too. No secret has a
  default.
`;

const settings = `## gateway.yaml

The file that the gateway's \`CONFIG\` names. All of it is optional; a key that is not listed here is refused.
\`\${NAME}\` in a value is the environment variable of that name, \`\${NAME:-text}\` has a default.

Editors complete and check it by [gateway.schema.json](../gateway/gateway.schema.json), which the gateway's package holds too. With
the YAML language server, on the first line:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/@trellis/gateway/gateway.schema.json
\`\`\`

A change of the file is taken over as a whole or not at all, without a restart; keys that need one say so.

`;

/** docs/configuration.md, from the schemas of all that is configured. */
export async function generateConfigurationPage(): Promise<GeneratedFile> {
  const text = [introduction, ...sections.map(formatSection), settings + settingsTable()].join('\n');
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

function formatSection({ title, introduction: words, schema }: Section): string {
  const rows = describeConfig(schema).map(formatVariable);
  return [
    `## ${title}\n`,
    `${words}\n`,
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function formatVariable({ name, description, required, defaultText }: ConfigVariable): string {
  const byDefault = required ? 'required' : code(defaultText);
  return `| \`${name}\` | ${byDefault} | ${escape(description)} |`;
}

function code(text: string | undefined): string {
  return text === undefined || text === '' ? 'none' : `\`${escape(text)}\``;
}

/** A vertical bar would end the cell. */
function escape(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}
