import type { Model, Step } from './explore-states.ts';

/** What of the protocol is left out, so that exploring has to find it. */
export interface Flaws {
  /** rename(2), which replaces, in the place of link(2). */
  readonly createsOver?: boolean;
  /** The record is created before the text that it names. */
  readonly recordFirst?: boolean;
  /** Who loses creates its record after the new head without reading that. */
  readonly keepsDecision?: boolean;
  /** Says "published" before the folder is synced. */
  readonly saysEarly?: boolean;
  /** Builds on a head that is not synced. */
  readonly buildsOnUnsynced?: boolean;
  /** gc deletes what was old when it looked, without moving it aside and looking again. */
  readonly deletesAtOnce?: boolean;
  /** Texts that exist are not touched. */
  readonly doesNotTouch?: boolean;
}

/** Where a publisher is; the steps are those of `appendRecord` over a `FolderStore`. */
type At = 'read' | 'text' | 'text again' | 'sync head' | 'link' | 'sync' | 'done' | 'lost' | 'killed';

interface Publisher {
  readonly at: At;
  /** Records that it has read. */
  readonly seen: number;
  /** The graph that it has composed: a bit for each subgraph. */
  readonly graph: number;
  readonly losses: number;
  /** The sequence that it has said to be published. 0: none */
  readonly said: number;
}

interface ModelRecord {
  readonly by: number;
  /** Its graph is also the name of its text. */
  readonly graph: number;
  /** Who wrote the record before: stands for its hash. -1: the first */
  readonly previous: number;
  readonly synced: boolean;
}

type Text = 'old' | 'young';

interface Garbage {
  readonly at: 'list' | 'look' | 'move' | 'judge' | 'done' | 'killed';
  /** The text to delete. */
  readonly text: number;
  /** The age of the text that was moved aside, where readers still find it. */
  readonly aside: Text | undefined;
}

/** The store and all who use it. */
export interface RegistryState {
  readonly log: readonly (ModelRecord | undefined)[];
  readonly texts: Readonly<Record<number, Text>>;
  readonly publishers: readonly Publisher[];
  readonly garbage: Garbage;
  readonly powerLost: boolean;
}

const MAX_LOSSES = 2;

/**
 * Publishers of one subgraph each, kills at every step, one loss of power, and one run of gc beside them, which finds a text of the
 * first publisher that a former one left a day ago.
 */
export function publisherModel(publishers: number, flaws: Flaws = {}): Model<RegistryState> {
  const initial: RegistryState = {
    log: [],
    texts: { 1: 'old' },
    publishers: Array.from({ length: publishers }, () => ({
      at: 'read',
      seen: 0,
      graph: 0,
      losses: 0,
      said: 0,
    })),
    garbage: { at: 'list', text: 0, aside: undefined },
    powerLost: false,
  };
  return {
    initial,
    steps: (state) => [
      ...state.publishers.flatMap((publisher, index) => stepsOf(state, publisher, index, flaws)),
      ...garbageSteps(state, flaws),
      ...powerLoss(state),
    ],
    keyOf,
    violation: violationIn,
  };
}

type Found = readonly Step<RegistryState>[];

function stepsOf(state: RegistryState, publisher: Publisher, index: number, flaws: Flaws): Found {
  if (['done', 'lost', 'killed'].includes(publisher.at)) return [];
  const killed = moved(state, index, { ...publisher, at: 'killed' });
  return [
    { label: `${index} ${publisher.at}`, state: act(state, publisher, index, flaws) },
    { label: `${index} is killed before ${publisher.at}`, state: killed },
  ];
}

function act(state: RegistryState, publisher: Publisher, index: number, flaws: Flaws): RegistryState {
  const to = (next: Partial<Publisher>, rest: Partial<RegistryState> = {}): RegistryState =>
    moved({ ...state, ...rest }, index, { ...publisher, ...next });
  const withText = { texts: { ...state.texts, [publisher.graph]: 'young' as const } };
  switch (publisher.at) {
    case 'read': {
      // Records never change: reading them one by one is reading them at once, when the head was read.
      const base = state.log.at(-1)?.graph ?? 0;
      return to({
        at: flaws.recordFirst ? 'sync head' : 'text',
        seen: state.log.length,
        graph: base | (1 << index),
      });
    }
    case 'text': {
      const exists = state.texts[publisher.graph] !== undefined;
      if (exists && flaws.doesNotTouch) return to({ at: 'sync head' });
      if (flaws.recordFirst) return to({ at: 'sync' }, withText);
      return to({ at: exists ? 'text again' : 'sync head' }, withText);
    }
    case 'text again': // it was touched; gc may have moved it before it is read
      return to({ at: 'sync head' }, withText);
    case 'sync head':
      return to({ at: 'link' }, flaws.buildsOnUnsynced ? {} : { log: synced(state.log) });
    case 'link':
      return link(state, publisher, index, flaws);
    case 'sync':
      return to({ at: 'done', said: publisher.seen + 1 }, { log: synced(state.log) });
    default:
      return state;
  }
}

