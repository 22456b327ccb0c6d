import { own } from '@trellis/runtime/own-property';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { OAuthError } from '../../errors.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import { formParameters, queryParameters } from '../../http/request-parameters.ts';
import { checkSameOrigin } from '../../http/same-origin.ts';
import { parametersOf, type Parameters } from '../../parameters.ts';
import type { ConsoleActionName } from '../../pages/texts/console-texts.ts';
import { paths } from '../../paths.ts';
import { perform, requireScopeFor } from '../admin/admin-operation.ts';
import { isFormToken } from '../bound-form.ts';
import { pageExpired } from '../page-errors.ts';
import { redirect } from '../send-response.ts';
import { askToSignIn } from '../signed-in-user.ts';
import { accountScreen, accountsScreen } from './account-screens.ts';
import { changeScreen } from './change-screen.ts';
import { clientScreen, clientsScreen } from './client-screens.ts';
import { consoleActions, type ConsoleAction } from './console-actions.ts';
import {
  consoleAddress,
  consoleForm,
  findOperator,
  sendScreen,
  type ConsoleFeatures,
  type ConsoleVisit,
} from './console-context.ts';
import { graphScreen } from './graph-screens.ts';
import {
  auditScreen,
  keysScreen,
  mailScreen,
  overviewScreen,
  screenTools,
  type ScreenMaker,
} from './screens.ts';

/** Every page of the console, by its address below the console's own. */
const screens: Readonly<Record<string, ScreenMaker>> = {
  '': overviewScreen,
  '/accounts': accountsScreen,
  '/accounts/:id': accountScreen,
  '/clients': clientsScreen,
  '/clients/:id': clientScreen,
  '/keys': keysScreen,
  '/audit': auditScreen,
  '/mail': mailScreen,
  '/graph': graphScreen,
  '/graph/change': changeScreen,
};

/**
 * The console for operators: pages for administrators who have signed in here. They do what the admin API does, by the same
 * operations, as far as the registration of the client `trellis-console` allows.
 */
export function addConsoleRoutes(server: FastifyInstance, features: ConsoleFeatures): void {
  for (const [path, screen] of Object.entries(screens)) addScreen(server, features, path, screen);
  for (const [name, action] of Object.entries(consoleActions) as [ConsoleActionName, ConsoleAction][])
    addAction(server, features, name, action);
}

function addScreen(
  server: FastifyInstance,
  features: ConsoleFeatures,
  path: string,
  screen: ScreenMaker,
): void {
  addEndpoint(server, `${paths.console}${path}`, {
    GET: async (request, reply) => {
      const query = queryParameters(request);
      const visit = await findOperator(features, request, reply);
      if (!visit) return reply;
      const made = await screen(screenTools(features, visit, query));
      const done = query.get('done') ?? '';
      return sendScreen(features, visit, made, { done: doneText(visit, done) });
    },
  });
}

/** What the last form did. @param name of the action, as the address has it */
function doneText({ texts }: ConsoleVisit, name: string): string | undefined {
  const { done }: { readonly done: Readonly<Record<string, string>> } = texts.console;
  return own(done, name);
}

/** A form, which only the operator's own browser can send. To change something the operator has signed in not long ago. */
function addAction(
  server: FastifyInstance,
  features: ConsoleFeatures,
  name: ConsoleActionName,
  action: ConsoleAction,
): void {
  addEndpoint(server, `${paths.console}/actions/${name}`, {
    POST: async (request, reply) => {
      const form = formParameters(request);
      form.assertUnrepeated();
      checkSameOrigin(request, features.settings.issuer);
      const visit = await findOperator(features, request, reply);
      if (!visit) return reply;
      const token = consoleForm(features, visit);
      if (!isFormToken(features, form.get('csrf'), ...token)) throw pageExpired('wrong form token');
      if (!isFresh(features, visit))
        return askToSignIn(features, `${paths.console}${action.back(form)}`, request, reply);
      return act(features, visit, name, action, form);
    },
  });
}

/** RFC 9470: as the admin API asks for it. */
function isFresh({ clock, settings }: ConsoleFeatures, { user }: ConsoleVisit): boolean {
  return clock() - user.session.authenticatedAt <= settings.adminSignInMaxAgeS * 1000;
}

async function act(
  features: ConsoleFeatures,
  visit: ConsoleVisit,
  name: ConsoleActionName,
  { operation, back, path, body, show }: ConsoleAction,
  form: Parameters,
): Promise<FastifyReply> {
  const { console: texts } = visit.texts;
  const { result: words } = texts;
  const onwards = { href: consoleAddress(features, back(form)), text: words.back };
  try {
    requireScopeFor(visit.administrator, operation); // before the form is looked at
    const { body: result } = await perform(features, operation, {
      administrator: visit.administrator,
      path: path?.(form) ?? {},
      query: parametersOf([]),
      body: body?.(form),
    });
    const facts = show?.(result, texts) ?? [];
    if (facts.length === 0) return redirect(visit.reply, withDone(onwards.href, name));
    const sections = [{ id: 'result', heading: words.heading, facts, links: [onwards] }];
    return sendScreen(features, visit, { title: words.title, sections }, { done: texts.done[name] });
  } catch (error) {
    if (!(error instanceof OAuthError) || error.status >= 500) throw error;
    const sections = [{ id: 'result', heading: words.unchanged, links: [onwards] }];
    return sendScreen(
      features,
      visit,
      { title: words.failed, sections },
      { problem: error.message, status: error.status },
    );
  }
}

function withDone(address: string, name: string): string {
  return `${address}?done=${name}`;
}
