import { isAlias, LineCounter, parseDocument, visit, type Alias, type Document } from 'yaml';
import type { SourceLocation } from './diagnostic.ts';

/** What is wrong with a YAML text, and where. */
export interface YamlProblem {
  readonly message: string;
  readonly location: SourceLocation;
}

/** A YAML text, read. */
export interface YamlDocument {
  /** Its nodes, each with its offset in the text. */
  readonly nodes: Document.Parsed;
  /** Undefined where there are problems. */
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** @param offset in the text. Default: its beginning. */
  locationAt(offset?: number): SourceLocation;
}

/**
 * Reads a YAML text in which keys are unique. An alias without an anchor, and too many aliases, are problems like any other.
 *
 * @param source what locations name: the path of the text's file
 */
export function parseYamlDocument(text: string, source: string): YamlDocument {
  const lines = new LineCounter();
  const nodes = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const locationAt = (offset = 0): SourceLocation => {
    const { line, col } = lines.linePos(offset); // 0 in an empty text
    return { source, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const invalid = [
    ...syntaxProblems(nodes, source),
    ...unresolvedAliases(nodes).map((alias) => describeAlias(alias, locationAt)),
  ];
  return { nodes, locationAt, ...(invalid.length > 0 ? withProblems(invalid) : toValue(nodes, source)) };
}

type YamlResult = Pick<YamlDocument, 'value' | 'problems'>;

function withProblems(problems: readonly YamlProblem[]): YamlResult {
  return { value: undefined, problems };
}

/** The library's messages go on with the place, and an excerpt. */
function syntaxProblems({ errors }: Document.Parsed, source: string): readonly YamlProblem[] {
  return errors.map(({ message, linePos }) => ({
    message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
    location: { source, ...(linePos && { line: linePos[0].line, column: linePos[0].col }) },
  }));
}

/** Aliases whose anchor does not stand before them. The library throws at the first of them, without its place. */
function unresolvedAliases(nodes: Document.Parsed): readonly Alias[] {
  const anchors = new Set<string>();
  const unresolved: Alias[] = [];
  visit(nodes, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) unresolved.push(node);
      } else if (node.anchor) anchors.add(node.anchor);
    },
  });
  return unresolved;
}

function describeAlias({ source, range }: Alias, locationAt: YamlDocument['locationAt']): YamlProblem {
  return {
    message: `*${source} is an alias in YAML, and no anchor before it has that name: put a text that begins with * in quotes`,
    location: locationAt(range?.[0]),
  };
}

const TOO_MANY_ALIASES =
  'too many aliases: an anchor may be repeated 99 times, times the aliases within it. Write out some of the values';

/** The library counts aliases when it resolves them: a short text may stand for gigabytes. */
function toValue(nodes: Document.Parsed, source: string): YamlResult {
  try {
    return { value: nodes.toJS(), problems: [] };
  } catch (error) {
    const message = error instanceof ReferenceError ? TOO_MANY_ALIASES : (error as Error).message; // yaml throws Errors
    return withProblems([{ message, location: { source } }]);
  }
}
