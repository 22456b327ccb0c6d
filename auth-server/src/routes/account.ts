import type { FastifyInstance } from 'fastify';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { english } from '../pages/texts/english.ts';
import type { AccountDone } from '../pages/texts/account-texts.ts';
import { paths } from '../paths.ts';
import { accountActions } from './account-forms.ts';
import { isFormToken } from './bound-form.ts';
import { pageExpired } from './page-errors.ts';
import { accountForm, showAccount, type AccountPageFeatures } from './show-account.ts';
import { askToSignIn, findUser } from './signed-in-user.ts';

/** The page where users see and end sessions and consents, change their account, take their data along, or leave. */
export function addAccountRoutes(server: FastifyInstance, features: AccountPageFeatures): void {
  addEndpoint(server, paths.account, {
    GET: async (request, reply) => {
      const done = queryParameters(request).get('done');
      const user = await findUser(features, request);
      if (!user) return askToSignIn(features, paths.account, request, reply);
      const outcome = { done: isDone(done) ? done : undefined };
      return showAccount(features, { user, request, reply }, outcome);
    },
  });
  for (const name of Object.keys(accountActions)) addAction(server, features, name);
}

/** A form of the page, which only the user's own browser can send. */
function addAction(server: FastifyInstance, features: AccountPageFeatures, name: string): void {
  addEndpoint(server, `${paths.account}/${name}`, {
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      parameters.assertUnrepeated();
      checkSameOrigin(request, features.settings.issuer);
      const user = await findUser(features, request);
      if (!user) throw pageExpired('not signed in');
      const visit = { user, request, reply };
      const form = accountForm(features, visit);
      if (!isFormToken(features, parameters.get('csrf'), ...form)) throw pageExpired('wrong form token');
      return accountActions[name]?.(features, visit, parameters);
    },
  });
}

function isDone(text: string | undefined): text is AccountDone {
  return text !== undefined && Object.hasOwn(english.account.done, text);
}
