import { readAuthorizationRules } from '../../operation/access/authorization-rules.ts';
import type { Supergraph } from '../../supergraph/supergraph.ts';

/** Of a user, and of a session that renews itself. OpenID Connect Core §5.4, §11 */
const SCOPES_OF_SESSION = ['openid', 'profile', 'offline_access'];
const MAX_SCOPES = 100;

/** The scopes that open all of a schema. */
export function explorerScopes({ supergraphSchema }: Supergraph): readonly string[] {
  const { fields, types } = readAuthorizationRules(supergraphSchema);
  const required = [...fields.values(), ...types.values()].flatMap(({ scopes }) => scopes.flat(2));
  return [...new Set([...SCOPES_OF_SESSION, ...required.toSorted()])].slice(0, MAX_SCOPES);
}
