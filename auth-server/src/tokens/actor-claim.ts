/** Who acts in a user's name, and before that party another one. RFC 8693 §4.1 */
export interface ActorClaim {
  readonly sub: string;
  /** The client that the actor used; for a client that acts for itself the same as `sub`. */
  readonly client_id: string;
  readonly act?: ActorClaim | undefined;
}

/** Actors that a token may name, one inside the other. */
export const MAX_ACTORS = 5;

/** How many actors a claim names. */
export function countActors(claim: ActorClaim | undefined): number {
  let count = 0;
  for (let actor = claim; actor; actor = actor.act) count += 1;
  return count;
}

/** The members by which `may_act` can name an actor. RFC 8693 §4.4 */
const NAMES: ReadonlySet<string> = new Set(['sub', 'client_id', 'iss']);

/**
 * Whether the claim `may_act` of a subject token lets a party act. One that says something that is not known here lets no one.
 *
 * @param issuer whose words the actor's names are
 */
export function mayAct(
  claim: unknown,
  actor: Pick<ActorClaim, 'sub' | 'client_id'>,
  issuer: string,
): boolean {
  if (claim === undefined) return true;
  if (typeof claim !== 'object' || claim === null || Array.isArray(claim)) return false;
  const members = Object.entries(claim);
  const names = new Map<string, unknown>(Object.entries({ ...actor, iss: issuer }));
  const isNamed = members.some(([name]) => name === 'sub' || name === 'client_id');
  return isNamed && members.every(([name, value]) => NAMES.has(name) && names.get(name) === value);
}
