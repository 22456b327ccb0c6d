import { isAlias, visit, type Alias, type Document } from 'yaml';

/** The value of a YAML document, or why it has none. */
export interface YamlValue {
  /** Undefined where there are problems. */
  readonly value: unknown;
  /** Sentences, each with its place in the file where it has one. */
  readonly problems: readonly string[];
}

/**
 * Takes the value of a parsed document. An alias without an anchor, and too many aliases, are problems like those of syntax.
 *
 * @param placeAt the place of an offset, as in `gateway.yaml:3`
 */
export function takeYamlValue(document: Document.Parsed, placeAt: (offset: number) => string): YamlValue {
  const problems = [
    ...document.errors.map(({ message }) => withoutExcerpt(message)),
    ...unresolvedAliases(document).map((alias) => describeAlias(alias, placeAt)),
  ];
  return problems.length > 0 ? { value: undefined, problems } : resolveAliases(document);
}

/** On one line the excerpt, whose place is marked on a second one, would only confuse. */
function withoutExcerpt(message: string): string {
  const [sentence = ''] = message.split(':\n', 1);
  return `${sentence}.`;
}

/** Aliases whose anchor does not stand before them. The library throws at the first of them, without its place. */
function unresolvedAliases(document: Document): readonly Alias[] {
  const anchors = new Set<string>();
  const unresolved: Alias[] = [];
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) unresolved.push(node);
      } else if (node.anchor) anchors.add(node.anchor);
    },
  });
  return unresolved;
}

function describeAlias({ source, range }: Alias, placeAt: (offset: number) => string): string {
  const place = placeAt(range?.[0] ?? 0);
  return `*${source} is an alias in YAML, and no anchor before it has that name: put a text that begins with * in quotes (${place}).`;
}

const TOO_MANY_ALIASES =
  'Too many aliases: an anchor may be repeated 99 times, times the aliases within it. Write out some of the values.';

/** The library counts aliases when it resolves them: a short text may stand for gigabytes. */
function resolveAliases(document: Document): YamlValue {
  try {
    return { value: document.toJS(), problems: [] };
  } catch (error) {
    const problem = error instanceof ReferenceError ? TOO_MANY_ALIASES : `${(error as Error).message}.`; // yaml throws Errors
    return { value: undefined, problems: [problem] };
  }
}
