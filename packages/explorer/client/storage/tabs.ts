/** What one tab holds. */
export interface Tab {
  readonly id: string;
  readonly query: string;
  /** As JSON. */
  readonly variables: string;
  /** As JSON. They may hold secrets. */
  readonly headers: string;
}

/** The tabs, and which one is shown. */
export interface Tabs {
  readonly all: readonly Tab[];
  readonly active: string;
}

const KEY = 'trellis-explorer-tabs';
const HEADERS_KEY = 'trellis-explorer-headers';
const MAX_TABS = 20;
const MAX_CHARACTERS = 500_000;

/** Reads the tabs of the last visit; headers only within the same browser tab. */
export function loadTabs(first: string): Tabs {
  const stored = readStored(localStorage, KEY) as Partial<Tabs> | undefined;
  const headers = (readStored(sessionStorage, HEADERS_KEY) ?? {}) as Readonly<Record<string, string>>;
  const all = Array.isArray(stored?.all) ? stored.all.filter(isTab).slice(0, MAX_TABS) : [];
  if (all.length === 0) return tabsOf(newTab(first));
  const active = all.find(({ id }) => id === stored?.active) ?? all[0];
  return { all: all.map((tab) => ({ ...tab, headers: headers[tab.id] ?? '' })), active: active?.id ?? '' };
}

/** Stores the tabs. What the browser has no room for is not stored. */
export function saveTabs({ all, active }: Tabs): void {
  const headers = Object.fromEntries(all.map((tab) => [tab.id, tab.headers]));
  writeStored(localStorage, KEY, { all: all.map((tab) => ({ ...tab, headers: '' })), active });
  writeStored(sessionStorage, HEADERS_KEY, headers);
}

/** A tab with a query. */
export function newTab(query: string, variables = ''): Tab {
  return { id: randomId(), query, variables, headers: '' };
}

/** Not a UUID of the browser: those are for secure contexts alone, and a page by http under another name than localhost is none. */
function randomId(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
}

function tabsOf(tab: Tab): Tabs {
  return { all: [tab], active: tab.id };
}

/** The tabs with one more, which is shown. One that holds the same is shown instead, and an empty one is reused. */
export function openTab({ all, active }: Tabs, query: string, variables = ''): Tabs {
  const same = all.find((one) => one.query === query && one.variables === variables);
  if (same) return { all, active: same.id };
  const tab = newTab(query, variables);
  const shown = all.find(({ id }) => id === active);
  const others = shown?.query.trim() === '' ? all.filter(({ id }) => id !== active) : all;
  return { all: [...others.slice(1 - MAX_TABS), tab], active: tab.id };
}

/** The tabs without one. There is always one. */
export function closeTab({ all, active }: Tabs, closed: string): Tabs {
  const index = all.findIndex(({ id }) => id === closed);
  const rest = all.filter(({ id }) => id !== closed);
  if (rest.length === 0) return tabsOf(newTab(''));
  const next = rest[Math.min(index, rest.length - 1)];
  return { all: rest, active: active === closed ? (next?.id ?? '') : active };
}

function isTab(value: unknown): value is Tab {
  const { id, query, variables } = (value ?? {}) as Partial<Tab>;
  return [id, query, variables].every((text) => typeof text === 'string');
}

/** What is stored as JSON; nothing where that is impossible or broken. */
export function readStored(storage: Storage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value as JSON, where there is room. */
export function writeStored(storage: Storage, key: string, value: unknown): void {
  const text = JSON.stringify(value);
  if (text.length > MAX_CHARACTERS) return;
  try {
    storage.setItem(key, text);
  } catch {
    // the browser stores nothing here: the page works without
  }
}
