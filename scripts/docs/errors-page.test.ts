import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oauthErrors } from 'trellis/programs';
import { graphErrorCodes } from '@trellis/subgraph-protocol';
import { gatewayErrorCodes } from 'trellis/programs';
import { commandLineErrors, documentedCodes, pageOfCode } from 'trellis/describe-commands';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { rowAnchors } from './site-links.ts';

const page = readFileSync(join(repository, 'docs/errors.md'), 'utf8');

/** The rows of the page's tables, their cells trimmed, whose first cell is a code. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const graphRows = rows.filter(([code = '']) => /^`[A-Z_]+`$/.test(code));
const oauthRows = rows.filter(([code = '']) => /^`[a-z_]+`$/.test(code));

describe('docs/errors.md and the catalogues', () => {
  it('have the same codes of the graph, with the same statuses', () => {
    const documented = graphRows.map(([code, status, jsonStatus]) => ({ code, status, jsonStatus }));
    const catalogued = Object.entries(gatewayErrorCodes).map(([code, { status, jsonStatus }]) => ({
      code: `\`${code}\``,
      status: String(status),
      jsonStatus: String(jsonStatus),
    }));
    expect(documented).toEqual(catalogued);
  });

  it('have the same codes of the authorization endpoints, with status, redirect and section', () => {
    const documented = oauthRows.map(([code, status, redirect, , section]) => ({
      code,
      status,
      redirect,
      section,
    }));
    const catalogued = Object.entries(oauthErrors).map(([code, described]) => ({
      code: `\`${code}\``,
      status: String(described.status),
      redirect: described.redirect ? 'yes' : 'no',
      section: described.section,
    }));
    expect(documented).toEqual(catalogued);
  });

  it('say of every code when it is given and what to do', () => {
    for (const [code, , , when, what] of graphRows) {
      expect(when, code).toMatch(/\w.*\.$/);
      expect(what, code).toMatch(/\w.*\.$/);
    }
    for (const [code, , , when] of oauthRows) expect(when, code).toMatch(/\w.*\.$/);
  });

  it('say that the codes of the subgraphs are codes of the gateway', () => {
    expect(Object.keys(gatewayErrorCodes)).toEqual(expect.arrayContaining(Object.keys(graphErrorCodes)));
  });
});

describe('Codes of the command line', () => {
  const anchorsOf = (name: string): readonly string[] =>
    rowAnchors(readFileSync(join(repository, 'docs', name), 'utf8'));

  it('are each the anchor of one row of the page that the command line names', () => {
    for (const code of documentedCodes) {
      const { page: name = '', anchor } = pageOfCode(code) ?? {};
      expect(anchor).toBe(code);
      expect(
        anchorsOf(name).filter((row) => row === code),
        `${name}#${code}`,
      ).toHaveLength(1);
    }
    expect(pageOfCode('TYPE_KIND_MISMATCH')).toBeUndefined(); // of Apollo's composer
  });

  it('are all rows of docs/command-line-errors.md and docs/changes.md', () => {
    const errors = Object.values(commandLineErrors).flatMap((rowsOf) => rowsOf.map(({ code }) => code));
    expect(anchorsOf('command-line-errors.md')).toEqual(errors);
    expect(anchorsOf('changes.md').filter((code) => pageOfCode(code)?.page !== 'changes.md')).toEqual([]);
  });
});

describe('Other pages', () => {
  it.each(['docs/lifecycle.md', 'docs/contract.md', 'docs/operations.md', 'docs/logs-and-metrics.md'])(
    '%s names only codes that there are',
    (file) => {
      const text = readFileSync(join(repository, file), 'utf8');
      const codes = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, code = '']) => code);
      const known = (code: string) =>
        Object.hasOwn(gatewayErrorCodes, code) ||
        page.includes(code) ||
        isVariable(code) ||
        code === 'DUPLICATE_POST';
      expect(codes.filter((code) => !known(code))).toEqual([]);
    },
  );
});

const configuration = [
  'gateway',
  'auth-server',
  'subgraphs',
  'platform',
  'gateway-yaml',
  'gateway-yaml-identity',
  'gateway-yaml-subgraphs',
]
  .map((name) => readFileSync(join(repository, `docs/configuration/${name}.md`), 'utf8'))
  .join('\n');

function isVariable(name: string): boolean {
  const plain = name.replace(/^(GATEWAY|AUTH|USERS|POSTS|COMMENTS|SEARCH)_/, '');
  return configuration.includes(`\`${name}\``) || configuration.includes(`\`${plain}\``);
}
