import { join } from 'node:path';
import { changeKinds, lintRules, orderExamples, type ChangeKind, type UsageRule } from '@trellis/composition';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const KINDS = 'docs/changes.md';
const ORDERS = 'docs/deployment-orders.md';

const rules: Readonly<Record<UsageRule, (kind: ChangeKind) => string>> = {
  always: ({ verdict }) => verdict,
  used: ({ verdict }) => `${verdict} if used, else safe`,
  invalid: ({ verdict }) => `${verdict} if an operation becomes invalid, else safe`,
  rights: ({ verdict }) => `${verdict} if a caller loses access, else safe`,
  cost: () => 'breaking over a limit, dangerous over 80 % of it or doubled, else safe',
  window: () => 'decided by the proof of the window',
};

/** docs/changes.md and docs/deployment-orders.md: every kind of change that `trellis check` knows, and what its proof says of the order. */
export async function generateChangesPage(): Promise<readonly GeneratedFile[]> {
  return Promise.all([written(KINDS, kindsPage()), written(ORDERS, ordersPage())]);
}

function kindsPage(): readonly string[] {
  const rows = Object.entries(changeKinds).map(
    ([code, kind]) =>
      `| \`${code}\` | ${kind.meaning}. | ${kind.verdict}${kind.exposure ? ', exposure' : ''} | ${rules[kind.withUsage](kind)} | ${kind.action} |`,
  );
  return [
    '<!-- Generated from packages/composition/src/changes by "npm run generate". -->',
    '',
    '# Kinds of changes',
    '',
    `What \`trellis check\` finds ([Composition](composition.md#checking-a-change)): ${rows.length} kinds. A breaking change fails the check, unless it is`,
    'approved. With recorded operations a change is judged by what they use; what is not recorded is _unknown_, never safe. An',
    '_exposure_ shows more to someone than before: usage does not excuse it, and its approval has to say `exposure: true`.',
    '',
    '| Code | Meaning | Verdict | With recorded operations | Action |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    '## Rules of `trellis lint`',
    '',
    'What only the whole graph shows. Findings are warnings.',
    '',
    '| Code | Finds | Action |',
    '| --- | --- | --- |',
    ...lintRules.map(({ code, finds, action }) => `| \`${code}\` | ${finds} | ${action} |`),
    '',
  ];
}

function ordersPage(): readonly string[] {
  return [
    '<!-- Generated from packages/composition/src/window by "npm run generate". -->',
    '',
    '# Orders of deployment',
    '',
    'What the proof of the window says without recorded operations. `npm run prove -- deployment-orders` runs each of these changes in both orders against a',
    'gateway, with running subgraphs of either version and a client, and compares what fails with what was predicted.',
    '',
    '| Change | Order |',
    '| --- | --- |',
    ...orderExamples.map(([title, , , order]) => `| ${title} | ${orders(order)} |`),
    '',
  ];
}

async function written(path: string, lines: readonly string[]): Promise<GeneratedFile> {
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(lines.join('\n'), { ...options, parser: 'markdown' }) };
}

function orders(order: string): string {
  if (order === 'nothing') return 'nothing to deploy for';
  if (order === 'any-order') return 'any';
  return order === 'not-in-one-step' ? 'not in one step' : order.replace('ordered · ', '');
}
