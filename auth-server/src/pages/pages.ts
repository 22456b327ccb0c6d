import { readFileSync } from 'node:fs';
import { own } from '@trellis/runtime/own-property';
import { Eta } from 'eta';
import type { OAuthError } from '../errors.ts';
import type { PageTexts } from './texts/page-texts.ts';
import { hashSource } from './theme/brand.ts';

/** A page as it is sent. */
export interface Page {
  readonly html: string;
  /** The source expression that lets its style in, and no other. CSP Level 3 */
  readonly styleSource: string;
}

/** A form that is bound to a browser and a transaction. */
export interface BoundForm {
  readonly transaction: string;
  readonly csrf: string;
}

/** A client that asks for something. */
export interface ClientOnPage {
  readonly name: string;
  /** Whether no one has looked at the client: then it is said, and who gets the response. */
  readonly isUnvetted: boolean;
  /** Host of the redirect URI, or scheme of an app. */
  readonly destination: string | undefined;
  /** Address of its logo on this server. */
  readonly logo: string | undefined;
  readonly links: {
    readonly website?: string | undefined;
    readonly policy?: string | undefined;
    readonly terms?: string | undefined;
  };
}

/** What the sign-in page shows. */
export interface SignInPage extends BoundForm {
  /** The client that the user comes from, if any. */
  readonly client: ClientOnPage | undefined;
  /** Fills the field; empty when nothing is known. */
  readonly email: string;
  readonly problem?: 'rejected' | 'throttled';
  /** Whether there are pages for a forgotten password, and for a new account. */
  readonly offers: { readonly reset: boolean; readonly signUp: boolean };
}

/** What the consent page shows. */
export interface ConsentPage extends BoundForm {
  readonly client: ClientOnPage;
  readonly email: string;
  readonly scopes: readonly string[];
}

/** What the page for the code of a device shows. */
export interface DeviceEntryPage {
  readonly userCode: string;
  readonly problem?: 'unknown' | 'throttled';
}

/** What the page about a device shows. */
export interface DevicePage {
  readonly userCode: string;
  readonly csrf: string;
  readonly client: ClientOnPage;
  readonly email: string;
  readonly scopes: readonly string[];
}

/** What the page that asks before signing out shows. */
export interface LogoutPage {
  readonly action: string;
  readonly csrf: string;
  /** Parameters that the form carries on. */
  readonly hidden: readonly (readonly [string, string])[];
}

/** What the error page shows beside the error. */
export interface ErrorPageContext {
  /** As the log names the request. */
  readonly requestId: string;
  /** The application that the user comes from, if someone has looked at it. */
  readonly client: { readonly name: string; readonly address: string } | undefined;
}

/** What the page that posts an authorization response shows. */
export interface FormPostPage {
  /** The redirect URI. */
  readonly action: string;
  /** Its host. */
  readonly destination: string;
  /** Parameters of the response. */
  readonly hidden: readonly (readonly [string, string])[];
}

const directory = new URL('../../src/pages/templates/', import.meta.url);
const templates = [
  'layout',
  'client',
  'sign-in',
  'consent',
  'device-entry',
  'device',
  'device-done',
  'error',
  'form-post',
  'logout',
  'signed-out',
  'account',
  'choose-password',
  'email-form',
  'notice',
  'table',
  'cell',
  'console',
  'console-form',
  'confirm-email',
];
const eta = new Eta({ autoEscape: true });
for (const name of templates) {
  eta.loadTemplate(`@${name}`, readFileSync(new URL(`${name}.eta`, directory), 'utf8'));
}

const submitScript = 'document.forms[0].submit()';

/** The source expression that lets in the one script there is, of the page that posts an authorization response. */
export const submitScriptSource: string = hashSource(submitScript);

/** The page that asks for e-mail address and password. */
export function renderSignIn(page: SignInPage, texts: PageTexts): Page {
  return render('sign-in', page, texts);
}

/** The page that asks whether a client may have what it asks for. */
export function renderConsent(page: ConsentPage, texts: PageTexts): Page {
  return render('consent', { ...page, scopes: describeScopes(page.scopes, texts) }, texts);
}

/** Scopes in the words of the pages. */
export function describeScopes(scopes: readonly string[], { consent }: PageTexts): readonly string[] {
  return scopes.map((scope) => own(consent.scopes, scope) ?? consent.otherScope(scope));
}

/** The page where the code of a device is entered. */
export function renderDeviceEntry(page: DeviceEntryPage, texts: PageTexts): Page {
  return render('device-entry', page, texts);
}

/** The page that asks whether the device that shows a code may have what it asks for. */
export function renderDevice(page: DevicePage, texts: PageTexts): Page {
  return render('device', { ...page, scopes: describeScopes(page.scopes, texts) }, texts);
}

/** The page after it. */
export function renderDeviceDone(decision: 'allow' | 'deny', texts: PageTexts): Page {
  return render('device-done', { allowed: decision === 'allow' }, texts);
}

/** The page that posts an authorization response to the client. */
export function renderFormPost(page: FormPostPage, texts: PageTexts): Page {
  return render('form-post', { ...page, submitScript }, texts);
}

/** The page that asks before signing out. */
export function renderLogout(page: LogoutPage, texts: PageTexts): Page {
  return render('logout', page, texts);
}

/** The page after it. @param stayed whether the user chose to stay signed in */
export function renderSignedOut(stayed: boolean, texts: PageTexts): Page {
  return render('signed-out', { stayed }, texts);
}

/** The page for what can't be answered to the client. @param way where users can go on, beside their account */
export function renderError(
  error: OAuthError,
  { requestId, client }: ErrorPageContext,
  texts: PageTexts,
): Page {
  const message = messageOf(error, texts);
  return render('error', { code: error.code, description: error.message, message, requestId, client }, texts);
}

function messageOf(error: OAuthError, { error: texts }: PageTexts): string {
  if (error.code === 'temporarily_unavailable') return texts.unavailable;
  if (error.code === 'access_denied') return texts.expired;
  if (error.code === 'too_many_requests') return texts.tooMany;
  if (error.code === 'not_found') return texts.missing;
  if (error.code === 'insufficient_scope') return texts.forbidden;
  return error.status >= 500 ? texts.broken : texts.rejected;
}

/** A page from its template. @param name of the template */
export function render(name: string, data: object, texts: PageTexts): Page {
  const html = eta.render(`@${name}`, { ...data, texts, brand: texts.brand });
  return { html, styleSource: texts.brand.stylesheetSource };
}
