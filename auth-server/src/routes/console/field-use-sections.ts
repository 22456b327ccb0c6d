import type { FieldUse } from '../../gateways/gateway-state.ts';
import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import { findFieldUse, isFieldCoordinate, type FieldUseJson } from '../admin/gateways.ts';
import { percent } from './canary-sections.ts';
import type { ScreenTools } from './screens.ts';

const [DEFAULT_DAYS, MOST_DAYS] = ['7', 90];
/** As much of an operation's id as one reads. */
const DIGITS = 8;

/** The form that asks who uses a field, and what came of it. Without a gateway no one can be asked. */
export async function fieldUseSections(
  tools: ScreenTools,
  gateways: readonly string[],
): Promise<readonly ConsoleSection[]> {
  const [first] = gateways;
  if (first === undefined) return [];
  const { query } = tools;
  const asked = query.get('gateway') ?? first;
  const gateway = gateways.includes(asked) ? asked : first;
  const [field, days] = [query.get('field') ?? '', query.get('days') ?? DEFAULT_DAYS];
  const form = searchSection(tools, gateways, { gateway, field, days });
  if (field === '') return [form];
  return [form, await resultSection(tools, { gateway, field, days })];
}

interface Asked {
  readonly gateway: string;
  readonly field: string;
  readonly days: string;
}

function searchSection(
  { texts: { graph: words }, search }: ScreenTools,
  gateways: readonly string[],
  { gateway, field, days }: Asked,
): ConsoleSection {
  const fields = [
    {
      name: 'field',
      label: words.field,
      type: 'search',
      value: field,
      hint: words.fieldForm,
      isRequired: true,
    },
    { name: 'gateway', label: words.gateway, type: 'select', value: gateway, options: gateways },
    { name: 'days', label: words.days, type: 'number', value: days },
  ] as const;
  return { id: 'who-uses', heading: words.whoUses, forms: [search('/graph', fields)] };
}

async function resultSection(tools: ScreenTools, { gateway, field, days }: Asked): Promise<ConsoleSection> {
  const { graph: words } = tools.texts;
  const asked = field.trim();
  if (!isFieldCoordinate(asked) || !isDays(days))
    return { id: 'usage', heading: words.whoUses, intro: words.badSearch };
  const { use, problem }: FieldUseJson = await tools.read(
    findFieldUse,
    { id: gateway },
    { field: asked, days },
  );
  if (use) return usageSection(tools, use);
  return {
    id: 'usage',
    heading: words.usersOf(asked),
    intro: words.problems[problem ?? 'unavailable'],
  };
}

function isDays(text: string): boolean {
  const days = Number(text);
  return Number.isInteger(days) && days >= 1 && days <= MOST_DAYS;
}

function usageSection({ texts, time }: ScreenTools, use: FieldUse): ConsoleSection {
  const { graph: words } = texts;
  const { operation, client, requests, share, lastUse } = words;
  return {
    id: 'usage',
    heading: words.usersOf(use.field),
    facts: [
      [words.isUsed, { strong: words[verdictOf(use)] }],
      [words.period, periodOf(use)],
      [words.allRequests, String(use.requests)],
      [words.withField, `${use.requestsWithField} (${shareOf(use.requestsWithField, use)})`],
      ...(use.further > 0 ? [[words.operations, words.further(use.further)] as const] : []),
    ],
    table: {
      labelledBy: 'usage',
      columns: [operation, client, requests, share, lastUse],
      rows: use.operations.flatMap(({ id, name, clients }) =>
        clients.map((one): readonly Cell[] => [
          name === '' ? words.unnamed(id.slice(0, DIGITS)) : name,
          one.version === '' ? one.name : `${one.name} ${one.version}`,
          String(one.requests),
          shareOf(one.requests, use),
          time(one.lastUsed === undefined ? undefined : Date.parse(one.lastUsed) / 1_000),
        ]),
      ),
    },
  };
}

/** Where something is missing, what was not seen is not known to be unused. */
function verdictOf({ complete, operations }: FieldUse): 'used' | 'usedAtLeast' | 'unused' | 'unknown' {
  if (operations.length > 0) return complete ? 'used' : 'usedAtLeast';
  return complete ? 'unused' : 'unknown';
}

function shareOf(part: number, { requests }: FieldUse): string {
  return percent(requests === 0 ? 0 : part / requests);
}

function periodOf({ from, to }: FieldUse): string {
  return from === undefined || to === undefined ? '' : `${from.slice(0, 16)} – ${to.slice(0, 16)} UTC`;
}
