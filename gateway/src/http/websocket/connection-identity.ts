import { ANONYMOUS, userOf, type Caller, type ClientSoftware } from '../../identity/caller.ts';
import { PresentedProof } from '../../identity/presented-proof.ts';
import type { ClientHeaders, RequestContext } from '../../request/context.ts';
import type { PresentedCredentials } from '../../pipeline/authenticate.ts';
import type { MessagePayload } from './client-message.ts';
import { headersOf, type PayloadMembers } from './connection-payload.ts';

/** As whom, and with which headers, operations of a connection run. */
export type RunsAs = Pick<
  RequestContext,
  'headers' | 'software' | 'address' | 'authorization' | 'proof' | 'certificate'
>;

/** The upgrade request of a connection. */
export interface UpgradeRequest {
  readonly headers: ClientHeaders;
  readonly address: string;
  /** Thumbprint of the client's certificate, as a trusted proxy says. */
  readonly certificate: string | undefined;
  /** Where connections are opened. */
  readonly path: string;
}

/** Who the client of a connection is: by its upgrade request, then by `connection_init`, then by each token that it renews. */
export class ConnectionIdentity {
  readonly #address: string;
  readonly #url: string;
  readonly #certificate: string | undefined;
  /** Of the upgrade request. */
  readonly #authorization: string | undefined;
  #headers: ClientHeaders;
  /** What `connection_init` says of the client's program. */
  software: ClientSoftware | undefined;
  /** What the client is let in by, now. */
  #credentials: PresentedCredentials;
  #caller: Caller = ANONYMOUS;

  constructor({ headers, address, certificate, path }: UpgradeRequest) {
    this.#address = address;
    this.#certificate = certificate;
    this.#headers = headers;
    this.#url = `http://${textOfHeader(headers['host']) ?? 'localhost'}${path}`;
    this.#authorization = textOfHeader(headers['authorization']);
    this.#credentials = this.#presented(this.#authorization, textOfHeader(headers['dpop']));
  }

  get caller(): Caller {
    return this.#caller;
  }

  get runsAs(): RunsAs {
    return { headers: this.#headers, software: this.software, ...this.#credentials };
  }

  /** What the client is let in by: a token of the upgrade request, else that of `connection_init`. */
  credentialsAtInit(payload: PayloadMembers): PresentedCredentials {
    return this.#authorization === undefined ? this.credentialsOf(payload) : this.#credentials;
  }

  /** What the client presents in a payload; where that has no token, what it is let in by until now. */
  credentialsOf({ authorization, dpop }: PayloadMembers): PresentedCredentials {
    return authorization === undefined ? this.#credentials : this.#presented(authorization, dpop);
  }

  /**
   * Takes strings of `connection_init` for headers.
   *
   * @param allowed names of headers, in lower case
   */
  addHeaders(payload: MessagePayload, allowed: readonly string[]): void {
    this.#headers = headersOf(this.#headers, payload, allowed);
  }

  /** Whether another caller is the same user. A connection that began without a token may get one. */
  isSameUser(caller: Caller): boolean {
    return !this.#caller.authenticated || userOf(this.#caller) === userOf(caller);
  }

  /** From now on operations run in the name of a caller who has been let in. */
  become(caller: Caller, credentials: PresentedCredentials): void {
    const { authorization } = credentials;
    this.#caller = caller;
    this.#credentials = credentials;
    // A token that was not verified does not take the place of what a proxy may have set.
    if (authorization !== undefined && (caller.authenticated || this.#authorization === undefined))
      this.#headers = { ...this.#headers, authorization };
  }

  /** The proof is about the request that opened the connection. */
  #presented(authorization: string | undefined, proof: string | undefined): PresentedCredentials {
    const [certificate, address] = [this.#certificate, this.#address];
    if (proof === undefined) return { authorization, certificate, address };
    const presented = new PresentedProof({ proof, method: 'GET', url: this.#url });
    return { authorization, certificate, address, proof: presented };
  }
}

function textOfHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