function link(state: RegistryState, publisher: Publisher, index: number, flaws: Flaws): RegistryState {
  const { seen, graph, losses } = publisher;
  const isTaken = seen < state.log.length;
  if (isTaken && !flaws.createsOver) {
    if (losses === MAX_LOSSES) return moved(state, index, { ...publisher, at: 'lost' });
    const again = flaws.keepsDecision
      ? { seen: state.log.length, at: 'link' as const }
      : { at: 'read' as const };
    return moved(state, index, { ...publisher, ...again, losses: losses + 1 });
  }
  const previous = seen === 0 ? -1 : (state.log[seen - 1]?.by ?? -1);
  const log = [...state.log];
  log[seen] = { by: index, graph, previous, synced: false };
  const next = flaws.recordFirst ? 'text' : 'sync';
  const said = flaws.saysEarly ? seen + 1 : publisher.said;
  return moved({ ...state, log }, index, { ...publisher, at: next, said });
}

/** What is not synced may be lost, each entry by itself. */
function powerLoss(state: RegistryState): Found {
  if (state.powerLost) return [];
  const publishers = state.publishers.map((one) =>
    one.at === 'done' || one.at === 'lost' ? one : ended({ ...one, at: 'killed' }),
  );
  const unsynced = state.log.flatMap((record, index) => (record && !record.synced ? [index] : []));
  return subsets(unsynced).map((lost) => {
    const left = state.log.map((record, index) =>
      lost.includes(index) || !record ? undefined : { ...record, synced: true },
    );
    while (left.length > 0 && left.at(-1) === undefined) left.pop();
    const garbage = { ...state.garbage, at: 'killed' as const };
    return {
      label: `power is lost, and with it records ${lost.map((index) => index + 1).join(', ') || 'none'}`,
      state: { ...state, log: left, publishers, garbage, powerLost: true },
    };
  });
}

function garbageSteps(state: RegistryState, flaws: Flaws): Found {
  const { garbage } = state;
  if (garbage.at === 'done' || garbage.at === 'killed') return [];
  return [
    { label: `gc ${garbage.at}`, state: collect(state, flaws) },
    {
      label: `gc is killed before ${garbage.at}`,
      state: { ...state, garbage: { ...garbage, at: 'killed' } },
    },
  ];
}

function collect(state: RegistryState, flaws: Flaws): RegistryState {
  const { garbage, texts, log } = state;
  const { text, aside } = garbage;
  const to = (next: Partial<Garbage>, changed = texts): RegistryState => ({
    ...state,
    texts: changed,
    garbage: { ...garbage, ...next },
  });
  switch (garbage.at) {
    case 'list': {
      const named = new Set(log.map((record) => record?.graph));
      const old = Object.keys(texts)
        .map(Number)
        .find((name) => !named.has(name) && texts[name] === 'old');
      return to(old === undefined ? { at: 'done' } : { at: 'look', text: old });
    }
    case 'look':
      return to({ at: texts[text] === 'old' ? 'move' : 'done' });
    case 'move': {
      const without = Object.fromEntries(Object.entries(texts).filter(([name]) => name !== String(text)));
      if (flaws.deletesAtOnce || texts[text] === undefined) return to({ at: 'done' }, without);
      return to({ at: 'judge', aside: texts[text] }, without);
    }
    case 'judge':
      if (aside !== 'young') return to({ at: 'done', aside: undefined });
      return to({ at: 'done', aside: undefined }, { ...texts, [text]: 'young' });
    default:
      return state;
  }
}

function violationIn({ log, texts, publishers, garbage }: RegistryState): string | undefined {
  for (const [index, record] of log.entries()) {
    if (!record) return `Record ${index + 1} is missing.`;
    const before = log[index - 1];
    if (record.previous !== (before?.by ?? -1))
      return `Record ${index + 1} does not follow the one before it.`;
    if (record.graph !== ((before?.graph ?? 0) | (1 << record.by)))
      return `Record ${index + 1} lost what the one before it has.`;
    const isAside = garbage.aside !== undefined && garbage.text === record.graph;
    if (!isAside && texts[record.graph] === undefined)
      return `Record ${index + 1} names a text that is missing.`;
  }
  const gone = publishers.findIndex(({ said }, index) => said > 0 && log[said - 1]?.by !== index);
  return gone === -1
    ? undefined
    : `Publisher ${gone} said that record ${publishers[gone]?.said} was published.`;
}

function keyOf({ log, texts, publishers, garbage, powerLost }: RegistryState): string {
  const records = log.map((one) =>
    one ? `${one.by},${one.graph},${one.previous},${one.synced ? 1 : 0}` : '',
  );
  const publisher = publishers.map((one) => `${one.at},${one.seen},${one.graph},${one.losses},${one.said}`);
  const text = Object.entries(texts).map(([name, age]) => `${name}${age}`);
  const { at, text: collected, aside } = garbage;
  return [records, publisher, text, at, collected, aside, powerLost].join(';');
}

/** Who does nothing any more needs no memory: fewer states are the same. */
function ended(publisher: Publisher): Publisher {
  const isOver = ['done', 'lost', 'killed'].includes(publisher.at);
  return isOver ? { ...publisher, seen: 0, graph: 0, losses: 0 } : publisher;
}

function moved(state: RegistryState, index: number, publisher: Publisher): RegistryState {
  return { ...state, publishers: state.publishers.map((one, at) => (at === index ? ended(publisher) : one)) };
}

function synced(log: RegistryState['log']): RegistryState['log'] {
  return log.map((record) => record && { ...record, synced: true });
}

function subsets(indices: readonly number[]): readonly (readonly number[])[] {
  return indices.reduce<readonly (readonly number[])[]>(
    (all, index) => [...all, ...all.map((one) => [...one, index])],
    [[]],
  );
}
