import { OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { verifyIdTokenHint, type VerificationContext } from '../tokens/verify-own-token.ts';
import type { AuthorizationRequest, Prompt } from './authorization-request.ts';
import type { ClaimsRequest } from './read-claims-request.ts';

const PROMPTS: readonly Prompt[] = ['none', 'login', 'consent', 'select_account'];

/** Longest `login_hint` and `ui_locales` that are stored, characters. */
const MAX_HINT_LENGTH = 320;

type Interaction = Pick<
  AuthorizationRequest,
  'prompts' | 'maxAgeS' | 'hintedSubject' | 'loginHint' | 'uiLocales'
>;

/**
 * What the request says about how the user is to be asked.
 *
 * @throws OAuthError invalid_request. OpenID Connect Core §3.1.2.1
 */
export async function checkInteraction(
  parameters: Parameters,
  claims: ClaimsRequest,
  defaultMaxAgeS: number | undefined,
  context: VerificationContext,
): Promise<Interaction> {
  return {
    prompts: checkPrompt(parameters.get('prompt')),
    maxAgeS: checkMaxAge(parameters.get('max_age')) ?? defaultMaxAgeS,
    hintedSubject: oneSubject(
      claims.subject,
      await checkIdTokenHint(parameters.get('id_token_hint'), context),
    ),
    loginHint: parameters.get('login_hint')?.slice(0, MAX_HINT_LENGTH),
    uiLocales: parameters.get('ui_locales')?.slice(0, MAX_HINT_LENGTH),
  };
}

/** Both ways to name the only account that will do name the same one. OpenID Connect Core §3.1.2.2, §5.5.1 */
function oneSubject(claimed: string | undefined, hinted: string | undefined): string | undefined {
  if (claimed === undefined || hinted === undefined || claimed === hinted) return claimed ?? hinted;
  throw new OAuthError('invalid_request', 'The parameters claims and id_token_hint name different users.');
}

function checkPrompt(text: string | undefined): readonly Prompt[] {
  if (text === undefined) return [];
  const prompts = text.split(' ').filter((prompt) => prompt !== '');
  if (!prompts.every(isPrompt)) throw new OAuthError('invalid_request', 'The prompt is unknown.');
  if (prompts.length > 1 && prompts.includes('none')) {
    throw new OAuthError('invalid_request', 'The prompt none goes with no other.');
  }
  return prompts;
}

function isPrompt(text: string): text is Prompt {
  return (PROMPTS as readonly string[]).includes(text);
}

function checkMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new OAuthError('invalid_request', 'The max_age is not a number of seconds.');
  return Number(text);
}

async function checkIdTokenHint(
  token: string | undefined,
  context: VerificationContext,
): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const hint = await verifyIdTokenHint(token, context);
  if (!hint) throw new OAuthError('invalid_request', 'The id_token_hint is not an id_token of this server.');
  return hint.subject;
}
