import { z } from 'zod';
import {
  checkAuthorizationRequest,
  resolveTarget,
  type CheckRequestFeatures,
} from '../../authorize/index.ts';
import { OAuthError } from '../../errors.ts';
import { parametersOf } from '../../parameters.ts';
import { paths } from '../../paths.ts';
import { randomToken, sha256 } from '../../secrets/secrets.ts';
import type { AdminOperation, PerformFeatures } from './admin-operation.ts';

/** What a sign-in is tested with. */
export type SignInTestFeatures = CheckRequestFeatures & PerformFeatures;

const outcomeSchema = z.object({
  works: z.boolean(),
  error: z.string().optional(),
  error_description: z.string().optional(),
  authorization_url: z.string(),
  code_verifier: z.string(),
});

/** What came of a test. */
export interface SignInTestOutcome {
  readonly works: boolean;
  /** Of the catalogue of OAuth errors, with what is wrong. */
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
  /** The request, to be opened in a browser, and what its code is exchanged with. */
  readonly authorization_url: string;
  readonly code_verifier: string;
}

/** Checks an authorization request of a client as the authorization endpoint does, and says what is wrong. */
export const testSignIn: AdminOperation<SignInTestFeatures, SignInTestOutcome> = {
  id: 'testSignIn',
  method: 'GET',
  path: '/clients/:id/sign-in-test',
  scope: 'auth:clients:read',
  summary:
    'Checks an authorization request of a client as the authorization endpoint does, and says what is wrong.',
  query: {
    redirect_uri: 'Where the response is to go.',
    scope: 'What is asked for.',
    resource: 'The API that it is for. Default: the first of AUDIENCES.',
  },
  output: outcomeSchema,
  statuses: [200],
  run: async (features, { path, query }) => {
    const verifier = randomToken();
    const given = ['redirect_uri', 'scope', 'resource'].map((name) => [name, query.get(name)] as const);
    const parameters = parametersOf([
      ['response_type', 'code'],
      ['client_id', path['id'] ?? ''],
      ['state', randomToken(9)],
      ['code_challenge', sha256(verifier)],
      ['code_challenge_method', 'S256'],
      ...given.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
    ]);
    const text = new URLSearchParams(Object.fromEntries(parameters.entries())).toString();
    const authorizationUrl = `${features.settings.issuer}${paths.authorize}?${text}`;
    const problem = await problemOf(async () => {
      await checkAuthorizationRequest(await resolveTarget(parameters, features), parameters, features);
    });
    const body = { ...problem, authorization_url: authorizationUrl, code_verifier: verifier };
    return { status: 200, body };
  },
};

async function problemOf(
  check: () => Promise<void>,
): Promise<Pick<SignInTestOutcome, 'works' | 'error' | 'error_description'>> {
  try {
    await check();
    return { works: true };
  } catch (error) {
    if (!(error instanceof OAuthError) || error.status >= 500) throw error;
    return { works: false, error: error.code, error_description: error.message };
  }
}
