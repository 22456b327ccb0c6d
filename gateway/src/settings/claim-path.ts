/** Where a value is in the claims of a token: names from the outside in. */
export type ClaimPath = readonly string[];

const SEGMENT = /"([^"]+)"|([^."\s]+)/y;
/** A claim with a collision-resistant name is named by its address, dots included. RFC 7519 §4.2. */
const NAMESPACED = /^(?:https?:\/\/|urn:)\S+$/;
const MAX_DEPTH = 8;

/**
 * Reads a path such as `realm_access.roles`. A name with dots stands in quotes (`resource_access."my.api".roles`); one that is
 * an address (`https://graph.example/roles`) is one name.
 *
 * @returns nothing for what is no path
 */
export function parseClaimPath(text: string): ClaimPath | undefined {
  if (NAMESPACED.test(text)) return [text];
  const names: string[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    SEGMENT.lastIndex = at;
    const [segment, quoted, bare] = SEGMENT.exec(text) ?? [];
    if (segment === undefined) return undefined;
    names.push(quoted ?? bare ?? '');
    at += segment.length;
    if (at < text.length && text[at] !== '.') return undefined;
  }
  return names.length <= MAX_DEPTH ? names : undefined;
}

/** Why a text is no path (`must be …`); undefined for one that is. */
export function problemOfClaimPath(text: string): string | undefined {
  if (parseClaimPath(text)) return undefined;
  return `must be the path of a claim, as realm_access.roles or "name.with.dots".roles, of at most ${MAX_DEPTH} names`;
}
