import { own } from '@trellis/runtime/own-property';
import { z } from 'zod';
import { describeSetting } from './describe-setting.ts';
import { forms, rules } from './forms.ts';
import type { Setting, SettingGroup, SettingTable, ValueSetting } from './setting.ts';

/** The schema of a group of settings: unknown keys are rejected, and all but required ones may be absent. */
export function groupSchema({
  members,
  rule,
}: Pick<SettingGroup, 'members' | 'rule'> & { readonly type: string; readonly doc: string }): z.ZodType {
  const object = z.strictObject(shapeOf(members));
  if (rule === undefined) return object;
  const problemOf = byName(rules, rule);
  return object.superRefine((group, context) => {
    const message = problemOf(group);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function shapeOf(members: SettingTable): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, setting]) => {
      const type = schemaOf(setting);
      return type === undefined ? [] : [[key, isRequired(setting) ? type : type.optional()]];
    }),
  );
}

function isRequired(setting: Setting): boolean {
  return 'required' in setting && setting.required;
}

function schemaOf(setting: Setting): z.ZodType | undefined {
  if (setting.type === 'fixed') return undefined;
  return bareSchemaOf(setting).meta({ ...describeSetting(setting) });
}

function bareSchemaOf(setting: Exclude<Setting, { readonly type: 'fixed' }>): z.ZodType {
  switch (setting.type) {
    case 'group':
      return setting.canBeOff ? z.union([z.literal(false), groupSchema(setting)]) : groupSchema(setting);
    case 'groups':
      return z.array(groupSchema(setting));
    case 'groups-by-name':
      return z.record(z.string(), groupSchema(setting));
    default:
      return valueSchemaOf(setting);
  }
}

function valueSchemaOf(setting: ValueSetting): z.ZodType {
  switch (setting.type) {
    case 'int':
    case 'number':
      return numberOf(setting);
    case 'flag':
      return z.boolean();
    case 'text':
      return textOf(setting.form);
    case 'choice':
      return z.enum(setting.choices);
    case 'list':
      return z.array(textOf(setting.form)).min(setting.minItems ?? 0);
    case 'flag-or-list':
      return z.union([z.boolean(), z.array(textOf('name'))]);
    case 'text-or-list':
      return z.union([textOf(setting.form), z.array(textOf(setting.form)).min(1)]);
    case 'scalar':
      return z.union([z.string(), z.number(), z.boolean()]);
    case 'map':
      return z.record(
        textOf(setting.keys),
        setting.values.type === 'text' ? textOf(setting.values.form) : numberOf(setting.values),
      );
    default:
      return setting satisfies never;
  }
}

interface Numeric {
  readonly type: 'int' | 'number';
  readonly min: number;
  readonly max?: number;
}

function numberOf({ type, min, max }: Numeric): z.ZodNumber {
  const atLeast = (type === 'int' ? z.int() : z.number()).min(min);
  return max === undefined ? atLeast : atLeast.max(max);
}

function textOf(form: string | undefined): z.ZodString {
  if (form === undefined) return z.string();
  const named = byName(forms, form);
  if (typeof named === 'object') return z.string().regex(named.pattern, { error: named.error });
  return z.string().superRefine((text, context) => {
    const message = named(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function byName<T>(known: Readonly<Record<string, T>>, name: string): T {
  const found = own(known, name);
  if (found === undefined) throw new Error(`There is no form or rule ${name} of a setting.`);
  return found;
}

/** Whether clients may ask for the schema. */
export const introspection = {
  type: 'flag',
  default: { computed: 'true, in production false' },
  reload: 'live',
  doc: 'Whether __schema and __type are answered.',
} as const;

/** What errors do to non-null positions. */
export const onError = {
  type: 'choice',
  choices: ['PROPAGATE', 'NULL', 'HALT'],
  default: 'PROPAGATE',
  reload: 'live',
  doc: 'What an error does to a non-null position, of requests without onError: PROPAGATE (null at the next nullable position above), NULL (null at the position itself) or HALT (no data, the first error alone).',
} as const;

/** Progressive overrides. */
export const overridePercents = {
  type: 'map',
  values: { type: 'number', min: 0, max: 100, unit: 'percent' },
  default: {},
  reload: 'live',
  doc: 'By label of a progressive @override, for labels other than percent(…): of how many operations in 100 it is on.',
} as const;
