/** A grant as the lists name it from which grants are ended. */
export interface ListedGrant {
  readonly grantId: string;
  readonly clientId: string;
}

/** A member of a list in Redis. Neither part has a blank in it. */
export function memberOf({ grantId, clientId }: ListedGrant): string {
  return `${grantId} ${clientId}`;
}

/** The opposite of {@link memberOf}. */
export function parseMember(member: string): ListedGrant {
  const [grantId = '', clientId = ''] = member.split(' ', 2);
  return { grantId, clientId };
}
