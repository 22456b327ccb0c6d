/**
 * Whether an output is the one of an example. `…` in the example stands for anything, within a line or, alone on a line, for
 * any lines. JSON is compared as values, so that an example may be laid out for reading.
 */
export function matchesExample(output: string, example: string): boolean {
  const expected = parseJson(example);
  const actual = parseJson(output);
  if (expected !== undefined && actual !== undefined) return matchesValue(actual, expected);
  return toPattern(example).test(output.trim());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function matchesValue(actual: unknown, expected: unknown): boolean {
  if (typeof expected === 'string' && expected.includes('…'))
    return typeof actual === 'string' && toPattern(expected).test(actual);
  if (typeof expected !== 'object' || expected === null) return actual === expected;
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected))
    return false;
  const expectedEntries = Object.entries(expected);
  const actualEntries = new Map(Object.entries(actual));
  return (
    expectedEntries.length === actualEntries.size &&
    expectedEntries.every(
      ([key, value]) => actualEntries.has(key) && matchesValue(actualEntries.get(key), value),
    )
  );
}

function toPattern(example: string): RegExp {
  const source = example.trim().replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return new RegExp(`^${source.replaceAll('\n…\n', '\n(?:[^]*\n)?').replaceAll('…', '[^]*?')}$`);
}
