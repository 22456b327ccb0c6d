import type { GrantFeatures } from '../../grants/grant-features.ts';
import { required } from './admin-context.ts';
import type { AdminOperation, PerformFeatures } from './admin-operation.ts';

/** What the administration of grants works with. */
export type GrantApiFeatures = Pick<GrantFeatures, 'revoker'> & PerformFeatures;

/** Ends a grant with its tokens. */
export const revokeGrant: AdminOperation<GrantApiFeatures, undefined> = {
  id: 'revokeGrant',
  method: 'DELETE',
  path: '/grants/:id',
  scope: 'auth:grants:write',
  summary: 'Ends a grant with its tokens.',
  statuses: [204],
  run: async ({ revoker }, { path }) => {
    const wasLive = await revoker.revoke(path['id'] ?? '', 'operator');
    required(wasLive ? true : undefined);
    return { status: 204, body: undefined };
  },
};
