import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findUsableLink, redeemLink } from '../administration/account-links.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { sendPage } from '../http/send-page.ts';
import {
  passwordProblem,
  type PasswordContext,
  type PasswordProblem,
} from '../passwords/password-problem.ts';
import { renderChoosePassword, renderNotice } from '../pages/account-page.ts';
import { chooseTexts } from '../pages/language.ts';
import { sha256 } from '../secrets/secrets.ts';
import type { AccountLink } from '../accounts/link-store.ts';
import { rememberBrowser } from './begin-session.ts';
import { formToken, isFormToken } from './bound-form.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../http/paths.ts';
import type { RouteContext } from './route-context.ts';

/** The page that a one-time link leads to, where a password is chosen. Looking at it does not use the link up. */
export function addLinkRoutes(server: FastifyInstance, context: RouteContext): void {
  const { services } = context;
  addEndpoint(server, paths.link, {
    GET: async (request, reply) => {
      const token = queryParameters(request).get('token') ?? '';
      return showForm(context, token, await findLink(context, token), request, reply);
    },
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      parameters.assertUnrepeated();
      checkSameOrigin(request, services.settings.issuer);
      const token = parameters.get('token') ?? '';
      const form = linkForm(context, token, request, reply);
      if (!isFormToken(context, parameters.get('csrf'), ...form)) throw pageExpired('wrong form token');
      const link = await findLink(context, token);
      const password = parameters.get('new_password') ?? '';
      const unfit = passwordProblem(password, await contextOf(context, link));
      if (unfit !== undefined) return showForm(context, token, link, request, reply, unfit);
      if (!(await redeemLink(services, token, password))) throw pageExpired('link of no use any more');
      const texts = chooseTexts(undefined, request.headers['accept-language']);
      if (link.purpose === 'reset')
        services.accountMail?.notify({ id: link.subject, email: link.email }, 'password_changed', texts);
      rememberBrowser(context, link.email, reply);
      const account = `${services.settings.issuer}${paths.account}`;
      return sendPage(
        reply,
        renderNotice({ title: texts.link.title, text: texts.link.done, account }, texts),
      );
    },
  });
}

async function findLink({ services }: RouteContext, token: string): Promise<AccountLink> {
  const link = token === '' ? undefined : await findUsableLink(services, token);
  if (!link) throw pageExpired('no such link');
  return link;
}

/** The words that a password for the account must not be made of. */
async function contextOf({ services }: RouteContext, link: AccountLink): Promise<PasswordContext> {
  const { issuer } = services.settings;
  if (link.purpose !== 'reset') return { ...link, issuer };
  const account = await services.accounts.findById(link.subject);
  return { email: link.email, name: account?.name ?? '', issuer };
}

/** What binds the form: the browser and the link. */
function linkForm(
  context: RouteContext,
  token: string,
  request: FastifyRequest,
  reply: FastifyReply,
): readonly [browserHash: string, form: string, subject: string] {
  return [context.cookies.ensureBrowser(request, reply), `link ${sha256(token)}`, ''];
}

function showForm(
  context: RouteContext,
  token: string,
  { email }: AccountLink,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: PasswordProblem,
): FastifyReply {
  const texts = chooseTexts(undefined, request.headers['accept-language']);
  const page = {
    email,
    token,
    csrf: formToken(context, ...linkForm(context, token, request, reply)),
    problem,
  };
  return sendPage(reply, renderChoosePassword(page, texts), { status: problem === undefined ? 200 : 400 });
}
