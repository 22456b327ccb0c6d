import { own } from '@trellis/runtime/own-property';
import type { BudgetDecision, EndpointBudget } from '../http/request-limits.ts';
import { paths } from '../paths.ts';

const page: EndpointBudget = { group: 'pages', cost: 1 };
const form: EndpointBudget = { group: 'pages', cost: 2 };
const password: EndpointBudget = { group: 'sign-in', cost: 5 };
const mail: EndpointBudget = { group: 'mail', cost: 20 };
const client: EndpointBudget = { group: 'clients', cost: 1 };
const storing: EndpointBudget = { group: 'clients', cost: 5 };
const registration: EndpointBudget = { group: 'registration', cost: 20 };
const administration: EndpointBudget = { group: 'administration', cost: 1 };

const WELL_KNOWN = '/.well-known/';

/** Every endpoint, by method and path below the issuer. The server does not start with one that is not decided here. */
export const endpointBudgets: Readonly<Record<string, BudgetDecision>> = Object.freeze({
  [`GET ${paths.home}`]: page,
  [`GET ${paths.assets}`]: page,
  [`GET ${paths.clientLogo}`]: page,
  [`GET ${paths.authorize}`]: page,
  [`POST ${paths.authorize}`]: form,
  [`GET ${paths.resume}`]: page,
  [`GET ${paths.login}`]: page,
  [`POST ${paths.login}`]: password,
  [`GET ${paths.consent}`]: page,
  [`POST ${paths.consent}`]: form,
  [`GET ${paths.device}`]: page,
  [`POST ${paths.device}`]: form,
  [`GET ${paths.logout}`]: page,
  [`POST ${paths.logout}`]: form,
  [`POST ${paths.logout}/confirm`]: form,
  [`GET ${paths.account}`]: page,
  [`POST ${paths.account}/password`]: password,
  [`POST ${paths.account}/name`]: form,
  [`POST ${paths.account}/email`]: mail,
  [`POST ${paths.account}/export`]: password,
  [`POST ${paths.account}/delete`]: password,
  [`POST ${paths.account}/sessions`]: form,
  [`POST ${paths.account}/applications`]: form,
  [`GET ${paths.link}`]: page,
  [`POST ${paths.link}`]: password,
  [`GET ${paths.signUp}`]: page,
  [`POST ${paths.signUp}`]: mail,
  [`GET ${paths.forgotten}`]: page,
  [`POST ${paths.forgotten}`]: mail,
  [`POST ${paths.token}`]: client,
  [`GET ${paths.userinfo}`]: client,
  [`POST ${paths.userinfo}`]: client,
  [`POST ${paths.introspect}`]: client,
  [`POST ${paths.revoke}`]: client,
  [`POST ${paths.par}`]: storing,
  [`POST ${paths.deviceAuthorization}`]: storing,
  [`POST ${paths.register}`]: registration,
  [`GET ${paths.register}/:id`]: registration,
  [`PUT ${paths.register}/:id`]: registration,
  [`DELETE ${paths.register}/:id`]: registration,
  [`GET ${paths.jwks}`]: 'free',
  [`GET ${WELL_KNOWN}openid-configuration`]: 'free',
  [`GET ${WELL_KNOWN}oauth-authorization-server`]: 'free',
});

/**
 * What is decided for an endpoint.
 *
 * @param path below the issuer
 * @throws Error when nothing is: a new endpoint has to be added to the table
 */
export function budgetOf(method: string, path: string): BudgetDecision {
  const isAdministration = [paths.admin, paths.console].some(
    (root) => path === root || path.startsWith(`${root}/`),
  );
  if (isAdministration) return administration;
  const decision = own(endpointBudgets, `${method} ${path}`);
  if (decision === undefined) throw new Error(`The budget of ${method} ${path} is not decided.`);
  return decision;
}
