// What tests of other packages take of those of the auth-server. It is no part of the published package.
export { sendAccountForm } from './account-forms.ts';
export { addClient } from './add-client.ts';
export { certified, showCertificate } from './certified-client.ts';
export { choosePassword } from './choose-password.ts';
export {
  authorizationUrl,
  basic,
  completePages,
  createPkce,
  exchange,
  obtainCode,
  obtainTokens,
  postForm,
  responseOf,
  submitConsent,
  submitSignIn,
  tokensOf,
  type JsonResponse,
  type Pkce,
  type Tokens,
} from './flow.ts';
export { startLogoutReceiver, type LogoutReceiver } from './logout-receiver.ts';
export { runCommand } from './run-command.ts';
export { startSecondInstance } from './second-instance.ts';
export { registerGood } from './signing-client.ts';
export { startTestAuthServer, type TestAuthServer } from './test-auth-server.ts';
export { CALLBACK, CLIENT_SECRET } from './test-clients.ts';
export { PASSWORD } from '../accounts/authentication-context.ts';
export { DEVICE_CODE_GRANT } from '../clients/client-metadata.ts';
export { TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
export { ACCESS_TOKEN_TYPE } from '../grants/token-types.ts';
export { randomToken } from '../secrets/secrets.ts';
