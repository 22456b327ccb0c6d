import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** What README calls a scenario and a gateway, and what the benchmark calls them. */
const SCENARIOS = {
  'Nested query, 4 subgraphs, 87 KB': 'nested, differing clients',
  'Three hops': 'three hops',
  'Single fetch': 'single fetch',
} as const;
const TARGETS = ['trellis', 'stock', 'hive', 'grafbase-rust'] as const;

const readme = textOf('README.md');
const performance = textOf('docs/performance.md');

describe('Figures in README', () => {
  it.each(Object.entries(SCENARIOS))(
    'of "%s" are those of docs/performance.md, rounded',
    (name, scenario) => {
      const shown = cellsOf(readme, [name]).slice(1);
      expect(shown).toHaveLength(TARGETS.length);
      const measured = TARGETS.map((target) => cellsOf(performance, [scenario, target])[2]);
      expect(shown).toEqual(measured.map((figure, index) => rounded(figure, shown[index])));
    },
  );

  it('of a refresh are those of docs/performance.md', () => {
    const [, ours, peers] = cellsOf(performance, ['Refresh, ES256']);
    expect(readme).toContain(`costs the auth-server ${ours} (ES256), and node-oidc-provider ${peers} `);
  });
});

function textOf(page: string): string {
  return readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
}

/** The cells of the first row of a table that begins with these. */
function cellsOf(page: string, beginning: readonly string[]): readonly string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return cells.find((row) => beginning.every((cell, index) => row[index] === cell)) ?? [];
}

/** A figure with as many decimals as another one. */
function rounded(figure: string | undefined, as: string | undefined): string {
  return Number(figure).toFixed(as?.split('.')[1]?.length ?? 0);
}
