import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedSettings, limitCatalogue, settingTable } from 'trellis/programs';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

const read = (page: string): string => readFileSync(join(repository, page), 'utf8');
const cellsOf = (line: string): readonly string[] => line.split(/(?<!\\)\|/).map((cell) => cell.trim());

describe('The pages docs/configuration/gateway-yaml*.md and the tables of settings', () => {
  const folder = 'docs/configuration';
  const rows = readdirSync(join(repository, folder))
    .filter((name) => /^gateway-yaml.*\.md$/.test(name))
    .flatMap((name) => read(`${folder}/${name}`).split('\n'))
    .filter((line) => line.startsWith('| `'))
    .map((line) => cellsOf(line));
  const ofOne = /^(traffic|subgraphConnections|subgraphErrors|subscriptions)\.subgraphs\.<name>\./; // the same as those of all, and listed once

  it('have the same keys, with unit, default, and when a change holds', () => {
    const documented = new Set(rows.map(([, key]) => key?.replaceAll('`', '')));
    const settings = documentedSettings(settingTable).filter(
      ({ key }) => key.includes('.') || !documented.has(key),
    );
    const expected = settings.filter(
      ({ key, setting }) => !ofOne.test(key) && (key.includes('.') || !('members' in setting)),
    );
    const top = Object.entries(settingTable)
      .filter(([, setting]) => !('members' in setting))
      .map(([key]) => key);
    expect(documented).toEqual(new Set([...expected.map(({ key }) => key), ...top]));
  });

  it('have each key once', () => {
    const keys = rows.map(([, key]) => key);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  it('say for every value when a change holds', () => {
    for (const { key, setting, defaultText, rangeText } of documentedSettings(settingTable)) {
      if ('members' in setting || ofOne.test(key)) continue;
      const [, , byDefault, range, holds, meaning] = rows.find(([, cell]) => cell === `\`${key}\``) ?? [];
      expect([byDefault, range], key).toEqual([defaultText, rangeText]);
      expect(holds, key).toMatch(/^(at once|for new connections|after a restart: .+)$/);
      expect(meaning, key).not.toBe('');
    }
  });
});

describe('docs/errors.md and the catalogue of limits', () => {
  it('have the same limits', () => {
    const page = read('docs/errors.md');
    for (const { name, key, exceeded, setting } of limitCatalogue()) {
      const shown = exceeded === 'QUERY_TOO_COMPLEX' ? `\`${name}\`` : '';
      const setIn = setting.type === 'fixed' ? 'fixed' : `\`${key}\``;
      const row = `| ${setIn} | ${shown} | \`${exceeded}\` |`;
      expect(page, key).toContain(row);
    }
  });
});
