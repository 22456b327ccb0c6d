import { settingsSchema } from 'trellis/programs';
import { z } from 'zod';

/** The part of a JSON Schema that the page shows. */
interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly additionalProperties?: Described | boolean;
}

/** The keys of gateway.yaml in Markdown: a section for each at the top, nested ones with dots. */
export function settingsSections(): string {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }) as Described;
  return Object.entries(schema.properties ?? {})
    .map(([name, member]) => {
      const items = describe(member, name).map(({ key, description }) => `- \`${key}\`: ${description}`);
      return [`## ${name}\n`, ...items, ''].join('\n');
    })
    .join('\n');
}

interface Key {
  readonly key: string;
  readonly description: string;
}

/** A list's members are shown as `key[]`, those of a mapping with free keys as `key.<name>`. */
function listKeys({ properties = {}, items, additionalProperties }: Described, path: string): readonly Key[] {
  const named = Object.entries(properties).flatMap(([name, member]) => describe(member, join(path, name)));
  const listed = items ? listKeys(items, `${path}[]`) : [];
  const free =
    typeof additionalProperties === 'object' ? listKeys(additionalProperties, join(path, '<name>')) : [];
  return [...named, ...listed, ...free];
}

function describe(schema: Described, key: string): readonly Key[] {
  const inner = listKeys(schema, key);
  return schema.description === undefined ? inner : [{ key, description: schema.description }, ...inner];
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
