import {
  drawOrder,
  type OrderPicture,
  type OrderStep,
  type ReleaseVerdict,
  type VerdictCounts,
} from '@trellis/release-verdict';
import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import type { ChangeTexts } from '../../pages/texts/change-texts.ts';
import { getRecordVerdict, listGateways, type GatewayJson } from '../admin/gateways.ts';
import { sectionsOf, type ScreenMaker, type ScreenTools } from './screens.ts';

/** Narrow enough for a telephone, where the picture shrinks little. */
const PICTURE_WIDTH = 320;
const VERDICTS = ['breaking', 'dangerous', 'unknown', 'safe', 'approved'] as const;

/** What a record changes against the one before: verdict, and the order of deployment as a picture. */
export const changeScreen: ScreenMaker = async (tools) => {
  const { query, read, texts, to } = tools;
  const { change: words } = texts.graph;
  const [gateway, sequence] = [query.get('gateway') ?? '', query.get('record') ?? ''];
  const { gateways, history_page: historyPage } = await read(listGateways);
  const known = gateways.find(({ name }) => name === gateway);
  const version = known && versionOf(known, sequence);
  const back = { href: to('/graph'), text: texts.navigation.graph };
  if (version === undefined)
    return {
      title: words.title(''),
      sections: [{ id: 'verdict', heading: words.verdict, intro: words.unknownRecord, links: [back] }],
    };
  const links =
    historyPage === undefined
      ? [back]
      : [back, { href: `${historyPage}#record-${sequence}`, text: texts.graph.changesOf(version) }];
  const { verdict, problem } = await read(getRecordVerdict, { id: gateway, sequence });
  const sections = verdict
    ? verdictSections(tools, verdict)
    : [
        withoutVerdict(
          tools,
          verdict === null ? words.withoutVerdict : words.problems[problem ?? 'unavailable'],
        ),
      ];
  return {
    title: words.title(version),
    sections: [...sections, { id: 'onwards', heading: words.onwards, links }],
  };
};

/** `production.42`, where the history of the gateway has it. */
function versionOf({ state }: GatewayJson, sequence: string): string | undefined {
  const isKnown = state?.records.some((record) => String(record.sequence) === sequence);
  return isKnown ? `${state?.record?.environment ?? ''}.${sequence}` : undefined;
}

function withoutVerdict({ texts }: ScreenTools, intro: string): ConsoleSection {
  return { id: 'verdict', heading: texts.graph.change.verdict, intro };
}

function verdictSections(tools: ScreenTools, verdict: ReleaseVerdict): readonly ConsoleSection[] {
  const { change: words } = tools.texts.graph;
  return sectionsOf(
    {
      id: 'verdict',
      heading: words.verdict,
      picture: drawOrder(pictureOf(verdict, words), { width: PICTURE_WIDTH, direction: tools.direction }),
      facts: [
        ...VERDICTS.map((kind) => [words.verdicts[kind], String(verdict.counts[kind])] as const),
        [
          words.operations,
          verdict.operations === undefined ? words.noOperations : String(verdict.operations),
        ],
      ],
    },
    verdict.order && verdict.order.steps.length > 0 && stepsSection(verdict.order.steps, words),
    changesSection(verdict, words),
  );
}

function pictureOf({ counts, order }: ReleaseVerdict, words: ChangeTexts): OrderPicture {
  return {
    title: order ? words.orders[order.verdict] : words.noOrder,
    counts: VERDICTS.filter((kind) => counts[kind] > 0).map((verdict) => ({
      verdict,
      text: words.counted(counts[verdict], words.verdicts[verdict]),
    })),
    steps: (order?.steps ?? []).map((step) => ({ kind: kindOf(step), text: stepText(step, words) })),
    more: words.moreSteps,
  };
}

function kindOf({ action }: OrderStep): 'deploy' | 'publish' | 'any' {
  if (action === 'publish') return 'publish';
  return action === 'deploy-any-time' ? 'any' : 'deploy';
}

function stepText({ action, subgraph = '' }: OrderStep, words: ChangeTexts): string {
  return words.steps[action](subgraph);
}

/** The picture in words, and why: reasons are in the words of the check. */
function stepsSection(steps: readonly OrderStep[], words: ChangeTexts): ConsoleSection {
  return {
    id: 'steps',
    heading: words.order,
    table: {
      labelledBy: 'steps',
      columns: [words.number, words.step, words.forNew, words.forOld],
      rows: steps.map((step, index) => [
        String(index + 1),
        stepText(step, words),
        english(step.forNew),
        english(step.forOld),
      ]),
    },
  };
}

function english(text: string | undefined): Cell {
  return text === undefined ? '' : { english: text };
}

function changesSection({ changes, counts }: ReleaseVerdict, words: ChangeTexts): ConsoleSection {
  const more = totalOf(counts) - changes.length;
  return {
    id: 'changes',
    heading: words.changes,
    ...(more > 0 && { intro: words.moreChanges(more) }),
    empty: words.noChanges,
    table: {
      labelledBy: 'changes',
      columns: [words.verdict, words.coordinate, words.change, words.concerned, words.approvedBy],
      rows: changes.map(({ verdict, coordinate, message, operations, approvedBy }) => [
        words.verdicts[verdict],
        { code: coordinate },
        { english: message },
        String(operations),
        approvedBy ?? '',
      ]),
    },
  };
}

function totalOf(counts: VerdictCounts): number {
  return VERDICTS.reduce((sum, kind) => sum + counts[kind], 0);
}
