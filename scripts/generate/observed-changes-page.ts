import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapeKinds } from '@trellis/composition';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/observed-changes.md';
const source = 'cli/testing/observed-changes/observed-changes.json';

interface Orders {
  readonly predicted: BothOrders;
  readonly seen: BothOrders;
}

interface BothOrders {
  readonly deployFirst: 'works' | 'fails';
  readonly publishFirst: 'works' | 'fails';
}

/** A row as the proof `observed-changes` writes it. */
interface Row {
  readonly code: string;
  readonly verdicts: Readonly<Record<'without' | 'used' | 'unused', string | null>>;
  readonly seen: Readonly<Record<'used' | 'unused', string | null>>;
  readonly orders: Readonly<Record<'without' | 'used', Orders | null>>;
  readonly decisions: number;
  readonly falseSafe: readonly string[];
  readonly falseUnsafe: readonly string[];
  readonly reason?: string;
}

/** docs/observed-changes.md: what a check says of each kind of change, beside what happened to a client. */
export async function generateObservedChangesPage(): Promise<GeneratedFile> {
  const rows = JSON.parse(readFileSync(join(repository, source), 'utf8')) as readonly Row[]; // the proof writes it
  const shapes = rows.filter(({ code }) => Object.hasOwn(shapeKinds, code));
  const meanings = rows.filter(({ code }) => !Object.hasOwn(shapeKinds, code));
  const lines = [
    ...introduction(rows, shapes.length, meanings.length),
    '',
    '## Shape',
    '',
    ...tableOf(shapes),
    '',
    '## Meaning',
    '',
    ...tableOf(meanings),
    '',
    '## Stricter than what is seen',
    '',
    ...stricterOf(rows),
    '',
  ];
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(lines.join('\n'), { ...options, parser: 'markdown' }) };
}

function introduction(rows: readonly Row[], shapes: number, meanings: number): readonly string[] {
  const decisions = rows.reduce((sum, row) => sum + row.decisions, 0);
  const falseSafe = rows.flatMap((row) => row.falseSafe).length;
  const falseUnsafe = rows.flatMap((row) => row.falseUnsafe).length;
  const share = ((falseUnsafe / decisions) * 100).toFixed(1);
  return [
    `<!-- Generated from ${source}, which the proof observed-changes has written, by "npm run generate". -->`,
    '',
    '# Changes, as a check says them and as a client meets them',
    '',
    `${rows.length} kinds of change, ${shapes} of shape and ${meanings} of meaning: a pair of graphs for each, with a gateway for either graph, running`,
    'subgraphs of either version, and a client that sends an operation which the change concerns and one which it does not, with no',
    'token and with one, with nulls and without. `npm run prove -- observed-changes` makes every change again, compares, and fails where this page says',
    `otherwise. Of ${decisions} verdicts and orders, ${falseSafe} were called safe and did harm; ${falseUnsafe} (${share} %) were called unsafe without harm that was seen.`,
    '',
    '- **Check**: the verdict with nothing recorded · with an operation recorded that uses it · with one recorded that does not.',
    '- **Client**: what clients of these two operations got after the change, compared with before.',
    '- **Deploy first**, **publish first**: what the check says of everything deployed before the supergraph is published, and the other way',
    '  round, and what happened: ✓ every operation worked in between, ✗ one failed; with nothing recorded · with the operation that uses it. One mark',
    '  where check and client agree. With nothing recorded, the client sends the probes of the check.',
    '- **–**: the change concerns no operation that existed before.',
    '- Subscriptions are sent by two users with equal rights at once, over server-sent events; where one stream serves both, each may be served what is private to the other.',
    '',
    '[Kinds of changes](changes.md) says what each means; [orders of deployment](deployment-orders.md) has more examples of the proof of the window.',
  ];
}

function tableOf(rows: readonly Row[]): readonly string[] {
  return [
    '| Change | Check | Client | Deploy first | Publish first |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(
      ({ code, verdicts, seen, orders }) =>
        `| \`${code}\` | ${joined([verdicts.without, verdicts.used, verdicts.unused])} | ${joined([seen.used, seen.unused])} | ${orderOf(orders, 'deployFirst')} | ${orderOf(orders, 'publishFirst')} |`,
    ),
  ];
}

function joined(parts: readonly (string | null)[]): string {
  return parts.map((part) => part ?? '–').join(' · ');
}

function orderOf({ without, used }: Row['orders'], order: keyof BothOrders): string {
  return joined([without, used].map((one) => one && markOf(one.predicted[order], one.seen[order])));
}

function markOf(predicted: 'works' | 'fails', seen: 'works' | 'fails'): string {
  const marks = { works: '✓', fails: '✗' } as const;
  return predicted === seen ? marks[seen] : `said ${marks[predicted]}, seen ${marks[seen]}`;
}

function stricterOf(rows: readonly Row[]): readonly string[] {
  const lines = rows
    .filter(({ falseUnsafe }) => falseUnsafe.length > 0)
    .map(({ code, falseUnsafe, reason }) => `- \`${code}\`, ${falseUnsafe.join(', ')}: ${reason ?? ''}`);
  return lines.length === 0 ? ['None.'] : lines;
}
