import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { emailProblem, nameProblem } from '../accounts/account-rules.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { sendPage } from '../http/send-page.ts';
import type { AccountMail, AdministrationFeatures } from '../administration/account-mail.ts';
import { renderEmailForm, renderNotice } from '../pages/account-page.ts';
import { textsFor } from '../http/texts-for.ts';
import type { Parameters } from '../parameters.ts';
import { formToken, isFormToken, type BoundFormFeatures } from './bound-form.ts';
import { readKnownBrowser, type LoginFeatures } from './login.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { MailFeatures } from '../mail/mail-limits.ts';

/** What the pages that end in a message work with. */
export type MailPagesFeatures = HasSettings &
  Pick<HttpFeatures, 'cookies'> &
  MailFeatures &
  AdministrationFeatures &
  BoundFormFeatures &
  LoginFeatures;

type Kind = 'signUp' | 'forgotten';

/**
 * The pages that end in a message: for a new account, and for a forgotten password. Whether there is such an account is
 * looked up behind the response, which is the same and comes as fast in either case.
 */
export function addMailRoutes(server: FastifyInstance, features: MailPagesFeatures): void {
  const { settings, accountMail } = features;
  if (accountMail === undefined) return;
  addForm(server, features, 'forgotten', accountMail);
  if (settings.signUp) addForm(server, features, 'signUp', accountMail);
}

function addForm(
  server: FastifyInstance,
  features: MailPagesFeatures,
  kind: Kind,
  accountMail: AccountMail,
): void {
  addEndpoint(server, paths[kind], {
    GET: (request, reply) => showForm(features, kind, request, reply),
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      parameters.assertUnrepeated();
      checkSameOrigin(request, features.settings.issuer);
      const form = mailForm(features, kind, request, reply);
      if (!isFormToken(features, parameters.get('csrf'), ...form)) throw pageExpired('wrong form token');
      return ask(features, kind, accountMail, parameters, request, reply);
    },
  });
}

async function ask(
  features: MailPagesFeatures,
  kind: Kind,
  accountMail: AccountMail,
  parameters: Parameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const email = (parameters.get('email') ?? '').trim();
  const name = (parameters.get('name') ?? '').trim();
  const isUnfit = emailProblem(email) !== undefined || (kind === 'signUp' && nameProblem(name) !== undefined);
  if (isUnfit) return showForm(features, kind, request, reply, 'unfit', 400);
  const waitS = await features.mailLimits.reserveSender(request.ip);
  if (waitS > 0) {
    reply.header('retry-after', String(waitS));
    return showForm(features, kind, request, reply, 'throttled', 429);
  }
  const texts = textsFor(request);
  const from = { address: request.ip, knownBrowser: readKnownBrowser(features, request, email) };
  if (kind === 'signUp') accountMail.offerAccount(email, name, from, texts);
  else accountMail.offerReset(email, from, texts);
  return sendPage(reply, renderNotice({ title: texts[kind].title, text: texts.mail.sent(email) }, texts));
}

/** What binds the form: the browser and the page. */
function mailForm(
  features: MailPagesFeatures,
  kind: Kind,
  request: FastifyRequest,
  reply: FastifyReply,
): readonly [browserHash: string, form: string, subject: string] {
  return [features.cookies.ensureBrowser(request, reply), `mail ${kind}`, ''];
}

function showForm(
  features: MailPagesFeatures,
  kind: Kind,
  request: FastifyRequest,
  reply: FastifyReply,
  problem?: 'unfit' | 'throttled',
  status = 200,
): FastifyReply {
  const page = { kind, problem, csrf: formToken(features, ...mailForm(features, kind, request, reply)) };
  return sendPage(reply, renderEmailForm(page, textsFor(request)), { status });
}
