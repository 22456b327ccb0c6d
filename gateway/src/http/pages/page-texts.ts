import { choosePreferred } from '@trellis/http1/fields';
import { chineseState } from './chinese-state.ts';
import { englishState } from './english-state.ts';
import { germanState } from './german-state.ts';
import type { StateTexts } from './state-texts.ts';

/** Everything that the gateway's pages say before a script runs, in one language. */
export interface PageTexts {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly landing: {
    /** What this address is. */
    readonly intro: string;
    readonly version: string;
    readonly graph: string;
    /** @param types how many, subgraphs not counted */
    readonly types: (types: number) => string;
    readonly subgraphs: string;
    readonly endpoint: string;
    readonly explore: string;
    readonly tryIt: string;
    /** Beside the command where the graph takes tokens. */
    readonly token: string;
    readonly links: string;
    readonly issuer: string;
    readonly errors: string;
    readonly health: string;
  };
  /** Where nothing is at an address. */
  readonly missing: { readonly title: string; readonly text: string; readonly home: string };
  readonly explorer: {
    readonly title: string;
    readonly needsScript: string;
  };
  /** The page for operators. */
  readonly state: StateTexts;
}

/** The pages in English. */
const english: PageTexts = {
  language: 'en',
  direction: 'ltr',
  landing: {
    intro: 'A federated GraphQL graph is served here.',
    version: 'Version',
    graph: 'Schema',
    types: (types) => `${types} types`,
    subgraphs: 'Subgraphs',
    endpoint: 'Endpoint',
    explore: 'Open the explorer',
    tryIt: 'A first request',
    token: 'What needs rights takes an access token: add -H "Authorization: Bearer …".',
    links: 'Links',
    issuer: 'Sign-in and account',
    errors: 'Codes of errors',
    health: 'Health',
  },
  missing: {
    title: 'There is no page here',
    text: 'Nothing is served at this address. Look for mistakes in it, or begin at the start page.',
    home: 'Start page',
  },
  explorer: { title: 'explorer', needsScript: 'The explorer needs JavaScript.' },
  state: englishState,
};

/** The pages in German. */
const german: PageTexts = {
  language: 'de',
  direction: 'ltr',
  landing: {
    intro: 'Unter dieser Adresse läuft ein föderierter GraphQL-Graph.',
    version: 'Version',
    graph: 'Schema',
    types: (types) => `${types} Typen`,
    subgraphs: 'Subgraphen',
    endpoint: 'Endpunkt',
    explore: 'Explorer öffnen',
    tryIt: 'Eine erste Anfrage',
    token: 'Was Rechte braucht, verlangt ein Zugriffstoken: -H "Authorization: Bearer …".',
    links: 'Verweise',
    issuer: 'Anmeldung und Konto',
    errors: 'Fehlercodes',
    health: 'Zustand',
  },
  missing: {
    title: 'Hier ist keine Seite',
    text: 'Unter dieser Adresse gibt es nichts. Prüfen Sie sie, oder beginnen Sie auf der Startseite.',
    home: 'Startseite',
  },
  explorer: { title: 'Explorer', needsScript: 'Der Explorer braucht JavaScript.' },
  state: germanState,
};

/** The pages in simplified Chinese. */
const chinese: PageTexts = {
  language: 'zh',
  direction: 'ltr',
  landing: {
    intro: '此地址提供联邦式 GraphQL 图。',
    version: '版本',
    graph: '模式',
    types: (types) => `${types} 个类型`,
    subgraphs: '子图',
    endpoint: '端点',
    explore: '打开浏览器工具',
    tryIt: '第一个请求',
    token: '需要权限的字段要使用访问令牌：添加 -H "Authorization: Bearer …"。',
    links: '链接',
    issuer: '登录与账户',
    errors: '错误代码',
    health: '运行状况',
  },
  missing: {
    title: '此处没有页面',
    text: '此地址不提供任何内容。请检查地址，或从首页开始。',
    home: '首页',
  },
  explorer: { title: '浏览器工具', needsScript: '此工具需要 JavaScript。' },
  state: chineseState,
};

const byLanguage: Readonly<Record<string, PageTexts>> = { en: english, de: german, zh: chinese };

/** Longer lists of languages are not read. */
const MAX_CHARACTERS = 500;

/** The texts for a user: the best of Accept-Language, whatever the region, else English. RFC 9110 §12.5.4, RFC 4647 §3.4 */
export function chooseTexts(acceptLanguage = ''): PageTexts {
  if (acceptLanguage.length > MAX_CHARACTERS) return english;
  const languages = acceptLanguage.toLowerCase().replaceAll(/-[\w-]*/g, '');
  return byLanguage[choosePreferred(languages, Object.keys(byLanguage)) ?? 'en'] ?? english;
}
