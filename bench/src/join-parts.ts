/** A deferred part, as `deferSpec=20220824` writes it. */
interface DeferredPart {
  readonly path: readonly (string | number)[];
  readonly data: Record<string, unknown>;
}

interface Frame {
  readonly data?: Record<string, unknown>;
  readonly incremental?: readonly DeferredPart[];
}

/** What the parts of a `multipart/mixed` response add up to; nothing when it is not in parts. */
export function joinParts(body: string): unknown {
  const [first, ...others] = framesOf(body);
  if (!first?.data || others.length === 0) return undefined;
  for (const { path, data } of others.flatMap(({ incremental = [] }) => incremental)) {
    const target = path.reduce<unknown>(
      (value, key) => (value as Record<string | number, unknown>)[key], // paths lead to what came before
      first.data,
    );
    Object.assign(target as object, data);
  }
  return first.data;
}

function framesOf(body: string): readonly Frame[] {
  return body
    .split(/(?:^|\r?\n)--[^\r\n]*(?:\r?\n|$)/)
    .map((part) => part.slice(part.indexOf('{')))
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Frame);
}
