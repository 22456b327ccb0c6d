import type { GatewayState, GraphRecord } from '../../gateways/gateway-state.ts';
import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import { listGateways, type GatewayJson } from '../admin/gateways.ts';
import { canarySections } from './canary-sections.ts';
import { fieldUseSections } from './field-use-sections.ts';
import { sectionsOf, type ScreenMaker, type ScreenTools } from './screens.ts';

/** As much of a digest as one reads. */
const DIGITS = 12;

/** Which versions of the graph there are, who serves them, how canaries do, and who uses a field. */
export const graphScreen: ScreenMaker = async (tools) => {
  const { read, texts } = tools;
  const { gateways } = await read(listGateways);
  const fieldUse = await fieldUseSections(
    tools,
    gateways.map(({ name }) => name),
  );
  return {
    title: texts.navigation.graph,
    sections: sectionsOf(
      gatewaysSection(tools, gateways),
      versionsSection(tools, gateways),
      ...canarySections(tools, gateways),
      ...fieldUse,
    ),
  };
};

function gatewaysSection(tools: ScreenTools, gateways: readonly GatewayJson[]): ConsoleSection {
  const { graph: words } = tools.texts;
  return {
    id: 'gateways',
    heading: words.gateways,
    empty: words.noGateways,
    table: {
      labelledBy: 'gateways',
      columns: [words.gateway, words.serves, words.since, words.variants, words.rejected],
      rows: gateways.map((gateway) => gatewayRow(tools, gateway)),
    },
  };
}

function gatewayRow(tools: ScreenTools, { name, problem, state }: GatewayJson): readonly Cell[] {
  const { graph: words } = tools.texts;
  if (!state) return [{ code: name }, words.problems[problem ?? 'unreachable'], '', '', ''];
  return [
    { code: name },
    { lines: servedLines(state, words.nothingYet) },
    tools.time(servedSince(state)),
    {
      lines: state.variants.map((variant) =>
        words.variant(
          `${variant.name} (${variant.release.slice(0, DIGITS)})`,
          variant.rule === 'percent' ? `${variant.percent} %` : undefined,
        ),
      ),
    },
    { lines: rejectedLines(state, words.rejectedReloads) },
  ];
}

function servedLines({ record, supergraph }: GatewayState, nothing: string): readonly string[] {
  if (record) return [versionOf(record), record.release.slice(0, DIGITS)];
  return [supergraph?.hash.slice(0, DIGITS) ?? nothing];
}

function versionOf({ environment, sequence, contract }: NonNullable<GatewayState['record']>): string {
  return `${environment}.${sequence}${suffixOf(contract)}`;
}

/** As versions have it everywhere: `production.42+partners`. */
function suffixOf(contract: string | undefined): string {
  return contract === undefined ? '' : `+${contract}`;
}

function servedSince({ records, supergraph }: GatewayState): number | undefined {
  return records.find(({ isServed }) => isServed)?.servedSince ?? supergraph?.servedSince;
}

function rejectedLines({ rejectedHeads, rejectedReloads }: GatewayState, reloads: string): readonly string[] {
  const heads = rejectedHeads.map(({ reason, times }) => `${reason}: ${times}`);
  return rejectedReloads === 0 ? heads : [...heads, `${reloads}: ${rejectedReloads}`];
}

interface Version {
  /** `production.42`. */
  readonly name: string;
  readonly record: GraphRecord;
  /** A gateway that has it in its history. */
  readonly knownBy: string;
  readonly servedBy: string[];
}

function versionsSection({ texts, time, to }: ScreenTools, gateways: readonly GatewayJson[]): ConsoleSection {
  const { graph: words } = texts;
  const { record, recorded, action, actor, release, variants, servedBy, changes } = words;
  return {
    id: 'versions',
    heading: words.versions,
    empty: words.noVersions,
    table: {
      labelledBy: 'versions',
      columns: [record, recorded, action, actor, release, variants, servedBy, changes],
      rows: versionsOf(gateways).map(({ name, record: one, knownBy, servedBy: names }) => [
        name,
        time(secondsOf(one.recorded)),
        one.action,
        one.actor,
        { code: one.release.slice(0, DIGITS) },
        one.variants,
        { lines: names },
        {
          href: to(`/graph/change?gateway=${encodeURIComponent(knownBy)}&record=${one.sequence}`),
          text: words.changesOf(name),
        },
      ]),
    },
  };
}

/** Gateways that follow one registry have the same records; each may serve another. */
function versionsOf(gateways: readonly GatewayJson[]): readonly Version[] {
  const versions = new Map<string, Version>();
  for (const { name: gateway, state } of gateways)
    for (const record of state?.records ?? []) {
      const name = `${state?.record?.environment ?? ''}.${record.sequence}`;
      const key = JSON.stringify([name, record.release, record.recorded]);
      const version = versions.get(key) ?? { name, record, knownBy: gateway, servedBy: [] };
      versions.set(key, version);
      if (record.isServed) version.servedBy.push(servedAs(gateway, state));
    }
  return [...versions.values()].toSorted((a, b) => b.record.sequence - a.record.sequence);
}

/** A gateway, and the contract of the version that it serves. */
function servedAs(gateway: string, state: GatewayState | undefined): string {
  const suffix = suffixOf(state?.record?.contract);
  return suffix === '' ? gateway : `${gateway} (${suffix})`;
}

/** A time that is none is not shown. */
function secondsOf(at: string): number | undefined {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? undefined : ms / 1_000;
}
