import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig, type Variable, type VariableTable } from '@trellis/runtime';
import { environmentTable as platform } from 'trellis/platform';
import { programs } from 'trellis/programs';
import { describe, expect, it } from 'vitest';
import { gatewayYamlPages } from '../generate/gateway-yaml-pages.ts';
import { repository } from '../programs/run-program.ts';

const folder = join(repository, 'docs', 'configuration');
const PAGES = ['gateway', 'auth-server', 'subgraphs', 'search', 'platform'];
const SUBGRAPHS: ReadonlySet<string> = new Set(['users', 'posts', 'comments']);

/** The rows of a page, each as its cells without the code marks; of one section where it has several. */
function rowsOf(page: string, section?: string): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(folder, `${page}.md`), 'utf8');
  const part =
    section === undefined ? text : (text.split(/^## /m).find((one) => one.startsWith(section)) ?? '');
  const lines = part.split('\n').filter((line) => line.startsWith('| `'));
  const rows = lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  return new Map(rows.map(([, name = '', ...cells]) => [name.replaceAll('`', ''), cells.slice(0, -1)]));
}

const documented = [
  ...programs.map(({ service, variables }) => {
    const section = SUBGRAPHS.has(service) ? service[0]?.toUpperCase() + service.slice(1) : undefined;
    return { service, variables, rows: rowsOf(section === undefined ? service : 'subgraphs', section) };
  }),
  { service: 'platform', variables: platform as VariableTable, rows: rowsOf('platform') },
];

describe.each(documented)('docs/configuration and the environment of $service', ({ variables, rows }) => {
  it('have the same variables, in the same order', () => {
    expect([...rows.keys()]).toEqual(Object.keys(variables));
  });

  it('have the same default, unit, range and sentences, and say what may stand in a file', () => {
    for (const { name, description, defaultText, required, rangeText = '', mayBeInFile } of describeConfig(
      variables,
    )) {
      const cells = rows.get(name) ?? [];
      const meaning = cells.at(-1)?.replaceAll('\\', '');
      expect(cells[0], name).toBe(required ? 'required' : defaultText ? `\`${defaultText}\`` : 'none');
      expect(cells[1], name).toBe(rangeText);
      expect(meaning, name).toContain(description);
      expect(meaning?.includes(`${name}_FILE`), name).toBe(mayBeInFile);
    }
  });

  it('give no variable the name of a file with another', () => {
    for (const { name, mayBeInFile } of describeConfig(variables))
      if (mayBeInFile) expect(Object.keys(variables)).not.toContain(`${name}_FILE`);
  });
});

it('docs/configuration has a page for all that is configured, and no other', () => {
  expect(readdirSync(folder).toSorted()).toEqual(
    [
      'gateway-example.yaml',
      ...[...PAGES, ...gatewayYamlPages.map(({ name }) => name)].map((page) => `${page}.md`),
    ].toSorted(),
  );
});

describe.each(documented)('A variable of $service', ({ variables }) => {
  const rows = Object.entries<Variable>(variables);

  it('is explained by sentences that do not say again what stands beside them', () => {
    for (const [name, { doc }] of rows) {
      expect(doc, name).toMatch(/^[\p{L}\d][^]*[.…]$|json\.$/u);
      expect(doc, name).not.toMatch(/\d+ to \d+|, seconds\.|_FILE/);
    }
  });

  it('has a default within its range, and the unit that its name promises', () => {
    for (const [name, variable] of rows) {
      if (variable.type !== 'int') continue;
      expect(variable.default, name).toBeGreaterThanOrEqual(variable.min);
      expect(variable.default, name).toBeLessThanOrEqual(variable.max);
      expect(variable.unit === 'seconds', name).toBe(name.endsWith('_S'));
      expect(variable.unit === 'bytes', name).toBe(name.endsWith('_BYTES'));
      expect(variable.unit, name).toBeDefined();
    }
  });
});
