/** What the page of the gateway's state says, in one language. */
export interface StateTexts {
  readonly title: string;
  readonly since: string;
  readonly reload: string;
  /** In place of an empty table. */
  readonly none: string;
  readonly supergraph: {
    readonly title: string;
    readonly fact: string;
    readonly value: string;
    readonly served: string;
    readonly notYet: string;
    readonly reloads: string;
    readonly rejected: string;
  };
  readonly subgraphs: {
    readonly title: string;
    readonly subgraph: string;
    readonly breaker: string;
    readonly open: string;
    readonly closed: string;
    readonly requests: string;
  };
  readonly operations: {
    readonly failing: string;
    readonly slow: string;
    readonly durations: string;
    readonly name: string;
    /** Of an operation that has none. */
    readonly unnamed: string;
    readonly kind: string;
    readonly count: string;
    readonly mean: string;
    readonly beyondSecond: string;
    readonly allTime: string;
  };
  readonly failed: string;
  readonly half: string;
  readonly most: string;
  readonly moreThan: (time: string) => string;
  readonly clients: { readonly title: string; readonly client: string; readonly operations: string };
  readonly caches: {
    readonly title: string;
    readonly cache: string;
    readonly lookups: string;
    readonly hits: string;
    readonly plans: string;
    readonly introspection: string;
    readonly responses: string;
  };
  readonly limits: { readonly title: string; readonly limit: string; readonly count: string };
  /** The history of a registry. */
  readonly records: {
    readonly title: string;
    readonly sequence: string;
    readonly recorded: string;
    readonly action: string;
    readonly actor: string;
    readonly release: string;
    readonly variants: string;
    readonly here: string;
    readonly notHere: string;
    /** Before the time since which it is served. */
    readonly now: string;
  };
  readonly canary: {
    readonly title: string;
    readonly figure: string;
    readonly main: string;
    readonly share: string;
    readonly callers: string;
    readonly operations: string;
    readonly nearlyAll: string;
    readonly againstFailed: string;
    readonly againstSlow: string;
    /** Of failures: soon after it began, less stops it. */
    readonly failedEvidence: (now: string, stopsAt: number) => string;
    readonly slowEvidence: (now: string, stopsAt: number) => string;
    readonly stopped: string;
    readonly at: string;
    readonly variant: string;
    readonly release: string;
    readonly why: string;
    readonly failed: string;
    readonly slow: string;
    /** Another process has decided. */
    readonly elsewhere: string;
    readonly strength: string;
  };
}

/** The page in English. */
export const englishState: StateTexts = {
  title: 'Gateway',
  since: 'Since the start of the process.',
  reload: 'Reload',
  none: 'None so far.',
  supergraph: {
    title: 'Supergraph',
    fact: 'What',
    value: 'Is',
    served: 'Served since',
    notYet: 'none yet',
    reloads: 'Reloads',
    rejected: 'Reloads that were invalid',
  },
  subgraphs: {
    title: 'Subgraphs',
    subgraph: 'Subgraph',
    breaker: 'Circuit breaker',
    open: 'open',
    closed: 'closed',
    requests: 'Requests',
  },
  operations: {
    failing: 'Operations, those that fail first',
    slow: 'Operations, the slow ones first',
    durations: 'How long operations take',
    name: 'Name',
    unnamed: '(without a name)',
    kind: 'Kind',
    count: 'Count',
    mean: 'On average',
    beyondSecond: 'Longer than 1 s',
    allTime: 'Share of all time',
  },
  failed: 'Failed',
  half: 'Half within',
  most: '95 % within',
  moreThan: (time) => `more than ${time}`,
  clients: { title: 'Clients that name themselves', client: 'Client', operations: 'Operations' },
  caches: {
    title: 'Caches',
    cache: 'Cache',
    lookups: 'Lookups',
    hits: 'Hits',
    plans: 'Plans',
    introspection: 'Introspection',
    responses: 'Responses',
  },
  limits: { title: 'Rejected by limits', limit: 'Limit', count: 'Operations or requests' },
  records: {
    title: 'Releases of the registry',
    sequence: 'Record',
    recorded: 'Recorded',
    action: 'Action',
    actor: 'By',
    release: 'Release',
    variants: 'Variants',
    here: 'Served here since',
    notHere: 'not served here',
    now: 'now',
  },
  canary: {
    title: 'Canary',
    figure: 'Figure',
    main: 'Main version',
    share: 'Share of callers',
    callers: 'Callers',
    operations: 'Operations',
    nearlyAll: '99 % within',
    againstFailed: 'Evidence: callers with a failure',
    againstSlow: 'Evidence: callers with a slow response',
    failedEvidence: (now, stopsAt) => `${now} (stops at ${stopsAt}, soon after it began at less)`,
    slowEvidence: (now, stopsAt) => `${now} (stops at ${stopsAt})`,
    stopped: 'Canaries that were stopped',
    at: 'Stopped',
    variant: 'Variant',
    release: 'Release',
    why: 'Why',
    failed: 'more callers with a failure than by chance',
    slow: 'more callers with slow responses than by chance',
    elsewhere: 'decided by another process',
    strength: 'Evidence',
  },
};

