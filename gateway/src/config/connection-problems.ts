import type { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { readCertificates, readPrivateKey } from '@trellis/runtime/pem';
import type { Given } from '../settings/setting.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { subgraphConnection } from '../settings/subgraph-connections.ts';

/** What is wrong with a setting, and where it stands. */
export interface SettingProblem {
  readonly path: readonly string[];
  /** Without the key, and without its value. */
  readonly message: string;
}

/** Client certificates and keys that do not go together. */
export function connectionProblems(settings: GatewaySettings): readonly SettingProblem[] {
  return groupsOf(settings).flatMap(({ path, tls: { certificate, key, ca } }) => {
    if (ca !== undefined && !isUsable({ ca }))
      return [{ path: [...path, 'ca'], message: 'is rejected by OpenSSL' }];
    if (certificate === undefined && key === undefined) return [];
    if (key === undefined) return [{ path: [...path, 'certificate'], message: 'needs its key beside it' }];
    if (certificate === undefined)
      return [{ path: [...path, 'key'], message: 'needs its certificate beside it' }];
    if (!isPair(certificate, key))
      return [{ path: [...path, 'key'], message: 'is not the key of the certificate' }];
    const usable = isUsable({ cert: certificate, key });
    return usable ? [] : [{ path: [...path, 'certificate'], message: 'is rejected by OpenSSL, as too weak' }];
  });
}

/** A client certificate that is not valid now. */
export interface UntimelyCertificate {
  /** Key of the setting. */
  readonly setting: string;
  /** As the certificate says. */
  readonly validFrom: string;
  readonly validTo: string;
}

/** Client certificates that subgraphs will not take, because they have expired or are not valid yet. */
export function untimelyCertificates(
  settings: GatewaySettings,
  nowMs: number = Date.now(),
): readonly UntimelyCertificate[] {
  return groupsOf(settings).flatMap(({ path, tls: { certificate = '' } }) =>
    readCertificates(certificate)
      .filter((one) => !isValidAt(one, nowMs))
      .map(({ validFrom, validTo }) => ({
        setting: [...path, 'certificate'].join('.'),
        validFrom,
        validTo,
      })),
  );
}

/** The transport callback without an address for callbacks. */
export function callbackProblems({ subscriptions = {} }: GatewaySettings): readonly SettingProblem[] {
  const { callback, transport, subgraphs = {} } = subscriptions;
  if (callback) return [];
  const own = Object.keys(subgraphs).filter((name) => subgraphs[name]?.transport === 'callback');
  const paths = own.map((name) => ['subscriptions', 'subgraphs', name, 'transport']);
  return [...(transport === 'callback' ? [['subscriptions', 'transport']] : []), ...paths].map((path) => ({
    path,
    message: 'callback needs subscriptions.callback',
  }));
}

interface TlsGroup {
  readonly path: readonly string[];
  readonly tls: Given<typeof subgraphConnection.tls.members>;
}

function groupsOf({ subgraphConnections = {} }: GatewaySettings): readonly TlsGroup[] {
  const { tls, subgraphs = {} } = subgraphConnections;
  const own = Object.entries(subgraphs).map(([name, rules]) => ({
    path: ['subgraphConnections', 'subgraphs', name, 'tls'],
    tls: rules.tls ?? {},
  }));
  return [{ path: ['subgraphConnections', 'tls'], tls: tls ?? {} }, ...own];
}

function isPair(certificate: string, key: string): boolean {
  const [own] = readCertificates(certificate);
  const privateKey = readPrivateKey(key);
  return own !== undefined && privateKey !== undefined && own.checkPrivateKey(privateKey);
}

/** Whether a connection can be opened with it: OpenSSL rejects keys that are too short, for example. */
function isUsable(options: SecureContextOptions): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false; // the known reasons have messages of their own
  }
}

function isValidAt({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs < Date.parse(validTo);
}
