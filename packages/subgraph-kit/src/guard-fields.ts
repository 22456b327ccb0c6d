import { forbidden, ROLE_POLICY_PREFIX, unauthenticated, type UserContext } from '@trellis/subgraph-protocol';
import { defaultFieldResolver, isObjectType, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import type { AnyOf, DeclaredRight } from './declared-rights.ts';

/** What the resolvers of a guarded schema receive. */
export interface GuardedContext {
  /** Who is asking. */
  readonly userContext: UserContext;
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/**
 * Makes every field that demands something of its caller ask for it again, whatever the gateway has let through: what it signed
 * says who may do what, and a context that leaks is good for no more than that. ADR 0025.
 *
 * @param schema changed in place
 * @param rights by coordinate
 */
export function guardFields(schema: GraphQLSchema, rights: ReadonlyMap<string, DeclaredRight>): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const right = rights.get(`${type.name}.${field.name}`);
      if (!right) continue;
      const assertMet = createGuard(right);
      field.resolve = guarded(field.resolve ?? defaultFieldResolver, assertMet);
      if (field.subscribe) field.subscribe = guarded(field.subscribe, assertMet);
    }
  }
}

type Guard = (context: unknown) => void;

function guarded(resolve: Resolver, assertMet: Guard): Resolver {
  return (source, args, context, info) => {
    assertMet(context);
    return resolve(source, args, context, info);
  };
}

const ANONYMOUS: UserContext = Object.freeze({ scopes: [] });

/** Remembers whom it let through last: fields below a list are asked for by one caller, one after the other. */
function createGuard(right: DeclaredRight): Guard {
  let allowed: UserContext | undefined;
  return (context) => {
    const { userContext = ANONYMOUS } = context as Partial<GuardedContext>; // whatever it is, no one gets more by it
    if (userContext === allowed) return;
    if (!isMet(right, userContext))
      throw isKnown(userContext) ? denial(right, userContext) : unauthenticated();
    allowed = userContext;
  };
}

function isMet({ authenticated, scopes, policies }: DeclaredRight, context: UserContext): boolean {
  return (
    (!authenticated || isKnown(context)) &&
    scopes.every((clause) => meetsAny(clause, (name) => context.scopes.includes(name))) &&
    policies.every((clause) => meetsAny(clause, (name) => holdsPolicy(context, name)))
  );
}

function meetsAny(clause: AnyOf, holds: (name: string) => boolean): boolean {
  return clause.some((names) => names.every(holds));
}

/** Whether a token came with the request: a user's, a client's own, or one of a group of users. */
function isKnown({ user, clientId, groupRoles, issuer }: UserContext): boolean {
  return user !== undefined || clientId !== undefined || groupRoles !== undefined || issuer !== undefined;
}

/** Roles are in the context by themselves; of other policies the gateway says which hold. */
function holdsPolicy({ user, groupRoles, policies = [] }: UserContext, name: string): boolean {
  if (!name.startsWith(ROLE_POLICY_PREFIX)) return policies.includes(name);
  return (user?.roles ?? groupRoles ?? []).includes(name.slice(ROLE_POLICY_PREFIX.length));
}

function denial({ scopes }: DeclaredRight, context: UserContext): Error {
  const missing = scopes.filter((clause) => !meetsAny(clause, (name) => context.scopes.includes(name)));
  if (missing.length === 0) return forbidden('Access to this field is denied.');
  const lacking = missing.map((clause) =>
    clause.map((names) => names.filter((name) => !context.scopes.includes(name))),
  );
  const noun = new Set(lacking.flat(2)).size === 1 ? 'scope' : 'scopes';
  const alternatives = lacking.map((clause) => clause.map((names) => names.join(' and ')).join(', or '));
  return forbidden(`This field needs the ${noun} ${[...new Set(alternatives)].join(' and ')}.`);
}
