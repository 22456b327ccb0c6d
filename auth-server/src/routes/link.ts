import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  findUsableLink,
  redeemEmailLink,
  redeemLink,
  type RedeemLinkFeatures,
} from '../administration/account-links.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { sendPage } from '../http/send-page.ts';
import {
  passwordProblem,
  type PasswordContext,
  type PasswordProblem,
} from '../passwords/password-problem.ts';
import { renderChoosePassword, renderConfirmEmail, renderNotice } from '../pages/account-page.ts';
import { textsFor } from '../http/texts-for.ts';
import { sha256 } from '../secrets/secrets.ts';
import type { AccountLink, EmailLink } from '../accounts/link-store.ts';
import { rememberBrowser, type BeginSessionFeatures } from './begin-session.ts';
import { formToken, isFormToken, type BoundFormFeatures } from './bound-form.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { AdministrationFeatures } from '../administration/account-mail.ts';

/** What the page of a link works with. */
export type LinkPageFeatures = HasSettings &
  Pick<AccountFeatures, 'accounts'> &
  Pick<HttpFeatures, 'cookies'> &
  AdministrationFeatures &
  RedeemLinkFeatures &
  BeginSessionFeatures &
  BoundFormFeatures;

/** The page that a one-time link leads to, where a password is chosen. Looking at it does not use the link up. */
export function addLinkRoutes(server: FastifyInstance, features: LinkPageFeatures): void {
  addEndpoint(server, paths.link, {
    GET: async (request, reply) => {
      const token = queryParameters(request).get('token') ?? '';
      return showForm(features, token, await findLink(features, token), request, reply);
    },
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      parameters.assertUnrepeated();
      checkSameOrigin(request, features.settings.issuer);
      const token = parameters.get('token') ?? '';
      const form = linkForm(features, token, request, reply);
      if (!isFormToken(features, parameters.get('csrf'), ...form)) throw pageExpired('wrong form token');
      const link = await findLink(features, token);
      if (link.purpose === 'change_email') return confirmEmail(features, token, link, request, reply);
      const password = parameters.get('new_password') ?? '';
      const unfit = passwordProblem(password, await contextOf(features, link));
      if (unfit !== undefined) return showForm(features, token, link, request, reply, unfit);
      if (!(await redeemLink(features, token, password, request.ip)))
        throw pageExpired('link of no use any more');
      const texts = textsFor(request);
      if (link.purpose === 'reset')
        features.accountMail?.notify({ id: link.subject, email: link.email }, 'password_changed', texts);
      rememberBrowser(features, link.email, reply);
      const account = `${features.settings.issuer}${paths.account}`;
      return sendPage(
        reply,
        renderNotice({ title: texts.link.title, text: texts.link.done, account }, texts),
      );
    },
  });
}

/** No one has to be signed in: the reader of the mail has the address. */
async function confirmEmail(
  features: LinkPageFeatures,
  token: string,
  { subject }: EmailLink,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const by = { name: `user ${subject}`, address: request.ip } as const;
  if (!(await redeemEmailLink(features, token, by))) throw pageExpired('link of no use any more');
  const texts = textsFor(request);
  const account = `${features.settings.issuer}${paths.account}`;
  const { title, done: text } = texts.changeEmail;
  return sendPage(reply, renderNotice({ title, text, account }, texts));
}

async function findLink(features: LinkPageFeatures, token: string): Promise<AccountLink> {
  const link = token === '' ? undefined : await findUsableLink(features, token);
  if (!link) throw pageExpired('no such link');
  return link;
}

/** The words that a password for the account must not be made of. */
async function contextOf(features: LinkPageFeatures, link: AccountLink): Promise<PasswordContext> {
  const { issuer } = features.settings;
  if (!('subject' in link)) return { ...link, issuer };
  const account = await features.accounts.findById(link.subject);
  return { email: link.email, name: account?.name ?? '', issuer };
}

/** What binds the form: the browser and the link. */
function linkForm(
  features: LinkPageFeatures,
  token: string,
  request: FastifyRequest,
  reply: FastifyReply,
): readonly [browserHash: string, form: string, subject: string] {
  return [features.cookies.ensureBrowser(request, reply), `link ${sha256(token)}`, ''];
}

function showForm(
  features: LinkPageFeatures,
  token: string,
  link: AccountLink,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: PasswordProblem,
): FastifyReply {
  const texts = textsFor(request);
  const csrf = formToken(features, ...linkForm(features, token, request, reply));
  const { email } = link;
  if (link.purpose === 'change_email')
    return sendPage(reply, renderConfirmEmail({ from: link.from, email, token, csrf }, texts));
  const page = { email, token, csrf, problem };
  return sendPage(reply, renderChoosePassword(page, texts), { status: problem === undefined ? 200 : 400 });
}
