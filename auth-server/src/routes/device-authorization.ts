import type { FastifyInstance } from 'fastify';
import { checkRequestedResource } from '../authorize/check-resource.ts';
import { checkScope } from '../authorize/check-scope.ts';
import { DEVICE_CODE_GRANT } from '../clients/client-metadata.ts';
import { OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { newGrantCode, newGrantId } from '../tokens/grant-code.ts';
import type { DeviceRequest } from '../grants/device-store.ts';
import { newUserCode } from '../grants/user-code.ts';
import { authenticateRequest, type AuthenticateRequestFeatures } from './authenticate-request.ts';
import { paths } from '../paths.ts';
import { takeRoom, type TakeRoomFeatures } from './take-room.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';

/** What the endpoint for devices works with. */
export type DeviceAuthorizationFeatures = HasClock &
  HasSettings &
  Pick<GrantFeatures, 'devices'> &
  AuthenticateRequestFeatures &
  TakeRoomFeatures;

/** Seconds between two questions of a device. RFC 8628 §3.2 */
const INTERVAL_S = 5;

/** Bytes of the two records of a device, beside its request. */
const DEVICE_BYTES = 500;

/** Where a device begins: it gets a code for itself and one to show to a user. RFC 8628 §3.1 */
export function addDeviceAuthorizationRoute(
  server: FastifyInstance,
  features: DeviceAuthorizationFeatures,
): void {
  addEndpoint(
    server,
    paths.deviceAuthorization,
    {
      POST: async (request, reply) => {
        const parameters = formParameters(request);
        parameters.assertUnrepeated();
        const client = await authenticateRequest(request, parameters, features);
        if (!client.metadata.grant_types.includes(DEVICE_CODE_GRANT)) {
          throw new OAuthError('unauthorized_client', 'The client is not registered for device codes.');
        }
        const { settings, clock, devices } = features;
        const deviceRequest = {
          clientId: client.metadata.client_id,
          clientIncarnation: client.incarnation,
          scopes: checkScope(parameters, client, settings.scopes),
          audience: checkRequestedResource(parameters, settings.audiences),
        };
        const grantId = newGrantId();
        const { code, secretHash } = newGrantCode('dc', grantId);
        const userCode = newUserCode();
        const lifetimeS = settings.deviceCodeTtlS;
        takeRoom(request, client, deviceBytes(deviceRequest), lifetimeS, features);
        await devices.save({
          grantId,
          userCode,
          secretHash,
          request: deviceRequest,
          now: clock(),
          lifetimeS,
          intervalS: INTERVAL_S,
        });
        const verificationUri = `${settings.issuer}${paths.device}`;
        return reply.header('cache-control', 'no-store').send({
          device_code: code,
          user_code: userCode,
          verification_uri: verificationUri,
          verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
          expires_in: lifetimeS,
          interval: INTERVAL_S,
        });
      },
    },
    { cors: true },
  );
}

function deviceBytes(request: DeviceRequest): number {
  return DEVICE_BYTES + JSON.stringify(request).length;
}
