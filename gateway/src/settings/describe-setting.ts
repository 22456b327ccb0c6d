import { isDerived } from './fill-in.ts';
import type { FixedLimit, Reload, Setting, SettingTable, ValueSetting } from './setting.ts';

/** What a schema says of a setting beside its type. */
export type SettingMeta = {
  readonly description: string;
  readonly default?: unknown;
};

/** What JSON Schema says of a setting: its sentences, and its default where that is a literal. */
export function describeSetting(setting: Exclude<Setting, FixedLimit>): SettingMeta {
  if (!isValue(setting)) return { description: setting.doc };
  const literal = literalDefault(setting);
  const facts = [unitOf(setting), defaultFact(setting), changeSentence(setting)].filter(
    (fact) => fact !== '',
  );
  return {
    description: [setting.doc, ...facts].join(' '),
    ...(literal !== undefined && { default: literal }),
  };
}

/** One key of gateway.yaml, as documented. */
export interface DocumentedSetting {
  /** With dots; elements of a list as `key[]`, of a mapping as `key.<name>`. */
  readonly key: string;
  readonly setting: Exclude<Setting, FixedLimit>;
  /** Empty where there is none. */
  readonly defaultText: string;
  /** Empty for what is no number. */
  readonly rangeText: string;
  /** Empty for groups. */
  readonly reload: Reload | '';
  /** Why a change needs a restart. Empty where none does. */
  readonly needsRestart: string;
}

/** Lists every key of a table that an operator can give, groups before their members. */
export function documentedSettings(members: SettingTable, path = ''): readonly DocumentedSetting[] {
  return Object.entries(members).flatMap(([name, setting]) => {
    if (setting.type === 'fixed') return [];
    const key = path === '' ? name : `${path}.${name}`;
    const inner =
      'members' in setting ? documentedSettings(setting.members, key + ELEMENTS[setting.type]) : [];
    return [documented(key, setting), ...inner];
  });
}

const ELEMENTS = { group: '', groups: '[]', 'groups-by-name': '.<name>' } as const;

function documented(key: string, setting: Exclude<Setting, FixedLimit>): DocumentedSetting {
  if (!isValue(setting))
    return {
      key,
      setting,
      defaultText: '',
      rangeText: '',
      reload: 'reload' in setting ? setting.reload : '',
      needsRestart: '',
    };
  return {
    key,
    setting,
    defaultText: defaultText(setting),
    rangeText: rangeText(setting),
    reload: setting.reload,
    needsRestart: setting.reload === 'restart' ? setting.needsRestart : '',
  };
}

function isValue(setting: Exclude<Setting, FixedLimit>): setting is ValueSetting {
  return !('members' in setting);
}

function literalDefault(setting: ValueSetting): unknown {
  const value = 'default' in setting ? setting.default : undefined;
  return isDerived(value) ? undefined : value;
}

function defaultText(setting: ValueSetting): string {
  if (setting.required) return 'required';
  const value = 'default' in setting ? setting.default : undefined;
  const text = isDerived(value) ? derivedText(value) : literalText(value);
  return 'bare' in setting ? `${text}; without guards, unbounded` : text;
}

function derivedText(value: Exclude<Parameters<typeof isDerived>[0], undefined>): string {
  if (!isDerived(value)) return '';
  if ('computed' in value) return value.computed;
  return 'same' in value ? value.same : `half of ${value.half}`;
}

function literalText(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}

function rangeText(setting: ValueSetting): string {
  const numeric = setting.type === 'map' ? setting.values : setting;
  if (!('min' in numeric)) return '';
  const { min, max, unit } = numeric;
  const range =
    max === undefined ? `from ${min.toLocaleString('en-US')}` : `${min} to ${max.toLocaleString('en-US')}`;
  return unit === undefined ? range : `${unit}, ${range}`;
}

function unitOf(setting: ValueSetting): string {
  return 'unit' in setting && setting.unit !== undefined ? `Unit: ${setting.unit}.` : '';
}

function defaultFact(setting: ValueSetting): string {
  const text = defaultText(setting);
  return text === '' || text === 'required' ? '' : `Default: ${text}.`;
}

/** Empty for a setting that is live. */
function changeSentence(setting: ValueSetting): string {
  if (setting.reload === 'live') return '';
  if (setting.reload === 'restart') return `A change needs a restart: ${setting.needsRestart}`;
  return 'A change holds for new connections.';
}
