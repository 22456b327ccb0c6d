import { settingTable } from 'trellis/programs';
import { settingsSections } from './settings-section.ts';

/** One page on keys of gateway.yaml. */
interface SettingsPage {
  /** File name without its extension. */
  readonly name: string;
  /** What its keys are about, in few words. */
  readonly summary: string;
  /** The page, without the line that says that it is generated. */
  readonly text: () => string;
}

/** Keys at the top of gateway.yaml by the page that has them. The first page has all others. */
const topics = {
  'gateway-yaml-identity': {
    title: 'gateway.yaml: tokens and rights',
    summary: 'issuers, tokens, and what callers may do',
    keys: ['authentication', 'authorization'],
  },
  'gateway-yaml-subgraphs': {
    title: 'gateway.yaml: subgraphs',
    summary: 'connections and requests to subgraphs, their headers, errors and subscriptions',
    keys: ['headers', 'subgraphConnections', 'subgraphErrors', 'subscriptions', 'traffic'],
  },
} as const;

const elsewhere: ReadonlySet<string> = new Set(Object.values(topics).flatMap(({ keys }) => keys));

const MAIN = 'gateway-yaml';

const introduction = `
# gateway.yaml

The file that the gateway's \`CONFIG\` names. All of it is optional; a key that is not listed here is rejected.

In a value, \`\${env.NAME}\` (or \`\${NAME}\`) is the environment variable of that name, and \`\${file.PATH}\` the content of a file without the white
space around it; a relative path starts at the folder of gateway.yaml. \`\${env.NAME:-text}\` and \`\${file.PATH:-text}\` have a default. What
is missing and has none is an error, with its line. What is put in can't change the structure of the file: it stays one value. A value
that is nothing but variables may be a number, \`true\` or \`false\`; the content of a file stays a text. A change of such a file is loaded
like one of gateway.yaml.

[gateway-example.yaml](gateway-example.yaml) is a whole file, each setting with its comment, with
variables and files. Editors complete and check it by [gateway.schema.json](../../gateway/gateway.schema.json), which the gateway's
package holds too. Its
first line names the schema for the YAML language server.

A change of the file is loaded as a whole or not at all, without a restart. Each key says when a change of it holds; a change of one that needs
a restart is logged. *Without guards*: over a bare supergraph, without a configuration (see \`GUARDS\` in the [environment](gateway.md)).

Keys with a page of their own:

${linkedTopics()}

`;

/** The pages on gateway.yaml: the first one, with the rules for all values, and one for each topic. */
export const gatewayYamlPages: readonly SettingsPage[] = [
  {
    name: MAIN,
    summary: "the gateway's file: its form, limits, clients and caches",
    text: () =>
      introduction + settingsSections(Object.keys(settingTable).filter((key) => !elsewhere.has(key))),
  },
  ...Object.entries(topics).map(([name, { title, summary, keys }]) => ({
    name,
    summary,
    text: () =>
      `\n# ${title}\n\nThe form of the file is on its [first page](${MAIN}.md).\n\n${settingsSections(keys)}`,
  })),
];

function linkedTopics(): string {
  return Object.entries(topics)
    .map(([name, { summary, keys }]) => {
      const named = keys.map((key) => `\`${key}\``).join(', ');
      return `- [${named}](${name}.md): ${summary}`;
    })
    .join('\n');
}