/** The page in German. */
export const germanState: StateTexts = {
  title: 'Gateway',
  since: 'Seit dem Start des Prozesses.',
  reload: 'Neu laden',
  none: 'Bisher keine.',
  supergraph: {
    title: 'Supergraph',
    fact: 'Was',
    value: 'Ist',
    served: 'In Betrieb seit',
    notYet: 'noch keiner',
    reloads: 'Übernahmen',
    rejected: 'Abgewiesene Übernahmen',
  },
  subgraphs: {
    title: 'Subgraphen',
    subgraph: 'Subgraph',
    breaker: 'Schutzschalter',
    open: 'offen',
    closed: 'geschlossen',
    requests: 'Anfragen',
  },
  operations: {
    failing: 'Operationen, fehlschlagende zuerst',
    slow: 'Operationen, langsame zuerst',
    durations: 'Wie lange Operationen dauern',
    name: 'Name',
    unnamed: '(ohne Namen)',
    kind: 'Art',
    count: 'Anzahl',
    mean: 'Im Mittel',
    beyondSecond: 'Länger als 1 s',
    allTime: 'Anteil an aller Zeit',
  },
  failed: 'Fehlgeschlagen',
  half: 'Hälfte innerhalb',
  most: '95 % innerhalb',
  moreThan: (time) => `mehr als ${time}`,
  clients: { title: 'Clients, die sich nennen', client: 'Client', operations: 'Operationen' },
  caches: {
    title: 'Caches',
    cache: 'Cache',
    lookups: 'Abfragen',
    hits: 'Treffer',
    plans: 'Pläne',
    introspection: 'Introspektion',
    responses: 'Antworten',
  },
  limits: { title: 'Durch Grenzen abgewiesen', limit: 'Grenze', count: 'Operationen oder Anfragen' },
  records: {
    title: 'Releases der Registry',
    sequence: 'Eintrag',
    recorded: 'Eingetragen',
    action: 'Aktion',
    actor: 'Von',
    release: 'Release',
    variants: 'Varianten',
    here: 'Hier in Betrieb seit',
    notHere: 'hier nicht in Betrieb',
    now: 'jetzt',
  },
  canary: {
    title: 'Canary',
    figure: 'Größe',
    main: 'Hauptversion',
    share: 'Anteil der Aufrufer',
    callers: 'Aufrufer',
    operations: 'Operationen',
    nearlyAll: '99 % innerhalb',
    againstFailed: 'Evidenz: Aufrufer mit Fehlern',
    againstSlow: 'Evidenz: Aufrufer mit langsamen Antworten',
    failedEvidence: (now, stopsAt) => `${now} (Abbruch bei ${stopsAt}, kurz nach dem Beginn bei weniger)`,
    slowEvidence: (now, stopsAt) => `${now} (Abbruch bei ${stopsAt})`,
    stopped: 'Abgebrochene Canaries',
    at: 'Abgebrochen',
    variant: 'Variante',
    release: 'Release',
    why: 'Grund',
    failed: 'mehr Aufrufer mit Fehlern als durch Zufall',
    slow: 'mehr Aufrufer mit langsamen Antworten als durch Zufall',
    elsewhere: 'von einem anderen Prozess entschieden',
    strength: 'Evidenz',
  },
};

/** The page in simplified Chinese. */
export const chineseState: StateTexts = {
  title: '网关',
  since: '自进程启动以来。',
  reload: '重新加载',
  none: '暂无。',
  supergraph: {
    title: '超图',
    fact: '项目',
    value: '值',
    served: '开始服务时间',
    notYet: '尚无',
    reloads: '更新次数',
    rejected: '被拒绝的更新',
  },
  subgraphs: {
    title: '子图',
    subgraph: '子图',
    breaker: '熔断器',
    open: '断开',
    closed: '闭合',
    requests: '请求',
  },
  operations: {
    failing: '操作（失败者在前）',
    slow: '操作（缓慢者在前）',
    durations: '操作耗时',
    name: '名称',
    unnamed: '（未命名）',
    kind: '种类',
    count: '次数',
    mean: '平均',
    beyondSecond: '超过 1 秒',
    allTime: '占总时间',
  },
  failed: '失败',
  half: '半数不超过',
  most: '95% 不超过',
  moreThan: (time) => `超过 ${time}`,
  clients: { title: '表明身份的客户端', client: '客户端', operations: '操作' },
  caches: {
    title: '缓存',
    cache: '缓存',
    lookups: '查询',
    hits: '命中',
    plans: '计划',
    introspection: '内省',
    responses: '响应',
  },
  limits: { title: '被限制拒绝', limit: '限制', count: '操作或请求' },
  records: {
    title: '注册表中的发布',
    sequence: '记录',
    recorded: '记录时间',
    action: '动作',
    actor: '操作者',
    release: '发布',
    variants: '变体',
    here: '在此服务自',
    notHere: '未在此服务',
    now: '当前',
  },
  canary: {
    title: '金丝雀',
    figure: '指标',
    main: '主版本',
    share: '调用者占比',
    callers: '调用者',
    operations: '操作',
    nearlyAll: '99% 不超过',
    againstFailed: '证据：遇到失败的调用者',
    againstSlow: '证据：响应缓慢的调用者',
    failedEvidence: (now, stopsAt) => `${now}（达到 ${stopsAt} 时停止，刚开始后较低即停止）`,
    slowEvidence: (now, stopsAt) => `${now}（达到 ${stopsAt} 时停止）`,
    stopped: '已停止的金丝雀',
    at: '停止时间',
    variant: '变体',
    release: '发布',
    why: '原因',
    failed: '遇到失败的调用者多于偶然',
    slow: '响应缓慢的调用者多于偶然',
    elsewhere: '由另一进程决定',
    strength: '证据',
  },
};
