import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { OAuthError } from '../errors.ts';
import type { PageTexts } from './texts/page-texts.ts';

/** A form that is bound to a browser and a transaction. */
export interface BoundForm {
  readonly transaction: string;
  readonly csrf: string;
}

/** What the sign-in page shows. */
export interface SignInPage extends BoundForm {
  /** The client that the user comes from, if any. */
  readonly clientName: string | undefined;
  /** Fills the field; empty when nothing is known. */
  readonly email: string;
  readonly problem?: 'rejected' | 'throttled';
  /** Whether there are pages for a forgotten password, and for a new account. */
  readonly offers: { readonly reset: boolean; readonly signUp: boolean };
}

/** What the consent page shows. */
export interface ConsentPage extends BoundForm {
  readonly clientName: string;
  /** Whether no one has looked at the client: then it is said, and who gets the response. */
  readonly isUnvetted: boolean;
  /** Host of the redirect URI, or scheme of an app. */
  readonly destination: string;
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
  readonly clientName: string;
  readonly isUnvetted: boolean;
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
const stylesheet = readFileSync(new URL('stylesheet.css', directory), 'utf8');
const templates = [
  'layout',
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
  'ask-for-mail',
  'notice',
];
const eta = new Eta({ autoEscape: true });
for (const name of templates) {
  eta.loadTemplate(`@${name}`, readFileSync(new URL(`${name}.eta`, directory), 'utf8'));
}

/** The source expression that lets the pages' style in, and no other. CSP Level 3 */
export const stylesheetSource: string = hashSource(stylesheet);

const submitScript = 'document.forms[0].submit()';

/** The same for the one script there is, of the page that posts an authorization response. */
export const submitScriptSource: string = hashSource(submitScript);

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The page that asks for e-mail address and password. */
export function renderSignIn(page: SignInPage, texts: PageTexts): string {
  return render('sign-in', page, texts);
}

/** The page that asks whether a client may have what it asks for. */
export function renderConsent(page: ConsentPage, texts: PageTexts): string {
  return render('consent', { ...page, scopes: describeScopes(page.scopes, texts) }, texts);
}

/** Scopes in the words of the pages. */
export function describeScopes(
  scopes: readonly string[],
  { consent }: PageTexts,
): readonly (string | undefined)[] {
  return scopes.map((scope) =>
    Object.hasOwn(consent.scopes, scope) ? consent.scopes[scope] : consent.otherScope(scope),
  );
}

/** The page where the code of a device is entered. */
export function renderDeviceEntry(page: DeviceEntryPage, texts: PageTexts): string {
  return render('device-entry', page, texts);
}

/** The page that asks whether the device that shows a code may have what it asks for. */
export function renderDevice(page: DevicePage, texts: PageTexts): string {
  return render('device', { ...page, scopes: describeScopes(page.scopes, texts) }, texts);
}

/** The page after it. */
export function renderDeviceDone(decision: 'allow' | 'deny', texts: PageTexts): string {
  return render('device-done', { allowed: decision === 'allow' }, texts);
}

/** The page that posts an authorization response to the client. */
export function renderFormPost(page: FormPostPage, texts: PageTexts): string {
  return render('form-post', { ...page, submitScript }, texts);
}

/** The page that asks before signing out. */
export function renderLogout(page: LogoutPage, texts: PageTexts): string {
  return render('logout', page, texts);
}

/** The page after it. @param stayed whether the user chose to stay signed in */
export function renderSignedOut(stayed: boolean, texts: PageTexts): string {
  return render('signed-out', { stayed }, texts);
}

/** The page for what can't be answered to the client. */
export function renderError(error: OAuthError, texts: PageTexts): string {
  return render(
    'error',
    { code: error.code, description: error.message, message: messageOf(error, texts) },
    texts,
  );
}

function messageOf(error: OAuthError, { error: texts }: PageTexts): string {
  if (error.code === 'temporarily_unavailable') return texts.unavailable;
  if (error.code === 'access_denied') return texts.expired;
  if (error.code === 'too_many_requests') return texts.tooMany;
  return error.status >= 500 ? texts.broken : texts.rejected;
}

/** A page from its template. @param name of the template */
export function render(name: string, data: object, texts: PageTexts): string {
  return eta.render(`@${name}`, { ...data, texts, stylesheet });
}
