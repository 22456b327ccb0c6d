import { tokenProfiles, type TokenProfile } from 'trellis/programs';
import { withGeneratedSection } from './generated-section.ts';
import type { GeneratedFile } from './generated-file.ts';

/** The profiles of access tokens in docs/trusted-issuers.md. */
export async function generateProfilesSection(): Promise<GeneratedFile> {
  const names = Object.keys(tokenProfiles) as (keyof typeof tokenProfiles)[]; // of a table of literals
  const rows = [
    ['', ...names.map((name) => `\`${name}\``)],
    ['---', ...names.map(() => '---')],
    ...Object.entries(ROWS).map(([title, cell]) => [
      title,
      ...names.map((name) => cell(tokenProfiles[name])),
    ]),
  ];
  const section = ['<!-- prettier-ignore -->', ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
  return withGeneratedSection('docs/trusted-issuers.md', 'gateway/src/identity/token-profiles.ts', section);
}

const ROWS: Readonly<Record<string, (profile: TokenProfile) => string>> = {
  typ: ({ types }) => types.join(', '),
  Algorithms: ({ algorithms }) => algorithms.join(', '),
  Audience: ({ audience }) => coded(audience),
  Client: ({ client, needsClient }) => coded(client) + (needsClient ? ', required' : ''),
  Scopes: ({ scopes }) => coded(scopes),
  Roles: ({ roles }) => coded(roles),
  Groups: ({ groups }) => coded(groups),
  Name: ({ name }) => coded(name),
  'E-mail': ({ email }) => coded(email),
  Tenant: ({ tenant }) => coded(tenant),
  'Has to be': ({ marks = {} }) =>
    Object.entries(marks)
      .map(([claim, values]) => `\`${claim}\` ${values.join(' or ')}`)
      .join(', '),
  'Has to be absent': ({ foreign = [] }) => coded(foreign),
  'Is a client itself with': ({ machine = {} }) =>
    Object.entries(machine)
      .map(([claim, value]) => `\`${claim}\` ${value}`)
      .join(', '),
};

function coded(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
